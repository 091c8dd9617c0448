"""Layouts: the first places of a field's bombs (given, random, or random with a fixed number); usual fields. Pure.

A layout has a line for each row, with the byte "1" for a bomb and "0" for no bomb.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

from scramble.minesweeper.fieldfile import MAX_SQUARES
from scramble.minesweeper.messages import Place

Lines: TypeAlias = Sequence[bytes | bytearray]

DENSITY: Final = 0.25
"""Probability of a bomb, from the handout."""


class Preset(NamedTuple):
    """A usual field."""

    rows: int
    columns: int
    bombs: int


PRESETS: Final = {"beginner": Preset(9, 9, 10), "intermediate": Preset(16, 16, 40), "expert": Preset(16, 30, 99)}

_UNDECIDED: Final = re.compile(b"2")


def placed(columns: int, rows: int, bombs: Iterable[Place]) -> Lines:
    """Lay out bombs at these places. Raises ValueError for an invalid size, or a bomb outside."""
    require_size(columns, rows)
    lines = [bytearray(b"0" * columns) for _ in range(rows)]
    for x, y in bombs:
        if not (0 <= x < columns and 0 <= y < rows):
            raise ValueError(f"bomb ({x}, {y}) is outside a field of {columns} columns and {rows} rows")
        lines[y][x] = ord("1")
    return lines


def scattered(columns: int, rows: int, density: float, seed: int | None) -> Lines:
    """Lay out bombs: each square has a bomb with probability `density`, independently of other squares.

    The same seed makes the same layout; None uses the system's randomness. Raises ValueError for an invalid size, or a
    density that is not from 0 to 1.
    """
    require_size(columns, rows)
    if not 0 <= density <= 1:
        raise ValueError(f"a density is from 0 to 1, and not {density}")
    dice = random.SystemRandom() if seed is None else random.Random(seed)
    # A random byte decides: below `bombs` the square has a bomb, above `bombs` it has no bomb. If the byte equals
    # `bombs`, a random number decides.
    bombs = int(256 * density)
    rest = 256 * density - bombs
    table = b"1" * bombs + (b"2" if rest else b"") + b"0" * 256
    values = dice.randbytes(columns * rows).translate(table[:256])
    if rest:
        values = _UNDECIDED.sub(lambda _: b"1" if dice.random() < rest else b"0", values)
    return _cut(values, columns)


def counted(columns: int, rows: int, bombs: int, seed: int | None) -> Lines:
    """Lay out exactly `bombs` bombs, at random places; the same seed makes the same layout.

    Raises ValueError for an invalid size, or more bombs than squares.
    """
    require_size(columns, rows)
    size = columns * rows
    if not 0 <= bombs <= size:
        raise ValueError(f"{size} squares have from 0 to {size} bombs, not {bombs}")
    dice = random.SystemRandom() if seed is None else random.Random(seed)
    values = bytearray(b"0" * size)
    for place in dice.sample(range(size), bombs):
        values[place] = ord("1")
    return _cut(values, columns)


def require_size(columns: int, rows: int) -> None:
    """Raise ValueError if a field cannot have this size."""
    if columns < 1 or rows < 1:
        raise ValueError(f"a field has at least one column and one row, not {columns} and {rows}")
    if columns * rows > MAX_SQUARES:
        raise ValueError(f"a field has at most {MAX_SQUARES} squares")


def _cut(values: bytes | bytearray, columns: int) -> Lines:
    return [values[start : start + columns] for start in range(0, len(values), columns)]
