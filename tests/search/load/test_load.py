"""Two hundred players on one board for a few seconds, in real processes. `make torture` runs a thousand, and longer.

Partitions: without a journal, with a journal. tests/search/load/crowd.py describes the crowd.

Expected: every flip has its answer, no client sees an older board after a newer board, at the end all clients show the
same board, and no client reports a fault. Speed and resource use are reported, not judged.
"""

from __future__ import annotations

import pytest

from tests.search.load.load import Load, measured
from tests.support.figures import report

LOADS = [Load(100, 20, 2), Load(200, 20, 3, journal=True)]


@pytest.mark.parametrize("load", LOADS, ids=str)
async def test_nothing_is_lost_under_load_and_all_see_the_same(load: Load) -> None:
    report("load", await measured(load))
