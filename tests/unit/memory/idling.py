"""A game of Memory Scramble that releases the cards of absent players, for tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from scramble.memory import Board, Game, open_game
from scramble.memory.messages import FaceUp

IDLE_S = 10.0
HOLDING_S = 40.0
AABC = "1x4\nA\nA\nB\nC\n"
AABCC = "1x5\nA\nA\nB\nC\nC\n"  # with a second pair


@asynccontextmanager
async def opened(text: str = AABC) -> AsyncIterator[tuple[Game, trio.Nursery]]:
    """Run a game that releases cards after `IDLE_S`, and a nursery for waiting players. Both end with the block."""
    async with (
        open_game(Board.parse(text), release_idle=IDLE_S, release_holding=HOLDING_S) as game,
        trio.open_nursery() as nursery,
    ):
        yield game, nursery
        nursery.cancel_scope.cancel()


async def held(game: Game) -> dict[str, int]:
    """Return the number of cards that each player controls."""
    cells = (await game.snapshot()).cells
    return dict(Counter(cell.by for cell in cells if isinstance(cell, FaceUp) and cell.by is not None))


async def is_finished(game: Game) -> bool:
    """Return True if all pairs on the board are matched."""
    return (await game.snapshot()).pairs_left == sum(cards == 2 for cards in (await held(game)).values())
