"""The pages over HTTPS, in a real Chromium, with the test's own certificate.

Testing strategy: the lobby, a room and a move over wss, on one page, without errors.
tests/system/cli/test_protection.py tests each game over HTTPS, tests/system/http/test_middleware.py other origins.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, expect

from tests.support.certificates import make_certificate
from tests.system.browser.conftest import Serve
from tests.system.browser.rooms.visitor import Visitor

pytestmark = pytest.mark.browser

NO_WORKER = "An unknown error occurred when fetching the script."
"""The browser's error about a service worker after a certificate warning. Then the page has no service worker."""


def test_the_lobby_and_a_room_work_over_https(browser: Browser, serve: Serve, tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    files = ("--certfile", str(certificate.certfile), "--keyfile", str(certificate.keyfile))
    server = serve("serve", "--port", "0", "--in-memory", *files)
    context = browser.new_context(ignore_https_errors=True)  # the user has accepted the unknown certificate
    page = context.new_page()
    wrong: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("warning", "error") and message.text != NO_WORKER:
            wrong.append(message.text)

    page.on("console", hear)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    visitor = Visitor(page, server.wait_for(r"https://\S+/").group())
    visitor.to_lobby()
    visitor.start_board()
    page.keyboard.press("Escape")
    visitor.flip(0, 0)
    expect(visitor.cell(0, 0)).to_have_attribute("data-is", "up")
    context.close()
    assert wrong == []
