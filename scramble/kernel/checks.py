"""Switch for the checks of representation invariants after every step: on in tests, off by default for speed.

To switch the checks on, set the environment variable `SCRAMBLE_CHECK_REP=1` before importing scramble.
"""

from __future__ import annotations

import os

CHECK_REP = os.environ.get("SCRAMBLE_CHECK_REP") == "1"
