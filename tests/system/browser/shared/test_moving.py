"""Pages whose game moves to another process of its cluster: the server closes their WebSockets with 1012.

Testing strategy. The code is sent by a proxy of the browser's, since a server alone never sends it. Back at once: a
line while it lasts, no toast. Away for longer: a loss, as any other. A click while it lasts has its words.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.memory.player import BOARD
from tests.system.browser.rooms.visitor import Visitor

pytestmark = pytest.mark.browser

MOVED = 1012
ONE_MOMENT = "One moment: the game goes on at once."
WATCHING = """() => {
    const line = document.querySelector("#next > p");
    window.lines = new Promise((resolve) => {
        const lines = [];
        new MutationObserver(() => {
            lines.push(line.textContent);
            if (lines.length === 2) resolve(lines);
        }).observe(line, { childList: true, characterData: true, subtree: true });
    });
}"""  # what the line says, and what it says after that


class Proxy:
    """Between a page and its server: it cuts the page's WebSockets, and holds the next ones as long as it is closed."""

    def __init__(self, page: Page) -> None:
        self.is_open = True
        self._page = page
        self._sockets: list[WebSocketRoute] = []
        page.route_web_socket("**/play/**", self._connect)

    def move(self) -> None:
        """Close the page's WebSockets as a server does whose game moves."""
        for socket in self._sockets:
            socket.close(code=MOVED, reason="moved")
        self._sockets.clear()

    def _connect(self, socket: WebSocketRoute) -> None:
        if self.is_open:
            socket.connect_to_server()
            self._sockets.append(socket)
        else:
            socket.close(code=MOVED, reason="moved")


@pytest.fixture
def player(new_context: NewContext, serve_module: Serve) -> Visitor:
    url = serve_module("serve", "--port", "0", "--in-memory").url
    return Visitor(new_context(viewport={"width": 1280, "height": 800}).new_page(), url)


def play(player: Visitor) -> Proxy:
    """Begin a game behind a proxy."""
    proxy = Proxy(player.page)
    player.to_lobby()
    player.start_board(BOARD)
    player.page.keyboard.press("Escape")
    expect(player.page.locator("#link")).to_have_attribute("data-state", "online")
    return proxy


def test_a_short_move_shows_one_line_and_leaves_no_word_behind(player: Visitor) -> None:
    proxy = play(player)
    before = player.page.locator("#log").inner_text()
    player.page.evaluate(WATCHING)
    proxy.move()
    said, then = player.page.evaluate("window.lines")
    assert said == ONE_MOMENT
    assert "connection" not in then
    player.flip(0, 0)
    expect(player.page.locator(".toast")).to_have_count(0)
    assert player.page.locator("#log").inner_text() == before


def test_a_click_during_the_move_is_answered_in_words(player: Visitor) -> None:
    proxy = play(player)
    proxy.is_open = False
    proxy.move()
    expect(player.next).to_have_text(ONE_MOMENT)
    player.cell(0, 0).click()
    expect(player.page.locator(".toast")).to_contain_text("Not connected")
    expect(player.next).to_have_text("The connection is lost. Trying to reconnect…")
    proxy.is_open = True
    player.page.locator("#link").click()
    expect(player.page.locator("#toasts")).to_contain_text("Connected again")
