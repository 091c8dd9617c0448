"""Three processes, all three games under load, and one fault of each kind: no data is lost, and no answer is stale.

Strategy: each fault happens while a crowd plays, and ends when every player plays again. One order of each game's
rules, the log in Redis, and the final state at every process must explain the histories of the rooms over all their
owners. Times are measured, not judged. `make torture NAMES=cluster` is the long form, with all faults. test_fencing.py
in tests/system/cluster plants the bugs against which the log is fenced.
"""

from __future__ import annotations

from pathlib import Path

from tests.search.cluster.chaos import short
from tests.support.cluster.redis import needs_redis
from tests.support.figures import report


@needs_redis
def test_nothing_acknowledged_is_lost_and_nobody_is_answered_by_a_deposed_owner(tmp_path: Path) -> None:
    report("cluster", short(tmp_path))
