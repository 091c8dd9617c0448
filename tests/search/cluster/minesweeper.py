"""Players of Minesweeper in a room of many processes, over the WebSocket. The players record their views.

They know the field and dig no bomb: in a room a boom does not end the connection, and the pause after it depends on
clocks. The answer of a `done` frame is the field of its version. The player builds this field from changes.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import trio

from scramble.journal import Record
from tests.search.cluster.table import HOST, PATIENCE_S, Table, rest
from tests.search.history.journalled import NotJournalled
from tests.support.history import Call
from tests.support.linearizability import Unversioned, Verdict
from tests.support.minesweeper.model import Model
from tests.support.minesweeper.spec import Shown
from tests.support.websocket import Cut, Frame, WebSocket

MineTable: TypeAlias = Table[str, str]

LOOK: Final = "look"
KEPT: Final = 200  # the number of versions that a player keeps the field of


class MineDoors(Unversioned[Model, str]):
    """The naive model as a specification. Ops are messages of the handout. In a room no moves follow the end."""

    def __init__(self, field: Model) -> None:
        self._field = field

    def start(self) -> Model:
        return self._field

    def step(self, state: Model, ticket: int, op: str) -> tuple[Model, Mapping[int, str]]:
        if state.is_won():
            return state, {ticket: state.board()}
        after, answer = state.step(op)
        return after, {ticket: answer}

    def may_leap(self, state: Model, op: object) -> bool:
        return True  # one dig may open any number of squares

    def changes_nothing(self, op: object) -> bool:
        return op == LOOK

    def answer(self, state: Model, op: object, changed: bool) -> str | None:
        return state.board()

    def version(self, state: Model) -> int:
        return len(state.dug)

    def key(self, state: Model) -> Model:
        return state


class Digger:
    """A player."""

    def __init__(self, name: str, field: Model, table: MineTable, seed: str) -> None:
        self.name = name
        self.field = field
        self.safe: Final = sorted({(x, y) for x in range(field.columns) for y in range(field.rows)} - field.bombs)
        self.table = table
        self.dice = random.Random(f"{seed} {name}")

    async def play(self) -> None:
        """Play until the table ends."""
        while self.table.goes_on():
            look = self.table.begin(LOOK)
            wire: WebSocket | None = None
            try:
                with trio.move_on_after(PATIENCE_S):
                    path = f"/g/{self.table.room}/play/{self.name}"
                    wire = await WebSocket.connect(HOST, self.table.doors.any(self.dice), path)
            except Cut:
                pass
            if wire is not None:
                try:
                    with trio.CancelScope() as scope:
                        await _Sitting(self, wire, scope).play(look)
                except Cut:
                    pass
                finally:
                    await wire.aclose()
            self.table.cut(look)
            await rest(self.dice)

    def choose(self) -> tuple[str, int, int]:
        """The next move: a word and a square."""
        if self.dice.random() < 0.06:
            return "dig", *self.dice.choice(self.safe)
        square = self.dice.randrange(self.field.columns), self.dice.randrange(self.field.rows)
        return self.dice.choice(["flag", "deflag"]), *square


class _Sitting:
    """One connection of a player."""

    def __init__(self, player: Digger, wire: WebSocket, scope: trio.CancelScope) -> None:
        self.player = player
        self.table = player.table
        self.wire = wire
        self.scope = scope  # the scope of the whole connection
        self.version = -1
        self.lines: list[str] = []
        self.boards: dict[int, str] = {}
        self.early: dict[int, int] = {}  # the versions of answers whose changes have not come yet, by id

    async def look(self, look: Call[str, str]) -> str:
        """Return the first view. Raises Cut."""
        while self.version < 0:
            self.see(await self.wire.receive())
        self.table.end(look, Shown(self.boards[self.version]), self.version)
        return self.boards[self.version]

    async def play(self, look: Call[str, str]) -> None:
        """Play until the connection is over. Raises Cut."""
        self.scope.deadline = trio.current_time() + PATIENCE_S
        await self.look(look)
        for _ in range(self.player.dice.randrange(5, 60)):
            if not self.table.goes_on():
                return
            word, x, y = self.player.choose()
            call = self.table.begin(f"{word} {x} {y}")
            self.scope.deadline = trio.current_time() + PATIENCE_S
            try:
                await self.wire.send({"type": word, "id": call.began, "x": x, "y": y})
                version = await self.answer(call)
                if version is not None:
                    while self.version < version:
                        self.see(await self.wire.receive())
                    self.table.end(call, Shown(self.boards.get(version)), version)
            finally:
                self.table.cut(call)

    async def answer(self, call: Call[str, str]) -> int | None:
        """Return the version of the answer; None if the move was rejected."""
        while True:
            frame = await self.wire.receive()
            if frame["type"] == "done" and frame["id"] == call.began:
                version = frame["version"]
                assert isinstance(version, int)
                if "pause" in frame or "start" in frame:
                    self.table.wrong(f"nobody has to pause here: {frame}")
                return version
            if frame["type"] in ("boom", "error"):
                self.table.wrong(f"{call.op} was answered {frame}")
                return None
            self.see(frame)

    def see(self, frame: Frame) -> None:
        """Process a frame."""
        match frame:
            case {"type": "field", "version": int(version), "lines": list(lines)}:
                if version < self.version:
                    self.table.wrong(f"after version {self.version} came {frame}")
                self.version, self.lines = version, list(lines)
            case {"type": "change", "version": int(version), "events": list(events)}:
                if version <= self.version:
                    return
                if version != self.version + 1:
                    self.table.wrong(f"after version {self.version} came {frame}")
                self.version = version
                for event in events:
                    for x, y, shown in event.get("runs", ()):
                        line = self.lines[y]
                        self.lines[y] = line[:x] + shown + line[x + len(shown) :]
            case _:
                return
        board = "".join(" ".join(line) + "\n" for line in self.lines)
        self.boards[self.version] = board
        self.boards.pop(self.version - KEPT, None)
        self.table.show(self.version, board)


async def look(table: MineTable, field: Model, port: int) -> str:
    """The field as this process shows it. Raises Cut."""
    call = table.begin(LOOK)
    wire = await WebSocket.connect(HOST, port, f"/g/{table.room}/play/witness")
    try:
        sitting = _Sitting(Digger("witness", field, table, ""), wire, trio.CancelScope())
        return await sitting.look(call)
    finally:
        await wire.aclose()


def moved(records: Sequence[Record]) -> Sequence[str]:
    """The moves in a log, in the model's words, without connects and disconnects."""
    commands = [json.loads(record.command) for record in records]
    return [f"{c['type'].lower()} {c['x']} {c['y']}" for c in commands if c["type"] in ("Dig", "Flag", "Deflag")]


def judge_minesweeper(table: MineTable, field: Model, records: Sequence[Record], last: str) -> Verdict:
    """Check that one order of the rules explains the views, and that the log leads to the final view `last`.

    A request without an answer that is not in the log has not happened. Raises NotExplained and NotJournalled.
    """
    state = field
    asked = Counter[str]()
    for op in moved(records):
        if not state.is_won():
            asked[op] += 1
            state, _ = state.step(op)
    if state.board() != last:
        raise NotJournalled(f"the log leads to\n{state.board()}\nand in the end everybody saw\n{last}")
    calls: list[Call[str, str]] = []
    for call in table.history.calls:
        if call.ended is None:
            if not asked[call.op]:
                continue
            asked[call.op] -= 1
        calls.append(call)
    table.history.calls = calls
    return table.judge(MineDoors(field))
