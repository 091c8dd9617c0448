"""The first move in a room, for which its bots wait: people begin."""

from __future__ import annotations

from scramble import crossword, memory, minesweeper
from scramble.errors import GameClosed
from scramble.games.kind import RoomGame
from scramble.kernel.changes import Changes
from scramble.kernel.protocol import Event
from scramble.memory.messages import FaceUp, TurnedUp
from scramble.minesweeper.messages import Chorded, Dug, Exploded

UNDUG = "-F"  # as BOARD shows the squares that nobody has dug


async def first_move(game: RoomGame) -> None:
    """Wait until somebody has turned a card over, dug a square or entered a word. Raises GameClosed, GameStopped."""
    match game:
        case memory.Game():
            table, changes = await game.follow()
            if not table.scores and not any(isinstance(cell, FaceUp) for cell in table.cells):
                await _until(changes, TurnedUp)
        case minesweeper.Game():
            field, changes = await game.follow()
            if not any(line.strip(UNDUG) for line in field.lines):
                await _until(changes, Dug, Exploded, Chorded)
        case crossword.Game():
            view = await game.spectate()
            while not isinstance(view.match, crossword.MatchView) or all(w.entered is None for w in view.match.words):
                view = await game.spectate(view.number)


async def _until(changes: Changes, *kinds: type[Event]) -> None:
    """Wait for an event of these kinds."""
    async for change in changes:
        if change.missed or any(isinstance(event, kinds) for event in change.events):
            return
    raise GameClosed("the game was closed")
