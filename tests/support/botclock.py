"""A clock for games of bots that end at once: time jumps to the next deadline when every task waits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio
from trio.testing import MockClock

R = TypeVar("R")

GAME_S = 1_000_000.0  # longer than any game, so that an endless game fails its test


def play_out(main: Callable[[], Awaitable[R]]) -> R:
    """Run `main` on this clock; return its result."""

    async def bounded() -> R:
        with trio.fail_after(GAME_S):
            return await main()

    return trio.run(bounded, clock=MockClock(autojump_threshold=0))
