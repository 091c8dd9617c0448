"""The specification of `scramble conform minesweeper`, with the parts that the handout lacks, to check the real game.

The rules of the handout are written once, in scramble/conform/minesweeper/rules.py. They share no code with the real
game:

    model, reply = Model(4, 3, frozenset({(2, 1)})).step("dig 0 0")

A `Model` has chords and the end of a game, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from scramble.conform.minesweeper.rules import Rules, Square

__all__ = ["Model", "Square"]


@dataclass(frozen=True)
class Model(Rules):
    """A field of `columns` x `rows` squares (x, y). Squares that are neither dug nor flagged are untouched."""

    def chord(self, square: Square) -> tuple[Model, list[Square]]:
        """Return the field after a chord, and the squares with exploded bombs."""
        flags = sum(neighbor in self.flagged for neighbor in self.neighbors(square))
        if square not in self.dug or flags != self.count(square):
            return self, []
        after, booms = self, []
        for neighbor in sorted(self.neighbors(square), key=lambda place: (place[1], place[0])):
            after, boom = after.dig(neighbor)
            booms += [neighbor] * boom
        return after, booms

    def is_won(self) -> bool:
        """Return True if all squares without a bomb are dug."""
        return len(self.dug) + len(self.bombs) == self.columns * self.rows
