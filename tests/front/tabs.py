"""Browser tabs for tests: a real WebSocket client with a mirror of the board that is kept from frames alone.

The mirror is written from docs/reference/websocket.md and shares no code with the server.
"""

from __future__ import annotations

import itertools
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from copy import deepcopy
from functools import partial
from typing import cast

import msgspec
import trio
from quart_trio import QuartTrio
from trio_websocket import ConnectionClosed, WebSocketConnection, wrap_client_stream

from scramble.front.limits import Limits
from scramble.front.server import Address, serve_app
from scramble.front.websocket import add_play
from scramble.memory.game import Game
from scramble.memory.messages import Snapshot

Frame = dict[str, object]

HUNG_S = 20  # for a test that would never end; nothing is judged by it

NO_LIMITS = Limits(frames=1e9, bad_frames=1e9)


class Mirror:
    """What a client knows of the game."""

    def __init__(self) -> None:
        self.version = -1
        self.rows = self.columns = 0
        self.cells: list[object] = []
        self.scores: dict[str, int] = {}
        self.waiting: dict[str, list[int]] = {}
        self.pairs_left = -1
        self.players: list[str] = []

    def see(self, frame: Frame) -> None:
        """Take in a frame of any type."""
        match frame:
            case {"type": "board"}:
                for key, value in frame.items():
                    if key != "type":
                        assert hasattr(self, key), key
                        setattr(self, key, deepcopy(value))
            case {"type": "change", "version": int(version)}:
                assert version >= self.version, "time runs backwards"
                self.version = version
                for change in cast(list[dict[str, object]], frame.get("cells", [])):
                    row, column = cast(int, change["row"]), cast(int, change["column"])
                    self.cells[row * self.columns + column] = change["cell"]
                self.scores |= cast(dict[str, int], frame.get("scores", {}))
                for player, spot in cast(dict[str, list[int] | None], frame.get("waiting", {})).items():
                    self.waiting.pop(player, None)
                    if spot is not None:
                        self.waiting[player] = spot
                self.pairs_left = cast(int, frame.get("pairs_left", self.pairs_left))
            case {"type": "players"}:
                self.players = cast(list[str], frame["players"])

    def shows(self, public: dict[str, object]) -> bool:
        """Whether it shows the game as a snapshot has it."""
        return {key: value for key, value in vars(self).items() if key != "players"} == public


def public(snapshot: Snapshot) -> dict[str, object]:
    """What a mirror of this snapshot must have."""
    return cast(dict[str, object], json.loads(msgspec.json.encode(snapshot)))


class Tab:
    """One connection: everything that it was sent, and the mirror kept from it."""

    def __init__(self, stream: trio.SocketStream, socket: WebSocketConnection) -> None:
        self.stream = stream
        self.socket = socket
        self.frames: list[Frame] = []
        self.mirror = Mirror()
        self.closed: int | None = None
        self._ids = itertools.count(1)
        self._news = trio.lowlevel.ParkingLot()

    async def read(self) -> None:
        """Take in one more frame, or that the connection is closed."""
        try:
            frame = cast(Frame, json.loads(await self.socket.get_message()))
            self.frames.append(frame)
            self.mirror.see(frame)
        except ConnectionClosed as closed:
            self.closed = closed.reason.code if closed.reason is not None else 1006
        self._news.unpark_all()

    async def read_all(self) -> None:
        """Take in frames until the connection is closed."""
        while self.closed is None:
            await self.read()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until what came in makes this true. A background task must be reading."""
        while not condition():
            if self.closed is not None:
                raise AssertionError(f"closed with {self.closed} before that, after {self.frames[-3:]}")
            await self._news.park()

    async def until_closed(self) -> int:
        """Wait for the end, and return its code."""
        while self.closed is None:
            await self._news.park()
        return self.closed

    async def say(self, frame: Frame) -> None:
        await self.socket.send_message(json.dumps(frame))

    async def start_flip(self, row: int, column: int) -> int:
        """Ask for a flip; the id that its outcomes have."""
        number = next(self._ids)
        await self.say({"type": "flip", "id": number, "row": row, "column": column})
        return number

    def outcomes(self, number: int) -> list[tuple[object, object]]:
        """What has been said of that flip or replacement so far: (outcome, rule) each."""
        return [(f["outcome"], f.get("rule")) for f in self.frames if f["type"] != "players" and f.get("id") == number]

    async def outcome(self, number: int, count: int = 1) -> tuple[object, object]:
        """Wait until so many outcomes of that flip are known; the last of them."""
        await self.until(lambda: len(self.outcomes(number)) >= count)
        return self.outcomes(number)[count - 1]

    async def flip(self, row: int, column: int) -> tuple[object, object]:
        """Flip, and wait for the first outcome: (outcome, rule)."""
        return await self.outcome(await self.start_flip(row, column))

    def count(self, kind: str) -> int:
        """How many frames of this type have come in."""
        return sum(frame["type"] == kind for frame in self.frames)

    def has(self, kind: str, count: int) -> bool:
        """Whether exactly so many frames of this type have come in."""
        return self.count(kind) == count

    def changed_cells(self) -> list[object]:
        """All that `change` frames have said about cells."""
        return [cell for frame in self.frames for cell in cast(list[object], frame.get("cells", []))]


class Server:
    """A server of one game on a free port."""

    def __init__(self, nursery: trio.Nursery, address: Address) -> None:
        self._nursery = nursery
        self.address = address
        self._streams: list[trio.SocketStream] = []

    async def connect(self, player: str, *, receive_buffer: int | None = None) -> Tab:
        """A new connection that nobody reads from yet; `receive_buffer` (bytes) sizes that of the kernel."""
        sock = trio.socket.socket()
        if receive_buffer is not None:  # before it connects, or the window is already open
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        await sock.connect((self.address.host, self.address.port))
        stream = trio.SocketStream(sock)
        self._streams.append(stream)
        return Tab(stream, await wrap_client_stream(self._nursery, stream, "127.0.0.1", f"/play/{player}"))

    async def open(self, player: str) -> Tab:
        """A tab that has got its board and knows that it is present, and goes on reading."""
        tab = await self.connect(player)
        self._nursery.start_soon(tab.read_all)
        await tab.until(lambda: player in tab.mirror.players)
        return tab

    async def aclose(self) -> None:
        """Drop all connections."""
        for stream in self._streams:
            await trio.aclose_forcefully(stream)


@asynccontextmanager
async def serving(
    game: Game, *, limits: Limits = NO_LIMITS, stop: Callable[[], Awaitable[None]] | None = None
) -> AsyncIterator[Server]:
    """Serve `/play` of a game under hypercorn, the way that `serve_http` does; all ends with the block."""
    app = QuartTrio("tests", static_folder=None)
    add_play(app, game, limits=limits)
    with trio.fail_after(HUNG_S):
        async with trio.open_nursery() as nursery, trio.open_nursery() as clients:
            address = await nursery.start(partial(serve_app, app, host="127.0.0.1", port=0, stop=stop))
            server = Server(clients, address)
            try:
                yield server
            finally:
                with trio.CancelScope(shield=True):
                    await server.aclose()
                clients.cancel_scope.cancel()
                nursery.cancel_scope.cancel()


async def in_step(game: Game, *tabs: Tab) -> None:
    """Wait until every tab's mirror shows the game as it is."""
    now = public(await game.snapshot())
    for tab in tabs:
        await tab.until(partial(tab.mirror.shows, now))
