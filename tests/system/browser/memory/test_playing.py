"""Memory Scramble played on its page by two players, in a real Chromium, served by a real `scramble memory`.

Testing strategy. Unit tests cover the rules, the frames, the model of the page and its sentences (tests/unit/client).
Two journeys cover the actions and the view of both players.

- a double click, a wait, its end by Escape, by the card, by the button, by the card's player; a player who leaves with
  a card and comes back; two different cards: test_two_tabs_*
- failures, in toasts and in the log; pairs; one card of the last pair in each hand, a pair in one hand; the end; a new
  game; the requests of a page, to its own server only, and no errors: test_a_game_*
- names: test_joining.py; the connection: test_connection.py; the parts beside the board: test_beside.py; keyboard,
  touch and sizes: test_looks.py
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.memory.player import Join, Player

pytestmark = pytest.mark.browser


def test_two_tabs_wait_for_a_card_call_it_off_and_go_on_when_its_player_has_left_and_come_back(
    join: Join, serve: Serve, board: Path
) -> None:
    url = serve("memory", "--port", "0", "--release-idle", "900", str(board)).url
    alice, bob = join("alice", url), join("bob", url)
    alice.cell(0, 0).dblclick()  # this turns the card over once
    alice.sees(0, 0, "A, face up, yours")
    expect(alice.next).to_have_text("You hold A. Now find its twin.")
    bob.sees(0, 0, "A, face up, held by alice")
    expect(bob.page.locator("[aria-live=polite]")).to_contain_text("alice turned up A at row 1, column 1.")

    for how in ("Escape", "the card", "the button"):
        bob.flip(0, 0)
        expect(bob.next).to_have_text("Waiting for alice to let go of A.")
        expect(bob.cell(0, 0).locator(".wait-words [data-text=alice]")).to_be_visible()
        alice.sees(0, 0, "A, face up, yours, bob waiting")
        if how == "Escape":
            bob.page.keyboard.press("Escape")
        elif how == "the card":
            bob.cell(0, 0).click()
        else:
            bob.page.get_by_role("button", name="Stop waiting").click()
        expect(bob.toast("You no longer wait for that card")).to_be_visible()
        expect(bob.next).to_have_text("Turn over a card.")
        alice.sees(0, 0, "A, face up, yours")

    bob.flip(0, 0)
    expect(bob.row("alice")).not_to_have_attribute("data-away", "")
    alice.page.goto("about:blank")
    expect(bob.row("alice")).to_have_attribute("data-away", "")
    expect(bob.next).to_have_text(
        re.compile(r"^alice has left: in (9\d\d|8\d\d) seconds A comes free\. You wait for it\.$")
    )
    bob.sees(0, 0, "A, face up, held by alice, who has left, you wait for it")
    expect(bob.row("alice").locator(".player-note")).to_have_text(re.compile(r"^free in \d+ s: A$"))
    alice.page.goto(url)
    expect(bob.row("alice")).not_to_have_attribute("data-away", "")
    expect(bob.next).to_have_text("Waiting for alice to let go of A.")
    bob.sees(0, 0, "A, face up, held by alice, you wait for it")

    alice.flip(0, 1)
    expect(alice.next).to_contain_text("Not alike")
    bob.sees(0, 0, "A, face up, yours")
    expect(bob.toast("is yours")).to_be_visible()
    bob.sees(0, 1, "B, face up, free")
    alice.flip(1, 0)
    bob.sees(0, 1, "face down")
    bob.sees(0, 0, "A, face up, yours")


def test_a_game_with_failed_flips_the_last_pair_in_two_hands_the_end_and_a_new_game(
    join: Join, new_context: NewContext, url: str
) -> None:
    page = new_context().new_page()
    asked, wrong = requests_and_problems(page)
    alice, bob = join("alice"), Player(page, url, "bob")
    alice.flip(0, 0)
    alice.flip(0, 0)
    expect(alice.toast("It is your first card itself")).to_be_visible()
    expect(alice.next).to_have_text("Your first card is free again. Go on with another card.")
    alice.flip(0, 0)
    bob.flip(0, 0)
    alice.flip(0, 2)
    expect(alice.next).to_contain_text("A pair of A!")
    alice.flip(0, 1)  # this takes the pair of A
    for player, taker in ((alice, "you"), (bob, "alice")):
        player.sees(0, 0, f"empty, taken by {taker}")
        player.sees(0, 2, f"empty, taken by {taker}")
        expect(player.score("alice")).to_have_text("1")

    expect(bob.toast("The card was removed while you were waiting")).to_be_visible()
    expect(bob.next).to_have_text("Turn over a card.")
    bob.flip(0, 0)
    expect(bob.toast("There is no card there.")).to_be_visible()
    bob.flip(1, 0)
    bob.flip(0, 0)
    given_up = bob.toast("you give up your first card")
    expect(given_up).to_be_visible()
    expect(bob.page.locator("#toasts")).not_to_contain_text("rule")
    given_up.get_by_role("button", name="Dismiss").click()
    expect(given_up).to_have_count(0)
    bob.page.get_by_text("What happened").click()
    expect(bob.page.locator("#log")).to_contain_text("rule 2-A")
    expect(bob.page.locator("#log")).to_contain_text("rule 1-A")

    alice.flip(1, 1)
    alice.flip(1, 0)  # this takes the pair of B, and holds one C
    bob.flip(1, 2)
    expect(alice.next).to_have_text("bob holds the other C: one of you must let go.")
    expect(bob.next).to_have_text("alice holds the other C: one of you must let go.")
    bob.page.get_by_role("button", name="Let go").click()
    expect(bob.next).to_have_text("Your C is free again: alice can take both now.")
    expect(alice.next).to_have_text("You hold C, and its twin lies open. Take it!")
    alice.flip(1, 2)
    expect(bob.next).to_have_text("Nothing left to find: alice holds the last pair.")
    bob.page.locator("#next").get_by_role("button", name="New game").click()
    bob.dialog.get_by_role("button", name="Keep playing").click()
    bob.sees(1, 2, "C, face up, held by alice")

    alice.page.get_by_role("button", name="Take it").click()
    expect(alice.dialog).to_contain_text("You win!")
    expect(bob.dialog).to_contain_text("alice took 3 pairs")
    expect(alice.toast("There is no card there.")).to_have_count(0)  # taking the last pair is no failure
    bob.dialog.get_by_role("button", name="New game").click()
    for player in (alice, bob):
        expect(player.dialog).to_have_count(0)
        expect(player.page.locator("[data-is=down]")).to_have_count(6)
        expect(player.toast("began a new game")).to_be_visible()
        expect(player.page.locator("#pairs")).to_have_text("3 pairs left of 3")
    page.wait_for_load_state("networkidle")  # a request without an end would block the other tabs of the browser
    assert [address for address in asked if not address.startswith(url)] == []
    assert wrong == []


def requests_and_problems(page: Page) -> tuple[list[str], list[str]]:
    """The addresses of all requests of a page, and its messages on the console and script errors, from now on."""
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    return asked, wrong
