"""The way into the games of rooms: their seats, and the players whom a host has removed.

Safe under concurrency because it has no state; `GatheringFront` is, and game and register have owners.
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
    """The way into the game of the room that the request at hand is for."""

    def __init__(self, make_front: Callable[[Room], F_co], gathering_of: GatheringOf, origins: Collection[str]) -> None:
        """`make_front` makes the front of a room's game, once while somebody is in the room.

        `origins` are those of the pages that may use a cookie to play, beside the server's own.
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
        """Take the seat before the block, and end the block when the client is removed from the game.

        Raises PlayerRemoved, then and before.
        """
        await self._seat(client, player, plays=plays)
        holder = (client.holder or client.found()) if plays else None
        if holder is None:  # where names are open, a program need not have a secret
            yield
            return
        room, is_request = visiting().room, client.scope["type"] == "http"
        gathering = self._gathering_of(room)
        gathering.require_welcome(holder)  # before it is noted as a player
        if is_request and player is not None and room.record.names == "open":
            await gathering.note_player(holder, player)
        with gathering.playing(holder, at_once=is_request) as scope:
            yield
        if scope.cancelled_caught:
            raise PlayerRemoved
