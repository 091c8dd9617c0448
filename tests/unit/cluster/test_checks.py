"""Checks of a Redis before its use, and its free memory, on real servers.

Partitions:
- a suitable server: empty; with games; checked by two processes at once; with risks; without `CONFIG`
- an unsuitable server: evicts keys; is a replica; is a cluster; has another program's keys, of any type; has another
  format; its user lacks a permission; is full
- its memory: unlimited; with room; full; with room again
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
import trio

from scramble.cluster.address import parse_address
from scramble.cluster.checks import check_redis
from scramble.cluster.link import CannotLink, RedisLink, open_link
from scramble.cluster.redis_memory import watch_memory
from scramble.cluster.scripts import FORMAT_KEY
from tests.support.cluster.redis import RedisServer, needs_redis

pytestmark = needs_redis

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "run-on-several-machines.md"


async def keys(link: RedisLink) -> list[bytes]:
    found = await link.call("KEYS", "*")
    assert isinstance(found, list)
    return sorted(key for key in found if isinstance(key, bytes) and b":alive:" not in key)


async def test_an_empty_redis_is_marked_and_nothing_else_stays(link: RedisLink) -> None:
    await check_redis(link)
    assert await keys(link) == [FORMAT_KEY.encode()]
    await check_redis(link)
    assert await keys(link) == [FORMAT_KEY.encode()]


async def test_processes_that_begin_together_all_find_it_usable(link: RedisLink, other: RedisLink) -> None:
    async with trio.open_nursery() as nursery:
        for one in (link, other):
            nursery.start_soon(check_redis, one)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("SET", FORMAT_KEY, "2"), "have format 2, and this version of scramble knows format 1"),
        (("SET", FORMAT_KEY, "screens"), "another program has a key scr:format"),
        (("LPUSH", FORMAT_KEY, "screens"), "another program has a key scr:format"),
        (("SET", "scr:eens", "1"), "another program has keys that begin with scr:"),
    ],
)
async def test_a_database_with_other_data_is_refused_and_left_alone(
    link: RedisLink, command: tuple[str, ...], words: str
) -> None:
    await link.call(*command)
    before = await keys(link)
    with pytest.raises(CannotLink, match=words):
        await check_redis(link)
    assert await keys(link) == before


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"maxmemory": "100mb", "maxmemory-policy": "allkeys-lru"}, "maxmemory-policy is allkeys-lru"),
        ({"cluster-enabled": "yes"}, "Redis Cluster"),
        ({"replicaof": "127.0.0.1 1", "replica-read-only": "no"}, "replica"),
    ],
)
async def test_a_server_that_cannot_be_used_is_refused(tmp_path: Path, config: Mapping[str, str], words: str) -> None:
    with RedisServer(tmp_path, config) as redis, pytest.raises(CannotLink, match=words):
        async with open_link(parse_address(redis.url)) as link:
            await check_redis(link)


@pytest.mark.parametrize(
    ("rights", "words"),
    [
        ("+@all -xadd ~scr:* &scr:*", "lacks a permission: "),
        ("+@all -client|reply ~scr:* &scr:*", "lacks a permission: .*client"),
        ("+@all ~scr:* &other:*", "lacks a permission: .*channel"),
        ("+@all ~other:* &scr:*", "NOPERM"),
    ],
)
async def test_a_user_who_lacks_a_permission_is_refused(redis: RedisServer, rights: str, words: str) -> None:
    async with open_link(parse_address(redis.url)) as link:
        await link.call("ACL", "SETUSER", "lacking", "reset", "on", ">secret", *rights.split())
        with pytest.raises(CannotLink, match=words):
            async with open_link(parse_address(redis.url.replace("//", "//lacking:secret@"))) as limited:
                await check_redis(limited)
        await link.call("ACL", "DELUSER", "lacking")


async def test_the_user_of_the_documentation_has_all_permissions_that_a_cluster_needs(redis: RedisServer) -> None:
    (line,) = re.findall(r"^user scramble on >SECRET (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    async with open_link(parse_address(redis.url)) as link:
        await link.call("ACL", "SETUSER", "scramble", "reset", "on", ">secret", *line.split())
        address = parse_address(redis.url.replace("//", "//scramble:secret@"))
        async with open_link(address) as limited, open_link(address) as leaving, watch_memory(limited):
            await check_redis(limited)
            assert await limited.lives(leaving.process)
        await link.call("ACL", "DELUSER", "scramble")


async def test_settings_that_may_lose_moves_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    with RedisServer(tmp_path, {"appendonly": "yes", "appendfsync": "everysec"}) as redis:
        async with open_link(parse_address(redis.url)) as link:
            await check_redis(link)
            assert "appendfsync is everysec" in caplog.text
            caplog.clear()
            await link.call("CONFIG", "SET", "appendonly", "no")
            await check_redis(link)
            assert "appendonly is off" in caplog.text
            caplog.clear()
            await link.call("CONFIG", "SET", "appendonly", "yes", "appendfsync", "always")
            await check_redis(link)
            assert not caplog.text


async def test_a_nearly_full_redis_has_no_room_until_memory_is_freed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.cluster.redis_memory.MEMORY_LOOK_S", 0.1)
    with RedisServer(tmp_path) as redis:
        async with open_link(parse_address(redis.url)) as link:
            async with watch_memory(link) as memory:
                assert memory.room_left()
                assert memory.used_bytes > 0
                assert memory.most_bytes is None
            await link.call("CONFIG", "SET", "maxmemory", int(1.02 * memory.used_bytes))
            async with watch_memory(link) as memory:
                assert not memory.room_left()
                await link.call("CONFIG", "SET", "maxmemory", 10 * memory.used_bytes)
                while not memory.room_left():  # noqa: ASYNC110 - measurements have no event
                    await trio.sleep(0.02)
            await link.call("CONFIG", "SET", "maxmemory", 1)
            with pytest.raises(CannotLink, match="it is full"):
                await check_redis(link)
