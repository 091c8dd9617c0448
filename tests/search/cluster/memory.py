"""Players of Memory Scramble in a room of many processes, over HTTP and the WebSocket.

The players record their views.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeAlias

import trio

from scramble.journal import Record
from tests.search.cluster.table import HOST, PATIENCE_S, Table, rest
from tests.search.history.journalled import NotJournalled, explain_by, op_of_record
from tests.search.history.memory import seen_over_http, seen_over_websocket, sight_of_mirror
from tests.search.history.play import Board
from tests.search.history.players import MemoryCall, request
from tests.search.history.wires import Http
from tests.support.history import Call
from tests.support.linearizability import Verdict
from tests.support.memory.model import Flip, Gone, Look, Op, Out, Watch
from tests.support.memory.reader import Reader
from tests.support.websocket import Cut, Frame, WebSocket

MemoryTable: TypeAlias = Table[Op, Out]

REQUESTS = 12  # over one connection, before a client connects to another process
HOT = 4  # the number of spots that are flipped more often than the rest


class _Player:
    def __init__(self, name: str, board: Board, table: MemoryTable, seed: str) -> None:
        self.name = name
        self.board = board
        self.table = table
        self.dice = random.Random(f"{seed} {name}")

    def flip(self) -> Flip:
        spots = self.board.rows * self.board.columns
        number = self.dice.randrange(HOT if self.dice.random() < 0.3 else spots)
        return Flip(self.name, *divmod(number, self.board.columns))


class HttpPlayer(_Player):
    """A player over HTTP."""

    async def play(self) -> None:
        """Play until the table ends."""
        while self.table.goes_on():
            try:
                wire = await Http.connect(HOST, self.table.doors.any(self.dice))
            except Cut:
                await rest(self.dice)
                continue
            try:
                for _ in range(REQUESTS):
                    if not self.table.goes_on():
                        break
                    await self.ask(wire, self.choose())
            except Cut:
                await rest(self.dice)
            finally:
                await wire.aclose()

    def choose(self) -> Op:
        """The next request."""
        dice = self.dice.random()
        if dice < 0.6:
            return self.flip()
        if dice < 0.9:
            return Look(self.name)
        return Watch(self.name, max(0, self.table.latest - self.dice.randrange(3)))

    async def ask(self, wire: Http, op: Op) -> None:
        """Send a request, and record its answer. Raises Cut if the connection is over."""
        method, path = request(op)
        call = self.table.begin(op)
        try:
            with trio.move_on_after(PATIENCE_S):
                await wire.send(method, f"/g/{self.table.room}{path}")
                status, etag, body = await wire.receive()
                if status == 503:
                    raise Cut
                if status not in (200, 400, 409):
                    self.table.wrong(f"{op} was answered {status} {body}")
                    raise Cut
                told = seen_over_http(op, status, etag, body)
                self.table.end(call, told, told.version)
                return
        except Cut:
            self.table.cut(call)
            raise
        self.table.cut(call)
        raise Cut


class SocketPlayer(_Player):
    """A player over the WebSocket. Besides its answers it sees every change."""

    async def play(self) -> None:
        """Play until the table ends."""
        while self.table.goes_on():
            path = f"/g/{self.table.room}/play/{self.name}"
            wire: WebSocket | None = None
            try:
                with trio.move_on_after(PATIENCE_S):
                    wire = await WebSocket.connect(HOST, self.table.doors.any(self.dice), path)
            except Cut:
                pass
            if wire is None:
                await rest(self.dice)
                continue
            await _Sitting(self, wire).play()
            await rest(self.dice)


class _Sitting(Reader):
    """One connection of a player."""

    def __init__(self, player: SocketPlayer, wire: WebSocket) -> None:
        super().__init__(wire, player.table.history.clock)
        self.player = player
        self.table = player.table

    async def play(self) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.read)
            try:
                with trio.fail_after(PATIENCE_S):
                    await self.until(lambda: self.mirror.version >= 0)
                for _ in range(self.player.dice.randrange(5, 60)):
                    if not self.table.goes_on():
                        break
                    await self.move()
            except (Cut, trio.TooSlowError):
                pass
            nursery.cancel_scope.cancel()
        for call in self.under_way.values():
            self.table.cut(call)
        await self.wire.aclose()

    async def move(self) -> None:
        """Send one flip. Withdraw it if it waits too long. Raises Cut, and TooSlowError."""
        flip = self.player.flip()
        call = self.table.begin(flip)
        self.under_way[call.began] = call
        with trio.fail_after(PATIENCE_S):
            await self.wire.send({"type": "flip", "id": call.began, "row": flip.row, "column": flip.column})
            await self.until(lambda: call.ended is not None or call.waited is not None)
        with trio.move_on_after(PATIENCE_S * self.player.dice.random()):
            await self.until(lambda: not self.under_way)
            return
        call.left = self.table.history.clock.tick()
        with trio.fail_after(PATIENCE_S):
            await self.wire.send({"type": "withdraw"})
            await self.until(lambda: not self.under_way)

    def seen(self) -> None:
        """Record the mirror's current state."""
        sight = sight_of_mirror(self.mirror)
        self.table.history.see(*sight)
        self.table.show(sight.version, sight.faces)

    def answered(self, call: MemoryCall, frame: Frame) -> None:
        """Record the answer to a move."""
        self.table.end(call, seen_over_websocket(frame))

    def wrong(self, what: str) -> None:
        """Record a contradiction in the server's frames."""
        self.table.wrong(what)


async def look(table: MemoryTable, port: int) -> str:
    """The board as this process shows it. Raises Cut."""
    wire = await Http.connect(HOST, port)
    try:
        call = table.begin(Look("witness"))
        await wire.send("GET", f"/g/{table.room}/look/witness")
        answer = await wire.receive()
        if answer.status == 503:
            raise Cut
        told = seen_over_http(call.op, *answer)
        table.end(call, told, told.version)
        return answer.body
    finally:
        await wire.aclose()


def judge_memory(table: MemoryTable, board: Board, records: Sequence[Record], last: str) -> Verdict:
    """Check that one order of the rules explains the views, and that the log has all answered requests.

    A request without an answer that is not in the log has not happened. A command in the log without a client's request
    comes from a clock of the game, and may happen at any time. `last` is the final board. It must be the board of the
    log. Raises NotExplained and NotJournalled.
    """
    spec = board.spec
    state = spec.start()
    asked: dict[Op, int] = {}
    for record in records:
        op = op_of_record(record.command)
        if isinstance(op, Gone):
            state = spec.withdraw(state, record.ticket)
        else:
            state, _ = spec.step(state, record.ticket, op)
            asked[op] = asked.get(op, 0) + 1
    if state.text("witness") != last:
        raise NotJournalled(f"the log leads to {state.text('witness')!r}, and in the end everybody saw {last!r}")
    calls: list[MemoryCall] = []
    for call in table.history.calls:
        if call.ended is None:
            if asked.get(call.op, 0) == 0:
                continue
            asked[call.op] -= 1
        calls.append(call)
    known = {call.op for call in calls}
    for op, count in asked.items():
        if op not in known:
            calls += [Call(op, 0) for _ in range(count)]
    table.history.calls = calls
    verdict = table.judge(spec)
    explain_by(records, table.history, spec)
    return verdict
