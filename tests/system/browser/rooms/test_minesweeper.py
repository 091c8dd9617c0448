"""Minesweeper in a room, in a real Chromium, served by a real `scramble serve`.

Testing strategy. Other tests cover the field itself. These tests cover the parts that only a room has.

- points: the pages count them during the game, and a later page gets the same points from the server; the pause after a
  boom, visible to all players, and play after the pause; the end of the game, with the table, the time on the game's
  own clock, and the field below the table: test_pages_count_*
- the winner reads "You have won!" also after a reload, when the other players have left without points:
  test_who_has_won_*
- a field that needs no guess, chosen in the lobby: test_a_solvable_*
"""

from __future__ import annotations

import json
import re
import urllib.request

import pytest
from playwright.sync_api import Page, expect

from tests.system.browser.away import leave
from tests.system.browser.conftest import EXPECT_MS, NewContext
from tests.system.browser.minesweeper.player import Player
from tests.system.browser.rooms.visitor import Visit

pytestmark = pytest.mark.browser

FIELD = "5 3\n0 0 0 0 1\n0 0 0 0 1\n0 0 0 0 1\n"  # bombs in the last column

SAYS_THE_CLOCK = """() => {
    const clock = document.querySelector("#meter-clock").textContent;
    const [minutes, seconds] = clock.split(":").map(Number);
    const took = minutes > 0 ? clock : `${seconds} seconds`;
    return document.querySelector("#ending .ending-words").textContent === `It took ${took}.`;
}"""


def open_room(lobby: str) -> str:
    body = json.dumps({"game": "minesweeper", "settings": {"field": FIELD}}).encode()
    request = urllib.request.Request(f"{lobby}rooms", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return f"{lobby}g/{json.load(answer)['room']}"


def expect_points(page: Page, to_dig: str, bombs: str, **points: str) -> None:
    expect(page.locator("#counts")).to_have_text(re.compile(f"^{to_dig} to dig"))
    expect(page.locator("#meter-bombs")).to_have_text(bombs)
    for player, shown in points.items():
        row = page.locator("#players > li", has_text=player)
        expect(row.locator(".player-score")).to_have_text(shown)


def test_who_has_won_is_told_so_also_after_a_reload_when_the_others_have_left(
    new_context: NewContext, rooms_url: str
) -> None:
    room = open_room(rooms_url)
    ann, bob = (Player(new_context(reduced_motion="reduce").new_page(), room, name) for name in ("ann", "bob"))
    expect(ann.page.locator("#players > li")).to_have_count(2)
    bob.page.close()
    expect(ann.page.locator("#players > li[data-player=bob]")).to_have_count(0)
    for row in range(3):
        ann.click(3, row)
    ann.click(0, 0)
    title = ann.page.locator("#ending[open] h2")
    expect(title).to_have_text("You have won!")
    ann.page.reload()
    expect(title).to_have_text("You have won!")


def test_pages_count_the_points_as_the_server_does_to_the_end(
    visit: Visit, new_context: NewContext, rooms_url: str
) -> None:
    room = open_room(rooms_url)
    ann, bob = (Player(new_context(reduced_motion="reduce").new_page(), room, name) for name in ("ann", "bob"))
    late = visit()
    expect(ann.page.locator("#meter-clock")).to_have_text("0:00")
    ann.click(3, 0)
    expect_points(bob.page, "11 squares", "3", ann="1", bob="0")
    ann.click(3, 1)
    expect_points(bob.page, "10 squares", "3", ann="2", bob="0")
    bob.click(4, 0)
    expect(bob.page.locator("#pause")).to_be_visible()
    expect(bob.next).to_have_text(re.compile(r"^Boom! A short break: you go on in [1-5] s\.$"))
    expect(ann.page.locator("#players > li", has_text="bob").locator(".player-note")).to_have_text(re.compile("pauses"))
    late.page.goto(f"{room}?watch")
    for page in (ann.page, bob.page, late.page):
        expect_points(page, "10 squares", "2", ann="2", bob="−10")
    expect(bob.page.locator("#pause")).to_be_hidden()
    ann.click(4, 2, right=True)
    for page in (ann.page, bob.page, late.page):
        expect_points(page, "10 squares", "1", ann="2", bob="−10")
    bob.click(0, 0)  # opens all squares with no bomb beside them, and their neighbours
    for page in (ann.page, bob.page, late.page):
        rows = page.locator("#ending[open] tbody > tr")
        expect(rows).to_have_text([re.compile(r"ann\D*3210$"), re.compile(r"bob\D*01001$")])
        page.wait_for_function(SAYS_THE_CLOCK, timeout=EXPECT_MS)  # the recording is longer: it starts with the room
    for page in (ann.page, late.page):
        page.keyboard.press("Escape")
        expect_points(page, "0 squares", "1", ann="3", bob="0")
    ann.sees(4, 1, "a bomb")
    ann.sees(4, 2, "a bomb, flagged by ann")
    ann.sees(3, 1, "dug, 2 bombs near, opened by ann")
    ann.sees(4, 0, "dug, 1 bomb near, opened by bob, a bomb went off here")
    ann.sees(0, 0, "dug, no bombs near, opened by bob, bob was here")


def test_a_solvable_field_says_where_to_begin(visit: Visit) -> None:
    ann = visit()
    ann.to_lobby()
    choices = ann.unfold("minesweeper")
    choices.get_by_label("Beginner").check()
    choices.get_by_label("Solvable without guessing").check()
    expect(choices.get_by_label("The first dig is safe")).to_be_hidden()
    choices.get_by_role("button", name="Start").click()
    ann.page.get_by_role("dialog", name="Invite friends").get_by_role("button", name="Play").click()
    start = ann.page.get_by_role("gridcell", name="column 5, row 5, untouched, start here")
    expect(ann.next).to_have_text("Begin at the marked square. No guessing needed.")
    start.focus()
    ann.page.keyboard.press("ArrowLeft")
    ann.page.keyboard.press("Enter")  # this digs nothing, and the page moves to the start square
    expect(start).to_be_focused()
    ann.page.keyboard.press("Enter")
    expect(ann.page.get_by_role("gridcell", name="column 5, row 5, dug, no bombs near")).to_be_focused()
    expect(ann.page.locator(".start-mark")).to_be_hidden()


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
