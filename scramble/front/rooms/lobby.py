"""The lobby's WebSocket, `/lobby`: the list of public rooms, as `GET /rooms` has it, and again when it has changed.

Beside that it says when all rooms are held up, and when that is over.

All connections share a frame, which is made once a second at most, and only while somebody is connected and something
has changed; less often if there are very many connections.

Safe under concurrency: one task at a time makes the frame, while the others that need it wait for that.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from typing import Final, NoReturn

import msgspec
import trio

from scramble.errors import GameStopped, InvalidCommand
from scramble.front.rooms.views import held_frame, list_view
from scramble.front.web.client import Client
from scramble.front.web.door import Door
from scramble.front.web.websocket import Link, WebSocketConnection, running
from scramble.rooms.protocol import Rooms
from scramble.server.asgi import Router, Socket
from scramble.server.http.closing import CloseReason
from scramble.server.protection.limits import ServerLimits

PAUSE_S: Final = 1.0  # between two frames
FRAMES_PER_S: Final = 500  # to all connections together: a frame has up to 100 rooms, some 20 kB


class Lobby:
    """The list of rooms as a frame that all connections share."""

    # AF: the list of the public rooms of _rooms, of which _frame was made at the time _made; `connections` show it.

    def __init__(self, rooms: Rooms, limits: ServerLimits) -> None:
        """`limits` are those of each connection."""
        self.limits: Final = limits
        self._rooms: Final = rooms
        self._frame = ""
        self._made = -math.inf
        self._making: Final = trio.Lock()
        self._held: Final = trio.lowlevel.ParkingLot()
        rooms.standstill.wakes(self._held)
        self.connections = 0

    async def frame(self, *, since: float) -> str:
        """Return a frame that was made at the time `since` or later. Waits for the register, and for its turn."""
        async with self._making:
            if self._made < since:
                await trio.sleep_until(self._made + max(PAUSE_S, self.connections / FRAMES_PER_S))
                now = trio.current_time()
                listed = await self._rooms.list()
                self._frame = msgspec.json.encode(list_view(self._rooms, listed)).decode()
                self._made = now
        return self._frame

    async def tell_held(self, link: Link) -> NoReturn:
        """Send a connection whether all rooms are held up, whenever that changes."""
        held = False
        while True:
            while held == self._rooms.standstill.is_on:
                await self._held.park()
            held = not held
            await link.send(held_frame(held))

    def frames(self) -> LobbyFrames:
        """Return the frames for one connection. Does not wait."""
        return LobbyFrames(self, self._rooms)

    def error(self, bad: InvalidCommand) -> str:
        """Encode the frame that reports an invalid frame."""
        return msgspec.json.encode({"error": str(bad)}).decode()

    def __str__(self) -> str:
        return f"lobby with {self.connections} connections"


class LobbyFrames(AsyncIterator[str]):
    """The frames to send to one connection: first the list, then the list again when it has changed.

    `follow` has to be beside. Ends when the register is closed.
    """

    # AF: a connection to _lobby that has got _sent (None: nothing yet); _news: something has happened since, at the
    #     time _at the latest, or the register was closed, if _closed.

    def __init__(self, lobby: Lobby, rooms: Rooms) -> None:
        self._lobby: Final = lobby
        self._changes: Final = rooms.changes()
        self._movements: Final = rooms.movements()
        self._at = trio.current_time()
        self._news = trio.Event()
        self._news.set()
        self._sent: str | None = None
        self._closed = False

    async def __anext__(self) -> str:
        """Return the next frame. Waits for one."""
        try:
            if self._sent is None:  # soon, and if it is a second old there will be another
                self._sent = await self._lobby.frame(since=self._at - PAUSE_S)
                return self._sent
            while True:
                await self._news.wait()
                self._news = trio.Event()
                frame = await self._lobby.frame(since=self._at)
                if self._closed:
                    raise StopAsyncIteration
                if frame != self._sent:
                    self._sent = frame
                    return frame
        except GameStopped:
            raise StopAsyncIteration from None

    def follow(self, link: Link) -> None:
        """Note changes of the register, and of who is in the rooms."""
        link.start_soon(self._follow_register)
        link.start_soon(self._follow_company)

    async def _follow_register(self) -> None:
        """Note each change of the register."""
        try:
            async for _ in self._changes:
                self._note()
        except GameStopped:
            pass
        self._closed = True
        self._note()

    async def _follow_company(self) -> None:
        """Note who comes to the rooms, and goes."""
        async for _ in self._movements:
            self._note()

    def _note(self) -> None:
        self._at = trio.current_time()
        self._news.set()


def add_lobby(router: Router, door: Door[Lobby]) -> None:
    """Add `/lobby`. Its connections are closed with code 1001 when the register is."""

    async def talk(connection: WebSocketConnection, _: Client) -> CloseReason:
        lobby = door.front()
        frames = lobby.frames()
        lobby.connections += 1
        try:
            return await connection.run(frames, _answer, frames.follow, running(lobby.tell_held))
        finally:
            lobby.connections -= 1

    async def follow(socket: Socket) -> None:
        await door.serve(socket, None, talk, plays=False)

    router.socket("/lobby", follow)


async def _answer(_: str) -> None:
    raise InvalidCommand("this WebSocket takes no frames")
