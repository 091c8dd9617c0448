"""The mind of a bot. It looks some drops ahead."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Final

from fourinarow.rules import Board, Drop, Dropped, Table, View
from scramble.games.bot import Level, Mind
from scramble.kernel.protocol import Event

AHEAD: Final[Mapping[Level, int]] = {"easy": 1, "medium": 2, "hard": 4}  # drops


class FourMind(Mind):
    """The mind of a bot that plays Four in a row. Mutable."""

    def __init__(self, player: str, level: Level, choices: random.Random) -> None:
        self._player: Final = player
        self._level: Final = level
        self._choices: Final = choices
        self._table = Table()

    def begin(self, view: View, /) -> None:
        """Begin with the state of the game."""
        self._table = view.table

    def follow(self, events: Sequence[Event], /) -> bool:
        """Apply the events to the state."""
        for event in events:
            if isinstance(event, Dropped):
                self._table = self._table.after(event.player, event.column)
        return True

    @property
    def over(self) -> bool:
        """True if the game is over."""
        return self._table.is_over

    def next_move(self) -> Drop | None:
        """Return the next drop; None if it is not this player's turn."""
        board = self._table.board
        if not self._table.is_turn_of(self._player):
            return None

        def worth(column: int) -> tuple[float, float]:
            off_middle = abs(column - board.columns // 2)
            return -value(board.after(column), AHEAD[self._level] - 1), self._choices.uniform(0, 2) - off_middle

        return Drop(self._player, max(board.open_columns, key=worth))


def value(board: Board, ahead: int, enough: float = math.inf) -> float:
    """Return the value of a board for the player to move: above 0 for a win, below 0 for a loss, larger if sooner.

    Looks `ahead` drops ahead. A value of `enough` or more need not be exact.
    """
    if board.line:
        return -1 - ahead
    if ahead == 0 or not board.open_columns:
        return 0
    best = -math.inf
    for column in board.open_columns:
        best = max(best, -value(board.after(column), ahead - 1, -best))
        if best >= enough:
            break
    return best
