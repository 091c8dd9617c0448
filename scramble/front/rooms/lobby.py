"""The lobby's WebSocket, `/lobby`: it sends the list of public rooms, as in `GET /rooms`, now and after each change.

It also sends the beginning and the end of an outage that stops all rooms, and finds rooms by their names:

    {"find": ["cozy-poster-proud-plum", "acorn-violet-piano-otter"]}
    -> {"type": "found", "found": [the first room, as in GET /rooms/NAME], "gone": ["acorn-violet-piano-otter"]}

The found rooms have empty settings.

All connections share a frame. The server makes a frame after a change, or for a new connection, but at most once a
second. With very many connections it makes frames less often.

Safe under concurrency like `front.web.asked`.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final

import msgspec
import trio

from scramble.errors import GameStopped, InvalidCommand, Refusal
from scramble.front.rooms.views import RoomView, held_frame, list_view, room_view
from scramble.front.web.asked import Asked
from scramble.front.web.client import Client
from scramble.front.web.door import Door
from scramble.front.web.websocket import WebSocketConnection
from scramble.kernel.changes import Changes
from scramble.rooms.protocol import NoSuchRoom, RoomRemoved, Rooms
from scramble.server.asgi import Router, Socket
from scramble.server.http.closing import CloseReason
from scramble.server.protection.limits import ServerLimits

LOBBY_PAUSE_S: Final = 1.0  # the least pause between two frames; a frame has up to 100 rooms, about 20 kB

ROOMS: Final = "rooms"  # key of a value
HELD: Final = "held"


MOST_FOUND: Final = 12  # in one frame: a page shows as many of its rooms


class _Find(msgspec.Struct, forbid_unknown_fields=True):
    find: Annotated[list[str], msgspec.Meta(max_length=MOST_FOUND)]


class FoundView(msgspec.Struct, frozen=True, tag_field="type", tag="found"):
    """The rooms with the wanted names, and the names of rooms that this server does not have, or no longer has."""

    found: list[RoomView]
    gone: list[str]


class LobbyFeed(Asked[str]):
    """The list of rooms, and the connections that follow the list. The end of the register closes the connections."""

    # AF: an `Asked` with two values. ROOMS is the list of the public rooms, and HELD is the outage flag.

    def __init__(self, rooms: Rooms, limits: ServerLimits) -> None:
        """`limits` are the limits of each connection."""
        super().__init__(rooms.start_soon, ROOMS, rooms.changes, version="")
        self.limits: Final = limits
        self._rooms: Final = rooms
        rooms.outage.notify(self)

    def hold_up(self, is_on: bool) -> None:
        """Send the outage flag to all connections."""
        self.put(HELD, held_frame(is_on))

    def pause_s(self) -> float:
        """Return the minimum seconds between two frames."""
        return max(LOBBY_PAUSE_S, super().pause_s())

    def error(self, bad: InvalidCommand) -> str:
        """Encode the frame that reports an invalid frame."""
        return msgspec.json.encode({"error": str(bad)}).decode()

    async def find(self, text: str, holder: str | None) -> str:
        """Return the frame with the rooms that the received frame names, for a client. Waits for the register.

        A room that cannot be found now is neither found nor gone. Raises InvalidCommand.
        """
        try:
            wanted = msgspec.json.decode(text, type=_Find).find
        except msgspec.MsgspecError:
            raise InvalidCommand(f'a frame names up to {MOST_FOUND} rooms: {{"find": ["NAME"]}}') from None
        found, gone = [], []
        for name in wanted:
            try:
                view = await room_view(self._rooms, await self._rooms.find(name), holder)
                found.append(msgspec.structs.replace(view, settings={}))  # a board may have a million bytes
            except (NoSuchRoom, RoomRemoved):
                gone.append(name)
            except (Refusal, GameStopped):
                pass
        return msgspec.json.encode(FoundView(found, gone)).decode()

    async def ask(self) -> tuple[str, str]:
        """Return the frame of the current list twice: the frame is also the version.

        Waits for the register. Raises GameStopped.
        """
        frame = msgspec.json.encode(list_view(self._rooms, await self._rooms.list())).decode()
        return frame, frame

    async def work(self) -> None:
        """Renew the list after changes of the register, and when people arrive or leave."""
        changes, movements = self._rooms.changes(), self._rooms.movements()
        while True:
            changes.catch_up()
            await self.renew()
            if not changes.behind:
                with trio.CancelScope() as waiting, changes.watched(partial(_end_at_change, waiting, changes)):
                    await anext(movements)


def _end_at_change(waiting: trio.CancelScope, changes: Changes) -> None:
    if changes.behind or changes.ended:
        waiting.cancel()


def add_lobby(router: Router, door: Door[LobbyFeed]) -> None:
    """Add `/lobby`. Its connections are closed: with 1001 if the register closes, with 1012 if it does not answer."""

    async def talk(connection: WebSocketConnection, client: Client) -> CloseReason:
        async def answer(text: str) -> None:
            await connection.send(await door.front().find(text, client.found()))

        return await connection.run(door.front().follower, answer)

    async def follow(socket: Socket) -> None:
        await door.serve(socket, None, talk, plays=False)

    router.socket("/lobby", follow)
