"""The open rooms of each address: how many there may be, so that nobody fills a server.

    held = HeldRooms(most=100)
    record = await held.open(host, rooms.find, lambda: rooms.create(...))     # raises TooManyHeld

A room counts for the address that opened it, and of IPv6 for the network of 48 bits, as long as it is open: not once
its game has ended, it is closed or removed, or nobody has been in it for a day: a school whose lessons leave games
unfinished opens others the next day. The process remembers who has opened what, and stores nothing: after a
restart, and in each process of a cluster, everybody begins anew. Rooms that nobody enters are gone after an hour
all the same.

Safe under concurrency: the names change between two awaits; a room counts from before it is opened.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from scramble.errors import CallerError
from scramble.rooms.protocol import NoSuchRoom, RoomRecord, RoomRemoved
from scramble.rooms.register import last_seen
from scramble.server.protection.by_address import account, is_local, site_of

MOST_HELD: Final = 100
"""Open rooms of an address, in which games wait or are played: a school has some classes at once."""

SHARE: Final = 10
"""An address has at most one of so many of all the rooms that a server allows."""

ADDRESSES_OF_SITE: Final = 4
"""An IPv6 network of 48 bits has as many rooms as so many addresses."""

LOOKED_AT: Final = 2  # rooms, of all, each time one is opened: so those that are gone do not add up

FORGET_AFTER_S: Final = 86400.0
"""Seconds after which a room counts no longer in which nobody has been."""

Find: TypeAlias = Callable[[str], Awaitable[RoomRecord]]


class TooManyHeld(CallerError):
    """As many rooms are open that the client's address has opened as one address may have."""

    code = "too-many-held"
    status = 429

    def __init__(self, most: int) -> None:
        self.params = {"most": most}
        super().__init__(f"{most} open rooms are from your address, as many as this server allows: end or close some")


class HeldRooms:
    """The rooms that were opened by each address since the start. Mutable."""

    # AF: the rooms in _rooms were opened by these accounts and networks, and were open when they were looked at last;
    #     those that were looked at longest ago are first. _held counts them by account and by network, together with
    #     rooms that are being opened.

    def __init__(
        self, most: int | None = None, of_all: int | None = None, *, now: Callable[[], float] = time.time
    ) -> None:
        """Let an address have `most` open rooms; None: the usual number on a server of `of_all`, this machine any.

        `now` returns the time of day in s, as the rooms' records have it.
        """
        self._now: Final = now
        usual = MOST_HELD if of_all is None else max(1, min(MOST_HELD, of_all // SHARE))
        self._limited_here: Final = most is not None
        self._most: Final = usual if most is None else most
        self._rooms: Final[OrderedDict[str, tuple[str, ...]]] = OrderedDict()
        self._held: Final[Counter[str]] = Counter()

    async def open(self, host: str, find: Find, create: Callable[[], Awaitable[RoomRecord]]) -> RoomRecord:
        """Open a room by `create` for the client at the address `host`. Raises TooManyHeld, and what `create` does.

        `find` returns the record of a room.
        """
        whose = account(host)
        if is_local(whose) and not self._limited_here:
            return await create()
        keys = tuple(dict.fromkeys((whose, site_of(whose))))
        most = dict(zip(keys, (self._most, self._most * ADDRESSES_OF_SITE), strict=False))
        for name in list(self._rooms)[:LOOKED_AT]:
            await self._look(name, find)
        while (full := next((key for key in keys if self._held[key] >= most[key]), None)) is not None:
            if not await self._has_one_gone(full, find):  # meanwhile other requests may have opened rooms
                raise TooManyHeld(most[full])
        self._held.update(keys)
        try:
            record = await create()
        except BaseException:
            self._drop(keys)
            raise
        if record.name in self._rooms:  # a successor that there was
            self._drop(keys)
        else:
            self._rooms[record.name] = keys
        return record

    async def _has_one_gone(self, key: str, find: Find) -> bool:
        """Return True if one of the rooms of that account or network counts no longer."""
        for name in [name for name, keys in self._rooms.items() if key in keys]:
            if not await self._look(name, find):
                return True
        return False

    async def _look(self, name: str, find: Find) -> bool:
        """Return whether a room is still open, and used; if not, it counts no longer."""
        try:
            record = await find(name)
            is_open = record.state == "open" and last_seen(record) > self._now() - FORGET_AFTER_S
        except (NoSuchRoom, RoomRemoved):
            is_open = False
        if is_open and name in self._rooms:
            self._rooms.move_to_end(name)
        elif not is_open:
            self._drop(self._rooms.pop(name, ()))
        return is_open

    def _drop(self, keys: tuple[str, ...]) -> None:
        for key in keys:
            self._held[key] -= 1
            if not self._held[key]:
                del self._held[key]

    def __str__(self) -> str:
        return f"{len(self._rooms)} open rooms, at most {self._most} of an address"
