"""A crossword in a room, in a real Chromium, served by a real `scramble serve`.

Testing strategy. Other tests cover the match itself.

- a match for two, on a phone by touch alone and with a text box; Escape closes the invitation and nothing else; a third
  visitor has no place, and watches to the end and into the next match, with another puzzle; there, a seat goes to
  another device, and comes back: test_a_match_*
- a match of one player on a phone, with a mistake and a spectator; a message covers no part that the player needs, and
  an audit checks the states: test_alone_*
"""

from __future__ import annotations

import re
from typing import Final

import pytest
from playwright.sync_api import Locator, ViewportSize, expect

from tests.system.browser.audit import audit
from tests.system.browser.crossword.player import say
from tests.system.browser.crossword.puzzles import CATS
from tests.system.browser.rooms.visitor import Visit, Visitor, hand_over_and_take_back

pytestmark = pytest.mark.browser

PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
PHONE_ON_ITS_SIDE: Final[ViewportSize] = {"width": 844, "height": 390}
LOW_PHONE: Final[ViewportSize] = {"width": 390, "height": 664}  # a browser's bars need the rest
ANSWERS: Final = {1: "cat", 2: "mat", 3: "car", 4: "tax"}  # of CATS

SWIPE: Final = """(part, by) => {
    const { left, top, width, height } = part.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const at = (clientX) => [new Touch({ identifier: 1, target: part, clientX, clientY: y })];
    const touch = (type, lists) => part.dispatchEvent(new TouchEvent(type, { bubbles: true, ...lists }));
    touch("touchstart", { touches: at(x), changedTouches: at(x) });
    touch("touchend", { touches: [], changedTouches: at(x + by) });
}"""


def enter(visitor: Visitor, address: str, name: str, state: str) -> None:
    """Join a room under a name, and wait for a state."""
    visitor.page.goto(address)
    visitor.page.locator("#join-name").fill(name)
    visitor.page.locator("#join-go").click()
    expect_state(visitor, state)


def expect_state(visitor: Visitor, state: str) -> None:
    expect(visitor.page.locator("#app")).to_have_attribute("data-state", state)


def tap_keys(visitor: Visitor, *keys: str) -> None:
    for key in keys:
        visitor.page.locator(f'.key[data-key="{key}"]').tap()


def press(visitor: Visitor, word: int, answer: str = "") -> None:
    """Choose a word by its clue, and enter its answer, or another one, with the keys on the page."""
    visitor.page.locator(f'.clue[data-word="{word}"]').tap()
    tap_keys(visitor, *(answer or ANSWERS[word]))
    visitor.page.get_by_role("button", name="Try").tap()


def box(locator: Locator) -> tuple[float, float, float, float]:
    """The left, top, right and bottom edges."""
    found = locator.bounding_box()
    assert found is not None
    return found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"]


def is_apart(one: Locator, other: Locator) -> bool:
    """True if the two boxes do not overlap."""
    left, top, right, bottom = box(one)
    other_left, other_top, other_right, other_bottom = box(other)
    return right <= other_left or other_right <= left or bottom <= other_top or other_bottom <= top


def expect_touch_controls(visitor: Visitor) -> None:
    """Check that the whole board is visible, and that swipes over the clue choose words."""
    page, clue = visitor.page, visitor.page.locator("#cluebar")
    for square in (page.get_by_role("gridcell").first, page.get_by_role("gridcell").last):
        expect(square).to_be_in_viewport(ratio=1)
    assert box(clue)[3] <= box(page.locator("#keys"))[1] + 1  # directly above the keys
    expect(page.locator("#command")).to_be_hidden()
    name = page.locator("#clue-name")
    expect(name).to_contain_text("2 across")
    for by, place in ((-120, "3 across"), (120, "2 across"), (120, "1 down"), (-20, "1 down")):
        clue.evaluate(SWIPE, by)
        expect(name).to_contain_text(place)
    page.get_by_role("button", name="Next word").tap()
    expect(name).to_contain_text("2 across")  # the first word again


def test_a_match_is_for_two_and_a_third_visitor_watches_it_to_its_end_and_into_the_next_one(visit: Visit) -> None:
    ann, bob, fay, phone = visit("phone"), visit(), visit(), visit("phone")
    address = ann.open("crossword", settings={"source": CATS})
    enter(ann, address, "ann", "WAIT")

    # Escape closes the invitation, and its player stays in the match. A friend's arrival closes it, too.
    invitation = ann.page.get_by_role("dialog", name="Invite friends")
    ann.page.get_by_role("button", name="Invite friends").first.click()
    expect(invitation.get_by_label("Link to this game")).to_have_value(address)
    for _ in range(2):
        ann.page.keyboard.press("Escape")
        expect(invitation).to_be_hidden()
    enter(bob, address, "bob", "PLAY")
    expect_state(ann, "PLAY")
    expect(ann.log).not_to_contain_text("may not have been carried out")
    enter(fay, address, "fay", "PLAY")
    expect(fay.log).to_contain_text("players already")
    expect(fay.next).to_contain_text("watching")
    expect(fay.page.get_by_role("button", name="Join")).to_be_hidden()
    expect(fay.page.locator("#command")).to_be_hidden()

    expect_touch_controls(ann)
    say(bob.page, "TRY 3 car")
    expect(bob.page.locator("#command")).to_have_value("")
    for one in (ann, fay):
        expect(one.page.locator('.clue[data-word="3"]')).to_contain_text("car")
    for word in (1, 2, 4):
        press(ann, word)
    for one in (ann, bob, fay):
        expect(one.ending.locator("tbody > tr")).to_have_count(2)
    expect(fay.ending.locator('[data-player="bob"] > td').first).to_have_text("1")
    expect(fay.ending.locator(".ending-note")).to_have_text("The puzzle is complete. 3 to 1 for ann.")
    with fay.page.expect_download() as saved:
        fay.ending.get_by_role("link", name="Save the match as text").click()
    assert "  3. " in saved.value.path().read_text()

    squares = ann.page.get_by_role("gridcell").count()
    bob.ending.get_by_role("button", name="Again").click()
    for one in (ann, bob, fay):
        one.move_along(address)
        expect(one.ending).to_be_hidden()
        expect_state(one, "PLAY")
    assert ann.page.url == bob.page.url
    expect(ann.page.get_by_role("gridcell")).not_to_have_count(squares)  # another puzzle
    expect(fay.next).to_contain_text("watching")

    hand_over_and_take_back(bob, phone, "bob")


def test_alone_the_clock_runs_a_mistake_counts_and_the_end_shows_the_solution(visit: Visit) -> None:
    ann, eve = visit("phone"), visit()
    address = ann.open("crossword", settings={"source": CATS, "alone": True})
    enter(ann, address, "ann", "PLAY")
    page = ann.page
    expect(page.locator("#duel .side-time")).to_have_text(re.compile("^0:(0[1-9]|[1-5])"))
    press(ann, 1, "cot")
    toast = page.locator(".toast", has_text="That is not 1 down")
    expect(toast).to_be_visible()
    toast.get_by_role("button").focus()  # a focused message stays
    parts = {part: page.locator(part) for part in ("#cluebar", "#duel", "#frame", "#keys")}
    assert box(parts["#frame"])[3] <= box(toast)[1]  # between the board and the clue, near the player's eyes
    assert box(toast)[3] <= box(parts["#cluebar"])[1]
    assert box(parts["#keys"])[3] == PHONE["height"]
    page.evaluate("scrollTo(0, 300)")
    expect(page.locator("#app")).to_have_attribute("data-scrolled", "")
    assert box(toast)[3] <= box(page.locator(".bar"))[3]
    page.evaluate("scrollTo(0, 0)")
    for window in (PHONE, PHONE_ON_ITS_SIDE, LOW_PHONE):
        page.set_viewport_size(window)
        for name, part in parts.items():
            assert is_apart(toast, part), (name, window)
    page.set_viewport_size(PHONE)
    expect(page.locator("#duel")).to_contain_text("1 mistake")
    audit(page, "alone, with a mistake")
    press(ann, 2)
    expect(page.locator("#duel")).to_contain_text("1 of 4 words")
    page.locator('.clue[data-word="1"]').tap()
    tap_keys(ann, "Backspace", "c", "n")
    expect(page.locator("#clue-pattern > .slot")).to_have_text(["c", "a", "n"])  # the a is right and stays

    eve.page.goto(f"{address}?watch")
    expect(eve.page.locator("#duel")).to_contain_text("1 of 4 words")
    expect(eve.page.locator("#duel .side-time")).to_contain_text(":")
    page.get_by_role("button", name="Give up").tap()
    page.get_by_role("dialog").get_by_role("button", name="Give up").tap()
    for one in (ann, eve):
        expect(one.ending.locator(".ending-note")).to_contain_text("1 mistake, 0 points.")
    audit(page, "the end of a puzzle for one, on a phone")
    for one in (ann, eve):
        one.ending.get_by_role("button", name="Look at the board").click()
        expect(one.page.locator(".square[data-missed]")).to_have_count(6)
        one.page.locator("#words-panel > summary").click()
        rows = one.page.locator("#words-table > tbody > tr")
        expect(rows).to_have_count(4)
        expect(rows.filter(has_text="mat")).to_contain_text("ann")
        expect(rows.filter(has_text="tax")).to_contain_text("Nobody")
    audit(eve.page, "the solution, and the solvers of words, for a spectator")
