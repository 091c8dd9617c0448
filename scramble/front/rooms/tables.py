"""The tables of a class: rooms that the server opens for its pupils, with a seat for each pupil.

    tables = Tables(rooms, doorkeeper, client)
    classroom = await tables.begin_round(name, holder, number)
    classroom = await tables.seat_late(classroom, pupil)

Safe under concurrency: the register accepts the tables of a round only once, so of two clients that open tables for the
same pupils, one succeeds. The rooms of the other are removed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial

import msgspec

from scramble.errors import CallerError, GameStopped, Refusal
from scramble.front.rooms.room_orders import Doorkeeper
from scramble.front.web.names import claim_name
from scramble.rooms.classroom import (
    ClassOver,
    Classroom,
    FindClassroom,
    NobodyWaits,
    NotTheTeacher,
    RoundMoved,
    SetTables,
    SitDown,
    Table,
)
from scramble.rooms.classrooms import deal
from scramble.rooms.protocol import RoomOrder, RoomRecord, Rooms


class Tables:
    """Opens the tables of classes, for one request."""

    # AF: opens rooms among _rooms, within the limits of the client at the address _client.

    def __init__(self, rooms: Rooms, doorkeeper: Doorkeeper, client: str) -> None:
        self._rooms = rooms
        self._doorkeeper = doorkeeper
        self._client = client

    async def begin_round(self, name: str, holder: str, number: int) -> Classroom:
        """Begin the round `number` of a class, and return the class. Does nothing if the round has begun already.

        The games of the round before it are closed. Waits until all pupils have seats. A cancellation may leave the
        round unbegun; then its rooms are removed. Raises NoSuchClass, NotTheTeacher, ClassOver, RoundMoved,
        NobodyWaits, and the errors of opening rooms.
        """
        before = await self._rooms.classroom(FindClassroom(name))
        if holder != before.host:
            raise NotTheTeacher
        if number == before.round:
            return before
        if before.ended is not None:
            raise ClassOver
        if number != before.round + 1:
            raise RoundMoved
        dealt = deal(before)
        if not dealt:
            raise NobodyWaits
        try:
            after = await self._add_tables(before, number, dealt)
        finally:
            self._rooms.start_soon(partial(_close_earlier, self._rooms, name))  # the register may have begun the round
        for pupil in after.late():  # has joined while the rooms were opened
            after = await self.seat_late(after, pupil)
        return after

    async def seat_late(self, classroom: Classroom, pupil: int) -> Classroom:
        """Give a late pupil a place at a table of the current round, if there is one, and return the class.

        If enough pupils are late for a whole table, opens another table. If that is impossible now, the pupil waits for
        the next round. Raises NoSuchClass or GameStopped if the register does not answer.
        """
        if not classroom.round or classroom.ended is not None or pupil not in classroom.late():
            return classroom
        free = [table for table in classroom.tables if not table.over and len(table.seats) < classroom.people]
        for table in sorted(free, key=lambda table: len(table.seats)):
            with suppress(Refusal, GameStopped):  # the place was taken, or the game has just ended
                (player,) = await self._seat(classroom, table.room, [pupil])
                return await self._rooms.classroom(SitDown(classroom.name, table.room, player, pupil))
        classroom = await self._rooms.classroom(FindClassroom(classroom.name))
        late = classroom.late()
        if pupil not in late or len(late) < classroom.people:
            return classroom
        others = [number for number in late if number != pupil][: classroom.people - 1]
        with suppress(CallerError, GameStopped):
            return await self._add_tables(classroom, classroom.round, [[*others, pupil]])
        return classroom

    async def _add_tables(self, classroom: Classroom, number: int, dealt: Iterable[Sequence[int]]) -> Classroom:
        self._doorkeeper.count(self._client)  # once: a class has many tables, and the number of classes has a limit
        tables, is_asked = list[Table](), False
        try:
            for pupils in dealt:
                record = await self._open(classroom)
                tables.append(Table(record.name, {}))  # from here on, a failure removes the room
                tables[-1] = Table(record.name, await self._seat(classroom, record.name, pupils))
            is_asked = True
            return await self._rooms.classroom(SetTables(classroom.name, classroom.host, number, tuple(tables)))
        except BaseException as error:
            if not is_asked or isinstance(error, Refusal):  # otherwise the register may have taken the tables
                for table in tables:
                    self._rooms.start_soon(partial(_end, self._rooms.remove, table.room))
            raise

    async def _open(self, classroom: Classroom) -> RoomRecord:
        rooms, doorkeeper = self._rooms, self._doorkeeper
        settings = msgspec.json.decode(classroom.settings, type=dict[str, object])
        order = RoomOrder(classroom.title, host=classroom.host, turn_s=classroom.turn_s, classroom=classroom.name)
        create = partial(rooms.create, classroom.kind, settings, order, asker=doorkeeper.asker(self._client))
        return await doorkeeper.open(self._client, rooms.find, create)

    async def _seat(self, classroom: Classroom, name: str, pupils: Iterable[int]) -> dict[str, int]:
        """Take a seat in a room for each pupil. Return the pupils by player."""
        seats = dict[str, int]()
        async with self._rooms.enter(name) as room:
            for number in pupils:
                pupil = classroom.pupils[number]
                seats[(await claim_name(room.game.ask, pupil.name, pupil.holder)).player] = number
        return seats

    def __str__(self) -> str:
        return f"tables in {self._rooms} for {self._client}"


async def _close_earlier(rooms: Rooms, name: str) -> None:
    """Close the rooms of the round before the current one. Does nothing if the register does not answer."""
    with suppress(Refusal, GameStopped):
        for room in (await rooms.classroom(FindClassroom(name))).closing:
            await _end(rooms.close, room)


async def _end(end: Callable[[str], Awaitable[None]], room: str) -> None:
    """Close or remove a room with `end`. Does nothing if it has ended meanwhile, or the register does not answer."""
    with suppress(Refusal, GameStopped):
        await end(room)
