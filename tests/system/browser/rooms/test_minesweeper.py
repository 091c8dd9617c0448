"""Minesweeper in a room, in a real Chromium, served by a real `scramble serve`.

Testing strategy. The field itself has tests of its own; here is what only a room has: scores that the pages count on as
the game goes, which are those of the server for a page that comes later, to the end of the game.
"""

from __future__ import annotations

import json
import re
import urllib.request

import pytest
from playwright.sync_api import Page, expect

from tests.system.browser.away import leave
from tests.system.browser.conftest import NewContext
from tests.system.browser.minesweeper.player import Player
from tests.system.browser.rooms.visitor import Visit

pytestmark = pytest.mark.browser

FIELD = "5 3\n0 0 0 0 1\n0 0 0 0 1\n0 0 0 0 1\n"  # bombs in the last column


def open_room(lobby: str) -> str:
    body = json.dumps({"game": "minesweeper", "settings": {"field": FIELD}}).encode()
    request = urllib.request.Request(f"{lobby}rooms", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return f"{lobby}g/{json.load(answer)['room']}"


def expect_scores(page: Page, left: str, **scores: int) -> None:
    expect(page.locator("#counts")).to_have_text(f"{left} to dig, 0 flags")
    for player, score in scores.items():
        row = page.locator("#players > li", has_text=player)
        expect(row.locator(".player-score")).to_have_text(str(score).replace("-", "\N{MINUS SIGN}"))


def test_pages_count_the_scores_as_the_server_does_to_the_end(
    visit: Visit, new_context: NewContext, rooms_url: str
) -> None:
    room = open_room(rooms_url)
    ann, bob = (Player(new_context(reduced_motion="reduce").new_page(), room, name) for name in ("ann", "bob"))
    late = visit()
    ann.click(3, 0)
    expect_scores(bob.page, "11 squares", ann=1, bob=0)
    ann.click(3, 1)
    expect_scores(bob.page, "10 squares", ann=2, bob=0)
    bob.click(4, 0)
    for page in (ann.page, bob.page):  # bob waits, and needs not come again
        expect_scores(page, "10 squares", ann=2, bob=-10)
    late.page.goto(f"{room}?watch")
    expect_scores(late.page, "10 squares", ann=2, bob=-10)
    ann.click(0, 0)  # opens all without a bomb around them, and those beside them
    for page in (ann.page, bob.page, late.page):
        expect_scores(page, "0 squares", ann=12, bob=-10)
        rows = page.locator("#ending[open] tbody > tr")
        expect(rows).to_have_count(2)
        expect(rows.first.locator("td").first).to_have_text("12")


def test_who_looks_elsewhere_is_told_in_the_tab_that_the_pause_and_the_game_are_over(
    new_context: NewContext, rooms_url: str
) -> None:
    room = open_room(rooms_url)
    ann, bob = (Player(new_context(reduced_motion="reduce").new_page(), room, name) for name in ("ann", "bob"))
    ann.page.clock.install()
    ann.click(3, 0)
    ann.click(4, 0)
    leave(ann.page)
    ann.page.clock.fast_forward(10_000)
    expect(ann.page).to_have_title(re.compile("^● Your pause is over – "))
    bob.click(0, 0)
    bob.click(3, 1)
    expect(ann.page).to_have_title(re.compile("^● The game is over – "))
