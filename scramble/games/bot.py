"""Bots: their levels, and the human pace at which they move."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Final, Literal, Protocol, TypeAlias, get_args

import trio

from scramble.games.room import RoomGame

Level: TypeAlias = Literal["easy", "medium", "hard"]
"""How well a bot plays."""

LEVELS: Final[tuple[Level, ...]] = get_args(Level)

SECONDS: Final[Mapping[Level, tuple[float, float]]] = {"easy": (3.0, 6.0), "medium": (2.0, 4.0), "hard": (1.2, 2.4)}
"""The shortest and the longest time before a simple move: somebody who plays on a phone needs one to two seconds."""

Turn: TypeAlias = Callable[[], AbstractAsyncContextManager[object]]
"""Returns the block in which a bot thinks about one move; entering it waits until the bot may think."""

AT_ONCE: Final[Turn] = nullcontext
"""The `turn` of a bot that always may think."""


class Thinking:
    """The pauses of one bot: `pace` 1 is that of a human player, 2 half as fast, 0 as fast as the game answers."""

    def __init__(
        self,
        level: Level,
        choices: random.Random,
        pace: float,
        turn: Turn = AT_ONCE,
        seconds: Mapping[Level, tuple[float, float]] = SECONDS,
    ) -> None:
        """Make the pauses of that level; each is in a block of `turn`. Raises ValueError for a negative pace."""
        if not pace >= 0:
            raise ValueError(f"a pace is a number from 0 up, not {pace!r}")
        self._choices: Final = choices
        self._pace: Final = pace
        self._turn: Final = turn
        self._shortest, self._longest = seconds[level]

    async def think(self) -> None:
        """Wait as long as the bot thinks about one move. A checkpoint."""
        async with self._turn():
            await trio.sleep(self.pause(self._choices.uniform(self._shortest, self._longest)))

    def pause(self, seconds: float) -> float:
        """Return how long this bot takes for what takes a human player so many seconds."""
        return seconds * self._pace


class PlayBot(Protocol):
    """Plays one game in a room as a bot."""

    async def __call__(
        self,
        game: RoomGame,
        name: str,
        level: Level,
        /,
        *,
        settings: Mapping[str, object],
        seed: int,
        pace: float,
        turn: Turn,
    ) -> object:
        """Play as the player `name` until the game is over, or closed.

        `settings` are those of the room. The bot thinks about each move in a block of `turn`. Raises GameStopped if the
        game dies, and refusals of the game that the bot cannot handle.
        """
