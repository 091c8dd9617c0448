"""Field files of the handout, and the field of equal tiles that cases share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from scramble.conform.cases import CannotRun
from scramble.conform.minesweeper.rules import Square

_NEWLINE: Final = re.compile(r"\r\n|\r|\n")
_SIZE: Final = re.compile(r"([0-9]{1,9}) ([0-9]{1,9})")
_LINE: Final = re.compile(r"[01]( [01])*")


@dataclass(frozen=True)
class FieldFile:
    """The size of a field, and its squares with a bomb."""

    columns: int
    rows: int
    bombs: frozenset[Square]

    def text(self, newline: str = "\n") -> str:
        """Return the content of the file."""
        lines = [f"{self.columns} {self.rows}"]
        for y in range(self.rows):
            lines.append(" ".join("1" if (x, y) in self.bombs else "0" for x in range(self.columns)))
        return "".join(line + newline for line in lines)


def field_of(rows: str) -> FieldFile:
    """Return the field with these rows, separated by spaces: `0000 0010 0000` has a bomb at x=2, y=1."""
    lines = rows.split(" ")
    bombs = {(x, y) for y, line in enumerate(lines) for x, value in enumerate(line) if value == "1"}
    return FieldFile(len(lines[0]), len(lines), frozenset(bombs))


def read_field_file(path: str) -> FieldFile:
    """Read the file with the field that a running server has. Raises CannotRun if it cannot be read or is invalid."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = _NEWLINE.split(file.read().rstrip("\r\n"))
    except (OSError, UnicodeDecodeError) as error:
        raise CannotRun(f"the field {path} cannot be read: {error}") from None
    size = _SIZE.fullmatch(lines[0])
    if size is None:
        raise CannotRun(f"the field {path} must begin with X Y, such as 4 3, not with {lines[0][:80]!r}")
    columns, rows = int(size[1]), int(size[2])
    values = [line.split(" ") for line in lines[1:] if _LINE.fullmatch(line)]
    if len(lines) != rows + 1 or [len(line) for line in values] != [columns] * rows:
        raise CannotRun(f"the field {path} must have {rows} lines of {columns} values 0 or 1, separated by one space")
    bombs = {(x, y) for y, line in enumerate(values) for x, value in enumerate(line) if value == "1"}
    return FieldFile(columns, rows, frozenset(bombs))


@dataclass(frozen=True)
class Region:
    """A rectangle of a field. Its left top square is `left`, `top`."""

    left: int
    top: int
    columns: int
    rows: int

    @property
    def squares(self) -> list[Square]:
        """All squares of the rectangle in reading order."""
        return [(self.left + x, self.top + y) for y in range(self.rows) for x in range(self.columns)]

    def crop(self, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Return this part of a BOARD with one character for each square."""
        return tuple(line[self.left : self.left + self.columns] for line in lines[self.top : self.top + self.rows])


# A tile has 8 x 5 squares, and one bomb whose neighbors have no bombs. Walls of bombs separate the tiles, so no flood
# leaves its tile. The squares 3 to 7 of each row are opened by a flood, unless the bomb has exploded.
TILE_COLUMNS: Final = 8
TILE_ROWS: Final = 5
TILE_BOMB: Final[Square] = (2, 2)
TILES_ACROSS: Final = 5
TILES_DOWN: Final = 8


def tiles() -> list[Region]:
    """Return the tiles of the field `TILED`, without their walls."""
    return [
        Region(1 + (TILE_COLUMNS + 1) * i, 1 + (TILE_ROWS + 1) * j, TILE_COLUMNS, TILE_ROWS)
        for j in range(TILES_DOWN)
        for i in range(TILES_ACROSS)
    ]


def _tiled() -> FieldFile:
    columns, rows = 1 + (TILE_COLUMNS + 1) * TILES_ACROSS, 1 + (TILE_ROWS + 1) * TILES_DOWN
    inside = {square for tile in tiles() for square in tile.squares}
    walls = {(x, y) for x in range(columns) for y in range(rows)} - inside
    return FieldFile(
        columns, rows, frozenset(walls | {(tile.left + TILE_BOMB[0], tile.top + TILE_BOMB[1]) for tile in tiles()})
    )


TILED: Final = _tiled()
