"""Players of Multiplayer Minesweeper at telnet. They record their answers for the judge."""

from __future__ import annotations

import random
import re
from typing import TypeAlias

import trio

from tests.search.history.wires import Lines
from tests.support import HANG_S
from tests.support.history import Call, History
from tests.support.minesweeper.model import Model
from tests.support.minesweeper.spec import BOOM, Shown
from tests.support.websocket import Cut

MineHistory: TypeAlias = History[str, str]
MineCall: TypeAlias = Call[str, str]

HELLO = re.compile(r"Welcome to Minesweeper\. Board: \d+ columns by \d+ rows\. Players: (\d+) including you\..*\n")


def dense_field(seed: str, size: int = 14) -> Model:
    """A square field with many bombs, so that the players need long to dig it up."""
    dice = random.Random(seed)
    squares = [(x, y) for x in range(size) for y in range(size)]
    return Model(size, size, frozenset(dice.sample(squares, size * size // 3)))


def field_file(field: Model) -> str:
    """The text of the field's file."""
    rows = [" ".join(str(int((x, y) in field.bombs)) for x in range(field.columns)) for y in range(field.rows)]
    return f"{field.columns} {field.rows}\n" + "".join(f"{row}\n" for row in rows)


class Digger:
    """A player at telnet. It connects again after its connection ended, and sometimes it disconnects early."""

    def __init__(self, field: Model, history: MineHistory, seed: str, cut: float = 0.03) -> None:
        self.columns, self.rows = field.columns, field.rows
        self.history = history
        self.random = random.Random(seed)
        self.cut = cut

    async def play(self, host: str, port: int, moves: int) -> None:
        """Make this number of moves, or fewer if the server dies."""
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
        """Play over one connection until it ends. Return the number of moves, at least 1."""
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
            self.history.begin("leave")  # the server died, or it will detect the disconnect itself
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
        """The next message to send."""
        what = self.random.choices(["look", "dig", "flag", "deflag"], [3, 4, 2, 2])[0]
        if what == "look":
            return what
        return f"{what} {self.random.randrange(self.columns)} {self.random.randrange(self.rows)}"

    async def drain(self, wire: Lines) -> None:
        """Close the sending side, and read until the server closes."""
        with trio.fail_after(HANG_S):
            try:
                await wire.finish()
                while True:
                    await wire.line()
            except Cut:
                pass
