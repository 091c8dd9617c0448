"""Minesweeper in browser tabs, for tests: real WebSocket clients, each with a mirror kept from frames alone.

The mirror is written from docs/reference/minesweeper-websocket.md and shares no code with the server.
"""

from __future__ import annotations

import itertools
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import cast

import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, wrap_client_stream

from scramble.front.around import Around
from scramble.front.guard import Protection
from scramble.front.limits import Limits
from scramble.front.minesweeper_web import make_minesweeper_app
from scramble.front.server import Address, serve_app
from scramble.minesweeper import Game, Snapshot

Frame = dict[str, object]
Players = dict[int, tuple[str, tuple[int, int] | None]]  # number -> name, last square

NO_LIMITS = Limits(frames=1e9, bad_frames=1e9)
HANG_S = 20  # far longer than any of these tests takes; only ends one that hangs


class Mirror:
    """What a client knows of the field."""

    def __init__(self) -> None:
        self.version = -1
        self.lines: list[str] = []
        self.players: Players = {}
        self.you: int | None = None

    def see(self, frame: Frame) -> None:
        """Take in a frame of any type."""
        match frame:
            case {"type": "field", "version": int(version), "lines": list(lines), "players": list(players)}:
                self.version, self.lines = version, lines
                self.players = dict(map(_player, players))
                self.you = cast(int | None, frame["you"])
                assert all(len(line) == frame["columns"] for line in lines)
                assert len(lines) == frame["rows"]
            case {"type": "change", "version": int(version), "events": list(events)} if version > self.version:
                assert version == self.version + 1, f"{version} came after {self.version}"
                self.version = version
                for event in events:
                    self._happen(event)
            case {"type": "boom", "lost": True}:
                self.you = None

    def _happen(self, event: Frame) -> None:
        match event:
            case {"is": "connected", "player": dict(player)}:
                number, what = _player(player)
                self.players[number] = what
            case {"is": "disconnected", "player": int(number)}:
                del self.players[number]
            case {"is": "dug" | "exploded" | "flagged" | "deflagged", "x": int(x), "y": int(y), "runs": list(runs)}:
                for left, row, text in runs:
                    line = self.lines[row]
                    self.lines[row] = line[:left] + text + line[left + len(text) :]
                if event["player"] is not None:
                    number = cast(int, event["player"])
                    self.players[number] = self.players[number][0], (x, y)
            case _:
                raise AssertionError(f"no event of the reference: {event}")

    def shows(self, snapshot: Snapshot) -> bool:
        """Whether this is the game as the snapshot has it."""
        players: Players = {player.id: (player.name, player.at) for player in snapshot.players}
        return (self.version, self.lines, self.players) == (snapshot.version, list(snapshot.lines), players)


def _player(player: Frame) -> tuple[int, tuple[str, tuple[int, int] | None]]:
    at = cast(list[int] | None, player["at"])
    return cast(int, player["id"]), (cast(str, player["name"]), None if at is None else (at[0], at[1]))


class Tab:
    """One connection: everything that it was sent, and the mirror kept from it."""

    def __init__(self, socket: WebSocketConnection) -> None:
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

    async def say(self, frame: Frame | str | bytes) -> None:
        await self.socket.send_message(json.dumps(frame) if isinstance(frame, dict) else frame)

    async def start(self, move: str, x: int, y: int) -> int:
        """Ask for a move; the id that its answer has."""
        number = next(self._ids)
        await self.say({"type": move, "id": number, "x": x, "y": y})
        return number

    def answers(self, number: int | None) -> list[Frame]:
        """All answers with that id so far."""
        return [frame for frame in self.frames if "id" in frame and frame["id"] == number]

    async def answer(self, number: int | None) -> Frame:
        """Wait until that is answered."""
        await self.until(lambda: bool(self.answers(number)))
        return self.answers(number)[0]

    async def move(self, move: str, x: int, y: int) -> Frame:
        """Make a move, and wait for its answer."""
        return await self.answer(await self.start(move, x, y))

    async def rejoin(self) -> None:
        """Rejoin, and wait until this is a player again."""
        await self.say({"type": "rejoin"})
        await self.until(lambda: self.mirror.you is not None)

    def count(self, kind: str) -> int:
        """How many frames of this type have come in."""
        return sum(frame["type"] == kind for frame in self.frames)


class Server:
    """The page's server of one game, on a free port."""

    def __init__(self, nursery: trio.Nursery, address: Address) -> None:
        self._nursery = nursery
        self._address = address
        self._streams: list[trio.SocketStream] = []

    @property
    def url(self) -> str:
        return self._address.url

    async def connect(self, name: str, *, receive_buffer: int | None = None) -> Tab:
        """A new connection that nobody reads from yet; `receive_buffer` (bytes) sizes that of the kernel."""
        sock = trio.socket.socket()
        if receive_buffer is not None:  # before it connects, or the window is already open
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        await sock.connect((self._address.host, self._address.port))
        stream = trio.SocketStream(sock)
        self._streams.append(stream)
        return Tab(
            await wrap_client_stream(self._nursery, stream, self._address.host, f"/play/{name}", message_queue_size=1)
        )

    async def open(self, name: str) -> Tab:
        """A tab that has got the field, and goes on reading."""
        tab = await self.connect(name)
        self._nursery.start_soon(tab.read_all)
        await tab.until(lambda: tab.mirror.you is not None)
        return tab

    async def aclose(self) -> None:
        """Drop all connections."""
        for stream in self._streams:
            await trio.aclose_forcefully(stream)


@asynccontextmanager
async def serving(
    game: Game, *, debug: bool = False, telnet_port: int | None = None, limits: Limits = NO_LIMITS
) -> AsyncIterator[Server]:
    """Serve the page of a game under hypercorn, as `serve_minesweeper_http` does; all ends with the block."""
    app = make_minesweeper_app(
        game, debug=debug, telnet_port=telnet_port, around=Around(Protection(limits or Limits()))
    )
    with trio.fail_after(HANG_S):
        async with trio.open_nursery() as nursery, trio.open_nursery() as clients:
            server = Server(clients, await nursery.start(partial(serve_app, app, host="127.0.0.1", port=0)))
            try:
                yield server
            finally:
                with trio.CancelScope(shield=True):
                    await server.aclose()
                clients.cancel_scope.cancel()
                nursery.cancel_scope.cancel()
