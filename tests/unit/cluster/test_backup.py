"""Backup and restoration of a cluster, by the program's own functions, on one real Redis with two databases.

Partitions:
- during the backup: rooms are opened, played in and removed; nothing happens
- the file: whole; cut off at every byte; one byte changed, anywhere; of another format
- a room: without a game; with long settings; with a gap in its log; without its settings
- the log of the register: lacks commands that a snapshot contains; lacks commands that no snapshot contains
- the target: an empty database, over a link that holds or breaks often; a database with an unfinished restoration
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
import trio

from scramble.cluster.address import parse_address
from scramble.cluster.backup import back_up_cluster
from scramble.cluster.backupfile import BACKUP_HEADER, Entries, Settings, read_backup
from scramble.cluster.checks import check_redis
from scramble.cluster.link import CannotLink, RedisLink, open_link
from scramble.cluster.protocol import LinkLost
from scramble.cluster.restoring import ADD, restore_cluster
from scramble.cluster.rooms import ClusterRooms, open_cluster_rooms
from scramble.errors import JournalError
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.memory import Game
from scramble.rooms.backup import BackupError
from scramble.rooms.protocol import RoomRecord
from tests.support.cluster.console import Console
from tests.support.cluster.proxy import Proxy, open_proxy
from tests.support.cluster.redis import RedisServer, needs_redis

pytestmark = needs_redis

LONG = {"board": "20x20\n" + "".join(f"card-{number // 2}-{'x' * 20}\n" for number in range(400))}
SHORT = {"board": "2x2\nA\nA\nB\nB\n"}


@asynccontextmanager
async def linked(redis: RedisServer, database: int = 0) -> AsyncIterator[RedisLink]:
    async with open_link(parse_address(redis.url.removesuffix("0") + str(database))) as link:
        yield link


@asynccontextmanager
async def process(redis: RedisServer, database: int = 0) -> AsyncIterator[ClusterRooms]:
    async with linked(redis, database) as link:
        await check_redis(link)
        async with open_cluster_rooms(link) as rooms:
            yield rooms


async def flip(rooms: ClusterRooms, name: str, row: int = 0, column: int = 0) -> None:
    async with rooms.enter(name) as room:
        assert isinstance(room.game, Game)
        await room.game.flip("ann", row, column)


async def made(redis: RedisServer, path: Path) -> tuple[str, ...]:
    """Make a backup of database 0; return its problems."""
    async with linked(redis) as link:
        return (await back_up_cluster(link, path)).problems


async def restored(redis: RedisServer, path: Path) -> int:
    """Restore a backup to database 1; return its number of games."""
    async with linked(redis, 1) as link:
        return await restore_cluster(link, path)


async def all_rooms(rooms: ClusterRooms) -> dict[str, RoomRecord]:
    return {record.name: record for record in await rooms.list(hidden=True)}


async def test_a_backup_that_is_made_while_rooms_come_and_go_has_every_room_whole(
    redis: RedisServer, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    async with process(redis) as rooms, trio.open_nursery() as nursery:
        kept = [(await rooms.create("memory", LONG)).name for _ in range(20)]
        for name in kept:
            await flip(rooms, name)
        came = trio.Event()

        async def come_and_go() -> None:
            while True:
                name = (await rooms.create("memory", LONG)).name
                await flip(rooms, name)
                came.set()
                await rooms.remove((await rooms.create("memory", LONG)).name)
                await rooms.remove(name)
                await rooms.create("memory", LONG)

        nursery.start_soon(come_and_go)
        nursery.start_soon(come_and_go)
        await came.wait()
        assert await made(redis, path) == ()
        nursery.cancel_scope.cancel()
    assert await restored(redis, path) >= len(kept)
    async with process(redis, 1) as rooms:
        found = await all_rooms(rooms)
        assert set(kept) <= found.keys()
        for name in found:
            async with rooms.enter(name) as room:
                assert isinstance(room.game, Game)
                assert ("up" in await room.game.look("bob")) >= (name in kept)
        await flip(rooms, kept[0], 1, 1)


async def test_a_backup_that_was_cut_off_or_has_changed_is_refused(redis: RedisServer, tmp_path: Path) -> None:
    path, other = tmp_path / "file", tmp_path / "other"
    async with process(redis) as rooms:
        await flip(rooms, (await rooms.create("memory", SHORT)).name)
    assert await made(redis, path) == ()
    content = path.read_bytes()
    assert len(list(read_backup(path))) == 6  # begin; a game and the register with their entries; end
    for at in range(0, len(content), 3):
        for changed in (content[:at], content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]):
            other.write_bytes(changed)
            with pytest.raises(BackupError):
                list(read_backup(other))
    other.write_bytes(content + b"\0")
    with pytest.raises(BackupError, match="damaged"):
        list(read_backup(other))
    other.write_bytes(BACKUP_HEADER.replace(b"1", b"2") + content[len(BACKUP_HEADER) :])
    with pytest.raises(BackupError, match="format"):
        list(read_backup(other))


async def test_a_damaged_room_is_named_and_the_others_are_in_the_backup(redis: RedisServer, tmp_path: Path) -> None:
    path = tmp_path / "file"
    async with process(redis) as rooms:
        gap, bare, sound = [(await rooms.create("memory", LONG)).name for _ in range(3)]
        for name in (gap, sound):
            for column in range(3):
                await flip(rooms, name, 0, column)
    with Console(redis.port) as console:
        console.call("XDEL", f"scr:{{{gap}}}:log", "2-0")
        console.call("DEL", f"scr:{{{bare}}}:settings")
    problems = await made(redis, path)
    assert [name in problem for name, problem in zip((gap, bare), problems, strict=True)] == [True, True]
    assert await restored(redis, path) == 1
    async with process(redis, 1) as rooms:
        await flip(rooms, sound, 1, 1)


@pytest.mark.parametrize(
    "lose",
    [("XTRIM", "MINID", "999"), ("XDEL", "500-0"), ("XDEL", "1-0")],
    ids=["all up to it", "one in the middle", "the first"],
)
async def test_a_register_whose_log_lacks_commands_before_a_snapshot_is_backed_up(
    redis: RedisServer, tmp_path: Path, lose: tuple[str, ...]
) -> None:
    path = tmp_path / "file"
    async with process(redis) as rooms:
        name = (await rooms.create("memory", SHORT)).name
        for number in range(1010):
            await rooms.rename(name, f"title {number}")
    with Console(redis.port) as console:
        console.call(lose[0], "scr:{register}:log", *lose[1:])
    assert await made(redis, path) == ()
    assert await restored(redis, path) == 0
    async with process(redis, 1) as rooms:
        assert (await rooms.find(name)).title == "title 1009"


async def test_a_game_that_a_snapshot_has_whole_needs_no_log(redis: RedisServer, tmp_path: Path) -> None:
    path = tmp_path / "file"
    async with process(redis) as rooms:
        name = (await rooms.create("memory", SHORT)).name
        for number in range(999):
            await rooms.rename(name, f"title {number}")
    with Console(redis.port) as console:
        assert console.call("HGET", "scr:{register}:room", "seq") == b"1000"
        console.call("XTRIM", "scr:{register}:log", "MAXLEN", "0")
    assert await made(redis, path) == ()
    assert await restored(redis, path) == 0
    async with process(redis, 1) as rooms:
        assert (await rooms.find(name)).title == "title 998"
        await rooms.rename(name, "the next")
        assert (await rooms.find(name)).title == "the next"


async def test_a_register_that_lacks_commands_after_its_snapshot_has_no_backup(
    redis: RedisServer, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    async with process(redis) as rooms:
        await rooms.create("memory", SHORT)
        await rooms.create("memory", SHORT)
    with Console(redis.port) as console:
        console.call("XDEL", "scr:{register}:log", "1-0")
    with pytest.raises(JournalError, match="damaged"):
        await made(redis, path)
    assert not path.exists()


async def test_a_restoration_over_a_link_that_breaks_often_restores_everything(
    redis: RedisServer, tmp_path: Path
) -> None:
    path, again = tmp_path / "file", tmp_path / "again"
    async with process(redis) as rooms:
        for _ in range(10):
            name = (await rooms.create("memory", LONG)).name
            for column in range(5):
                await flip(rooms, name, 0, column)
    assert await made(redis, path) == ()
    async with open_proxy(redis.port) as proxy, open_link(parse_address(proxy.url)) as link:
        await link.call("FLUSHALL")
        async with open_side_nursery(cancel) as nursery:
            nursery.start_soon(cut_often, link, proxy)
            assert await restore_cluster(link, path) == 10
    assert await made(redis, again) == ()
    first, second = (
        [frame for frame in read_backup(file) if isinstance(frame, Entries | Settings)] for file in (path, again)
    )
    assert first == second


async def test_entries_whose_answer_was_lost_are_not_added_twice(redis: RedisServer) -> None:
    async with linked(redis) as link:
        await link.run(ADD, ["log"], ["1-0", 2, "c", "one"])
        await link.run(ADD, ["log"], ["1-0", 2, "c", "one", "3-0", 4, "c", "three", "d", "digest"])
        assert await link.call("XRANGE", "log", "-", "+") == [
            [b"1-0", [b"c", b"one"]],
            [b"3-0", [b"c", b"three", b"d", b"digest"]],
        ]


async def cut_often(link: RedisLink, proxy: Proxy) -> None:
    for _ in range(30):
        with suppress(LinkLost):
            await link.call("PING")
        proxy.cut()


async def test_no_process_starts_on_an_unfinished_restoration(redis: RedisServer, tmp_path: Path) -> None:
    path = tmp_path / "file"
    async with process(redis) as rooms:
        await rooms.create("memory", SHORT)
    assert await made(redis, path) == ()
    with Console(redis.port) as console:
        console.call("SELECT", 1)
        console.call("SET", "scr:format", "restoring by another")
        with pytest.raises(CannotLink, match="being restored"):
            async with process(redis, 1):
                pass
        with pytest.raises(BackupError, match="being restored"):
            await restored(redis, path)
        assert console.call("GET", "scr:format") == b"restoring by another"
