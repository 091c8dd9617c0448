"""A Redis that has lost commands to the register of rooms.

Processes that know the lost commands report the loss in the log, in a metric and to players.

Partitions:
- Redis: was emptied (FLUSHALL); was set back to an older state; lost nothing while the owner changed; lost nothing
  while a process began under a stream of commands
- the process: owns the register; has joined it
- requests to the register: some; no request
- a room: is awake; sleeps
"""

from __future__ import annotations

import itertools
import logging
from pathlib import Path

import pytest
import trio

from scramble.cluster.register import REGISTER
from scramble.errors import GameStopped
from scramble.logs import LogEntry
from scramble.memory import Game
from scramble.rooms.protocol import NoSuchRoom, RoomLost
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.unit.cluster.test_rooms import process

pytestmark = needs_redis


@pytest.fixture
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes check the register in Redis often."""
    monkeypatch.setattr("scramble.cluster.register.REGISTER_LOOK_S", 0.1)


def losses(caplog: pytest.LogCaptureFixture) -> list[LogEntry]:
    entries = [record.msg for record in caplog.records if record.levelno == logging.ERROR]
    return [entry for entry in entries if isinstance(entry, LogEntry) and entry.event == "register-lost"]


async def until_lost(caplog: pytest.LogCaptureFixture, count: int) -> None:
    while len(losses(caplog)) < count:  # noqa: ASYNC110 - a log has no event to wait for
        await trio.sleep(0.02)


@pytest.mark.usefixtures("quick_looks")
async def test_all_processes_report_that_redis_was_emptied(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with process(redis) as one, process(redis) as two:
        names = [(await one.create("memory", {"size": "4x4"})).name for _ in range(3)]
        await one.remove(names.pop())
        await two.find(names[0])
        async with two.enter(names[0]) as room:
            assert isinstance(room.game, Game)
            await room.game.flip("ann", 0, 0)
            assert redis.ask("FLUSHALL") == "+OK\n"
            await until_lost(caplog, 2)
            with pytest.raises(GameStopped):
                await room.game.flip("ann", 0, 1)
        for rooms in (one, two):
            with pytest.raises(RoomLost, match="rooms were lost"):
                await rooms.find(names[1])
            lost = {figure.name: figure.value for figure in rooms.figures()}
            assert lost["cluster_rooms_lost"] == 2
        again = (await one.create("memory", {"size": "4x4"})).name
        assert (await two.find(again)).name == again
    assert [entry.fields["rooms"] for entry in losses(caplog)] == [2, 2]


@pytest.mark.usefixtures("quick_looks")
async def test_a_redis_that_returns_with_old_data_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with RedisServer(tmp_path, {"save": ""}) as redis:
        async with process(redis) as rooms:
            kept = (await rooms.create("memory", {"size": "4x4"})).name
            assert redis.ask("SAVE") == "+OK\n"
            lost = (await rooms.create("memory", {"size": "4x4"})).name
            redis.kill()
            redis.start()
            await until_lost(caplog, 1)
            assert (await rooms.find(kept)).name == kept
            with pytest.raises(RoomLost):
                await rooms.find(lost)
    (entry,) = losses(caplog)
    assert (entry.fields["rooms"], entry.fields["commands"]) == (1, 1)


async def test_nothing_is_lost_when_the_register_moves(redis: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    async with process(redis) as two:
        async with process(redis) as one:
            name = (await one.create("memory", {"size": "4x4"})).name
            await two.find(name)
        assert (await two.find(name)).name == name
        with pytest.raises(NoSuchRoom) as missing:
            await two.find("no-such-room-here")
        assert missing.value.code == "no-such-room"
        assert await two.link.call("HGET", two.link.names.room(REGISTER), "owner")
    assert losses(caplog) == []


async def test_a_process_begins_though_commands_come_all_the_time(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with process(redis) as one, trio.open_nursery() as nursery:
        name = (await one.create("memory", {"size": "4x4"})).name

        async def rename(which: str) -> None:
            for number in itertools.count():
                await one.rename(name, f"{which} {number}")

        for which in "abc":
            nursery.start_soon(rename, which)
        for _ in range(3):
            async with process(redis) as two:
                assert (await two.find(name)).name == name
        nursery.cancel_scope.cancel()
    assert losses(caplog) == []
