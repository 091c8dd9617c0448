"""Multiplayer Minesweeper for the judge: the naive model as a specification, and answers as players see them.

Nothing waits here. What forces the order are the BOARDs: how many squares are dug never decreases, so their number
serves as the version. Beside the field the model counts the players: HELLO tells everybody how many there are, and
a player who has left is no longer counted once the server has closed the connection.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from tests.support.linearizability import Unversioned
from tests.support.minesweeper.model import Model

BOOM = "BOOM!\n"

_step = lru_cache(maxsize=100_000)(Model.step)


class Shown(NamedTuple):
    """An answer: a text, from which the version can be told if it is a BOARD; None if there was none."""

    text: str | None

    @property
    def version(self) -> int | None:
        """The number of squares that were dug, if it shows."""
        if self.text is None or not self.text.endswith("\n") or self.text == BOOM:
            return None
        return sum(square not in "-F" for line in self.text.splitlines() for square in line[::2])

    def fits(self, out: str) -> bool:
        """Whether the model's answer looks like this."""
        return self.text is None or self.text == out


class Table(NamedTuple):
    """The field, and how many play."""

    field: Model
    players: int = 0


class MineSpec(Unversioned[Table, str]):
    """Ops: look, dig, flag and deflag as players send them, "connect", answered with how many play, and "leave"."""

    def __init__(self, field: Model) -> None:
        self._field = field

    def start(self) -> Table:
        return Table(self._field)

    def restart(self, state: Table) -> Table:
        return Table(state.field)

    def step(self, state: Table, ticket: int, op: str) -> tuple[Table, Mapping[int, str]]:
        if op == "connect":
            return Table(state.field, state.players + 1), {ticket: str(state.players + 1)}
        if op == "leave":
            return Table(state.field, state.players - 1), {ticket: ""}
        field, answer = _step(state.field, op)
        return Table(field, state.players), {ticket: answer}

    def may_leap(self, state: Table, op: object) -> bool:
        return True  # one dig may open any number of squares

    def changes_nothing(self, op: object) -> bool:
        return op == "look"

    def is_idle(self, state: Table, op: object) -> bool:
        _, *numbers = str(op).split(" ")
        if len(numbers) != 2:
            return False
        square = int(numbers[0]), int(numbers[1])
        return square in state.field.dug or not state.field.is_inside(square)

    def answer(self, state: Table, op: object, changed: bool) -> str | None:
        assert op == "look"
        return _step(state.field, op)[1]

    def version(self, state: Table) -> int:
        return len(state.field.dug)

    def key(self, state: Table) -> Table:
        return state
