"""What stands beside the board on Memory Scramble's page, in a real Chromium.

Testing strategy. Replacing a card, the link, the rules, nothing from elsewhere: test_replacing_*, test_the_link_*,
test_the_rules_*, test_the_page_asks_*.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

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
