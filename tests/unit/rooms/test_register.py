"""The register of rooms: its rules on plain values, without trio.

Partitions:
- names: new; in use; removed; forgotten; unknown
- each change of a room in each state
- rooms: public; not public
- successors: can be entered; cannot be entered; are gone
- demo rooms
- limits: reached by one room; reached by one byte; not reached
- times that go back
- a register that was encoded and restored
"""

from __future__ import annotations

from typing import TypeVar, cast

import msgspec
import pytest

from scramble.errors import Refusal
from scramble.games.room import GameResult
from scramble.kernel.protocol import Answered, Command, Event, Refused, Ticket
from scramble.rooms.protocol import (
    BotSetting,
    NoSuchRoom,
    RoomCounts,
    RoomNameTaken,
    RoomRecord,
    RoomRemoved,
    RoomsFull,
)
from scramble.rooms.register import Register
from scramble.rooms.registermessages import (
    Changed,
    ChangeRoom,
    CloseRoom,
    CountRooms,
    EndedRooms,
    ExpelClient,
    FindRoom,
    ForgetRooms,
    IdleRooms,
    ListRooms,
    MarkBroken,
    Opened,
    OpenRoom,
    RecordResult,
    Removed,
    RemovedRooms,
    RemoveRoom,
    RenameRoom,
    UnenteredRooms,
    VisitRoom,
    order_of,
)
from tests.support.revisions import applied

R = TypeVar("R")

RESULT = GameResult({"ann": 2, "bob": 1}, ("ann",))


class Desk:
    """A register that executes each command like a call."""

    def __init__(self, register: Register | None = None) -> None:
        self.register = Register() if register is None else register
        self.events: list[Event] = []

    def ask(self, command: Command[R]) -> R:
        *events, last = applied(self.register, Ticket(0), cast(Command[object], command))
        self.events = cast(list[Event], events)
        if isinstance(last, Refused):
            raise last.error
        assert isinstance(last, Answered)
        return cast(R, last.value)

    def open(self, name: str, *, at: float = 1.0, public: bool = True, after: str | None = None) -> RoomRecord:
        return self.ask(opening(name, at=at, public=public, after=after))

    def listed(self, **page: object) -> list[str]:
        most, after = cast(int, page.get("most", 100)), cast("str | None", page.get("after"))
        return [record.name for record in self.ask(ListRooms(most, after, bool(page.get("hidden"))))]


def opening(
    name: str,
    *,
    at: float = 1.0,
    public: bool = True,
    after: str | None = None,
    most: int = 100,
    most_bytes: int = 1000,
    settings: bytes = b'{"size":"4x4"}',
) -> OpenRoom:
    raw = msgspec.Raw(settings)
    return OpenRoom(name, "memory", "Friday", raw, at, most, most_bytes, public=public, after=after)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_room_is_found_as_it_was_opened(desk: Desk) -> None:
    command = OpenRoom(
        name="a",
        kind="memory",
        title="Friday",
        settings=msgspec.Raw(b'{"size":"4x4"}'),
        at=5.0,
        most=1,
        most_bytes=100,
        host="0a1b",
        names="open",
        bots=(BotSetting("hard"),),
        turn_s=None,
    )
    record = desk.ask(command)
    assert desk.events == [Opened("a")]
    assert record == desk.ask(FindRoom("a"))
    assert (record.kind, record.title, bytes(record.settings)) == ("memory", "Friday", b'{"size":"4x4"}')
    assert (record.opened, record.host, record.names, record.turn_s) == (5.0, "0a1b", "open", None)
    assert (record.bots, record.state, record.public) == ((BotSetting("hard"),), "open", False)


@pytest.mark.parametrize(
    ("command", "written"),
    [
        (opening("a", public=False), b"}"),
        (
            OpenRoom(
                *("a", "memory", "Friday", msgspec.Raw(b'{"size":"4x4"}'), 1.0, 100, 1000, "c0ffee", True, "open"),
                *((BotSetting("hard"),), "b", None, True),
            ),
            b',"host":"c0ffee","public":true,"names":"open","bots":[{"level":"hard"}],"after":"b","turn_s":null,'
            b'"demo":true}',
        ),
    ],
    ids=["defaults", "all"],
)
def test_an_opening_is_written_to_a_journal_as_in_earlier_versions(command: OpenRoom, written: bytes) -> None:
    first = b'{"type":"OpenRoom","name":"a","kind":"memory","title":"Friday","settings":{"size":"4x4"},"at":1.0,'
    record = Desk().ask(msgspec.structs.replace(command, after=None))
    assert order_of(record) == order_of(msgspec.structs.replace(command, after=None))
    assert msgspec.json.encode(command) == first + b'"most":100,"most_bytes":1000' + written
    assert msgspec.json.decode(first + b'"most":100,"most_bytes":1000' + written, type=OpenRoom) == command


def test_a_name_in_use_or_removed_is_refused_until_it_is_forgotten(desk: Desk) -> None:
    desk.open("a")
    with pytest.raises(RoomNameTaken):
        desk.open("a")
    desk.ask(RemoveRoom("a", 10.0))
    with pytest.raises(RoomNameTaken):
        desk.open("a")
    desk.ask(ForgetRooms(before=10.1, at=20.0))
    desk.open("a")


def test_the_number_of_rooms_and_the_bytes_of_their_settings_have_limits(desk: Desk) -> None:
    desk.ask(opening("a", most=1))
    with pytest.raises(RoomsFull, match="1 rooms"):
        desk.ask(opening("b", most=1))
    with pytest.raises(RoomsFull, match="memory"):
        desk.ask(opening("b", most=2, settings=b"[1]", most_bytes=16))
    desk.ask(opening("b", most=2, settings=b"[1]", most_bytes=17))
    desk.ask(RemoveRoom("a", 2.0))
    desk.ask(opening("c", most=2, settings=b"[1]", most_bytes=6))


def test_a_closed_room_stays_closed_and_its_end_is_the_first_one(desk: Desk) -> None:
    desk.open("a")
    desk.ask(RecordResult("a", RESULT, 7.0))
    closed = desk.ask(CloseRoom("a", 9.0))
    assert (closed.state, closed.ended, closed.result) == ("closed", 7.0, RESULT)
    for command in (CloseRoom("a", 11.0), RecordResult("a", RESULT, 11.0), MarkBroken("a", 11.0)):
        assert desk.ask(cast(ChangeRoom, command)) == closed
        assert desk.events == []


def test_only_the_first_result_counts(desk: Desk) -> None:
    desk.open("a")
    first = desk.ask(RecordResult("a", RESULT, 7.0))
    assert desk.events == [Changed("a")]
    assert desk.ask(RecordResult("a", GameResult({"bob": 9}, ("bob",)), 8.0)) == first
    assert desk.events == []


def test_a_broken_room_was_open_or_ended_and_can_be_closed(desk: Desk) -> None:
    for name in "ab":
        desk.open(name)
    desk.ask(RecordResult("b", RESULT, 3.0))
    assert [desk.ask(MarkBroken(name, 4.0)).ended for name in "ab"] == [4.0, 3.0]
    assert desk.ask(RecordResult("a", RESULT, 5.0)).state == "broken"
    assert desk.ask(CloseRoom("a", 6.0)).state == "closed"


def test_only_effective_changes_of_a_record_count(desk: Desk) -> None:
    desk.open("a")
    assert desk.ask(RenameRoom("a", "Monday")).changes == 1
    assert desk.ask(RenameRoom("a", "Monday")).changes == 1
    assert desk.ask(ExpelClient("a", "ff")).changes == 2
    again = desk.ask(ExpelClient("a", "ff"))
    assert (again.changes, again.expelled, again.title) == (2, ("ff",), "Monday")


def test_the_oldest_of_too_many_expulsions_is_forgotten_but_not_in_older_journals(
    desk: Desk,
) -> None:
    desk.open("a")
    for holder in ("1", "2", "3"):
        desk.ask(ExpelClient("a", holder))  # a journal of a version without this limit
    assert desk.ask(FindRoom("a")).expelled == ("1", "2", "3")
    assert desk.ask(ExpelClient("a", "3", most=2)).expelled == ("1", "2", "3")
    assert desk.ask(ExpelClient("a", "4", most=2)).expelled == ("3", "4")


def test_a_room_has_one_successor_while_the_successor_can_be_entered(desk: Desk) -> None:
    desk.open("a")
    second = desk.open("b", after="a")
    assert desk.events == [Opened("b"), Changed("a")]
    assert (second.after, desk.ask(FindRoom("a")).successor) == ("a", "b")
    assert desk.open("c", after="a") == second
    assert desk.events == []
    desk.ask(RecordResult("b", RESULT, 5.0))
    assert desk.open("c", after="a").name == "b"
    desk.ask(CloseRoom("b", 6.0))
    assert desk.open("c", after="a").name == "c"
    desk.ask(RemoveRoom("c", 7.0))
    assert desk.open("d", after="a").name == "d"
    assert desk.ask(FindRoom("a")).successor == "d"


def test_each_kind_has_one_demo_room_to_play_in(desk: Desk) -> None:
    def demo(name: str, kind: str = "memory", after: str | None = None) -> RoomRecord:
        return desk.ask(msgspec.structs.replace(opening(name, after=after), kind=kind, demo=True))

    first = demo("a")
    assert demo("b") == first
    assert desk.events == []
    assert demo("c", "crossword").name == "c"
    desk.ask(RecordResult("a", RESULT, 5.0))
    assert demo("d", after="a").name == "d"
    assert demo("e", after="a").name == "d"
    desk.ask(RecordResult("d", RESULT, 6.0))
    people = desk.open("f", after="d")  # a spectator wants another game
    assert people.demo
    assert demo("g") == people
    desk.ask(CloseRoom("f", 7.0))
    assert demo("g").name == "g"
    restored = Desk(Register.restore(desk.register.state()))
    for one in (desk, restored):
        one.ask(RemoveRoom("g", 8.0))
        assert one.ask(msgspec.structs.replace(opening("h"), demo=True)).name == "h"


def test_a_successor_of_a_room_that_is_gone_is_refused(desk: Desk) -> None:
    with pytest.raises(NoSuchRoom):
        desk.open("b", after="a")
    desk.open("a")
    desk.ask(RemoveRoom("a", 2.0))
    with pytest.raises(RoomRemoved):
        desk.open("b", after="a")


def test_the_list_has_public_rooms_that_can_be_entered_newest_first(desk: Desk) -> None:
    for number, name in enumerate("abcdef"):
        desk.open(name, at=10.0 - number, public=name != "b")  # the clock is set back meanwhile
    desk.ask(RecordResult("c", RESULT, 2.0))
    desk.ask(CloseRoom("d", 3.0))
    desk.ask(MarkBroken("e", 3.0))
    assert desk.listed() == ["f", "c", "a"]
    assert desk.listed(most=2) == ["f", "c"]
    assert desk.listed(most=2, after="c") == ["a"]
    assert desk.listed(after="e") == ["c", "a"]  # "e" itself is not in the answer
    assert desk.listed(most=0) == desk.listed(most=-1) == []
    assert desk.listed(hidden=True) == list("fedcba")
    assert desk.listed(hidden=True, most=2, after="e") == ["d", "c"]
    with pytest.raises(NoSuchRoom):
        desk.listed(after="z")


def test_rooms_that_ended_earlier_are_removed_and_earlier_removals_are_forgotten(desk: Desk) -> None:
    for name in "abcd":
        desk.open(name)
    desk.ask(CloseRoom("b", 30.0))
    desk.ask(RecordResult("a", RESULT, 20.0))
    desk.ask(CloseRoom("c", 40.0))
    assert desk.ask(ForgetRooms(before=40.0, at=50.0)) == ("a", "b")
    assert desk.events == [Removed("a"), Removed("b")]
    assert desk.ask(RemovedRooms()) == ("a", "b")
    assert desk.ask(ForgetRooms(before=40.0, at=60.0)) == ()
    with pytest.raises(RoomRemoved):
        desk.ask(FindRoom("a"))
    assert desk.ask(ForgetRooms(before=51.0, at=80.0)) == ("c",)
    with pytest.raises(NoSuchRoom):
        desk.ask(FindRoom("a"))
    with pytest.raises(RoomRemoved):
        desk.ask(FindRoom("c"))


def test_open_rooms_without_a_recent_visit_are_removed(desk: Desk) -> None:
    for number, name in enumerate("abcde"):
        desk.open(name, at=10.0 + number)
    for name, at in (("a", 40.0), ("b", 30.0), ("c", 5.0), ("e", 20.0)):
        desk.ask(VisitRoom(name, at))
        assert desk.events == []
    desk.ask(RecordResult("e", RESULT, 50.0))
    desk.ask(VisitRoom("e", 60.0))
    assert [desk.ask(FindRoom(name)).visited for name in "abcde"] == [40.0, 30.0, None, None, 20.0]
    assert desk.ask(FindRoom("a")).changes == 0
    twin = Desk(desk.register.restore(desk.register.state()))
    for asked in (desk, twin):
        assert asked.ask(ForgetRooms(before=50.0, at=50.0)) == ()
        assert asked.ask(ForgetRooms(before=50.0, at=50.0, unvisited_before=12.0)) == ()
        assert asked.ask(ForgetRooms(before=50.0, at=50.0, unvisited_before=40.0)) == ("c", "d", "b")
        assert asked.events == [Removed("c"), Removed("d"), Removed("b")]
        assert asked.ask(ForgetRooms(before=51.0, at=70.0, unvisited_before=41.0)) == ("e", "a")
    assert twin.register.state() == desk.register.state()


def test_unentered_and_unused_rooms_are_found_the_oldest_first(desk: Desk) -> None:
    for number, name in enumerate("abcde"):
        desk.open(name, at=10.0 + number)
    desk.ask(VisitRoom("a", 30.0))
    desk.ask(RecordResult("c", RESULT, 20.0))
    desk.ask(RemoveRoom("d", 25.0))
    version = desk.register.version
    twin = Desk(desk.register.restore(desk.register.state()))
    for asked in (desk, twin, desk):  # a query does not change the answers of later queries
        assert asked.ask(UnenteredRooms(before=14.0, most=5)) == ("b",)
        assert asked.ask(UnenteredRooms(before=15.0, most=5)) == ("b", "e")
        assert asked.ask(UnenteredRooms(before=15.0, most=1)) == ("b",)
        assert asked.ask(IdleRooms(before=31.0, most=5)) == ("b", "e", "a")
        assert asked.ask(IdleRooms(before=30.0, most=1)) == ("b",)
        assert asked.register.version == version


def test_rooms_that_are_not_open_are_found_by_their_ends(desk: Desk) -> None:
    for name in "abcd":
        desk.open(name)
    desk.ask(CloseRoom("c", 20.0))
    desk.ask(RecordResult("d", RESULT, 21.0))
    desk.ask(MarkBroken("a", 22.0))
    twin = Desk(desk.register.restore(desk.register.state()))
    for asked in (desk, twin, desk):
        assert asked.ask(EndedRooms(most=5)) == ("c", "d", "a")
        assert asked.ask(EndedRooms(most=2)) == ("c", "d")


def test_of_too_many_removed_names_the_first_is_forgotten(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scramble.rooms.register.MOST_REMOVED", 2)
    for name in "abc":
        desk.open(name)
    for name, at in (("b", 1.0), ("a", 2.0), ("c", 3.0)):
        desk.ask(RemoveRoom(name, at))
    assert sorted(desk.ask(RemovedRooms())) == ["a", "c"]
    desk.open("b")
    desk.ask(CloseRoom("b", 1.0))
    assert desk.ask(ForgetRooms(before=2.0, at=4.0)) == ("b",)
    assert sorted(desk.ask(RemovedRooms())) == ["b", "c"]


def test_a_name_that_was_used_again_does_not_inherit_the_end_of_the_first_room(desk: Desk) -> None:
    desk.open("a")
    desk.ask(CloseRoom("a", 10.0))
    desk.ask(RemoveRoom("a", 5.0))
    assert desk.ask(ForgetRooms(before=6.0, at=20.0)) == ()
    desk.open("a")
    assert desk.ask(ForgetRooms(before=100.0, at=100.0)) == ()
    assert desk.ask(FindRoom("a")).state == "open"


def test_rooms_are_counted_by_state(desk: Desk) -> None:
    for name in "abcde":
        desk.open(name)
    desk.ask(RecordResult("a", RESULT, 2.0))
    desk.ask(CloseRoom("b", 2.0))
    desk.ask(MarkBroken("c", 2.0))
    desk.ask(RemoveRoom("d", 2.0))
    assert desk.ask(CountRooms()) == RoomCounts(open=1, ended=1, closed=1, broken=1, removed=1, bytes=4 * 14)


@pytest.mark.parametrize(
    "command",
    [
        RenameRoom("a", "x"),
        ExpelClient("a", "x"),
        CloseRoom("a", 1.0),
        RecordResult("a", RESULT, 1.0),
        MarkBroken("a", 1.0),
        RemoveRoom("a", 1.0),
        VisitRoom("a", 1.0),
        FindRoom("a"),
    ],
)
def test_every_command_refuses_an_unknown_room(desk: Desk, command: Command[object]) -> None:
    for error in (NoSuchRoom, RoomRemoved):
        before = desk.register.state()
        with pytest.raises(Refusal) as refused:
            desk.ask(command)
        assert type(refused.value) is error
        assert desk.register.state() == before
        if error is NoSuchRoom:
            desk.open("a")
            desk.ask(RemoveRoom("a", 1.0))


def test_a_restored_register_is_the_same_one(desk: Desk) -> None:
    for name in "abc":
        desk.open(name)
    desk.ask(CloseRoom("b", 5.0))
    desk.ask(RemoveRoom("a", 6.0))
    desk.open("d", after="b")
    twin = Desk(desk.register.restore(desk.register.state()))
    assert twin.register.state() == desk.register.state()
    for asked in (desk, twin):
        assert asked.listed(hidden=True) == ["d", "c", "b"]
        assert asked.listed() == ["d", "c"]
        assert asked.ask(ForgetRooms(before=7.0, at=8.0)) == ("b",)
        assert asked.ask(RemovedRooms()) == ("b",)
    assert twin.register.state() == desk.register.state()


@pytest.mark.parametrize(
    "state",
    [
        b"{}",
        b"[]",
        b'{"next_number":1,"version":0,"rooms":[[1,{}]],"removed":[]}',
        b'{"next_number":1,"version":0,"rooms":[],"removed":[],"more":1}',
    ],
)
def test_an_invalid_state_of_a_register_is_refused(state: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        Register.restore(state)


def test_a_state_whose_rooms_do_not_fit_together_is_refused(desk: Desk) -> None:
    for name in "ab":
        desk.open(name)
    state = desk.register.state()
    for wrong in (
        state.replace(b'"next_number":3', b'"next_number":2'),
        state.replace(b'"name":"b"', b'"name":"a"'),
        state.replace(b'"removed":[]', b'"removed":[["a",1.0]]'),
    ):
        assert wrong != state
        with pytest.raises(ValueError, match="register"):
            Register.restore(wrong)


def test_the_text_of_a_register_counts_its_rooms(desk: Desk) -> None:
    desk.open("a")
    assert str(desk.register) == "1 rooms: 1 open, 0 ended, 0 closed, 0 broken; 0 removed"
