"""A journey over a slow network: from the lobby to the first card of a new game, with the requests that it takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import BrowserContext, Page

# 3G, as in the tools of browsers
THREE_G = {"offline": False, "latency": 300, "downloadThroughput": 1_600_000 / 8, "uploadThroughput": 750_000 / 8}

ARRIVED = """() =>
    Promise.all([document.fonts.ready, ...[...document.images].map((image) => image.decode())]).then(() => null)"""


@dataclass
class Traffic:
    """What a page has requested over the network: addresses without those of files that the browser had."""

    cached: set[str] = field(default_factory=set)  # the identifiers of requests
    of: dict[str, str] = field(default_factory=dict)  # the addresses, by the identifiers of requests
    size: int = 0  # bytes that the browser has received

    @property
    def asked(self) -> list[str]:
        """The addresses of the requests that went over the network, WebSockets included."""
        return [address for request, address in self.of.items() if request not in self.cached]


@contextmanager
def slow_page(context: BrowserContext, *, is_slow: bool = True) -> Iterator[tuple[Page, Traffic]]:
    """A page of the browser context, behind a slow network if `is_slow`, and its traffic."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    traffic = Traffic()

    def begins(event: dict[str, Any]) -> None:
        traffic.of[event["requestId"]] = event["request"]["url"]

    def opens(event: dict[str, Any]) -> None:
        traffic.of[event["requestId"]] = event["url"]

    def answered(event: dict[str, Any]) -> None:
        if event["response"].get("fromDiskCache"):
            traffic.cached.add(event["requestId"])

    def ends(event: dict[str, Any]) -> None:
        traffic.size += event["encodedDataLength"]

    session.on("Network.requestWillBeSent", begins)
    session.on("Network.webSocketCreated", opens)
    session.on("Network.requestServedFromCache", lambda event: traffic.cached.add(event["requestId"]))
    session.on("Network.responseReceived", answered)
    session.on("Network.loadingFinished", ends)
    session.send("Network.enable")
    if is_slow:
        session.send("Network.emulateNetworkConditions", THREE_G)
    yield page, traffic
    page.close()


def turn_a_card(page: Page, lobby: str) -> None:
    """Open the lobby, begin a game of memory against a bot, and turn a card over.

    The lobby has its pictures before the game begins: the next page asks again for a picture that has not arrived.
    """
    page.goto(lobby, wait_until="commit")
    page.locator("#daily img").first.wait_for()
    page.evaluate(ARRIVED)
    page.get_by_role("button", name="Play a bot").first.click()
    page.locator("#frame .cell").first.click()
    page.locator("#frame .cell[data-is=up]").first.wait_for()
