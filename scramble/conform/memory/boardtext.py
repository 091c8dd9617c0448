"""The grammars of the handout: board files, and the board state in an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from scramble.conform.cases import Broken, CannotRun
from scramble.conform.memory.rules import Place, Seen

_SIZE: Final = re.compile(r"([0-9]{1,6})x([0-9]{1,6})")
_SPOT: Final = re.compile(r"none|down|(up|my) ([^\s]+)")
_NEWLINE: Final = re.compile(r"\r\n|\n\r|\n|\r")
"""Each NEWLINE of an edition."""


@dataclass(frozen=True)
class Board:
    """A parsed board state: its size, and the spots row by row."""

    rows: int
    columns: int
    spots: tuple[Seen, ...]

    def __getitem__(self, place: Place) -> Seen:
        row, column = place
        return self.spots[row * self.columns + column]


def parse_board(text: str) -> Board:
    """Parse the board state of an answer. Raises Broken with the place of the first deviation from the grammar."""
    lines = _NEWLINE.split(text)
    if lines[-1] != "":
        raise Broken(f"the last line of the board, {lines[-1][:80]!r}, does not end with a newline")
    lines.pop()
    size = _SIZE.fullmatch(lines[0]) if lines else None
    if size is None:
        raise Broken(f"the first line of the board must be ROWxCOLUMN, such as 3x3, but is {(lines or [''])[0][:80]!r}")
    rows, columns = int(size[1]), int(size[2])
    if len(lines) - 1 != rows * columns:
        raise Broken(f"a board of {rows}x{columns} must have {rows * columns} spots, but has {len(lines) - 1}")
    spots = []
    for number, line in enumerate(lines[1:], 2):
        spot = _SPOT.fullmatch(line)
        if spot is None:
            raise Broken(f"line {number} of the board must be none, down, up CARD or my CARD, but is {line[:80]!r}")
        spots.append(Seen(line) if spot[1] is None else Seen(spot[1], spot[2]))
    return Board(rows, columns, tuple(spots))


@dataclass(frozen=True)
class BoardFile:
    """A board file: its size, and the cards row by row."""

    rows: int
    columns: int
    cards: tuple[str, ...]

    @property
    def places(self) -> dict[Place, str]:
        """The card of each space."""
        return {divmod(index, self.columns): card for index, card in enumerate(self.cards)}

    def text(self, newline: str = "\n") -> str:
        """Return the content of the file."""
        return "".join(f"{line}{newline}" for line in (f"{self.rows}x{self.columns}", *self.cards))


def read_board_file(path: str) -> BoardFile:
    """Read the file with the board that a running server has. Raises CannotRun if it cannot be read or is invalid."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = _NEWLINE.split(file.read().removeprefix("\ufeff").rstrip("\r\n"))
    except (OSError, UnicodeDecodeError) as error:
        raise CannotRun(f"the board {path} cannot be read: {error}") from None
    size = _SIZE.fullmatch(lines[0])
    if size is None:
        raise CannotRun(f"the board {path} must begin with ROWxCOLUMN, such as 3x3, not with {lines[0][:80]!r}")
    rows, columns, cards = int(size[1]), int(size[2]), tuple(lines[1:])
    if len(cards) != rows * columns or not all(re.fullmatch(r"\S+", card) for card in cards):
        raise CannotRun(f"the board {path} must have {rows * columns} lines with one card each, without white space")
    return BoardFile(rows, columns, cards)
