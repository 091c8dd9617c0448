"""Limit of the open rooms of each address, so that no client fills the server.

    held = HeldRooms(most=100)
    record = await held.open(host, rooms.find, lambda: rooms.create(...))     # raises TooManyHeld

A room counts for the address that opened it, and for that address's IPv6 network of 48 bits. It counts until its game
ends, until it is closed or removed, or until it has had no visitors for a day. So a school with unfinished games can
open new rooms after a day. The counts are only in the memory of the process: they begin at zero after a restart, and
each process of a cluster has its own counts. A room that no visitor has entered is removed after an hour.

Safe under concurrency: the counts change between two awaits. A room counts before it is opened.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from scramble.errors import CallerError
from scramble.rooms.protocol import NoSuchRoom, RoomRecord, RoomRemoved
from scramble.rooms.records import last_seen
from scramble.server.protection.by_address import account, is_local, site_of

MOST_HELD: Final = 100
"""Limit of an address's open rooms, with waiting or running games. A school may have several classes at once."""

SHARE: Final = 10
"""An address may have at most a tenth of the rooms that a server allows."""

ADDRESSES_OF_SITE: Final = 4
"""An IPv6 network of 48 bits may have as many rooms as four addresses."""

LOOKED_AT: Final = 2  # rooms to check at each opening of a room, so that the list does not fill with ended rooms

FORGET_AFTER_S: Final = 86400.0
"""A room without visitors does not count after this time."""

Find: TypeAlias = Callable[[str], Awaitable[RoomRecord]]


class TooManyHeld(CallerError):
    """The client's address has reached the limit of open rooms."""

    code = "too-many-held"
    status = 429

    def __init__(self, most: int) -> None:
        self.params = {"most": most}
        super().__init__(f"your address has {most} open rooms, the limit of this server: end or close some rooms")


class HeldRooms:
    """The rooms that each address has opened since the start. Mutable."""

    # AF: _rooms has the opener's account and network for each room that was open at its last check. The room with the
    #     oldest check is first. _held counts these rooms, and the rooms that are being opened, by account and by
    #     network.

    def __init__(
        self, most: int | None = None, of_all: int | None = None, *, now: Callable[[], float] = time.time
    ) -> None:
        """Limit the open rooms of an address to `most`. None: a default for a server with at most `of_all` rooms.

        With the default, this machine has no limit. `now` returns the time in seconds since 1970, like the times in the
        rooms' records.
        """
        self._now: Final = now
        usual = MOST_HELD if of_all is None else max(1, min(MOST_HELD, of_all // SHARE))
        self._limited_here: Final = most is not None
        self._most: Final = usual if most is None else most
        self._rooms: Final[OrderedDict[str, tuple[str, ...]]] = OrderedDict()
        self._held: Final[Counter[str]] = Counter()

    async def open(self, host: str, find: Find, create: Callable[[], Awaitable[RoomRecord]]) -> RoomRecord:
        """Open a room with `create` for the client at the address `host`. `find` returns the record of a room.

        Raises TooManyHeld, and the errors of `create`.
        """
        whose = account(host)
        if is_local(whose) and not self._limited_here:
            return await create()
        keys = tuple(dict.fromkeys((whose, site_of(whose))))
        most = dict(zip(keys, (self._most, self._most * ADDRESSES_OF_SITE), strict=False))
        for name in list(self._rooms)[:LOOKED_AT]:
            await self._look(name, find)
        while (full := next((key for key in keys if self._held[key] >= most[key]), None)) is not None:
            if not await self._has_one_gone(full, find):  # other requests may open rooms during this check
                raise TooManyHeld(most[full])
        self._held.update(keys)
        try:
            record = await create()
        except BaseException:
            self._drop(keys)
            raise
        if record.name in self._rooms:  # `create` has returned an existing successor
            self._drop(keys)
        else:
            self._rooms[record.name] = keys
        return record

    async def _has_one_gone(self, key: str, find: Find) -> bool:
        """Check the rooms of the account or network `key`. Return True if one of these rooms no longer counts."""
        for name in [name for name, keys in self._rooms.items() if key in keys]:
            if not await self._look(name, find):
                return True
        return False

    async def _look(self, name: str, find: Find) -> bool:
        """Return True if the room is still open and used. Otherwise stop counting it, and return False."""
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
