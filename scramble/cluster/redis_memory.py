"""The memory of Redis: whether there is room for more, asked once a second, and answered at once for each command.

Commands are refused while there is still some room, so that what was applied between two measures, and the commands of
players who leave, stay within Redis' `maxmemory`. What does not is written all the same: see `scripts`.

Safe under concurrency: the numbers change between two awaits.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

import trio

from scramble.cluster.protocol import LinkLost, RedisLink, RedisRefused
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.logs import LogEntry

MEMORY_LOOK_S: Final = 1.0
"""Seconds between two measures: what is written in between may exceed the limit a little."""

RESERVE: Final = 0.05
"""The part of Redis' memory that is left for those who leave, and for what is written between two measures."""

logger = logging.getLogger(__name__)


class RedisMemory:
    """The memory of a Redis. Made by `watch_memory`."""

    def __init__(self) -> None:
        self.used_bytes = 0
        self.most_bytes: int | None = None
        self._full = False

    def room_left(self) -> bool:
        """Return True if there is room for one more command, as of the last measure. Does not wait."""
        return not self._full

    async def _measure(self, link: RedisLink) -> None:
        memory = await info(link, "memory")
        self.used_bytes = int(memory.get("used_memory", 0))
        self.most_bytes = int(memory.get("maxmemory", 0)) or None
        full = self.most_bytes is not None and self.used_bytes > (1 - RESERVE) * self.most_bytes
        if full and not self._full:
            logger.error(LogEntry("redis-full", used_bytes=self.used_bytes, most_bytes=self.most_bytes))
        elif self._full and not full:
            logger.info(LogEntry("redis-has-room", used_bytes=self.used_bytes, most_bytes=self.most_bytes))
        self._full = full

    async def _keep_measuring(self, link: RedisLink) -> None:
        while True:
            await trio.sleep(MEMORY_LOOK_S)
            try:
                await self._measure(link)
            except (LinkLost, RedisRefused):
                continue  # as before, then


@asynccontextmanager
async def watch_memory(link: RedisLink) -> AsyncIterator[RedisMemory]:
    """Measure the memory of Redis now, and once a second during the block.

    Waits for Redis. Raises LinkLost, and RedisRefused if this user may not ask for it.
    """
    memory = RedisMemory()
    await memory._measure(link)
    async with open_side_nursery(cancel) as nursery:
        nursery.start_soon(memory._keep_measuring, link)
        yield memory


async def info(link: RedisLink, section: str) -> Mapping[str, str]:
    """Return what Redis says of itself in that section. Waits and raises like `RedisLink.call`."""
    answer = await link.call("INFO", section)
    lines = answer.decode().splitlines() if isinstance(answer, bytes) else []
    return dict(line.split(":", 1) for line in lines if ":" in line)
