"""Restoration of a cluster from a backup to an empty database of Redis.

    async with open_link(address) as link:
        restored = await restore_cluster(link, Path("friday.backup"))

The law: the file is verified before anything is written. Before a restoration the database has no rooms; afterwards it
has all rooms of the backup, or still no rooms. Until the end, the format key has a mark that prevents claims. The
restored rooms have no owners, and their epochs are above the epochs of all earlier owners. So a process from before the
loss of Redis cannot write to the rooms, and the new owners ignore its messages.

Safe under concurrency: the mark keeps processes and other restorations away.
"""

from __future__ import annotations

import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
import trio

from scramble.cluster.backup import ask
from scramble.cluster.backupfile import Begin, Bots, End, Entries, Room, Settings, read_backup
from scramble.cluster.checks import HALF
from scramble.cluster.protocol import RedisLink, RedisWord
from scramble.cluster.register import REGISTER
from scramble.cluster.scripts import FORMAT_KEY, KEYS_FORMAT, RESTORING
from scramble.rooms.backup import BackupError
from scramble.rooms.names import is_room_name

UNDO_S: Final = 10.0
RESTORE_SCAN_COUNT: Final = 1000  # keys that Redis scans in one step
KEYS_DELETED_AT_ONCE: Final = 500  # keys that are deleted in one step

HIGHER: Final = 1_000_000
"""Added to an epoch above the current time. Such an epoch comes from a clock that was set back after the backup."""

NOT_EMPTY: Final = (
    "this database of Redis has rooms, and a backup is restored to an empty one. Stop scramble on all machines, delete"
    " the rooms if nobody needs them (redis-cli FLUSHDB), and restore again"
)

ADD: Final = """
local at = 1
while at <= #ARGV do
    local count = tonumber(ARGV[at + 1])
    local done = redis.pcall('XADD', KEYS[1], ARGV[at], unpack(ARGV, at + 2, at + 1 + count))
    if type(done) == 'table' and done.err and not string.find(done.err, 'equal or smaller', 1, true) then
        return done
    end
    at = at + 2 + count
end
return 1
"""
"""Adds entries to a stream. ARGV has for each entry its ID, the number of words, and the words. Skips known entries."""


async def restore_cluster(link: RedisLink, path: Path) -> int:
    """Restore the backup at `path` to the database of that link; return the number of its games.

    Waits for Redis, for `NO_PROGRESS_S` at most. Raises BackupError: the file is no complete backup, the database is
    not empty, or Redis refuses; then nothing has changed.
    """
    games = await trio.to_thread.run_sync(_verify, path)
    mark = f"{RESTORING} by {link.process}"
    await _require_empty(link, None)
    await ask(partial(link.call, "SET", FORMAT_KEY, mark, "NX"))
    written: list[str] = []
    try:
        await _require_empty(link, mark.encode())
        await _write(link, path, written)
        await ask(partial(link.call, "SET", FORMAT_KEY, KEYS_FORMAT))
    except BaseException:
        with trio.CancelScope(shield=True) as limit, suppress(BackupError):
            limit.deadline = trio.current_time() + UNDO_S
            await _undo(link, mark.encode(), written)
        raise
    return games


def _verify(path: Path) -> int:
    """Return the number of games in a backup. Blocks. Raises BackupError."""
    games = 0
    for frame in read_backup(path):
        if isinstance(frame, Room | Settings) and frame.room != REGISTER:
            if not is_room_name(frame.room):
                raise BackupError(f"{path} has a room that is called {frame.room!a}")
            games += isinstance(frame, Room)
    return games


async def _require_empty(link: RedisLink, mark: bytes | None) -> None:
    """Raise BackupError unless the database has only heartbeats and this format key."""
    found = await ask(partial(link.call, "GET", FORMAT_KEY))
    if found != mark:
        half = isinstance(found, bytes) and found.startswith(RESTORING.encode())
        raise BackupError(HALF if half else NOT_EMPTY)
    cursor: bytes = b"0"
    while True:
        answer = await ask(partial(link.call, "SCAN", cursor, "MATCH", "scr:*", "COUNT", RESTORE_SCAN_COUNT))
        cursor, keys = msgspec.convert(answer, tuple[bytes, list[bytes]])
        if any(key != FORMAT_KEY.encode() and not key.startswith(b"scr:alive:") for key in keys):
            raise BackupError(NOT_EMPTY)
        if cursor == b"0":
            return


async def _write(link: RedisLink, path: Path, written: list[str]) -> None:
    """Write all data except the format key. Add the written keys to `written`."""
    names, now_ms, log = link.names, int(time.time() * 1000), ""
    for frame in read_backup(path):
        words: list[RedisWord]
        match frame:
            case Bots(secret):
                words = ["SET", names.bots(), secret]
            case Settings(room, settings):
                words = ["SET", names.settings(room), settings]
            case Room(room, fields):
                epoch = max(now_ms, int(fields.get("epoch", b"0")) + HIGHER)
                words = ["HSET", names.room(room)]
                for name, value in (fields | {"epoch": b"%d" % epoch}).items():
                    words += (name, value)
                log = names.log(room)
            case Entries(entries):
                written.append(log)
                added: list[RedisWord] = []
                for identifier, found in entries:
                    added += (identifier, len(found), *found)
                await ask(partial(link.run, ADD, [log], added))
                continue
            case Begin() | End():
                continue
        written.append(str(words[1]))
        await ask(partial(link.call, *words))


async def _undo(link: RedisLink, mark: bytes, written: list[str]) -> None:
    """Delete the written keys, if the mark is still this restoration's."""
    if await ask(partial(link.call, "GET", FORMAT_KEY)) == mark:
        for start in range(0, len(written), KEYS_DELETED_AT_ONCE):
            await ask(partial(link.call, "UNLINK", *written[start : start + KEYS_DELETED_AT_ONCE]))
        await ask(partial(link.call, "DEL", FORMAT_KEY))
