"""Players of Crossword Extravaganza for tests, with the page."""

from __future__ import annotations

import re
from typing import Final, Protocol, Self

from playwright.sync_api import Locator, Page, expect

from tests.support.process import ServerProcess

# A server that was stopped on purpose refuses connections. One that was killed resets those that its socket still held.
STOPPED = ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET")


class Player:
    """One tab of the page."""

    def __init__(self, page: Page, server: ServerProcess) -> None:
        self.page: Final = page
        self.complaints: Final[list[str]] = []
        page.on("console", lambda message: self._complain(message.text))
        page.on("pageerror", lambda error: self._complain(str(error)))
        page.on("request", lambda request: self._check(request.url, server.url))
        # What the server, or the network, does: it closes the socket.
        page.add_init_script(
            """window.sockets = [];
            window.WebSocket = class extends WebSocket {
                constructor(...args) { super(...args); window.sockets.push(this); }
            };"""
        )
        page.goto(server.url)

    def _complain(self, text: str) -> None:
        if not any(error in text for error in STOPPED):
            self.complaints.append(text)

    def _check(self, asked: str, server: str) -> None:
        if not asked.startswith(server):
            self.complaints.append(f"asked {asked}")

    def is_in(self, state: str) -> None:
        expect(self.page.locator("#app")).to_have_attribute("data-state", state)

    @property
    def box(self) -> Locator:
        return self.page.locator("#command")

    def say(self, line: str) -> None:
        """Enter a line into the text box, which may be folded."""
        self.page.locator("#console-fold").evaluate("fold => { fold.open = true; }")
        self.box.fill(line)
        self.box.press("Enter")

    def log_in(self, name: str) -> Self:
        self.say(name)
        self.is_in("CHOOSE")
        return self

    def start(self, puzzle: str, match: str) -> None:
        self.say(f'NEW {match} {puzzle} "come and play"')
        self.is_in("WAIT")

    def square(self, row: int, column: int) -> Locator:
        return self.page.locator(f'[role=gridcell][data-row="{row}"][data-column="{column}"]')

    def clue(self, word: int) -> Locator:
        return self.page.locator(f'.clue[data-word="{word}"]')

    def type(self, word: int, letters: str) -> None:
        """Choose a word by its clue, and type over all of it."""
        self.clue(word).click()
        self.page.keyboard.press("Home")
        self.page.keyboard.type(letters)

    def try_word(self, word: int, letters: str) -> None:
        self.type(word, letters)
        self.page.keyboard.press("Enter")
        expect(self.clue(word)).to_have_accessible_name(re.compile(f"entered by you: {letters}"))

    def sees(self, word: int, state: str) -> None:
        """Check what a screen reader says of a word's clue in the end."""
        expect(self.clue(word)).to_have_accessible_name(re.compile(f" – {state}$"))

    def spells(self, word: int, letters: str) -> None:
        """Check the letters of the chosen word, typing included."""
        self.clue(word).click()
        expect(self.page.locator("#clue-pattern > .slot")).to_have_text(list(letters))

    @property
    def message(self) -> Locator:
        return self.page.locator("#message")

    def toast(self, text: str) -> Locator:
        """A message that shows: the last one of some seconds. For one that another may have followed: `log`."""
        return self.page.locator(".toast", has_text=text)

    @property
    def log(self) -> Locator:
        """All messages so far."""
        return self.page.locator("#log")

    def points(self, name: str) -> Locator:
        return self.page.locator(f'#duel [data-player="{name}"] .side-points')

    def cut(self) -> None:
        """Lose the connection."""
        self.page.evaluate("sockets.at(-1).close()")


class Join(Protocol):
    """Opens the page in a browser of its own."""

    def __call__(self, server: ServerProcess | None = None, *, phone: bool = False) -> Player: ...


class Meet(Protocol):
    """Has two players log in and begin a match."""

    def __call__(
        self, puzzle: str, first: str, second: str, server: ServerProcess | None = None
    ) -> tuple[Player, Player]: ...
