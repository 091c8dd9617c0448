"""Rooms in one process: opened, entered, asleep and woken, closed and removed; a bug in one room spares the others.

The promises of both kinds of rooms are tested with both: rooms of a folder, and rooms of a cluster with one process, on
a real Redis. Tests of sleep use the autojump clock. Journals are real files.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest
import trio
from msgspec.structs import replace
from trio.testing import MockClock

from scramble.cluster.address import parse_address
from scramble.cluster.link import open_link
from scramble.cluster.rooms import open_cluster_rooms
from scramble.errors import GameStopped, OperatorError
from scramble.games.table import game_kinds
from scramble.minesweeper.messages import Dig, Flag, Look
from scramble.rooms.local import LocalRooms, RoomLimits, open_rooms
from scramble.rooms.protocol import (
    BotSetting,
    Headcount,
    MemoryFull,
    NoSuchRoom,
    RoomAsleep,
    RoomClosed,
    RoomOrder,
    RoomRemoved,
    RoomsFull,
)
from scramble.rooms.rooms_base import RegisteredRooms
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.rooms.kinds import DIGGING


@asynccontextmanager
async def rooms_in(
    folder: Path,
    limits: RoomLimits | None = None,
    sleep_after: float = 60.0,
    now: Callable[[], float] = time.time,
) -> AsyncIterator[LocalRooms]:
    limits = limits or RoomLimits()
    async with open_rooms(folder, kinds=DIGGING, limits=limits, sleep_after=sleep_after, now=now) as rooms:
        yield rooms


@asynccontextmanager
async def rooms_on(
    url: str, limits: RoomLimits | None = None, sleep_after: float = 60.0, now: Callable[[], float] = time.time
) -> AsyncIterator[RegisteredRooms]:
    limits = limits or RoomLimits()
    async with (
        open_link(parse_address(url)) as link,
        open_cluster_rooms(link, kinds=DIGGING, limits=limits, sleep_after=sleep_after, now=now) as rooms,
    ):
        yield rooms


OpenRooms: TypeAlias = Callable[..., AbstractAsyncContextManager[RegisteredRooms]]


@pytest.fixture(params=["folder", pytest.param("cluster", marks=needs_redis)])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenRooms]:
    if request.param == "folder":
        yield partial(rooms_in, tmp_path)
        return
    with RedisServer(tmp_path / "redis") as redis:
        yield partial(rooms_on, redis.url)


async def test_a_room_goes_on_after_the_process_from_its_journal(opened: OpenRooms) -> None:
    async with opened() as rooms:
        record = await rooms.create("digging", {}, RoomOrder(title="Friday", public=True))
        async with rooms.enter(record.name) as room:
            await room.game.ask(Flag(1, 1))
    async with opened() as rooms:
        assert replace(await rooms.find(record.name), visited=None) == record
        async with rooms.enter(record.name) as room:
            assert (await room.game.ask(Look())).text.split("\n")[1] == "- F - -"


async def test_an_empty_room_sleeps_and_wakes(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with rooms_in(tmp_path, sleep_after=5) as rooms:
        name = (await rooms.create("digging", {})).name
        async with rooms.enter(name) as room:
            first = room.game
            await room.game.ask(Flag(0, 0))
        assert [awake.record.name for awake in rooms.awake()] == [name]
        movements = rooms.movements()
        assert await anext(movements) == {name}
        assert rooms.awake() == []
        with pytest.raises(RoomAsleep):
            async with rooms.enter(name, wake=False):
                pass
        async with rooms.enter(name) as room:
            assert room.game is not first
            assert (await room.game.ask(Look())).text.startswith("F - - -")


async def test_a_bug_in_one_room_ends_its_game_and_no_other_until_it_is_broken(opened: OpenRooms) -> None:
    async with opened() as rooms:
        name, other = (await rooms.create("faulty", {})).name, (await rooms.create("faulty", {})).name
        async with rooms.enter(other) as beside:
            for _ in range(3):
                async with rooms.enter(name) as room:
                    with pytest.raises(GameStopped):
                        await room.game.ask(Dig(0, 0))
                    with pytest.raises(GameStopped):
                        await room.next_record(room.record)
            with pytest.raises(RoomClosed):
                async with rooms.enter(name):
                    pass
            assert (await rooms.find(name)).state == "broken"
            await beside.game.ask(Flag(0, 0))


async def test_the_result_of_a_game_is_recorded_once(opened: OpenRooms) -> None:
    async with opened() as rooms:
        record = await rooms.create("digging", {})
        async with rooms.enter(record.name) as room:
            await room.game.ask(Dig(0, 0))
            ended = await room.next_record(room.record)
            assert (ended.state, ended.result and ended.result.winners) == ("ended", ("digger",))
        again = await rooms.create("digging", {}, RoomOrder(after=record.name))
        assert await rooms.create("digging", {}, RoomOrder(after=record.name)) == again
        assert (await rooms.find(record.name)).successor == again.name


async def test_company_is_counted_and_followed(opened: OpenRooms) -> None:
    async with opened() as rooms:
        name = (await rooms.create("digging", {})).name
        movements = rooms.movements()
        async with rooms.enter(name) as room:
            with room.attend("ann"), room.attend("ann"), room.attend(None):
                while rooms.headcount(name) != Headcount(1, 1):
                    assert await anext(movements) == {name}
            while rooms.headcount(name) != Headcount():
                assert await anext(movements) == {name}


async def test_closed_and_removed_rooms_say_so(opened: OpenRooms) -> None:
    async with opened() as rooms:
        name = (await rooms.create("digging", {}, RoomOrder(public=True))).name
        async with rooms.enter(name) as room:
            await room.game.ask(Flag(0, 0))
            await rooms.close(name)
            with pytest.raises(GameStopped):
                while True:
                    await room.game.ask(Look())
        with pytest.raises(RoomClosed):
            async with rooms.enter(name):
                pass
        assert await rooms.list() == ()
        await rooms.remove(name)
        with pytest.raises(RoomRemoved):
            await rooms.find(name)
        with pytest.raises(NoSuchRoom):
            await rooms.find("none")


async def test_a_second_server_is_refused_in_one_line(tmp_path: Path) -> None:
    async with rooms_in(tmp_path):
        with pytest.raises(OperatorError, match="another server"):
            async with rooms_in(tmp_path):
                pass


async def test_the_number_of_rooms_is_limited_in_words(opened: OpenRooms) -> None:
    async with opened(RoomLimits(rooms=2, awake=1)) as rooms:
        first, second = (await rooms.create("digging", {})).name, (await rooms.create("digging", {})).name
        with pytest.raises(RoomsFull, match="2 rooms"):
            await rooms.create("digging", {})
        async with rooms.enter(first):
            with pytest.raises(RoomsFull, match="1 rooms"):
                async with rooms.enter(second):
                    pass
        async with rooms.enter(second):  # the first room is empty, and falls asleep for the second
            assert [room.record.name for room in rooms.awake()] == [second]


HEAVY = {"digging": dataclasses.replace(DIGGING["digging"], memory=lambda settings: 400 * int(str(settings["size"])))}
"""A game whose rooms take 400 bytes for each row: a limit of 4,000 bytes is enough for two rooms of size 5."""


async def test_awake_rooms_have_a_total_memory_limit_and_an_empty_one_sleeps_for_another(
    tmp_path: Path,
) -> None:
    async with open_rooms(tmp_path, kinds=HEAVY, limits=RoomLimits(awake_bytes=4000)) as rooms:
        names = [(await rooms.create("digging", {"size": 5})).name for _ in range(3)]
        large = (await rooms.create("digging", {"size": 11})).name
        async with rooms.enter(names[0]):
            async with rooms.enter(names[1]):
                with pytest.raises(MemoryFull):
                    async with rooms.enter(names[2]):
                        pass
            async with rooms.enter(names[2]):
                assert {room.record.name for room in rooms.awake()} == {names[0], names[2]}
        with pytest.raises(MemoryFull):
            async with rooms.enter(large):
                pass
        async with rooms.enter(names[1]) as room:
            await room.game.ask(Look())


async def test_the_bots_of_a_room_count_as_its_memory_while_its_game_goes_on(tmp_path: Path) -> None:
    kinds = {"digging": dataclasses.replace(HEAVY["digging"], bot_memory=lambda settings: 1000)}
    bot = BotSetting("easy")
    async with open_rooms(tmp_path, kinds=kinds, limits=RoomLimits(awake_bytes=4000)) as rooms:
        with_two = (await rooms.create("digging", {"size": 5}, RoomOrder(bots=(bot,) * 2))).name
        with_three = (await rooms.create("digging", {"size": 5}, RoomOrder(bots=(bot,) * 3))).name
        async with rooms.enter(with_two):
            pass
        with pytest.raises(MemoryFull):
            async with rooms.enter(with_three):
                pass


async def test_the_counted_memory_of_a_bot_covers_its_knowledge_of_a_game() -> None:
    games, minesweeper = game_kinds()["memory"], game_kinds()["minesweeper"]
    assert games.bot_memory({"size": "100x100"}) >= 5_700_000  # measured: a bot that remembers all cards
    assert minesweeper.bot_memory({"size": "500x500"}) >= 18_000_000  # measured: half of the field is dug
    assert minesweeper.bot_memory({"size": "200x200"}) >= 8_800_000  # measured: single squares are dug


async def test_a_large_game_counts_as_more_memory_than_a_small_one_also_from_a_file() -> None:
    memory, minesweeper = game_kinds()["memory"], game_kinds()["minesweeper"]
    card = memory.memory({"size": "100x100"}) - memory.memory({"size": "100x99"})
    assert card >= 330 * 100  # measured
    board = "10x10\n" + "A\n" * 100
    assert abs(memory.memory({"board": board}) - memory.memory({"size": "10x10"})) < 1000
    assert minesweeper.memory({"size": "500x500"}) >= 2_400_000  # measured
    field = "10 10\n" + "0 1 0 1 0 1 0 1 0 1\n" * 10
    assert abs(minesweeper.memory({"field": field}) - minesweeper.memory({"size": "10x10"})) < 1000
    assert game_kinds()["crossword"].memory({}) >= 82_000  # measured


async def test_random_seeds_are_too_many_to_be_tried_out_and_small_enough_for_pages(
    tmp_path: Path,
) -> None:
    async with open_rooms(tmp_path) as rooms:
        records = [await rooms.create("minesweeper", {}) for _ in range(20)]
        seeds = [int(str((await rooms.settings(record))["seed"])) for record in records]
    assert 2**45 < max(seeds) < 2**53


class Clock:
    """A time of day that the test sets."""

    def __init__(self) -> None:
        self.now = 1.7e9

    def __call__(self) -> float:
        return self.now


async def open_three(rooms: RegisteredRooms, clock: Clock) -> tuple[str, str, str]:
    """Open three rooms: the first sleeps, the second was never entered, and the third was used last."""
    used, never, latest = [(await rooms.create("digging", {})).name for _ in range(3)]
    for name in (used, latest):
        async with rooms.enter(name) as room:
            await room.game.ask(Flag(0, 0))
        clock.now += 1
    while rooms.awake():
        await trio.lowlevel.checkpoint()
    return used, never, latest


async def test_a_full_server_gives_up_unentered_then_long_unused_rooms_and_else_refuses(
    opened: OpenRooms,
) -> None:
    clock = Clock()
    async with opened(RoomLimits(rooms=3), sleep_after=0, now=clock) as rooms:
        used, never, latest = await open_three(rooms, clock)
        clock.now += 60
        with pytest.raises(RoomsFull):
            await rooms.create("digging", {})  # the opener of the second room may be about to enter it
        clock.now += 300
        other = await rooms.create("digging", {})
        with pytest.raises(RoomRemoved):
            await rooms.find(never)
        async with rooms.enter(other.name), rooms.enter(used):
            with pytest.raises(RoomsFull):
                await rooms.create("digging", {})  # all rooms were used lately
            clock.now += 3 * 3600
            await rooms.create("digging", {})  # the other rooms are visited
        with pytest.raises(RoomRemoved):
            await rooms.find(latest)
        assert (await rooms.find(used)).state == (await rooms.find(other.name)).state == "open"


async def test_opening_and_closing_rooms_on_a_full_server_takes_no_game_from_others(opened: OpenRooms) -> None:
    clock = Clock()
    async with opened(RoomLimits(rooms=3), sleep_after=0, now=clock) as rooms:
        used, _, latest = await open_three(rooms, clock)
        clock.now += 7 * 3600
        for _ in range(4):
            await rooms.close((await rooms.create("digging", {})).name)
        assert {(await rooms.find(name)).state for name in (used, latest)} == {"open"}
        clock.now -= 6 * 3600
        await rooms.create("digging", {})  # a closed room may be removed at once


async def test_visited_rooms_do_not_keep_a_full_server_from_giving_up_others(
    opened: OpenRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.rooms.rooms_base.CANDIDATES", 1)
    clock, names = Clock(), list[str]()
    async with opened(now=clock) as rooms:
        for _ in range(3):
            names.append((await rooms.create("digging", {})).name)
            clock.now += 1
            async with rooms.enter(names[-1]):
                while (await rooms.find(names[-1])).visited is None:
                    await trio.lowlevel.checkpoint()
    async with opened(RoomLimits(rooms=3), now=clock) as rooms, rooms.enter(names[0]), rooms.enter(names[1]):
        clock.now += 3 * 3600
        await rooms.create("digging", {})
        with pytest.raises(RoomRemoved):
            await rooms.find(names[2])


async def test_an_unentered_room_is_removed_after_an_hour_and_a_room_with_a_game_stays(opened: OpenRooms) -> None:
    clock = Clock()
    async with opened(sleep_after=0, now=clock) as rooms:
        used, never, latest = await open_three(rooms, clock)
        clock.now += 3500
        await rooms.forget(30 * 86400.0)
        assert (await rooms.find(never)).state == "open"
        clock.now += 200
        await rooms.forget(30 * 86400.0)
        with pytest.raises(RoomRemoved):
            await rooms.find(never)
        assert [record.name for record in await rooms.list(hidden=True)] == [latest, used]


async def test_a_room_of_an_older_version_without_a_recorded_visit_does_not_count_as_unentered(
    tmp_path: Path,
) -> None:
    clock = Clock()
    async with rooms_in(tmp_path, now=clock) as rooms:
        name = (await rooms.create("digging", {})).name
        rooms.folder.journal(name).touch()  # as if the room had a game
        clock.now += 7200
        await rooms.forget(30 * 86400.0)
        assert (await rooms.find(name)).visited == clock.now
