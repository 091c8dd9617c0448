"""The door of rooms' games: it assigns seats, and refuses players whom a host has removed.

Safe under concurrency: the door has no state, `GatheringFront` is safe, and game and register have owner tasks.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from typing import Final, TypeVar

from scramble.front.rooms.current_room import visiting
from scramble.front.rooms.gathering import GatheringOf
from scramble.front.web.client import Client
from scramble.front.web.door import SeatsDoor, Served
from scramble.front.web.seats import Seats
from scramble.rooms.gathering.refusals import PlayerRemoved
from scramble.rooms.protocol import Room

F_co = TypeVar("F_co", bound=Served, covariant=True)


class RoomDoor(SeatsDoor[F_co]):
    """The door of the game in the current request's room."""

    def __init__(self, make_front: Callable[[Room], F_co], gathering_of: GatheringOf, origins: Collection[str]) -> None:
        """`make_front` makes the front of a room's game, once while the room has visitors.

        Pages at `origins` may play with a cookie, and so may the server's own pages.
        """

        def front() -> F_co:
            return visiting().room.attached(make_front, while_visited=True)

        def seats() -> Seats | None:
            room = visiting().room
            return gathering_of(room).seats if room.record.names == "seats" else None

        super().__init__(front, seats, origins)
        self._gathering_of: Final = gathering_of

    @asynccontextmanager
    async def let_in(self, client: Client, player: str | None, *, plays: bool) -> AsyncIterator[None]:
        """Take the seat before the block. If the host removes the client from the game, cancel the block.

        Raises OthersAttempt before the block; PlayerRemoved before the block, or after a cancelled block.
        """
        if plays and visiting().room.record.daily:  # another client must not take a seat in it
            self._gathering_of(visiting().room).require_welcome(client.found() or "")
        await self._seat(client, player, plays=plays)
        holder = (client.holder or client.found()) if plays else None
        if holder is None:  # in a room with open names, a program needs no secret
            yield
            return
        room, is_request = visiting().room, client.scope["type"] == "http"
        gathering = self._gathering_of(room)
        gathering.require_welcome(holder)  # check before the gathering notes the holder as a player
        if is_request and player is not None and room.record.names == "open":
            await gathering.note_player(holder, player)
        with gathering.playing(holder, at_once=is_request) as scope:
            yield
        if scope.cancelled_caught:
            raise PlayerRemoved
