"""A class: its pupils play at tables, which are rooms, in rounds. The record of a class, and its commands.

A class is in the register of rooms, so it survives a restart, and all processes of a cluster know it. Everybody who
knows its name can join it. All times are in seconds since 1970, and are in the commands.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

import msgspec

from scramble.errors import Refusal
from scramble.kernel.protocol import Command, Event, Query

MOST_PUPILS: Final = 100
"""Most pupils of a class. A pupil takes at most 300 bytes of the register."""

MOST_SETTINGS: Final = 2000
"""Most bytes of the settings of a class: enough for all choices of the lobby, but not for a board of a client."""


class Pupil(msgspec.Struct, frozen=True, omit_defaults=True):
    """A person in a class. `points`, `wins` and `games` are the sums of the ended games."""

    holder: str  # the SHA-256 of the client's secret
    name: str  # the display name; no two names of a class have the same skeleton
    skeleton: str
    points: int = 0
    wins: int = 0
    games: int = 0
    gone: bool = False  # True: has left, and gets no place in the next rounds


class Table(msgspec.Struct, frozen=True, omit_defaults=True):
    """A room of the current round. `seats` has the number of each pupil at the table, by player."""

    room: str
    seats: dict[str, int]
    over: bool = False  # the game has ended, or nobody can enter the room


class Classroom(msgspec.Struct, frozen=True, omit_defaults=True):
    """The record of a class. The number of a pupil is the position in `pupils`, from 0."""

    name: str  # four words, as in the address
    kind: str
    title: str
    settings: msgspec.Raw  # as the teacher chose them: each room completes them with its own seed
    people: int  # most pupils at a table
    host: str  # the SHA-256 of the teacher's secret
    opened: float
    turn_s: float | None = 45.0
    pupils: tuple[Pupil, ...] = ()
    round: int = 0  # the number of the current round; 0: no round has begun
    tables: tuple[Table, ...] = ()  # of the current round
    ended: float | None = None
    closing: tuple[str, ...] = ()  # rooms of the round before that had not ended: the server closes them
    changes: int = 0  # the number of changes of this record

    def waiting(self) -> list[int]:
        """Return the numbers of the present pupils who do not play now, in the order of joining."""
        return self._present_except(table for table in self.tables if not table.over)

    def late(self) -> list[int]:
        """Return the numbers of the present pupils without a table in the current round, in the order of joining."""
        return self._present_except(self.tables)

    def _present_except(self, tables: Iterable[Table]) -> list[int]:
        seated = {pupil for table in tables for pupil in table.seats.values()}
        return [number for number, pupil in enumerate(self.pupils) if not pupil.gone and number not in seated]

    def number_of(self, holder: str | None) -> int | None:
        """Return the number of the pupil with this holder; None if the class has no such pupil."""
        return next((number for number, pupil in enumerate(self.pupils) if pupil.holder == holder), None)


# --- commands ---------------------------------------------------------------------------------------


class ClassroomCommand(Command[Classroom], frozen=True):
    """The base of the commands about the class `name`. Answered with its record.

    Refused with `NoSuchClass`, except `OpenClassroom`. A repeated command changes nothing.
    """

    name: str


class OpenClassroom(ClassroomCommand, frozen=True):
    """Open a class. Refused with `RoomNameTaken` if another class has the name, or with `ClassesFull`."""

    kind: str
    title: str
    settings: msgspec.Raw
    people: int
    host: str
    at: float
    turn_s: float | None = 45.0


class JoinClassroom(ClassroomCommand, frozen=True):
    """Join the class as a pupil, or come back to it. Somebody who comes back has the earlier name.

    Refused with `ClassOver`; with `NameTaken` if another pupil has a similar name; with `ClassFull`.
    """

    holder: str
    called: str
    skeleton: str


class LeaveClassroom(ClassroomCommand, frozen=True):
    """Note that a pupil has left. Points stay. Refused with `NotTheTeacher` unless `by` is the teacher or the pupil."""

    by: str
    pupil: int


class SetTables(ClassroomCommand, frozen=True):
    """Begin the next round with these tables, or add them to the current round.

    The next round may have tables for pupils who have left in the meantime. Tables of the current round are for late
    pupils. Refused with `ClassOver`; with `NotTheTeacher` unless `by` is the teacher, for the next round; with
    `RoundMoved` for another round, or if a pupil has another table in this round.
    """

    by: str
    round: int
    tables: tuple[Table, ...]


class SitDown(ClassroomCommand, frozen=True):
    """Note that a late pupil plays at a table of the current round. Refused with `ClassOver` or `RoundMoved`."""

    room: str
    player: str
    pupil: int


class EndClassroom(ClassroomCommand, frozen=True):
    """End the class. Games that still run count when they end. Refused with `NotTheTeacher`."""

    by: str
    at: float


class FindClassroom(Query[Classroom], frozen=True):
    """Answered with the record of the class `name`. Refused with `NoSuchClass`."""

    name: str


ClassroomChange: TypeAlias = OpenClassroom | JoinClassroom | LeaveClassroom | SetTables | SitDown | EndClassroom
"""The commands that change a class."""


class ClassroomChanged(Event, frozen=True):
    """The record of the class has changed."""

    classroom: str


# --- refusals ---------------------------------------------------------------------------------------


class NoSuchClass(Refusal):
    """No class has this name, or it was forgotten."""

    code = "no-such-class"
    status = 404

    def __init__(self) -> None:
        super().__init__("there is no class with this name")


class ClassOver(Refusal):
    """The teacher has ended the class."""

    code = "class-over"
    status = 410

    def __init__(self) -> None:
        super().__init__("this class is over")


class ClassFull(Refusal):
    """The class has the maximum number of pupils."""

    code = "class-full"

    def __init__(self, most: int) -> None:
        self.params = {"most": most}
        super().__init__(f"a class has at most {most} pupils")


class ClassesFull(Refusal):
    """The server has the maximum number of classes, and all of them are in use."""

    code = "classes-full"
    status = 503

    def __init__(self, most: int) -> None:
        self.params = {"most": most}
        super().__init__(f"there are {most} classes, as many as this server allows")


class NotTheTeacher(Refusal):
    """Only the teacher, who has opened the class, may do that."""

    code = "not-the-teacher"
    status = 403

    def __init__(self) -> None:
        super().__init__("only the teacher of a class may do that")


class RoundMoved(Refusal):
    """The class has changed in the meantime: another round has begun, or the place is taken."""

    code = "round-moved"

    def __init__(self) -> None:
        super().__init__("the class has changed in the meantime: look again")


class NobodyWaits(Refusal):
    """A round cannot begin, because no pupil has come."""

    code = "nobody-waits"

    def __init__(self) -> None:
        super().__init__("nobody has come to this class yet")
