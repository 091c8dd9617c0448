"""Switch for checking representation invariants after every step: on in tests, off by default for speed.

Set the environment variable `SCRAMBLE_CHECK_REP=1` before importing scramble to switch the checks on.
"""

from __future__ import annotations

import os

CHECK_REP = os.environ.get("SCRAMBLE_CHECK_REP") == "1"
