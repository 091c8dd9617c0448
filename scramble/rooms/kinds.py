"""The table of all kinds of rooms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from scramble.crossword.puzzle_folder import PuzzleFolder
from scramble.crossword.room import crossword_rooms
from scramble.games.kind import MOST_CARDS, MOST_SQUARES, RoomKind
from scramble.memory.room import memory_rooms
from scramble.minesweeper.room import minesweeper_rooms


def room_kinds(
    *, most_cards: int = MOST_CARDS, most_squares: int = MOST_SQUARES, puzzle_folder: PuzzleFolder | None = None
) -> Mapping[str, RoomKind]:
    """Return all kinds by their names, for games up to that size. Rooms that are recorded may be larger.

    `puzzle_folder` has the puzzles to choose from; None: the packaged ones.
    """
    kinds = (memory_rooms(most_cards), minesweeper_rooms(most_squares), crossword_rooms(puzzle_folder))
    return {kind.name: kind for kind in kinds}


ROOM_KINDS: Final = room_kinds()
"""All kinds by their names, with the usual limits."""
