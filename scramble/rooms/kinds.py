"""The table of all kinds of rooms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from scramble.crossword.puzzle_folder import PuzzleShelf
from scramble.rooms.crossword import crossword_rooms
from scramble.rooms.kind import MOST_CARDS, MOST_SQUARES, RoomKind
from scramble.rooms.memory import memory_rooms
from scramble.rooms.minesweeper import minesweeper_rooms


def room_kinds(
    *, most_cards: int = MOST_CARDS, most_squares: int = MOST_SQUARES, shelf: PuzzleShelf | None = None
) -> Mapping[str, RoomKind]:
    """Return all kinds by their names, for games up to that size. Rooms that are recorded may be larger.

    `shelf` has the puzzles to choose from; None: the packaged ones.
    """
    kinds = (memory_rooms(most_cards), minesweeper_rooms(most_squares), crossword_rooms(shelf))
    return {kind.name: kind for kind in kinds}


ROOM_KINDS: Final = room_kinds()
"""All kinds by their names, with the usual limits."""
