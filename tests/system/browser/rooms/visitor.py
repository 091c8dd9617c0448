"""Visitors of a server of rooms in a browser: in its lobby and in a room."""

from __future__ import annotations

import re
from typing import Final, Literal, Protocol

from playwright.sync_api import Locator, Page, expect

Look = Literal["phone", "desk"]

BOARD: Final = "2x2\nA\nA\nB\nB\n"


class Visitor:
    """One browser tab."""

    def __init__(self, page: Page, url: str) -> None:
        self.page: Final = page
        self.url: Final = url  # the lobby's address

    # --- in the lobby

    def to_lobby(self) -> None:
        self.page.goto(self.url)
        expect(self.page.locator(".card")).not_to_have_count(0)

    def card(self, game: str) -> Locator:
        """The card of a game: memory, minesweeper or crossword."""
        return self.page.locator(f'.card[data-game="{game}"]')

    def unfold(self, game: str) -> Locator:
        """Open the choices of a game, unless they are open."""
        options = self.card(game).get_by_role("button", name="Options")
        if options.get_attribute("aria-expanded") != "true":
            options.click()
        return self.card(game).locator(".choices")

    def start_with(self, game: str, whom: Literal["Play a bot", "With friends"]) -> str:
        """Start a game by one tap. Return its address."""
        self.card(game).get_by_role("button", name=whom).click()
        return self.arrive()

    def start_board(self, board: str = BOARD) -> str:
        """Start Memory Scramble with the visitor's own board. Return its address."""
        choices = self.unfold("memory")
        choices.get_by_text("My own board").click()
        choices.get_by_role("textbox", name="My own board").fill(board)
        choices.get_by_role("button", name="Start").click()
        return self.arrive()

    def my_room(self, title: str) -> Locator:
        """The row of a room in the list of the visitor's own games. In a new browser the list is empty."""
        return self.page.locator("#my-rooms > .room", has_text=title)

    def my_room_at(self, address: str) -> Locator:
        """The row of the room with this address in the list of the visitor's own games."""
        return self.page.locator(f'#my-rooms > [data-room="{address.rpartition("/")[2]}"]')

    def open_room(self, address: str) -> Locator:
        """The row of the room with this address in the list of open games. The list may have games of other tests."""
        return self.page.locator(f'#open-rooms > [data-room="{address.rpartition("/")[2]}"]')

    # --- in a room

    def open(self, game: str = "memory", **fields: object) -> str:
        """Open a room as its host, without the lobby's page. Return its address."""
        answer = self.page.request.post(f"{self.url}rooms", data={"game": game, **fields})
        assert answer.status == 201, answer.text()
        return f"{self.url}g/{answer.json()['room']}"

    def arrive(self) -> str:
        """Wait for the board. Return the room's address."""
        expect(self.cell(0, 0)).to_be_visible()
        return self.page.url.partition("#")[0].partition("?")[0]

    def move_along(self, address: str) -> None:
        """Wait until the page has left this room for the next one. The server may redirect it several times."""
        expect(self.page).not_to_have_url(re.compile(f"^{re.escape(address)}"))

    def join(self, address: str, name: str | None = None) -> None:
        """Open a room's address, and join under a name, or under the suggested name."""
        self.page.goto(address)
        self.join_here(name)

    def join_here(self, name: str | None = None) -> None:
        """Join in the dialog of the opened page."""
        if name is not None:
            self.page.get_by_label("Your name", exact=True).fill(name)
        self.page.get_by_role("button", name="Play", exact=True).click()
        self.arrive()

    @property
    def name(self) -> str:
        """The name of the player in this tab."""
        return self.page.locator("#me .chip-name").inner_text()

    @property
    def me(self) -> Locator:
        """The player's chip in the bar. It is hidden while the visitor watches."""
        return self.page.locator("#me")

    @property
    def log(self) -> Locator:
        """The list of all messages."""
        return self.page.locator("#log")

    @property
    def menu(self) -> Locator:
        """The opened menu of the room."""
        panel = self.page.locator("#room-menu")
        if panel.get_attribute("open") is None:
            panel.locator("summary").click()
        return panel

    def hand_over(self) -> str:
        """Show the dialog that moves the seat to another device. Return its link."""
        self.menu.get_by_role("button", name="Other device…").click()
        link = self.page.get_by_role("dialog", name="Go on with another device").get_by_label("Link for another device")
        expect(link).to_have_value(re.compile("#seat="))
        return link.input_value()

    @property
    def moved(self) -> Locator:
        """The question on this device when the seat has moved to another device."""
        return self.page.get_by_role("dialog", name="You play on your other device now")

    def cell(self, row: int, column: int) -> Locator:
        return self.page.locator(f'[role=gridcell][data-row="{row}"][data-column="{column}"]')

    def flip(self, row: int, column: int) -> None:
        """Click a card, and wait for the outcome."""
        self.cell(row, column).click()
        expect(self.page.locator("[role=gridcell][data-pending]")).to_have_count(0)

    def take_all(self) -> None:
        """Turn over both pairs of BOARD, in any places."""
        first, *others = ((0, 0), (0, 1), (1, 0), (1, 1))
        for second in others:
            self.flip(*first)
            self.flip(*second)
            # When the second card is up, the page also has the outcome of the first flip.
            expect(self.cell(*second)).to_have_attribute("data-is", "up")
            if self.cell(*first).get_attribute("data-held") == "mine":
                break
        for place in others:
            if place != second:
                self.flip(*place)

    @property
    def next(self) -> Locator:
        """The line with the next action."""
        return self.page.locator("#next > p")

    def player(self, name: str) -> Locator:
        """A player's row in the list beside the board."""
        return self.page.locator(f'#players > [data-player="{name}"]')

    @property
    def ending(self) -> Locator:
        """The table at the end of a game."""
        return self.page.locator("#ending[open]")


def hand_over_and_take_back(player: Visitor, device: Visitor, name: str) -> None:
    """Move a player's seat to another device, and back. Then the other device watches."""
    device.page.goto(player.hand_over())
    expect(device.me).to_contain_text(name)
    player.moved.get_by_role("button", name="Take it back").click()
    expect(player.me).to_contain_text(name)
    device.moved.get_by_role("button", name="Watch").click()
    expect(device.next).to_contain_text("watching")
    expect(device.me).to_be_hidden()


class Visit(Protocol):
    """Opens a tab in its own browser. With `alone`, no other test gets this browser; see `NewContext`."""

    def __call__(self, look: Look = "desk", url: str | None = None, *, alone: bool = False) -> Visitor: ...
