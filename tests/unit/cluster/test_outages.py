"""Outages that a process of a cluster survives: Redis refuses writes, does not answer, or has lost its data.

Partitions:
- Redis refuses writes for a while, and then accepts them again
- a game ends while the register is unusable
- the sweep of old rooms: meets an unusable register; meets a Redis that refuses its scan
- Redis has lost all data: other processes start; the database now has another format
- the outage flag: Redis is away, and comes back
- Redis hangs at the register's owner: during the recording of a command; with a command in the queue
- the health of a process: Redis answers; Redis hangs, for a moment and for long; the register has no owner (Redis
  refuses: test_refused.py)
- Redis has lost commands of a running game
- the register's log is invalid: at the start; later, and then again
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
from tests.support.cluster.proxy import Proxy
from tests.support.cluster.redis import RedisServer, needs_redis

pytestmark = needs_redis

ROUNDS = 10
"""After this number of answers, a task that waited for Redis to answer again has its answer, too."""


@asynccontextmanager
async def process(redis: RedisServer, keep_s: float = 1e6) -> AsyncIterator[ClusterRooms]:
    async with open_link(parse_address(redis.url)) as link, open_cluster_rooms(link, keep_s=keep_s) as rooms:
        yield rooms


async def create(rooms: ClusterRooms) -> RoomRecord:
    """Open a room; retry until the request succeeds."""
    while True:
        try:
            return await rooms.create("memory", {"size": "4x4"})
        except GameMoved:
            continue


@pytest.mark.usefixtures("quick_heartbeats")
async def test_a_process_outlives_a_redis_that_refuses_writes_for_a_while(own_redis: RedisServer) -> None:
    async with process(own_redis) as rooms, trio.open_nursery() as nursery:
        own_redis.ask("CONFIG SET min-replicas-to-write 1")
        nursery.start_soon(create, rooms)
        while not rooms.link.refusal:  # noqa: ASYNC110 - Redis refuses the heartbeats, too
            await trio.sleep(0.05)
        assert "errorstat_NOREPLICAS" in own_redis.ask("INFO errorstats")
        own_redis.ask("CONFIG SET min-replicas-to-write 0")
        await create(rooms)
        await rooms.list(hidden=True)


async def until_logged(caplog: pytest.LogCaptureFixture, event: str) -> None:
    while event not in caplog.text:  # noqa: ASYNC110 - a log has no event to wait for
        await trio.sleep(0.05)


@pytest.mark.parametrize("fault", ["register", "search"])
async def test_a_look_for_old_rooms_that_fails_is_repeated(
    own_redis: RedisServer, fault: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.rooms.rooms_base.SWEEP_S", 0.05)
    monkeypatch.setattr("scramble.rooms.rooms_base.SWEEP_AGAIN_S", 0.05)
    async with process(own_redis, keep_s=-1e6) as rooms:  # rooms are old from the start
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


async def test_a_result_during_an_outage_of_the_register_is_recorded_after_the_outage(
    own_redis: RedisServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.rooms.supervision.RESULT_AGAIN_S", 0.05)
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


async def test_other_processes_may_start_after_redis_has_lost_its_data(own_redis: RedisServer) -> None:
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


async def test_a_process_reports_that_its_database_has_another_format(
    own_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with process(own_redis) as rooms:
        own_redis.ask("FLUSHALL")
        own_redis.ask("SET scr:format 2")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(create, rooms)
            await until_logged(caplog, "register-stuck reason=\"scr:format in Redis is '2'")
            own_redis.ask("SET scr:format 1")


async def test_requests_at_the_registers_owner_do_not_wait_forever_for_a_hanging_redis(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.cluster.register.ASK_S", 0.1)
    monkeypatch.setattr("scramble.cluster.rooms.COUNT_S", 0.1)

    async def resume_in_the_end() -> None:
        await trio.sleep(HANG_S / 2)
        own_redis.resume()

    async with process(own_redis) as rooms, trio.open_nursery() as nursery:
        nursery.start_soon(resume_in_the_end)
        own_redis.pause()
        with pytest.raises(GameMoved):
            await rooms.list()  # the register executes it, and cannot record it
        with pytest.raises(GameMoved):
            await rooms.list()  # waits in the queue behind the first request
        with pytest.raises(GameMoved):
            await rooms.counts()
        with trio.CancelScope() as leaving:
            leaving.cancel()
            await rooms.list()
        assert leaving.cancelled_caught
        own_redis.resume()
        monkeypatch.setattr("scramble.cluster.register.ASK_S", HANG_S)
        assert await rooms.list() == ()
        nursery.cancel_scope.cancel()


async def test_the_outage_flag_is_set_while_redis_is_away_and_cleared_once_it_answers(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.cluster.rooms.BLIP_S", 0.0)
    async with open_link(parse_address(proxy.url)) as link, open_cluster_rooms(link) as rooms:
        proxy.cut(refuse=True)
        while not rooms.outage.is_on:  # noqa: ASYNC110 - the flag has no event to wait for
            await trio.sleep(0.001)
        proxy.resume()
        for _ in range(ROUNDS):
            await link.call("PING")
        assert not rooms.outage.is_on


def said(rooms: ClusterRooms) -> list[tuple[str, bool]]:
    """Return the problems of a process, each with True if it takes the process out of a load balancer."""
    return [(problem.code, problem.down) for problem in rooms.problems()]


async def until_said(rooms: ClusterRooms, expected: list[tuple[str, bool]]) -> None:
    while said(rooms) != expected:  # noqa: ASYNC110 - the health has no event to wait for
        await trio.sleep(0.01)


@pytest.mark.usefixtures("quick_heartbeats")
async def test_a_hanging_redis_is_a_problem_and_takes_a_process_out_only_after_a_while(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.cluster.rooms.AWAY_S", HANG_S)
    async with process(own_redis) as rooms:
        await until_said(rooms, [])
        own_redis.pause()
        try:
            await until_said(rooms, [("redis-away", False)])
            await rooms.ping()  # sends no request
            monkeypatch.setattr("scramble.cluster.rooms.AWAY_S", 0.0)
            assert said(rooms) == [("redis-away", True)]
        finally:
            own_redis.resume()
        await until_said(rooms, [])


async def test_a_register_that_nobody_has_takes_no_process_out(own_redis: RedisServer) -> None:
    async with process(own_redis) as rooms:
        own_redis.ask("FLUSHALL")
        own_redis.ask("SET scr:format 2")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(create, rooms)
            await until_said(rooms, [("register-away", False)])
            own_redis.ask("SET scr:format 1")
        await until_said(rooms, [])


async def test_a_stopping_process_reports_this_while_it_gives_its_rooms_up(own_redis: RedisServer) -> None:
    opened, ended = trio.open_memory_channel[ClusterRooms](1), trio.Event()
    leave = trio.Event()

    async def serve() -> None:
        async with process(own_redis) as rooms, rooms.enter((await create(rooms)).name):
            opened[0].send_nowait(rooms)
            await leave.wait()
        ended.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        rooms = await opened[1].receive()
        await until_said(rooms, [])
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


async def test_an_unusable_register_ends_a_process_only_at_its_start(
    own_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
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
