"""The classes in the register of rooms: who may do what, how pupils are dealt to tables, and what a game counts.

Partitions:
- joining: new; again; after leaving; a similar name; a full class; a class that is over
- dealing: no pupil; one; fewer than a table, as many, one more; tables for one, for two with an odd pupil; after games
- tables: the next round, by the teacher and by another client; more tables; repeated; for another round; a pupil twice;
  a pupil who plays, has played, or has left; too many pupils at a table; a class that is over
- a late pupil: a free place; repeated; a taken place; a full table; a table that is over
- the end of a game: with a result; without; a second time; closed, removed, forgotten; of a room of no class
- classes: the same again; a name in use; too many, with and without a useless class; an old class
- a register of an older version; an encoded and restored register
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, cast

import msgspec
import pytest

from scramble.games.room import GameResult
from scramble.kernel.protocol import Answered, Command, Outcome, Refused, Ticket
from scramble.players.seats import NameTaken
from scramble.rooms.classroom import (
    MOST_PUPILS,
    ClassesFull,
    ClassFull,
    ClassOver,
    Classroom,
    ClassroomChanged,
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
    Table,
)
from scramble.rooms.classrooms import EMPTY_S, MOST_CLASSES, OLD_S, deal
from scramble.rooms.protocol import RoomNameTaken
from scramble.rooms.register import Register
from scramble.rooms.registermessages import CloseRoom, ForgetRooms, OpenRoom, RecordResult, RemoveRoom
from tests.support.revisions import applied

R = TypeVar("R")

NAME = "acorn-violet-piano-otter"
TEACHER = "teacher"


class School:
    """A register with the class `NAME`."""

    def __init__(self, people: int = 4) -> None:
        self.register = Register()
        self.outcomes: Sequence[Outcome] = ()
        self.open(people=people)

    def ask(self, command: Command[R]) -> R:
        self.outcomes = applied(self.register, Ticket(0), cast(Command[object], command))
        last = self.outcomes[-1]
        if isinstance(last, Refused):
            raise last.error
        return cast(R, cast(Answered, last).value)

    def open(self, name: str = NAME, *, people: int = 4, at: float = 0.0) -> Classroom:
        return self.ask(OpenClassroom(name, "memory", "", msgspec.Raw(b"{}"), people, TEACHER, at))

    def join(self, *called: str) -> Classroom:
        for one in called:
            self.ask(JoinClassroom(NAME, one, one, one.casefold()))
        return self.find()

    def find(self) -> Classroom:
        return self.ask(FindClassroom(NAME))

    def set(self, number: int, *tables: Table, by: str = TEACHER) -> Classroom:
        for table in tables:
            raw = msgspec.Raw(b"{}")
            self.ask(OpenRoom(table.room, "memory", "", raw, 0.0, 10_000, 10_000_000, classroom=NAME))
        return self.ask(SetTables(NAME, by, number, tables))

    def play(self, room: str, scores: dict[str, int], *winners: str) -> None:
        self.ask(RecordResult(room, GameResult(scores, winners), 1.0))


@pytest.fixture
def school() -> School:
    return School()


# --- joining and leaving ------------------------------------------------------------------------------


def test_pupils_have_numbers_in_the_order_of_joining(school: School) -> None:
    joined = school.join("ann", "bob")
    assert [pupil.name for pupil in joined.pupils] == ["ann", "bob"]
    assert (joined.number_of("bob"), joined.number_of("cy"), joined.number_of(None)) == (1, None, None)
    assert joined.waiting() == [0, 1]


def test_a_pupil_comes_back_under_the_first_name(school: School) -> None:
    school.join("ann")
    version = school.register.version
    assert school.ask(JoinClassroom(NAME, "ann", "anna", "anna")).pupils[0].name == "ann"
    assert school.register.version == version
    assert school.ask(LeaveClassroom(NAME, TEACHER, 0)).waiting() == []
    assert school.ask(JoinClassroom(NAME, "ann", "ann", "ann")).waiting() == [0]


def test_a_similar_name_is_refused(school: School) -> None:
    school.join("Ann")
    with pytest.raises(NameTaken):
        school.ask(JoinClassroom(NAME, "another", "ann", "ann"))
    assert len(school.find().pupils) == 1


def test_a_full_class_takes_nobody_except_its_own_pupils(school: School) -> None:
    school.join(*(f"p{number}" for number in range(MOST_PUPILS)))
    with pytest.raises(ClassFull):
        school.join("ann")
    assert len(school.join("p5").pupils) == MOST_PUPILS


def test_only_the_teacher_and_the_pupil_may_note_that_a_pupil_has_left(school: School) -> None:
    school.join("ann", "bob")
    with pytest.raises(NotTheTeacher):
        school.ask(LeaveClassroom(NAME, "bob", 0))
    assert school.ask(LeaveClassroom(NAME, "bob", 1)).waiting() == [0]
    assert school.ask(LeaveClassroom(NAME, TEACHER, 0)).waiting() == []
    with pytest.raises(RoundMoved):
        school.ask(LeaveClassroom(NAME, TEACHER, 2))


def test_a_class_that_is_over_takes_no_pupil_and_no_table(school: School) -> None:
    school.join("ann")
    school.set(1, Table("room", {"ann": 0}))
    with pytest.raises(NotTheTeacher):
        school.ask(EndClassroom(NAME, "ann", 5.0))
    assert school.ask(EndClassroom(NAME, TEACHER, 5.0)).ended == 5.0
    assert school.ask(EndClassroom(NAME, TEACHER, 6.0)).ended == 5.0
    with pytest.raises(ClassOver):
        school.join("bob")
    with pytest.raises(ClassOver):
        school.set(2, Table("other", {"ann": 0}))
    with pytest.raises(ClassOver):
        school.ask(SitDown(NAME, "room", "bob", 0))
    assert school.join("ann").ended == 5.0  # a pupil sees the final table
    school.play("room", {"ann": 3}, "ann")  # the last games count
    assert school.find().pupils[0].points == 3


# --- dealing ------------------------------------------------------------------------------------------


def pupils(*points: int, games: Sequence[int] = ()) -> tuple[Pupil, ...]:
    return tuple(
        Pupil(f"h{number}", f"p{number}", f"p{number}", some, games=games[number] if games else 0)
        for number, some in enumerate(points)
    )


def dealt(people: int, *points: int, games: Sequence[int] = (), gone: Sequence[int] = ()) -> list[tuple[int, ...]]:
    there = [
        msgspec.structs.replace(pupil, gone=number in gone) for number, pupil in enumerate(pupils(*points, games=games))
    ]
    return deal(Classroom(NAME, "memory", "", msgspec.Raw(b"{}"), people, TEACHER, 0.0, pupils=tuple(there)))


@pytest.mark.parametrize(
    ("people", "count", "sizes"),
    [
        (4, 0, []),
        (4, 1, [1]),
        (4, 3, [3]),
        (4, 4, [4]),
        (4, 5, [2, 3]),
        (4, 6, [3, 3]),
        (4, 9, [3, 3, 3]),
        (4, 100, [4] * 25),
        (1, 3, [1, 1, 1]),
        (2, 1, [1]),
        (2, 2, [2]),
        (2, 5, [2, 2]),
    ],
)
def test_tables_differ_by_one_pupil_at_most(people: int, count: int, sizes: list[int]) -> None:
    tables = dealt(people, *([0] * count))
    assert [len(table) for table in tables] == sizes
    seated = [pupil for table in tables for pupil in table]
    assert len(set(seated)) == len(seated)


def test_pupils_with_similar_points_play_together() -> None:
    assert dealt(2, 1, 9, 2, 8) == [(1, 3), (2, 0)]
    assert dealt(4, 5, 5, 5, 5, 5) == [(0, 1), (2, 3, 4)]  # equal points: in the order of joining


def test_an_odd_pupil_waits_who_has_played_most() -> None:
    assert dealt(2, 0, 0, 0) == [(0, 1)]
    assert dealt(2, 0, 0, 0, games=[1, 1, 0]) == [(0, 2)]


def test_a_pupil_who_has_left_gets_no_place() -> None:
    assert dealt(4, 0, 0, 0, gone=[1]) == [(0, 2)]


# --- tables -------------------------------------------------------------------------------------------


def test_a_round_has_tables_and_the_next_round_replaces_them(school: School) -> None:
    school.join("ann", "bob", "cy")
    first = school.set(1, Table("r1", {"ann": 0, "bob": 1}), Table("r2", {"cy": 2}))
    assert (first.round, first.waiting()) == (1, [])
    assert ClassroomChanged(NAME) in school.outcomes
    school.play("r2", {"cy": 1}, "cy")
    second = school.set(2, Table("r3", {"cy": 2}))
    assert [table.room for table in second.tables] == ["r3"]
    assert second.closing == ("r1",)
    assert second.waiting() == [0, 1]


def test_a_pupil_who_leaves_while_the_rooms_are_opened_does_not_stop_the_round(school: School) -> None:
    school.join("ann", "bob")
    school.ask(LeaveClassroom(NAME, "bob", 1))
    assert school.set(1, Table("r1", {"ann": 0, "bob": 1})).round == 1


def test_a_pupil_plays_once_in_a_round(school: School) -> None:
    school.join("ann", "bob")
    school.set(1, Table("r1", {"ann": 0}), Table("r2", {"bob": 1}))
    school.play("r1", {"ann": 1}, "ann")
    assert (school.find().waiting(), school.find().late()) == ([0], [])
    with pytest.raises(RoundMoved):
        school.set(1, Table("r3", {"ann": 0}))
    with pytest.raises(RoundMoved):
        school.ask(SitDown(NAME, "r2", "ann", 0))


def test_only_the_teacher_begins_a_round_and_no_round_is_left_out(school: School) -> None:
    school.join("ann")
    with pytest.raises(NotTheTeacher):
        school.set(1, Table("r1", {"ann": 0}), by="ann")
    for wrong in (0, 2):
        with pytest.raises(RoundMoved):
            school.ask(SetTables(NAME, TEACHER, wrong, (Table("r1", {"ann": 0}),)))
    assert school.find().round == 0


def test_tables_are_added_to_a_round_once(school: School) -> None:
    school.join("ann", "bob", "cy")
    school.set(1, Table("r1", {"ann": 0}))
    added = school.set(1, Table("r2", {"bob": 1}), by="bob")
    assert [table.room for table in added.tables] == ["r1", "r2"]
    again = school.ask(SetTables(NAME, "bob", 1, (Table("r2", {"bob": 1}),)))
    assert again == added
    assert school.outcomes == (Answered(Ticket(0), again),)


@pytest.mark.parametrize(
    "tables",
    [
        [Table("r2", {"ann": 0})],  # plays at another table
        [Table("r2", {"bob": 1}), Table("r3", {"bob": 1})],
        [Table("r2", {"cy": 2})],  # has left
        [Table("r2", {"nobody": 7})],
        [Table("r2", {"a": 3, "b": 4, "c": 5, "d": 6, "e": 1})],  # five at one table
    ],
)
def test_tables_with_other_pupils_than_those_who_wait_are_refused(school: School, tables: list[Table]) -> None:
    school.join("ann", "bob", "cy", "p3", "p4", "p5", "p6")
    school.ask(LeaveClassroom(NAME, TEACHER, 2))
    before = school.set(1, Table("r1", {"ann": 0}))
    with pytest.raises(RoundMoved):
        school.ask(SetTables(NAME, TEACHER, 1, tuple(tables)))
    assert school.find() == before


def test_a_late_pupil_takes_a_free_place_once(school: School) -> None:
    school.join("ann", "bob")
    school.set(1, Table("r1", {"ann": 0}))
    seated = school.ask(SitDown(NAME, "r1", "bob", 1))
    assert (seated.tables[0].seats, seated.waiting()) == ({"ann": 0, "bob": 1}, [])
    assert school.ask(SitDown(NAME, "r1", "bob", 1)) == seated
    for room, player in (("r1", "bob2"), ("r9", "bob")):
        with pytest.raises(RoundMoved):
            school.ask(SitDown(NAME, room, player, 1))


def test_a_full_table_and_a_table_that_is_over_have_no_place(school: School) -> None:
    school.join("ann", "bob", "cy", "dee", "eve")
    school.set(1, Table("full", {"ann": 0, "bob": 1, "cy": 2, "dee": 3}))
    with pytest.raises(RoundMoved):
        school.ask(SitDown(NAME, "full", "eve", 4))
    school.play("full", {"ann": 1}, "ann")
    with pytest.raises(RoundMoved):
        school.ask(SitDown(NAME, "full", "eve", 4))


# --- the end of a game --------------------------------------------------------------------------------


def test_a_result_counts_once(school: School) -> None:
    school.join("ann", "bob", "cy")
    school.set(1, Table("r1", {"ann": 0, "bo": 1}), Table("r2", {"cy": 2}))
    school.play("r1", {"ann": 2, "bo": 5, "guest": 9}, "bo")
    assert ClassroomChanged(NAME) in school.outcomes
    school.play("r1", {"ann": 90}, "ann")
    found = school.find()
    assert [(pupil.points, pupil.wins, pupil.games) for pupil in found.pupils] == [(2, 0, 1), (5, 1, 1), (0, 0, 0)]
    assert found.waiting() == [0, 1]
    school.set(2, Table("r3", {"ann": 0, "bo": 1, "cy": 2}))
    school.play("r3", {"ann": 4, "bo": 4}, "ann", "bo")
    assert [(pupil.points, pupil.wins, pupil.games) for pupil in school.find().pupils] == [
        (6, 1, 2),
        (9, 2, 2),
        (0, 0, 1),
    ]


@pytest.mark.parametrize("how", ["closed", "removed", "forgotten"])
def test_a_table_without_a_result_ends_without_points(school: School, how: str) -> None:
    school.join("ann")
    school.set(1, Table("r1", {"ann": 0}))
    if how == "closed":
        school.ask(CloseRoom("r1", 2.0))
    elif how == "removed":
        school.ask(RemoveRoom("r1", 2.0))
    else:
        assert school.ask(ForgetRooms(-1.0, 2.0, unvisited_before=1.0)) == ("r1",)
    assert ClassroomChanged(NAME) in school.outcomes
    found = school.find()
    assert (found.tables[0].over, found.pupils[0].games, found.waiting()) == (True, 0, [0])


def test_a_room_of_no_class_changes_no_class(school: School) -> None:
    before = school.find()
    school.ask(OpenRoom("r1", "memory", "", msgspec.Raw(b"{}"), 0.0, 10_000, 10_000_000))
    school.ask(OpenRoom("r2", "memory", "", msgspec.Raw(b"{}"), 0.0, 10_000, 10_000_000, classroom="forgotten"))
    for room in ("r1", "r2"):
        school.play(room, {"ann": 1}, "ann")
    assert school.find() == before


# --- all classes --------------------------------------------------------------------------------------


def test_a_class_is_opened_once() -> None:
    school = School()
    version = school.register.version
    assert school.open() == school.find()
    assert school.register.version == version
    with pytest.raises(RoomNameTaken):
        school.open(at=1.0)
    with pytest.raises(NoSuchClass):
        school.ask(FindClassroom("another"))


@pytest.mark.parametrize(("how", "age"), [("old", OLD_S), ("empty", EMPTY_S), ("ended", 20.0)])
def test_a_full_server_forgets_a_class_that_is_old_or_empty_or_ended(school: School, how: str, age: float) -> None:
    if how != "empty":
        school.join("ann")
    for number in range(MOST_CLASSES - 1):
        name = school.open(f"class {number}", at=10.0).name
        school.ask(JoinClassroom(name, "ann", "ann", "ann"))
    with pytest.raises(ClassesFull):
        school.open("new", at=age - 1.0)
    if how == "ended":
        school.ask(EndClassroom(NAME, TEACHER, 15.0))
    school.open("new", at=age)
    with pytest.raises(NoSuchClass):
        school.find()
    assert len(school.register._classes.state()) == MOST_CLASSES


def test_an_old_class_is_forgotten_with_the_old_rooms(school: School) -> None:
    school.ask(ForgetRooms(0.0, 5.0))
    assert school.find().name == NAME
    school.ask(ForgetRooms(1.0, 5.0))
    with pytest.raises(NoSuchClass):
        school.find()


def test_a_register_of_an_older_version_has_no_classes() -> None:
    state = Register().state()
    assert b"classes" not in state
    assert Register.restore(state).state() == state


def test_a_restored_register_has_the_same_classes(school: School) -> None:
    school.join("ann", "bob")
    school.set(1, Table("r1", {"ann": 0, "bob": 1}))
    school.play("r1", {"ann": 2}, "ann")
    state = school.register.state()
    restored = Register.restore(state)
    assert restored.state() == state
    assert restored._classes.state() == (school.find(),)
    assert school.find().tables[0].over
