"""Players of Memory Scramble that record their actions: some over HTTP, some over the WebSocket. They choose at random.

Each player sends one request after another and records the answers. Sometimes a player gives up early: it withdraws its
waiting flip, or its connection is cut in one of three ways. The outcome of a request that was cut before its answer is
unknown. But a client that only closes its sending side still reads the answer, or sees the server close. Then the
client knows at least that the request is over. Delays and patience only make the play lively: the judge does not use
them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote

import trio

from tests.search.history.memory import seen_over_http, seen_over_websocket, sight_of_mirror
from tests.search.history.wires import Http
from tests.support import HANG_S
from tests.support.history import Call, History
from tests.support.memory.model import Change, Flip, Look, Op, Out, Watch
from tests.support.memory.reader import Reader
from tests.support.websocket import Cut, Frame, WebSocket

MemoryHistory: TypeAlias = History[Op, Out]
MemoryCall: TypeAlias = Call[Op, Out]

FRAMES = 80
"""The moves over one WebSocket before a new WebSocket replaces it. A server queues more moves than this."""

PATIENT_TRIPS = 10  # round trips: an immediate answer never takes longer


@dataclass(frozen=True)
class Style:
    """The players' style of play."""

    cut: float = 0.03  # the share of requests that are cut before their answer
    leave_unread: float = 0.1  # the share of these cuts after which the client does not learn when the request ended
    patience_s: float = 0.05  # for a flip or a watch that waits, in addition to the round trip
    hot: int = 5  # the number of spots that are flipped more often than the rest


class Player:
    """One client. Mutable. Only one task may use it."""

    def __init__(
        self, name: str, board: tuple[int, int, tuple[str, ...]], history: MemoryHistory, seed: str, style: Style
    ) -> None:
        self.name = name
        self.history = history
        self.random = random.Random(f"{seed} {name}")
        self.rows, self.columns, cards = board
        self.cards = sorted({*cards, *(f"{card}'" for card in cards)})
        self.style = style
        self.version = 0  # the latest version that this client saw
        self.trip_s = 0.005  # the round trip to the server. On a busy machine it takes longer

    def spot(self) -> tuple[int, int]:
        """A spot to flip. Some spots are contended."""
        spots = self.rows * self.columns
        number = self.random.randrange(self.style.hot if self.random.random() < 0.4 else spots)
        return divmod(number, self.columns)

    def replacement(self) -> Change:
        """A replacement of one card by another."""
        return Change(self.name, ((self.random.choice(self.cards), self.random.choice(self.cards)),), total=False)

    def patience(self) -> float:
        """The time to wait for this answer, in seconds. Sometimes it is very short."""
        if self.random.random() < self.style.cut:
            return self.random.random() * self.trip_s
        return self.style.patience_s * (0.5 + self.random.random()) + PATIENT_TRIPS * self.trip_s

    def measure(self, began_s: float) -> None:
        """Measure the round trip of a request that does not wait."""
        self.trip_s += (trio.current_time() - began_s - self.trip_s) / 8


class HttpPlayer(Player):
    """A player over HTTP."""

    wire: Http | None = None

    async def play(self, host: str, port: int, moves: int) -> None:
        """Send this number of requests, or fewer if the server dies."""
        for _ in range(moves):
            try:
                if self.wire is None:
                    self.wire = await Http.connect(host, port)
            except Cut:
                return
            try:
                await self.ask(self.choose())
            except Cut:
                await self.hang_up()
        await self.hang_up()

    async def hang_up(self) -> None:
        """Close the connection, if the player has a connection."""
        wire, self.wire = self.wire, None
        if wire is not None:
            await wire.aclose()

    def choose(self) -> Op:
        """The next request."""
        dice = self.random.random()
        if dice < 0.6:
            return Flip(self.name, *self.spot())
        if dice < 0.8:
            return Look(self.name)
        if dice < 0.95:
            return Watch(self.name, self.random.choice([None, self.version, self.version, max(0, self.version - 1)]))
        return self.replacement()

    async def ask(self, op: Op) -> None:
        """Send a request, and record its answer. Raises Cut if the server closes the connection."""
        assert self.wire is not None
        method, path = request(op)
        call = self.history.begin(op)
        began_s = trio.current_time()
        with trio.move_on_after(self.patience()):
            await self.wire.send(method, path)
            await self.hear(call)
            if not isinstance(op, Flip | Watch):
                self.measure(began_s)
            return
        call.left = self.history.clock.tick()
        if self.random.random() < self.style.leave_unread:
            await (self.wire.reset if self.random.random() < 0.5 else self.wire.aclose)()
            self.wire = None
            return
        try:
            await self.wire.finish()
            with trio.fail_after(HANG_S):
                await self.hear(call)
                await self.wire.receive()
        except Cut:
            call.over = self.history.clock.tick()
        await self.hang_up()

    async def hear(self, call: MemoryCall) -> None:
        assert self.wire is not None
        status, etag, body = await self.wire.receive()
        if status == 503:
            raise Cut  # the game has ended: the request may have happened or not
        told = seen_over_http(call.op, status, etag, body)
        self.history.end(call, told)
        self.version = max(self.version, told.version or 0)


def request(op: Op) -> tuple[str, str]:
    """Return the method and the path of a request of the text protocol."""
    match op:
        case Look(player):
            return "GET", f"/look/{player}"
        case Flip(player, row, column):
            return "POST", f"/flip/{player}/{row},{column}"
        case Watch(player, since):
            return "GET", f"/watch/{player}" + ("" if since is None else f"?since={since}")
        case Change(player, ((old, new),)):
            return "POST", f"/replace/{player}/{quote(old, '')}/{quote(new, '')}"
    raise AssertionError(f"not in the protocol: {op}")


class SocketPlayer(Player):
    """A player over the WebSocket. Besides its answers it sees every change, and it keeps a mirror of the board."""

    async def play(self, host: str, port: int, moves: int) -> None:
        """Make this number of moves, or fewer if the server dies."""
        while moves > 0:
            try:
                wire = await WebSocket.connect(host, port, f"/play/{self.name}")
            except Cut:
                return
            moves -= await _Sitting(self, wire).play(min(moves, FRAMES))


class _Sitting(Reader):
    """One connection of a player."""

    def __init__(self, player: SocketPlayer, wire: WebSocket) -> None:
        super().__init__(wire, player.history.clock)
        self.player = player
        self.history = player.history

    async def play(self, moves: int) -> int:
        """Make this number of moves, or fewer if the connection closes. Return the number of moves, at least 1."""
        made = 0
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.read)
            try:
                await self.until(lambda: self.mirror.version >= 0)
                while made < moves:
                    made += 1
                    if not await self.move():
                        break
            except Cut:
                pass
            nursery.cancel_scope.cancel()
        self.leave()
        await self.wire.aclose()
        return max(made, 1)

    def leave(self) -> None:
        """Record that the server may withdraw all open calls from now on."""
        for call in self.under_way.values():
            if call.left is None:
                call.left = self.history.clock.tick()

    def seen(self) -> None:
        """Record the mirror's current state."""
        self.history.see(*sight_of_mirror(self.mirror))

    def answered(self, call: MemoryCall, frame: Frame) -> None:
        """Record the answer to a move."""
        self.history.end(call, seen_over_websocket(frame))

    def wrong(self, what: str) -> None:
        """Record a contradiction in the server's frames."""
        self.history.contradictions.append(what)

    async def move(self) -> bool:
        """Make one move, perhaps while a flip waits. Return False if this connection is over."""
        if not self.under_way and self.player.random.random() < 0.06:
            op: Op = self.player.replacement()
        else:
            op = Flip(self.player.name, *self.player.spot())
        call = self.history.begin(op)
        self.under_way[call.began] = call
        began_s = trio.current_time()
        with trio.move_on_after(self.player.patience()):
            await self.wire.send(_frame(call))
            await self.until(lambda: call.ended is not None or call.waited is not None)
            self.player.measure(began_s)
            if call.ended is None and self.player.random.random() < 0.2:
                return True  # the flip waits during the next move
            await self.until(lambda: not self.under_way)
            return True
        return await self.lose_patience()

    async def lose_patience(self) -> bool:
        """Withdraw the waiting flip, or cut the connection."""
        waiting = [call for call in self.under_way.values() if call.waited is not None]
        if waiting and len(waiting) == len(self.under_way) and self.player.random.random() < 0.6:
            for call in waiting:
                call.left = self.history.clock.tick()
            await self.wire.send({"type": "withdraw"})
            await self.until(lambda: not self.under_way)
            return True
        self.leave()
        if self.player.random.random() < self.player.style.leave_unread:
            await self.wire.reset()
            return False
        await self.wire.finish()
        with trio.fail_after(HANG_S):
            try:
                await self.until(lambda: False)
            except Cut:
                for call in self.under_way.values():
                    call.over = self.history.clock.tick()
        return False


def _frame(call: MemoryCall) -> Frame:
    match call.op:
        case Flip(_, row, column):
            return {"type": "flip", "id": call.began, "row": row, "column": column}
        case Change(_, ((old, new),)):
            return {"type": "replace", "id": call.began, "old": old, "new": new}
    raise AssertionError(f"no frame for {call.op}")
