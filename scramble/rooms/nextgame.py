"""The next game of the players in a room: it is opened in another room, for an address that may open so many.

    games = NextGames(rooms)
    after = await games.begun(record.name)                    # None: it was not begun
    games.count(client)
    after = await games.open(record, NextGame(None, 45.0), client)

Safe under concurrency: it has no state. The register gives a room one successor, so two that begin the next game at
once begin the same one.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final

import msgspec

from scramble.rooms.gathering.messages import NextGame
from scramble.rooms.protocol import RoomRecord, Rooms
from scramble.rooms.registermessages import order_of
from scramble.rooms.settings import SEED_BITS


class Unlimited:
    """No limits. Implements `OpeningLimits`."""

    def asker(self, _client: str, /) -> str | None:
        """Return None: there are no limits."""
        return None

    def count(self, _client: str, /) -> None:
        """Do nothing."""

    def charge(self, _client: str, _size: int, /) -> None:
        """Do nothing."""

    async def open(
        self,
        _client: str,
        _find: Callable[[str], Awaitable[RoomRecord]],
        create: Callable[[], Awaitable[RoomRecord]],
        /,
    ) -> RoomRecord:
        """Open a room by `create`."""
        return await create()


class NextGames:
    """Opens the next games in the rooms of one server."""

    def __init__(self, rooms: Rooms) -> None:
        """Open them in these rooms, within their limits."""
        self._rooms: Final = rooms

    async def begun(self, name: str) -> RoomRecord | None:
        """Return the room of the next game after that in the room `name`, if it can be entered."""
        return await self._rooms.successor(name)

    def count(self, client: str) -> None:
        """Count a game that is to be opened for a client at an address. Raises a CallerError if these are too many."""
        self._rooms.openings.count(client)

    async def open(self, record: RoomRecord, wanted: NextGame, client: str) -> RoomRecord:
        """Open the next game after that of `record`, for a client at an address. Waits until it is recorded.

        Raises BadSettings, Busy, RoomsFull, RoomDamaged, or that the address has opened too many rooms.
        """
        rooms, openings = self._rooms, self._rooms.openings
        asker = openings.asker(client)
        if wanted.settings is None:
            settings = await rooms.settings(record)
            another = partial(rooms.kinds[record.kind].again, settings, secrets.randbits(SEED_BITS))
            async with rooms.parsing.place(asker) as run:
                given: Mapping[str, object] = await run(another)
        else:
            given = msgspec.json.decode(wanted.settings, type=dict[str, object])
        create = partial(
            rooms.create,
            record.kind,
            given,
            msgspec.structs.replace(order_of(record), after=record.name, turn_s=wanted.turn_s, demo=False),
            asker=asker,
            charge=partial(openings.charge, client),
        )
        return await openings.open(client, rooms.find, create)

    def __str__(self) -> str:
        return f"next games in {self._rooms}"
