"""Multiplayer Minesweeper for the linearizability checker: the naive model as a specification, and players' answers.

No call waits. The BOARDs determine the order: the number of dug squares never decreases, so it serves as the version.
The specification also counts the players, because HELLO contains their number. A player who has left does not count
after the server has closed the connection.
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
    """An answer: a text, or None without an answer. A BOARD gives the version."""

    text: str | None

    @property
    def version(self) -> int | None:
        """The number of dug squares, if the text shows it."""
        if self.text is None or not self.text.endswith("\n") or self.text == BOOM:
            return None
        return sum(square not in "-F" for line in self.text.splitlines() for square in line[::2])

    def fits(self, out: str) -> bool:
        """Return True if the model's answer looks like this one."""
        return self.text is None or self.text == out


class Table(NamedTuple):
    """The field, and the number of players."""

    field: Model
    players: int = 0


class MineSpec(Unversioned[Table, str]):
    """Ops: look, dig, flag and deflag as in messages; "connect", which returns the number of players; "leave"."""

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
