"""The end of a game with a friend, and the opening of the next, in a real Chromium.

- the end of the first game: won and lost, with the headline of the game's kind; confetti for the winner only
- the offer of sounds, accepted
- the next game: 3, 2, 1 for both players, without input; none for a player who loads the page later
"""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.system.browser.audit import audit
from tests.system.browser.rooms.visitor import Visit, Visitor

pytestmark = pytest.mark.browser

BOARD: Final = "1x6\nA\nA\nB\nB\nC\nC\n"  # the cards of a pair lie side by side

# Notes the canvases of confetti and the digits of countdowns that the page shows.
FOLLOW: Final = """
globalThis.seen = { confetti: 0, digits: [], inert: [] };
addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
  if (document.querySelector(".confetti")) globalThis.seen.confetti = 1;
  const digit = document.querySelector(".countdown-digit")?.textContent;
  if (digit && globalThis.seen.digits.at(-1) !== digit) {
    globalThis.seen.digits.push(digit);
    globalThis.seen.inert.push(document.querySelector("main").inert);
  }
}).observe(document.body, { childList: true, subtree: true, characterData: true }));
"""


def take(visitor: Visitor, pair: int) -> None:
    """Turn over a pair of the board. The game is over when the last pair is up."""
    first, second = (0, 2 * pair), (0, 2 * pair + 1)
    visitor.flip(*first)
    expect(visitor.cell(*first)).to_have_attribute("data-held", "mine")
    visitor.cell(*second).click()
    expect(visitor.cell(*second)).to_have_attribute("data-is", "up")


def digits(page: Page) -> list[str]:
    expect(page.locator(".countdown")).to_have_count(0)
    return list(page.evaluate("seen.digits"))


def test_a_win_and_a_loss_differ_and_the_next_game_counts_down_for_both(visit: Visit) -> None:
    ann, bob = visit(), visit("phone")
    for one in (ann, bob):
        one.page.add_init_script(FOLLOW)
    address = ann.open(settings={"board": BOARD})
    ann.join(address, "ann")
    bob.join(address, "bob")
    take(bob, 0)
    take(ann, 1)
    take(ann, 2)
    for one, outcome in ((ann, "won"), (bob, "lost")):
        expect(one.ending).to_have_attribute("data-outcome", outcome)
        expect(one.ending.locator(".ending-headline")).to_have_text("By one pair!")
        expect(one.page.locator(".confetti")).to_have_count(0)
    assert [one.page.evaluate("seen.confetti") for one in (ann, bob)] == [1, 0]
    expect(ann.ending.get_by_role("row", name="ann").get_by_role("cell").first).to_have_text("2")

    # The switch in the bar follows.
    ann.ending.get_by_role("button", name="Sounds on").click()
    expect(ann.ending).to_contain_text("Sounds are on.")
    expect(ann.page.locator(".bar .sound-switch")).to_have_attribute("aria-pressed", "true")
    audit(bob.page, "a lost game, on a phone")

    ann.ending.get_by_role("button", name="Again").click()
    for one in (ann, bob):
        one.move_along(address)
        one.arrive()
    # A page that took long to load counts less, but in order, and to the same end.
    for one in (ann, bob):
        counted = digits(one.page)
        assert counted in (["3", "2", "1"], ["2", "1"], ["1"])
        assert all(one.page.evaluate("seen.inert"))
    bob.page.reload()
    bob.arrive()
    assert digits(bob.page) == []
