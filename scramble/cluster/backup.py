"""Backup of a cluster to a file, while its processes serve.

    async with open_link(address) as link:
        backup = await back_up_cluster(link, Path("friday.backup"))

The law: a backup has every move that was acknowledged before it began; its register names no room whose game or
settings it lacks, unless they were lost before; and each game in it is as it was at one moment.

- A hash is read in one step. Its stream grows at the end only, so the entries up to the number in the hash are those of
  the same moment, however late they are read. The register's stream drops its first entries, too: if one is missing
  that came after the older of the two snapshots, hash and entries are read again.
- Games are copied first, and the register last: once it names no room that was not copied. Settings are written before
  the register names their room, and deleted after it has forgotten it. The file may have games that its register does
  not name, because they were removed meanwhile; a restored cluster sweeps them up.

Safe under concurrency: it only reads, and what it reads is appended to, dropped and removed, never changed.
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
"""Seconds without an answer after which a backup or a restoration gives up: a link waits for Redis for ever."""

TRIES: Final = 3  # of copying a game of which entries are missing: it may be removed, or trimmed, meanwhile

RoomFields: TypeAlias = Mapping[str, bytes]
"""What the hash of a room has."""


class _Seq(msgspec.Struct):
    """Of a snapshot, the number of its command."""

    seq: int


_snapshot: Final = msgspec.msgpack.Decoder(_Seq)
_rows: Final = msgspec.msgpack.Decoder(list[msgspec.Raw])


class ClusterBackup(NamedTuple):
    """A backup that was made."""

    games: int  # of the rooms that somebody has entered
    size_bytes: int
    problems: tuple[str, ...]  # with the rooms that could not be copied, in words


async def back_up_cluster(link: RedisLink, to: Path) -> ClusterBackup:
    """Write all rooms of the cluster to the file `to`, which must not exist.

    A damaged room is a problem of the backup, and stops no other. Waits for Redis, for `NO_PROGRESS_S` at most. Raises
    BackupError, and JournalError if the register cannot be read; then there is no file.
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
    """A backup in the making."""

    # AF: the rooms _copied were copied, as far as there was anything, or are among the _problems; _games of them with a
    #     game. Of those _bare there were no settings.

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
        self._problems.extend(f"room {name}: its settings are gone from Redis" for name in bare)
        return ClusterBackup(self._games, self._writer.end(), tuple(self._problems))

    async def _records(self, fields: RoomFields) -> tuple[RoomRecord, ...]:
        """Return the rooms that the register had when its hash had these fields. Raises JournalError."""
        register = await recover_as_of(self._link, REGISTER, [fields.get(name) for name in ROOM_FIELDS], Register())
        (answered,) = register.apply(Ticket(0), ListRooms(most=sys.maxsize, hidden=True))
        assert isinstance(answered, Answered)
        return msgspec.convert(answered.value, tuple[RoomRecord, ...])

    async def _copy_room(self, record: RoomRecord) -> None:
        """Copy the settings of a room and its game, as far as there are any."""
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
        """Return what the hash of a room has at this moment; None if the room has no hash."""
        names = (*ROOM_FIELDS, "epoch")
        answer = await ask(partial(self._link.call, "HMGET", self._link.names.room(room), *names))
        values = msgspec.convert(answer, list[bytes | None])
        fields = {name: value for name, value in zip(names, values, strict=True) if value is not None}
        return fields or None

    async def _copy_game(self, room: str, fields: RoomFields) -> str | None:
        """Copy a game as it was when its hash had these fields; return why that cannot be done, and copy nothing."""
        place = self._writer.place()
        try:
            await self._write_game(room, fields)
        except ValueError as error:  # msgspec's errors are subclasses of it
            self._writer.go_back(place)
            return str(error)
        return None

    async def _write_game(self, room: str, fields: RoomFields) -> None:
        """Write a game. Raises ValueError if entries are missing, or cannot be understood."""
        if fields.get("format") != b"%d" % KEYS_FORMAT or "seq" not in fields:
            raise ValueError(f"it is not of format {KEYS_FORMAT}")
        self._writer.write(Room(room, {name: value for name, value in fields.items() if name != "owner"}))
        last, log = int(fields["seq"]), self._link.names.log(room)
        snapshots = [_snapshot.decode(fields[name]).seq for name in ("snapshot", "snapshot-before") if name in fields]
        start = min(snapshots, default=0)  # commands up to there may be gone: either snapshot does without them
        after = 0
        while after < last:
            found = await ask(partial(self._link.call, "XRANGE", log, f"({after}-0", str(last), "COUNT", PAGE))
            entries = msgspec.convert(found, list[LogRow])
            if not entries and last <= start:
                break
            if not entries:
                raise ValueError(f"its log ends at command {after}, and should at {last}")
            for identifier, words in entries:
                seq = int(identifier.partition(b"-")[0])
                before = seq - len(_rows.decode(words[words.index(b"c") + 1]))
                if before < after or before > max(after, start):
                    raise ValueError(f"in its log, command {before + 1} comes after command {after}")
                after = seq
            self._writer.write(Entries(entries))


async def ask(question: Callable[[], Awaitable[RedisValue]]) -> RedisValue:
    """Return the answer of Redis. Raises BackupError if it refuses, or has not answered for `NO_PROGRESS_S`."""
    with trio.move_on_after(NO_PROGRESS_S):
        try:
            return await persistently(question)
        except RedisRefused as refused:
            full = ". It is full: raise its maxmemory" if refused.kind == "OOM" else ""
            raise BackupError(f"Redis refuses: {refused}{full}") from refused
    raise BackupError(f"Redis has not answered for {NO_PROGRESS_S:g} s")
