"""What stands beside the board on Memory Scramble's page, in a real Chromium.

Testing strategy. Replacing a card, what is switched off, the link, the rules, nothing from elsewhere: test_replacing_*,
test_what_is_switched_off_*, test_where_*, test_the_link_*, test_the_rules_*, test_the_page_asks_*.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.conftest import Serve
from tests.browser.memory.player import Join, Player, take_all

pytestmark = pytest.mark.browser


def test_replacing_a_card_changes_every_one_of_it_for_everybody(join: Join) -> None:
    alice, bob = join("alice"), join("bob")
    bob.flip(0, 0)
    alice.page.get_by_role("button", name="Replace a card").click()
    dialog = alice.page.get_by_role("dialog")
    dialog.get_by_label("Old card").fill("A")
    dialog.get_by_label("New card").fill("two words")
    alice.page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("without spaces")
    dialog.get_by_label("New card").fill("🦄")
    alice.page.keyboard.press("Enter")
    expect(alice.toast("Every A is now 🦄.")).to_be_visible()
    bob.sees(0, 0, "🦄, face up, yours")
    bob.flip(0, 2)
    expect(bob.next).to_contain_text("A pair of 🦄!")


def test_the_link_to_share_is_copied(join: Join, any_url: str) -> None:
    alice = join("alice", any_url)
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
    for name in ("New game", "Replace a card"):
        assert alice.page.get_by_role("button", name=name).is_visible() is (name not in gone)
    take_all(alice)
    alice.page.get_by_role("button", name="Take it").click()
    dialog = alice.page.get_by_role("dialog")
    expect(dialog).to_contain_text("All found!")
    assert dialog.get_by_role("button", name="New game").is_visible() is ("New game" not in gone)
    dialog.get_by_role("button", name="Look at the board").click()
    assert alice.page.locator("#next-action").is_visible() is ("New game" not in gone)


def test_where_everything_may_be_done_the_page_says_nothing_of_switches(join: Join, any_url: str) -> None:
    alice = join("alice", any_url)
    expect(alice.page.locator("#switched-off")).to_be_hidden()


def test_the_rules_fold_away_and_stay_folded(join: Join, any_url: str) -> None:
    page = join("alice", any_url).page
    expect(page.locator("#rules li")).to_have_count(4)
    page.get_by_text("How to play").click()
    expect(page.locator("#rules li").first).to_be_hidden()
    page.reload()
    expect(page.locator("#rules li").first).to_be_hidden()


def test_the_page_asks_nobody_but_its_server_and_nothing_goes_wrong(
    browser: Browser, contexts: list[BrowserContext], url: str
) -> None:
    contexts.append(browser.new_context())
    page = contexts[0].new_page()
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
