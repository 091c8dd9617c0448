"""Faults and ends of one room while other rooms continue: damage, death, close and removal during a visit, old age.

Partitions:
- a room: is being opened; is awake; is falling asleep; is asleep
- its file: sound; damaged; of a removed room; of an unknown room
- visitors: inside; waiting to enter; no visitor; a visitor who wakes the room; a visitor who may not wake it
- its game ends: by a bug; by its host; by itself just before the process dies
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
import trio
import trio.testing

from scramble.errors import DiskFull, GameClosed, GameStopped, InvalidCommand
from scramble.games.room import OpenedRoom, RoomClocks, RoomSetup
from scramble.journal import Journal, Recorder
from scramble.kernel.protocol import Command, Outcome, Refused, Ticket
from scramble.logs import LogEntry
from scramble.minesweeper import Field, open_game
from scramble.minesweeper.messages import Dig, Flag, Look
from scramble.rooms import LocalRooms, RoomLimits, open_rooms
from scramble.rooms.disk_quota import REGISTER_ROOM
from scramble.rooms.protocol import NoSuchRoom, Room, RoomAsleep, RoomClosed, RoomDamaged, RoomOrder, RoomRemoved
from scramble.rooms.register import Register
from scramble.rooms.registermessages import RecordResult, Removed
from tests.support.rooms.kinds import DIGGING

DAY_S = 86400.0
STEPS = 20  # the server ends after 0 to 19 checkpoints: before, at, or after the bug


class Clock:
    """A time of day that the test sets."""

    def __init__(self) -> None:
        self.now = 1.7e9

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def opened(folder: Path, clock: Clock | None = None, sleep_after: float = 0) -> AsyncIterator[LocalRooms]:
    limits = RoomLimits(awake=10)
    async with open_rooms(
        folder, kinds=DIGGING, limits=limits, sleep_after=sleep_after, now=clock or Clock(), keep_s=30 * DAY_S
    ) as rooms:
        yield rooms


async def asleep(rooms: LocalRooms, name: str) -> None:
    """Wait until the room is empty and asleep."""
    async for moved in rooms.movements():
        if name in moved and name not in [room.record.name for room in rooms.awake()]:
            return


def logged(caplog: pytest.LogCaptureFixture, event: str) -> list[LogEntry]:
    entries = [record.msg for record in caplog.records]
    return [entry for entry in entries if isinstance(entry, LogEntry) and entry.event == event]


async def test_a_damaged_file_is_reported_by_its_room_and_no_other_and_can_be_repaired(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(tmp_path) as rooms:
        name, other = [(await rooms.create("digging", {})).name for _ in range(2)]
        async with rooms.enter(name) as room:
            await room.game.ask(Flag(0, 0))
        await asleep(rooms, name)
        file = rooms.folder.journal(name)
        sound = file.read_bytes()
        file.write_bytes(b"damage" + sound[6:])
        for _ in range(4):
            with pytest.raises(RoomDamaged, match="the log of the server says why") as damaged:
                async with rooms.enter(name):
                    pass
            assert str(tmp_path) not in str(damaged.value)
        async with rooms.enter(other) as room:
            await room.game.ask(Look())
        assert [entry.fields["room"] for entry in logged(caplog, "room-damaged")] == [name] * 4
        assert str(file) in str(logged(caplog, "room-damaged")[0].fields["reason"])
        file.write_bytes(sound)
        async with rooms.enter(name) as room:
            assert "F" in (await room.game.ask(Look())).text


async def test_a_visitor_who_may_not_wake_a_room_finds_it_asleep_and_learns_when_it_falls_asleep(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as rooms:
        name = (await rooms.create("digging", {})).name
        with pytest.raises(RoomAsleep):
            async with rooms.enter(name, wake=False):
                pass
        async with rooms.enter(name) as room, rooms.enter(name, wake=False) as bot:
            assert bot is room
        async with rooms.enter(name) as first:
            inside = rooms.enter(name, wake=False)
            bot = await inside.__aenter__()
        with pytest.raises(GameClosed):
            await bot.next_record(bot.record)
        with pytest.raises(GameClosed):
            while True:
                await bot.game.ask(Look())
        await inside.__aexit__(None, None, None)
        assert first is bot


async def test_visitors_who_come_while_a_room_falls_asleep_wake_it_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as rooms:
        name = (await rooms.create("digging", {})).name
        games: set[int] = set()
        for x in range(3):
            for y in range(4):
                async with rooms.enter(name) as room:
                    await room.game.ask(Flag(x, y))
                    games.add(id(room.game))
        async with rooms.enter(name) as room:
            assert (await room.game.ask(Look())).text.count("F") == 12


async def test_a_visitor_who_leaves_while_the_room_wakes_leaves_nothing_behind(tmp_path: Path) -> None:
    async with opened(tmp_path) as rooms:
        name = (await rooms.create("digging", {})).name
        async with trio.open_nursery() as nursery:

            async def visit() -> None:
                async with rooms.enter(name):
                    await trio.sleep_forever()

            nursery.start_soon(visit)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        async with rooms.enter(name) as room:
            assert (await room.game.ask(Look())).text.count("F") == 0


async def test_a_room_that_is_closed_or_removed_while_it_wakes_lets_nobody_in(tmp_path: Path) -> None:
    async with opened(tmp_path) as rooms:
        for end, refusals in ((rooms.close, (RoomClosed, GameClosed)), (rooms.remove, (RoomRemoved, GameClosed))):
            name = (await rooms.create("digging", {})).name
            outcomes: list[type[Exception] | None] = []

            async def visit(name: str = name, outcomes: list[type[Exception] | None] = outcomes) -> None:
                try:
                    async with rooms.enter(name) as room:
                        while True:
                            await room.game.ask(Look())
                except (RoomClosed, RoomRemoved, GameStopped) as error:
                    outcomes.append(type(error))

            async with trio.open_nursery() as nursery:
                for _ in range(3):
                    nursery.start_soon(visit)
                nursery.start_soon(end, name)
            assert len(outcomes) == 3
            assert set(outcomes) <= set(refusals)


async def test_the_result_of_a_game_that_ended_before_its_process_died_is_recorded_at_waking(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as rooms:
        name = (await rooms.create("digging", {})).name
    bombs = [(3, y) for y in range(4)]
    async with open_game(Field(4, 4, bombs), journal=Journal(tmp_path / "rooms" / f"{name}.db")) as game:
        await game.dig(0, 0)
    async with opened(tmp_path) as rooms:
        assert (await rooms.find(name)).state == "open"
        changes = rooms.changes()
        async with rooms.enter(name):
            await anext(changes)
            ended = await rooms.find(name)
            assert (ended.state, ended.result and ended.result.winners) == ("ended", ("digger",))


class FullRegister(Register):
    """A register that refuses the first results, as on a full disk."""

    refusals = 3
    first_at = 0.0  # the time of the first result

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        if isinstance(command, RecordResult) and FullRegister.refusals:
            FullRegister.refusals -= 1
            FullRegister.first_at = FullRegister.first_at or command.at
            return (Refused(ticket, DiskFull("the planted full disk")),)
        return super().apply(ticket, command)


async def test_a_result_that_the_register_refuses_is_recorded_later_with_the_time_of_the_end(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("scramble.rooms.local.Register", FullRegister)
    monkeypatch.setattr("scramble.rooms.supervision.RESULT_AGAIN_S", 0.0)
    monkeypatch.setattr(FullRegister, "first_at", 0.0)
    async with open_rooms(kinds=DIGGING) as rooms:
        name = (await rooms.create("digging", {})).name
        async with rooms.enter(name) as room:
            await room.game.ask(Dig(0, 0))
            ended = await room.next_record(room.record)
            assert (ended.state, ended.result and ended.result.winners) == ("ended", ("digger",))
            assert (ended.ended, FullRegister.refusals) == (FullRegister.first_at, 0)
        assert [entry.fields["room"] for entry in logged(caplog, "result-not-recorded")] == [name]


async def test_an_unrecorded_result_does_not_prevent_the_removal_of_the_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scramble.rooms.local.Register", FullRegister)
    monkeypatch.setattr(FullRegister, "refusals", 10**9)
    monkeypatch.setattr(FullRegister, "first_at", 0.0)
    async with open_rooms(kinds=DIGGING) as rooms:
        name = (await rooms.create("digging", {})).name
        async with rooms.enter(name) as room:
            await room.game.ask(Dig(0, 0))
            await trio.testing.wait_all_tasks_blocked()
            await rooms.remove(name)
        with pytest.raises(RoomRemoved):
            await rooms.find(name)


async def test_a_room_whose_game_has_died_leaves_nothing_in_memory(tmp_path: Path) -> None:
    async with opened(tmp_path) as rooms:
        name = (await rooms.create("faulty", {})).name
        async with rooms.enter(name) as room:
            with pytest.raises(GameStopped):
                await room.game.ask(Dig(0, 0))
        await asleep(rooms, name)
        assert list(rooms.space._sizes) == [REGISTER_ROOM]


async def test_rooms_are_removed_with_their_files_when_they_ended_long_ago(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path, clock) as rooms:
        name, other = [(await rooms.create("digging", {})).name for _ in range(2)]
        for visited in (name, other):
            async with rooms.enter(visited) as room:
                await room.game.ask(Flag(0, 0))
        await rooms.close(name)
    unknown = tmp_path / "rooms" / "acorn-acorn-acorn-acorn.db"
    unknown.touch()
    clock.now += 15 * DAY_S
    async with opened(tmp_path, clock) as rooms, rooms.enter(other):
        pass
    clock.now += 16 * DAY_S
    async with opened(tmp_path, clock) as rooms:
        async for change in rooms.changes():
            assert [event.room for event in change.events] == [name]  # type: ignore[attr-defined]
            break
        with pytest.raises(RoomRemoved):
            await rooms.find(name)
    clock.now += 14 * DAY_S
    async with opened(tmp_path, clock) as rooms:  # deletes the files that the last server did not delete
        assert await rooms.list(hidden=True) == (await rooms.find(other),)
        await rooms.remove(other)
    assert [path.name for path in (tmp_path / "rooms").iterdir()] == [unknown.name]


async def test_an_unvisited_room_is_removed_though_its_game_has_not_ended(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path, clock) as rooms:
        never, once, again = [(await rooms.create("digging", {})).name for _ in range(3)]
        async with rooms.enter(once) as room:
            await room.game.ask(Flag(0, 0))
        await asleep(rooms, once)
        clock.now += 20 * DAY_S
        async with rooms.enter(again) as room:
            await trio.testing.wait_all_tasks_blocked()  # another task records the visit
            first = (await rooms.find(again)).visited
            clock.now += 3599
        await asleep(rooms, again)
        async with rooms.enter(again):
            assert (await rooms.find(again)).visited == first == clock.now - 3599, "each visit is written"
    clock.now += 20 * DAY_S
    async with opened(tmp_path, clock) as rooms:
        removed = [event async for event in _removed(rooms, 2)]
        assert removed == [never, once]
        assert (await rooms.find(again)).state == "open"
    clock.now += 12 * DAY_S
    async with opened(tmp_path, clock) as rooms:
        assert [event async for event in _removed(rooms, 1)] == [again]


async def _removed(rooms: LocalRooms, number: int) -> AsyncIterator[str]:
    """Yield the names of the next removed rooms, up to `number`."""
    async for change in rooms.changes():
        for event in change.events:
            if isinstance(event, Removed):
                yield event.room
                number -= 1
        if not number:
            return


async def test_a_room_with_a_visitor_for_weeks_is_not_removed(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    clock = Clock()
    async with opened(tmp_path, clock) as rooms:
        left, kept = [(await rooms.create("digging", {})).name for _ in range(2)]
        async with rooms.enter(kept) as room:
            removed = _removed(rooms, 1)
            clock.now += 40 * DAY_S
            assert [name async for name in removed] == [left]  # removed by the next sweep, within an hour
            await room.game.ask(Flag(0, 0))
            visited = clock.now
            clock.now += 2 * DAY_S
        await asleep(rooms, kept)
        assert (await rooms.find(kept)).visited == visited + 2 * DAY_S


async def test_a_bug_ends_the_games_background_tasks_and_waiting_callers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(tmp_path) as rooms:
        name = (await rooms.create("faulty", {})).name
        ended = trio.Event()

        async def beside() -> None:
            try:
                await trio.sleep_forever()
            finally:
                ended.set()

        async with rooms.enter(name) as room:
            room.start_soon(beside)
            with pytest.raises(GameStopped):
                await room.game.ask(Dig(0, 0))
            with pytest.raises(GameStopped):
                await room.next_record(room.record)
            await ended.wait()
        async with rooms.enter(name) as again:
            assert again is not room
            assert (await again.game.ask(Look())).text
        (died,) = [record for record in caplog.records if getattr(record.msg, "event", "") == "room-died"]
        assert died.levelno == logging.ERROR
        assert died.exc_info is not None
        assert [figure.value for figure in rooms.figures() if figure.name == "rooms_died"] == [1]


async def test_an_attached_object_is_made_once_while_the_room_is_awake(tmp_path: Path) -> None:
    made: list[Room] = []

    def make(room: Room) -> int:
        made.append(room)
        return len(made)

    async with opened(tmp_path) as rooms:
        name = (await rooms.create("digging", {})).name
        async with rooms.enter(name) as room, rooms.enter(name) as same:
            assert (room.attached(make), same.attached(make)) == (1, 1)
        await asleep(rooms, name)
        async with rooms.enter(name) as later:
            assert later.attached(make) == 2
        assert made == [room, later]


@pytest.mark.parametrize("title", ["x" * 61, "a\u202eb", "a\u200bb", "bell\a", "half \ud800"])
async def test_an_unreadable_title_is_refused(tmp_path: Path, title: str) -> None:
    async with opened(tmp_path) as rooms:
        with pytest.raises(InvalidCommand, match="a title has"):
            await rooms.create("digging", {}, RoomOrder(title=title))
        record = await rooms.create("digging", {}, RoomOrder(title="  Cafe\u0301  👨\u200d👩\u200d👧 "))
        assert record.title == "Café 👨\u200d👩\u200d👧"
        with pytest.raises(InvalidCommand):
            await rooms.rename(record.name, title)
        await rooms.rename(record.name, "Monday")
        assert (await rooms.find(record.name)).title == "Monday"


async def test_an_unknown_game_and_an_unknown_room_are_refused_with_a_reason(tmp_path: Path) -> None:
    async with opened(tmp_path) as rooms:
        with pytest.raises(InvalidCommand, match="there is no game 'chess', but digging, faulty"):
            await rooms.create("chess", {})
        for wake in (True, False):
            with pytest.raises(NoSuchRoom):
                async with rooms.enter("acorn-acorn-acorn-acorn", wake=wake):
                    pass


async def test_sleeping_rooms_have_no_task_and_an_awake_room_has_some(tmp_path: Path) -> None:
    async with opened(tmp_path) as rooms:
        names = [(await rooms.create("digging", {})).name for _ in range(2)]
        await trio.testing.wait_all_tasks_blocked()
        before = tasks()
        names += [(await rooms.create("digging", {})).name for _ in range(50)]
        assert tasks() == before
        async with rooms.enter(names[0]):
            assert tasks() > before
        await asleep(rooms, names[0])
        await trio.testing.wait_all_tasks_blocked()
        assert tasks() == before


def tasks() -> int:
    return trio.lowlevel.current_statistics().tasks_living


async def test_a_room_that_is_removed_as_its_game_dies_for_the_last_time_ends_no_other(tmp_path: Path) -> None:
    async with opened(tmp_path) as rooms:
        name, other = (await rooms.create("faulty", {})).name, (await rooms.create("digging", {})).name
        async with rooms.enter(other) as bystander:
            for _ in range(2):
                async with rooms.enter(name) as room:
                    with pytest.raises(GameStopped):
                        await room.game.ask(Dig(0, 0))
                await asleep(rooms, name)
            async with rooms.enter(name) as room, trio.open_nursery() as nursery:
                nursery.start_soon(rooms.remove, name)
                with pytest.raises(GameStopped):
                    await room.game.ask(Dig(0, 0))
            with pytest.raises(RoomRemoved):
                await rooms.find(name)
            await bystander.game.ask(Look())


async def test_a_file_that_cannot_be_deleted_is_logged_and_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):  # the next start tries again
        async with opened(tmp_path) as rooms:
            name = (await rooms.create("digging", {})).name
            rooms.folder.journal(name).mkdir()
            await rooms.remove(name)
            other = await rooms.create("digging", {})
            async with rooms.enter(other.name) as room:
                await room.game.ask(Look())
    assert {entry.fields["room"] for entry in logged(caplog, "room-not-deleted")} >= {name}
    assert len(logged(caplog, "room-not-deleted")) >= 3  # the failed deletion of the first file is logged twice


async def test_a_game_that_is_over_just_as_its_room_is_removed_has_not_died(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(tmp_path) as rooms:
        for _ in range(5):
            name = (await rooms.create("digging", {})).name
            async with rooms.enter(name) as room, trio.open_nursery() as nursery:
                nursery.start_soon(dig_or_be_late, room)
                nursery.start_soon(rooms.remove, name)
    assert not logged(caplog, "room-died")


async def dig_or_be_late(room: Room) -> None:
    with suppress(GameStopped):
        await room.game.ask(Dig(0, 0))


async def test_rooms_that_are_being_opened_do_not_delay_the_end(tmp_path: Path) -> None:
    opening = trio.Event()

    @asynccontextmanager
    async def open_for_ever(journal: Recorder | None, clocks: RoomClocks) -> AsyncIterator[OpenedRoom]:
        opening.set()
        await trio.Event().wait()
        async with DIGGING["digging"].set_up({"size": 4}).open(journal, clocks) as opened:
            yield opened

    slow = replace(DIGGING["digging"], name="slow", set_up=lambda _: RoomSetup(open_for_ever))
    async with trio.open_nursery() as nursery, open_rooms(tmp_path, kinds={"slow": slow}) as rooms:
        name = (await rooms.create("slow", {})).name

        async def visit() -> None:
            with pytest.raises(GameStopped, match="the server is closing"):
                async with rooms.enter(name):
                    pass

        nursery.start_soon(visit)
        await opening.wait()


async def test_a_bug_in_a_game_while_the_server_ends_is_logged_and_ends_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def dig(room: Room) -> None:
        with suppress(GameStopped):
            await room.game.ask(Dig(0, 0))

    for steps in range(STEPS):
        with trio.CancelScope() as scope:
            async with opened(tmp_path) as rooms:
                record = await rooms.create("faulty", {})
                async with rooms.enter(record.name) as room, trio.open_nursery() as nursery:
                    nursery.start_soon(dig, room)
                    for _ in range(steps):
                        await trio.lowlevel.checkpoint()
                    scope.cancel()
    assert logged(caplog, "room-died")
