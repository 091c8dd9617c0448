"""The rules of Four in a row. Pure.

The first two who drop a disc are the players, and drop one in turn. Four discs of a player in a row, in any direction,
win; a full board without such a row is a draw. A drop out of turn waits until it is the player's turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import Final

import msgspec

from scramble.errors import InvalidCommand, Refusal
from scramble.games.plain import Done, PlainRules, Wait
from scramble.kernel.protocol import Command, Event, Query

WIN: Final = 4  # discs in a row
DIRECTIONS: Final = ((0, 1), (1, 0), (1, 1), (1, -1))


class Board(msgspec.Struct, frozen=True):
    """The board: `drops` has the column of each disc, in the order of the drops. Columns count from 0 at the left.

    Discs have the numbers of their drops, from 0: the even ones are of one player, the odd ones of the other.
    """

    rows: int = 6
    columns: int = 7
    drops: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if any(not 0 <= column < self.columns or self.drops.count(column) > self.rows for column in self.drops):
            raise ValueError("there is no place for a disc")

    @property
    def open_columns(self) -> list[int]:
        """The columns that are not full."""
        return [column for column in range(self.columns) if self.drops.count(column) < self.rows]

    @property
    def line(self) -> tuple[int, ...]:
        """The discs that win by the last drop; none if it does not win."""
        heights = Counter[int]()
        discs: dict[tuple[int, int], int] = {}
        row = column = last = -1
        for last, column in enumerate(self.drops):
            row = heights[column]
            heights[column] += 1
            discs[row, column] = last
        line: set[int] = set()
        for up, right in DIRECTIONS:
            found = [last]
            for step in (1, -1):
                for far in count(step, step):
                    disc = discs.get((row + far * up, column + far * right))
                    if disc is None or disc % 2 != last % 2:
                        break
                    found.append(disc)
            line.update(found if len(found) >= WIN else ())
        return tuple(sorted(line))

    def after(self, column: int) -> Board:
        """Return the board after the next drop."""
        return msgspec.structs.replace(self, drops=(*self.drops, column))


class Table(msgspec.Struct, frozen=True):
    """The state of a game: the board, and the players in the order of their first drops."""

    board: Board = Board()
    players: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.players) != min(2, len(self.board.drops)) or len(set(self.players)) != len(self.players):
            raise ValueError("the discs are of two players")


class Drop(Command[None], frozen=True):
    """Drop a disc into a column. Waits while it is the other player's turn."""

    player: str
    column: int


class View(msgspec.Struct, frozen=True):
    """The public state: `line` has the discs that have won, `waiting` the drops that wait, the oldest first."""

    board: Board
    players: tuple[str, ...]
    line: tuple[int, ...]
    waiting: tuple[Drop, ...]

    @property
    def winner(self) -> str | None:
        """The player who has won."""
        return self.players[self.line[0] % 2] if self.line else None

    @property
    def is_over(self) -> bool:
        """True after a win, and if the board is full."""
        return bool(self.line) or not self.board.open_columns

    def is_turn_of(self, player: str) -> bool:
        """Return True if that player drops the next disc; a second player is one as soon as the first one has moved."""
        players = self.players if player in self.players else (*self.players, player)
        return not self.is_over and players.index(player) == len(self.board.drops) % 2


class Look(Query[View], frozen=True):
    """Query for the public state."""


class Dropped(Event, frozen=True):
    """The player's disc has dropped, and wins by `line`, if that has discs."""

    player: str
    column: int
    line: tuple[int, ...]


class Waits(Event, frozen=True):
    """A drop of the player waits."""

    player: str
    column: int


class WaitsNoMore(Event, frozen=True):
    """A drop that waited was withdrawn, or refused."""

    player: str
    column: int


class NoDrop(Refusal):
    """A drop that the rules refuse. Nothing has changed."""

    def __init__(self, code: str, words: str) -> None:
        self.code = code
        super().__init__(words)


class FourInARow(PlainRules[Table, Drop]):
    """The rules at a table. Mutable."""

    kind = "fourinarow"
    moves = Drop

    def play(self, drop: Drop) -> Done | Wait:
        """Drop a disc, or have it wait for the player's turn."""
        view, player, column = self.look(), drop.player, drop.column
        is_new = player not in view.players
        if not 0 <= column < view.board.columns:
            raise InvalidCommand(f"the columns are 0 to {view.board.columns - 1}")
        if is_new and len(view.players) == 2:
            raise NoDrop("two-play", "two others play this game")
        if view.is_over:
            raise NoDrop("over", "the game is over")
        if column not in view.board.open_columns:
            raise NoDrop("column-full", "the column is full")
        if not view.is_turn_of(player):
            return Wait(Waits(player, column))
        self.now = Table(view.board.after(column), (*view.players, player) if is_new else view.players)
        return Done(None, Dropped(player, column, self.now.board.line))

    def stop_waiting(self, drop: Drop) -> Sequence[Event]:
        """Show that a drop no longer waits."""
        return (WaitsNoMore(drop.player, drop.column),)

    def look(self) -> View:
        """Return the public state."""
        return View(self.now.board, self.now.players, self.now.board.line, self.waiting)
