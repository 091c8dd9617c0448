"""What all page tests share: a Chromium, and servers that are real processes.

`browser` has the scope of a module: playwright's synchronous API keeps an event loop running in this thread for as
long as it is open, and the tests of other modules run trio here.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Final, Protocol

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.install import find_chromium

STOP_S = 5

CHROMIUM_ARGUMENTS = (
    "--no-sandbox",  # CI containers run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Server:
    """A `scramble` server in a process of its own."""

    def __init__(self, *arguments: str) -> None:
        """Start `scramble *arguments`. Use `url` or `wait_for` to wait until it listens."""
        self._process: Final = subprocess.Popen(
            [sys.executable, "-m", "scramble.cli", *arguments], stdout=subprocess.PIPE, text=True
        )
        self._printed = ""

    def wait_for(self, pattern: str) -> re.Match[str]:
        """The first match of `pattern` in what the server prints; waits until it prints that."""
        assert self._process.stdout is not None
        while not (match := re.search(pattern, self._printed)):
            line = self._process.stdout.readline()
            assert line, f"the server ended without printing {pattern!r}, but {self._printed!r}"
            self._printed += line
        return match

    @property
    def url(self) -> str:
        """The address of its page, ending in a slash."""
        return self.wait_for(r"http://\S+/").group()

    @property
    def port(self) -> int:
        """The port of its page."""
        return int(self.wait_for(r"http://[^/]+:(\d+)/").group(1))

    def kill(self) -> None:
        """End it as a crash does: it has no time for anything. Waits until it is gone."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """Ask it to stop, as Ctrl-C does, and wait until it has. Stopping twice is stopping once."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(STOP_S)
        finally:
            self._process.kill()
            self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()


class Serve(Protocol):
    """Starts a server that is stopped when the test is over."""

    def __call__(self, *arguments: str) -> Server: ...


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers: `serve("memory", "--port", "0", board).url`. All are stopped at the end of the test."""
    yield from _serve()


def _serve() -> Iterator[Serve]:
    servers: list[Server] = []

    def start(*arguments: str) -> Server:
        servers.append(Server(*arguments))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(scope="module")
def serve_module() -> Iterator[Serve]:
    """Starts servers for all tests of a module: for those who do not mind what others did to the game."""
    yield from _serve()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium: the one on this machine, else playwright's own."""
    expect.set_options(timeout=10_000)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=list(CHROMIUM_ARGUMENTS))
        yield chromium
        chromium.close()
