"""A register of rooms whose log drops its first commands, in a real Redis.

Partitions:
- another process continues the register: once; again
- a backup: after commands were dropped; while commands are dropped
- the register's snapshots: sound; the latest one is damaged; both are damaged
- a state that an earlier version wrote
- the log of a room: keeps all commands
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from scramble.cluster.backup import back_up_cluster
from scramble.cluster.link import RedisLink
from scramble.cluster.log import read_log
from scramble.cluster.protocol import RedisValue, RedisWord
from scramble.cluster.register import REGISTER
from scramble.cluster.restoring import restore_cluster
from scramble.cluster.rooms import ClusterRooms
from scramble.errors import JournalError
from scramble.journal import commandlog
from scramble.journal.snapshots import StoredSnapshot
from scramble.memory import Game
from scramble.rooms.protocol import RoomRecord
from scramble.rooms.register import Register
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.unit.cluster.test_rooms import process

OPENED = 12
RENAMED = 100
KEPT = 40
"""The most commands in the log of the register: from the older of two snapshots to the next snapshot."""

WRITTEN = (
    b'{"next_number":4,"version":9,"rooms":[[2,{"name":"acorn-violet-piano-otter","kind":"memory","title":"Friday",'
    b'"settings":{"size":"4x4"},"opened":1700000000.5}],[3,{"name":"birch-amber-drum-heron","kind":"crossword",'
    b'"title":"Saturday","settings":{"puzzle":"kitchen"},"opened":1700000001.5,"visited":1700000002.5,"host":"c0ffee",'
    b'"public":true,"names":"open","bots":[{"level":"hard"}],"state":"ended","ended":1700000003.5,'
    b'"result":{"scores":{"ann":3},"winners":["ann"],"figures":{"ann":{"booms":1}}},"after":"acorn-violet-piano-otter",'
    b'"successor":"cedar-olive-flute-robin","turn_s":null,'
    b'"expelled":["facade"],"changes":7,"demo":true}]],"removed":[["dogwood-ruby-viola-stork",1700000004.5]]}'
)
"""A state of a register, as version 0.1 writes it: a room with only the required fields, and a room with all fields."""


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every twentieth command has a digest and a snapshot."""
    monkeypatch.setattr(commandlog, "DIGEST_EVERY", 20)
    monkeypatch.setattr(commandlog, "STATE_BYTES", 1 << 20)


async def busy(redis: RedisServer) -> list[RoomRecord]:
    """Return the rooms of a cluster whose only process has ended after some hundred commands to the register."""
    async with process(redis) as rooms:
        names = [(await rooms.create("memory", {"size": "4x4"})).name for _ in range(OPENED)]
        for number in range(RENAMED):
            await rooms.rename(names[number % OPENED], f"Room {number}")
        return [await rooms.find(name) for name in names]


async def rename(rooms: ClusterRooms, name: str, times: int) -> None:
    for number in range(times):
        await rooms.rename(name, f"Again {number}")


async def length(link: RedisLink) -> int:
    found = await link.call("XLEN", link.names.log(REGISTER))
    assert isinstance(found, int)
    return found


async def damage(link: RedisLink, field: str) -> None:
    """Damage that snapshot of the register, so that no version can restore it."""
    data = await link.call("HGET", link.names.room(REGISTER), field)
    assert isinstance(data, bytes)
    damaged = msgspec.structs.replace(msgspec.msgpack.decode(data, type=StoredSnapshot), state=b"{}")
    await link.call("HSET", link.names.room(REGISTER), field, msgspec.msgpack.encode(damaged))


@pytest.mark.usefixtures("exact")
@needs_redis
async def test_the_log_of_the_register_stays_short_and_every_process_goes_on_with_it(
    redis: RedisServer, link: RedisLink
) -> None:
    rooms = await busy(redis)
    assert await length(link) <= KEPT
    for _ in range(3):
        async with process(redis) as again:
            assert [await again.find(room.name) for room in rooms] == rooms
            await rename(again, rooms[0].name, RENAMED)
            rooms[0] = await again.find(rooms[0].name)
            assert await length(link) <= KEPT
    with pytest.raises(JournalError, match="room register cannot be replayed: its log begins at command"):
        await read_log(link, REGISTER)


@pytest.mark.usefixtures("exact")
@needs_redis
async def test_a_damaged_snapshot_is_passed_over_for_the_one_before(redis: RedisServer, link: RedisLink) -> None:
    rooms = await busy(redis)
    await damage(link, "snapshot")
    async with process(redis) as again:
        assert [await again.find(room.name) for room in rooms] == rooms
        await rename(again, rooms[0].name, RENAMED)
        assert await length(link) <= KEPT


@pytest.mark.usefixtures("exact")
@needs_redis
async def test_a_backup_needs_only_what_is_left(redis: RedisServer, link: RedisLink, tmp_path: Path) -> None:
    rooms = await busy(redis)
    backup = await back_up_cluster(link, tmp_path / "friday.backup")
    assert backup.problems == ()
    await link.call("FLUSHALL")
    await restore_cluster(link, tmp_path / "friday.backup")
    async with process(redis) as again:
        assert [await again.find(room.name) for room in rooms] == rooms


@pytest.mark.usefixtures("exact")
@needs_redis
async def test_a_backup_while_commands_are_dropped_does_not_depend_on_its_latest_snapshot(
    redis: RedisServer, link: RedisLink, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.cluster.backup.PAGE", 5)
    pages = 0

    rooms = await busy(redis)
    async with process(redis) as playing:
        call = link.call

        async def calling(*words: RedisWord) -> RedisValue:
            nonlocal pages
            if words[:2] == ("XRANGE", link.names.log(REGISTER)) and words[-1] == 5:
                pages += 1
                if pages == 3:
                    # until the next snapshot; it drops the commands before the previous snapshot
                    await rename(playing, rooms[0].name, KEPT // 4)
            return await call(*words)

        monkeypatch.setattr(link, "call", calling)
        assert (await back_up_cluster(link, tmp_path / "friday.backup")).problems == ()
        monkeypatch.undo()
        rooms[0] = await playing.find(rooms[0].name)
    await link.call("FLUSHALL")
    await restore_cluster(link, tmp_path / "friday.backup")
    await damage(link, "snapshot")
    async with process(redis) as again:
        assert [await again.find(room.name) for room in rooms] == rooms


@pytest.mark.usefixtures("exact")
@needs_redis
async def test_without_a_restorable_snapshot_the_error_names_the_version_and_no_damage(
    redis: RedisServer, link: RedisLink
) -> None:
    await busy(redis)
    await damage(link, "snapshot")
    await damage(link, "snapshot-before")
    with pytest.raises(JournalError, match="log begins at command 81, and this version of scramble cannot restore"):
        async with process(redis):
            pass


@pytest.mark.usefixtures("exact")
@needs_redis
async def test_all_commands_of_a_room_stay(redis: RedisServer, link: RedisLink) -> None:
    async with process(redis) as rooms:
        name = (await rooms.create("memory", {"board": "2x2\nA\nB\nA\nB\n"})).name
        async with rooms.enter(name) as room:
            assert isinstance(room.game, Game)
            for number in range(2 * KEPT):
                await room.game.flip("ann", 0, number % 2)
    found = await link.call("HGET", link.names.room(name), "snapshot-before")
    assert found is not None
    assert (await read_log(link, name)).records[0].seq == 1


def test_a_register_of_an_earlier_version_is_restored_to_the_very_same_state() -> None:
    """A later version depends on this: the commands that lead to the state are gone."""
    assert Register.restore(WRITTEN).state() == WRITTEN
