"""A page whose game moves to another process of its cluster, is paused, answers late or not at all, or ends.

Testing strategy. A single server never moves or pauses a game. So a proxy in the browser sends close codes and the
frame `held`, and delays or drops messages. One page goes through all of it. A short break shows a line in the meantime
and no toast; a click gets a message, which stays while the pointer is on it. A long break is shown as a lost
connection. A dead connection is replaced. A closed room is not tried again. The page's clock is moved on instead of
waiting, and its time limits are longer, so that they never run out by themselves.
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

MOVED, CLOSED = 1012, 4410  # close codes
PATIENCE = 20  # a factor: be_patient makes limits of 3 seconds and more that much longer
LEAP_S = 50  # the longest step of the clock; after 100 s, the page would suspect a sleep of the machine
SLOW_S, MOMENT_S, ANSWER_S, TOAST_S = (
    2,
    4,
    8,
    6,
)  # limits of the pages: a slow answer, a short break, no answer, a toast

ONE_MOMENT = "One moment: the game goes on at once."
NOT_NOW = "Try again in a moment: you cannot turn over a card now."
WATCHING = """() => {
    const line = document.querySelector("#next > p");
    window.lines = new Promise((resolve) => {
        const lines = [];
        new MutationObserver(() => {
            lines.push(line.textContent);
            if (lines.length === 2) resolve(lines);
        }).observe(line, { childList: true, characterData: true, subtree: true });
    });
}"""  # the next two texts of the line


class Proxy:
    """A proxy between a page and its server. It can close the page's WebSockets, refuse new ones, and hold messages."""

    def __init__(self, page: Page) -> None:
        self.is_open = True
        self.connections = 0  # WebSockets that the page has opened, also refused ones
        self.late: list[Callable[[], None]] | None = None  # held messages of the page; None: no message is held
        self._sockets: list[WebSocketRoute] = []
        page.route_web_socket("**/play/**", self._connect)

    def close(self, code: int) -> None:
        """Close the page's WebSockets with this code."""
        for socket in self._sockets:
            socket.close(code=code, reason="the test says so")
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
        self.connections += 1
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


class Tab(Visitor):
    """A player's tab behind a proxy, with a clock that the test moves on."""

    def __init__(self, page: Page, url: str) -> None:
        super().__init__(page, url)
        page.clock.install()
        be_patient(page)
        self.proxy = Proxy(page)
        self.to_lobby()
        self.start_board(BOARD)
        page.keyboard.press("Escape")
        self.is_online()

    def move_clock(self, limit_s: int) -> None:
        """Move the page's clock past this time limit."""
        for _ in range(0, PATIENCE * limit_s + LEAP_S, LEAP_S):
            self.page.clock.fast_forward(1000 * LEAP_S)

    def is_online(self) -> None:
        expect(self.page.locator("#link")).to_have_attribute("data-state", "online")


def test_a_page_comes_back_from_each_kind_of_break_until_its_room_is_closed(
    new_context: NewContext, serve: Serve
) -> None:
    tab = Tab(
        new_context(alone=True, viewport={"width": 1280, "height": 800}).new_page(),
        serve("serve", "--port", "0", "--in-memory").url,
    )
    move_shortly(tab)
    answer_late(tab)
    pause(tab)
    click_during_a_move(tab)
    read_the_toast(tab)
    lose_the_answers(tab)
    move_for_long(tab)
    close_the_room(tab)


def move_shortly(tab: Tab) -> None:
    """A short move shows one line, and leaves no words behind."""
    before = tab.log.inner_text()
    tab.page.evaluate(WATCHING)
    tab.proxy.close(MOVED)
    said, then = tab.page.evaluate("window.lines")
    assert said == ONE_MOMENT
    assert "connection" not in then
    expect(tab.page.locator(".toast")).to_have_count(0)
    assert tab.log.inner_text() == before


def answer_late(tab: Tab) -> None:
    """A move without an answer shows the line until the answer comes."""
    before = tab.log.inner_text()
    tab.proxy.late = []
    tab.cell(0, 0).click()
    tab.page.clock.fast_forward(1000 * SLOW_S)
    expect(tab.next).to_have_text(ONE_MOMENT)
    expect(tab.page.locator("#link")).to_have_text("One moment…")
    tab.proxy.let_pass()
    expect(tab.cell(0, 0)).to_have_attribute("data-is", "up")
    expect(tab.next).not_to_have_text(ONE_MOMENT)
    expect(tab.page.locator(".toast")).to_have_count(0)
    assert tab.log.inner_text() == before


def pause(tab: Tab) -> None:
    """A game that is held up says so until it goes on. If it does not, the page looks for another process."""
    tab.page.evaluate(WATCHING)
    tab.proxy.say({"type": "held", "held": True})
    tab.proxy.say({"type": "reaction", "player": "nobody", "emoji": "👍"})
    tab.proxy.say({"type": "held", "held": False})
    said, then = tab.page.evaluate("window.lines")
    assert said == ONE_MOMENT
    assert then != ONE_MOMENT
    tab.is_online()
    connections = tab.proxy.connections
    tab.proxy.say({"type": "held", "held": True})
    expect(tab.next).to_have_text(ONE_MOMENT)
    tab.move_clock(MOMENT_S)
    tab.is_online()
    assert tab.proxy.connections == connections + 1
    expect(tab.page.locator("#toasts")).to_contain_text("Connected again")
    tab.page.locator(".toast-close").click()


def click_during_a_move(tab: Tab) -> None:
    """A click during the move is answered in words."""
    tab.proxy.is_open = False
    tab.proxy.close(MOVED)
    expect(tab.next).to_have_text(ONE_MOMENT)
    tab.cell(1, 0).click()
    expect(tab.page.locator(".toast-text")).to_have_text(NOT_NOW)
    tab.proxy.is_open = True
    tab.page.locator("#link").press("Enter")  # with a long name in the bar, the toast covers this button for a pointer
    tab.is_online()
    expect(tab.page.locator("#toasts")).not_to_contain_text("Connected again")


def read_the_toast(tab: Tab) -> None:
    """A toast stays while the pointer is on it, and disappears after that."""
    toast = tab.page.locator(".toast", has_text=NOT_NOW)
    toast.hover()
    tab.move_clock(TOAST_S)
    expect(toast).to_be_visible()
    tab.page.mouse.move(0, 0)
    tab.move_clock(TOAST_S)
    expect(toast).to_have_count(0)


def lose_the_answers(tab: Tab) -> None:
    """A connection without answers is replaced."""
    connections = tab.proxy.connections
    tab.proxy.late = []
    tab.cell(0, 1).click()
    tab.page.clock.fast_forward(1000 * SLOW_S)
    expect(tab.next).to_have_text(ONE_MOMENT)
    tab.proxy.late = None  # the next connection is a good one
    tab.move_clock(ANSWER_S)
    tab.is_online()
    assert tab.proxy.connections == connections + 1
    tab.flip(0, 1)
    expect(tab.cell(0, 1)).to_have_attribute("data-is", "up")


def move_for_long(tab: Tab) -> None:
    """A long move is a loss."""
    tab.proxy.is_open = False
    tab.proxy.close(MOVED)
    expect(tab.next).to_have_text(ONE_MOMENT)
    tab.move_clock(MOMENT_S)
    expect(tab.next).to_have_text("The connection is lost. Trying to reconnect…")
    tab.proxy.is_open = True
    tab.page.locator("#link").click()
    expect(tab.page.locator("#toasts")).to_contain_text("Connected again")


def close_the_room(tab: Tab) -> None:
    """A closed room is not tried again."""
    connections = tab.proxy.connections
    tab.proxy.close(CLOSED)
    expect(tab.page.locator("#link")).to_have_attribute("data-state", "closed")
    tab.move_clock(ANSWER_S)
    assert tab.proxy.connections == connections
