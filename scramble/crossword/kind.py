"""Crossword Extravaganza as a kind of game."""

from __future__ import annotations

from functools import partial
from typing import Final

from scramble.crossword import room
from scramble.crossword.bot import BOTS
from scramble.crossword.lobby import Lobby
from scramble.crossword.narrator import CrosswordNarrator
from scramble.crossword.puzzle_folder import PuzzleFolder
from scramble.crossword.relay import REQUESTS
from scramble.games.kind import Demo, GameKind


def crossword_kind(puzzle_folder: PuzzleFolder | None = None) -> GameKind:
    """Return the kind, with the puzzles of a folder in new rooms; None: the packaged ones."""
    puzzle_folder = puzzle_folder or PuzzleFolder()
    return GameKind(
        name="crossword",
        title="Crossword Extravaganza",
        restore=Lobby.restore,
        narrator=CrosswordNarrator,
        settle=partial(room.settle, puzzle_folder),
        set_up=room.set_up,
        again=partial(room.again, puzzle_folder),
        choices=room.Choices(puzzle_folder),
        requests=REQUESTS,
        secret_settings=frozenset({"source"}),
        bots=BOTS,
        demo=Demo({"puzzle": "kitchen"}, ("medium", "hard")),
        daily=room.daily,
        place=3,
    )


CROSSWORD: Final = crossword_kind()
