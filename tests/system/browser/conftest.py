"""Fixtures of all page tests: a Chromium, and servers that are real processes.

`playwright` has the scope of this package: its synchronous API runs an event loop in this thread while it is open, and
the tests of other packages run trio in the same thread.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, Protocol, TypedDict, Unpack

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, ViewportSize, expect, sync_playwright

from tests.support.process import ServerProcess
from tests.system.browser.install import find_chromium

SLOW_MS = 300  # between two actions in a visible window, so that a person can follow

EXPECT_MS = 30_000  # a page that reconnects pauses up to 10 s, and a busy machine starts a server in 5

CHROMIUM_ARGUMENTS = (
    "--no-sandbox",  # CI containers run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--lang=en-US",  # the tests expect English pages on every machine
)


class Complaining(Protocol):
    """A player with a page that collects problems, such as script errors."""

    @property
    def page(self) -> Page: ...

    @property
    def complaints(self) -> list[str]: ...


@contextmanager
def without_complaints(players: Sequence[Complaining]) -> Iterator[None]:
    """Close the pages of these players at the end, and check that no page has had a problem."""
    yield
    for player in players:
        player.page.close()
    assert [player.complaints for player in players] == [[]] * len(players)


class Serve(Protocol):
    """Starts a server. It stops at the end of the test."""

    def __call__(self, *arguments: str) -> ServerProcess: ...


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers: `serve("memory", "--port", "0", board).url`. All are stopped at the end of the test."""
    yield from _serve()


def _serve() -> Iterator[Serve]:
    servers: list[ServerProcess] = []

    def start(*arguments: str) -> ServerProcess:
        servers.append(ServerProcess(*arguments))
        return servers[-1]

    yield start
    for server in servers:
        server.kill()  # an orderly end would wait for Chromium's idle connections


@pytest.fixture(scope="module")
def serve_module() -> Iterator[Serve]:
    """Starts servers for all tests of a module, which can share the state of a game."""
    yield from _serve()


@pytest.fixture(scope="module")
def plain_files() -> Iterator[None]:
    """The servers of this module serve the files of client/ without bundles: for tests that replace or lose a file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCRAMBLE_BUNDLES", "off")
        yield


class LaunchOptions(TypedDict):
    """Playwright's launch options for every browser here."""

    executable_path: str | None
    args: list[str]
    headless: bool
    slow_mo: float


def launch_options() -> LaunchOptions:
    """The Chromium on this machine, or playwright's own. Headless, unless the variable HEADED is set."""
    headed = "HEADED" in os.environ
    return {
        "executable_path": find_chromium(headed=headed),
        "args": list(CHROMIUM_ARGUMENTS),
        "headless": not headed,
        "slow_mo": SLOW_MS if headed else 0,
    }


@contextmanager
def chromium(playwright: Playwright, *more: str) -> Iterator[Browser]:
    """A running Chromium, with the arguments of all tests and the arguments in `more`."""
    expect.set_options(timeout=EXPECT_MS)
    options = launch_options()
    options["args"] = [*options["args"], *more]
    browser = playwright.chromium.launch(**options)
    yield browser
    browser.close()


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """Playwright for all page tests that this process runs one after another."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """A Chromium for all page tests that this process runs one after another."""
    with chromium(playwright) as browser:
        yield browser


class Look(TypedDict, total=False):
    """The options of playwright's `new_context` in these tests."""

    viewport: ViewportSize
    has_touch: bool
    is_mobile: bool
    device_scale_factor: float
    color_scheme: Literal["dark", "light"]
    reduced_motion: Literal["no-preference", "reduce"]
    locale: str  # en-US unless a test says otherwise


class NewContext(Protocol):
    """Opens a browser context without cookies and storage.

    With `alone` the context is new, and no other test gets it: for tests that change a context permanently, for example
    its clock. Only a
    context with `alone` and `workers` has service workers. Each service worker takes a process, and most tests do not
    need it.
    """

    def __call__(self, *, alone: bool = False, workers: bool = False, **look: Unpack[Look]) -> BrowserContext: ...


class Contexts:
    """Browser contexts, lent to one test after another.

    The first page of a new context starts its own process, which takes about a second of processor time. That is more
    than twice the time of a page in a context with a running process. An empty page keeps this process running.
    """

    # AF: _free has the unused contexts, by their look. _lent has the contexts of the running test.
    # RI: each context has a keeper, an empty page. A context in _free has no other page, no cookie and no stored data.

    def __init__(self, browser: Browser) -> None:
        self._browser: Final = browser
        self._keepers: Final[dict[BrowserContext, Page]] = {}
        self._free: Final[dict[str, list[BrowserContext]]] = {}
        self._lent: Final[list[tuple[str, BrowserContext]]] = []
        self._alone: Final[list[BrowserContext]] = []

    def lend(self, *, alone: bool = False, workers: bool = False, **look: Unpack[Look]) -> BrowserContext:
        """Lend a context with this look until `take_back`."""
        look = {"locale": "en-US", **look}
        if alone or workers:
            self._alone.append(self._open(workers=workers, **look))
            return self._alone[-1]
        kind = repr(sorted(look.items()))
        free = self._free.setdefault(kind, [])
        if free:
            context = free.pop()
        else:
            context = self._open(**look)
            self._keepers[context] = context.new_page()
        self._lent.append((kind, context))
        return context

    def _open(self, *, workers: bool = False, **look: Unpack[Look]) -> BrowserContext:
        context = self._browser.new_context(**look)
        if not workers:
            context.add_init_script("delete Navigator.prototype.serviceWorker")
        return context

    def take_back(self) -> None:
        """Close the pages of all lent contexts, and clear their data."""
        while self._alone:
            self._alone.pop().close()
        while self._lent:
            kind, context = self._lent.pop()
            keeper = self._keepers[context]
            for page in context.pages:
                if page is not keeper:
                    page.close()
            context.clear_cookies()
            context.clear_permissions()
            devtools = context.new_cdp_session(keeper)
            devtools.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
            devtools.detach()
            self._free[kind].append(context)


@pytest.fixture(scope="package")
def kept_contexts(browser: Browser) -> Contexts:
    """The contexts of all page tests that this process runs one after another."""
    return Contexts(browser)


@pytest.fixture
def ordinary_profile(browser: Browser, tmp_path: Path) -> Iterator[BrowserContext]:
    """A browser with a profile in a folder. Other contexts are incognito, which cannot install apps."""
    context = browser.browser_type.launch_persistent_context(tmp_path / "profile", locale="en-US", **launch_options())
    yield context
    context.close()


@pytest.fixture
def new_context(kept_contexts: Contexts) -> Iterator[NewContext]:
    """Opens contexts. All their pages are closed at the end of the test."""
    yield kept_contexts.lend
    kept_contexts.take_back()
