"""The memory of Redis, measured once a second. So a command is accepted or refused without a wait for Redis.

Commands are refused once only a reserve is left. The reserve is for commands applied between two measurements, and for
the commands of departing players. With the reserve, these commands stay within Redis' `maxmemory`. Commands beyond
`maxmemory` are still written: see `scripts`.

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
"""Seconds between two measurements. Data written in between may exceed the limit a little."""

RESERVE: Final = 0.05
"""The part of Redis' memory reserved for departing players and for data written between two measurements."""

logger = logging.getLogger(__name__)


class RedisMemory:
    """The memory of a Redis. Made by `watch_memory`."""

    def __init__(self) -> None:
        self.used_bytes = 0
        self.most_bytes: int | None = None
        self._full = False

    def room_left(self) -> bool:
        """Return True if the last measurement left memory for one more command. Does not wait."""
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
                continue  # keep the last measurement


@asynccontextmanager
async def watch_memory(link: RedisLink) -> AsyncIterator[RedisMemory]:
    """Measure the memory of Redis now, and once a second during the block.

    Waits for Redis. Raises LinkLost, and RedisRefused if this user may not read the memory usage.
    """
    memory = RedisMemory()
    await memory._measure(link)
    async with open_side_nursery(cancel) as nursery:
        nursery.start_soon(memory._keep_measuring, link)
        yield memory


async def info(link: RedisLink, section: str) -> Mapping[str, str]:
    """Return Redis' information of that section. Waits and raises like `RedisLink.call`."""
    answer = await link.call("INFO", section)
    lines = answer.decode().splitlines() if isinstance(answer, bytes) else []
    return dict(line.split(":", 1) for line in lines if ":" in line)
