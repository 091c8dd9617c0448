"""Limits for the opening of rooms, for tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import trio

from scramble.errors import CallerError
from scramble.rooms.protocol import RoomRecord


class CountedOpenings:
    """Limits that note the charged addresses. With `full` the limit is reached. Implements `OpeningLimits`."""

    def __init__(self) -> None:
        self.counted: Final[list[str]] = []
        self.charged: Final[list[tuple[str, int]]] = []
        self.going = trio.Event()
        self.going.set()
        self.full = False

    def asker(self, client: str) -> str:
        return client

    def count(self, client: str) -> None:
        if self.full:
            raise CallerError("too many")
        self.counted.append(client)

    def charge(self, client: str, size: int) -> None:
        self.charged.append((client, size))

    async def open(
        self, client: str, find: Callable[[str], Awaitable[RoomRecord]], create: Callable[[], Awaitable[RoomRecord]]
    ) -> RoomRecord:
        await self.going.wait()
        return await create()
