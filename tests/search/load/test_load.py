"""Two hundred players on one board for a few seconds, in real processes; a thousand, and longer: `make torture`.

Partitions: without a journal, with one; what a crowd does is said in tests/search/load/crowd.py.

What must follow: no answer is lost, nobody sees the board go back, in the end all show the same, nobody complains. How
quick it was and what it took is reported, and not judged.
"""

from __future__ import annotations

import pytest

from tests.search.load.load import Load, measured
from tests.support.figures import report

LOADS = [Load(100, 20, 2), Load(200, 20, 3, journal=True)]


@pytest.mark.parametrize("load", LOADS, ids=str)
async def test_nothing_is_lost_under_load_and_all_see_the_same(load: Load) -> None:
    report("load", await measured(load))
