"""The checks of a Redis server before a cluster uses it. An unsuitable server is rejected before anything is written.

The checks reject a server that is too old, a replica, a server that evicts keys when it is full, a database with keys
of another program or games of another format, and a user without a needed permission. A warning (`redis-risk`) names
each risk for the operator: visible moves may be lost if Redis restarts, loses power, or fails over.

Safe under concurrency: processes that check at the same time come to the same result.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from scramble.cluster.link import CannotLink, RedisLink
from scramble.cluster.protocol import RedisRefused, RedisValue
from scramble.cluster.redis_memory import info
from scramble.cluster.scripts import (
    APPEND,
    FORMAT_KEY,
    KEYS_FORMAT,
    RESTORING,
    Beginning,
    claim,
    persistently,
    release,
    remove,
)
from scramble.logs import LogEntry

OLDEST: Final = (6, 2)
INFO_SECTIONS: Final = ("server", "replication", "memory", "persistence")

HALF: Final = "a backup is being restored there. If that was interrupted, empty this database and restore again"
FOREIGN_KEYS: Final = "another program has {} in this database: use another database"
NO_APPENDONLY: Final = "appendonly is off: if Redis is restarted, games go back to its last save"
NOT_ALWAYS: Final = "appendfsync is {}: at a power failure of Redis the last moves may be lost (everysec: up to 2 s)"
REPLICAS: Final = "it has replicas, which lag behind: if one takes over, the last moves may be lost"

logger = logging.getLogger(__name__)


async def check_redis(link: RedisLink) -> None:
    """Check that a cluster can use the Redis of a link, and log the risks for its operator.

    Waits for Redis. Raises CannotLink, in one line, if the cluster cannot use it; then nothing has been written.
    """
    said: dict[str, str] = {}
    try:
        for section in INFO_SECTIONS:
            said |= await persistently(partial(info, link, section))
        for objection in _objections(said):
            raise CannotLink(f"{link.address}: {objection}")
        await _claim_database(link)
        await _try_everything(link)
    except RedisRefused as refused:
        raise CannotLink(f"{link.address}: {_in_words(refused)}") from None
    for risk in _risks(said, await _fsync(link)):
        logger.warning(LogEntry("redis-risk", reason=risk))


def _objections(said: Mapping[str, str]) -> Iterator[str]:
    """Yield the reasons why a server is unusable."""
    version = said.get("redis_version", "0")
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
        yield f"this is Redis {version}: a cluster needs 6.2 or later, or Valkey"
    if said.get("role") == "slave":
        yield "this is a replica: give the address of its master"
    policy = said.get("maxmemory_policy", "noeviction")
    if policy != "noeviction" and said.get("maxmemory", "0") != "0":
        yield f"its maxmemory-policy is {policy}, so it would delete games when it is full: set it to noeviction"


async def _claim_database(link: RedisLink) -> None:
    """Write the format key, or verify it. Raises CannotLink and RedisRefused."""
    ask = partial(link.call, "GET", FORMAT_KEY)
    found = await persistently(ask)
    if found is None and await _has_other_keys(link):
        found = await persistently(ask)  # ask again: another process may have just written this key, its first key
        if found is None:
            raise CannotLink(f"{link.address}: {FOREIGN_KEYS.format('keys that begin with scr:')}")
    if found is None:
        await persistently(partial(link.call, "SET", FORMAT_KEY, KEYS_FORMAT, "NX"))
        found = await persistently(ask)
    if found != b"%d" % KEYS_FORMAT:
        text = found.decode(errors="replace") if isinstance(found, bytes) else ""
        if text.isascii() and text.isdigit():
            reason = f"its games have format {text}, and this version of scramble knows format {KEYS_FORMAT}"
        elif text.startswith(RESTORING):
            reason = HALF
        else:
            reason = FOREIGN_KEYS.format(f"a key {FORMAT_KEY}")
        raise CannotLink(f"{link.address}: {reason}")


def _risks(said: Mapping[str, str], fsync: str | None) -> Iterator[str]:
    """Yield the risks of losing acknowledged moves."""
    if said.get("aof_enabled") == "0":
        yield NO_APPENDONLY
    elif fsync is not None and fsync != "always":
        yield NOT_ALWAYS.format(fsync)
    if said.get("connected_slaves", "0") != "0":
        yield REPLICAS


async def _has_other_keys(link: RedisLink) -> bool:
    """Return True if the database has keys with our prefix other than heartbeats. Scans all keys, in steps."""
    cursor: RedisValue = b"0"
    while True:
        answer = await persistently(partial(link.call, "SCAN", _word(cursor), "MATCH", "scr:*", "COUNT", 1000))
        cursor, keys = answer if isinstance(answer, list) else (b"0", [])
        if isinstance(keys, list) and any(not _word(key).startswith(b"scr:alive:") for key in keys):
            return True
        if cursor == b"0":
            return False


def _word(value: RedisValue) -> bytes:
    return value if isinstance(value, bytes) else b"0"


async def _try_everything(link: RedisLink) -> None:
    """Try each operation of a cluster once, with a room that is removed again. Raises RedisRefused.

    A full Redis accepts no new room, but its rooms can still be read and removed. So with a full Redis the check ends
    at the new room, without an error.
    """
    room = f"check-{link.process}"
    keys = [link.names.room(room), link.names.log(room)]
    async with link.listen(link.names.everybody(), lambda _: None):
        await persistently(partial(link.call, "CLIENT", "REPLY", "ON"))
        await persistently(partial(link.call, "PUBLISH", link.names.everybody(), b"\x90"))
        await persistently(partial(link.call, "PUBSUB", "NUMSUB", link.names.everybody()))
        await persistently(partial(link.lives, link.process))
        try:
            owner = (await claim(link, room, None, Beginning("check", b"", time.time()))).owner
        except RedisRefused as refused:
            if refused.kind != "OOM":
                raise
            return
        if owner is not None:
            await persistently(partial(link.run, APPEND, keys, [str(owner), 0, 1, b"", b"", b"", b""]))
            await persistently(partial(link.call, "XRANGE", keys[1], "-", "+", "COUNT", 1))
            await release(link, room, owner)
        owner = (await claim(link, room, None)).owner
        if owner is not None:
            await remove(link, room, owner)


async def _fsync(link: RedisLink) -> str | None:
    """Return the setting `appendfsync`; None if this user may not read the setting, as on most hosted servers."""
    try:
        answer = await persistently(partial(link.call, "CONFIG", "GET", "appendfsync"))
    except RedisRefused:
        return None
    value = answer.get(b"appendfsync") if isinstance(answer, dict) else None
    return value.decode() if isinstance(value, bytes) else None


def _in_words(refused: RedisRefused) -> str:
    if refused.kind == "NOPERM" or "can't run this command" in str(refused):  # the second text comes from a script
        return f"its user lacks a permission: {refused}"
    if refused.kind == "WRONGTYPE":
        return FOREIGN_KEYS.format(f"a key {FORMAT_KEY}")
    if refused.kind == "OOM":
        return "it is full, so nothing can be recorded: raise its maxmemory"
    return str(refused)
