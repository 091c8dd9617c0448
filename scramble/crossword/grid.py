"""Grid of a puzzle: its entries with the solution, and its public shape.

A shape has the cells, and the id, clue, place and length of each word. It has no letter of the solution. The lobby
makes views from the shape and the entered words. So no output of the lobby depends on a letter that is not on the
board.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import msgspec

from scramble.crossword.messages import Direction

CellPosition: TypeAlias = tuple[int, int]
"""(row, column), both from 0 at the top left."""


def cells_from(row: int, column: int, direction: Direction, length: int) -> tuple[CellPosition, ...]:
    """Return the cells of a word of this length, from its first letter to its last."""
    if direction == "DOWN":
        return tuple((row + step, column) for step in range(length))
    return tuple((row, column + step) for step in range(length))


class Entry(msgspec.Struct, frozen=True):
    """A word of `[a-z-]+`, its clue, and its place: down or across from (row, column)."""

    word: str
    clue: str
    direction: Direction
    row: int
    column: int

    def cells(self) -> tuple[CellPosition, ...]:
        """Return the cell of each letter of the word."""
        return cells_from(self.row, self.column, self.direction, len(self.word))


class Word(msgspec.Struct, frozen=True):
    """A word of a puzzle without its letters. `id` counts from 1 in the order of the entries."""

    id: int
    clue: str
    direction: Direction
    row: int
    column: int
    length: int

    def cells(self) -> tuple[CellPosition, ...]:
        """Return its cells, from its first letter to its last."""
        return cells_from(self.row, self.column, self.direction, self.length)


class Shape:
    """Grid of a puzzle without its letters. Immutable; equal if the words are equal.

    `rows` and `columns` count the rows and columns up to the last row and column with a word.
    """

    # AF(words) = the grid where words[i] has the id i + 1, and covers the cells from its place on
    # RI: words[i].id == i + 1; words of one direction share no cell (`Puzzle` ensures this);
    #     _cells has the cells of each word, and _through has the words through each cell; both are computed from words
    # Safety from rep exposure: words is a tuple of immutable values; methods return only tuples from the dicts.

    __slots__ = ("_cells", "_through", "columns", "rows", "words")

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.words = tuple(
            Word(number, entry.clue, entry.direction, entry.row, entry.column, len(entry.word))
            for number, entry in enumerate(entries, start=1)
        )
        self._cells = {word.id: word.cells() for word in self.words}
        through: dict[CellPosition, tuple[int, ...]] = {}
        for word in self.words:
            for cell in self._cells[word.id]:
                through[cell] = (*through.get(cell, ()), word.id)
        self._through = through
        self.rows = 1 + max(row for row, _ in through)
        self.columns = 1 + max(column for _, column in through)

    def cells_of(self, word: int) -> tuple[CellPosition, ...]:
        """Return the cells of the word with this id, from its first letter to its last."""
        return self._cells[word]

    def words_at(self, cell: CellPosition) -> tuple[int, ...]:
        """Return the ids of the words through a cell, lowest first: one or two; empty outside the cells."""
        return self._through.get(cell, ())

    def __eq__(self, other: object) -> bool:
        return self.words == other.words if isinstance(other, Shape) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.words)

    def __str__(self) -> str:
        return "\n".join(
            "".join("#" if self.words_at((row, column)) else "." for column in range(self.columns))
            for row in range(self.rows)
        )
