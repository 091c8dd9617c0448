"""Crossword players at real WebSockets, for tests: each types lines and reads frames, one at a time.

Written from docs/reference/crossword.md; shares no code with the server.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import cast

import trio

from scramble.crossword import Game, Puzzle, open_lobby
from scramble.crossword.limits import LobbyLimits
from scramble.front.crossword.dialogue import DialogueLimits
from scramble.front.crossword.http import make_crossword_app, serve_crossword_http
from scramble.front.site import SiteConfig
from scramble.server.http.server import serve_app
from scramble.server.listening import Address
from tests.support import websocket
from tests.support.crossword.driver import EXTENDED, SIMPLE
from tests.support.websocket import Closed, Frame, WebSocket

PUZZLES = (Puzzle.parse(SIMPLE, id="simple"), Puzzle.parse(EXTENDED, id="extended"))


class Typist:
    """One connection. It reads frames only when the test calls for them."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.texts: list[str] = []
        self.token = ""

    async def frame(self) -> Frame:
        """Return the next frame without its message, which must be text."""
        text = await self.socket.receive_text()
        self.texts.append(text)
        frame = cast(Frame, json.loads(text))
        message = frame.pop("message")
        assert isinstance(message, str)
        assert message
        if "token" in frame:
            self.token = cast(str, frame["token"])
        return frame

    async def send(self, line: str | bytes) -> None:
        """Send a frame without waiting for the answer."""
        await self.socket.send(line)

    async def say(self, line: str | bytes) -> Frame:
        """Send a frame; return the next received frame, which is the answer in a step-by-step test."""
        await self.send(line)
        return await self.frame()

    async def do(self, line: str) -> Frame:
        """Send a line; check that it is not refused; return the next frame."""
        frame = await self.say(line)
        assert frame["error"] is None, frame["error"]
        return frame

    async def refused(self, line: str | bytes) -> str:
        """Send a line; check that it is refused; return the reason."""
        error = (await self.say(line))["error"]
        assert isinstance(error, str)
        assert error
        return error

    async def until(self, condition: Callable[[Frame], bool]) -> Frame:
        """Return the first frame for which the condition is true."""
        while not condition(frame := await self.frame()):
            pass
        return frame

    async def closed(self) -> int:
        """Read to the end; return the server's close code."""
        try:
            while True:
                self.texts.append(await self.socket.receive_text())
        except Closed as closed:
            return closed.code

    async def vanish(self) -> None:
        """Disconnect like a crashed machine: with an RST."""
        await self.socket.reset()

    async def leave(self) -> None:
        """Disconnect like a browser: with a close frame."""
        await self.socket.leave()


class Clients(websocket.Clients):
    """Players who connect to one address."""

    def __init__(self, address: Address, nursery: trio.Nursery) -> None:
        super().__init__(address, nursery)
        self.typists: list[Typist] = []

    async def connect(self, *, receive_buffer: int | None = None, forwarded_for: str | None = None) -> Typist:
        """Return a connection that has read nothing. `receive_buffer` (bytes) is the size of the kernel's buffer.

        `forwarded_for` is the client's address in the header of a proxy.
        """
        headers = {} if forwarded_for is None else {"X-Forwarded-For": forwarded_for}
        typist = Typist(await self.connect_to("/play", receive_buffer=receive_buffer, headers=headers))
        self.typists.append(typist)
        return typist

    async def open(self) -> Typist:
        """Return a connection that has received START."""
        typist = await self.connect()
        assert (await typist.frame()) == {"state": "START", "player": None, "error": None}
        return typist

    async def player(self, name: str) -> Typist:
        """Return a connection that has entered its ID."""
        typist = await self.open()
        assert (await typist.do(name))["state"] == "CHOOSE"
        return typist

    async def match(self, puzzle: str = "simple") -> tuple[Typist, Typist]:
        """Return two players, ann and bob, in a match, without unread frames."""
        ann, bob = await self.player("ann"), await self.player("bob")
        await ann.do(f'NEW m1 {puzzle} "so"')
        assert (await bob.frame())["matches"] != []
        assert (await bob.do("PLAY m1"))["state"] == "PLAY"
        assert (await ann.frame())["state"] == "PLAY"
        return ann, bob

    async def free(self, name: str) -> Typist:
        """Return a connection that has entered an ID, as soon as the ID was free."""
        typist = await self.open()
        while (await typist.say(name))["error"] is not None:
            await trio.lowlevel.checkpoint()
        return typist


def clients_of(address: Address) -> AbstractAsyncContextManager[Clients]:
    """Yield clients of a running server; they disconnect with an RST at the end of the block."""
    return websocket.clients_of(address, Clients)


class Server(Clients):
    """A server of one lobby in this process, and its players."""

    def __init__(self, lobby: Game, address: Address, nursery: trio.Nursery) -> None:
        super().__init__(address, nursery)
        self.lobby = lobby


NO_LIMITS = DialogueLimits(commands=1e9, faults=1e9, changes=1e9)


@asynccontextmanager
async def serving(
    puzzles: Sequence[Puzzle] = PUZZLES,
    *,
    grace: float = 30,
    limits: DialogueLimits = NO_LIMITS,
    lobby_limits: LobbyLimits | None = None,
    stop: Callable[[], Awaitable[None]] | None = None,
) -> AsyncIterator[Server]:
    """Serve a lobby under hypercorn, like `serve_crossword_http`, until the end of the block."""
    lobbies = open_lobby(puzzles, grace=grace, limits=lobby_limits)
    async with lobbies as lobby, serving_lobby(lobby, limits=limits, stop=stop) as server:
        yield server


def serving_behind(lobby: Game, site: SiteConfig) -> AbstractAsyncContextManager[Server]:
    """Serve an open lobby with a whole site around it, such as the proxy header with the client's address."""
    return websocket.serving_to(partial(serve_crossword_http, lobby, port=0, site=site), partial(Server, lobby))


def serving_lobby(
    lobby: Game, *, limits: DialogueLimits = NO_LIMITS, stop: Callable[[], Awaitable[None]] | None = None
) -> AbstractAsyncContextManager[Server]:
    """Serve an open lobby without a site around it."""
    app = make_crossword_app(lobby, limits=limits)
    return websocket.serving_to(partial(serve_app, app, host="127.0.0.1", port=0, stop=stop), partial(Server, lobby))
