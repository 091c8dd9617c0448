"""Daily challenges in a real Chromium, served by a real `scramble serve`.

Testing strategy.

- a challenge from the lobby's first card to the end: the attempt goes on after a reload, invites nobody, and ends with
  a place and a text to share; then the lobby shows the result, and another attempt is impossible
- another browser: the best of today in words, without a link; it cannot play in the attempt of the first browser

tests/system/rooms/test_daily.py tests the rooms API, and tests/unit/client/daily.test.js the texts and the streak.
"""

from __future__ import annotations

import re
from typing import Final

import pytest
from playwright.sync_api import Locator, expect

from tests.system.browser.audit import audit
from tests.system.browser.rooms.visitor import Look, Visit, Visitor

pytestmark = pytest.mark.browser

PLAY: Final = """async (player) => {
    const places = new Map();
    const flip = async (place) => {
        const answer = await fetch(`${location.pathname}/flip/${player}/${place}`);
        return (await answer.text()).split("\\n");
    };
    const look = await (await fetch(`${location.pathname}/look/${player}`)).text();
    const [rows, columns] = look.split("\\n")[0].split("x").map(Number);
    for (let cell = 0; cell < rows * columns; cell += 1) {
        const place = `${Math.floor(cell / columns)},${cell % columns}`;
        const [, card] = /^(?:my|up) (.*)$/.exec((await flip(place))[1 + cell]) ?? [];
        if (card !== undefined) places.set(card, [...(places.get(card) ?? []), place]);
    }
    for (const pair of places.values()) if (pair.length === 2) for (const place of pair) await flip(place);
}"""
"""Turns over each card, then each known pair. Adjacent pairs are found, and leave the board, on the first way."""


def tile(visitor: Visitor, game: str = "memory") -> Locator:
    return visitor.page.locator(f'.daily-tile[data-game="{game}"]')


def finish(visitor: Visitor) -> None:
    """Play the attempt of this page to its end."""
    player = visitor.page.locator(".me .chip-name").first.inner_text()
    visitor.page.evaluate(PLAY, player)
    expect(visitor.page.locator("#ending")).to_be_visible()


@pytest.mark.parametrize("look", ["phone", "desk"])
def test_a_challenge_is_played_once_and_its_result_can_be_shared(visit: Visit, look: Look) -> None:
    ann = visit(look, alone=True)
    ann.to_lobby()
    expect(ann.page.locator(".lobby-main > :first-child")).to_have_attribute("id", "daily")
    audit(ann.page, "the daily challenges")
    tile(ann).get_by_role("button", name="Play").click()
    address = ann.arrive()
    expect(ann.page.locator(".bar-title")).to_contain_text("Daily challenge #")
    expect(ann.page.locator(".invite-open")).to_be_hidden()
    ann.to_lobby()
    tile(ann).get_by_role("link", name="Go on").click()
    assert ann.arrive() == address
    finish(ann)
    daily = ann.page.locator(".ending-daily")
    expect(daily).to_contain_text(re.compile(r"Daily challenge #\d+ · \d+\s?s · Place \d+ of \d+"))
    daily.get_by_role("button", name="Share the result").click()
    expect(daily.get_by_role("status")).to_have_text("The result is copied: paste it wherever you like.")
    audit(ann.page, "the daily challenges")
    ann.to_lobby()
    expect(tile(ann)).to_have_attribute("data-attempt", "ended")
    expect(tile(ann)).to_contain_text(re.compile(r"Place \d+ of \d+"))
    tile(ann).get_by_text("Table").click()
    expect(tile(ann).locator("[data-mine]")).to_be_visible()
    expect(tile(ann).get_by_role("button", name="Share")).to_be_visible()
    expect(tile(ann).get_by_role("button", name="Play")).to_have_count(0)
    audit(ann.page, "a played challenge with its table")


def test_another_browser_sees_the_best_of_today_and_cannot_play_in_the_attempt(visit: Visit) -> None:
    ann, bob = visit(alone=True), visit(alone=True)
    ann.to_lobby()
    tile(ann).get_by_role("button", name="Play").click()
    address = ann.arrive()
    bob.page.goto(address)
    bob.page.get_by_role("textbox", name="Your name").fill("bob")
    bob.page.locator("#join-go").click()
    expect(bob.page.locator("#join-error")).to_have_text("This is another player's daily challenge: you may watch it.")
    finish(ann)
    bob.to_lobby()
    expect(tile(bob)).to_contain_text("Best today:")
    expect(tile(bob).get_by_role("button", name="Play")).to_be_visible()
    expect(tile(bob).get_by_role("link")).to_have_count(0)
