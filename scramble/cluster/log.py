"""The log of a room in Redis. The one process that owns the room records the game, command by command.

    token = (await claim(link, room, None, Beginning(rules.kind, rules.state(), time.time()))).owner
    async with ClusterRecorder(link, room, token, room_left).recorded(rules) as (rules, log, *_):
        async with open_actor(rules, log=log) as actor:
            ...

The law of `scramble.journal` applies, with a stream in place of a file. In addition, a commit tells a process that it
is no longer the owner. So `commit` asks Redis for every batch, even for a batch without commands to write. A deposed
owner answers nothing more, not even a query.

- A command is in the stream before its effects are visible. A commit with a lost answer is sent again, but not executed
  twice, because the stream already ends with its last command.
- A deposed owner raises `Deposed`. If the log does not end at the expected command, Redis has lost acknowledged data;
  the owner raises `JournalFailed`. The game stops, and continues from the data in Redis when it is opened again.
- The same step writes a snapshot with every thousandth command. The last two snapshots and all commands stay. A log
  without replays (`keeps_all` is False) drops, with each snapshot, the commands up to the previous snapshot.
- Recovery begins at the latest snapshot that these rules restore to the same state, else at the first state. It rejects
  another format, another game, a gap, and a command with another result. The error has the reason.
- Parked requests of the last owner are withdrawn, because their callers are gone.

Safe under concurrency: the log belongs to the owner task, and Redis executes each script in one step.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, NamedTuple, TypeAlias, TypeVar

import msgspec
import trio

from scramble.cluster.protocol import Deposed, RedisLink, RedisRefused, RedisWord, Token
from scramble.cluster.redis_memory import MEMORY_LOOK_S
from scramble.cluster.scripts import APPEND, KEYS_FORMAT, parse_owner, persistently
from scramble.errors import JournalError, JournalFailed
from scramble.journal import recorder, recovery
from scramble.journal.commandlog import BatchedLog
from scramble.journal.recorder import Kept, Record, Recording
from scramble.journal.recovery import Recovery, decoding
from scramble.journal.snapshots import StoredSnapshot
from scramble.kernel.protocol import Durable, Ticket
from scramble.logs import LogEntry
from scramble.plaintext import one_line

PAGE: Final = 500  # entries of a stream in one read: during a read, Redis serves no other client

ROOM_FIELDS: Final = ("format", "owner", "kind", "first", "began", "seq", "snapshot", "snapshot-before")
"""The fields of a room's hash for the recovery of its game. The stream has the rest."""

REDIS_FULL: Final = "Redis is full: this cannot be recorded now, so nothing has changed; try again later"
"""The refusal of a command when Redis lacks memory."""

D = TypeVar("D", bound=Durable)

StreamRow: TypeAlias = tuple[int, float, bytes]
"""A command in the stream: its ticket, its time (seconds since 1970), and its JSON."""

_rows: Final = msgspec.msgpack.Decoder(list[StreamRow])
_digests: Final = msgspec.msgpack.Decoder(dict[int, str])
_snapshots: Final = msgspec.msgpack.Decoder(StoredSnapshot)

logger = logging.getLogger(__name__)


class ClusterRecorder:
    """A room's game in Redis, for the owner of the room. Implements `Recorder`."""

    def __init__(
        self,
        link: RedisLink,
        room: str,
        token: Token,
        room_left: Callable[[], bool] = lambda: True,
        *,
        keeps_all: bool = True,
    ) -> None:
        """Name the log of a room that this process has claimed with that token. Sends nothing yet.

        `room_left` returns False while Redis has no memory for more commands. Commands are then refused with DiskFull,
        and snapshots are not written. `room_left` is called for each command, and must not wait. If `keeps_all` is
        False, the log drops its first commands after two later snapshots, and then `read` raises JournalError.
        """
        self._link: Final = link
        self._room: Final = room
        self._token: Final = token
        self._room_left: Final = room_left
        self._keeps_all: Final = keeps_all

    @asynccontextmanager
    async def recorded(self, rules: D, /) -> AsyncIterator[Kept[D]]:
        """Record the game of the room during the block, from the end of its log on; `rules` are of the same kind.

        Waits for Redis, and for a worker thread that applies the commands since the last snapshot. Raises JournalError:
        the log is of another game, or this version of scramble does not understand it; Deposed: another process owns
        the room. Nothing has changed then. Raises JournalFailed if Redis refuses to write.
        """
        kept = await self._begin(rules)
        del rules  # free the first state during the game
        yield kept

    def read(self, *, after: int = 0) -> Recording:
        """Return the game, only with the commands after number `after`. Blocks: call it in a worker thread of trio.

        Works during the game. The records have no checksums if `after` is not 0. Raises JournalError.
        """
        return trio.from_thread.run(partial(read_log, self._link, self._room, after=after))

    def __str__(self) -> str:
        return f"room {self._room} in Redis"

    async def _begin(self, rules: D) -> Kept[D]:
        """Return the game after all its commands, with its log. Raises like `recorded`."""
        try:
            found = await _find(self._link, self._room)
            if found.owner != self._token:
                raise Deposed(_deposed(found.owner))
            if found.kind != rules.kind:
                raise JournalError(f"room {self._room} has a game of {found.kind}, not of {rules.kind}")
            game = await self._recover(found, rules)
        except RedisRefused as refused:
            raise JournalError(f"room {self._room} cannot be read: {refused}") from None
        log = ClusterLog(self._link, self._room, self._token, game, found, self._room_left, self._keeps_all)
        log.withdraw_parked()
        await log.commit()
        commands = game.last.seq if game.last else 0
        if commands:
            version = game.rules.version
            logger.info(
                LogEntry("room-recovered", room=self._room, game=rules.kind, commands=commands, version=version)
            )
        return Kept(game.rules, log, commands, recovered=commands > 0)

    async def _recover(self, found: _Found, rules: D) -> Recovery[D]:
        """Return the game after all its commands. Raises JournalError, and RedisRefused."""
        room = self._room
        game = await trio.to_thread.run_sync(partial(_newest, room, found, rules))
        seq, check = (game.last.seq, game.last.check) if game.last else (0, found.start(room))
        while entries := await _page(self._link, room, seq, found.seq):
            if seq == 0 and found.snapshots and entries[0].first > 1:
                raise JournalError(
                    f"room {room} cannot be recovered: its log begins at command {entries[0].first},"
                    " and this version of scramble cannot restore its snapshots"
                )
            records: list[Record] = []
            digests: dict[int, str] = {}
            for entry in entries:
                records += entry.records(room, seq, check)
                digests |= entry.digests
                seq, check = records[-1].seq, records[-1].check
            await trio.to_thread.run_sync(partial(recovery.replay, records, digests, game, f"room {room}"))
        _require_end(room, seq, found.seq)
        return game


async def read_log(link: RedisLink, room: str, *, after: int = 0) -> Recording:
    """Return the game of a room, only with the commands after number `after`. The owner may continue meanwhile.

    Waits for Redis. The records have no checksums (0) if `after` is not 0. Raises JournalError: the room does not
    exist, or its log is invalid.
    """
    records: list[Record] = []
    digests: dict[int, str] = {}
    try:
        found = await _find(link, room)
        check = found.start(room)
        seq = after
        while entries := await _page(link, room, seq, found.seq):
            if seq == 0 and found.snapshots and entries[0].first > 1:
                raise JournalError(f"room {room} cannot be replayed: its log begins at command {entries[0].first}")
            for entry in entries:
                for record in entry.records(room, seq, check):
                    records.append(record if after == 0 else msgspec.structs.replace(record, check=0))
                    seq, check = record.seq, record.check
                digests |= {number: digest for number, digest in entry.digests.items() if number > after}
    except RedisRefused as refused:
        raise JournalError(f"room {room} cannot be read: {refused}") from None
    _require_end(room, max(seq, after), max(found.seq, after))
    return Recording(found.kind, room, found.began, found.first, tuple(records), digests)


async def recover_as_of(link: RedisLink, room: str, fields: Sequence[bytes | None], rules: D) -> D:
    """Return the game of a room at the time of these `ROOM_FIELDS` of its hash. The owner may continue meanwhile.

    Waits for Redis. Raises JournalError: the log is invalid, or a needed part of it was removed since then.
    """
    try:
        reader = ClusterRecorder(link, room, Token(0, link.process))
        return (await reader._recover(_read_fields(room, fields), rules)).rules
    except RedisRefused as refused:
        raise JournalError(f"room {room} cannot be read: {refused}") from None


class ClusterLog(BatchedLog):
    """The `CommandLog` of a room in Redis, as its owner writes it. For the owner task only."""

    # AF: as BatchedLog; in addition, the stream ends at command number _written. If an append found Redis full, Redis
    #     counts as full until _full_until; before that time, `room_left` has a new measurement.

    def __init__(
        self,
        link: RedisLink,
        room: str,
        token: Token,
        game: Recovery[D],
        found: _Found,
        room_left: Callable[[], bool],
        keeps_all: bool,
    ) -> None:
        """Continue the log after the last command of `game`."""
        start, last, snapshot_at = found.start(room), game.last, game.snapshot_at
        super().__init__(game.rules, game.requests, start, last, snapshot_at, self._has_room, time.time, REDIS_FULL)
        self._measured_room: Final = room_left
        self._keeps_all: Final = keeps_all
        self._full_until = -math.inf
        self._link: Final = link
        self._token: Final = token
        self._owner: Final = str(token).encode()
        self._hash: Final = link.names.room(room)
        self._keys: Final = [self._hash, link.names.log(room)]
        self._written = found.seq

    async def commit(self) -> None:
        """Write all added commands to Redis, and wait for the answer. Without commands, only check the owner.

        Waits as long as Redis is down. After a cancellation the commands may be written or not, and the log must not be
        used again. Even a full Redis writes these commands, because they have been applied; later commands are refused
        until Redis has memory. Raises Deposed if another process owns the room now, and JournalFailed if Redis has lost
        commands, or refuses to write.
        """
        try:
            if not self._records:
                owner = await persistently(partial(self._link.call, "HGET", self._hash, "owner"))
                if owner != self._owner:
                    raise Deposed(_deposed(parse_owner(owner)))
                return
            batch = self._take_batch()
            drops = batch.snapshot is not None and not self._keeps_all
            rows: list[StreamRow] = [(record.ticket, record.time, record.command) for record in batch.records]
            words: tuple[RedisWord, ...] = (
                str(self._token),
                self._written,
                self._seq,
                msgspec.msgpack.encode(rows),
                msgspec.msgpack.encode(batch.digests) if batch.digests else b"",
                msgspec.msgpack.encode(batch.snapshot) if batch.snapshot else b"",
                f"{self._snapshot_at + 1}-0" if drops else b"",
            )
            answer = await persistently(partial(self._link.run, APPEND, self._keys, words))
        except RedisRefused as refused:
            raise JournalFailed(f"Redis does not record the game: {refused}") from refused
        what, found = msgspec.convert(answer, tuple[bytes, bytes])
        if what == b"owned":
            raise Deposed(_deposed(parse_owner(found)))
        if what == b"gap":
            raise JournalFailed(
                f"Redis has lost commands: the log ends at {found.decode()} where {self._written} were acknowledged"
            )
        if found == b"full":
            self._full_until = trio.current_time() + 2 * MEMORY_LOOK_S
        self._written = self._seq
        if batch.snapshot is not None:
            self._snapshot_at = batch.snapshot.seq

    def _has_room(self) -> bool:
        return self._measured_room() and trio.current_time() >= self._full_until


def _deposed(owner: Token | None) -> str:
    if owner is None:
        return "this process owns the game no longer"
    return f"another process owns the game now: {owner.process}"


# --- reading ----------------------------------------------------------------------------------------------------


class _Found(NamedTuple):
    """A room's data without its commands. `seq` is the number of the last command; the latest snapshot is first."""

    owner: Token | None
    kind: str
    first: bytes
    began: float
    seq: int
    snapshots: Sequence[bytes]

    def start(self, room: str) -> int:
        """Return the checksum before the first command."""
        return recorder.first_checksum(room, self.kind, self.began, self.first)


class _Entry(NamedTuple):
    """An entry of the stream: the commands of a commit. The last command has number `seq`."""

    seq: int
    rows: list[StreamRow]
    digests: dict[int, str]

    @property
    def first(self) -> int:
        """The number of the first command."""
        return self.seq - len(self.rows) + 1

    def records(self, room: str, after: int, check: int) -> list[Record]:
        """Return the commands after number `after`. `check` is the checksum up to `after`.

        Raises JournalError if a command is missing.
        """
        if self.first > after + 1:
            raise JournalError(f"room {room} is damaged: in its log, command {self.first} comes after command {after}")
        records: list[Record] = []
        for seq, (ticket, when, command) in enumerate(self.rows[after + 1 - self.first :], after + 1):
            check = recorder.checksum(check, Ticket(ticket), when, command)
            records.append(Record(seq, Ticket(ticket), when, command, check))
        return records


async def _find(link: RedisLink, room: str) -> _Found:
    """Read a room's hash. Raises JournalError and RedisRefused."""
    answer = await persistently(partial(link.call, "HMGET", link.names.room(room), *ROOM_FIELDS))
    with decoding(f"room {room}"):
        return _read_fields(room, msgspec.convert(answer, list[bytes | None]))


def _read_fields(room: str, fields: Sequence[bytes | None]) -> _Found:
    """Parse these values of `ROOM_FIELDS`. Raises JournalError."""
    with decoding(f"room {room}"):
        form, owner, *needed, latest, before = fields
        if form is None:
            raise JournalError(f"there is no game in room {room}")
        if form != b"%d" % KEYS_FORMAT:
            raise JournalError(
                f"room {room} has format {form.decode()}, and this version of scramble knows format {KEYS_FORMAT}"
            )
        kind, first, began, seq = msgspec.convert(needed, tuple[bytes, bytes, bytes, bytes])
        snapshots = [snapshot for snapshot in (latest, before) if snapshot is not None]
        return _Found(parse_owner(owner), kind.decode(), first, float(began), int(seq), snapshots)


async def _page(link: RedisLink, room: str, after: int, upto: int) -> list[_Entry]:
    """Return the next entries with commands after number `after`, up to `upto`; an empty list at the end.

    Raises JournalError and RedisRefused.
    """
    if after >= upto:
        return []
    start, end = f"({after}-0", str(upto)
    answer = await persistently(partial(link.call, "XRANGE", link.names.log(room), start, end, "COUNT", PAGE))
    with decoding(f"room {room}"):
        return [_entry(*item) for item in msgspec.convert(answer, list[tuple[bytes, list[bytes]]])]


def _entry(identifier: bytes, fields: list[bytes]) -> _Entry:
    seq, _, same = identifier.partition(b"-")
    by_name = dict(zip(fields[::2], fields[1::2], strict=True))
    if same != b"0" or b"c" not in by_name or by_name.keys() > {b"c", b"d"}:
        raise ValueError(f"entry {identifier!a} is no log entry")
    digests = _digests.decode(by_name[b"d"]) if b"d" in by_name else {}
    return _Entry(int(seq), _rows.decode(by_name[b"c"]), digests)


def _newest(room: str, found: _Found, rules: D) -> Recovery[D]:
    """Return the game after the latest snapshot that these rules restore, else in its first state.

    Raises JournalError.
    """
    for data in found.snapshots:
        seq = 0
        try:
            snapshot = _snapshots.decode(data)
            seq = snapshot.seq
            if seq > found.seq:
                raise JournalError(f"room {room} is damaged: it ends at command {found.seq}, with a snapshot of {seq}")
            return recovery.from_snapshot(rules, snapshot)
        except ValueError as error:  # msgspec's errors are subclasses of it
            reason = one_line(error)
            logger.warning(LogEntry("snapshot-ignored", game=found.kind, room=room, command=seq, reason=reason))
    with decoding(f"room {room}"):
        return Recovery(rules.restore(found.first))


def _require_end(room: str, found: int, expected: int) -> None:
    if found != expected:
        raise JournalError(f"room {room} is damaged: its log ends at command {found} instead of {expected}")
