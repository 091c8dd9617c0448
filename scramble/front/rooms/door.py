"""The door of rooms' games: it assigns seats, and refuses players whom a host has removed.

Safe under concurrency because it has no state. `GatheringFront` is safe, too, and game and register have owners.
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
        """`make_front` makes the front of a room's game: once, as long as the room has visitors.

        `origins` are the origins of other pages that may play with a cookie, beside the server's own pages.
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
        """Take the seat before the block, and cancel the block when the host removes the client from the game.

        Raises PlayerRemoved: before the block, or after a cancelled block.
        """
        await self._seat(client, player, plays=plays)
        holder = (client.holder or client.found()) if plays else None
        if holder is None:  # in a room with open names, a program needs no secret
            yield
            return
        room, is_request = visiting().room, client.scope["type"] == "http"
        gathering = self._gathering_of(room)
        gathering.require_welcome(holder)  # before the holder is noted as a player
        if is_request and player is not None and room.record.names == "open":
            await gathering.note_player(holder, player)
        with gathering.playing(holder, at_once=is_request) as scope:
            yield
        if scope.cancelled_caught:
            raise PlayerRemoved
