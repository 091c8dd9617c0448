"""The seconds from the lobby to the first card of a new game over 3G, compared with a bare page of as many bytes.

The bare page is one request for one text, over the same slow network.
"""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.bench.figure import Figure
from tests.support.process import ServerProcess
from tests.support.slow import slow_page, turn_a_card
from tests.system.browser.conftest import chromium


def loading() -> Iterator[Figure]:
    """Measure a browser that knows nothing, and then the same browser with the files that it keeps."""
    with (
        ServerProcess("serve", "--in-memory", "--port", "0") as server,
        sync_playwright() as playwright,
        chromium(playwright) as browser,
    ):
        context = browser.new_context(service_workers="block")  # the slow network would not slow the worker's requests
        for name in ("cold", "warm"):
            seconds, requests, size = _measure(context, server.url)
            bare = _bare(browser, size)
            yield Figure(
                f"lobby to the first card over 3G, {name}",
                f"{seconds:.2f} s, {requests} requests, {size / 1000:.0f} kB",
                f"{bare:.2f} s for a page of as many bytes",
                seconds / bare,
            )


def _measure(context: BrowserContext, url: str) -> tuple[float, int, int]:
    with slow_page(context) as (page, traffic):
        began = time.perf_counter()
        turn_a_card(page, url)
        return time.perf_counter() - began, len(traffic.asked), traffic.size


def _bare(browser: Browser, size: int) -> float:
    context = browser.new_context()
    with _bare_server(size) as url, slow_page(context) as (page, _):
        began = time.perf_counter()
        page.goto(url, wait_until="load")
        seconds = time.perf_counter() - began
    context.close()
    return seconds


class _Bare(http.server.BaseHTTPRequestHandler):
    """Answers with a text of `size` bytes."""

    def __init__(self, size: int, *rest: object) -> None:
        self._size = size
        super().__init__(*rest)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer."""
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(self._size))
        self.end_headers()
        self.wfile.write(b"x" * self._size)

    def log_message(self, format: str, *arguments: object) -> None:
        """Print nothing."""


@contextmanager
def _bare_server(size: int) -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Bare, size)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
