"""Squares of a field: their states, their bombs, and their BOARD text.

The time of a move depends only on the number of changed squares, not on the size of the field. The first read of the
BOARD text after a change copies the text once. Not safe for use by several threads.

The numbers in comments are the steps of DIG in the handout.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, repeat
from typing import Final, NamedTuple, Self, TypeAlias

from scramble.kernel.checks import CHECK_REP
from scramble.minesweeper.fieldstate import BOMBS, SAFE
from scramble.minesweeper.flood import DUG, EDGE, FLAGGED_CODES, TO_DUG, UNTOUCHED_CODES, Span, flood
from scramble.minesweeper.messages import Place, Run

_SQUARE = UNTOUCHED_CODES + FLAGGED_CODES + DUG
_SHOWN = bytes.maketrans(_SQUARE, b"-" * 9 + b"F" * 9 + b" 12345678")
_TO_FLAGGED = bytes.maketrans(UNTOUCHED_CODES, FLAGGED_CODES)
_TO_UNTOUCHED = bytes.maketrans(FLAGGED_CODES, UNTOUCHED_CODES)
_FROM_COUNT = bytes.maketrans(bytes(range(9)), UNTOUCHED_CODES)

# `fieldstate` encodes a square and its bomb as one character of SAFE + BOMBS.
_TO_STATE = bytes.maketrans(_SQUARE + EDGE, b"\0" * 9 + b"\1" * 9 + b"\2" * 9 + b"\0")
_TO_WRITTEN = bytes.maketrans(bytes(range(5)), SAFE + BOMBS)
_SAYS_BOMB = bytes.maketrans(SAFE + BOMBS, b"00011")
_SAYS_FALL = bytes.maketrans(  # for each state: an untouched square's byte minus the byte of this state
    SAFE + BOMBS,
    bytes(
        UNTOUCHED_CODES[0] - state[0] for state in (UNTOUCHED_CODES, FLAGGED_CODES, DUG, UNTOUCHED_CODES, FLAGGED_CODES)
    ),
)

_FLAG = re.compile(rb"[A-I]")

Runs: TypeAlias = tuple[Run, ...]
"""Changes of BOARD, in reading order; empty without a change. No square is in two runs, and no two runs touch."""


class DugSquare(NamedTuple):
    """Effect of a dig or a chord: the exploded bombs, the changes of BOARD, and the dug squares.

    `opened` has all dug squares, also squares with bombs. No square is in two of its spans.
    """

    booms: tuple[Place, ...] = ()
    runs: Runs = ()
    opened: tuple[Span, ...] = ()


NOTHING_DUG: Final = DugSquare()
"""Effect of a dig that digs no square."""


class Squares:
    """A rectangle of squares. Mutable.

    The moves take any integers, and do nothing outside the field.
    """

    # Abstraction function:
    #   columns x rows squares. With i = _origin + y * _stride + x, square (x, y) is untouched, flagged or dug if
    #   _cells[i] is in UNTOUCHED_CODES, FLAGGED_CODES or DUG. The position of _cells[i] in these codes is the number of
    #   neighbours with a bomb. The square has a bomb if and only if _bombs[i] is 1.
    # Representation invariant:
    #   - columns, rows > 0; _stride = columns + 1; _origin = _stride + 1
    #   - _cells and _bombs have (rows + 2) * _stride + 1 bytes; the bytes without a square (the row above, the row
    #     below, one byte between rows and one at either end) are EDGE and 0; no square is EDGE
    #   - the counts agree with _bombs; no dug square has a bomb
    #   - _board is the BOARD text: the character of square (x, y) is at 2 * (y * columns + x); a space follows it, or
    #     a newline at the end of a row
    #   - _text is _board as a str, or None after a change of _board
    #   - safe_left is the number of squares that are not dug and have no bomb; bombs_left is the number of bombs minus
    #     the number of flags
    # Safety from rep exposure:
    #   methods never return the bytearrays; all arguments and results are immutable or copied.

    __slots__ = (
        "_board",
        "_bombs",
        "_cells",
        "_origin",
        "_stride",
        "_text",
        "bombs_left",
        "columns",
        "rows",
        "safe_left",
    )

    def __init__(self, lines: Sequence[bytes | bytearray]) -> None:
        """Make untouched squares. `lines[y][x]` is the byte "1" if (x, y) has a bomb, else "0".

        Requires at least one line; all lines are equally long and not empty.
        """
        self.columns, self.rows = len(lines[0]), len(lines)
        self._stride = self.columns + 1
        self._origin = self._stride + 1
        digits = b"0".join([b"0" * self._stride, *lines, b"0" * self._stride])
        self._bombs = bytearray(digits.translate(bytes.maketrans(b"01", b"\0\1")))
        cells = bytearray(self._counts().translate(_FROM_COUNT))
        end = self._origin + self.rows * self._stride
        cells[: self._origin] = EDGE * self._origin
        cells[end:] = EDGE * (len(cells) - end)
        cells[self._origin + self.columns :: self._stride] = EDGE * (self.rows + 1)
        self._cells = cells
        self._board = bytearray((b"- " * (self.columns - 1) + b"-\n") * self.rows)
        self._text: str | None = None
        self.bombs_left = self._bombs.count(1)
        self.safe_left = self.columns * self.rows - self.bombs_left
        if CHECK_REP:
            self._check_rep()

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self).__new__(type(self))
        twin.columns, twin.rows = self.columns, self.rows
        twin._stride, twin._origin = self._stride, self._origin
        twin._cells, twin._bombs, twin._board = self._cells[:], self._bombs[:], self._board[:]
        twin._text, twin.safe_left, twin.bombs_left = self._text, self.safe_left, self.bombs_left
        return twin

    @classmethod
    def restore(cls, written: Sequence[str]) -> Self:
        """Restore squares from lines of `write`, without validation."""
        lines = [line.encode("ascii") for line in written]
        squares = cls([line.translate(_SAYS_BOMB) for line in lines])
        around = bytes(squares._stride)
        falls = b"\0".join([around, *(line.translate(_SAYS_FALL) for line in lines), around])
        cells = int.from_bytes(squares._cells, "little") - int.from_bytes(falls, "little")  # for all squares at once
        squares._cells[:] = cells.to_bytes(len(falls), "little")
        squares._board[::2] = squares._cells.translate(_SHOWN, EDGE)
        squares.safe_left -= sum(line.count(SAFE[-1:]) for line in lines)
        squares.bombs_left -= sum(line.count(SAFE[1:2]) + line.count(BOMBS[1:2]) for line in lines)
        if CHECK_REP:
            squares._check_rep()
        return squares

    # --- observers ---

    def text(self) -> str:
        """Return the BOARD text. Each row ends with one newline character."""
        if self._text is None:
            self._text = self._board.decode("ascii")
        return self._text

    def lines(self) -> tuple[str, ...]:
        """Return the characters of BOARD, one string per row, one character per square."""
        width = 2 * self.columns
        starts = range(0, len(self._board), width)
        return tuple(self._board[start : start + width : 2].decode("ascii") for start in starts)

    def write(self) -> tuple[str, ...]:
        """Return the whole state as in `fieldstate`: one string per row, one character per square."""
        states = int.from_bytes(self._cells.translate(_TO_STATE), "little")
        places = states + len(SAFE) * int.from_bytes(self._bombs, "little")
        text = places.to_bytes(len(self._cells), "little").translate(_TO_WRITTEN).decode("ascii")
        starts = range(self._origin, self._origin + self.rows * self._stride, self._stride)
        return tuple(text[start : start + self.columns] for start in starts)

    def bombs(self) -> list[tuple[int, int]]:
        """Return the places of the bombs, as (x, y) in reading order."""
        return [self._place(i) for i, bomb in enumerate(self._bombs) if bomb]

    def __str__(self) -> str:
        return self.text()

    def bomb_at(self, x: int, y: int) -> bool:
        """Return True if (x, y) is a square with a bomb."""
        i = self._index(x, y)
        return i is not None and bool(self._bombs[i])

    def flags(self) -> Iterator[tuple[int, bool]]:
        """Return the number of each flagged square, in reading order, and True if the square has a bomb."""
        for found in _FLAG.finditer(self._cells):
            i = found.start()
            yield self._number(i), bool(self._bombs[i])

    # --- moves ---

    def flag(self, x: int, y: int) -> Runs:
        """Flag an untouched square."""
        i = self._index(x, y)
        return () if i is None or self._cells[i] not in UNTOUCHED_CODES else self._turn(i, _TO_FLAGGED, -1)

    def deflag(self, x: int, y: int) -> Runs:
        """Make a flagged square untouched."""
        i = self._index(x, y)
        return () if i is None or self._cells[i] not in FLAGGED_CODES else self._turn(i, _TO_UNTOUCHED, +1)

    def dig(self, x: int, y: int) -> DugSquare:
        """Dig an untouched square. Around a square without bomb neighbours, dig all neighbours, too, and so on."""
        i = self._index(x, y)
        return NOTHING_DUG if i is None or self._cells[i] not in UNTOUCHED_CODES else self._dig([i])  # 1

    def chord(self, x: int, y: int) -> DugSquare:
        """Dig the untouched neighbours of a dug square, if it has as many flagged neighbours as its number."""
        i = self._index(x, y)
        if i is None or self._cells[i] not in DUG:
            return NOTHING_DUG
        around = self._around(i)
        if sum(self._cells[j] in FLAGGED_CODES for j in around) != self._cells[i] - DUG[0]:
            return NOTHING_DUG
        return self._dig([j for j in around if self._cells[j] in UNTOUCHED_CODES])

    def _dig(self, places: list[int]) -> DugSquare:
        """Dig these untouched squares one after another. Skips a square that the flood of an earlier square dug."""
        booms: list[Place] = []
        fallen: list[Span] = []
        opened: list[Span] = []
        for i in places:
            if self._cells[i] not in UNTOUCHED_CODES:
                continue
            self._cells[i] = TO_DUG[self._cells[i]]  # 2
            opened.append(self._span(i))
            if self._bombs[i]:
                fallen += self._remove_bomb(i)  # 3
                booms.append(self._place(i))
            if self._cells[i] == DUG[0]:
                opened += flood(self._cells, i, self.columns)  # 4
        if not opened:
            return NOTHING_DUG
        self.safe_left -= sum(end - start for start, end in opened) - len(booms)
        return DugSquare(tuple(booms), self._show([*fallen, *opened]), tuple(opened))

    def clear(self, x: int, y: int) -> None:
        """If square (x, y) has a bomb, move the bomb to another square.

        The new square is the first square without a bomb. The search begins half a field after (x, y), runs in reading
        order, and continues from the top after the end of the field. Requires at least one square without a bomb, and
        no dug square.
        """
        i = self._index(x, y)
        if i is None or self._cells[i] not in UNTOUCHED_CODES or not self._bombs[i]:
            return
        size = self.columns * self.rows
        start = y * self.columns + x + size // 2
        places = (divmod(place % size, self.columns) for place in range(start, start + size))
        to = next(j for row, column in places if not self._bombs[j := self._origin + row * self._stride + column])
        self._remove_bomb(i)
        self._add_bomb(to)
        if CHECK_REP:
            self._check_rep()

    def clear_around(self, x: int, y: int) -> None:
        """Move the bombs of square (x, y) and its neighbours to squares outside this group, while one is free.

        The new places depend on a hash of all bombs and of (x, y). So they are the same in every copy of the field, on
        every machine, and players cannot predict them. The bomb of (x, y) moves first. If all squares outside the
        group have bombs, this bomb moves to a neighbour. Requires a square without a bomb, and no dug square.
        """
        i = self._index(x, y)
        if i is None or self._cells[i] not in UNTOUCHED_CODES:
            return
        here = [i, *self._around(i)]
        crowded = [j for j in here if self._bombs[j]]
        if not crowded:
            return
        free = self.columns * self.rows - len(here) - (self._bombs.count(1) - len(crowded))
        start = hashlib.blake2b(self._bombs, digest_size=16, key=i.to_bytes(8, "little")).digest()
        for number, j in enumerate(crowded[:free]):
            self._remove_bomb(j)
            at = hashlib.blake2b(start, digest_size=8, key=number.to_bytes(2, "little")).digest()
            self._add_bomb(self._free_from(int.from_bytes(at, "little"), here))
        if self._bombs[i]:
            self._remove_bomb(i)
            self._add_bomb(next(j for j in here[1:] if not self._bombs[j]))
        if CHECK_REP:
            self._check_rep()

    def _free_from(self, number: int, taken: list[int]) -> int:
        """Return the first square that has no bomb and is not `taken`. Begin at `number` modulo the field's size."""
        row, column = divmod(number % (self.columns * self.rows), self.columns)
        j = self._origin + row * self._stride + column - 1
        while True:
            j = self._bombs.find(0, j + 1)
            if j < 0:
                j = self._origin - 1
            elif self._cells[j] != EDGE[0] and j not in taken:
                return j

    def _turn(self, i: int, table: bytes, bombs_left: int) -> Runs:
        self._cells[i] = table[self._cells[i]]
        self.bombs_left += bombs_left
        return self._show([self._span(i)])

    def _remove_bomb(self, i: int) -> list[Span]:
        """Remove the bomb at i; return its dug neighbours, because their visible counts decrease."""
        self._bombs[i] = 0
        self.bombs_left -= 1
        seen: list[Span] = []
        for j in self._around(i):
            self._cells[j] -= 1
            if self._cells[j] in DUG:
                seen.append(self._span(j))
        return seen

    def _add_bomb(self, i: int) -> None:
        """Put a bomb at i. Requires a square without a bomb and without dug neighbours."""
        self._bombs[i] = 1
        self.bombs_left += 1
        for j in self._around(i):
            self._cells[j] += 1

    def _around(self, i: int) -> list[int]:
        """Return the neighbours of the square at index i, in reading order."""
        middles = (i - self._stride, i, i + self._stride)
        places = (j for middle in middles for j in (middle - 1, middle, middle + 1))
        return [j for j in places if j != i and self._cells[j] != EDGE[0]]

    def _show(self, changed: list[Span]) -> Runs:
        """Update _board where _cells has changed, and return the changes as runs. The spans may overlap."""
        joined: list[Span] = []
        for first, end in sorted(changed):
            if joined and joined[-1][1] >= first:
                joined[-1] = (joined[-1][0], max(joined[-1][1], end))
            else:
                joined.append((first, end))
        runs: list[Run] = []
        for first, end in joined:
            shown = self._cells[self._at(first) : self._at(end - 1) + 1].translate(_SHOWN, EDGE)
            self._board[2 * first : 2 * end - 1 : 2] = shown
            runs += self._rows(first, shown.decode("ascii"))
        self._text = None
        if CHECK_REP:
            self._check_rep()
        return tuple(runs)

    def _rows(self, first: int, shown: str) -> Iterable[Run]:
        """Return the text `shown` of the squares from number `first` on, as one run per row."""
        y, x = divmod(first, self.columns)
        here = self.columns - x  # squares in the first row
        if len(shown) <= here:
            return ((x, y, shown),)
        columns, below = self.columns, shown[here:]
        texts = below if columns == 1 else [below[start : start + columns] for start in range(0, len(below), columns)]
        return chain(((x, y, shown[:here]),), zip(repeat(0), count(y + 1), texts, strict=False))

    # --- representation ---

    def _index(self, x: int, y: int) -> int | None:
        """Return the index of square (x, y) in the rep; None if (x, y) is outside the field."""
        if 0 <= x < self.columns and 0 <= y < self.rows:
            return self._origin + y * self._stride + x
        return None

    def _number(self, i: int) -> int:
        """Return the number, in reading order, of the square at index i of the rep."""
        y, x = divmod(i - self._origin, self._stride)
        return y * self.columns + x

    def _span(self, i: int) -> Span:
        """Return the span of only the square at index i of the rep."""
        number = self._number(i)
        return number, number + 1

    def _at(self, number: int) -> int:
        """Return the index in the rep of the square with this number."""
        return self._origin + number + number // self.columns

    def _place(self, i: int) -> Place:
        """Return the (x, y) of the square at index i of the rep."""
        y, x = divmod(i - self._origin, self._stride)
        return x, y

    def _counts(self) -> bytes:
        """Return the number of neighbours with a bomb for each byte of the rep. The number at an EDGE has no meaning.

        All bytes together are one large number. The sum of this number and its shifted copies has the counts of all
        squares. No byte overflows, because a sum is at most 9. A loop over a million squares takes a hundred times as
        long.
        """
        own = int.from_bytes(self._bombs, "little")
        column = own + (own << 8 * self._stride) + (own >> 8 * self._stride)
        around = column + (column << 8) + (column >> 8) - own
        return around.to_bytes(len(self._bombs), "little")

    def _check_rep(self) -> None:
        columns, rows, stride, origin = self.columns, self.rows, self._stride, self._origin
        assert columns > 0
        assert rows > 0
        assert (stride, origin) == (columns + 1, columns + 2)
        inside = b"\0" * origin + (b"\xff" * columns + b"\0") * rows + b"\0" * stride
        assert self._cells.translate(bytes.maketrans(_SQUARE + EDGE, b"\xff" * 27 + b"\0")) == inside
        assert len(self._bombs) == len(inside)
        squares = int.from_bytes(inside, "little")

        def number(table: tuple[bytes, bytes]) -> int:
            return int.from_bytes(self._cells.translate(bytes.maketrans(*table)), "little") & squares

        bombs = int.from_bytes(self._bombs, "little")
        assert bombs & ~squares == 0
        assert number((_SQUARE, bytes(range(9)) * 3)) == int.from_bytes(self._counts(), "little") & squares
        assert bombs & number((_SQUARE, b"\0" * 18 + b"\xff" * 9)) == 0
        assert self._board[::2] == self._cells.translate(_SHOWN, EDGE)
        assert self._board[1::2] == (b" " * (columns - 1) + b"\n") * rows
        dug = number((_SQUARE, b"\0" * 18 + b"\1" * 9))
        assert self.safe_left == columns * rows - bombs.bit_count() - dug.bit_count()
        flags = number((_SQUARE, b"\0" * 9 + b"\1" * 9 + b"\0" * 9))
        assert self.bombs_left == bombs.bit_count() - flags.bit_count()
        assert self._text is None or self._text == self._board.decode("ascii")
