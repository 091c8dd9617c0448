"""A crossword in a room, in a real Chromium, served by a real `scramble serve`.

Testing strategy. Other tests cover the match itself. Here two players come by name and link. A third visitor has no
place, and a spectator watches, to the end and into the next match: test_a_match_*. A match on a phone, by touch alone,
against a bot: test_a_stranger_*. A match of one player, with a mistake: test_alone_*. In the last two tests the phone
shows each part where the player needs it, and an audit checks the states of the last test. Escape closes the invitation
and nothing else: test_escape_*.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.system.browser.audit import audit
from tests.system.browser.crossword.puzzles import CATS
from tests.system.browser.rooms.visitor import Visit, Visitor

pytestmark = pytest.mark.browser


def say(visitor: Visitor, line: str) -> None:
    """Type a command into the folded text box."""
    visitor.page.locator("#console-fold").evaluate("fold => { fold.open = true; }")
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
    expect(fay.page.locator("#log")).to_contain_text("players already")
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
    expect(eve.ending.locator(".ending-note")).to_have_text(f"The puzzle is complete. 3 to 1 for {ann.name}.")
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


def test_escape_closes_the_invitation_and_leaves_its_player_in_the_match(visit: Visit) -> None:
    ann, bob = visit(), visit()
    ann.to_lobby()
    ann.card("crossword").get_by_role("button", name="With friends").click()
    invitation = ann.page.get_by_role("dialog", name="Invite friends")
    expect(invitation).to_be_visible()
    address = ann.page.url
    ann.page.keyboard.press("Escape")
    expect(invitation).to_be_hidden()
    ann.page.keyboard.press("Escape")
    bob.page.goto(address)
    bob.page.locator("#join-go").click()
    for one in (ann, bob):
        expect(one.page.locator("#app")).to_have_attribute("data-state", "PLAY")
        expect(one.page.locator("#log")).not_to_contain_text("may not have been carried out")


ANSWERS = {1: "cat", 2: "mat", 3: "car", 4: "tax"}  # of CATS

SWIPE = """(part, by) => {
    const { left, top, width, height } = part.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const at = (clientX) => [new Touch({ identifier: 1, target: part, clientX, clientY: y })];
    const touch = (type, lists) => part.dispatchEvent(new TouchEvent(type, { bubbles: true, ...lists }));
    touch("touchstart", { touches: at(x), changedTouches: at(x) });
    touch("touchend", { touches: [], changedTouches: at(x + by) });
}"""


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


def start_own(visitor: Visitor, *, bot: bool) -> None:
    """Start a crossword on the puzzle CATS, against a bot without mistakes or alone."""
    visitor.to_lobby()
    choices = visitor.unfold("crossword")
    choices.get_by_text("My own puzzle").click()
    choices.get_by_role("textbox", name="My own puzzle").fill(CATS)
    if bot:
        choices.get_by_role("group", name="Bots").get_by_label("1").check()
        choices.get_by_label("Hard").check()
    else:
        choices.get_by_label("Alone, against the clock").check()
        expect(choices.get_by_role("group", name="Bots")).to_be_hidden()
    choices.get_by_role("button", name="Start").click()
    expect(visitor.page.locator("#app")).to_have_attribute("data-state", "PLAY")


def press(visitor: Visitor, word: int) -> None:
    """Choose a word by its clue, and enter its answer with the keys on the page."""
    visitor.page.locator(f'.clue[data-word="{word}"]').tap()
    for letter in ANSWERS[word]:
        visitor.page.locator(f'.key[data-key="{letter}"]').tap()
    visitor.page.get_by_role("button", name="Try").tap()


def test_a_stranger_finishes_a_match_with_a_bot_on_a_phone_and_starts_another_on_another_puzzle(visit: Visit) -> None:
    ann = visit("phone")
    start_own(ann, bot=True)
    page, clue, keys = ann.page, ann.page.locator("#cluebar"), ann.page.locator("#keys")
    for square in (page.get_by_role("gridcell").first, page.get_by_role("gridcell").last):
        expect(square).to_be_in_viewport(ratio=1)
    assert box(clue)[3] <= box(keys)[1] + 1  # directly above the keys
    expect(page.locator("#command")).to_be_hidden()

    name = page.locator("#clue-name")
    expect(name).to_contain_text("2 across")
    for by, place in ((-120, "3 across"), (120, "2 across"), (120, "1 down"), (-20, "1 down")):
        clue.evaluate(SWIPE, by)
        expect(name).to_contain_text(place)
    page.get_by_role("button", name="Next word").tap()
    expect(name).to_contain_text("2 across")  # the first word again

    for word in ANSWERS:
        press(ann, word)  # unless the bot has entered it
    expect(ann.ending).to_be_visible()
    expect(ann.ending.locator(".ending-note")).to_contain_text("The puzzle is complete.")
    squares = page.get_by_role("gridcell").count()
    before = page.url
    ann.ending.get_by_role("button", name="Again").tap()
    ann.move_along(before)
    expect(page.locator("#app")).to_have_attribute("data-state", "PLAY")
    expect(page.get_by_role("gridcell")).not_to_have_count(squares)
    expect(page.locator("#duel > .side")).to_have_count(2)


def test_alone_the_clock_runs_a_mistake_counts_and_the_end_shows_the_solution(visit: Visit) -> None:
    ann, eve = visit("phone"), visit()
    start_own(ann, bot=False)
    page = ann.page
    expect(page.locator("#duel .side-time")).to_have_text(re.compile("^0:(0[1-9]|[1-5])"))
    page.locator('.clue[data-word="1"]').tap()
    for letter in "cot":
        page.locator(f'.key[data-key="{letter}"]').tap()
    page.get_by_role("button", name="Try").tap()
    toast = page.locator(".toast", has_text="That is not 1 down")
    expect(toast).to_be_visible()
    for part in ("#cluebar", "#duel", "#frame", "#keys"):
        assert is_apart(toast, page.locator(part)), part
    expect(page.locator("#duel")).to_contain_text("1 mistake")
    audit(page, "alone, with a mistake")
    press(ann, 2)
    expect(page.locator("#duel")).to_contain_text("1 of 4 words")
    page.locator('.clue[data-word="1"]').tap()
    page.locator('.key[data-key="Backspace"]').tap()
    for letter in "cn":
        page.locator(f'.key[data-key="{letter}"]').tap()
    expect(page.locator("#clue-pattern > .slot")).to_have_text(["c", "a", "n"])  # the a is right and stays

    eve.page.goto(f"{page.url.partition('#')[0]}?watch")
    expect(eve.page.locator("#duel")).to_contain_text("1 of 4 words")
    expect(eve.page.locator("#duel .side-time")).to_contain_text(":")
    audit(eve.page, "somebody who plays alone is watched")
    page.get_by_role("button", name="Give up").tap()
    page.get_by_role("dialog").get_by_role("button", name="Give up").tap()
    for one in (ann, eve):
        expect(one.ending.locator(".ending-note")).to_contain_text("1 mistake, 0 points.")
        audit(one.page, "the end of a puzzle for one")
        one.ending.get_by_role("button", name="Look at the board").click()
        expect(one.page.locator(".square[data-missed]")).to_have_count(6)
        one.page.locator("#words-panel > summary").click()
        rows = one.page.locator("#words-table > tbody > tr")
        expect(rows).to_have_count(4)
        expect(rows.filter(has_text="mat")).to_contain_text(ann.name)
        expect(rows.filter(has_text="tax")).to_contain_text("Nobody")
        audit(one.page, "the solution, and who had what")
