"""The pages over HTTPS, in a real Chromium, with the test's own certificate; and pages of other origins.

Testing strategy: each game's page over HTTPS, with play over wss; a page of another site, with and without `--origin`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.certificates import Certificate, make_certificate
from tests.support.process import ServerProcess
from tests.system.browser.conftest import Serve
from tests.system.browser.memory.player import Player

pytestmark = pytest.mark.browser

GAMES = {
    "memory": ("memory", "--port", "0"),
    "minesweeper": ("minesweeper", "--port", "0", "--http-port", "0"),
    "crossword": ("crossword", "--port", "0", "--telnet-port", "0"),
}

NO_WORKER = "An unknown error occurred when fetching the script."
"""The browser's error about a service worker after a certificate warning. Then the page has no service worker."""

OPEN = """url => new Promise(resolve => {
    const socket = new WebSocket(url);
    socket.onopen = () => resolve("open");
    socket.onerror = () => resolve("refused");
})"""


@pytest.fixture(name="certificate", scope="module")
def _certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(name="page")
def _page(browser: Browser) -> Iterator[Page]:
    """A page of a browser whose user has accepted the unknown certificate."""
    context = browser.new_context(ignore_https_errors=True)
    yield context.new_page()
    context.close()


def secure_url(server: ServerProcess) -> str:
    return server.wait_for(r"https://\S+/").group()


@pytest.mark.parametrize("game", GAMES)
def test_each_page_works_over_https(game: str, page: Page, serve: Serve, certificate: Certificate) -> None:
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.text != NO_WORKER else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    options = ("--certfile", str(certificate.certfile), "--keyfile", str(certificate.keyfile))
    url = secure_url(serve(*GAMES[game], *options))
    if game == "memory":
        Player(page, url, "alice").flip(0, 0)
    else:
        page.goto(url)
        expect(page.locator(":focus")).to_have_value(re.compile("."))  # the page suggests a name
        page.keyboard.press("Enter")
    expect(page.locator("#link .word")).to_have_text("Connected")
    assert wrong == []


def test_a_page_from_elsewhere_may_not_open_the_websocket_if_an_origin_is_given(page: Page, serve: Serve) -> None:
    home = serve("memory", "--port", "0")
    open_to_all = serve("memory", "--port", "0")
    closed = serve("memory", "--port", "0", "--origin", "https://play.example.org")
    mine = serve("memory", "--port", "0", "--origin", home.url)
    page.goto(home.url)  # the policy of this page permits connections to any server
    answers = {
        server.url: page.evaluate(OPEN, f"{server.url.replace('http', 'ws')}play/eve")
        for server in (open_to_all, closed, mine)
    }
    assert answers == {open_to_all.url: "open", closed.url: "refused", mine.url: "open"}
