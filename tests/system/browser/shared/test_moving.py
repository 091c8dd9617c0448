"""Pages whose game moves to another process of its cluster, is paused, or answers late.

Testing strategy. A single server never sends some frames. So a proxy of the browser sends them: the code 1012, the
frame `held`, a late answer. A short move shows a line in the meantime and no toast. A long absence counts as a loss,
like any other. A click in the meantime gets a message.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.memory.player import BOARD
from tests.system.browser.patience import be_patient
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
}"""  # the text of the line, and its later texts


class Proxy:
    """A proxy between a page and its server. It cuts the page's WebSockets, and holds new ones while it is closed."""

    def __init__(self, page: Page) -> None:
        self.is_open = True
        self.late: list[Callable[[], None]] | None = None  # the messages of the page from now on
        self._page = page
        self._sockets: list[WebSocketRoute] = []
        page.route_web_socket("**/play/**", self._connect)

    def move(self) -> None:
        """Close the page's WebSockets like a server whose game moves."""
        for socket in self._sockets:
            socket.close(code=MOVED, reason="moved")
        self._sockets.clear()

    def say(self, frame: dict[str, object]) -> None:
        """Send a frame to the page in the server's name."""
        self._sockets[-1].send(json.dumps(frame))

    def let_pass(self) -> None:
        """Send the held messages."""
        sends, self.late = self.late or [], None
        for send in sends:
            send()

    def _connect(self, socket: WebSocketRoute) -> None:
        if not self.is_open:
            socket.close(code=MOVED, reason="moved")
            return
        server = socket.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            if self.late is None:
                server.send(message)
            else:
                self.late.append(lambda: server.send(message))

        socket.on_message(pass_on)
        self._sockets.append(socket)


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
    be_patient(player.page)
    proxy = play(player)
    proxy.is_open = False
    proxy.move()
    expect(player.next).to_have_text(ONE_MOMENT)
    player.cell(0, 0).click()
    words = "Try again in a moment: you cannot turn over a card now."
    expect(player.page.locator(".toast-text")).to_have_text(words)
    proxy.is_open = True
    player.page.locator("#link").click()
    expect(player.page.locator("#link")).to_have_attribute("data-state", "online")
    expect(player.page.locator("#toasts")).not_to_contain_text("Connected again")


def test_a_long_move_is_a_loss(player: Visitor) -> None:
    proxy = play(player)
    proxy.is_open = False
    proxy.move()
    expect(player.next).to_have_text("The connection is lost. Trying to reconnect…")
    proxy.is_open = True
    player.page.locator("#link").click()
    expect(player.page.locator("#toasts")).to_contain_text("Connected again")


def test_a_move_without_an_answer_shows_the_line_until_it_comes(player: Visitor) -> None:
    be_patient(player.page)
    proxy = play(player)
    before = player.page.locator("#log").inner_text()
    proxy.late = []
    player.cell(0, 0).click()
    expect(player.next).to_have_text(ONE_MOMENT)
    expect(player.page.locator("#link")).to_have_text("One moment…")
    proxy.let_pass()
    expect(player.cell(0, 0)).to_have_attribute("data-is", "up")
    expect(player.next).not_to_have_text(ONE_MOMENT)
    expect(player.page.locator(".toast")).to_have_count(0)
    assert player.page.locator("#log").inner_text() == before


def test_a_game_that_is_held_up_says_so_until_it_goes_on_and_looks_for_another_process_if_it_does_not(
    player: Visitor,
) -> None:
    proxy = play(player)
    link = player.page.locator("#link")
    player.page.evaluate(WATCHING)
    proxy.say({"type": "held", "held": True})
    proxy.say({"type": "reaction", "player": "nobody", "emoji": "👍"})
    proxy.say({"type": "held", "held": False})
    said, then = player.page.evaluate("window.lines")
    assert said == ONE_MOMENT
    assert then != ONE_MOMENT
    expect(link).to_have_attribute("data-state", "online")
    proxy.say({"type": "held", "held": True})
    expect(player.page.locator("#toasts")).to_contain_text("Connected again")
    expect(link).to_have_attribute("data-state", "online")
    player.flip(0, 0)
