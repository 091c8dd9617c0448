"""A player of Minesweeper with the page, for tests."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Protocol
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Locator, Page, WebSocketRoute, expect

from tests.support.process import ServerProcess

PICTURE = """(canvas, [x, y, cell]) => {
  const [size, edge] = [cell * devicePixelRatio, cell * devicePixelRatio * 0.1];
  const inner = size - 2 * edge;
  const image = canvas.getContext("2d").getImageData(x * size + edge, y * size + edge, inner, inner);
  let hash = 0;
  for (const byte of image.data) hash = (Math.imul(hash, 31) + byte) | 0;
  return hash;
}"""


class Player:
    """One tab of a player with a name."""

    def __init__(self, page: Page, url: str, name: str) -> None:
        self.page: Final = page
        self._host: Final = urlsplit(url).netloc
        self._devtools: Final = page.context.new_cdp_session(page)
        self.complaints: Final[list[str]] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._hear)
        page.on("request", lambda request: self._check(request.url))
        page.on("websocket", lambda socket: self._check(socket.url))
        page.goto(url)
        page.get_by_label("Your name", exact=True).fill(name)
        page.get_by_role("button", name="Play", exact=True).click()
        expect(self.focused).to_have_attribute("aria-label", re.compile("column 1, row 1"))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error" and "WebSocket" not in message.text and "ERR_CONNECTION" not in message.text:
            self.complaints.append(message.text)

    def _check(self, address: str) -> None:
        """The page asks no other site."""
        if urlsplit(address).netloc not in ("", self._host):
            self.complaints.append(f"a request to {address}")

    @property
    def focused(self) -> Locator:
        return self.page.locator(":focus")

    def place(self, x: int, y: int) -> tuple[float, float]:
        """The middle of a square, in the window."""
        box = self.page.locator(".minefield").bounding_box()
        assert box is not None
        cell = self.cell
        return box["x"] + (x + 0.5) * cell, box["y"] + (y + 0.5) * cell

    @property
    def cell(self) -> float:
        """The size of a square in pixels."""
        size = self.page.locator(".minefield").evaluate("field => field.style.getPropertyValue('--cell')")
        return float(str(size).removesuffix("px"))

    def click(self, x: int, y: int, *, right: bool = False) -> None:
        self.page.mouse.click(*self.place(x, y), button="right" if right else "left")

    def sees(self, x: int, y: int, label: str) -> None:
        """Go to a square with the keyboard, and check its text for a screen reader: the part after column and row."""
        self.page.locator(".square[tabindex='0']").focus()
        self.page.keyboard.press("Control+Home")
        for key, count in (("ArrowRight", x), ("ArrowDown", y)):
            for _ in range(count):
                self.page.keyboard.press(key)
        expect(self.focused).to_have_attribute("aria-label", f"column {x + 1}, row {y + 1}, {label}")

    def square(self, x: int, y: int, state: str) -> Locator:
        """The element of a square near the focus, if its state begins so."""
        return self.page.get_by_role("gridcell", name=re.compile(f"^column {x + 1}, row {y + 1}, {state}"))

    def picture(self, x: int, y: int) -> str:
        """The colours of a square on the canvas, without the layers above the canvas."""
        return str(self.page.locator(".minefield-view").evaluate(PICTURE, [x, y, self.cell]))

    @property
    def next(self) -> Locator:
        """The line with the next action."""
        return self.page.locator("#next > p")

    @property
    def live(self) -> Locator:
        """The text for a screen reader, in a polite live region."""
        return self.page.locator("#live[aria-live=polite]")

    @property
    def log(self) -> Locator:
        """All messages so far."""
        return self.page.locator("#log")

    @property
    def result(self) -> Locator:
        return self.page.get_by_role("dialog", name="The field is clear")

    def toast(self, text: str) -> Locator:
        return self.page.locator(".toast", has_text=text)

    @property
    def boom(self) -> Locator:
        return self.page.get_by_role("dialog", name="BOOM!")

    @property
    def players(self) -> Locator:
        return self.page.locator("#players > li")

    def touch(self, kind: str, *points: tuple[float, float]) -> None:
        """Put fingers down, move them, or lift them: touchStart, touchMove, touchEnd."""
        touches = [{"x": x, "y": y} for x, y in points]
        self._devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


Through = Callable[[WebSocketRoute], None]
"""A handler that controls a page's connection."""


class Join(Protocol):
    """Opens the page in its own browser, and joins under this name."""

    def __call__(
        self, name: str, server: ServerProcess, *, phone: bool = False, through: Through | None = None
    ) -> Player: ...
