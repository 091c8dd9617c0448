"""Run one input again: `python -m tests.search.fuzz KIND SEED NUMBER`. Raises the input's error."""

from __future__ import annotations

import sys

import trio

from tests.search.fuzz.campaign import COUNTS, check
from tests.search.fuzz.torture import over_sockets

kind, seed, number = sys.argv[1:]
if kind in COUNTS:
    check(kind, int(seed), int(number))
else:
    trio.run(over_sockets, kind, int(seed), 1, int(number))
