"""The headcounts of all rooms, on all processes: the owner of a room sends them to the other processes.

The law: a process sends the changes in its own rooms a few times a second. It sends all headcounts when it starts, when
another process starts, and when its connection to Redis is restored. The headcounts of a process are valid until the
process is dead. A process that seems dead may only be paused. So a process that notices a death asks all processes for
all their headcounts. Redis keeps the request for a paused process, and that process answers when it resumes. A process
that has joined a room gets the headcount from the gathering, and does not ask other processes.

Safe under concurrency: messages are taken between two awaits, and one task sends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import msgspec
import trio

from scramble.cluster.protocol import LinkLost, ProcessName, RedisLink, RedisRefused
from scramble.rooms.protocol import Headcount

TELL_S: Final = 0.2
"""Minimum of seconds between two messages of one process."""

NOBODY: Final = Headcount()


class _Told(msgspec.Struct, frozen=True, array_like=True):
    """The headcounts of some rooms of a process, or of all its rooms (`whole`).

    With `hello`, the message asks the other processes for their headcounts.
    """

    process: ProcessName
    rooms: dict[str, Headcount]
    whole: bool
    hello: bool


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Told).decode


class Headcounts:
    """The headcounts of other processes' rooms. Mutable."""

    # AF: _others has the headcounts from other processes, by process and room, without empty rooms. This process has
    #     sent a headcount above zero for each room in _told. _changed are the rooms that have changed since the last
    #     message. The next message has all rooms if _all, and a hello if _hello.

    def __init__(
        self,
        link: RedisLink,
        nursery: trio.Nursery,
        owned: Callable[[str | None], Mapping[str, Headcount]],
        moved: Callable[[str], None],
    ) -> None:
        """Start without headcounts. `owned` returns the headcounts of one owned room, or of all owned rooms.

        `moved` is called with each changed room of another process.
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
        """Return the owner's headcount of a room. If the owner is dead, the headcount stays until the death is known.

        Does not wait.
        """
        found = [rooms[room] for rooms in self._others.values() if room in rooms]
        return max(found, key=lambda one: (one.players, one.watching), default=NOBODY)

    def note(self, room: str) -> None:
        """Note that people have entered or left a room here. Does not wait."""
        self._changed.add(room)
        self._news.set()

    async def keep(self) -> None:
        """Send and receive headcounts. Runs until it is cancelled."""
        async with self._link.listen(self._link.names.everybody(), self._hear), trio.open_nursery() as nursery:
            nursery.start_soon(self._greet)
            while True:
                await self._news.wait()
                self._news = trio.Event()
                self._tell()
                await trio.sleep(TELL_S)

    async def _greet(self) -> None:
        """Send everything after each new connection."""
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
            return  # a process has checked its permissions, or has another version
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
