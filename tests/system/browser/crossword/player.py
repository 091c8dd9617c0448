"""A player of Crossword Extravaganza with the page, for tests."""

from __future__ import annotations

import re
from typing import Final, Protocol, Self

from playwright.sync_api import Locator, Page, expect

from tests.support.process import ServerProcess

# A stopped server refuses connections. A killed server resets the open connections of its socket.
STOPPED = ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET")


def say(page: Page, line: str) -> None:
    """Enter a line into the text box: a name in START, and later a command, for which the box must be switched on."""
    if page.locator("#app").get_attribute("data-state") != "START":
        page.locator("#console-switch").evaluate("box => { if (!box.checked) box.click(); }")
    box = page.locator("#command")
    box.fill(line)
    box.press("Enter")


class Player:
    """One tab of the page."""

    def __init__(self, page: Page, server: ServerProcess) -> None:
        self.page: Final = page
        self.complaints: Final[list[str]] = []
        page.on("console", lambda message: self._complain(message.text))
        page.on("pageerror", lambda error: self._complain(str(error)))
        page.on("request", lambda request: self._check(request.url, server.url))
        # `cut` closes the page's latest socket, as a server or a broken network does.
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
        say(self.page, line)

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
        """Choose a word by its clue, and type over the whole word."""
        self.clue(word).click()
        self.page.keyboard.press("Home")
        self.page.keyboard.type(letters)

    def try_word(self, word: int, letters: str) -> None:
        self.type(word, letters)
        self.page.keyboard.press("Enter")
        expect(self.clue(word)).to_have_accessible_name(re.compile(f"entered by you: {letters}"))

    def sees(self, word: int, state: str) -> None:
        """Check the end of the clue's text for a screen reader."""
        expect(self.clue(word)).to_have_accessible_name(re.compile(f" – {state}$"))

    @property
    def message(self) -> Locator:
        return self.page.locator("#message")

    def toast(self, text: str) -> Locator:
        """The latest message, visible for some seconds. If another message may have followed, use `log`."""
        return self.page.locator(".toast", has_text=text)

    @property
    def log(self) -> Locator:
        """All messages so far."""
        return self.page.locator("#log")

    @property
    def link(self) -> Locator:
        """The state of the connection."""
        return self.page.locator("#link")

    def points(self, name: str) -> Locator:
        """The expected total."""
        return self.page.locator(f'#duel [data-player="{name}"] .side-points')

    def challenges(self, name: str) -> Locator:
        return self.page.locator(f'#duel [data-player="{name}"] .side-challenges')

    def cut(self) -> None:
        """Cut the connection."""
        self.page.evaluate("sockets.at(-1).close()")


class Join(Protocol):
    """Opens the page in its own browser."""

    def __call__(self, server: ServerProcess | None = None, *, phone: bool = False) -> Player: ...


class Meet(Protocol):
    """Lets two players log in and begin a match."""

    def __call__(
        self, puzzle: str, first: str, second: str, server: ServerProcess | None = None
    ) -> tuple[Player, Player]: ...
