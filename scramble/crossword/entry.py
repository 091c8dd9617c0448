"""One entry of a puzzle: a word, its clue and its place. The one kind of value here that holds a solution."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from scramble.crossword.messages import Direction

Cell: TypeAlias = tuple[int, int]
"""(row, column), both from 0 at the top left."""


def cells_from(row: int, column: int, direction: Direction, length: int) -> tuple[Cell, ...]:
    """The cells of a word of that length, from its first letter to its last."""
    if direction == "DOWN":
        return tuple((row + step, column) for step in range(length))
    return tuple((row, column + step) for step in range(length))


class Entry(msgspec.Struct, frozen=True):
    """A word of `[a-z-]+`, its clue, and where it goes: down or across from (row, column)."""

    word: str
    clue: str
    direction: Direction
    row: int
    column: int

    def cells(self) -> tuple[Cell, ...]:
        """The cell of each letter of the word."""
        return cells_from(self.row, self.column, self.direction, len(self.word))
