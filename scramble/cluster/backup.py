"""Backup of a cluster to a file, while its processes serve.

    async with open_link(address) as link:
        backup = await back_up_cluster(link, Path("friday.backup"))

The law: a backup has every move that was acknowledged before the backup began. If the register in the backup names a
room, the backup also has the game and the settings of the room, unless Redis had already lost them. Each game in the
backup is the game of one moment.

- Redis reads a hash in one step, and a stream only grows at its end. So the entries up to the number in the hash belong
  to the same moment, even if they are read later. The register's stream also drops its first entries. If an entry after
  the older snapshot is missing, the backup reads hash and entries again.
- Games are copied first. The register is copied last, once all its rooms are copied. A room's settings are written
  before the register names the room, and deleted after the register has removed the room. The file may have games of
  rooms that were removed meanwhile; its register does not name these rooms. A restored cluster deletes the games.

Safe under concurrency: the backup only reads. Other processes append, drop and remove data, but never change it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import msgspec
import trio

from scramble.cluster.backupfile import BackupWriter, Begin, Bots, Entries, LogRow, Room, Settings
from scramble.cluster.log import PAGE, ROOM_FIELDS, recover_as_of
from scramble.cluster.protocol import RedisLink, RedisRefused, RedisValue
from scramble.cluster.register import REGISTER
from scramble.cluster.scripts import FORMAT_KEY, KEYS_FORMAT, persistently
from scramble.kernel.protocol import Answered, Ticket
from scramble.rooms.backup import BackupError
from scramble.rooms.protocol import RoomRecord
from scramble.rooms.register import Register
from scramble.rooms.registermessages import ListRooms
from scramble.rooms.settings_files import long_digest

NO_PROGRESS_S: Final = 60.0
"""Seconds without an answer after which a backup or a restoration stops with an error. A link has no such limit."""

TRIES: Final = 3  # to copy a game with missing entries: another process may remove or trim the game meanwhile

RoomFields: TypeAlias = Mapping[str, bytes]
"""The fields of a room's hash."""


class _Seq(msgspec.Struct):
    """The command number of a snapshot."""

    seq: int


_snapshot: Final = msgspec.msgpack.Decoder(_Seq)
_rows: Final = msgspec.msgpack.Decoder(list[msgspec.Raw])


class ClusterBackup(NamedTuple):
    """The result of a backup."""

    games: int  # of the entered rooms
    size_bytes: int
    problems: tuple[str, ...]  # sentences about the rooms that could not be copied


async def back_up_cluster(link: RedisLink, to: Path) -> ClusterBackup:
    """Write all rooms of the cluster to the file `to`, which must not exist.

    A damaged room is a problem in the result, and does not stop the backup. Waits for Redis, for `NO_PROGRESS_S` at
    most. Raises BackupError, and JournalError if the register cannot be read; then there is no file.
    """
    found = await ask(partial(link.call, "GET", FORMAT_KEY))
    if found is None:
        raise BackupError("there are no rooms in this database of Redis")
    if found != b"%d" % KEYS_FORMAT:
        raise BackupError(f"{FORMAT_KEY} in Redis is {found!a}, and this version of scramble knows {KEYS_FORMAT}")
    try:
        with BackupWriter(to) as writer:
            return await _Copying(link, writer).run()
    except FileExistsError:
        raise BackupError(f"{to} exists: a backup goes to a file of its own") from None
    except OSError as error:
        raise BackupError(f"{to} cannot be written: {error.strerror or error}") from error


class _Copying:
    """A backup in progress."""

    # AF: the data of the rooms in _copied was copied, or _problems names the room. _games counts the copied games. The
    #     rooms in _bare lacked their settings.

    def __init__(self, link: RedisLink, writer: BackupWriter) -> None:
        self._link: Final = link
        self._writer: Final = writer
        self._copied: Final[set[str]] = set()
        self._bare: Final[set[str]] = set()
        self._games = 0
        self._problems: Final[list[str]] = []

    async def run(self) -> ClusterBackup:
        self._writer.write(Begin(time.time()))
        secret = await ask(partial(self._link.call, "GET", self._link.names.bots()))
        if isinstance(secret, bytes):
            self._writer.write(Bots(secret))
        tries = 0
        while True:
            fields = await self._fields(REGISTER)
            if fields is None:
                raise BackupError("there are no rooms in this database of Redis")
            records = await self._records(fields)
            missing = [record for record in records if record.name not in self._copied]
            for record in missing:
                await self._copy_room(record)
            if missing:
                continue
            problem = await self._copy_game(REGISTER, fields)
            if problem is None:
                break
            tries += 1
            if tries == TRIES:
                raise BackupError(f"the register is damaged: {problem}")
        bare = [record.name for record in records if record.name in self._bare]
        self._problems.extend(f"room {name}: its settings are missing in Redis" for name in bare)
        return ClusterBackup(self._games, self._writer.end(), tuple(self._problems))

    async def _records(self, fields: RoomFields) -> tuple[RoomRecord, ...]:
        """Return the rooms in the register at the time of these fields of its hash. Raises JournalError."""
        register = await recover_as_of(self._link, REGISTER, [fields.get(name) for name in ROOM_FIELDS], Register())
        (answered,) = register.apply(Ticket(0), ListRooms(most=sys.maxsize, hidden=True))
        assert isinstance(answered, Answered)
        return msgspec.convert(answered.value, tuple[RoomRecord, ...])

    async def _copy_room(self, record: RoomRecord) -> None:
        """Copy the settings and the game of a room, if they exist."""
        room = record.name
        self._copied.add(room)
        if long_digest(record) is not None:
            settings = await ask(partial(self._link.call, "GET", self._link.names.settings(room)))
            if isinstance(settings, bytes):
                self._writer.write(Settings(room, settings))
            else:
                self._bare.add(room)
        problem: str | None = None
        for _ in range(TRIES):
            fields = await self._fields(room)
            if fields is None:
                return
            problem = await self._copy_game(room, fields)
            if problem is None:
                self._games += 1
                return
        self._problems.append(f"room {room} is damaged: {problem}")

    async def _fields(self, room: str) -> RoomFields | None:
        """Return the present fields of a room's hash; None if the room has no hash."""
        names = (*ROOM_FIELDS, "epoch")
        answer = await ask(partial(self._link.call, "HMGET", self._link.names.room(room), *names))
        values = msgspec.convert(answer, list[bytes | None])
        fields = {name: value for name, value in zip(names, values, strict=True) if value is not None}
        return fields or None

    async def _copy_game(self, room: str, fields: RoomFields) -> str | None:
        """Copy a game at the time of these fields of its hash. After a failure return its reason, and copy nothing."""
        place = self._writer.place()
        try:
            await self._write_game(room, fields)
        except ValueError as error:  # msgspec's errors are subclasses of it
            self._writer.go_back(place)
            return str(error)
        return None

    async def _write_game(self, room: str, fields: RoomFields) -> None:
        """Write a game. Raises ValueError if entries are missing or invalid."""
        if fields.get("format") != b"%d" % KEYS_FORMAT or "seq" not in fields:
            raise ValueError(f"it is not of format {KEYS_FORMAT}")
        self._writer.write(Room(room, {name: value for name, value in fields.items() if name != "owner"}))
        last, log = int(fields["seq"]), self._link.names.log(room)
        snapshots = [_snapshot.decode(fields[name]).seq for name in ("snapshot", "snapshot-before") if name in fields]
        start = min(snapshots, default=0)  # commands before both snapshots may be missing: nothing needs them
        after = 0
        while after < last:
            found = await ask(partial(self._link.call, "XRANGE", log, f"({after}-0", str(last), "COUNT", PAGE))
            entries = msgspec.convert(found, list[LogRow])
            if not entries and last <= start:
                break
            if not entries:
                raise ValueError(f"its log ends at command {after} instead of {last}")
            for identifier, words in entries:
                seq = int(identifier.partition(b"-")[0])
                before = seq - len(_rows.decode(words[words.index(b"c") + 1]))
                if before < after or before > max(after, start):
                    raise ValueError(f"in its log, command {before + 1} comes after command {after}")
                after = seq
            self._writer.write(Entries(entries))


async def ask(question: Callable[[], Awaitable[RedisValue]]) -> RedisValue:
    """Return the answer of Redis. Raises BackupError after a refusal, or `NO_PROGRESS_S` without an answer."""
    with trio.move_on_after(NO_PROGRESS_S):
        try:
            return await persistently(question)
        except RedisRefused as refused:
            full = ". It is full: raise its maxmemory" if refused.kind == "OOM" else ""
            raise BackupError(f"Redis refuses: {refused}{full}") from refused
    raise BackupError(f"Redis has not answered for {NO_PROGRESS_S:g} s")
