"""Who is in each room, on all processes: each tells the others who is in its own rooms.

The law: a process tells what has changed, a few times a second; everything, when it comes, when another one comes, and
when its connection to Redis has come back. What a process has told counts until it is dead. One that is taken for dead
may only stand still, and does not know it. So a process that takes another one for dead asks all for everything: Redis
keeps the question for a process that stands still, which answers as soon as it goes on. Players have their names, so
that one who is connected to several processes counts once.

Safe under concurrency: messages are taken between two awaits, and one task tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import msgspec
import trio

from scramble.cluster.protocol import Link, LinkLost, ProcessName, RedisRefused
from scramble.rooms.awakeroom import Attendance

TELL_S: Final = 0.2
"""Seconds between two messages of one process, at least."""

NOBODY: Final = Attendance()


class _Told(msgspec.Struct, frozen=True, array_like=True):
    """Who is in some rooms of a process, or in all its rooms (`whole`); others are to answer a `hello`."""

    process: ProcessName
    rooms: dict[str, Attendance]
    whole: bool
    hello: bool


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Told).decode


class Companies:
    """The people in the rooms of all processes. Mutable."""

    # AF: people elsewhere are those in _others, by process and room; rooms without people are left out. What has
    #     changed here since it was told last is in _changed; _all and _hello: everything is to be told, with a hello.

    def __init__(
        self,
        link: Link,
        nursery: trio.Nursery,
        here: Callable[[], Mapping[str, Attendance]],
        moved: Callable[[str], None],
    ) -> None:
        """`here` returns who is in the rooms of this process; `moved` is called with rooms that changed elsewhere."""
        self._link: Final = link
        self._nursery: Final = nursery
        self._here: Final = here
        self._moved: Final = moved
        self._others: Final[dict[ProcessName, dict[str, Attendance]]] = {}
        self._changed: Final[set[str]] = set()
        self._all = self._hello = True
        self._news = trio.Event()

    def elsewhere(self, room: str) -> Attendance:
        """Return who is in a room, on other processes. Does not wait."""
        found = [rooms[room] for rooms in self._others.values() if room in rooms]
        if not found:
            return NOBODY
        return Attendance(frozenset().union(*(one.players for one in found)), sum(one.watching for one in found))

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
        here = self._here()
        rooms = here.keys() if self._all else self._changed
        told = {room: here.get(room, NOBODY) for room in rooms}
        if self._all:
            told = {room: who for room, who in told.items() if who != NOBODY}
        message = _Told(self._link.process, told, self._all, self._hello)
        self._link.publish(self._link.names.everybody(), _encode(message))
        self._changed.clear()
        self._all = self._hello = False

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
        for room, who in now.items():
            self._put(rooms, room, who)
        if told.hello:
            self._all = True
            self._news.set()

    def _put(self, rooms: dict[str, Attendance], room: str, who: Attendance) -> None:
        if rooms.get(room, NOBODY) == who:
            return
        rooms[room] = who
        if who == NOBODY:
            del rooms[room]
        self._moved(room)

    async def _until_dead(self, process: ProcessName) -> None:
        await self._link.until_dead(process)
        for room in self._others.pop(process):
            self._moved(room)
        self._hello = True
        self._news.set()

    def __str__(self) -> str:
        return f"people of {len(self._others)} other processes"
