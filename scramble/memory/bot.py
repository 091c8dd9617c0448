"""A bot for Memory Scramble: a trio program that uses nothing but the game's embedding API.

    async with open_game(board) as game, trio.open_nursery() as nursery:
        nursery.start_soon(play_memory, game, "bot_Ada", "medium")

It sees what every player sees, the changes of the game, and plays by the same rules.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import trio

from scramble.errors import GameClosed
from scramble.games.bot import AT_ONCE, Level, Thinking, Turn
from scramble.games.room import RoomGame
from scramble.kernel.changes import Changes
from scramble.kernel.protocol import Change
from scramble.memory import AlreadyWaiting, FlipFailed, Game, GameRestarted
from scramble.memory.bot_mind import MemoryMind
from scramble.memory.difference import difference_of

PATIENCE_S: Final = 20.0  # for another player's card: the shortest turn clock of a room


async def play_memory(
    game: Game,
    name: str,
    level: Level = "medium",
    *,
    seed: int = 0,
    pace: float = 1.0,
    turn: Turn = AT_ONCE,
) -> None:
    """Play as the player `name` until no pair is left, or the game is closed.

    Never keeps a card longer than it waits for its turn and thinks about one flip, and never waits longer than
    `PATIENCE_S` for a card of another player. It looks at the table, and thinks about each flip, in a block of `turn`.
    Raises InvalidCommand for a name that no player can have, ValueError for a negative pace, and GameStopped if the
    game dies.
    """
    choices = random.Random(f"{seed} {name}")
    mind, thinking = MemoryMind(name, level, choices), Thinking(level, choices, pace, turn)
    with suppress(GameClosed), game.present(name):
        async with turn():  # what it knows takes memory
            changes = await _look(game, mind)
        while not mind.over:
            await thinking.think()
            changes = await _catch_up(game, mind, changes, changes.pending())
            place = mind.next_flip()
            if place is None and not mind.over:
                changes = await _wait(game, mind, changes)
            elif place is not None:
                await _flip(game, name, *place)
                changes = await _catch_up(game, mind, changes, changes.pending())


async def _flip(game: Game, name: str, row: int, column: int) -> None:
    """Flip a card; where another player was faster, it fails or waits, as for everybody."""
    with trio.move_on_after(PATIENCE_S):  # if cancelled, the bot no longer waits for the card
        with suppress(FlipFailed, GameRestarted, AlreadyWaiting):  # the changes show what has become of the table
            await game.flip(name, row, column)


async def _look(game: Game, mind: MemoryMind) -> Changes:
    """Look at the whole table; return the changes after that."""
    snapshot, changes = await game.follow()
    mind.begin(snapshot)
    return changes


async def _wait(game: Game, mind: MemoryMind, changes: Changes) -> Changes:
    """Wait until somebody changes something. Raises GameClosed at the end of the game."""
    try:
        return await _catch_up(game, mind, changes, [await anext(changes)])
    except StopAsyncIteration:
        raise GameClosed("the game was closed") from None


async def _catch_up(game: Game, mind: MemoryMind, changes: Changes, news: list[Change]) -> Changes:
    """Take in the latest changes; look at the whole table again after a new game, or if there were too many."""
    for change in news:
        seen = difference_of(change.events)
        if seen.restarted:
            mind.forget()
        if seen.restarted or change.missed:
            return await _look(game, mind)
        for (row, column), cell in seen.cells.items():
            mind.see(row, column, cell)
        if seen.pairs_left is not None:
            mind.pairs_left = seen.pairs_left
    return changes


async def play_in_room(
    game: RoomGame, name: str, level: Level, /, *, settings: Mapping[str, object], seed: int, pace: float, turn: Turn
) -> None:
    """Play in a room. A `PlayBot`."""
    assert isinstance(game, Game)
    await play_memory(game, name, level, seed=seed, pace=pace, turn=turn)
