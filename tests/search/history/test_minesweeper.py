"""Minesweeper at telnet, kept in a journal and killed under load: the rules explain all answers to the players.

Strategy: players connect, send looks, digs, flags and deflags, and disconnect by half-close, by RST or by BOOM!, with
and without an open message. One server has four lives, and three of them end by SIGKILL. Servers with one bug each test
that the judge finds bugs.
"""

from __future__ import annotations

import pytest

from tests.search.history.mutants import MINED
from tests.search.history.trials import find_minesweeper, summary, survive_minesweeper
from tests.support.figures import report


def test_what_players_saw_over_three_kills_is_explained_by_one_order_of_the_rules() -> None:
    report("kill", {"Minesweeper, 3 kills": summary(*survive_minesweeper(3, "three kills"))})


@pytest.mark.parametrize("name", MINED)
def test_the_judge_finds_the_bug_of_a_server_where(name: str) -> None:
    report("history", {f"bug found: {name}": f"in play {find_minesweeper(name)}"})
