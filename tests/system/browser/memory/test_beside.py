"""The parts beside the board on Memory Scramble's page, in a real Chromium.

Testing strategy. The menu, a new game (in mid-game, too soon), replacing a card, switched-off actions, the link, the
rules, names, no requests to other sites: test_a_new_game_*, test_replacing_*, test_a_question_*,
test_what_is_switched_off_*, test_where_*, test_the_link_*, test_the_rules_*, test_a_long_card_*, test_the_page_asks_*.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.memory.player import Join, Player, somebody, take_all

pytestmark = pytest.mark.browser


def test_replacing_a_card_changes_every_one_of_it_for_everybody(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    bob.flip(0, 0)
    alice.change_game("Replace a card")
    dialog = alice.page.get_by_role("dialog", name="Replace a card")
    dialog.get_by_label("Old card").fill("A")
    dialog.get_by_label("New card").fill("two words")
    alice.page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("without spaces")
    dialog.get_by_label("New card").fill("🦄")
    alice.page.keyboard.press("Enter")
    alice.page.get_by_role("dialog", name="Replace it in mid-game?").get_by_role("button", name="Keep playing").click()
    bob.sees(0, 0, "A, face up, yours")
    alice.page.keyboard.press("Enter")
    alice.page.get_by_role("dialog", name="Replace it in mid-game?").get_by_role("button", name="Replace it").click()
    expect(alice.toast("Every A is now 🦄.")).to_be_visible()
    expect(bob.toast("alice replaced A by 🦄.")).to_be_visible()
    expect(alice.page.get_by_role("dialog")).to_have_count(0)
    bob.sees(0, 0, "🦄, face up, yours")
    bob.flip(0, 2)
    expect(bob.next).to_contain_text("A pair of 🦄!")


def test_a_question_asked_again_before_the_next_frame_is_answered_by_its_own_buttons(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    bob.flip(0, 0)
    alice.page.evaluate(
        """async () => {
            const [form, sure] = [document.querySelector("#replace form"), document.querySelector("#sure")];
            document.querySelector("#replace-open").click();
            form.querySelector("[name=old]").value = "A";
            form.querySelector("[name=new]").value = "Z";
            form.requestSubmit();
            sure.querySelector(".cancel").click();
            await null; // no frame is drawn between two answers
            form.requestSubmit();
            await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
            sure.querySelector(".go").click();
        }"""
    )
    expect(bob.toast("alice replaced A by Z.")).to_be_visible()
    bob.sees(0, 0, "Z, face up, yours")


def test_a_long_card_beside_a_name_leaves_the_name_its_room(join: Join, serve: Serve, tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("1x2\nDonaudampfschiff\nDonaudampfschiff\n")
    alice = join("alice", serve("memory", "--port", "0", str(board)).url)
    alice.flip(0, 0)
    row = alice.page.locator('#players > [data-player="alice"]')
    expect(row.locator(".player-note")).to_have_text("Donaudampfschiff")
    assert row.locator(".chip-name").evaluate("name => name.scrollWidth <= name.clientWidth")


def test_a_new_game_is_behind_a_menu_asks_once_in_mid_game_and_everybody_is_told_who_began_it(
    join: Join, url: str
) -> None:
    alice, bob = join("alice"), join("bob")
    new_game = alice.page.get_by_role("button", name="New game")
    expect(new_game).to_be_hidden()
    summary = alice.page.locator("#menu > summary")
    summary.focus()
    alice.page.keyboard.press("Enter")
    expect(new_game).to_be_visible()
    alice.page.keyboard.press("Escape")
    expect(new_game).to_be_hidden()
    expect(summary).to_be_focused()
    alice.change_game("New game")  # before the first move there is no question
    expect(alice.toast("You began a new game: the cards are shuffled.")).to_be_visible()
    expect(bob.toast("alice began a new game: the cards are shuffled.")).to_be_visible()
    alice.flip(0, 0)
    bob.change_game("New game")
    question = bob.page.get_by_role("dialog", name="Start over?")
    bob.page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    expect(alice.page.locator("[data-held=mine]")).to_have_count(1)
    bob.change_game("New game")
    question.get_by_role("button", name="New game").click()
    expect(alice.toast("bob began a new game")).to_be_visible()
    expect(alice.page.locator("#log")).to_contain_text("bob began a new game")
    expect(alice.page.locator("[data-held=mine]")).to_have_count(0)


def test_a_new_game_too_soon_is_refused_in_words(join: Join, serve: Serve, board: Path) -> None:
    alice = join("alice", serve("memory", "--port", "0", "--new-every", "3600", str(board)).url)
    alice.change_game("New game")
    expect(alice.toast("The next new game is possible in")).to_be_visible()


def test_the_link_to_share_is_copied(join: Join, any_url: str) -> None:
    alice = join(somebody(), any_url)
    alice.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    alice.page.get_by_role("button", name="Copy").click()
    expect(alice.toast("Link copied")).to_be_visible()
    assert alice.page.evaluate("navigator.clipboard.readText()") == any_url


@pytest.mark.parametrize(
    ("options", "words", "gone"),
    [
        (["--no-new"], "New games are switched off on this server.", ["New game"]),
        (["--no-replace"], "Replacing cards is switched off on this server.", ["Replace a card"]),
        (
            ["--no-new", "--no-replace"],
            "Replacing cards and new games are switched off on this server.",
            ["New game", "Replace a card"],
        ),
    ],
)
def test_what_is_switched_off_has_no_button_and_the_page_says_why(
    join: Join, serve: Serve, board: Path, options: list[str], words: str, gone: list[str]
) -> None:
    alice = join("alice", serve("memory", "--port", "0", *options, str(board)).url)
    expect(alice.page.locator("#switched-off")).to_have_text(words)
    menu = alice.page.get_by_text("Change the game")
    expect(menu).to_be_visible(visible=len(gone) < 2)
    if len(gone) < 2:
        menu.click()
    for name in ("New game", "Replace a card"):
        expect(alice.page.get_by_role("button", name=name)).to_be_visible(visible=name not in gone)
    take_all(alice)
    alice.page.get_by_role("button", name="Take it").click()
    dialog = alice.page.get_by_role("dialog")
    expect(dialog).to_contain_text("All found!")
    expect(dialog.get_by_role("button", name="New game")).to_be_visible(visible="New game" not in gone)
    dialog.get_by_role("button", name="Look at the board").click()
    expect(alice.page.locator("#next-action")).to_be_visible(visible="New game" not in gone)


def test_where_everything_may_be_done_the_page_says_nothing_of_switches(join: Join, any_url: str) -> None:
    alice = join(somebody(), any_url)
    expect(alice.page.locator("#switched-off")).to_be_hidden()


def test_the_rules_fold_away_and_stay_folded(join: Join, any_url: str) -> None:
    page = join(somebody(), any_url).page
    expect(page.locator("#rules li")).to_have_count(4)
    page.get_by_text("How to play").click()
    expect(page.locator("#rules li").first).to_be_hidden()
    page.reload()
    expect(page.locator("#rules li").first).to_be_hidden()


def test_the_page_asks_nobody_but_its_server_and_nothing_goes_wrong(new_context: NewContext, url: str) -> None:
    context = new_context()
    page = context.new_page()
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    alice = Player(page, url, "alice")
    take_all(alice)
    page.get_by_role("button", name="Take it").click()
    expect(page.get_by_role("dialog")).to_contain_text("All found!")
    assert [address for address in asked if not address.startswith(url)] == []
    assert wrong == []
