"""A register of rooms whose log drops its first commands, in a real Redis: it goes on, and is backed up, all the same.

Partitions: another process goes on with it, once and again; it is backed up; the latest snapshot is sound, damaged; a
state that an earlier version wrote. test_log.py shows that the log of a room has all of its commands.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import trio

from scramble.cluster.backup import back_up_cluster
from scramble.cluster.link import RedisLink
from scramble.cluster.log import read_log
from scramble.cluster.register import REGISTER
from scramble.cluster.restoring import restore_cluster
from scramble.errors import JournalError
from scramble.journal import commandlog
from scramble.journal.snapshots import Snapshot
from scramble.rooms.protocol import RoomRecord
from scramble.rooms.register import Register
from tests.support import HANG_S
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.unit.cluster.test_rooms import process

NODE: int = 100
"""Entries that Redis drops together (`stream-node-max-entries`)."""

OPENED = 12
RENAMED = 400

WRITTEN = (
    b'{"next_number":3,"version":4,"rooms":[[2,{"name":"acorn-violet-piano-otter","kind":"memory","title":"Friday",'
    b'"settings":{"size":"4x4"},"opened":1700000000.5,"names":"open","changes":1}]],'
    b'"removed":[["birch-amber-drum-heron",1700000001.5]]}'
)
"""A state of a register, as version 0.1 writes it."""


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every twentieth command has a digest and a snapshot."""
    monkeypatch.setattr(commandlog, "DIGEST_EVERY", 20)
    monkeypatch.setattr(commandlog, "STATE_BYTES", 1 << 20)


async def busy(redis: RedisServer) -> list[RoomRecord]:
    """The rooms of a cluster after some hundred commands of its register, whose process has ended."""
    async with process(redis) as rooms:
        names = [(await rooms.create("memory", {"size": "4x4"})).name for _ in range(OPENED)]
        for number in range(RENAMED):
            await rooms.rename(names[number % OPENED], f"Room {number}")
        return [await rooms.find(name) for name in names]


async def length(link: RedisLink) -> int:
    found = await link.call("XLEN", link.names.log(REGISTER))
    assert isinstance(found, int)
    return found


@needs_redis
async def test_the_log_of_the_register_stays_short_and_every_process_goes_on_with_it(
    redis: RedisServer, link: RedisLink
) -> None:
    with trio.fail_after(HANG_S):
        rooms = await busy(redis)
        assert await length(link) <= 2 * NODE
        for _ in range(3):
            async with process(redis) as again:
                assert [await again.find(room.name) for room in rooms] == rooms
                for number in range(RENAMED):
                    await again.rename(rooms[0].name, f"Again {number}")
                rooms[0] = await again.find(rooms[0].name)
                assert await length(link) <= 2 * NODE
    with pytest.raises(JournalError, match="comes after command 0"):
        await read_log(link, REGISTER)


@needs_redis
async def test_a_damaged_snapshot_is_passed_over_for_the_one_before(redis: RedisServer, link: RedisLink) -> None:
    with trio.fail_after(HANG_S):
        rooms = await busy(redis)
        data = await link.call("HGET", link.names.room(REGISTER), "snapshot")
        assert isinstance(data, bytes)
        damaged = msgspec.structs.replace(msgspec.msgpack.decode(data, type=Snapshot), state=b"{}")
        await link.call("HSET", link.names.room(REGISTER), "snapshot", msgspec.msgpack.encode(damaged))
        async with process(redis) as again:
            assert [await again.find(room.name) for room in rooms] == rooms
            for number in range(RENAMED):
                await again.rename(rooms[0].name, f"Again {number}")
            assert await length(link) <= 2 * NODE


@needs_redis
async def test_a_backup_needs_only_what_is_left(redis: RedisServer, link: RedisLink, tmp_path: Path) -> None:
    with trio.fail_after(HANG_S):
        rooms = await busy(redis)
        backup = await back_up_cluster(link, tmp_path / "friday.backup")
        assert backup.problems == ()
        await link.call("FLUSHALL")
        await restore_cluster(link, tmp_path / "friday.backup")
        async with process(redis) as again:
            assert [await again.find(room.name) for room in rooms] == rooms


def test_a_register_of_an_earlier_version_is_restored_to_the_very_same_state() -> None:
    """Else a later version could not go on: the commands that lead to the state are gone."""
    assert Register.restore(WRITTEN).state() == WRITTEN
