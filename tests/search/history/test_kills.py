"""Memory Scramble kept in a journal, killed under load and started again: nothing acknowledged is lost.

Strategy: a crowd over HTTP and over the WebSocket plays during six lives of one server. Five of the lives end by
SIGKILL at a random moment. One order of the rules over all lives, and the journal, must explain the history. Servers
with a bug test that the judges find losses: answers before the commit, commands that are not written or are written in
another order, a recovery that ends early, a recovery that keeps departed players in the queue.
"""

from __future__ import annotations

import pytest

from tests.search.history.mutants import LOSSY
from tests.search.history.trials import find_lossy, kill, summary, survive_slow_disk
from tests.support.figures import report


def test_nothing_acknowledged_is_lost_in_five_kills_under_load() -> None:
    report("kill", kill(long=False))


def test_a_slow_disk_loses_nothing_either() -> None:
    slow = survive_slow_disk("slow")
    report("kill", {"with a slow disk": summary(slow.history, slow.verdict)})


@pytest.mark.parametrize("name", LOSSY)
def test_the_judges_find_out_about_a_server_where(name: str) -> None:
    report("kill", {f"loss found: {name}": f"after {2 * find_lossy(name)} kills"})
