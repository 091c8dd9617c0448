"""Crossword players at real WebSockets, for tests: each types lines and reads frames, one at a time.

Written from docs/reference/crossword.md; shares no code with the server.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import cast

import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, wrap_client_stream

from scramble.crossword import Limits as LobbyLimits
from scramble.crossword import OpenLobby, Puzzle, open_lobby
from scramble.front.crossword_dialogue import Limits
from scramble.front.crossword_web import make_crossword_app
from scramble.front.server import Address, serve_app
from tests.crossword.driver import EXTENDED, SIMPLE

Frame = dict[str, object]

PUZZLES = (Puzzle.parse(SIMPLE, id="simple"), Puzzle.parse(EXTENDED, id="extended"))
HANG_S = 20  # far longer than any of these tests takes; only ends one that hangs


class Typist:
    """One connection. Nothing is read that the test does not ask for."""

    def __init__(self, stream: trio.SocketStream, socket: WebSocketConnection) -> None:
        self._stream = stream
        self.socket = socket
        self.texts: list[str] = []
        self.token = ""

    async def frame(self) -> Frame:
        """The next frame. Its message must be words, which are taken out."""
        text = cast(str, await self.socket.get_message())
        self.texts.append(text)
        frame = cast(Frame, json.loads(text))
        message = frame.pop("message")
        assert isinstance(message, str)
        assert message
        if "token" in frame:
            self.token = cast(str, frame["token"])
        return frame

    async def send(self, line: str | bytes) -> None:
        """Send a frame and do not wait for the answer."""
        await self.socket.send_message(line)

    async def say(self, line: str | bytes) -> Frame:
        """Send a frame; the next frame that comes, which in a test that goes step by step is the answer."""
        await self.send(line)
        return await self.frame()

    async def do(self, line: str) -> Frame:
        """The same for a line that must not be refused."""
        frame = await self.say(line)
        assert frame["error"] is None, frame["error"]
        return frame

    async def refused(self, line: str | bytes) -> str:
        """Why a line is refused, which it must be."""
        error = (await self.say(line))["error"]
        assert isinstance(error, str)
        assert error
        return error

    async def until(self, condition: Callable[[Frame], bool]) -> Frame:
        """The first frame of which this is true."""
        while not condition(frame := await self.frame()):
            pass
        return frame

    async def closed(self) -> int:
        """Read to the end; the code with which the server closes."""
        try:
            while True:
                self.texts.append(cast(str, await self.socket.get_message()))
        except ConnectionClosed as closed:
            return closed.reason.code if closed.reason is not None else 1006

    async def vanish(self) -> None:
        """Go away as a crashed machine does: with an RST."""
        self._stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await trio.aclose_forcefully(self._stream)

    async def leave(self) -> None:
        """Go away as a browser does, with a closing frame."""
        await self.socket.aclose()


class Clients:
    """Players who connect to one address."""

    def __init__(self, address: Address, clients: trio.Nursery) -> None:
        self.address = address
        self._clients = clients
        self._streams: list[trio.SocketStream] = []
        self.typists: list[Typist] = []

    async def connect(self, *, receive_buffer: int | None = None) -> Typist:
        """A connection that has read nothing; `receive_buffer` (bytes) sizes that of its kernel."""
        sock = trio.socket.socket()
        if receive_buffer is not None:  # before it connects, or the window is already open
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        await sock.connect((self.address.host, self.address.port))
        stream = trio.SocketStream(sock)
        self._streams.append(stream)
        typist = Typist(stream, await wrap_client_stream(self._clients, stream, "127.0.0.1", "/play"))
        self.typists.append(typist)
        return typist

    async def open(self) -> Typist:
        """A connection that has been shown START."""
        typist = await self.connect()
        assert (await typist.frame()) == {"state": "START", "player": None, "error": None}
        return typist

    async def player(self, name: str) -> Typist:
        """A connection that has entered its ID."""
        typist = await self.open()
        assert (await typist.do(name))["state"] == "CHOOSE"
        return typist

    async def match(self, puzzle: str = "simple") -> tuple[Typist, Typist]:
        """ann and bob in a match, with nothing unread."""
        ann, bob = await self.player("ann"), await self.player("bob")
        await ann.do(f'NEW m1 {puzzle} "so"')
        assert (await bob.frame())["matches"] != []
        assert (await bob.do("PLAY m1"))["state"] == "PLAY"
        assert (await ann.frame())["state"] == "PLAY"
        return ann, bob

    async def free(self, name: str) -> Typist:
        """A connection that enters an ID as soon as that is free."""
        typist = await self.open()
        while (await typist.say(name))["error"] is not None:
            await trio.lowlevel.checkpoint()
        return typist

    async def aclose(self) -> None:
        """Drop all connections."""
        for stream in self._streams:
            await trio.aclose_forcefully(stream)


@asynccontextmanager
async def clients_of(address: Address) -> AsyncIterator[Clients]:
    """Players of a server that runs somewhere; they vanish with the block."""
    with trio.fail_after(HANG_S):
        async with trio.open_nursery() as nursery:
            clients = Clients(address, nursery)
            try:
                yield clients
            finally:
                with trio.CancelScope(shield=True):
                    await clients.aclose()
                nursery.cancel_scope.cancel()


class Server(Clients):
    """A server of one lobby in this process, and its players."""

    def __init__(self, lobby: OpenLobby, address: Address, clients: trio.Nursery) -> None:
        super().__init__(address, clients)
        self.lobby = lobby


NO_LIMITS = Limits(commands=1e9, faults=1e9, changes=1e9)


@asynccontextmanager
async def serving(
    puzzles: Sequence[Puzzle] = PUZZLES,
    *,
    grace: float = 30,
    limits: Limits = NO_LIMITS,
    lobby_limits: LobbyLimits | None = None,
    stop: Callable[[], Awaitable[None]] | None = None,
) -> AsyncIterator[Server]:
    """Serve a lobby under hypercorn, the way that `serve_crossword_http` does; all ends with the block."""
    lobbies = open_lobby(puzzles, grace=grace, limits=lobby_limits)
    async with lobbies as lobby, serving_lobby(lobby, limits=limits, stop=stop) as server:
        yield server


@asynccontextmanager
async def serving_lobby(
    lobby: OpenLobby, *, limits: Limits = NO_LIMITS, stop: Callable[[], Awaitable[None]] | None = None
) -> AsyncIterator[Server]:
    """The same for a lobby that is open already."""
    app = make_crossword_app(lobby, limits=limits)
    with trio.fail_after(HANG_S):
        async with trio.open_nursery() as nursery, trio.open_nursery() as clients:
            address = await nursery.start(partial(serve_app, app, host="127.0.0.1", port=0, stop=stop))
            server = Server(lobby, address, clients)
            try:
                yield server
            finally:
                with trio.CancelScope(shield=True):
                    await server.aclose()
                clients.cancel_scope.cancel()
                nursery.cancel_scope.cancel()
