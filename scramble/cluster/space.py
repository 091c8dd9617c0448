"""The memory that Redis has left, asked for once a second, so that commands are refused before a game has to stop.

Safe under concurrency: one task asks, and the answer is one value.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import trio

from scramble.cluster.log import NO_ROOM
from scramble.cluster.protocol import Link, LinkLost, RedisRefused
from scramble.errors import DiskFull

MEASURE_S: Final = 1.0

RESERVE: Final = 1 / 16
"""The part of Redis' memory that rooms leave alone: what is written within a second, and by leaving."""


class RedisSpace:
    """The space in Redis. Mutable; used by one process' rooms."""

    # AF: `full`: there was no room for more when Redis was asked last.

    def __init__(self, link: Link) -> None:
        self._link: Final = link
        self.full = False

    def room_left(self) -> bool:
        """Return True if there is room for one more command. Does not wait."""
        return not self.full

    def require_room(self) -> None:
        """Raise DiskFull if there is no room for another game."""
        if self.full:
            raise DiskFull(NO_ROOM)

    async def measure(self) -> None:
        """Ask Redis. Raises LinkLost and RedisRefused."""
        answer = await self._link.call("INFO", "memory")
        if isinstance(answer, bytes):
            figures = dict(line.split(":", 1) for line in answer.decode().splitlines() if ":" in line)
            used, most = int(figures.get("used_memory", 0)), int(figures.get("maxmemory", 0))
            self.full = most > 0 and used > most * (1 - RESERVE)

    async def keep_measuring(self) -> None:
        """Ask again and again. Runs until it is cancelled."""
        while True:
            with suppress(LinkLost, RedisRefused):  # as before, then; a user who may not ask finds out when it is full
                await self.measure()
            await trio.sleep(MEASURE_S)

    def __str__(self) -> str:
        return "full" if self.full else "not full"
