"""The parts beside the board on Memory Scramble's page, in a real Chromium.

Testing strategy.

- changes to the game for all players: the menu by the keyboard, the questions in mid-game, a replaced card, a new game,
  the messages to both players: test_cards_are_replaced_*
- one player: new games too soon, replacing switched off, a long card beside a name, the link, the rules, the end:
  test_one_player_*
- new games switched off: test_connection.py; both switched off: test_crowd.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.system.browser.conftest import Serve
from tests.system.browser.memory.player import Join

pytestmark = pytest.mark.browser

REPLACE_TWICE: Final = """async () => {
    const [form, sure] = [document.querySelector("#replace form"), document.querySelector("#sure")];
    document.querySelector("#replace-open").click();
    form.querySelector("[name=old]").value = "🦄";
    form.querySelector("[name=new]").value = "Z";
    form.requestSubmit();
    sure.querySelector(".cancel").click();
    await null; // no frame is drawn between two answers
    form.requestSubmit();
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
    sure.querySelector(".go").click();
}"""


def test_cards_are_replaced_and_games_begun_after_a_question_in_mid_game_and_all_players_read_the_name(
    join: Join,
) -> None:
    alice, bob = join("alice"), join("bob")
    expect(alice.page.locator("#switched-off")).to_be_hidden()
    bob.flip(0, 0)
    new_game, summary = alice.page.get_by_role("button", name="New game"), alice.page.locator("#menu > summary")
    summary.focus()
    alice.page.keyboard.press("Enter")
    expect(new_game).to_be_visible()
    alice.page.keyboard.press("Escape")
    expect(new_game).to_be_hidden()
    expect(summary).to_be_focused()

    alice.change_game("Replace a card")
    dialog = alice.page.get_by_role("dialog", name="Replace a card")
    dialog.get_by_label("Old card").fill("A")
    dialog.get_by_label("New card").fill("two words")
    alice.page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("without spaces")
    dialog.get_by_label("New card").fill("🦄")
    alice.page.keyboard.press("Enter")
    question = alice.page.get_by_role("dialog", name="Replace it in mid-game?")
    question.get_by_role("button", name="Keep playing").click()
    bob.sees(0, 0, "A, face up, yours")
    alice.page.keyboard.press("Enter")
    question.get_by_role("button", name="Replace it").click()
    expect(alice.toast("Every A is now 🦄.")).to_be_visible()
    expect(bob.toast("alice replaced A by 🦄.")).to_be_visible()
    expect(alice.dialog).to_have_count(0)
    bob.sees(0, 0, "🦄, face up, yours")
    alice.page.evaluate(REPLACE_TWICE)  # each question is answered by its own buttons
    expect(bob.toast("alice replaced 🦄 by Z.")).to_be_visible()
    bob.sees(0, 0, "Z, face up, yours")
    bob.flip(0, 2)
    expect(bob.next).to_contain_text("A pair of Z!")

    bob.change_game("New game")
    question = bob.page.get_by_role("dialog", name="Start over?")
    bob.page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    expect(alice.page.locator("[data-held=other]")).to_have_count(2)
    bob.change_game("New game")
    question.get_by_role("button", name="New game").click()
    expect(alice.toast("bob began a new game: the cards are shuffled.")).to_be_visible()
    expect(alice.page.locator("#log")).to_contain_text("bob began a new game")
    expect(alice.page.locator("[data-is=down]")).to_have_count(6)
    alice.change_game("New game")  # before the first move there is no question
    expect(alice.toast("You began a new game: the cards are shuffled.")).to_be_visible()
    expect(bob.toast("alice began a new game: the cards are shuffled.")).to_be_visible()


def test_one_player_is_refused_changes_in_words_and_has_room_for_a_name_the_link_the_rules_and_the_end(
    join: Join, serve: Serve, board: Path
) -> None:
    board.write_text("1x2\nDonaudampfschiff\nDonaudampfschiff\n")
    url = serve("memory", "--port", "0", "--no-replace", "--new-every", "3600", str(board)).url
    alice = join("alice", url)
    page = alice.page
    expect(page.locator("#switched-off")).to_have_text("Replacing cards is switched off on this server.")
    alice.change_game("New game")
    expect(alice.toast("The next new game is possible in")).to_be_visible()
    page.get_by_text("Change the game").click()
    expect(page.get_by_role("button", name="New game")).to_be_visible()
    expect(page.get_by_role("button", name="Replace a card")).to_be_hidden()

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    expect(alice.toast("Link copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == url

    expect(page.locator("#rules li")).to_have_count(4)
    page.get_by_text("How to play").click()
    expect(page.locator("#rules li").first).to_be_hidden()
    page.reload()
    expect(page.locator("#players")).to_contain_text("alice")
    expect(page.locator("#rules li").first).to_be_hidden()

    alice.flip(0, 0)
    row = alice.row("alice")
    expect(row.locator(".player-note")).to_have_text("Donaudampfschiff")
    assert row.locator(".chip-name").evaluate("name => name.scrollWidth <= name.clientWidth")
    alice.flip(0, 1)
    page.get_by_role("button", name="Take it").click()
    expect(alice.dialog).to_contain_text("You took the only pair.")
    expect(alice.dialog.get_by_role("button", name="New game")).to_be_visible()
    alice.dialog.get_by_role("button", name="Look at the board").click()
    expect(page.locator("#next-action")).to_have_text("New game")
