"""Do one input again: `python -m tests.fuzz KIND SEED NUMBER`. Raises what it raised."""

from __future__ import annotations

import sys

from tests.fuzz.campaign import check

kind, seed, number = sys.argv[1:]
check(kind, int(seed), int(number))
