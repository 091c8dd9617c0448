"""What a process of a cluster outlives: a Redis that refuses, is away, or has lost what it had.

Partitions:
- Redis refuses writes for a while, and then takes them again
- a game ends while the register cannot be used
- the look for old rooms: meets a register that cannot be used; a Redis that does not let it look
- Redis has lost all data: other processes come; the database has become another format's
- Redis stands still, where the register is: what is being recorded, what is queued
- what a process says of its health: Redis answers; stands still, for a moment and for long; nobody has the register
  (or Redis refuses: test_refused.py)
- Redis has lost commands of a game that runs
- what is recorded of the register cannot be used: at the start, later on and then again
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio

from scramble.cluster.address import parse_address
from scramble.cluster.checks import check_redis
from scramble.cluster.link import open_link
from scramble.cluster.register import REGISTER
from scramble.cluster.rooms import ClusterRooms, open_cluster_rooms
from scramble.errors import GameMoved, GameStopped, JournalError
from scramble.memory import Game
from scramble.rooms.protocol import RoomRecord, RoomRemoved
from tests.support import HANG_S
from tests.support.cluster.redis import RedisServer, needs_redis

pytestmark = needs_redis

PATIENCE_S = 30.0


@asynccontextmanager
async def process(redis: RedisServer, keep_s: float = 1e6) -> AsyncIterator[ClusterRooms]:
    async with open_link(parse_address(redis.url)) as link, open_cluster_rooms(link, keep_s=keep_s) as rooms:
        yield rooms


async def create(rooms: ClusterRooms) -> RoomRecord:
    """Open a room, as often as it takes."""
    while True:
        try:
            return await rooms.create("memory", {"size": "4x4"})
        except GameMoved:
            continue


async def test_a_process_outlives_a_redis_that_refuses_writes_for_a_while(own_redis: RedisServer) -> None:
    with trio.fail_after(PATIENCE_S):
        async with process(own_redis) as rooms, trio.open_nursery() as nursery:
            own_redis.ask("CONFIG SET min-replicas-to-write 1")
            nursery.start_soon(create, rooms)
            while rooms.link.is_up:  # noqa: ASYNC110 - the signs of life are refused, too
                await trio.sleep(0.05)
            assert "errorstat_NOREPLICAS" in own_redis.ask("INFO errorstats")
            own_redis.ask("CONFIG SET min-replicas-to-write 0")
            await create(rooms)
            await rooms.list(hidden=True)


async def until_logged(caplog: pytest.LogCaptureFixture, event: str) -> None:
    while event not in caplog.text:  # noqa: ASYNC110 - a log has nobody to wake
        await trio.sleep(0.05)


@pytest.mark.parametrize("fault", ["register", "search"])
async def test_a_look_for_old_rooms_that_fails_is_repeated(
    own_redis: RedisServer, fault: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.rooms.rooms_base.SWEEP_S", 0.05)
    monkeypatch.setattr("scramble.rooms.rooms_base.SWEEP_AGAIN_S", 0.05)
    with trio.fail_after(PATIENCE_S):
        async with process(own_redis, keep_s=-1e6) as rooms:  # they are old before they are there
            if fault == "register":
                monkeypatch.setattr("scramble.cluster.register.ASK_S", 0.0)
                key = rooms.link.names.room(REGISTER)
                own_redis.ask(f"HSET {key} format 99")
                own_redis.ask(f"HDEL {key} owner")
            else:
                own_redis.ask("ACL SETUSER default -scan")
            await until_logged(caplog, "rooms-not-swept")
            if fault == "register":
                monkeypatch.setattr("scramble.cluster.register.ASK_S", HANG_S)
                own_redis.ask(f"HSET {key} format 1")
            else:
                own_redis.ask("ACL SETUSER default +scan")
            name = (await create(rooms)).name
            with pytest.raises(RoomRemoved):
                while True:
                    await rooms.find(name)


async def test_a_result_that_comes_while_the_register_cannot_be_used_is_recorded_once_it_can(
    own_redis: RedisServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.rooms.supervision.RESULT_AGAIN_S", 0.05)
    with trio.fail_after(PATIENCE_S):
        async with process(own_redis) as rooms:
            name = (await rooms.create("memory", {"board": "1x2\nA\nA\n"})).name
            async with rooms.enter(name) as room:
                assert isinstance(room.game, Game)
                monkeypatch.setattr("scramble.cluster.register.ASK_S", 0.0)
                key = rooms.link.names.room(REGISTER)
                own_redis.ask(f"HSET {key} format 99")
                own_redis.ask(f"HDEL {key} owner")
                await room.game.flip("ann", 0, 0)
                await room.game.flip("ann", 0, 1)
                await until_logged(caplog, "result-not-recorded")
                monkeypatch.setattr("scramble.cluster.register.ASK_S", HANG_S)
                own_redis.ask(f"HSET {key} format 1")
                ended = await room.next_record(room.record)
                assert (ended.state, ended.result and ended.result.winners) == ("ended", ("ann",))


async def test_others_may_come_after_redis_has_lost_its_data(own_redis: RedisServer) -> None:
    with trio.fail_after(PATIENCE_S):
        async with open_link(parse_address(own_redis.url)) as link:
            await check_redis(link)
        async with process(own_redis) as rooms:
            await create(rooms)
            own_redis.kill()
            own_redis.start()
            name = (await create(rooms)).name
            async with open_link(parse_address(own_redis.url)) as link:
                await check_redis(link)
                async with open_cluster_rooms(link) as others:
                    assert [record.name for record in await others.list(hidden=True)] == [name]


async def test_a_process_says_so_if_its_database_becomes_that_of_another_format(
    own_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    with trio.fail_after(PATIENCE_S):
        async with process(own_redis) as rooms:
            own_redis.ask("FLUSHALL")
            own_redis.ask("SET scr:format 2")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(create, rooms)
                await until_logged(caplog, "register-stuck reason=\"scr:format in Redis is '2'")
                own_redis.ask("SET scr:format 1")


async def test_requests_at_the_register_s_owner_wait_for_a_redis_that_stands_still_for_so_long_only(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.cluster.register.ASK_S", 0.1)
    monkeypatch.setattr("scramble.cluster.rooms.COUNT_S", 0.1)

    async def resume_in_the_end() -> None:
        await trio.sleep(PATIENCE_S / 2)
        own_redis.resume()

    with trio.fail_after(PATIENCE_S):
        async with process(own_redis) as rooms, trio.open_nursery() as nursery:
            nursery.start_soon(resume_in_the_end)
            own_redis.pause()
            with pytest.raises(GameMoved):
                await rooms.list()  # it is decided, and cannot be recorded
            with pytest.raises(GameMoved):
                await rooms.list()  # it is queued behind that
            with pytest.raises(GameMoved):
                await rooms.counts()
            with trio.CancelScope() as leaving:
                leaving.cancel()
                await rooms.list()
            assert leaving.cancelled_caught
            own_redis.resume()
            monkeypatch.setattr("scramble.cluster.register.ASK_S", PATIENCE_S)
            assert await rooms.list() == ()
            nursery.cancel_scope.cancel()


def said(rooms: ClusterRooms) -> list[tuple[str, bool]]:
    """The problems of a process, and whether each is a reason to take it out of a balancer."""
    return [(problem.code, problem.down) for problem in rooms.problems()]


async def until_said(rooms: ClusterRooms, expected: list[tuple[str, bool]]) -> None:
    while said(rooms) != expected:  # noqa: ASYNC110 - a health has nobody to wake
        await trio.sleep(0.01)


async def test_a_redis_that_stands_still_is_a_problem_and_only_for_long_one_that_takes_a_process_out(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.cluster.rooms.AWAY_S", PATIENCE_S)
    with trio.fail_after(PATIENCE_S):
        async with process(own_redis) as rooms:
            assert said(rooms) == []
            own_redis.pause()
            try:
                await until_said(rooms, [("redis-away", False)])
                await rooms.ping()  # asks nobody
                monkeypatch.setattr("scramble.cluster.rooms.AWAY_S", 0.0)
                assert said(rooms) == [("redis-away", True)]
            finally:
                own_redis.resume()
            await until_said(rooms, [])


async def test_a_register_that_nobody_has_takes_no_process_out(own_redis: RedisServer) -> None:
    with trio.fail_after(PATIENCE_S):
        async with process(own_redis) as rooms:
            own_redis.ask("FLUSHALL")
            own_redis.ask("SET scr:format 2")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(create, rooms)
                await until_said(rooms, [("register-away", False)])
                own_redis.ask("SET scr:format 1")
            await until_said(rooms, [])


async def test_a_process_that_is_about_to_end_says_so_while_it_gives_its_rooms_up(own_redis: RedisServer) -> None:
    opened, ended = trio.open_memory_channel[ClusterRooms](1), trio.Event()
    leave = trio.Event()

    async def serve() -> None:
        async with process(own_redis) as rooms, rooms.enter((await create(rooms)).name):
            opened[0].send_nowait(rooms)
            await leave.wait()
        ended.set()

    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve)
            rooms = await opened[1].receive()
            assert said(rooms) == []
            own_redis.pause()
            try:
                leave.set()
                while ("stopping", True) not in said(rooms):  # noqa: ASYNC110
                    await trio.sleep(0.01)
                assert not ended.is_set()
            finally:
                own_redis.resume()


async def test_a_game_that_cannot_be_recorded_ends_with_one_line_of_the_log(
    own_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    with trio.fail_after(PATIENCE_S):
        async with process(own_redis) as rooms:
            name = (await create(rooms)).name
            async with rooms.enter(name) as room:
                assert isinstance(room.game, Game)
                own_redis.ask(f"HSET {rooms.link.names.room(name)} seq 99")
                with pytest.raises(GameStopped):
                    await room.game.flip("ann", 0, 0)
                with pytest.raises(GameStopped):
                    await room.next_record(room.record)
            await until_logged(caplog, "room-died")
    (died,) = [record for record in caplog.records if "room-died" in str(record.msg)]
    assert died.exc_info is None
    assert "Redis has lost commands" in str(died.msg)


async def test_a_register_that_cannot_be_used_ends_a_process_at_its_start_only(
    own_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    with trio.fail_after(PATIENCE_S):
        async with process(own_redis) as rooms:
            key = rooms.link.names.room(REGISTER)
            own_redis.ask(f"HSET {key} format 99")
            own_redis.ask(f"HDEL {key} owner")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(create, rooms)
                await until_logged(caplog, "register-stuck")
                with pytest.raises(JournalError, match="has format 99"):
                    async with process(own_redis):
                        pass
                own_redis.ask(f"HSET {key} format 1")
            assert len(await rooms.list(hidden=True)) == 1
