"""A viewer of a replay, with actions and checks for tests."""

from __future__ import annotations

import re
from typing import Final

from playwright.sync_api import Locator, Page, expect

from tests.system.browser.conftest import EXPECT_MS

HASH = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let hash = 0;
  for (const byte of data) hash = (Math.imul(hash, 31) + byte) | 0;
  return hash;
}"""


class Viewer:
    """One tab on a replay."""

    def __init__(self, page: Page, url: str, at: int | None = None) -> None:
        self.page: Final = page
        self.url: Final = url
        self.wrong: Final[list[str]] = []
        self.asked: Final[list[str]] = []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda message: self.wrong.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(f"{url}replay" if at is None else f"{url}replay?at={at}")

    def is_at(self, seq: int, last: int | None = None) -> None:
        """Wait until the page shows this move."""
        expect(self.page.locator("#count")).to_contain_text(
            re.compile(rf"move {seq} / {r'[0-9]+' if last is None else last}$")
        )
        expect(self.page.locator("html")).not_to_have_attribute("data-fetching", "")

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    @property
    def now(self) -> Locator:
        """The events of the shown move."""
        return self.page.locator("#now")

    @property
    def readout(self) -> Locator:
        """The line about the board: the square under the pointer, the heat map, or the caption."""
        return self.page.locator("#readout")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def slider(self) -> Locator:
        return self.page.get_by_role("slider", name="Move")

    def score(self, player: str) -> Locator:
        return self.page.locator(f'#players [data-player="{player}"] .player-score')

    def picture(self) -> int:
        """A checksum of the drawing."""
        found = self.page.locator("canvas.scene-canvas").evaluate(HASH)
        assert isinstance(found, int)
        return found

    def changes_from(self, picture: int) -> None:
        """Wait until the drawing is another one."""
        script = f"before => ({HASH})(document.querySelector('canvas.scene-canvas')) !== before"
        self.page.wait_for_function(script, arg=picture, timeout=EXPECT_MS)

    def point(self, row: int, column: int, rows: int, columns: int) -> None:
        """Move the pointer to a square."""
        box = self.page.locator("canvas.scene-canvas").bounding_box()
        assert box is not None
        x, y = (column + 0.5) * box["width"] / columns, (row + 0.5) * box["height"] / rows
        self.page.mouse.move(box["x"] + x, box["y"] + y)
