"""The rules of Multiplayer Minesweeper as a naive specification, written from the handout alone.

`Rules` stores no derived values. It is an immutable, hashable value, so a checker of concurrent histories can try an
order of messages, go back, try another one, and store the visited states:

    rules, reply = Rules(4, 3, frozenset({(2, 1)})).step("dig 0 0")

`step` takes a message of the user-to-server grammar without its newline (look, dig, flag or deflag) and returns the
next state and the reply: "BOOM!" and a newline, or the BOARD, with one newline character after each row. It is fast
enough for fields of up to a few thousand squares. The tests of this project judge the real game by the same code
(tests/support/minesweeper/model.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self, TypeAlias

Square: TypeAlias = tuple[int, int]
"""x and y: columns from the left and rows from the top, from 0."""


@dataclass(frozen=True)
class Rules:
    """A field of `columns` x `rows` squares (x, y). Squares that are neither dug nor flagged are untouched."""

    columns: int
    rows: int
    bombs: frozenset[Square]
    dug: frozenset[Square] = frozenset()
    flagged: frozenset[Square] = frozenset()

    def step(self, message: str) -> tuple[Self, str]:
        """Execute one message; return the next state and the reply."""
        word, *numbers = message.split(" ")
        if word == "look":
            return self, self.board()
        square = int(numbers[0]), int(numbers[1])
        if word == "dig":
            after, boom = self.dig(square)
            return after, "BOOM!\n" if boom else after.board()
        after = self.flag(square) if word == "flag" else self.deflag(square)
        return after, after.board()

    def flag(self, square: Square) -> Self:
        """Return the field after FLAG."""
        return replace(self, flagged=self.flagged | {square}) if self.is_untouched(square) else self

    def deflag(self, square: Square) -> Self:
        """Return the field after DEFLAG."""
        return replace(self, flagged=self.flagged - {square})

    def dig(self, square: Square) -> tuple[Self, bool]:
        """Return the field after DIG, and True if there was a bomb."""
        if not self.is_untouched(square):  # step 1
            return self, False
        boom = square in self.bombs
        after = replace(self, dug=self.dug | {square}, bombs=self.bombs - {square})  # steps 2 and 3
        dug = set(after.dug)
        todo = [square]
        while todo:  # step 4, from each of these squares
            here = todo.pop()
            if after.count(here) == 0:
                for neighbor in after.neighbors(here):
                    if after.is_untouched(neighbor) and neighbor not in dug:
                        dug.add(neighbor)
                        todo.append(neighbor)
        return replace(after, dug=frozenset(dug)), boom

    def is_untouched(self, square: Square) -> bool:
        """Return True if the square is inside the field, and neither dug nor flagged."""
        return self.is_inside(square) and square not in self.dug and square not in self.flagged

    def is_inside(self, square: Square) -> bool:
        """Return True if the field has this square."""
        return 0 <= square[0] < self.columns and 0 <= square[1] < self.rows

    def neighbors(self, square: Square) -> Iterator[Square]:
        """Yield the squares of the field around a square: at most eight."""
        x, y = square
        for other in [(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]:
            if other != square and self.is_inside(other):
                yield other

    def count(self, square: Square) -> int:
        """Return the number of neighbors with a bomb."""
        return sum(neighbor in self.bombs for neighbor in self.neighbors(square))

    def shown(self, square: Square) -> str:
        """Return the character of a square in BOARD."""
        if square in self.flagged:
            return "F"
        if square not in self.dug:
            return "-"
        return str(self.count(square) or " ")

    def lines(self) -> list[str]:
        """Return the lines of BOARD, with one character for each square."""
        return ["".join(self.shown((x, y)) for x in range(self.columns)) for y in range(self.rows)]

    def board(self) -> str:
        """Return the BOARD message."""
        return "".join(" ".join(line) + "\n" for line in self.lines())
