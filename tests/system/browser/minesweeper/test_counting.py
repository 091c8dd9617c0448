"""The counters of Minesweeper's page: its own module in a real Chromium, with frames as servers send them.

Testing strategy. test_playing.py and rooms/test_minesweeper.py play with a server that keeps scores. These tests use
frames that rarely occur, or that only an older server sends.

- the clock: before the first dig, during the game, at the end; test_the_clock_*
- pauses: of a field frame, of an event, of an answer; over with their time, and at the end: test_a_pause_*
- a server without times, with squares and scores only: test_scores_of_older_servers_*
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest
from playwright.sync_api import Page

from tests.support.process import ServerProcess
from tests.system.browser.conftest import NewContext

pytestmark = pytest.mark.browser

START: Final = {"left": 10, "bombs": 3, "now": 5000, "pause_ms": 5000}


@pytest.fixture
def page(new_context: NewContext, server: ServerProcess) -> Page:
    page = new_context().new_page()
    page.goto(server.url)
    return page


def count(page: Page, frame: Mapping[str, object], script: str) -> Any:
    """Return the result of `script` for a contest. It began with this field frame at 1000 on the page's clock."""
    module = "import(new URL('client/minesweeper/contest.js', document.baseURI))"
    return page.evaluate(
        f"async (frame) => {{ const {{ Contest }} = await {module}; const contest = new Contest();"
        f"contest.replaceAll(frame, 1000); {script} }}",
        dict(frame),
    )


def test_the_clock_runs_from_the_first_dig_to_the_end(page: Page) -> None:
    script = """
        const times = [contest.clock(2000)];
        contest.apply({ is: "flagged", at: 5500, left: 10, bombs: 2 }, "ann", 0);
        times.push(contest.clock(2000));
        contest.apply({ is: "dug", at: 6000, left: 0, bombs: 2 }, "ann", 10);
        times.push(contest.clock(3000));
        contest.apply({ is: "ended", at: 6500, end: { names: [], owners: [], tallies: {} } }, null, 0);
        times.push(contest.clock(9000));
        return times;
    """
    assert count(page, START, script) == [None, None, 1000, 500]


def test_a_pause_is_over_with_its_time_and_with_the_game(page: Page) -> None:
    script = """
        const left = [contest.pauseLeft("ann", 1000), contest.pauseLeft("bob", 1000), contest.pauseLeft(null, 1000)];
        contest.apply({ is: "exploded", at: 5000, left: 9, bombs: 2, until: 10000 }, "bob", 1);
        left.push(contest.pauseLeft("bob", 2000), contest.pauseLeft("ann", 9000));
        contest.pause("ann", 700, 9000);
        left.push(contest.pauseLeft("ann", 9100));
        contest.apply({ is: "ended", at: 13200, end: { names: [], owners: [], tallies: {} } }, null, 0);
        left.push(contest.pauseLeft("ann", 9200));
        return left;
    """
    assert count(page, START | {"pauses": {"ann": 7000}}, script) == [2000, 0, 0, 4000, 0, 600, 0]


def test_scores_of_older_servers_are_counted_on_as_squares(page: Page) -> None:
    script = """
        contest.apply({ is: "dug" }, "ann", 4);
        contest.apply({ is: "exploded" }, "bob", 3);
        contest.apply({ is: "dug" }, null, 1);
        return [contest.left, contest.isFull, contest.hasChords, Object.fromEntries(contest.points)];
    """
    assert count(page, {"left": 10, "scores": {"ann": 1}}, script) == [3, False, False, {"ann": 5, "bob": 3}]
