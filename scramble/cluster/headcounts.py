"""How many people are in each room, on all processes: the owner of a room tells the others.

The law: a process tells what has changed in the rooms that it owns, a few times a second; everything, when it comes,
when another one comes, and when its connection to Redis has come back. What a process has told counts until it is dead.
One that is taken for dead may only stand still, and does not know it. So a process that takes another one for dead asks
all for everything: Redis keeps the question for a process that stands still, which answers as soon as it goes on. A
process that is in a room itself knows who is there from the gathering, and asks nobody.

Safe under concurrency: messages are taken between two awaits, and one task tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import msgspec
import trio

from scramble.cluster.protocol import LinkLost, ProcessName, RedisLink, RedisRefused
from scramble.rooms.protocol import Headcount

TELL_S: Final = 0.2
"""Seconds between two messages of one process, at least."""

NOBODY: Final = Headcount()


class _Told(msgspec.Struct, frozen=True, array_like=True):
    """How many are in some rooms of a process, or in all its rooms (`whole`); others are to answer a `hello`."""

    process: ProcessName
    rooms: dict[str, Headcount]
    whole: bool
    hello: bool


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Told).decode


class Headcounts:
    """How many people are in the rooms of other processes. Mutable."""

    # AF: _others has what the others have told, by process and room; rooms without people are left out. The others
    #     know that there are people in the rooms _told. What has changed here since it was told last is in _changed;
    #     _all and _hello: everything is to be told, with a hello.

    def __init__(
        self,
        link: RedisLink,
        nursery: trio.Nursery,
        owned: Callable[[str | None], Mapping[str, Headcount]],
        moved: Callable[[str], None],
    ) -> None:
        """`owned` returns how many are in that room, or all rooms, if this process owns it.

        `moved` is called with rooms of others that have changed.
        """
        self._link: Final = link
        self._nursery: Final = nursery
        self._owned: Final = owned
        self._moved: Final = moved
        self._others: Final[dict[ProcessName, dict[str, Headcount]]] = {}
        self._told: Final[set[str]] = set()
        self._changed: Final[set[str]] = set()
        self._all = self._hello = True
        self._news = trio.Event()

    def of(self, room: str) -> Headcount:
        """Return how many are in a room, as its owner has told; of a dead owner until that is known. Does not wait."""
        found = [rooms[room] for rooms in self._others.values() if room in rooms]
        return max(found, key=lambda one: (one.players, one.watching), default=NOBODY)

    def note(self, room: str) -> None:
        """Note that people have come to a room here, or gone. Does not wait."""
        self._changed.add(room)
        self._news.set()

    async def keep(self) -> None:
        """Tell and hear. Runs until it is cancelled."""
        async with self._link.listen(self._link.names.everybody(), self._hear), trio.open_nursery() as nursery:
            nursery.start_soon(self._greet)
            while True:
                await self._news.wait()
                self._news = trio.Event()
                self._tell()
                await trio.sleep(TELL_S)

    async def _greet(self) -> None:
        """Tell everything as often as there is another connection."""
        while True:
            try:
                await self._link.call("PING")  # waits for a connection
            except (LinkLost, RedisRefused):
                continue
            self._all = self._hello = True
            self._news.set()
            await self._link.until_lost()

    def _tell(self) -> None:
        if self._all:
            told = {room: count for room, count in self._owned(None).items() if count != NOBODY}
            self._told.clear()
        else:
            counts = {room: self._owned(room).get(room, NOBODY) for room in self._changed}
            told = {room: count for room, count in counts.items() if count != NOBODY or room in self._told}
        self._changed.clear()
        if told or self._all or self._hello:
            self._publish(told)
        self._all = self._hello = False

    def _publish(self, told: dict[str, Headcount]) -> None:
        self._told.difference_update(told)
        self._told.update(room for room, count in told.items() if count != NOBODY)
        message = _Told(self._link.process, told, self._all, self._hello)
        self._link.publish(self._link.names.everybody(), _encode(message))

    def _hear(self, data: bytes) -> None:
        try:
            told = _decode(data)
        except msgspec.DecodeError:
            return  # of a process that tries whether it may say something, or of another version
        if told.process == self._link.process:
            return
        if told.process not in self._others:
            self._others[told.process] = {}
            self._nursery.start_soon(self._until_dead, told.process)
        rooms = self._others[told.process]
        now = told.rooms
        if told.whole:
            now = now | dict.fromkeys(rooms.keys() - now.keys(), NOBODY)
        for room, count in now.items():
            self._put(rooms, room, count)
        if told.hello:
            self._all = True
            self._news.set()

    def _put(self, rooms: dict[str, Headcount], room: str, count: Headcount) -> None:
        if rooms.get(room, NOBODY) == count:
            return
        rooms[room] = count
        if count == NOBODY:
            del rooms[room]
        self._moved(room)

    async def _until_dead(self, process: ProcessName) -> None:
        await self._link.until_dead(process)
        for room in self._others.pop(process):
            self._moved(room)
        self._hello = True
        self._news.set()

    def __str__(self) -> str:
        return f"headcounts of {len(self._others)} other processes"
