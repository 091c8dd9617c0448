"""Every page in every state, on a phone and on a desktop, light and dark: `audit` finds no problems.

Testing strategy. One walk for each game and the replay, on each kind of screen: joining, playing, waiting, everything
unfolded, each dialog, a message, the end, a lost connection. On a phone the walk is light, and only colours are checked
in the dark theme. On a desktop it is the reverse.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from scramble.memory.messages import Flip
from tests.support.replay.files import write
from tests.support.replay.tape import memory as memory_tape
from tests.system.browser.audit import audit
from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.crossword.puzzles import CATS
from tests.system.browser.memory.player import BOARD, LARGE

pytestmark = pytest.mark.browser

Open = Callable[[str], Page]


@pytest.fixture(params=["phone", "desk"])
def open_page(new_context: NewContext, request: pytest.FixtureRequest) -> Open:
    """Opens pages, each in its own browser."""

    def open_page(url: str) -> Page:
        if request.param == "phone":
            context = new_context(
                viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, color_scheme="light"
            )
        else:
            context = new_context(viewport={"width": 1280, "height": 800}, color_scheme="dark")
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


def audit_dialogs(page: Page, *ids: str) -> None:
    for name in ids:
        page.evaluate("id => document.getElementById(id).showModal()", name)
        audit(page, name)
        page.evaluate("id => document.getElementById(id).close()", name)


def test_memory(open_page: Open, serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text(BOARD)
    server = serve("memory", "--port", "0", str(file))
    alice, bob = open_page(server.url), open_page(server.url)

    def flip(page: Page, row: int, column: int) -> None:
        cell = page.locator(f'[role=gridcell][data-row="{row}"][data-column="{column}"]')
        cell.focus()
        page.keyboard.press("Enter")
        expect(page.locator("[role=gridcell][data-pending]")).to_have_count(0)

    audit(alice, "joining")
    expect(alice.get_by_text("1 to 20 letters A to Z, digits or underscores.")).to_be_visible()
    join(alice, "alice")
    join(bob, "bob")
    flip(bob, 0, 1)
    flip(alice, 0, 0)
    audit(alice, "playing")
    flip(alice, 0, 2)
    flip(alice, 0, 1)
    expect(alice.locator("#next")).to_contain_text("Waiting for bob")
    audit(alice, "waiting")
    alice.keyboard.press("Escape")
    expect(alice.locator(".toast")).to_be_visible()
    unfold(alice)
    audit(alice, "called off, everything unfolded")
    audit_dialogs(alice, "join", "replace")
    alice.get_by_role("button", name="New game").click()
    audit(alice, "asked whether to start over")
    alice.keyboard.press("Escape")
    namesake = open_page(server.url)
    join(namesake, "alice")
    expect(namesake.get_by_role("dialog", name="alice is here already")).to_be_visible()
    audit(namesake, "asked about a name that is taken")
    namesake.goto("about:blank")
    flip(bob, 1, 1)
    flip(bob, 1, 0)
    flip(bob, 1, 2)
    flip(bob, 1, 0)
    expect(alice.get_by_role("dialog")).to_be_visible()
    expect(alice.locator(".player-figures").first).to_be_visible()
    audit(alice, "the end")
    server.stop()
    expect(alice.locator("#link")).to_have_attribute("data-state", "lost")
    alice.evaluate("document.getElementById('end').close()")
    audit(alice, "lost")


def test_memory_on_a_board_that_does_not_fit(open_page: Open, serve: Serve) -> None:
    server = serve("memory", "--port", "0", str(LARGE))
    alice, bob = open_page(server.url), open_page(server.url)
    join(alice, "alice")
    join(bob, "bob")
    for page in (alice, bob):
        page.locator("#larger").click()
        expect(page.locator("#map")).to_be_visible()
    bob.locator("[role=gridcell]").last.focus()
    bob.keyboard.press("Enter")
    expect(alice.get_by_role("button", name="Go to bob")).to_be_visible()
    audit(alice, "zoomed, with a map")


def test_minesweeper(open_page: Open, serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "field.txt"
    file.write_text("10 10\n" + "0 0 0 0 1 0 0 0 0 0\n" + 9 * "0 0 0 0 0 0 1 0 0 0\n")
    server = serve("minesweeper", "--port", "0", "--http-port", "0", "--file", str(file))
    alice, bob = open_page(server.url), open_page(server.url)
    audit(alice, "joining")
    expect(alice.get_by_text("1 to 20 letters A to Z, digits or underscores.")).to_be_visible()
    join(alice, "alice")
    join(bob, "bob")
    for page, keys in ((bob, "f"), (alice, "Enter")):
        page.locator(".square[tabindex='0']").focus()
        page.keyboard.press(keys)
        expect(alice.get_by_role("gridcell", name=", flagged")).to_have_count(1)
    expect(alice.locator(".toast")).to_contain_text("A flagged square cannot be dug")
    unfold(alice)
    audit(alice, "playing, everything unfolded")
    for _ in range(4):
        alice.keyboard.press("ArrowRight")
    alice.keyboard.press("Enter")
    expect(alice.get_by_role("dialog")).to_be_visible()
    audit(alice, "blown up")
    alice.get_by_role("button", name="Just watch").click()
    audit(alice, "out")
    audit_dialogs(alice, "join", "result")
    server.stop()
    expect(alice.locator("#link")).to_have_attribute("data-state", "lost")
    audit(alice, "lost")


def test_crossword(open_page: Open, serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "cats.puzzle").write_text(CATS)
    server = serve("crossword", "--port", "0", "--telnet-port", "0", str(tmp_path))
    ann, bob = open_page(server.url), open_page(server.url)

    def say(page: Page, line: str, state: str) -> None:
        page.locator("#console-fold").evaluate("fold => { fold.open = true; }")
        page.locator("#command").fill(line)
        page.locator("#command").press("Enter")
        expect(page.locator("#app")).to_have_attribute("data-state", state)

    expect(ann.get_by_text("1 to 20 letters A to Z, digits or underscores.", exact=True)).to_be_visible()
    audit(ann, "joining")
    say(ann, "ann", "CHOOSE")
    say(bob, "bob", "CHOOSE")
    audit(ann, "choosing")
    say(bob, 'NEW bobs cats "come and play"', "WAIT")
    audit(bob, "waiting")
    expect(ann.locator("#matches > li")).to_have_count(1)
    audit(ann, "choosing, and somebody waits")
    say(ann, "PLAY bobs", "PLAY")
    say(bob, "TRY 3 car", "PLAY")
    say(ann, "TRY 1 cat", "PLAY")
    say(ann, "TRY 3 cab", "PLAY")
    expect(ann.locator(".toast")).to_be_visible()
    unfold(ann)
    audit(ann, "playing, everything unfolded")
    audit_dialogs(ann, "give-up")
    say(bob, "EXIT", "SHOW SCORE")
    expect(ann.locator("#app")).to_have_attribute("data-state", "SHOW SCORE")
    audit(ann, "the end")
    server.stop()
    expect(ann.locator("#link")).to_have_attribute("data-state", "lost")
    audit(ann, "lost")


def test_replay(open_page: Open, serve: Serve, tmp_path: Path) -> None:
    tape = memory_tape(BOARD)
    for player, row, column in (("ann", 0, 0), ("ann", 0, 2), ("bob", 0, 1), ("ann", 0, 1), ("bob", 1, 0)):
        tape.do(Flip(player, row, column))
    server = serve("replay", str(write(tape, tmp_path / "game.db")), "--http-port", "0")
    page = open_page(f"{server.url}replay?at=4")
    expect(page.locator("#count")).to_contain_text("move 4 / 5")
    unfold(page)
    audit(page, "in the middle, everything unfolded")
    page.get_by_role("button", name="Heat map").click()
    audit(page, "the heat map")
