"""Players of Crossword Extravaganza for tests: one with the page, one with the real telnet program."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from typing import Final, Protocol, Self

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Server

HANG_S = 30  # to end a telnet that waits for what never comes, not to judge a slow one


class Player:
    """One tab of the page."""

    def __init__(self, page: Page, server: Server) -> None:
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
        if "ERR_CONNECTION_REFUSED" not in text:  # of a server that was stopped on purpose
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
        """Enter a line into the text box."""
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
        expect(self.clue(word)).to_have_attribute("aria-label", re.compile(f"entered by you: {letters}"))

    def sees(self, word: int, state: str) -> None:
        """Check what a screen reader says of a word's clue in the end."""
        expect(self.clue(word)).to_have_attribute("aria-label", re.compile(f", {state}$"))

    def spells(self, word: int, letters: str) -> None:
        """Check the letters of the chosen word, typing included."""
        self.clue(word).click()
        expect(self.page.locator("#clue-pattern > .slot")).to_have_text(list(letters))

    @property
    def message(self) -> Locator:
        return self.page.locator("#message")

    def toast(self, text: str) -> Locator:
        return self.page.locator(".toast", has_text=text)

    def points(self, name: str) -> Locator:
        return self.page.locator(f'#duel [data-player="{name}"] .side-points')

    def cut(self) -> None:
        """Lose the connection."""
        self.page.evaluate("sockets.at(-1).close()")


class Telnet:
    """The real telnet program, with a test for its user."""

    def __init__(self, port: int) -> None:
        program = shutil.which("telnet")
        if program is None:
            pytest.skip("telnet is not installed")
        self._process = subprocess.Popen(
            [program, "127.0.0.1", str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._timer = threading.Timer(HANG_S, self._process.kill)
        self._timer.start()

    def say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def read_until(self, pattern: str) -> str:
        """The first line that the pattern is found in."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if re.search(pattern, line):
                return line.rstrip("\r\n")
        raise AssertionError(f"telnet ended before {pattern!r}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._process.kill()
        self._process.communicate()


class Join(Protocol):
    """Opens the page in a browser of its own."""

    def __call__(self, server: Server | None = None, *, phone: bool = False) -> Player: ...


class Meet(Protocol):
    """Has two players log in and begin a match."""

    def __call__(self, puzzle: str, first: str, second: str, server: Server | None = None) -> tuple[Player, Player]: ...
