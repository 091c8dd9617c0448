"""The lobby and the pages of rooms in every state: `audit` finds no problems.

Testing strategy. `audit` checks both themes, and the layout of a phone's page in a desktop's window, too.

- the lobby, on a phone: each game's choices, with a mistake and with a converted file; with games; another name:
  test_the_lobby
- a room: invited, playing with everything unfolded, watching, on a projector's screen, at the end: test_a_room
- a room of Minesweeper: the start square, a pause, another player's pause, the end: test_a_minesweeper_room

test_every_page.py has the pages of games outside rooms. test_lobby.py has an address without a room.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import FilePayload, expect

from tests.support.crossword.foreign import puz_file
from tests.system.browser.audit import audit
from tests.system.browser.rooms.visitor import Visit, Visitor

pytestmark = pytest.mark.browser


def unfold(visitor: Visitor) -> None:
    """Unfold all folded parts."""
    visitor.page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")


def audit_choices(visitor: Visitor, state: str) -> None:
    """Check the page from its top, with everything unfolded, so that the bar covers no part of a choice.

    The test moves the start button away from the lower edge and back: a choice half behind the button would be too
    small to press. test_lobby.py checks that the control with focus is never behind the start button.
    """
    unfold(visitor)
    move = """(starts, position) => {
        scrollTo(0, 0);
        for (const start of starts) start.style.position = position;
    }"""
    starts = visitor.page.locator(".choices > .button-primary")
    starts.evaluate_all(move, "static")
    audit(visitor.page, state)
    starts.evaluate_all(move, "")


def test_the_lobby(visit: Visit) -> None:
    ann = visit("phone")
    ann.to_lobby()
    ann.unfold("crossword")
    audit_choices(ann, "the first visit, and the choices of a crossword")
    choices = ann.unfold("memory")
    choices.get_by_label("Anybody").check()
    choices.get_by_role("button", name="Start").click()
    ann.arrive()
    ann.to_lobby()
    expect(ann.my_room("Memory Scramble")).to_be_visible()
    choices = ann.unfold("crossword")
    file = FilePayload(name="pets.puz", mimeType="application/octet-stream", buffer=puz_file())
    choices.locator("input[type=file]").set_input_files(file)
    expect(choices.get_by_role("status")).to_have_text("Pets · 3 × 4, 6 words")
    audit_choices(ann, "with games, and a converted crossword")
    choices = ann.unfold("minesweeper")
    choices.get_by_label("Custom").check()
    choices.get_by_label("Solvable without guessing").check()
    audit_choices(ann, "a custom field")
    choices = ann.unfold("memory")
    unfold(ann)
    choices.get_by_role("textbox", name="My own board").fill("2x2\nA\nA B\n")
    choices.get_by_role("button", name="Start").click()
    expect(choices.locator('[data-error="board"]')).not_to_be_empty()
    audit_choices(ann, "a mistake in a board")
    ann.page.locator("#me").click()
    audit(ann.page, "another name")


def test_a_room(visit: Visit) -> None:
    ann, bob = visit("phone"), visit("desk")
    ann.to_lobby()
    address = ann.start_board()
    invitation = ann.page.get_by_role("dialog", name="Invite friends")
    expect(invitation).to_be_visible()
    audit(ann.page, "inviting")
    invitation.get_by_role("button", name="Play").click()
    bob.page.goto(f"{address}?watch")
    bob.arrive()
    expect(ann.page.locator("#watchers")).to_be_visible()
    ann.flip(0, 0)
    ann.flip(1, 1)
    unfold(ann)
    audit(ann.page, "playing, everything unfolded")
    audit(bob.page, "watching")
    bob.page.goto(f"{address}/screen")
    bob.arrive()
    audit(bob.page, "on a projector")
    ann.take_all()
    expect(ann.ending).to_be_visible()
    audit(ann.page, "the end")
    ann.page.keyboard.press("Escape")
    audit(ann.page, "after the end")


def test_a_minesweeper_room(visit: Visit) -> None:
    ann, bob = visit("phone"), visit("desk")
    ann.to_lobby()
    choices = ann.unfold("minesweeper")
    choices.get_by_label("Solvable without guessing").check()
    choices.get_by_role("button", name="Start").click()
    ann.page.get_by_role("dialog", name="Invite friends").get_by_role("button", name="Play").click()
    expect(ann.page.locator(".start-mark")).to_be_visible()
    audit(ann.page, "where to begin")
    ann.to_lobby()
    choices = ann.unfold("minesweeper")
    choices.get_by_text("My own field").click()
    choices.get_by_role("textbox", name="My own field").fill("4 2\n1 0 0 1\n0 0 0 1\n")
    choices.get_by_role("button", name="Start").click()
    bob.join(ann.arrive(), "bob")
    for key in ("f", "ArrowRight", "Enter", "ArrowRight", "ArrowRight", "Enter"):
        ann.page.locator(".square[tabindex='0']").press(key)
    expect(ann.page.locator("#pause")).to_be_visible()
    unfold(ann)
    audit(ann.page, "a pause, everything unfolded")
    audit(bob.page, "another's pause")
    for key in ("Control+Home", "ArrowDown", "Enter", "ArrowRight", "Enter", "ArrowRight", "Enter", "ArrowUp", "Enter"):
        bob.page.locator(".square[tabindex='0']").press(key)
    expect(ann.ending).to_be_visible()
    audit(ann.page, "the end")
    ann.page.keyboard.press("Escape")
    audit(ann.page, "the field after the end")
