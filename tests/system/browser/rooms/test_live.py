"""The lobby's live picture of a running public game, in a real Chromium, served by a real `scramble serve`.

Testing strategy. The server has no other games, so the test's game is the one that the lobby shows.

- a game of people appears with its players, follows their moves on the canvas, is not counted as watched, and leaves at
  its end; a game without players never appears; another tab in front closes the connection: test_the_lobby_shows_*
- a slow line, until it is fast: test_a_slow_line_*

tests/unit/client/live.test.js tests the choice among several games, and the boards of the games.
"""

from __future__ import annotations

import re
from typing import Final

import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.system.browser.audit import audit
from tests.system.browser.away import come_back, leave
from tests.system.browser.conftest import Serve
from tests.system.browser.rooms.visitor import BOARD, Visit

pytestmark = pytest.mark.browser

PICTURE: Final = "() => document.querySelector('#live-place > canvas').toDataURL()"
OTHER: Final = "(before) => document.querySelector('#live-place > canvas').toDataURL() !== before"
IDLE: Final = "() => new Promise((done) => requestIdleCallback(() => done(null)))"

SLOW_LINE: Final = """
const line = new EventTarget();
line.effectiveType = "3g";
Object.defineProperty(navigator, "connection", { value: line });
"""
FASTER: Final = """() => {
    navigator.connection.effectiveType = "4g";
    navigator.connection.dispatchEvent(new Event("change"));
}"""


@pytest.fixture(name="url")
def _url(serve: Serve) -> str:
    return serve("serve", "--port", "0", "--in-memory").url


def glances_of(page: Page) -> list[WebSocket]:
    """The connections of the live picture, from now on."""
    found: list[WebSocket] = []
    page.on("websocket", lambda socket: found.append(socket) if socket.url.endswith("/view?glance") else None)
    return found


def test_the_lobby_shows_the_moves_of_a_public_game_until_its_end(visit: Visit, url: str) -> None:
    ann, eve = visit("desk", url), visit("phone", url)
    glances = glances_of(eve.page)
    eve.to_lobby()
    live = eve.page.get_by_role("region", name="Live now")
    room = ann.open(title="For all", public=True, settings={"board": BOARD})
    expect(eve.open_room(room)).to_be_visible()
    eve.page.evaluate(IDLE)
    expect(live).to_be_hidden()
    assert glances == []

    ann.to_lobby()  # she gets a name
    ann.page.goto(room)
    ann.arrive()
    expect(live).to_contain_text("For all")
    expect(live.get_by_role("link", name="Watch: For all")).to_have_attribute("href", f"{room}?watch")
    expect(live.get_by_role("listitem")).to_have_text(ann.name)
    audit(eve.page, "a lobby with a live picture")
    picture = eve.page.evaluate(PICTURE)
    ann.flip(0, 0)
    eve.page.wait_for_function(OTHER, arg=picture)
    expect(eve.open_room(room)).to_contain_text("1 player")
    expect(eve.open_room(room)).not_to_contain_text("watching")
    ann.flip(0, 1)
    ann.flip(1, 0)  # takes the pair off the board
    expect(live.get_by_role("img")).to_have_accessible_name(re.compile(f"Memory Scramble. {ann.name} 1"))
    expect(live.get_by_role("listitem")).to_have_text(re.compile(f"{ann.name} ?1"))

    [glance] = glances
    with glance.expect_event("close"):
        leave(eve.page)
        eve.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(live).to_be_visible()
    come_back(eve.page)
    ann.flip(1, 1)
    expect(live).to_be_hidden()
    expect(eve.open_room(room)).to_have_count(0)


def test_a_slow_line_has_no_live_picture_until_it_is_fast(visit: Visit, url: str) -> None:
    ann, eve = visit("desk", url), visit("desk", url)
    eve.page.add_init_script(SLOW_LINE)
    glances = glances_of(eve.page)
    ann.to_lobby()
    room = ann.open("minesweeper", title="For all", public=True)
    ann.page.goto(room)
    expect(ann.page.locator("#players > .player")).to_have_count(1)
    eve.to_lobby()
    live = eve.page.get_by_role("region", name="Live now")
    expect(eve.open_room(room)).to_contain_text("1 player")
    eve.page.evaluate(IDLE)
    expect(live).to_be_hidden()
    assert glances == []
    eve.page.evaluate(FASTER)
    expect(live.get_by_role("img")).to_be_visible()
    expect(live).to_contain_text(ann.name)
    assert len(glances) == 1
