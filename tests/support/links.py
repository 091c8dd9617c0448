"""A connection that stores the frames of a feed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import trio

from scramble.front.web.feed import BesideTask, Feed
from scramble.front.web.websocket import Beside
from scramble.server.http.closing import CloseReason
from scramble.server.http.direct_write import Outlet

Send = Callable[[str], Awaitable[None]]


class TestLink:
    """A link with its tasks in `nursery`. It sends frames by `send`, or directly by an `outlet`.

    `reason` is the reason of a task that has closed the link.
    """

    __test__ = False

    def __init__(self, nursery: trio.Nursery, send: Send, outlet: Outlet | None = None) -> None:
        self.outlet: Final = outlet
        self.reason: CloseReason | None = None
        self._ended: Final = trio.Event()
        self._send: Final = send
        self._nursery: Final = nursery

    async def send(self, frame: str) -> None:
        """Send a frame."""
        await self._send(frame)

    def start_soon(self, task: BesideTask) -> None:
        """Run a task."""
        self._nursery.start_soon(self._run, task)

    async def _run(self, task: BesideTask) -> None:
        reason = await task()
        self.reason = self.reason or reason
        if self.reason is not None:
            self._ended.set()

    async def closed(self) -> CloseReason:
        """Wait until the link is closed, and return the reason."""
        await self._ended.wait()
        assert self.reason is not None
        return self.reason


async def connected(send: Send, *beside: Beside, outlet: Outlet | None = None) -> None:
    """Run a connection with these feeds and tasks until cancelled."""
    async with trio.open_nursery() as nursery:
        link = TestLink(nursery, send, outlet)
        leaves = [begin(link) for begin in beside]
        try:
            await trio.sleep_forever()
        finally:
            for leave in leaves:
                leave()


class Page:
    """A connection without an outlet that follows a feed, with the received frames and their times."""

    def __init__(self, feed: Feed) -> None:
        self.got: Final[list[str]] = []
        self.times: Final[list[float]] = []
        self.scope: Final = trio.CancelScope()
        self.slow_s = 0.0
        self._feed: Final = feed

    async def send(self, frame: str) -> None:
        self.got.append(frame)
        self.times.append(trio.current_time())
        await trio.sleep(self.slow_s)

    async def run(self) -> None:
        with self.scope:
            await connected(self.send, self._feed.follow)


def no_task(_: Callable[[], Awaitable[None]]) -> None:
    """Ignore a task, for feeds without tasks."""
    raise AssertionError("a task begins")
