"""The classes in the register: their rules, and how pupils are dealt to tables.

classrooms = Classrooms()
classrooms.execute(OpenClassroom("acorn-violet-piano-otter", "memory", ...))
classrooms.execute(JoinClassroom("acorn-violet-piano-otter", holder, "Zoë", "zoe"))
deal(classrooms.find("acorn-violet-piano-otter"))        # the pupils at each table of the next round
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Final

import msgspec

from scramble.players.seats import NameTaken
from scramble.rooms.classroom import (
    MOST_PUPILS,
    ClassesFull,
    ClassFull,
    ClassOver,
    Classroom,
    ClassroomChange,
    EndClassroom,
    FindClassroom,
    JoinClassroom,
    LeaveClassroom,
    NoSuchClass,
    NotTheTeacher,
    OpenClassroom,
    Pupil,
    RoundMoved,
    SetTables,
    SitDown,
)
from scramble.rooms.protocol import RoomNameTaken, RoomRecord

MOST_CLASSES: Final = 200
"""Most classes of a server. A class takes at most 35 kB of the register."""

OLD_S: Final = 86400.0
"""Age at which a full server forgets a class, in seconds."""

EMPTY_S: Final = 3600.0
"""Age at which a full server forgets a class that no pupil has joined, in seconds."""

replace: Final = msgspec.structs.replace


def deal(classroom: Classroom) -> list[tuple[int, ...]]:
    """Return the pupils at each table of the next round. Empty if the class has no pupils.

    Tables differ by at most one pupil. Pupils with similar points play together, as in a Swiss tournament. At tables
    for two, an odd pupil waits: one with the most games, because the others have waited before.
    """
    pupils = classroom.pupils
    left = [number for number, pupil in enumerate(pupils) if not pupil.gone]
    if classroom.people == 2 and len(left) > 1 and len(left) % 2:
        left.remove(max(reversed(left), key=lambda number: pupils[number].games))
    left.sort(key=lambda number: -pupils[number].points)  # pupils with equal points stay in the order of joining
    tables = -(-len(left) // classroom.people)
    cuts = [len(left) * table // max(tables, 1) for table in range(tables + 1)]
    return [tuple(left[begin:end]) for begin, end in pairwise(cuts)]


class Classrooms:
    """The latest classes. Mutable, and deterministic: times and tables come from the caller."""

    # AF: _classes has the classes by name, in the order of opening.
    # RI: at most MOST_CLASSES classes. A class has at most MOST_PUPILS pupils, with different holders and skeletons. A
    #     pupil has a place at no more than one table of the round. A table has at most `people` pupils.

    def __init__(self, classes: Iterable[Classroom] = ()) -> None:
        self._classes: Final = {one.name: one for one in classes}

    def find(self, name: str) -> Classroom:
        """Return the record of a class. Raises NoSuchClass."""
        if name not in self._classes:
            raise NoSuchClass
        return self._classes[name]

    def execute(self, command: ClassroomChange | FindClassroom) -> tuple[Classroom, bool]:
        """Execute a command. Return the record of the class, and True if it has changed. Raises refusals."""
        if isinstance(command, OpenClassroom):
            return self._open(command)
        before = self.find(command.name)
        match command:
            case FindClassroom():
                after = before
            case JoinClassroom():
                after = _join(before, command)
            case LeaveClassroom():
                after = _leave(before, command)
            case SetTables():
                after = _set_tables(before, command)
            case SitDown():
                after = _sit_down(before, command)
            case EndClassroom():
                _require_teacher(before, command.by)
                after = before if before.ended is not None else replace(before, ended=command.at)
        return self._put(after), after is not before

    def finish(self, record: RoomRecord) -> bool:
        """Note that the game of a table is over, with its result if it has one. Return True if a class has changed."""
        before = self._classes.get(record.classroom)
        place = next(
            (place for place, table in enumerate(before.tables if before else ()) if table.room == record.name), None
        )
        if before is None or place is None or before.tables[place].over:
            return False
        table, pupils = before.tables[place], list(before.pupils)
        if record.result is not None:
            for player, number in table.seats.items():
                pupil = pupils[number]
                pupils[number] = replace(
                    pupil,
                    points=pupil.points + record.result.scores.get(player, 0),
                    wins=pupil.wins + (player in record.result.winners),
                    games=pupil.games + 1,
                )
        tables = (*before.tables[:place], replace(table, over=True), *before.tables[place + 1 :])
        self._put(replace(before, pupils=tuple(pupils), tables=tables))
        return True

    def forget(self, before: float) -> bool:
        """Forget the classes that were opened before a time. Return True if there were any."""
        old = [name for name, one in self._classes.items() if one.opened < before]
        for name in old:
            del self._classes[name]
        return bool(old)

    def _open(self, command: OpenClassroom) -> tuple[Classroom, bool]:
        found = self._classes.get(command.name)
        if found is not None:
            if (found.host, found.opened) != (command.host, command.at):
                raise RoomNameTaken("a class has this name")
            return found, False
        if len(self._classes) >= MOST_CLASSES:
            useless = [one for one in self._classes.values() if _is_useless(one, command.at)]
            if not useless:
                raise ClassesFull(MOST_CLASSES)
            del self._classes[min(useless, key=lambda one: one.opened).name]
        fields = msgspec.structs.asdict(command)
        self._classes[command.name] = Classroom(opened=fields.pop("at"), **fields)
        return self._classes[command.name], True

    def _put(self, after: Classroom) -> Classroom:
        """Store a record, and count the change if there is one."""
        if after is not self._classes[after.name]:
            self._classes[after.name] = replace(after, changes=after.changes + 1)
        return self._classes[after.name]

    def state(self) -> tuple[Classroom, ...]:
        """Return the whole state."""
        return tuple(self._classes.values())

    def check_rep(self) -> None:
        """Assert the representation invariant."""
        assert len(self._classes) <= MOST_CLASSES
        for one in self._classes.values():
            seated = [pupil for table in one.tables for pupil in table.seats.values()]
            assert len(one.pupils) <= MOST_PUPILS
            assert len({pupil.holder for pupil in one.pupils}) == len(one.pupils)
            assert len({pupil.skeleton for pupil in one.pupils}) == len(one.pupils)
            assert len(set(seated)) == len(seated)
            assert all(len(table.seats) <= one.people for table in one.tables)

    def __str__(self) -> str:
        return f"{len(self._classes)} classes"


def _is_useless(classroom: Classroom, now: float) -> bool:
    """Return True if a full server may forget the class."""
    age = now - classroom.opened
    return classroom.ended is not None or age >= OLD_S or (age >= EMPTY_S and not classroom.pupils)


def _join(before: Classroom, command: JoinClassroom) -> Classroom:
    number = before.number_of(command.holder)
    if number is not None:
        return _with_pupil(before, number, gone=False)
    if before.ended is not None:
        raise ClassOver
    if any(pupil.skeleton == command.skeleton for pupil in before.pupils):
        raise NameTaken(command.called)
    if len(before.pupils) >= MOST_PUPILS:
        raise ClassFull(MOST_PUPILS)
    return replace(before, pupils=(*before.pupils, Pupil(command.holder, command.called, command.skeleton)))


def _leave(before: Classroom, command: LeaveClassroom) -> Classroom:
    if command.by != before.host and before.number_of(command.by) != command.pupil:
        raise NotTheTeacher
    if not 0 <= command.pupil < len(before.pupils):
        raise RoundMoved
    return _with_pupil(before, command.pupil, gone=True)


def _with_pupil(before: Classroom, number: int, *, gone: bool) -> Classroom:
    if before.pupils[number].gone == gone:
        return before
    changed = replace(before.pupils[number], gone=gone)
    return replace(before, pupils=(*before.pupils[:number], changed, *before.pupils[number + 1 :]))


def _set_tables(before: Classroom, command: SetTables) -> Classroom:
    if before.ended is not None:
        raise ClassOver
    is_next = command.round == before.round + 1
    if is_next:
        _require_teacher(before, command.by)
    elif command.round != before.round or not before.round:
        raise RoundMoved
    elif all(table.room in {one.room for one in before.tables} for table in command.tables):
        return before  # the command was repeated
    free = set(range(len(before.pupils)) if is_next else before.late())
    for table in command.tables:
        pupils = set(table.seats.values())
        if len(table.seats) > before.people or len(pupils) < len(table.seats) or not pupils <= free:
            raise RoundMoved
        free -= pupils
    if not is_next:
        return replace(before, tables=(*before.tables, *command.tables))
    closing = tuple(table.room for table in before.tables if not table.over)
    return replace(before, round=command.round, tables=command.tables, closing=closing)


def _sit_down(before: Classroom, command: SitDown) -> Classroom:
    if before.ended is not None:
        raise ClassOver
    for place, table in enumerate(before.tables):
        if table.room == command.room:
            if table.seats.get(command.player) == command.pupil:
                return before  # the command was repeated
            if table.over or len(table.seats) >= before.people or command.pupil not in before.late():
                raise RoundMoved
            seats = {**table.seats, command.player: command.pupil}
            return replace(
                before, tables=(*before.tables[:place], replace(table, seats=seats), *before.tables[place + 1 :])
            )
    raise RoundMoved


def _require_teacher(classroom: Classroom, by: str) -> None:
    if by != classroom.host:
        raise NotTheTeacher
