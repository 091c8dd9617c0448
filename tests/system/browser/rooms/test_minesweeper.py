"""Minesweeper in a room, in a real Chromium, served by a real `scramble serve`.

Testing strategy. Other tests cover the field itself. These tests cover the parts that only a room has.

- points: the pages count them during the game, and a later page gets the same points from the server, and the name of
  a player for the label of a square; the pause after a boom, visible to all players, and its end, which calls a player
  who looks elsewhere; the end of the game, with the table, the time on the game's own clock, and the field below the
  table: test_pages_count_*
- the winner after a reload, when the other player has left without points: test_a_winner_*
- a field that needs no guess, chosen in the lobby; a friend by the invitation; a seat that goes to another device, and
  comes back: test_a_solvable_*
"""

from __future__ import annotations

import re
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.system.browser.away import leave
from tests.system.browser.conftest import EXPECT_MS
from tests.system.browser.minesweeper.player import Player
from tests.system.browser.rooms.visitor import Visit, Visitor, hand_over_and_take_back

pytestmark = pytest.mark.browser

FIELD: Final = "5 3\n0 0 0 0 1\n0 0 0 0 1\n0 0 0 0 1\n"  # bombs in the last column

SAYS_THE_CLOCK: Final = """() => {
    const clock = document.querySelector("#meter-clock").textContent;
    const [minutes, seconds] = clock.split(":").map(Number);
    const took = minutes > 0 ? clock : seconds > 1 ? `${seconds} seconds` : "1 second";
    return document.querySelector("#ending .ending-words").textContent === `It took ${took}.`;
}"""


def play(visitor: Visitor, address: str, name: str) -> Player:
    visitor.page.emulate_media(reduced_motion="reduce")
    return Player(visitor.page, address, name)


def expect_points(page: Page, to_dig: str, bombs: str, **points: str) -> None:
    expect(page.locator("#counts")).to_have_text(re.compile(f"^{to_dig} to dig"))
    expect(page.locator("#meter-bombs")).to_have_text(bombs)
    for player, shown in points.items():
        row = page.locator("#players > li", has_text=player)
        expect(row.locator(".player-score")).to_have_text(shown)


def test_pages_count_the_points_as_the_server_does_to_the_end(visit: Visit) -> None:
    at_desk, at_other_desk, late = visit(), visit(alone=True), visit()
    room = at_desk.open("minesweeper", settings={"field": FIELD})
    at_other_desk.page.clock.install()
    ann, bob = play(at_desk, room, "anné"), play(at_other_desk, room, "bob")
    expect(ann.page.locator("#meter-clock")).to_have_text("0:00")
    ann.click(3, 0)
    expect_points(bob.page, "11 squares", "3", ann="1", bob="0")
    bob.click(3, 1)
    expect_points(bob.page, "10 squares", "3", ann="1", bob="1")

    # All see the pause after a boom. Its end calls the player.
    bob.click(4, 0)
    expect(bob.page.locator("#pause")).to_be_visible()
    expect(bob.next).to_have_text(re.compile(r"^Boom! A short break: you go on in [1-5] s\.$"))
    expect(ann.page.locator("#players > li", has_text="bob").locator(".player-note")).to_have_text(re.compile("pauses"))
    for _ in range(2):  # set a flag, and remove it
        ann.click(2, 0, right=True)
    bob.sees(2, 0, "untouched, anné was here")
    late.page.goto(f"{room}?watch")
    expect(late.page.get_by_role("gridcell", name="column 3, row 1, untouched, anné was here")).to_be_attached()
    pages = (ann.page, bob.page, late.page)
    for page in pages:
        expect_points(page, "10 squares", "2", ann="1", bob="−9")
    leave(bob.page)
    bob.page.clock.fast_forward(10_000)
    expect(bob.page).to_have_title(re.compile("^● Your pause is over – "))
    expect(bob.page.locator("#pause")).to_be_hidden()
    ann.click(4, 2, right=True)
    for page in pages:
        expect_points(page, "10 squares", "1", ann="1", bob="−9")

    ann.click(0, 0)  # opens all squares with no bomb beside them, and their neighbours
    for page in pages:
        rows = page.locator("#ending[open] tbody > tr")
        expect(rows).to_have_text([re.compile(r"ann\D*121110$"), re.compile(r"bob\D*9101$")])
    expect(bob.page).to_have_title(re.compile("^● The game is over – "))
    for page in (ann.page, late.page):
        page.wait_for_function(SAYS_THE_CLOCK, timeout=EXPECT_MS)  # the recording starts earlier, with the room
        page.keyboard.press("Escape")
        expect_points(page, "0 squares", "1", ann="12", bob="−9")
    ann.sees(4, 1, "a bomb")
    ann.sees(4, 2, "a bomb, flagged by anné")
    ann.sees(3, 1, "dug, 2 bombs near, opened by bob")
    ann.sees(4, 0, "dug, 1 bomb near, opened by bob, a bomb went off here, bob was here")
    ann.sees(0, 0, "dug, no bombs near, opened by anné")


def test_a_winner_reads_of_the_victory_after_a_reload_when_the_other_player_has_left(visit: Visit) -> None:
    at_desk, at_other_desk = visit(), visit()
    room = at_desk.open("minesweeper", settings={"field": FIELD})
    ann, bob = play(at_desk, room, "ann"), play(at_other_desk, room, "bob")
    expect(ann.players).to_have_count(2)
    bob.page.close()
    expect(ann.players).to_have_count(1)
    for row in range(3):
        ann.click(3, row)
    ann.click(0, 0)
    title = ann.page.locator("#ending[open] h2")
    expect(title).to_have_text("You have won!")
    mine = ann.page.locator("#ending .my-record")
    expect(mine).to_contain_text("1 game, 1 won")
    ann.page.reload()
    expect(title).to_have_text("You have won!")
    expect(mine).to_contain_text("1 game, 1 won")  # a game counts once


def test_a_solvable_field_says_where_to_begin_to_a_player_with_a_friend_and_another_device(visit: Visit) -> None:
    ann, bob, phone = visit(), visit(), visit("phone")
    ann.to_lobby()
    choices = ann.unfold("minesweeper")
    choices.get_by_label("Beginner").check()
    choices.get_by_label("Solvable without guessing").check()
    ann.card("minesweeper").get_by_role("button", name="Options").click()
    ann.card("minesweeper").get_by_role("button", name="With friends").click()
    invitation = ann.page.get_by_role("dialog", name="Invite friends")
    bob.page.goto(invitation.get_by_label("Link to this game").input_value())
    bob.page.get_by_label("Your name", exact=True).fill("bob")
    bob.page.get_by_role("button", name="Play", exact=True).click()
    expect(bob.page.locator("#players")).to_contain_text(ann.name)
    expect(ann.page.locator("#players")).to_contain_text("bob")
    expect(invitation).to_be_hidden()  # another player is here

    start = ann.page.get_by_role("gridcell", name="column 5, row 5, untouched, start here")
    expect(ann.next).to_have_text("Begin at the marked square. No guessing needed.")
    start.focus()
    ann.page.keyboard.press("ArrowLeft")
    ann.page.keyboard.press("Enter")  # this digs nothing, and the page moves to the start square
    expect(start).to_be_focused()
    ann.page.keyboard.press("Enter")
    expect(ann.page.get_by_role("gridcell", name="column 5, row 5, dug, no bombs near")).to_be_focused()
    expect(ann.page.locator(".start-mark")).to_be_hidden()

    hand_over_and_take_back(bob, phone, "bob")
