"""Memory Scramble kept in a journal, killed under load and started again: nothing acknowledged is lost.

Strategy: a crowd over HTTP and over the WebSocket plays during six lives of one server. Five of the lives end by
SIGKILL at a random moment. One order of the calls of all lives, by the rules, and the journal must explain the history.
Servers with a bug test that the judges find losses: answers before the commit, and a recovery that ends early. `make
torture NAMES=history` plays at the servers with all other bugs, too.
"""

from __future__ import annotations

from typing import Final

import pytest

from tests.search.history.trials import find_lossy, kill, summary, survive_slow_disk
from tests.support.figures import report

BUGS: Final = ("answers-before-the-commit", "recovery-stops-short")


def test_nothing_acknowledged_is_lost_in_five_kills_under_load() -> None:
    report("kill", kill(long=False))


def test_a_slow_disk_loses_nothing_either() -> None:
    slow = survive_slow_disk("slow")
    report("kill", {"with a slow disk": summary(slow.history, slow.verdict)})


@pytest.mark.parametrize("name", BUGS)
def test_the_judges_find_out_about_a_server_where(name: str) -> None:
    report("kill", {f"loss found: {name}": f"after {2 * find_lossy(name)} kills"})
