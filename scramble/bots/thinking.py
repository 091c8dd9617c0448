"""Human pace: the time that a bot takes before each move."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import trio

from scramble.bots import Level

SECONDS: Final[Mapping[Level, tuple[float, float]]] = {"easy": (3.0, 6.0), "medium": (2.0, 4.0), "hard": (1.2, 2.4)}
"""The shortest and the longest time before a simple move: somebody who plays on a phone needs one to two seconds."""


READY: Final = trio.lowlevel.checkpoint
"""The `ready` of a bot that always plays."""


class Thinking:
    """The pauses of one bot: `pace` 1 is that of a human player, 2 half as fast, 0 as fast as the game answers."""

    def __init__(
        self,
        level: Level,
        choices: random.Random,
        pace: float,
        ready: Callable[[], Awaitable[object]],
        seconds: Mapping[Level, tuple[float, float]] = SECONDS,
    ) -> None:
        """Make the pauses of that level; each goes on until `ready` returns. Raises ValueError for a negative pace."""
        if not pace >= 0:
            raise ValueError(f"a pace is a number from 0 up, not {pace!r}")
        self._choices: Final = choices
        self._pace: Final = pace
        self._ready: Final = ready
        self._shortest, self._longest = seconds[level]

    async def think(self) -> None:
        """Wait as long as the bot thinks about one move. A checkpoint."""
        await self._ready()
        await trio.sleep(self.pause(self._choices.uniform(self._shortest, self._longest)))

    def pause(self, seconds: float) -> float:
        """Return how long this bot takes for what takes a human player so many seconds."""
        return seconds * self._pace
