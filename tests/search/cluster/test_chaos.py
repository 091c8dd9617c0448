"""Three processes, all three games under load, and one fault of each sort: nothing is lost, and nobody sees the past.

Strategy: each fault befalls the cluster while a crowd plays, and is over when everybody plays on. The histories of the
rooms over all their owners must be explained by one order of each game's rules, by the log in Redis, and by the final
state at every process. Times are measured, not judged. `make torture NAMES=cluster` is the long form, with
all faults; test_fencing.py in tests/system/cluster plants the bugs against which the log is fenced.
"""

from __future__ import annotations

from pathlib import Path

from tests.search.cluster.chaos import short
from tests.support.cluster.redis import needs_redis
from tests.support.figures import report


@needs_redis
def test_nothing_acknowledged_is_lost_and_nobody_is_answered_by_a_deposed_owner(tmp_path: Path) -> None:
    report("cluster", short(tmp_path))
