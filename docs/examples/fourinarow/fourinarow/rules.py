"""The rules of Four in a row. Pure.

The first two people to drop a disc are the players. They drop discs in turn. Four discs of a player in a row win, in
any direction. A full board without four in a row is a draw. A drop out of turn waits for the player's turn.
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

    The number of a disc is the number of its drop, from 0. One player has the even discs, the other the odd discs.
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
        """The discs that win by the last drop; empty if that drop does not win."""
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
            raise ValueError("there must be a different player for each of the first two discs")

    @property
    def winner(self) -> str | None:
        """The player who has won."""
        line = self.board.line
        return self.players[line[0] % 2] if line else None

    @property
    def is_over(self) -> bool:
        """True after a win, and if the board is full."""
        return self.winner is not None or not self.board.open_columns

    def with_player(self, player: str) -> tuple[str, ...]:
        """Return the players, with this player at the end if new."""
        return self.players if player in self.players else (*self.players, player)

    def is_turn_of(self, player: str) -> bool:
        """Return True if that player drops the next disc."""
        return not self.is_over and self.with_player(player).index(player) == len(self.board.drops) % 2

    def after(self, player: str, column: int) -> Table:
        """Return the state after a drop of this player. It must be this player's turn."""
        return Table(self.board.after(column), self.with_player(player))


class Drop(Command[None], frozen=True):
    """Drop a disc into a column. Waits while it is the other player's turn."""

    player: str
    column: int


class View(msgspec.Struct, frozen=True):
    """The public state. `line` has the winning discs, `waiting` the drops that wait, oldest first."""

    table: Table
    line: tuple[int, ...]
    waiting: tuple[Drop, ...]


class Look(Query[View], frozen=True):
    """Query for the public state."""


class Dropped(Event, frozen=True):
    """A disc of the player has dropped. `line` has the winning discs; it may be empty."""

    player: str
    column: int
    line: tuple[int, ...]


class Waits(Event, frozen=True):
    """A drop of the player waits."""

    player: str
    column: int


class WaitsNoMore(Event, frozen=True):
    """A waiting drop was withdrawn or refused."""

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
        """Drop a disc, or make the drop wait for the player's turn."""
        table, player, column = self.now, drop.player, drop.column
        if not 0 <= column < table.board.columns:
            raise InvalidCommand(f"the columns are 0 to {table.board.columns - 1}")
        if len(table.with_player(player)) > 2:
            raise NoDrop("two-play", "two others play this game")
        if table.is_over:
            raise NoDrop("over", "the game is over")
        if column not in table.board.open_columns:
            raise NoDrop("column-full", "the column is full")
        if not table.is_turn_of(player):
            return Wait(Waits(player, column))
        self.now = table.after(player, column)
        return Done(None, Dropped(player, column, self.now.board.line))

    def stop_waiting(self, drop: Drop) -> Sequence[Event]:
        """Return the events for a drop that no longer waits."""
        return (WaitsNoMore(drop.player, drop.column),)

    def look(self) -> View:
        """Return the public state."""
        return View(self.now, self.now.board.line, self.waiting)
