"""The command log of one game in a journal that is open for writing: its commands, digests, snapshots and mark."""

from __future__ import annotations

import errno
import hashlib
import logging
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from scramble.errors import DiskFull, InvalidCommand, JournalFailed, LogFull
from scramble.journal import recorder, sqlite
from scramble.journal.disk import Disk, FileGuard, MarkFile, SqlConnection
from scramble.journal.mark import Mark
from scramble.journal.recorder import Record
from scramble.journal.snapshots import StoredSnapshot
from scramble.kernel.protocol import Answered, Command, Durable, Outcome, Refused, Ticket, Withdraw
from scramble.logs import LogEntry
from scramble.plaintext import one_line

DIGEST_EVERY: Final = 1000
"""Number of commands between two digests of the state: a digest takes as long as encoding the whole game."""

STATE_BYTES: Final = 256
"""Maximum bytes of a snapshot for each command since the last snapshot. A large state takes long to write, so it gets
snapshots less often. So snapshots need at most about as many bytes as the commands. A state of up to 256 kB gets a
snapshot with every digest."""

CLOSING_COMMANDS: Final = 100
"""Minimum number of commands for a snapshot at the end of a game. Recovery applies fewer commands in a few ms."""

FULL_ERRORS: Final = "the disk is full: this cannot be recorded now, so nothing has changed; try again later"
"""The error text for a command if the disk is full."""

DISK_FULL_WORDS: Final = "the disk is full"
NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT)

WITHDRAWAL: Final = msgspec.json.encode(Withdraw())

logger = logging.getLogger(__name__)


def digest_due(seq: int, rules: Durable) -> str | None:
    """Return the SHA-256 of the state after command number `seq`; None if this command gets no digest."""
    return None if seq % DIGEST_EVERY else hashlib.sha256(rules.state()).hexdigest()


class JournalFiles(NamedTuple):
    """The files of a journal that is open for writing."""

    connection: SqlConnection
    guard: FileGuard
    mark: MarkFile


class Requests:
    """The parked requests of a game and its highest ticket, computed from its commands and their outcomes."""

    def __init__(self, parked: Iterable[Ticket] = (), last_ticket: Ticket = Ticket(-1)) -> None:  # noqa: B008 - an int
        self.parked: Final = dict.fromkeys(parked)
        self.last_ticket = last_ticket

    def note(self, ticket: Ticket, outcomes: Sequence[Outcome], *, withdrawn: bool) -> None:
        """Update the requests after an applied command with its outcomes. `withdrawn`: the command was a `Withdraw`."""
        self.last_ticket = max(self.last_ticket, ticket)
        if withdrawn:
            self.parked.pop(ticket, None)
        else:
            self.parked[ticket] = None
        for outcome in outcomes:
            if isinstance(outcome, Answered | Refused):
                self.parked.pop(outcome.ticket, None)


class Batch(NamedTuple):
    """The data of a commit: commands, digests of the state by command number, and an optional snapshot."""

    records: Sequence[Record]
    digests: Mapping[int, str]
    snapshot: StoredSnapshot | None


class BatchedLog:
    """The common part of every `CommandLog`: collects the commands of the next commit.

    Only the owner task uses a log.
    """

    # AF: the commands of a game up to number _seq. _requests has their requests, _check has the checksum of all these
    #     commands, and _time has the latest time. The next commit writes _records, _digests, and _snapshot if it is
    #     set. The last sound snapshot is the snapshot of command _snapshot_at.
    # RI: the records have consecutive numbers; the last number is _seq. If _finished, the rules are in the state after
    #     command _seq, and no longer change.

    def __init__(
        self,
        rules: Durable,
        requests: Requests,
        start: int,
        last: Record | StoredSnapshot | None,
        snapshot_at: int,
        room_left: Callable[[], bool],
        now: Callable[[], float],
        no_room: str = FULL_ERRORS,
    ) -> None:
        """Continue the log after the command `last`; `start` is the checksum before the first command."""
        self._rules: Final = rules
        self._requests: Final = requests
        self._decoder: Final[msgspec.json.Decoder[Command[object]]] = msgspec.json.Decoder(rules.commands)
        self._seq = last.seq if last else 0
        self._check = last.check if last else start
        self._time = last.time if last else 0.0
        self.first_ticket: Final = Ticket(requests.last_ticket + 1)
        self._records: list[Record] = []
        self._digests: dict[int, str] = {}
        self._snapshot: StoredSnapshot | None = None
        self._snapshot_at = snapshot_at
        self._room_left: Final = room_left
        self._no_room: Final = no_room
        self._now: Final = now
        self._finished = False

    def prepare(self, command: Command[object], /, *, urgent: bool = False) -> tuple[Command[object], bytes]:
        """Return the command decoded from its own JSON, and the JSON. So recovery applies exactly the same command.

        Raises InvalidCommand if the command cannot be encoded. Raises DiskFull if there is no room, unless the command
        is `urgent` or frees space.
        """
        if not (urgent or self._room_left() or command.gives_room):
            raise DiskFull(self._no_room)
        try:
            prepared = msgspec.json.encode(command)
            return self._decoder.decode(prepared), prepared
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            # An embedding program may pass values of wrong types, or text that is not Unicode.
            raise InvalidCommand(f"the command cannot be encoded: {error}") from error

    def add(self, ticket: Ticket, prepared: bytes, outcomes: Sequence[Outcome], /) -> None:
        """Add a command to the next commit. The command has just changed the state, with these outcomes."""
        self._seq += 1
        self._time = max(self._time, self._now())  # a clock may be set back; times in a log never decrease
        self._check = recorder.checksum(self._check, ticket, self._time, prepared)
        self._records.append(Record(self._seq, ticket, self._time, prepared, self._check))
        self._requests.note(ticket, outcomes, withdrawn=prepared == WITHDRAWAL)
        if self._seq % DIGEST_EVERY == 0:
            state = self._rules.state()
            self._digests[self._seq] = hashlib.sha256(state).hexdigest()
            if self._room_left() and len(state) <= STATE_BYTES * (self._seq - self._snapshot_at):
                self._snapshot = self._take_snapshot(state)

    def withdraw_parked(self) -> None:
        """Withdraw all parked requests, because the process of their callers has ended. The next commit logs this."""
        for ticket in tuple(self._requests.parked):
            _, withdrawal = self.prepare(Withdraw(), urgent=True)
            self.add(ticket, withdrawal, self._rules.apply(ticket, Withdraw()))

    def finish(self) -> None:
        """Note that the game has ended normally. The rules are in the state after all added commands."""
        self._finished = True

    def _take_snapshot(self, state: bytes) -> StoredSnapshot:
        requests = self._requests
        parked = tuple(requests.parked)
        return StoredSnapshot(self._seq, self._time, self._check, requests.last_ticket, parked, state)

    def _take_batch(self) -> Batch:
        """Return the data of the next commit, and begin a new batch."""
        batch = Batch(self._records, self._digests, self._snapshot)
        self._records, self._digests, self._snapshot = [], {}, None
        return batch

    def _put_back(self, batch: Batch) -> None:
        """Restore a batch after a failed commit. Drop its snapshot, so that the batch needs less room."""
        self._records, self._digests = [*batch.records], {**batch.digests}

    def __str__(self) -> str:
        return f"journal of {self._seq} commands, {len(self._records)} of them to be written"


class JournalLog(BatchedLog):
    """The `CommandLog` of one game in a journal. The owner task uses it, or a worker thread while the owner waits."""

    def __init__(
        self,
        files: JournalFiles,
        path: Path,
        disk: Disk,
        game: int,
        start: int,
        rules: Durable,
        requests: Requests,
        last: Record | StoredSnapshot | None,
        snapshot_at: int,
        room_left: Callable[[], bool],
        *,
        waits: bool = False,
    ) -> None:
        """Continue the log of game number `game` after command `last`.

        `start` is the checksum before the first command.
        """
        super().__init__(rules, requests, start, last, snapshot_at, room_left, disk.now)
        self._files: Final = files
        self._path: Final = path
        self._disk: Final = disk
        self._game: Final = game
        self._start: Final = start
        self._waits: Final = waits  # True: if the disk is full, the game waits for room
        self._marked = False  # True: the mark has the last written command

    async def commit(self) -> None:
        """Write and sync all added commands. Waits. Raises JournalFailed, or LogFull if the commit can be retried."""
        if self._records or not self._marked:
            await self._disk.run(self.write)

    def write(self) -> None:
        """Write all added commands in one transaction, then the mark. Blocks. Raises like `commit`."""
        self._marked = False
        try:
            if self._records:
                batch = self._take_batch()
                try:
                    self._append(batch)
                except self._disk.errors:
                    self._put_back(batch)
                    raise
            missing = self._files.guard.missing()  # data written to a deleted file is lost
            if missing is None:
                self._files.mark.write(Mark(self._start, self._seq, self._check).encode())
                self._marked = True
        except OSError as error:
            if self._waits and error.errno in NO_SPACE:
                raise LogFull(DISK_FULL_WORDS, self._path) from error
            raise JournalFailed(f"its mark cannot be written: {error.strerror or error}", self._path) from error
        except self._disk.errors as error:
            if self._waits and getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
                raise LogFull(DISK_FULL_WORDS, self._path) from error
            raise JournalFailed(f"its journal cannot be written: {one_line(error)}", self._path) from error
        if missing is not None:
            raise JournalFailed(missing, self._path)

    def _append(self, batch: Batch) -> None:
        game, snapshot = self._game, batch.snapshot
        rows = [(game, r.seq, r.ticket, r.time, r.command.decode(), r.check) for r in batch.records]
        digests = [(game, seq, digest) for seq, digest in batch.digests.items()]
        row = None if snapshot is None else snapshot.row(game)
        sqlite.append(self._files.connection, rows, digests, row, keep=self._snapshot_at)  # keep the last sound one
        if snapshot is not None:
            self._snapshot_at = snapshot.seq

    def close(self) -> None:
        """Write a snapshot if the game has ended normally, and had enough commands since the last snapshot. Blocks.

        A failure is only logged: all commands are written, and the next opening applies them.
        """
        few = self._seq - self._snapshot_at < CLOSING_COMMANDS
        if few or self._records or not (self._finished and self._room_left()):
            return
        try:
            self._append(Batch((), {}, self._take_snapshot(self._rules.state())))
        except self._disk.errors as error:
            reason = one_line(error)
            logger.warning(LogEntry("snapshot-not-written", game=self._rules.kind, reason=reason))
