"""A Redis with full memory. It records applied commands, and refuses new commands with a message. Rooms can be removed.

Partitions:
- Redis: has less than its reserve left; is full (`maxmemory`) before a process has measured it; has room again
- measurements: after a measurement whose answer was lost with the connection
- requests: a move; a look; enter a sleeping room; enter a new room; open, close and remove a room
- the caller: a running process; a process that starts, like the operator's command
- the error in a script: of Redis 7; of Redis 6.2, which wraps it in a line of its own
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from scramble.cluster.address import parse_address
from scramble.cluster.checks import check_redis
from scramble.cluster.link import RedisLink, open_link
from scramble.cluster.log import ClusterRecorder, read_log
from scramble.cluster.protocol import LinkLost, ProcessName, RedisRefused, RedisValue, RedisWord
from scramble.cluster.redis_memory import MEMORY_LOOK_S, watch_memory
from scramble.cluster.rooms import ClusterRooms, open_cluster_rooms, secret_of_bots
from scramble.cluster.scripts import Beginning, claim, release
from scramble.errors import DiskFull
from scramble.memory import Board, Game, open_game
from scramble.rooms.protocol import Room, RoomClosed, RoomRemoved
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.cluster.simulated import Network, SimulatedLink

ROOM = "room"
BOARD = "2x2\nA\nB\nA\nB\n"


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path) as server:
        yield server


@asynccontextmanager
async def process(redis: RedisServer) -> AsyncIterator[tuple[RedisLink, ClusterRooms]]:
    """Run a process of the cluster from its start to its end."""
    async with open_link(parse_address(redis.url)) as link:
        await check_redis(link)
        async with open_cluster_rooms(link) as rooms:
            await secret_of_bots(link)
            yield link, rooms


async def fill(link: RedisLink, part: float) -> None:
    """Fill this part of the memory that Redis may use."""
    info = await link.call("INFO", "memory")
    assert isinstance(info, bytes)
    used = int(dict(line.split(b":", 1) for line in info.split(b"\r\n") if b":" in line)[b"used_memory"])
    await link.call("CONFIG", "SET", "maxmemory", int(used / part))


async def empty(link: RedisLink) -> None:
    await link.call("CONFIG", "SET", "maxmemory", 0)


def game_of(room: Room) -> Game:
    assert isinstance(room.game, Game)
    return room.game


@needs_redis
@pytest.mark.parametrize("part", [0.97, 2.0])
async def test_rooms_of_a_full_redis_can_be_looked_at_closed_and_removed(redis: RedisServer, part: float) -> None:
    async with process(redis) as (link, rooms):
        played = (await rooms.create("memory", {"size": "4x4"})).name
        async with rooms.enter(played) as room:
            await game_of(room).flip("ann", 0, 0)
        open_one = (await rooms.create("memory", {"size": "4x4"})).name
        await secret_of_bots(link)
    async with open_link(parse_address(redis.url)) as filler:
        await fill(filler, part)
        async with process(redis) as (link, rooms):
            with pytest.raises(DiskFull, match="Redis is full"):
                await rooms.create("memory", {"size": "4x4"})
            async with rooms.enter(played) as room:
                assert (await game_of(room).look("ann")).count("my") == 1
                with pytest.raises(DiskFull, match="Redis is full"):
                    await game_of(room).flip("ann", 0, 1)
            await rooms.close(open_one)
            with pytest.raises(RoomClosed):
                async with rooms.enter(open_one):
                    pass
            await rooms.remove(played)
            with pytest.raises(RoomRemoved):
                await rooms.find(played)
            assert await link.call("KEYS", f"*{played}*") == []
        await empty(filler)
        async with process(redis) as (link, rooms):
            assert (await rooms.find(open_one)).state == "closed"
            with pytest.raises(RoomRemoved):
                await rooms.find(played)


@needs_redis
async def test_a_move_that_finds_redis_full_is_recorded_and_the_next_one_refused(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.cluster.log.MEMORY_LOOK_S", 0.5)
    async with open_link(parse_address(redis.url)) as link:
        board = Board.parse(BOARD)
        token = (await claim(link, ROOM, None, Beginning(board.kind, board.state(), 1.5))).owner
        assert token is not None
        async with open_game(board, journal=ClusterRecorder(link, ROOM, token)) as game:
            await fill(link, 2.0)
            await game.flip("ann", 0, 0)
            with pytest.raises(DiskFull, match="Redis is full"):
                await game.flip("ann", 0, 1)
            seen = await game.look("ann")
            await empty(link)
            while True:  # Redis counts as full until the next measurement
                try:
                    await game.flip("ann", 0, 1)
                    break
                except DiskFull:
                    assert await game.look("ann") == seen
                    await trio.sleep(0.05)
        assert len((await read_log(link, ROOM)).records) == 2
        await release(link, ROOM, token)


@needs_redis
async def test_no_room_dies_of_a_redis_that_is_filled_faster_than_it_is_measured(redis: RedisServer) -> None:
    async with process(redis) as (link, rooms), trio.open_nursery() as nursery:
        names = [(await rooms.create("memory", {"size": "4x4", "seed": n})).name for n in range(5)]
        refused = 0

        async def play(name: str, *, task_status: trio.TaskStatus[None]) -> None:
            nonlocal refused
            async with rooms.enter(name) as room:
                task_status.started()
                for number in range(100_000):
                    try:
                        await game_of(room).new_game("ann", number)
                    except DiskFull:
                        refused += 1
                        return

        async with trio.open_nursery() as players:
            for name in names:
                await players.start(play, name)
            await fill(link, 0.8)
            with pytest.raises(RedisRefused, match="OOM"):
                for number in range(1000):
                    await link.call("SET", f"filler{number}", bytes(100_000))
        assert refused == len(names)
        assert {room.record.name for room in rooms.awake()} == set(names)
        for name in names:
            async with rooms.enter(name) as room:
                await game_of(room).look("ann")
        nursery.cancel_scope.cancel()


ANSWER_S = 0.1


class MeasuredLink(SimulatedLink):
    """A link whose Redis uses `used` of 100 bytes. Its answers take `ANSWER_S`."""

    used = 10

    async def call(self, *words: RedisWord) -> RedisValue:
        if words != ("INFO", "memory"):
            return await super().call(*words)
        await super().call("PING")  # waits for a connection
        await trio.sleep(ANSWER_S)
        if not self.is_up:
            raise LinkLost("the link was cut")
        return b"used_memory:%d\r\nmaxmemory:100\r\n" % self.used


async def test_redis_is_measured_again_after_a_lost_connection(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    link = MeasuredLink(Network(nursery), ProcessName("alice"), nursery)
    async with watch_memory(link) as memory:
        await trio.sleep(MEMORY_LOOK_S + ANSWER_S / 2)  # the second measurement waits for its answer
        link.cut()
        await trio.sleep(MEMORY_LOOK_S)
        link.connect()
        for used, has_room in ((99, False), (10, True)):
            link.used = used
            await trio.sleep(2 * (MEMORY_LOOK_S + ANSWER_S))
            assert memory.room_left() is has_room


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("OOM command not allowed when used memory > 'maxmemory'.", "OOM"),
        (
            "ERR Error running script (call to f_49eeace2bb16c8660781804056e2a7935329d1e6): @user_script:1:"
            " @user_script: 1: -OOM command not allowed when used memory > 'maxmemory'. ",
            "OOM",
        ),
        (
            "ERR Error running script (call to f_49eeace2bb16c8660781804056e2a7935329d1e6): @user_script:1:"
            " @user_script: 1: -READONLY You can't write against a read only replica. ",
            "READONLY",
        ),
        ("ERR Error running script (call to f_49): @user_script:1: bad argument", "ERR"),
    ],
)
def test_the_kind_of_an_error_is_that_of_the_command_in_the_script(line: str, kind: str) -> None:
    refused = RedisRefused(line)
    assert (refused.kind, refused.is_passing) == (kind, kind == "READONLY")
