"""The pages of rooms in every state, on a phone and on a desktop, light and dark: `audit` finds no problems.

Testing strategy. One walk goes through the lobby: folded and unfolded, empty and with games, with an error and with a
message. One walk goes through a room: invited, playing with everything unfolded, watching, on a projector's screen, at
the end. Others show a room of Minesweeper, from the start square to the end, and an address without a room.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import FilePayload, expect

from tests.support.crossword.foreign import puz_file
from tests.system.browser.audit import audit
from tests.system.browser.rooms.visitor import Look, Visit, Visitor

pytestmark = pytest.mark.browser


@pytest.fixture(params=["phone", "desk"])
def look(request: pytest.FixtureRequest) -> Look:
    """The screen size of all visitors of a test."""
    return "phone" if request.param == "phone" else "desk"


def unfold(visitor: Visitor) -> None:
    """Unfold all folded parts."""
    visitor.page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")


def audit_choices(visitor: Visitor, state: str) -> None:
    """Check the page from its top, so that the bar hides no choice in part.

    The test moves the start button away from the lower edge and back: a choice half behind the button would be too
    small to press. test_lobby.py checks that the control with focus is never behind it.
    """
    move = """(starts, position) => {
        scrollTo(0, 0);
        for (const start of starts) start.style.position = position;
    }"""
    starts = visitor.page.locator(".choices > .button-primary")
    starts.evaluate_all(move, "static")
    audit(visitor.page, state)
    starts.evaluate_all(move, "")


def test_the_lobby(visit: Visit, look: Look) -> None:
    ann = visit(look)
    ann.to_lobby()
    audit(ann.page, "the first visit")
    for game in ("memory", "minesweeper", "crossword"):
        choices = ann.unfold(game)
        unfold(ann)
        audit_choices(ann, f"choices of {game}")
    choices = ann.card("crossword").locator(".choices")
    file = FilePayload(name="pets.puz", mimeType="application/octet-stream", buffer=puz_file())
    choices.locator("input[type=file]").set_input_files(file)
    expect(choices.get_by_role("status")).to_have_text("Pets · 3 × 4, 6 words")
    audit(ann.page, "a converted crossword")
    ann.unfold("minesweeper").get_by_label("Custom").check()
    audit_choices(ann, "a custom field")
    choices = ann.unfold("memory")
    choices.get_by_role("textbox", name="My own board").fill("2x2\nA\nA B\n")
    choices.get_by_role("button", name="Start").click()
    expect(choices.locator('[data-error="board"]')).not_to_be_empty()
    audit_choices(ann, "a mistake in a board")
    choices.get_by_role("textbox", name="My own board").fill("1x2\nA\nA\n")
    choices.get_by_label("Anybody").check()
    choices.get_by_role("button", name="Start").click()
    ann.arrive()
    ann.to_lobby()
    expect(ann.my_room("Memory Scramble")).to_be_visible()
    audit(ann.page, "with games")
    ann.page.locator("#me").click()
    audit(ann.page, "another name")


def test_a_room(visit: Visit, look: Look, rooms_url: str) -> None:
    ann, bob, screen = visit(look), visit(look), visit(look)
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
    screen.page.goto(f"{address}/screen")
    screen.arrive()
    audit(screen.page, "on a projector")
    ann.take_all()
    expect(ann.ending).to_be_visible()
    audit(ann.page, "the end")
    ann.page.keyboard.press("Escape")
    audit(ann.page, "after the end")
    ann.page.goto(f"{rooms_url}g/never-was-one-here")
    expect(ann.page.get_by_role("heading")).to_be_visible()
    audit_without_bar(ann)


def test_a_minesweeper_room(visit: Visit, look: Look, rooms_url: str) -> None:
    ann, bob = visit(look), visit(look)
    ann.to_lobby()
    choices = ann.unfold("minesweeper")
    choices.get_by_label("Solvable without guessing").check()
    audit_choices(ann, "choices of a field that nobody needs to guess in")
    choices.get_by_role("button", name="Start").click()
    ann.page.get_by_role("dialog", name="Invite friends").get_by_role("button", name="Play").click()
    expect(ann.page.locator(".start-mark")).to_be_visible()
    audit(ann.page, "where to begin")
    ann.to_lobby()
    choices = ann.unfold("minesweeper")
    choices.get_by_text("My own field").click()
    choices.get_by_role("textbox", name="My own field").fill("4 2\n1 0 0 1\n0 0 0 1\n")
    choices.get_by_role("button", name="Start").click()
    address = ann.arrive()
    bob.join(address, "bob")
    for key in ("f", "ArrowRight", "Enter", "ArrowRight", "ArrowRight", "Enter"):
        bob.page.locator(".square[tabindex='0']").press(key)
    expect(bob.page.locator("#pause")).to_be_visible()
    unfold(bob)
    audit(bob.page, "a pause, everything unfolded")
    audit(ann.page, "another's pause")
    for key in ("Control+Home", "ArrowDown", "Enter", "ArrowRight", "Enter", "ArrowRight", "Enter", "ArrowUp", "Enter"):
        ann.page.locator(".square[tabindex='0']").press(key)
    expect(ann.ending).to_be_visible()
    audit(ann.page, "the end")
    ann.page.keyboard.press("Escape")
    audit(ann.page, "the field after the end")


def audit_without_bar(visitor: Visitor) -> None:
    """Check a page that has only a message."""
    visitor.page.evaluate("document.body.insertAdjacentHTML('afterbegin', '<div class=\"bar\" hidden></div>')")
    audit(visitor.page, "no such room")
