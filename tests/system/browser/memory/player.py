"""A player of Memory Scramble in a browser tab, with actions and checks for tests."""

from __future__ import annotations

import re
from typing import Final, Protocol

from playwright.sync_api import BrowserContext, Locator, Page, expect

BOARD: Final = "2x3\nA\nB\nA\nC\nB\nC\n"
SUGGESTED: Final = re.compile(r"^[a-z]+_[a-z]+$")


class Player:
    """One tab of a player with a name."""

    def __init__(self, page: Page, url: str, name: str | None = None) -> None:
        """Join under a name, or accept the suggested name with the keyboard."""
        self.page: Final = page
        page.goto(url)
        field = page.get_by_label("Your name", exact=True)
        if name is None:
            expect(field).to_have_value(SUGGESTED)
        else:
            field.fill(name)
        self.name: Final = field.input_value()
        if name is None:
            page.keyboard.press("Enter")
        else:
            page.get_by_role("button", name="Play", exact=True).click()
        expect(self.cell(0, 0)).to_be_visible()

    def rename(self, name: str) -> None:
        """Choose another name."""
        self.page.get_by_role("button", name="Change your name").click()
        self.page.get_by_label("Your name", exact=True).fill(name)
        self.page.keyboard.press("Enter")

    def cell(self, row: int, column: int) -> Locator:
        return self.page.locator(f'[role=gridcell][data-row="{row}"][data-column="{column}"]')

    def flip(self, row: int, column: int) -> None:
        """Click a card, and wait for the outcome."""
        self.cell(row, column).click()
        expect(self.page.locator("[role=gridcell][data-pending]")).to_have_count(0)

    def sees(self, row: int, column: int, label: str) -> None:
        """Check a cell's text for a screen reader: the part after row and column."""
        expect(self.cell(row, column)).to_have_attribute("aria-label", f"row {row + 1}, column {column + 1}, {label}")

    @property
    def next(self) -> Locator:
        """The line with the next action."""
        return self.page.locator("#next > p")

    def toast(self, text: str) -> Locator:
        return self.page.locator(".toast", has_text=text)

    def change_game(self, what: str) -> None:
        """Choose an item of the menu that changes the game for all players."""
        self.page.get_by_text("Change the game").click()
        self.page.locator("#menu").get_by_role("button", name=what).click()

    def row(self, name: str) -> Locator:
        """A player's row in the list beside the board."""
        return self.page.locator(f'#players > [data-player="{name}"]')

    def score(self, name: str) -> Locator:
        return self.row(name).locator(".player-score")

    @property
    def link(self) -> Locator:
        """The state of the connection, a button that retries at once."""
        return self.page.locator("#link")

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")


class Join(Protocol):
    def __call__(self, name: str, url: str | None = None, context: BrowserContext | None = None) -> Player: ...
