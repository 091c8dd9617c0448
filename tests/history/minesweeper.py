"""Multiplayer Minesweeper for the judge: the naive model as a specification, and players at telnet who record.

Nothing waits here. What forces the order are the BOARDs: how many squares are dug never decreases, so their number
serves as the version. Beside the field the model counts the players: HELLO tells everybody how many there are, and
whoever has left is no longer counted once the server has closed the connection.
"""

from __future__ import annotations

import random
import re
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import trio

from tests.history.calls import Call, History
from tests.history.wires import Cut, Lines
from tests.minesweeper.model import Model

MineHistory: TypeAlias = History[str, str]
MineCall: TypeAlias = Call[str, str]

HELLO = re.compile(r"Welcome to Minesweeper\. Board: \d+ columns by \d+ rows\. Players: (\d+) including you\..*\n")
BOOM = "BOOM!\n"
HANG_S = 30  # far longer than a server takes to close a connection; ends a play that hangs

_step = lru_cache(maxsize=100_000)(Model.step)


class Shown(NamedTuple):
    """An answer: a text, from which the version can be told if it is a BOARD; None if there was none."""

    text: str | None

    @property
    def version(self) -> int | None:
        """How many squares were dug, if it shows."""
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


class MineSpec:
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

    def withdraw(self, state: Table, ticket: int) -> Table:
        raise AssertionError("nothing is ever parked")

    def parked(self, state: Table) -> Sequence[int]:
        return ()

    def may_leap(self, state: Table, op: str) -> bool:
        return True  # one dig may open any number of squares

    def changes_nothing(self, op: str) -> bool:
        return op == "look"

    def answer(self, state: Table, op: str, changed: bool) -> str | None:
        return _step(state.field, op)[1]

    def version(self, state: Table) -> int:
        return len(state.field.dug)

    def faces(self, state: Table) -> Hashable:
        return None

    def everything(self, state: Table) -> Hashable:
        return None

    def key(self, state: Table) -> Hashable:
        return state


def dense_field(seed: str, size: int = 14) -> Model:
    """A square field with so many bombs that it takes long to be dug up."""
    dice = random.Random(seed)
    squares = [(x, y) for x in range(size) for y in range(size)]
    return Model(size, size, frozenset(dice.sample(squares, size * size // 3)))


def field_file(field: Model) -> str:
    """The text of its file."""
    rows = [" ".join(str(int((x, y) in field.bombs)) for x in range(field.columns)) for y in range(field.rows)]
    return f"{field.columns} {field.rows}\n" + "".join(f"{row}\n" for row in rows)


class Digger:
    """A player at telnet. Comes again when its connection has ended; loses patience now and then."""

    def __init__(self, field: Model, history: MineHistory, seed: str, cut: float = 0.03) -> None:
        self.columns, self.rows = field.columns, field.rows
        self.history = history
        self.random = random.Random(seed)
        self.cut = cut

    async def play(self, host: str, port: int, moves: int) -> None:
        """Make so many moves, or fewer if the server dies."""
        while moves > 0:
            connect = self.history.begin("connect")
            try:
                wire = await Lines.connect(host, port)
            except Cut:
                return
            try:
                moves -= await self.sit(wire, connect, moves)
            finally:
                await wire.aclose()

    async def sit(self, wire: Lines, connect: MineCall, moves: int) -> int:
        """Play over one connection until something ends it; how many moves were made, at least 1."""
        made = 0
        last: MineCall | None = None
        try:
            hello = HELLO.fullmatch(await wire.line())
            assert hello is not None
            self.history.end(connect, Shown(hello[1]))
            while made < moves and self.random.random() > 0.02:
                made += 1
                last = self.history.begin(self.choose())
                await wire.send(last.op)
                if self.random.random() < self.cut:
                    break
                answer = await wire.line()
                if answer != BOOM:
                    answer += "".join([await wire.line() for _ in range(self.rows - 1)])
                self.history.end(last, Shown(answer))
                if answer == BOOM:
                    break
        except Cut:
            self.history.begin("leave")  # the server has died, or will find out by itself
            return max(made, 1)
        leave = self.history.begin("leave")
        if last is not None and last.told == Shown(BOOM):
            leave.began = last.began  # the server did not wait for the player to leave
        if self.random.random() < 0.05:
            await wire.reset()
        else:
            await self.drain(wire)
            self.history.end(leave, Shown(None))
            if last is not None and last.ended is None:
                last.over = self.history.clock.tick()
        return max(made, 1)

    def choose(self) -> str:
        """What to send next."""
        what = self.random.choices(["look", "dig", "flag", "deflag"], [3, 4, 2, 2])[0]
        if what == "look":
            return what
        return f"{what} {self.random.randrange(self.columns)} {self.random.randrange(self.rows)}"

    async def drain(self, wire: Lines) -> None:
        """Say that nothing more will come, and read until the server has closed."""
        with trio.fail_after(HANG_S):
            try:
                await wire.finish()
                while True:
                    await wire.line()
            except Cut:
                pass
