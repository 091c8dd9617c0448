"""Memory Scramble, served by a real process to a crowd of recording clients: the rules explain all recorded answers.

Strategy: crowds over HTTP, over the WebSocket, and mixed. Some names have two players. Some requests are cut (by FIN,
RST and half-close, right after sending or while they wait), and some are withdrawn. Some servers have one bug each, in
the rules, in the queue, or in what a player sees: the judge must find it. `make torture NAMES=history` plays at the
servers with all other bugs, too.
"""

from __future__ import annotations

from typing import Final

import pytest

from tests.search.history.play import Crowd
from tests.search.history.trials import CROWDS, explain, find, summary
from tests.support.figures import report

BUGS: Final = ("matches-by-position", "last-come-first-served", "flip-shows-the-board-before")


@pytest.mark.parametrize("crowd", CROWDS, ids=lambda crowd: f"{crowd.http} and {crowd.sockets}")
def test_what_a_crowd_saw_is_explained_by_one_order_of_the_rules(crowd: Crowd) -> None:
    clients = f"{crowd.http} HTTP and {crowd.sockets} WebSocket clients"
    report("history", {clients: summary(*explain(crowd, "crowd"))})


@pytest.mark.parametrize("name", BUGS)
def test_the_judge_finds_the_bug_of_a_server_where(name: str) -> None:
    plays = find(name)
    report("history", {f"bug found: {name}": f"in play {plays}"})
