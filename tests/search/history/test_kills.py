"""Memory Scramble kept in a journal, killed under load and started again: nothing acknowledged is lost.

Strategy: a crowd over HTTP and over the WebSocket plays over six lives of one server, of which five end by SIGKILL at a
random moment; what it saw must be explained by one order of the rules over all lives, and by the journal. That losses
are found is tested with servers that lose something each: answers that were released before the commit, commands that
are not written, or in another order, a recovery that stops short, or that lets those who have gone go on waiting.
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
