"""A connection that keeps what it is sent, for what connections have beside their frames."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import trio

from scramble.front.web.websocket import Beside, BesideTask
from scramble.server.http.outlet import Outlet

Send = Callable[[str], Awaitable[None]]


class TestLink:
    """A link whose tasks run in `nursery`, and whose frames are sent by `send`, and past it by an `outlet`."""

    __test__ = False

    def __init__(self, nursery: trio.Nursery, send: Send, outlet: Outlet | None = None) -> None:
        self.outlet: Final = outlet
        self._send: Final = send
        self._nursery: Final = nursery

    async def send(self, frame: str) -> None:
        """Send a frame."""
        await self._send(frame)

    def start_soon(self, task: BesideTask) -> None:
        """Run a task."""
        self._nursery.start_soon(task)


async def connected(send: Send, *beside: Beside, outlet: Outlet | None = None) -> None:
    """Have a connection, with these beside its frames. Runs until cancelled."""
    async with trio.open_nursery() as nursery:
        link = TestLink(nursery, send, outlet)
        leaves = [leave for begin in beside if (leave := begin(link)) is not None]
        try:
            await trio.sleep_forever()
        finally:
            for leave in leaves:
                leave()
