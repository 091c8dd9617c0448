"""The daily challenges: the rules of the register, and rooms whose clock the test moves.

Partitions:
- days: the first; today; before the kept days; a third day, which replaces the first
- attempts: new; in an open room; in an ended room; in a removed room, before and after the first move; too many
- results: more points; equal points and less time; without a first move; of a forgotten day; a display name
- clients: with an entry among the best; below the best; without an attempt
- a register of an older version; an encoded and restored register
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar, cast

import msgspec
import pytest

from scramble.errors import InvalidCommand
from scramble.games.room import GameResult
from scramble.games.table import game_kinds
from scramble.kernel.protocol import Answered, Command, Refused, Ticket
from scramble.memory.messages import Flip
from scramble.rooms import days as days_of
from scramble.rooms.days import MOST_ATTEMPTS, AttemptGone, AttemptsFull, DayOver, number_of
from scramble.rooms.local import LocalRooms, open_rooms
from scramble.rooms.protocol import DailyTable, RoomRecord
from scramble.rooms.register import Register
from scramble.rooms.registermessages import (
    BeginDay,
    DailyTables,
    OpenRoom,
    RecordResult,
    RecordStart,
    RemoveRoom,
)
from tests.support.revisions import applied
from tests.support.rooms.daily import in_pairs

R = TypeVar("R")

MONDAY, TUESDAY, WEDNESDAY = "2026-11-30", "2026-12-01", "2026-12-02"


class Days:
    """A register with `MONDAY`, where each attempt is in a room of the name of its host."""

    def __init__(self) -> None:
        self.register = Register()
        self.ask(BeginDay(MONDAY, 7))

    def ask(self, command: Command[R]) -> R:
        *_, last = applied(self.register, Ticket(0), cast(Command[object], command))
        if isinstance(last, Refused):
            raise last.error
        return cast(R, cast(Answered, last).value)

    def attempt(self, host: str, *, day: str = MONDAY, room: str = "", kind: str = "memory") -> RoomRecord:
        raw = msgspec.Raw(b"{}")
        return self.ask(OpenRoom(room or host, kind, "", raw, 0.0, 10_000, 10_000_000, host=host, daily=day))

    def end(self, room: str, *, started: float | None = 10.0, at: float, points: int = 10, called: str = "") -> None:
        if started is not None:
            self.ask(RecordStart(room, started))
        self.ask(RecordResult(room, GameResult({room: points}), at, called))

    def table(self, host: str = "", *, most: int = 10) -> DailyTable:
        return self.ask(DailyTables(host, most))[0]


@pytest.fixture
def days() -> Days:
    return Days()


def test_the_first_seed_of_a_day_stays(days: Days) -> None:
    version = days.register.version
    assert days.ask(BeginDay(MONDAY, 8)) == 7
    assert days.register.version == version
    assert days.ask(BeginDay(TUESDAY, 9)) == 9


def test_two_days_are_kept_and_an_earlier_day_does_not_come_back(days: Days) -> None:
    days.attempt("ann")
    days.ask(BeginDay(TUESDAY, 8))
    days.attempt("ann", day=TUESDAY, room="b")
    assert [table.day for table in days.ask(DailyTables("", 1))] == [TUESDAY, MONDAY]
    days.ask(BeginDay(WEDNESDAY, 9))
    days.end("ann", at=30.0)  # its day is forgotten
    assert [table.day for table in days.ask(DailyTables("", 1))] == [TUESDAY]
    with pytest.raises(DayOver):
        days.ask(BeginDay(MONDAY, 7))
    with pytest.raises(DayOver):
        days.attempt("bob")


def test_a_client_has_one_attempt_for_each_day_and_game(days: Days) -> None:
    first = days.attempt("ann")
    assert days.attempt("ann", room="another") == first
    days.end("ann", at=30.0)
    assert days.attempt("ann", room="another").state == "ended"
    assert days.attempt("ann", room="mines", kind="minesweeper").name == "mines"
    assert days.attempt("bob").name == "bob"


def test_a_removed_attempt_is_made_again_only_before_its_first_move(days: Days) -> None:
    days.attempt("ann")
    days.ask(RemoveRoom("ann", 1.0))
    assert days.attempt("ann", room="again").name == "again"
    days.ask(RecordStart("again", 2.0))
    days.ask(RemoveRoom("again", 3.0))
    with pytest.raises(AttemptGone):
        days.attempt("ann", room="third")


def test_a_day_has_a_limit_of_attempts() -> None:
    table = days_of.Days()
    table.begin(MONDAY, 7)
    for number in range(MOST_ATTEMPTS):
        table.enrol(MONDAY, "memory", f"c{number}", f"room {number}")
    with pytest.raises(AttemptsFull, match="2000 people"):
        table.attempt(MONDAY, "memory", "ann")
    assert table.attempt(MONDAY, "memory", "c0") == "room 0"


def test_more_points_come_first_then_less_time(days: Days) -> None:
    for host in ("ann", "bob", "carl", "dora"):
        days.attempt(host)
    days.end("ann", at=40.0)
    days.end("bob", at=30.0, called="Bóbby")
    days.end("carl", at=20.0, points=9)
    days.end("dora", started=None, at=35.5)
    table = days.table("carl", most=2)
    assert [(entry.name, entry.points, entry.seconds) for entry in table.entries] == [
        ("Bóbby", 10, 20.0),
        ("ann", 10, 30.0),
    ]
    assert (table.attempts, table.room, table.place) == (4, "carl", 4)
    assert table.entry is not None
    assert table.entry.name == "carl"
    assert days.table("dora").place == 3  # without a first move the time counts from the opening


def test_a_first_move_is_recorded_once_and_a_crossword_counts_its_own_seconds(days: Days) -> None:
    days.attempt("ann", kind="crossword")
    days.ask(RecordStart("ann", 10.0))
    days.ask(RecordStart("ann", 20.0))
    figures = {"seconds": 77, "mistakes": 1}
    days.ask(RecordResult("ann", GameResult({"ann": 5}, ("ann",), {"ann": figures}), 30.0))
    entry = days.table("ann").entry
    assert entry is not None
    assert (entry.seconds, entry.figures) == (77.0, figures)
    assert days.attempt("ann", kind="crossword").started == 10.0


def test_an_attempt_that_was_given_up_has_an_entry_without_figures(days: Days) -> None:
    days.attempt("ann", kind="crossword")
    days.ask(RecordResult("ann", GameResult({"ann": 0}, (), {"ann": {"seconds": 3, "mistakes": 0}}), 30.0))
    entry = days.table("ann").entry
    assert entry is not None
    assert (entry.points, entry.seconds, entry.figures) == (0, 3.0, {})


def test_a_register_without_days_has_the_state_of_older_versions() -> None:
    state = Register().state()
    assert b"days" not in state
    assert Register.restore(state).state() == state


def test_days_are_restored(days: Days) -> None:
    days.attempt("ann")
    days.end("ann", at=30.0)
    days.attempt("bob")
    restored = Register.restore(days.register.state())
    assert restored.state() == days.register.state()
    before, days.register = days.table("bob"), restored
    assert days.table("bob") == before
    assert days.attempt("bob", room="another").name == "bob"


def test_the_numbers_of_days_follow_each_other() -> None:
    assert [number_of(day) for day in ("2026-01-01", MONDAY, TUESDAY, "2027-01-01")] == [1, 334, 335, 366]


# --- rooms ---


class Clock:
    now = 1_796_000_000.0  # 2026-11-30 00:53:20

    def __call__(self) -> float:
        return self.now


async def settings_of(rooms: LocalRooms, kind: str, host: str) -> Mapping[str, object]:
    return await rooms.settings(await rooms.open_daily(kind, rooms.today(), host))


@pytest.mark.parametrize("kind", ["memory", "minesweeper", "crossword"])
async def test_all_clients_get_the_same_game_and_the_next_day_has_another(kind: str) -> None:
    clock = Clock()
    async with open_rooms(now=clock) as rooms:
        today = await settings_of(rooms, kind, "ann")
        assert await settings_of(rooms, kind, "bob") == today
        clock.now += 86_400
        assert await settings_of(rooms, kind, "ann") != today


async def test_a_field_of_the_day_needs_no_guess_and_a_crossword_is_for_one_player() -> None:
    async with open_rooms() as rooms:
        assert (await settings_of(rooms, "minesweeper", "ann"))["no_guessing"] is True
        assert (await settings_of(rooms, "crossword", "ann"))["alone"] is True


async def test_a_game_without_a_challenge_is_refused_in_words() -> None:
    kinds = {"memory": game_kinds()["memory"]}
    async with open_rooms(kinds=kinds) as rooms:
        with pytest.raises(InvalidCommand, match="no daily challenge of 'chess'"):
            await rooms.open_daily("chess", rooms.today(), "ann")


async def test_the_time_of_an_attempt_runs_from_the_first_move_to_the_end() -> None:
    clock = Clock()
    async with open_rooms(now=clock) as rooms:
        record = await rooms.open_daily("memory", rooms.today(), "ann")
        settings = await rooms.settings(record)
        clock.now += 50  # the page loads
        async with rooms.enter(record.name) as room:
            first, *others = in_pairs(settings)
            await room.game.ask(Flip("ann", *first))
            while room.record.started is None:
                await room.next_record(room.record)
            clock.now += 12
            for card in others:
                await room.game.ask(Flip("ann", *card))
            while room.record.state == "open":
                await room.next_record(room.record)
        (table,) = await rooms.daily_tables("ann", 10)
    assert [(entry.name, entry.points, entry.seconds) for entry in table.entries] == [("ann", 10, 12.0)]
