"""A bot for Minesweeper: a trio program that uses nothing but the game's embedding API.

    async with open_game(Field.random(10, 10)) as game, trio.open_nursery() as nursery:
        nursery.start_soon(play_minesweeper, game, "bot_Ada", "medium")

It sees what every player sees, the changes of the field. It begins where a field that needs no guess has to be begun,
and sits out its pauses.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from contextlib import suppress

import trio

from scramble.errors import GameClosed
from scramble.games.bot import AT_ONCE, Level, Thinking, Turn
from scramble.games.room import RoomGame
from scramble.kernel.changes import Changes
from scramble.kernel.protocol import Change
from scramble.minesweeper import Game
from scramble.minesweeper.bot_mind import SweeperMind
from scramble.minesweeper.messages import Ended, MoveEvent


async def play_minesweeper(
    game: Game,
    name: str,
    level: Level = "medium",
    *,
    seed: int = 0,
    pace: float = 1.0,
    turn: Turn = AT_ONCE,
) -> None:
    """Play as a player called `name` until all squares without a bomb are dug, or the game is closed.

    It looks at the field, and thinks about each move, in a block of `turn`. Raises InvalidCommand for a name that no
    player can have, ValueError for a negative pace, and GameStopped if the game dies.
    """
    choices = random.Random(f"{seed} {name}")
    mind, thinking = SweeperMind(level, choices), Thinking(level, choices, pace, turn)
    with suppress(GameClosed):
        async with game.connect(name) as welcome:
            async with turn():  # what it knows takes much memory and time
                changes = await _look(game, mind)
            while not mind.over:
                await thinking.think()
                changes = await _catch_up(game, mind, changes, changes.pending())
                move = mind.next_move()
                if move is None:
                    if not mind.over:
                        changes = await _wait(game, mind, changes)
                    continue
                carry_out = game.dig if move.does == "dig" else game.flag
                view = await carry_out(move.x, move.y, welcome.player)
                if view.pause_ms:
                    await trio.sleep(view.pause_ms / 1000)
                changes = await _catch_up(game, mind, changes, changes.pending())


async def _look(game: Game, mind: SweeperMind) -> Changes:
    """Look at the whole field; return the changes after that."""
    snapshot, changes = await game.follow()
    mind.begin(snapshot)
    return changes


async def _wait(game: Game, mind: SweeperMind, changes: Changes) -> Changes:
    """Wait until somebody changes something. Raises GameClosed at the end of the game."""
    try:
        return await _catch_up(game, mind, changes, [await anext(changes)])
    except StopAsyncIteration:
        raise GameClosed("the game was closed") from None


async def _catch_up(game: Game, mind: SweeperMind, changes: Changes, news: list[Change]) -> Changes:
    """Take in the latest changes; look at the whole field again if there were too many."""
    for change in news:
        if change.missed:
            return await _look(game, mind)
        for event in change.events:
            if isinstance(event, MoveEvent):
                mind.see(event.runs)
            elif isinstance(event, Ended):
                mind.finish()
    return changes


async def play_in_room(
    game: RoomGame, name: str, level: Level, /, *, settings: Mapping[str, object], seed: int, pace: float, turn: Turn
) -> None:
    """Play in a room. A `PlayBot`."""
    assert isinstance(game, Game)
    await play_minesweeper(game, name, level, seed=seed, pace=pace, turn=turn)
