"""Bots in rooms, most of them on an autojump clock.

Strategy:
- begin: an empty room; a spectator; a player who has not moved, who moves, who has left; in each game; a player without
  a connection, in a room with open names
- pause: the player leaves, comes back; the room sleeps and wakes; the process ends and starts
- numbers: more bots than a room may have; more bots than may think at once; bots that wait for people do not count
- seats: no person can take the bot's seat; the bot takes another name if a person has its name; the same after a
  restart
- disk: full for minutes, and free again, twice
- end: the game is over; the host removes a bot, and the others continue; a bot has a bug, and its room continues
"""

from __future__ import annotations

import gc
import logging
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from scramble import crossword, memory, minesweeper
from scramble.errors import InvalidCommand
from scramble.memory.messages import Relinquish, Snapshot, Took
from scramble.players.seats import ClaimSeat, FindSeat, SeatTaken, hash_of
from scramble.rooms.bothosts import BotLimits, hosted_bots
from scramble.rooms.local import LocalRooms, RoomLimits, open_rooms
from scramble.rooms.protocol import BotSetting, Headcount, Room, RoomOrder

EASY = BotSetting("easy")


@asynccontextmanager
async def rooms_with_bots(folder: Path, limits: BotLimits | None = None) -> AsyncIterator[LocalRooms]:
    async with open_rooms(folder) as rooms, hosted_bots(rooms, folder, limits=limits):
        yield rooms


async def table_of(room: Room) -> Snapshot:
    """The table of a room of Memory Scramble."""
    assert isinstance(room.game, memory.Game)
    return await room.game.snapshot()


async def begin(room: Room) -> None:
    """Make the first move as ann, and relinquish the card."""
    assert isinstance(room.game, memory.Game)
    await room.game.flip("ann", 0, 0)
    with suppress(InvalidCommand):  # the clock passed the end of the turn during the write of the journal
        await room.game.ask(Relinquish("ann"))


async def bots_of(room: Room, number: int, *, version: int = 0) -> set[str]:
    """Wait for `number` bots that have flipped a card, and for that version of the table. Return the bots."""
    assert isinstance(room.game, memory.Game)
    table, changes = await room.game.follow()
    bots = set(table.scores) - {"ann"}
    while len(bots) < number or table.version < version:
        await anext(changes)
        table = await table_of(room)
        bots = set(table.scores) - {"ann"}
    return bots


async def let_time_pass(room: Room) -> None:
    """Let minutes pass in small steps. Wait for the journal after each step, because the clock does not wait for it."""
    for _ in range(50):
        await trio.sleep(5)
        await room.game.ping()


async def test_a_bot_begins_after_the_first_move_of_a_player_who_is_there_and_plays_to_the_end(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with rooms_with_bots(tmp_path) as rooms:
        name = (await rooms.create("memory", {"size": "4x4"}, RoomOrder(bots=(EASY,)))).name
        async with rooms.enter(name) as room:
            with room.attend(None):
                await let_time_pass(room)
                assert (await table_of(room)).version == 0
            with room.attend("ann"):
                await let_time_pass(room)
                assert (await table_of(room)).version == 0, "the bot has opened the game"
                await begin(room)
                (bot,) = await bots_of(room, 1)
                assert bot.startswith("bot_")
                assert rooms.headcount(name) == Headcount(1, 0)
                ended = await room.next_record(room.record)
                assert ended.result is not None
                assert ended.result.scores == {"ann": 0, bot: 8}


async def test_a_player_who_leaves_before_the_first_move_leaves_it_to_the_next_one(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with rooms_with_bots(tmp_path) as rooms:
        name = (await rooms.create("memory", {"size": "4x4"}, RoomOrder(bots=(EASY, EASY)))).name
        async with rooms.enter(name) as room:
            with room.attend("bob"):
                await let_time_pass(room)
            with room.attend("ann"):
                await let_time_pass(room)
                assert (await table_of(room)).version == 0
                await begin(room)
                assert len(await bots_of(room, 2)) == 2


async def test_a_bot_digs_after_the_first_dig_and_not_after_a_flag(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with rooms_with_bots(tmp_path) as rooms:
        name = (await rooms.create("minesweeper", {"preset": "expert"}, RoomOrder(bots=(EASY,)))).name
        async with rooms.enter(name) as room:
            assert isinstance(room.game, minesweeper.Game)
            with room.attend("ann"):
                async with room.game.connect("ann") as ann:
                    await room.game.flag(0, 0, ann.player)
                    await let_time_pass(room)
                    assert set((await room.game.standing()).scores) == {"ann"}
                    await room.game.dig(5, 5, ann.player)
                    changes = room.game.changes()
                    while set((await room.game.standing()).scores) == {"ann"}:
                        await anext(changes)


async def test_a_bot_enters_its_first_word_after_that_of_the_player(autojump_clock: MockClock) -> None:
    async with open_rooms() as rooms, hosted_bots(rooms):
        name = (await rooms.create("crossword", {"puzzle": "kitchen"}, RoomOrder(bots=(BotSetting("hard"),)))).name
        async with rooms.enter(name) as room:
            assert isinstance(room.game, crossword.Game)
            with room.attend("ann"):
                async with room.game.session() as ann:
                    view = await ann.enter("ann")
                    while not isinstance(view.match, crossword.MatchView):
                        view = await ann.next_view()
                    await let_time_pass(room)
                    assert (await ann.look()).number == view.number, "the bot has moved"
                    await ann.say(f"TRY 1 {'x' * view.match.words[0].length}")
                    while isinstance(view.match, crossword.MatchView) and _movers(view.match) <= {"ann"}:
                        view = await ann.next_view()
                    assert view.state == "PLAY"


def _movers(match: crossword.MatchView) -> set[str]:
    return {word.by for word in match.words if word.by is not None}


async def test_bots_keep_no_room_awake_and_go_on_in_their_seats_when_it_wakes(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with rooms_with_bots(tmp_path) as rooms:
        name = (await rooms.create("memory", {"size": "8x8"}, RoomOrder(bots=(EASY, EASY)))).name
        async with rooms.enter(name) as room:
            with room.attend("ann"):
                await begin(room)
                bots = await bots_of(room, 2)
            await let_time_pass(room)
            before = await table_of(room)
            await let_time_pass(room)
            assert (await table_of(room)).version == before.version, "the bots play without a player"
            with room.attend("ann"):
                await bots_of(room, 2, version=before.version + 10)
        movements = rooms.movements()
        while rooms.awake():
            await anext(movements)
        async with rooms.enter(name) as room:
            with room.attend("ann"):
                await bots_of(room, 2, version=before.version + 20)
    async with rooms_with_bots(tmp_path) as rooms, rooms.enter(name) as room:
        with room.attend("ann"):
            assert await bots_of(room, 2, version=before.version + 40) == bots


async def test_where_names_are_open_a_bot_follows_the_move_of_a_program_without_a_connection(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with rooms_with_bots(tmp_path) as rooms:
        name = (await rooms.create("memory", {}, RoomOrder(bots=(EASY,), names="open"))).name
        async with rooms.enter(name) as room:
            await let_time_pass(room)
            assert (await table_of(room)).version == 0
            await begin(room)
            assert len(await bots_of(room, 1)) == 1


async def test_no_room_has_more_bots_than_it_may(
    tmp_path: Path, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with rooms_with_bots(tmp_path, BotLimits(in_room=3)) as rooms:
        name = (await rooms.create("memory", {"size": "10x10"}, RoomOrder(bots=(EASY,) * 9))).name
        async with rooms.enter(name) as room:
            with room.attend("ann"):
                await begin(room)
                assert len(await bots_of(room, 3, version=100)) == 3
    assert not [entry for entry in caplog.records if entry.levelno >= logging.WARNING]


async def test_more_bots_than_may_think_at_once_take_turns(autojump_clock: MockClock) -> None:
    async with open_rooms() as rooms, hosted_bots(rooms, limits=BotLimits(awake=2)) as hosts:
        names = [(await rooms.create("memory", {"size": "10x10"}, RoomOrder(bots=(EASY,) * 2))).name for _ in range(2)]
        async with rooms.enter(names[0]) as room, rooms.enter(names[1]) as other:
            with room.attend("ann"), other.attend("ann"):
                await begin(room)
                await begin(other)
                thinking = set[int]()
                for _ in range(50):
                    await trio.sleep(1)
                    thinking.add(hosts.thinking)
                assert max(thinking) == 2
                assert len(await bots_of(room, 2)) == len(await bots_of(other, 2)) == 2


async def test_bots_that_wait_for_people_take_no_place_from_others(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with rooms_with_bots(tmp_path, BotLimits(awake=1)) as rooms:
        idle = (await rooms.create("memory", {}, RoomOrder(bots=(EASY,) * 3))).name
        left = (await rooms.create("memory", {"size": "8x8"}, RoomOrder(bots=(EASY,) * 3))).name
        done = (await rooms.create("crossword", {"puzzle": "kitchen"}, RoomOrder(bots=(EASY,)))).name
        name = (await rooms.create("memory", {"size": "4x4"}, RoomOrder(bots=(EASY,)))).name
        async with rooms.enter(idle) as one, rooms.enter(left) as two, rooms.enter(done) as three:
            with two.attend("ann"):
                await begin(two)
                await bots_of(two, 3)
            with one.attend("ann"), three.attend("ann"), two.attend(None):
                await let_time_pass(two)
                async with rooms.enter(name) as room:
                    with room.attend("ann"):
                        await begin(room)
                        await bots_of(room, 1)


async def test_a_bot_takes_one_place_of_a_crossword_and_takes_it_back_when_the_room_wakes(tmp_path: Path) -> None:
    # Not on an autojump clock: it would jump past the time of grace during the write of the journal.
    async with open_rooms(tmp_path, sleep_after=0.1) as rooms, hosted_bots(rooms, tmp_path, pace=0.005):
        name = (await rooms.create("crossword", {"puzzle": "grand"}, RoomOrder(bots=(EASY, EASY)))).name
        async with rooms.enter(name) as room:
            players = await _play_until_moves(room, 2)
        movements = rooms.movements()
        while rooms.awake():
            await anext(movements)
        async with rooms.enter(name) as room:
            assert await _play_until_moves(room, 4) == players


async def _play_until_moves(room: Room, number: int) -> tuple[str, ...]:
    """Play as ann in a match until the bot has that many words on the board. Return the players."""
    assert isinstance(room.game, crossword.Game)
    with room.attend("ann"):
        async with room.game.session() as ann:
            view = await ann.enter("ann")
            while True:
                if isinstance(view.match, crossword.MatchView):
                    if not _movers(view.match):
                        await ann.say(f"TRY 1 {'x' * view.match.words[0].length}")
                    words = [word for word in view.match.words if word.by is not None]
                    if len(words) >= number:
                        return view.match.players
                view = await ann.next_view()
                assert view.state in ("WAIT", "PLAY")


async def test_nobody_takes_the_seat_of_a_bot_and_a_bot_takes_nobodys(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with rooms_with_bots(tmp_path) as rooms:
        name = (await rooms.create("memory", {"size": "8x8"}, RoomOrder(bots=(EASY,)))).name
        async with rooms.enter(name) as room:
            with room.attend("ann"):
                await begin(room)
                (bot,) = await bots_of(room, 1)
            with pytest.raises(SeatTaken):
                await room.game.ask(ClaimSeat(bot, hash_of("ann's secret")))
    async with open_rooms(tmp_path) as rooms, hosted_bots(rooms), rooms.enter(name) as room:  # with another secret
        with room.attend("ann"):
            assert len(await bots_of(room, 2)) == 2


async def test_a_bot_that_the_host_removes_makes_no_more_moves_and_the_others_play_on(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with rooms_with_bots(tmp_path) as rooms:
        name = (await rooms.create("memory", {"size": "10x10"}, RoomOrder(bots=(EASY, EASY)))).name
        async with rooms.enter(name) as room:
            with room.attend("ann"):
                await begin(room)
                removed, stays = await bots_of(room, 2)
                seat = await room.game.ask(FindSeat(removed))
                assert seat is not None
                await rooms.expel(name, seat.holder)
                await trio.testing.wait_all_tasks_blocked()
                await room.game.ping()  # the journal has the bot's last move
                assert isinstance(room.game, memory.Game)
                changes, movers = room.game.changes(), list[str]()
                while len(movers) < 5:
                    movers += [event.player for event in (await anext(changes)).events if isinstance(event, Took)]
                assert set(movers) == {stays}


async def test_a_bug_in_a_bot_ends_that_bot_and_not_its_room(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_rooms(tmp_path) as rooms, hosted_bots(rooms, tmp_path, pace=-1.0):  # an invalid pace: bots fail
        name = (await rooms.create("memory", {"size": "4x4"}, RoomOrder(bots=(EASY,)))).name
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
        name = (await rooms.create(kind, settings, RoomOrder(bots=(EASY,)))).name
        filler = rooms.folder.settings(name)
        async with rooms.enter(name) as room:
            with room.attend("ann"):
                if isinstance(room.game, minesweeper.Game):
                    await room.game.dig(5, 5)
                else:
                    await begin(room)
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


async def test_bots_that_wait_keep_no_room_in_memory_that_has_fallen_asleep(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with open_rooms(tmp_path, sleep_after=1) as rooms, hosted_bots(rooms, limits=BotLimits(awake=1)):
        taken = (await rooms.create("memory", {"size": "10x10"}, RoomOrder(bots=(EASY,)))).name
        name = (await rooms.create("memory", {"size": "4x4"}, RoomOrder(bots=(EASY,) * 3))).name

        async def visit() -> weakref.ref[Room]:
            async with rooms.enter(name) as room:
                with room.attend("bob"):
                    await trio.testing.wait_all_tasks_blocked()
                return weakref.ref(room)

        async with rooms.enter(taken) as first:
            with first.attend("ann"):
                await begin(first)
                await bots_of(first, 1)
                visited = await visit()
                movements = rooms.movements()
                while name in [room.record.name for room in rooms.awake()]:
                    await anext(movements)
                again = await visit()  # waits until the rooms that woke before have ended
                for _ in range(100):
                    gc.collect()
                    if visited() is None:
                        break
                    await trio.testing.wait_all_tasks_blocked(0.01)  # a bot may read the settings in a thread
                assert visited() is None
                assert again() is not None
