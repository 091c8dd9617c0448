"""Bots in rooms, most of them on an autojump clock.

Strategy:
- begin: nobody there; a watcher; a player; with open names without a connection
- pause: the player leaves, comes back, the room sleeps and wakes, the process ends and starts
- numbers: more bots than a room may have; more than the server may have
- seats: nobody else can take the bot's; the bot takes another one if a person has its name; the same after a restart
- disk: full for minutes, and free again, twice
- end: the game is over; a bug in a bot, which neither its room nor another bot notices
"""

from __future__ import annotations

import gc
import logging
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from scramble import crossword, memory, minesweeper
from scramble.kernel.seats import ClaimSeat, SeatTaken, hash_of
from scramble.memory.messages import Snapshot
from scramble.rooms.bothosts import BotLimits, hosted_bots
from scramble.rooms.local import LocalRooms, RoomLimits, open_rooms
from scramble.rooms.protocol import BotSetting, Company, Room

EASY = BotSetting("easy")


@asynccontextmanager
async def rooms_with_bots(folder: Path, limits: BotLimits | None = None) -> AsyncIterator[LocalRooms]:
    async with open_rooms(folder) as rooms, hosted_bots(rooms, folder, limits=limits):
        yield rooms


async def table_of(room: Room) -> Snapshot:
    """What lies on the table of a room of Memory Scramble."""
    assert isinstance(room.game, memory.Game)
    return await room.game.snapshot()


async def players_of(room: Room, number: int, *, version: int = 0) -> set[str]:
    """Who has flipped a card, once so many have, and the table has had so many changes."""
    assert isinstance(room.game, memory.Game)
    table, changes = await room.game.follow()
    players = set(table.scores)
    while len(players) < number or table.version < version:
        await anext(changes)
        table = await table_of(room)
        players = set(table.scores)
    return players


async def let_time_pass(room: Room) -> None:
    """Wait for minutes, and each time until the journal, which has no clock, is written: a bot makes many moves."""
    for _ in range(50):
        await trio.sleep(5)
        await room.game.ping()


async def test_a_bot_begins_when_a_player_is_there_and_plays_to_the_end(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with rooms_with_bots(tmp_path) as rooms:
        name = (await rooms.create("memory", {"size": "4x4"}, bots=[EASY])).name
        async with rooms.enter(name) as room:
            with room.attend(None):
                await let_time_pass(room)
                assert (await table_of(room)).version == 0
            with room.attend("ann"):
                (bot,) = await players_of(room, 1)
                assert bot.startswith("bot_")
                assert rooms.company(name) == Company(1, 0)
                ended = await room.next_record(room.record)
                assert ended.result is not None
                assert ended.result.scores == {bot: 8}


async def test_bots_keep_no_room_awake_and_go_on_in_their_seats_when_it_wakes(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with rooms_with_bots(tmp_path) as rooms:
        name = (await rooms.create("memory", {"size": "8x8"}, bots=[EASY, EASY])).name
        async with rooms.enter(name) as room:
            with room.attend("ann"):
                bots = await players_of(room, 2)
            await let_time_pass(room)
            before = await table_of(room)
            await let_time_pass(room)
            assert (await table_of(room)).version == before.version, "they play while nobody is there"
            with room.attend("ann"):
                await players_of(room, 2, version=before.version + 10)
        movements = rooms.movements()
        while rooms.awake():
            await anext(movements)
        async with rooms.enter(name) as room:
            with room.attend("ann"):
                await players_of(room, 2, version=before.version + 20)
    async with rooms_with_bots(tmp_path) as rooms, rooms.enter(name) as room:
        with room.attend("ann"):
            assert await players_of(room, 2, version=before.version + 40) == bots


async def test_where_names_are_open_a_bot_plays_beside_programs_without_a_connection(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with rooms_with_bots(tmp_path) as rooms:
        name = (await rooms.create("memory", {}, bots=[EASY], names="open")).name
        async with rooms.enter(name) as room:
            assert len(await players_of(room, 1)) == 1


async def test_no_room_has_more_bots_than_it_may_nor_the_server(
    tmp_path: Path, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with rooms_with_bots(tmp_path, BotLimits(in_room=3, awake=4)) as rooms:
        first = (await rooms.create("memory", {"size": "10x10"}, bots=[EASY] * 9)).name
        second = (await rooms.create("memory", {"size": "10x10"}, bots=[EASY] * 2)).name
        async with rooms.enter(first) as room, rooms.enter(second) as other:
            with room.attend("ann"), other.attend("ann"):
                assert len(await players_of(other, 1, version=20)) + len(await players_of(room, 2, version=20)) == 4
                await rooms.close(first)
                await players_of(other, 2)
        await rooms.remove(second)
    assert not [entry for entry in caplog.records if entry.levelno >= logging.WARNING]


async def test_a_bot_takes_one_place_of_a_crossword_and_takes_it_back_when_the_room_wakes(tmp_path: Path) -> None:
    # Not on the autojump clock: it would jump past the time of grace while the journal is written.
    async with open_rooms(tmp_path, sleep_after=0.1) as rooms, hosted_bots(rooms, tmp_path, pace=0.005):
        name = (await rooms.create("crossword", {"puzzle": "grand"}, bots=[EASY, EASY])).name
        async with rooms.enter(name) as room:
            players = await _play_until_moves(room, 2)
        movements = rooms.movements()
        while rooms.awake():
            await anext(movements)
        async with rooms.enter(name) as room:
            assert await _play_until_moves(room, 4) == players


async def _play_until_moves(room: Room, number: int) -> tuple[str, ...]:
    """Be ann in a match until so many words of the bot stand; the players."""
    assert isinstance(room.game, crossword.Game)
    with room.attend("ann"):
        async with room.game.session() as ann:
            view = await ann.enter("ann")
            while True:
                if isinstance(view.match, crossword.MatchView):
                    words = [word for word in view.match.words if word.by is not None]
                    if len(words) >= number:
                        return view.match.players
                view = await ann.next_view()
                assert view.state in ("WAIT", "PLAY")


async def test_nobody_takes_the_seat_of_a_bot_and_a_bot_takes_nobodys(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with rooms_with_bots(tmp_path) as rooms:
        name = (await rooms.create("memory", {"size": "8x8"}, bots=[EASY])).name
        async with rooms.enter(name) as room:
            with room.attend("ann"):
                (bot,) = await players_of(room, 1)
            with pytest.raises(SeatTaken):
                await room.game.ask(ClaimSeat(bot, hash_of("ann's secret")))
    async with open_rooms(tmp_path) as rooms, hosted_bots(rooms), rooms.enter(name) as room:  # with another secret
        with room.attend("ann"):
            assert len(await players_of(room, 2)) == 2


async def test_a_bug_in_a_bot_ends_that_bot_and_not_its_room(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_rooms(tmp_path) as rooms, hosted_bots(rooms, tmp_path, pace=-1.0):  # no bot can play at that pace
        name = (await rooms.create("memory", {"size": "4x4"}, bots=[EASY])).name
        async with rooms.enter(name) as room:
            with room.attend("ann"):
                await let_time_pass(room)
                assert (await table_of(room)).version == 0
            assert isinstance(room.game, memory.Game)
            assert await room.game.flip("ann", 0, 0)
    (entry,) = [entry for entry in caplog.records if entry.levelno >= logging.ERROR]
    assert entry.exc_info is not None


@pytest.mark.parametrize(("kind", "settings"), [("memory", {"size": "10x10"}), ("minesweeper", {"preset": "expert"})])
async def test_a_full_disk_stops_a_bot_only_until_there_is_room(
    tmp_path: Path, autojump_clock: MockClock, kind: str, settings: dict[str, object]
) -> None:
    async with (
        open_rooms(tmp_path, limits=RoomLimits(data_bytes=1_000_000)) as rooms,
        hosted_bots(rooms, tmp_path),
    ):
        name = (await rooms.create(kind, settings, bots=[EASY])).name
        filler = rooms.folder.settings(name)
        async with rooms.enter(name) as room:
            with room.attend("ann"):
                for _ in range(2):
                    filler.write_bytes(b"0" * 1_000_000)
                    while not rooms.full:
                        await let_time_pass(room)
                    await let_time_pass(room)
                    before = await version_of(room)
                    filler.unlink()
                    while await version_of(room) < before + 5:
                        await let_time_pass(room)


async def version_of(room: Room) -> int:
    assert isinstance(room.game, memory.Game | minesweeper.Game)
    return (await room.game.snapshot()).version


async def test_bots_that_wait_for_a_place_keep_no_room_in_memory_that_has_fallen_asleep(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with open_rooms(tmp_path, sleep_after=1) as rooms, hosted_bots(rooms, limits=BotLimits(awake=1)):
        taken = (await rooms.create("memory", {"size": "10x10"}, bots=[EASY])).name
        name = (await rooms.create("memory", {"size": "4x4"}, bots=[EASY] * 3)).name

        async def visit() -> weakref.ref[Room]:
            async with rooms.enter(name) as room:
                with room.attend("bob"):
                    await trio.testing.wait_all_tasks_blocked()
                return weakref.ref(room)

        async with rooms.enter(taken) as first:
            with first.attend("ann"):
                await players_of(first, 1)
                visited = await visit()
                movements = rooms.movements()
                while name in [room.record.name for room in rooms.awake()]:
                    await anext(movements)
                again = await visit()  # waits for the end of what it woke before
                gc.collect()
                assert visited() is None
                assert again() is not None
