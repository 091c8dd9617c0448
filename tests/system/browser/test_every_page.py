"""Every page of a game outside rooms, and of a replay, in every state: `audit` finds no problems.

Testing strategy. One walk for each game and the replay: joining, playing, waiting, everything unfolded, each dialog, a
message, the end. One player has a phone, and the other player has a desktop. `audit` checks the layout of the phone's
page in a desktop's window, too. So on a desktop only games in progress are checked. rooms/test_looks.py has the pages
of rooms. memory/test_looks.py has a board that does not fit, and a lost connection.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import pytest
from playwright.sync_api import Page, expect

from scramble.memory.messages import Flip
from tests.support.replay.files import write
from tests.support.replay.tape import memory as memory_tape
from tests.system.browser.audit import audit
from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.crossword.player import say
from tests.system.browser.crossword.puzzles import CATS
from tests.system.browser.memory.player import BOARD

pytestmark = pytest.mark.browser


class Open(Protocol):
    """Opens a page in its own browser."""

    def __call__(self, url: str, *, phone: bool = False) -> Page: ...


@pytest.fixture
def open_page(new_context: NewContext) -> Open:
    """Opens pages on a desktop or on a phone."""

    def open_page(url: str, *, phone: bool = False) -> Page:
        if phone:
            context = new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
        else:
            context = new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.goto(url)
        return page

    return open_page


def join(page: Page, name: str) -> None:
    page.get_by_label("Your name", exact=True).fill(name)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("gridcell").first).to_be_attached()


def unfold(page: Page) -> None:
    """Unfold all folded parts, also menus."""
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")


def audit_dialog(page: Page, name: str) -> None:
    page.evaluate("id => document.getElementById(id).showModal()", name)
    audit(page, name)
    page.evaluate("id => document.getElementById(id).close()", name)


def test_memory(open_page: Open, serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text(BOARD)
    server = serve("memory", "--port", "0", str(file))
    alice, bob = open_page(server.url, phone=True), open_page(server.url)

    def flip(page: Page, row: int, column: int) -> None:
        cell = page.locator(f'[role=gridcell][data-row="{row}"][data-column="{column}"]')
        cell.focus()
        page.keyboard.press("Enter")
        expect(page.locator("[role=gridcell][data-pending]")).to_have_count(0)

    audit(alice, "joining")
    expect(alice.get_by_text("1 to 20 letters A to Z, digits or underscores.")).to_be_visible()
    join(bob, "bob")
    join(alice, "bob")
    taken = alice.get_by_role("dialog", name="bob is here already")
    expect(taken).to_be_visible()
    audit(alice, "asked about a name that is taken")
    taken.get_by_role("button", name="Play as bob_2").click()
    expect(alice.locator("#me")).to_contain_text("bob_2")
    expect(alice.locator("#link")).to_have_attribute("data-state", "online")  # under the new name
    flip(bob, 0, 1)
    for column in (0, 2, 1):
        flip(alice, 0, column)
    expect(alice.locator("#next")).to_contain_text("Waiting for bob")
    audit(alice, "waiting")
    audit(bob, "playing, while another player waits")
    alice.keyboard.press("Escape")
    unfold(alice)
    alice.get_by_role("button", name="New game").click()
    audit(alice, "asked whether to start over")
    alice.keyboard.press("Escape")
    for row, column in ((1, 1), (1, 0), (1, 2), (1, 0)):
        flip(bob, row, column)
    expect(alice.locator("#end .player-figures").first).to_be_visible()
    audit(alice, "the end")
    alice.get_by_role("dialog").get_by_role("button", name="New game").click()
    expect(bob.get_by_role("dialog")).to_have_count(0)
    flip(bob, 0, 0)
    bob.goto("about:blank")
    expect(alice.locator("[role=gridcell][data-left]")).to_have_count(1)
    flip(alice, 0, 1)
    flip(alice, 0, 1)
    expect(alice.locator(".toast").last).to_contain_text("first card")
    unfold(alice)
    audit(alice, "a mistake, and another player has left with a card, everything unfolded")
    expect(alice.locator("#log")).to_contain_text("bob has left with")
    audit_dialog(alice, "replace")


def test_minesweeper(open_page: Open, serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "field.txt"
    file.write_text("10 10\n" + "0 0 0 0 1 0 0 0 0 0\n" + 9 * "0 0 0 0 0 0 1 0 0 0\n")
    server = serve("minesweeper", "--port", "0", "--http-port", "0", "--file", str(file))
    alice, bob = open_page(server.url, phone=True), open_page(server.url)
    audit(alice, "joining")
    expect(alice.get_by_text("1 to 20 letters A to Z, digits or underscores.")).to_be_visible()
    join(alice, "alice")
    join(bob, "bob")
    for page, key in ((bob, "f"), (alice, "Enter")):
        page.locator(".square[tabindex='0']").press(key)
        expect(alice.get_by_role("gridcell", name=", flagged")).to_have_count(1)
    expect(alice.locator(".toast")).to_contain_text("A flagged square cannot be dug")
    for page in (alice, bob):
        unfold(page)
        audit(page, "playing, everything unfolded")
    for key in (*(4 * ["ArrowRight"]), "Enter"):
        alice.keyboard.press(key)
    expect(alice.get_by_role("dialog")).to_be_visible()
    audit(alice, "blown up")
    alice.get_by_role("button", name="Just watch").click()
    audit(alice, "watching, after the bomb")
    audit_dialog(alice, "result")


def test_crossword(open_page: Open, serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "cats.puzzle").write_text(CATS)
    server = serve("crossword", "--port", "0", "--telnet-port", "0", str(tmp_path))
    ann, bob = open_page(server.url, phone=True), open_page(server.url)

    def enter(page: Page, line: str, state: str) -> None:
        say(page, line)
        expect(page.locator("#app")).to_have_attribute("data-state", state)

    expect(ann.get_by_text("1 to 20 letters A to Z, digits or underscores.", exact=True)).to_be_visible()
    audit(ann, "joining")
    enter(ann, "ann", "CHOOSE")
    enter(bob, "bob", "CHOOSE")
    enter(bob, 'NEW bobs cats "come and play"', "WAIT")
    audit(bob, "waiting")
    expect(ann.locator("#matches > li")).to_have_count(1)
    audit(ann, "choosing, and somebody waits")
    enter(ann, "PLAY bobs", "PLAY")
    enter(bob, "TRY 3 car", "PLAY")
    enter(ann, "TRY 1 cat", "PLAY")
    expect(ann.get_by_text("car", exact=True).first).to_be_attached()
    enter(ann, "TRY 3 cab", "PLAY")
    expect(ann.locator(".toast")).to_be_visible()
    for page in (ann, bob):
        unfold(page)
        audit(page, "playing, everything unfolded")
    audit_dialog(ann, "give-up")
    enter(bob, "EXIT", "SHOW SCORE")
    expect(ann.locator("#app")).to_have_attribute("data-state", "SHOW SCORE")
    audit(ann, "the end")


def test_replay(open_page: Open, serve: Serve, tmp_path: Path) -> None:
    tape = memory_tape(BOARD)
    for player, row, column in (("ann", 0, 0), ("ann", 0, 2), ("bob", 0, 1), ("ann", 0, 1), ("bob", 1, 0)):
        tape.do(Flip(player, row, column))
    server = serve("replay", str(write(tape, tmp_path / "game.db")), "--http-port", "0")
    page = open_page(f"{server.url}replay?at=4", phone=True)
    expect(page.locator("#count")).to_contain_text("move 4 / 5")
    unfold(page)
    audit(page, "in the middle, everything unfolded")
    page.get_by_role("button", name="Heat map").click()
    audit(page, "the heat map")
