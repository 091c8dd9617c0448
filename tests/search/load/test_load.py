"""A hundred players on one board for two seconds, in real processes. `make torture` runs a thousand, and longer.

The game has a journal, because this is the longer way of a command. tests/search/load/crowd.py describes the crowd.

Expected: every flip has its answer, no client sees an older board after a newer board, at the end all clients show the
same board, and no client reports a fault. Speed and resource use are reported, not judged.
"""

from __future__ import annotations

from typing import Final

from tests.search.load.load import Load, measured
from tests.support.figures import report

LOAD: Final = Load(100, 20, 2, journal=True)


async def test_nothing_is_lost_under_load_and_all_see_the_same() -> None:
    report("load", await measured(LOAD))
