"""A crossword in a room, in a real Chromium, served by a real `scramble serve`.

Testing strategy. The match itself has tests of its own; here is one with two players who come by name and link, a third
one for whom there is no place, and a spectator, to its end and into the next match: test_a_match_*.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.system.browser.crossword.puzzles import CATS
from tests.system.browser.rooms.visitor import Visit, Visitor

pytestmark = pytest.mark.browser


def say(visitor: Visitor, line: str) -> None:
    """Type a command."""
    command = visitor.page.locator("#command")
    command.fill(line)
    command.press("Enter")
    expect(command).to_have_value("")


def test_a_match_is_for_two_and_others_watch_it_to_its_end_and_into_the_next_one(visit: Visit) -> None:
    ann, bob, eve, fay = visit("phone"), visit(), visit("phone"), visit()
    ann.to_lobby()
    choices = ann.unfold("crossword")
    choices.get_by_text("My own puzzle").click()
    choices.get_by_role("textbox", name="My own puzzle").fill(CATS)
    choices.get_by_role("button", name="Start").click()
    state = "#app"
    expect(ann.page.locator(state)).to_have_attribute("data-state", "WAIT")
    link = ann.page.get_by_role("dialog", name="Invite friends").get_by_label("Link to this game").input_value()
    eve.page.goto(f"{link}?watch")
    expect(eve.page.locator(state)).to_have_attribute("data-state", "WAIT")
    for one, name in ((bob, "bob"), (fay, "fay")):
        one.page.goto(link)
        one.page.locator("#join-name").fill(name)
        one.page.locator("#join-go").click()
        expect(one.page.locator(state)).to_have_attribute("data-state", "PLAY")
    expect(ann.page.get_by_role("dialog", name="Invite friends")).to_be_hidden()
    expect(fay.page.locator("#log")).to_contain_text("two players already")
    for one in (eve, fay):
        expect(one.next).to_contain_text("watching")
        expect(one.page.get_by_role("button", name="Join")).to_be_hidden()
        expect(one.page.locator("#command")).to_be_hidden()

    say(bob, "TRY 3 car")
    for one in (ann, eve, fay):
        expect(one.page.locator('.clue[data-word="3"]')).to_contain_text("car")
    say(ann, "TRY 1 cat")
    say(ann, "TRY 2 mat")
    say(ann, "TRY 4 tax")
    for one in (ann, bob, eve, fay):
        expect(one.ending.locator("tbody > tr")).to_have_count(2)
    expect(fay.ending.locator('[data-player="bob"] > td').first).to_have_text("1")
    with eve.page.expect_download() as saved:
        eve.ending.get_by_role("link", name="Save the match as text").click()
    assert "  3. " in saved.value.path().read_text()
    before = ann.page.url
    bob.ending.get_by_role("button", name="Again").click()
    for one in (ann, bob, eve, fay):
        one.move_along(before)
        expect(one.ending).to_be_hidden()
        expect(one.page.locator(state)).to_have_attribute("data-state", "PLAY")
    assert ann.page.url == bob.page.url
    expect(fay.next).to_contain_text("watching")
