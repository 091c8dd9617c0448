"""The next game of the players in a room. It opens in another room, within the limits of a client's address.

    games = NextGames(rooms)
    after = await games.begun(record.name)                    # None: the next game was not begun
    open_it = await games.ordered(record, NextGame(None, 45.0), client)
    after = await open_it()

Safe under concurrency: `NextGames` has no state. The register gives a room one successor, so two clients that begin the
next game at the same time begin the same game.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final

import msgspec

from scramble.games.settings import SEED_BITS
from scramble.rooms.gathering.messages import NextGame
from scramble.rooms.protocol import RoomRecord, Rooms
from scramble.rooms.registermessages import order_of


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
        """Open next games among these rooms, within the limits of the rooms."""
        self._rooms: Final = rooms

    async def begun(self, name: str) -> RoomRecord | None:
        """Return the room of the next game after the room `name`, if it can be entered."""
        return await self._rooms.successor(name)

    async def ordered(self, record: RoomRecord, wanted: NextGame, client: str) -> Callable[[], Awaitable[RoomRecord]]:
        """Count the next game after `record` for a client's address, and return the function that opens it.

        The function waits until the room is recorded. It may be called again after GameMoved: the game and its board
        are still counted once.

        Raises Busy, RoomDamaged, or a CallerError if the address has opened too many rooms. The function raises
        BadSettings, Busy, RoomsFull, DiskFull, or a CallerError if the address has too many open rooms or sends too
        many bytes.
        """
        rooms, openings = self._rooms, self._rooms.openings
        openings.count(client)
        asker = openings.asker(client)
        if wanted.settings is None:
            settings = await rooms.settings(record)
            another = partial(rooms.kinds[record.kind].again, settings, secrets.randbits(SEED_BITS))
            async with rooms.parsing.place(asker) as run:
                given: Mapping[str, object] = await run(another)
        else:
            given = msgspec.json.decode(wanted.settings, type=dict[str, object])
        is_charged = False

        def charge(size: int) -> None:
            nonlocal is_charged
            if not is_charged:
                openings.charge(client, size)
                is_charged = True

        order = msgspec.structs.replace(
            order_of(record), after=record.name, turn_s=wanted.turn_s, demo=False, daily="", classroom=""
        )
        create = partial(rooms.create, record.kind, given, order, asker=asker, charge=charge)
        return partial(openings.open, client, rooms.find, create)

    def __str__(self) -> str:
        return f"next games in {self._rooms}"
