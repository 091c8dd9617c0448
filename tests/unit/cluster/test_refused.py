"""The health of a process of a cluster while Redis answers, but refuses all writes.

Partitions:
- Redis refuses all processes alike: too few replicas; an endless script; Redis still reads its files
- Redis refuses one process, because its link leads to a replica: for a moment; for long
- then: Redis accepts heartbeats again; Redis is killed after it has refused for long
"""

from __future__ import annotations

import socket

import pytest
import trio

from scramble.cluster.rooms import ClusterRooms
from tests.support.cluster.redis import LOADING, RedisServer, needs_redis
from tests.unit.cluster.test_outages import process, said, until_said

pytestmark = needs_redis

REFUSED = [("redis-refuses", False)]
SAMPLES = 30


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Problems that take a process out of a load balancer only after a while do so at once."""
    monkeypatch.setattr("scramble.cluster.rooms.AWAY_S", 0.0)


async def until_refused(rooms: ClusterRooms, kind: str) -> None:
    """Wait until the health says that Redis refuses writes. Check that this problem lasts, and has Redis's message."""
    await until_said(rooms, REFUSED)
    for _ in range(SAMPLES):
        assert said(rooms) == REFUSED
        (problem,) = rooms.problems()
        assert kind in problem.words
        await trio.sleep(0.01)


@pytest.mark.usefixtures("at_once", "quick_heartbeats")
async def test_too_few_replicas_take_no_process_out(own_redis: RedisServer) -> None:
    async with process(own_redis) as rooms:
        own_redis.ask("CONFIG SET min-replicas-to-write 1")
        await until_refused(rooms, "NOREPLICAS")
        own_redis.ask("CONFIG SET min-replicas-to-write 0")
        await until_said(rooms, [])


@pytest.mark.usefixtures("at_once", "quick_heartbeats")
async def test_a_script_that_does_not_end_takes_no_process_out(own_redis: RedisServer) -> None:
    async with process(own_redis) as rooms:
        own_redis.ask("CONFIG SET lua-time-limit 10")
        with socket.create_connection(("127.0.0.1", own_redis.port)) as busy:
            busy.sendall(b'EVAL "while true do end" 0\r\n')
            await until_refused(rooms, "BUSY")
            own_redis.ask("SCRIPT KILL")
        await until_said(rooms, [])


@pytest.mark.usefixtures("at_once", "quick_heartbeats")
async def test_a_redis_that_reads_its_files_takes_no_process_out(own_redis: RedisServer) -> None:
    async with process(own_redis) as rooms:
        await rooms.link.call("MSET", *(word for number in range(2000) for word in (str(number), bytes(1000))))
        await rooms.link.call("SAVE")
        own_redis.kill()
        own_redis.config.update({"key-load-delay": "10000", "loading-process-events-interval-bytes": "1024"})
        own_redis.start(LOADING)
        await until_refused(rooms, "LOADING")
        own_redis.ask("CONFIG SET key-load-delay 0")
        await until_said(rooms, [])


@pytest.mark.usefixtures("quick_heartbeats")
async def test_a_replica_takes_out_the_processes_whose_link_leads_there(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with process(own_redis) as rooms:
        own_redis.ask("REPLICAOF 127.0.0.1 1")
        await until_said(rooms, REFUSED)
        monkeypatch.setattr("scramble.cluster.rooms.AWAY_S", 0.0)
        await until_said(rooms, [("redis-refuses", True)])
        own_redis.ask("REPLICAOF NO ONE")
        await until_said(rooms, [])


@pytest.mark.usefixtures("quick_heartbeats")
async def test_a_redis_that_is_killed_after_it_has_refused_for_long_has_been_away_only_since_then(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with process(own_redis) as rooms:
        link = rooms.link
        own_redis.ask("CONFIG SET min-replicas-to-write 1")
        await until_said(rooms, REFUSED)
        while link.untaken_s - link.round_trip_s < 0.3:  # noqa: ASYNC110 - there is no event to wait for
            await trio.sleep(0.01)
        own_redis.kill()
        while link.refusal:  # noqa: ASYNC110 - there is no event to wait for
            await trio.sleep(0.01)
        monkeypatch.setattr("scramble.cluster.rooms.AWAY_S", (link.untaken_s + link.round_trip_s) / 2)
        assert said(rooms) == [("redis-away", False)]
