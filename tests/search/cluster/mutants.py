"""A cluster with a bug. `python -m tests.search.cluster.mutants NAME serve --cluster URL ...` serves it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from scramble.cli.main import main
from scramble.cluster import log, scripts
from tests.search.history.mutation import put

MUTANT: Final = (sys.executable, "-m", "tests.search.cluster.mutants")


def queries_are_not_fenced() -> None:
    """Answer a batch of queries without asking Redis, as if a look needed no check."""
    commit = log.ClusterLog.commit

    async def hasty(self: log.ClusterLog) -> None:
        if self._records:
            await commit(self)

    put(log.ClusterLog, "commit", hasty)


def owner_is_not_checked() -> None:
    """Let Redis append to the log without a check of the owner. The record's number is still checked.

    Queries do not ask Redis either: otherwise the first batch of queries would find the other owner, and the result
    would depend on the timing.
    """
    queries_are_not_fenced()
    check = "if found[1] ~= ARGV[1] then return {'owned', found[1] or ''} end"
    assert check in scripts.APPEND
    put(log, "APPEND", scripts.APPEND.replace(check, ""))


MUTANTS: Final[dict[str, Callable[[], None]]] = {
    "queries-are-not-fenced": queries_are_not_fenced,
    "owner-is-not-checked": owner_is_not_checked,
}

if __name__ == "__main__":
    MUTANTS[sys.argv[1]]()
    main(sys.argv[2:])
