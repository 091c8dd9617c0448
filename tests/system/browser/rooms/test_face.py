"""The look of the lobby and of a room's menu in a real Chromium, served by a real `scramble serve`.

Testing strategy.

- a game starts without scrolling at 1280x800, below the daily challenges: test_each_game_*
- headings use the font of the site, which is small and has its licence beside it: test_headings_*
- a row of an open game has host, size and age; an ended game leaves the list, and is the last result: test_an_ended_*
- the menu of a host has three groups, and the dangerous acts stand apart: test_the_menu_*
"""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import expect

from scramble.resources import CLIENT
from tests.system.browser.rooms.visitor import BOARD, Visit

pytestmark = pytest.mark.browser

LOADED: Final = """async () => [...await document.fonts.ready].some(({ family, status }) =>
    family.includes("Bricolage") && status === "loaded")"""


def test_each_game_starts_without_scrolling_below_the_daily_challenges(visit: Visit) -> None:
    ann = visit()
    ann.to_lobby()
    expect(ann.page.locator(".daily-tile")).to_have_count(3)
    for button in ann.page.get_by_role("button", name="Play a bot").all():
        expect(button).to_be_in_viewport(ratio=1)


def test_headings_use_a_small_font_with_a_licence(visit: Visit) -> None:
    assert (CLIENT / "shared/display.woff2").stat().st_size < 40_000
    assert "SIL OPEN FONT LICENSE" in (CLIENT / "shared/display.OFL.txt").read_text(encoding="utf-8")
    ann = visit()
    ann.to_lobby()
    assert ann.page.evaluate(LOADED)


def test_an_ended_game_leaves_the_open_games_and_is_the_last_result(visit: Visit) -> None:
    ann, bob = visit(), visit()
    ann.to_lobby()  # she gets a name
    bob.to_lobby()
    sized = ann.open(title="Sized", public=True, settings={"size": "6x6"})
    expect(bob.open_room(sized)).to_contain_text("6 × 6 · no players · new")
    room = ann.open(title="Short", public=True, settings={"board": BOARD})
    expect(bob.open_room(room)).to_be_visible()
    ann.page.goto(room)
    ann.arrive()
    expect(bob.open_room(room)).to_contain_text(f"by {ann.name} · 1 player · new")
    for row in (0, 1):
        for column in (0, 1):
            ann.flip(row, column)
    expect(bob.open_room(room)).to_have_count(0)
    expect(bob.open_room(sized)).to_be_visible()
    expect(bob.page.locator("#last")).to_be_hidden()
    ann.to_lobby()
    last = ann.page.get_by_role("region", name="Your last result")
    expect(last).to_contain_text("Short")
    expect(last).to_contain_text("won by")
    expect(last.get_by_role("link", name="Replay")).to_be_visible()


def test_the_menu_of_a_host_has_three_groups(visit: Visit) -> None:
    ann = visit()
    ann.to_lobby()
    ann.start_with("memory", "With friends")
    ann.page.keyboard.press("Escape")
    game, danger = (ann.menu.get_by_role("group", name=name, exact=True) for name in ("The game", "Careful"))
    expect(ann.menu.get_by_role("group", name="For me").get_by_role("button", name="Other device…")).to_be_visible()
    for name in ("New game", "Next game…", "Rename"):
        expect(game.get_by_role("button", name=name)).to_be_visible()
    expect(danger.get_by_role("button", name="Close this game")).to_be_visible()
    expect(game.get_by_role("button", name="Close this game")).to_have_count(0)
