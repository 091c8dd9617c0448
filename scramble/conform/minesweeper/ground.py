"""The field of a server as the check knows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from scramble.conform.cases import Skipped
from scramble.conform.minesweeper.fieldfile import FieldFile, Region
from scramble.conform.minesweeper.rules import Rules
from scramble.conform.minesweeper.wire import (
    BOOM,
    Reply,
)

NOT_KNOWN: Final = "this case needs a field that is known: use --start with {args}, or --board FILE"


@dataclass(frozen=True)
class Server:
    """The address of a server."""

    host: str
    port: int


class Ground:
    """The field of one server as far as it is known, and the tiles that no case has used."""

    def __init__(self, columns: int, rows: int, file: FieldFile | None, tiles: Sequence[Region] = ()) -> None:
        """`file`: the known bombs at the start. `tiles`: equal parts of the field; none: cases share the field."""
        self.columns: Final = columns
        self.rows: Final = rows
        self.file: Final = file
        self.has_tiles: Final = bool(tiles)
        self.whole: Final = Region(0, 0, columns, rows)
        self._tiles: Final = list(tiles)
        self._field = None if file is None else Rules(file.columns, file.rows, file.bombs)
        self.lines: tuple[str, ...] = ("-" * columns,) * rows
        """The expected BOARD, with one character for each square."""

    @property
    def left(self) -> int:
        """The number of unused tiles."""
        return len(self._tiles)

    @property
    def field(self) -> Rules:
        """The known field. Raises Skipped if it is not known."""
        if self._field is None:
            raise Skipped(NOT_KNOWN)
        return self._field

    def take(self) -> Region:
        """Return an unused tile, or the whole field if it has no tiles. Raises Skipped without unused tiles."""
        if not self.has_tiles:
            return self.whole
        if not self._tiles:
            raise Skipped("the field has no unused tiles")
        return self._tiles.pop(0)

    def see(self, lines: tuple[str, ...]) -> None:
        """Take the state of the field from a BOARD."""
        self.lines = lines
        if self.file is not None:
            shown = {(x, y): char for y, line in enumerate(lines) for x, char in enumerate(line)}
            dug = frozenset(square for square, char in shown.items() if char not in "-F")
            flagged = frozenset(square for square, char in shown.items() if char == "F")
            self._field = Rules(self.columns, self.rows, self.file.bombs - dug, dug, flagged)

    def step(self, message: str) -> Reply:
        """Return the answer that the message must have, and change the field. Raises Skipped if it is not known."""
        if self._field is not None:
            self._field, text = self._field.step(message)
            self.lines = tuple(self._field.lines())
            return Reply("BOOM", (BOOM,)) if text.startswith(BOOM) else Reply("BOARD", self.lines)
        word, *numbers = message.split(" ")
        if word != "look":
            x, y = int(numbers[0]), int(numbers[1])
            here = self.lines[y][x] if 0 <= x < self.columns and 0 <= y < self.rows else ""
            if word == "dig" and here == "-":
                raise Skipped(NOT_KNOWN)
            after = {("flag", "-"): "F", ("deflag", "F"): "-"}.get((word, here))
            if after is not None:
                line = self.lines[y]
                self.lines = (*self.lines[:y], line[:x] + after + line[x + 1 :], *self.lines[y + 1 :])
        return Reply("BOARD", self.lines)
