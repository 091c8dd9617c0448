"""The register of rooms: the record of each room, with its kind, settings, host, times and result.

Kernel rules, like the rules of a game: pure, and durable with a journal.

    register = Register()
    register.apply(Ticket(1), OpenRoom("acorn-violet-piano-otter", "memory", ...))

The time of a command hardly depends on the number of rooms: a removal only moves pointers within lists. Only `state`
visits all rooms; a journal calls it for an occasional snapshot.
"""

from __future__ import annotations

import heapq
import itertools
import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Self, cast

import msgspec

from scramble.errors import Refusal
from scramble.kernel.checks import CHECK_REP
from scramble.kernel.protocol import Answered, Command, Outcome, Refused, Ticket, Withdraw
from scramble.rooms.classroom import (
    Classroom,
    ClassroomChange,
    ClassroomChanged,
    ClassroomCommand,
    FindClassroom,
)
from scramble.rooms.classrooms import Classrooms
from scramble.rooms.days import AttemptGone, AttemptsFull, Day, DayOver, Days
from scramble.rooms.protocol import (
    NoSuchRoom,
    RoomCounts,
    RoomNameTaken,
    RoomRecord,
    RoomRemoved,
    RoomsFull,
    RoomState,
    SettingsFull,
)
from scramble.rooms.records import LISTED, changed, idle_since, last_seen, unentered_since
from scramble.rooms.registermessages import (
    BeginDay,
    Changed,
    ChangeRoom,
    CountRooms,
    DailyTables,
    EndedRooms,
    FindRoom,
    ForgetRooms,
    IdleRooms,
    ListRooms,
    Opened,
    OpenRoom,
    RecordResult,
    Removed,
    RemovedRooms,
    RemoveRoom,
    RoomChange,
    UnenteredRooms,
    VisitRoom,
    order_of,
)


class _Room(msgspec.Struct, gc=False):
    """A stored room: its number in the order of opening, and its record as compact JSON."""

    number: int
    record: bytes


class _State(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The whole register. `rooms` are in the order of their numbers, `removed` in the order of names.

    `days` are the days of daily challenges, in the order of their dates. `classes` are in the order of opening.
    """

    next_number: int
    version: int
    rooms: tuple[tuple[int, msgspec.Raw], ...]
    removed: tuple[tuple[str, float], ...]
    days: tuple[tuple[str, Day], ...] = ()
    classes: tuple[Classroom, ...] = ()


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(RoomRecord).decode

MOST_REMOVED: Final = 100_000
"""Most names of removed rooms to remember. Beyond this number the earliest removed names are forgotten."""


class Register:
    """All rooms, the names of recently removed rooms, and the latest daily challenges. Mutable; a `Durable`."""

    # AF: the rooms are in _rooms, by name. _removed has the names of removed rooms with the times of their removal. The
    #     next opened room gets the number _next_number. _days has the daily challenges, and _classes the classes.
    # RI: _order has all names in _rooms, in the order of their numbers. The numbers are below _next_number. _public has
    #     the names of public rooms in the states LISTED, in the same order. _demos has the names of demonstration rooms
    #     by kind, in the same order, without empty lists. No name is in both _rooms and _removed. Each room that is not
    #     open is in the heap _ended by the time of its end. Each open room is in the heap _idle by its last visit or an
    #     earlier time. Each open room without a visit is also in the heap _unentered by the time of its opening. Each
    #     removed room is in the heap _forgettable by the time of its removal. The heaps may have stale entries.
    #     _removed has at most MOST_REMOVED names. _counts counts the rooms by state. _bytes is the size of all
    #     settings.
    # Safety from exposure: all returned records are immutable.

    kind: Final = "rooms"
    commands: Final[object] = (
        (OpenRoom | BeginDay | RoomChange | VisitRoom | RemoveRoom | ForgetRooms) | ClassroomChange | Withdraw
    )

    def __init__(self) -> None:
        """Create a register without rooms."""
        self._rooms: Final[dict[str, _Room]] = {}
        self._order: Final[list[str]] = []
        self._public: Final[list[str]] = []
        self._demos: Final[dict[str, list[str]]] = {}
        self._removed: Final[dict[str, float]] = {}
        self._ended: Final[list[tuple[float, int, str]]] = []
        self._idle: Final[list[tuple[float, int, str]]] = []
        self._unentered: Final[list[tuple[float, int, str]]] = []
        self._forgettable: Final[list[tuple[float, str]]] = []
        self._counts: Final[dict[RoomState, int]] = {"open": 0, "ended": 0, "closed": 0, "broken": 0}
        self._bytes = 0
        self._days = Days()
        self._classes = Classrooms()
        self._next_number = 1
        self._revision = 0

    @property
    def version(self) -> int:
        """The number of commands that have changed the register."""
        return self._revision

    @property
    def revision(self) -> int:
        """The version, because all changes are public."""
        return self._revision

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        """Execute one command. It is answered or refused at once."""
        match command:
            case OpenRoom():
                outcomes = self._open(ticket, command)
            case BeginDay():
                outcomes = self._begin_day(ticket, command)
            case ClassroomCommand() | FindClassroom():
                outcomes = self._of_class(ticket, cast("ClassroomChange | FindClassroom", command))
            case ChangeRoom():
                outcomes = self._change(ticket, command)
            case VisitRoom():
                outcomes = self._visit(ticket, command)
            case RemoveRoom():
                outcomes = self._remove(ticket, command)
            case ForgetRooms():
                outcomes = self._forget(ticket, command)
            case FindRoom():
                return (self._missing(ticket, command.name) or Answered(ticket, self._record(command.name)),)
            case ListRooms():
                return (self._list(ticket, command),)
            case CountRooms():
                return (Answered(ticket, RoomCounts(**self._counts, removed=len(self._removed), bytes=self._bytes)),)
            case DailyTables(host, most):
                return (Answered(ticket, self._days.tables(host, most)),)
            case UnenteredRooms(before, most):
                found = self._oldest(self._unentered, before, most, unentered_since)
                return (Answered(ticket, tuple(name for _, _, name in found)),)
            case IdleRooms(before, most):
                found = self._oldest(self._idle, before, most, idle_since)
                return (Answered(ticket, tuple(name for _, _, name in found)),)
            case EndedRooms(most):
                found = self._oldest(self._ended, math.inf, most, lambda record: record.ended)
                return (Answered(ticket, tuple(name for _, _, name in found)),)
            case RemovedRooms():
                return (Answered(ticket, tuple(self._removed)),)
            case Withdraw():
                return ()  # no command here ever waits
            case _:
                raise TypeError(f"not a command of the register: {command!r}")
        if CHECK_REP:
            self._check_rep()
        return outcomes

    # --- one room ---

    def _record(self, name: str) -> RoomRecord:
        return _decode(self._rooms[name].record)

    def _missing(self, ticket: Ticket, name: str) -> Refused | None:
        """Return the refusal of a command about a missing room; None if the room exists."""
        if name in self._rooms:
            return None
        if name in self._removed:
            return Refused(ticket, RoomRemoved("this room has been removed"))
        return Refused(ticket, NoSuchRoom("there is no room with this name"))

    def _open(self, ticket: Ticket, command: OpenRoom) -> Sequence[Outcome]:
        before = None
        if command.after is not None:
            missing = self._missing(ticket, command.after)
            if missing is not None:
                return (missing,)
            before = self._record(command.after)
            if before.successor in self._rooms:
                successor = self._record(before.successor)
                if successor.state in LISTED:
                    return (Answered(ticket, successor),)
        demos = self._demos.get(command.kind)
        if command.demo and demos and (latest := self._record(demos[-1])).state == "open":
            return (Answered(ticket, latest),)
        if command.daily:
            try:
                attempt = self._days.attempt(command.daily, command.kind, command.host)
            except (DayOver, AttemptsFull) as refused:
                return (Refused(ticket, refused),)
            if attempt is not None:
                gone = attempt not in self._rooms
                return (Refused(ticket, AttemptGone()) if gone else Answered(ticket, self._record(attempt)),)
        if command.name in self._rooms or command.name in self._removed:
            return (Refused(ticket, RoomNameTaken("a room has this name, or had it lately")),)
        size = len(bytes(command.settings))
        if len(self._rooms) >= command.most:
            return (Refused(ticket, RoomsFull(command.most)),)
        if self._bytes + size > command.most_bytes:
            return (Refused(ticket, SettingsFull(command.most_bytes)),)
        order = msgspec.structs.asdict(order_of(command))
        order["demo"] |= before is not None and before.demo
        record = RoomRecord(
            name=command.name,
            kind=command.kind,
            settings=command.settings,
            opened=command.at,
            **order,
        )
        self._put_in(self._next_number, record)
        if record.daily:
            self._days.enrol(record.daily, record.kind, record.host, record.name)
        self._next_number += 1
        self._revision += 1
        events: list[Outcome] = [Opened(record.name)]
        if before is not None:
            self._replace(msgspec.structs.replace(before, successor=record.name, changes=before.changes + 1))
            events.append(Changed(before.name))
        return (*events, Answered(ticket, record))

    def _begin_day(self, ticket: Ticket, command: BeginDay) -> Sequence[Outcome]:
        try:
            seed, is_new = self._days.begin(command.day, command.seed)
        except DayOver as over:
            return (Refused(ticket, over),)
        self._revision += is_new
        return (Answered(ticket, seed),)

    def _of_class(self, ticket: Ticket, command: ClassroomChange | FindClassroom) -> Sequence[Outcome]:
        try:
            record, is_changed = self._classes.execute(command)
        except Refusal as refused:
            return (Refused(ticket, refused),)
        self._revision += is_changed
        return (*((ClassroomChanged(record.name),) if is_changed else ()), Answered(ticket, record))

    def _change(self, ticket: Ticket, command: ChangeRoom) -> Sequence[Outcome]:
        missing = self._missing(ticket, command.name)
        if missing is not None:
            return (missing,)
        found = self._record(command.name)
        now = changed(found, command)
        if now is None:
            return (Answered(ticket, found),)
        now = msgspec.structs.replace(now, changes=found.changes + 1)
        self._replace(now)
        if isinstance(command, RecordResult):
            self._days.finish(now, command.called)
        self._revision += 1
        over = () if now.state == "open" else self._finish_table(now)
        return (Changed(found.name), *over, Answered(ticket, now))

    def _finish_table(self, record: RoomRecord) -> Sequence[Outcome]:
        """Note in its class that a game is over. Return the event about the class, if it has changed."""
        return (ClassroomChanged(record.classroom),) if self._classes.finish(record) else ()

    def _visit(self, ticket: Ticket, command: VisitRoom) -> Sequence[Outcome]:
        missing = self._missing(ticket, command.name)
        if missing is not None:
            return (missing,)
        found = self._record(command.name)
        if found.state == "open" and command.at > last_seen(found):
            self._replace(msgspec.structs.replace(found, visited=command.at))
            self._revision += 1
        return (Answered(ticket, None),)

    def _remove(self, ticket: Ticket, command: RemoveRoom) -> Sequence[Outcome]:
        missing = self._missing(ticket, command.name)
        if missing is not None:
            return (missing,)
        over = self._take_out(command.name, command.at)
        self._revision += 1
        return (Removed(command.name), *over, Answered(ticket, None))

    # --- all rooms ---

    def _list(self, ticket: Ticket, command: ListRooms) -> Outcome:
        names = self._order if command.hidden else self._public
        end = len(names)
        if command.after is not None:
            missing = self._missing(ticket, command.after)
            if missing is not None:
                return missing
            end = self._place(names, command.after)
        newest_first = reversed(names[max(0, end - max(0, command.most)) : end])
        return Answered(ticket, tuple(self._record(name) for name in newest_first))

    def _forget(self, ticket: Ticket, command: ForgetRooms) -> Sequence[Outcome]:
        forgotten = self._classes.forget(command.before)
        while self._forgettable and self._forgettable[0][0] < command.before:
            forgotten |= self._forget_name()
        count = len(self._rooms)
        old = self._oldest(self._ended, command.before, count, lambda record: record.ended)
        if command.unvisited_before is not None:
            old += self._oldest(self._idle, command.unvisited_before, count, idle_since)
        names = [name for _, _, name in old]
        over = [event for name in names for event in self._take_out(name, command.at)]
        self._revision += bool(names or forgotten)
        return (*map(Removed, names), *over, Answered(ticket, tuple(names)))

    def _oldest(
        self,
        heap: list[tuple[float, int, str]],
        before: float,
        most: int,
        time_of: Callable[[RoomRecord], float | None],
    ) -> list[tuple[float, int, str]]:
        """Return at most `most` entries of a heap with times below `before`, earliest first.

        `time_of` returns the correct time of a room in this heap; None if the room does not belong there. Stale entries
        are corrected or dropped.
        """
        found: list[tuple[float, int, str]] = []
        while len(found) < most and heap and heap[0][0] < before:
            noted, number, name = heapq.heappop(heap)
            room = self._rooms.get(name)
            at = None if room is None or room.number != number else time_of(self._record(name))
            if at == noted:
                found.append((noted, number, name))
            elif at is not None:
                heapq.heappush(heap, (at, number, name))
        for entry in found:
            heapq.heappush(heap, entry)
        return found

    def _forget_name(self) -> bool:
        """Forget the earliest removed name; return False if its entry was stale, so that nothing has changed."""
        removed_at, name = heapq.heappop(self._forgettable)
        stale = self._removed.get(name) != removed_at
        if not stale:
            del self._removed[name]
        return not stale

    # --- representation ---

    def _put_in(self, number: int, record: RoomRecord) -> None:
        """Add a room. Its number is higher than all earlier numbers."""
        self._rooms[record.name] = _Room(number, _encode(record))
        self._order.append(record.name)
        if record.public and record.state in LISTED:
            self._public.append(record.name)
        if record.demo:
            self._demos.setdefault(record.kind, []).append(record.name)
        self._counts[record.state] += 1
        self._bytes += len(bytes(record.settings))
        if record.ended is None:
            heapq.heappush(self._idle, (last_seen(record), number, record.name))
            if record.visited is None:
                heapq.heappush(self._unentered, (record.opened, number, record.name))
        else:
            heapq.heappush(self._ended, (record.ended, number, record.name))

    def _replace(self, record: RoomRecord) -> None:
        """Replace the record of a room. Its settings and `public` stay the same."""
        room = self._rooms[record.name]
        before = _decode(room.record)
        room.record = _encode(record)
        if before.state == record.state:
            return
        if record.public and before.state in LISTED and record.state not in LISTED:
            del self._public[self._place(self._public, record.name)]
        self._counts[before.state] -= 1
        self._counts[record.state] += 1
        if record.ended is not None and before.ended is None:
            heapq.heappush(self._ended, (record.ended, room.number, record.name))

    def _take_out(self, name: str, at: float) -> Sequence[Outcome]:
        """Remove a room, and remember its name. Forget the oldest names if there are too many.

        Return the event about the room's class, if the room was a table in use.
        """
        record = self._record(name)
        self._days.give_up(record)
        del self._order[self._place(self._order, name)]
        if record.public and record.state in LISTED:
            del self._public[self._place(self._public, name)]
        if record.demo:
            demos = self._demos[record.kind]
            del demos[self._place(demos, name)]
            if not demos:
                del self._demos[record.kind]
        del self._rooms[name]
        self._counts[record.state] -= 1
        self._bytes -= len(bytes(record.settings))
        self._removed[name] = at
        heapq.heappush(self._forgettable, (at, name))
        while len(self._removed) > MOST_REMOVED:
            self._forget_name()
        return self._finish_table(record)

    def _place(self, names: Sequence[str], name: str) -> int:
        """Return the index of the room in `names`, a list in the order of the rooms' numbers.

        For a missing name, return the index at which to insert it.
        """
        return bisect_left(names, self._rooms[name].number, key=lambda other: self._rooms[other].number)

    # --- state ---

    def state(self) -> bytes:
        """Return the whole register as JSON.

        Later versions must restore it and then return the same bytes, because a cluster drops the earlier commands.
        """
        rooms = tuple((self._rooms[name].number, msgspec.Raw(self._rooms[name].record)) for name in self._order)
        removed = tuple(sorted(self._removed.items()))
        days, classes = self._days.state(), self._classes.state()
        return _encode(_State(self._next_number, self._revision, rooms, removed, days, classes))

    @classmethod
    def restore(cls, state: bytes, /) -> Self:
        """Restore a register from its `state`. Raises ValueError if `state` is invalid."""
        saved = msgspec.json.decode(state, type=_State)
        register = cls()
        for number, raw in saved.rooms:
            record = _decode(raw)
            _require(record.name not in register._rooms, "two rooms have one name")
            register._put_in(number, record)
        register._removed.update(saved.removed)
        register._forgettable.extend((at, name) for name, at in saved.removed)
        heapq.heapify(register._forgettable)
        register._days, register._classes = Days(saved.days), Classrooms(saved.classes)
        register._next_number, register._revision = saved.next_number, saved.version
        numbers = [number for number, _ in saved.rooms]
        _require(_ascends([0, *numbers, saved.next_number]), "the rooms are not in the order of their numbers")
        _require(not register._rooms.keys() & register._removed.keys(), "a room exists and is removed")
        return register

    def _check_rep(self) -> None:
        records = [self._record(name) for name in self._order]
        assert {record.name for record in records} == self._rooms.keys()
        assert _ascends([0, *(self._rooms[name].number for name in self._order), self._next_number])
        assert self._public == [record.name for record in records if record.public and record.state in LISTED]
        demos = {kind: [one.name for one in records if one.demo and one.kind == kind] for kind in self._demos}
        assert self._demos == demos
        assert all(record.kind in demos for record in records if record.demo)
        assert not self._rooms.keys() & self._removed.keys()
        self._days.check_rep()
        self._classes.check_rep()
        assert self._bytes == sum(len(bytes(record.settings)) for record in records)
        for state, count in self._counts.items():
            assert count == sum(record.state == state for record in records)
        for record in records:
            assert (record.state == "open") == (record.ended is None)
            assert record.ended is None or (record.ended, self._rooms[record.name].number, record.name) in self._ended
        noted = {(number, name): at for at, number, name in self._idle}
        for record in records:
            if record.state == "open":
                assert noted[self._rooms[record.name].number, record.name] <= last_seen(record)
            if unentered_since(record) is not None:
                assert (record.opened, self._rooms[record.name].number, record.name) in self._unentered
        assert len(self._removed) <= MOST_REMOVED
        assert {(at, name) for name, at in self._removed.items()} <= set(self._forgettable)

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {state}" for state, count in self._counts.items())
        return f"{len(self._rooms)} rooms: {counts}; {len(self._removed)} removed"


def _ascends(numbers: Iterable[int]) -> bool:
    return all(low < high for low, high in itertools.pairwise(numbers))


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(f"not the state of a register: {otherwise}")
