"""The opening and the ending of games in rooms, in a real Chromium.

Testing strategy.

- outcomes: won, lost, draw, solo, watched; each on its own page, with its headline: test_each_outcome_*
- motion: confetti for a winner, not for a loser, none under reduced motion; the points end at their values
- sounds: offered once, accepted; the switch in the bar: test_sounds_*
- the next game: two people count down together, and the board takes no input meanwhile; one person does not
  count: test_the_next_game_*

tests/unit/client/headline.test.js tests the choice of the headline.
"""

from __future__ import annotations

import json
import re
from email.utils import formatdate
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.system.browser.audit import audit
from tests.system.browser.rooms.visitor import Visit, Visitor

pytestmark = pytest.mark.browser

BOARD: Final = "2x4\nA\nA\nB\nB\nC\nC\nD\nD\n"
PAIRS: Final = (("0,0", "0,1"), ("0,2", "0,3"), ("1,0", "1,1"), ("1,2", "1,3"))
FLIP: Final = """async ([player, places]) => {
    for (const place of places) await fetch(`${location.pathname}/flip/${player}/${place}`);
}"""
NOTE: Final = """
    window.sawConfetti = false;
    window.digits = [];
    new MutationObserver(() => {
        window.sawConfetti ||= document.querySelector(".confetti") !== null;
        const digit = document.querySelector(".countdown-digit")?.textContent ?? "";
        if (digit !== "" && digit !== window.digits.at(-1)) window.digits.push(digit);
        window.wasInert ||= document.querySelector("main")?.inert ?? false;
    }).observe(document, { attributes: true, childList: true, subtree: true });
    const get = Headers.prototype.get;
    Headers.prototype.get = function (name) { return name === "Date" ? %s : get.call(this, name); };
"""
"""Notes confetti, the digits of a countdown, and whether the board took no input.

The time of the server seems to stand still, because a slow machine may need longer than the countdown to load a page.
"""


def enter(visitor: Visitor, address: str, name: str) -> None:
    """Join a game, with this name. In a second game the browser knows the name."""
    visitor.page.add_init_script(NOTE % json.dumps(formatdate(usegmt=True)))
    visitor.page.goto(address)
    field = visitor.page.get_by_role("textbox", name="Your name")
    expect(field.or_(visitor.page.locator(".chip-you").first)).to_be_visible()
    if field.is_visible():
        field.fill(name)
        visitor.page.locator("#join-go").click()
    visitor.arrive()


def take(visitor: Visitor, name: str, *pairs: tuple[str, str]) -> None:
    """Turn over these pairs as the player of this page."""
    visitor.page.evaluate(FLIP, [name, [place for pair in pairs for place in pair]])


def expect_outcome(visitor: Visitor, outcome: str, headline: str) -> None:
    ending = visitor.page.locator("#ending")
    expect(ending).to_be_visible()
    expect(ending).to_have_attribute("data-outcome", outcome)
    expect(ending.locator(".ending-headline")).to_have_text(headline)
    expect(visitor.page.locator(".confetti")).to_have_count(0)


def saw_confetti(visitor: Visitor) -> bool:
    return bool(visitor.page.evaluate("window.sawConfetti"))


def test_each_outcome_has_its_own_look_and_headline(visit: Visit) -> None:
    ann, bob, eve = visit(alone=True), visit(alone=True), visit(alone=True)
    bob.page.emulate_media(reduced_motion="reduce")
    address = ann.open(settings={"board": BOARD})
    enter(ann, address, "ann")
    enter(bob, address, "bob")
    eve.page.goto(f"{address}?watch")
    eve.arrive()
    take(ann, "ann", *PAIRS[:3])
    take(bob, "bob", PAIRS[3])
    expect_outcome(ann, "won", "Far ahead: by 2!")
    expect(ann.page.locator('tr[data-player="ann"] > td').first).to_have_text("3")
    assert saw_confetti(ann)
    expect_outcome(bob, "lost", "")
    expect(bob.page.locator('tr[data-player="ann"] > td').first).to_have_text("3")
    assert not saw_confetti(bob)
    expect_outcome(eve, "watched", "Far ahead: by 2!")
    audit(ann.page, "a game that was won")


def test_a_draw_and_a_game_alone_look_different(visit: Visit) -> None:
    ann, bob = visit(alone=True), visit(alone=True)
    address = ann.open(settings={"board": BOARD})
    enter(ann, address, "ann")
    enter(bob, address, "bob")
    take(ann, "ann", *PAIRS[:2])
    take(bob, "bob", *PAIRS[2:])
    expect_outcome(bob, "draw", "")
    assert not saw_confetti(bob)
    enter(bob, bob.open(settings={"board": BOARD}), "bob")
    take(bob, "bob", *PAIRS)
    expect_outcome(bob, "solo", "4 in a row!")
    assert saw_confetti(bob)


def test_under_reduced_motion_a_winner_gets_no_confetti(visit: Visit) -> None:
    ann = visit(alone=True)
    ann.page.emulate_media(reduced_motion="reduce")
    enter(ann, ann.open(settings={"board": BOARD}), "ann")
    take(ann, "ann", *PAIRS)
    expect_outcome(ann, "solo", "4 in a row!")
    assert not saw_confetti(ann)


def test_sounds_are_offered_once_and_the_switch_is_in_the_bar(visit: Visit) -> None:
    ann = visit("phone", alone=True)
    for is_first in (True, False):
        enter(ann, ann.open(settings={"board": BOARD}), "ann")
        switch = ann.page.locator(".bar").get_by_role("button", name="Sounds")
        expect(switch).to_have_attribute("aria-pressed", str(not is_first).lower())
        take(ann, "ann", *PAIRS)
        expect(ann.page.locator("#ending")).to_be_visible()
        offer = ann.page.locator(".sound-offer")
        expect(offer).to_have_count(int(is_first))
        if is_first:
            offer.get_by_role("button", name="Sounds on").click()
            expect(offer).to_have_text("Sounds are on.")
            expect(switch).to_have_attribute("aria-pressed", "true")
    ann.page.get_by_role("button", name="Look at the board").click()
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")


def test_the_next_game_of_two_people_begins_after_a_countdown(visit: Visit) -> None:
    ann, bob = visit(alone=True), visit(alone=True)
    address = ann.open(settings={"board": BOARD})
    enter(ann, address, "ann")
    enter(bob, address, "bob")
    take(bob, "bob", PAIRS[0])
    take(ann, "ann", *PAIRS[1:])
    ann.page.get_by_role("button", name="Again").click()
    for visitor in (ann, bob):
        visitor.move_along(address)
        visitor.page.wait_for_function(
            "() => window.digits.at(-1) === '1' && document.querySelector('.countdown') === null"
        )
        assert visitor.page.evaluate("window.digits") == ["3", "2", "1"]
        assert visitor.page.evaluate("window.wasInert && !document.querySelector('main').inert")
    ann.cell(0, 0).click()
    expect(ann.cell(0, 0)).to_contain_text(re.compile("[ABCD]"))


def test_the_next_game_of_one_person_begins_at_once(visit: Visit) -> None:
    ann = visit(alone=True)
    enter(ann, ann.open(settings={"board": BOARD}), "ann")
    address = ann.page.url
    take(ann, "ann", *PAIRS)
    ann.page.get_by_role("button", name="Again").click()
    ann.move_along(address)
    ann.arrive()
    ann.cell(0, 0).click()
    expect(ann.cell(0, 0)).to_contain_text(re.compile("[ABCD]"))
    assert ann.page.evaluate("window.digits") == []
