"""Journals: record every command that changes a game in an SQLite database before its effects become visible.

    async with recorded(board, Journal("game.db")) as kept, open_actor(kept.rules, log=kept.log) as actor:
        ...

Because rules are pure, the first state and the commands in order determine a game. So a journal stores only the first
state and the commands, and recovery after a crash applies the commands again. A journal makes these promises:

- A sent answer survives a crash of the process, and of the machine if its disk obeys `fsync`: the owner task sends no
  answer before `CommandLog.commit` has returned. A commit is one transaction in a write-ahead log with
  `synchronous=FULL`. A transaction is stored completely or not at all.
- Recovery leads to the same state. After every thousand commands a digest of the state is stored. Recovery compares
  its own states with the digests. Each command has a running checksum of itself and all commands before it.
- Recovery takes time in proportion to the commands after the last snapshot of the state (`scramble.journal.snapshots`).
  Recovery verifies the snapshot and the later commands. In a small file it also verifies the checksums of all commands.
  All commands stay in the file: `read_recording`, `scramble journal check` and a replay read and verify each command.
- Recovery withdraws the requests that the dead process had parked, because their callers are gone. So a player who has
  left cannot win a card. The withdrawals are logged like other commands.
- An unusable journal is refused with an error message, and not changed. A journal without all acknowledged commands
  is unusable, too: `scramble.journal.mark` records the last command of the game.
- A cancelled opening ends soon, and has not changed the file.
- If there is no room, commands are refused with `DiskFull` and change nothing (`Journal.room_left`). If the disk is
  full although `room_left` returned True, the applied commands wait until they can be written. A failing disk stops the
  game. A full disk also stops a game without `room_left`.
- If a journal is moved, replaced or deleted during the game, the game stops at the next command.

Safe under concurrency: the log belongs to the owner task, which waits while a worker thread writes. A lock prevents
other processes from writing the same file.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec
import trio

from scramble.errors import JournalError, JournalFailed
from scramble.journal import commandlog, recovery, snapshots, sqlite
from scramble.journal.commandlog import JournalFiles, JournalLog
from scramble.journal.disk import FILES, Disk, SqlConnection
from scramble.journal.mark import Mark
from scramble.journal.recorder import Kept, Record, Recorder, Recording
from scramble.journal.recovery import Recovery, decoding
from scramble.journal.snapshots import StoredSnapshot
from scramble.kernel.protocol import Durable
from scramble.logs import LogEntry
from scramble.plaintext import one_line

__all__ = [
    "Journal",
    "JournalError",
    "JournalFailed",
    "Kept",
    "Record",
    "Recorder",
    "Recording",
    "read_recording",
    "recorded",
]

D = TypeVar("D", bound=Durable)

OPENING_BYTES: Final = 64 * 1024  # most bytes that SQLite writes to open a file; the index of its log has 32 KiB

LEAVE_OUT: Final = "leave the settings out to continue it, or choose another name or file for a new game"
"""The advice for an operator whose settings differ from the settings of the recorded game."""

logger = logging.getLogger(__name__)


class Journal:
    """The storage of a recorded game: a file and a name. Several games may share a file. Immutable.

    Implements `Recorder`.
    """

    def __init__(
        self,
        path: str | Path,
        name: str = sqlite.DEFAULT_NAME,
        *,
        same_start: bool = False,
        room_left: Callable[[], bool] | None = None,
        disk: Disk = FILES,
    ) -> None:
        """Set the path and the name of a journal. The file may be missing. Does not open the file.

        With `same_start`, a game in the journal must have begun in the state of the given rules. Otherwise every
        beginning is allowed. `room_left` returns False while there is no room for more commands. Commands are refused
        with DiskFull then, and no snapshots are written; players can still leave. `room_left` is called for each
        command, and must not wait. If the disk is full although `room_left` returned True, the game waits for room
        (`scramble.kernel.outbox`). A game without `room_left` stops. `disk` is for tests.

        Raises:
            JournalError: the name is invalid. A valid name has 1 to 64 letters, digits, `_` and `-`.
        """
        if not sqlite.is_name(name):
            raise JournalError(f"{name!a} is no name for a game: use letters, digits, _ and -, at most 64 of them")
        self.path: Final = Path(path)
        self.name: Final = name
        self.same_start: Final = same_start
        self.room_left: Final = _always if room_left is None else room_left
        self.waits: Final = room_left is not None
        self.disk: Final = disk

    @asynccontextmanager
    async def recorded(self, rules: D, /) -> AsyncIterator[Kept[D]]:
        """Record a game in the file during the block, like the function `recorded`."""
        opened = await self.disk.run(partial(_open, rules, self), opening=True)
        game, kept = rules.kind, opened.kept
        del rules  # frees the memory of the first state during the game
        if kept.recovered:
            logger.info(LogEntry("journal-recovered", game=game, commands=kept.commands, version=kept.rules.version))
        try:
            yield kept
        finally:
            with trio.CancelScope(shield=True):  # closing is short, and must end before another process opens the file
                await self.disk.run(opened.close)

    def read(self, *, after: int = 0) -> Recording:
        """Read the game from the file, like `read_recording`. Blocks."""
        return read_recording(self.path, self.name, after=after, disk=self.disk)

    def __str__(self) -> str:
        return f"{self.path} ({self.name})"


def _always() -> bool:
    return True


def recorded(rules: D, journal: Recorder | None) -> AbstractAsyncContextManager[Kept[D]]:
    """Record a game in a journal during the block: the journal's game if it has one, else the new game `rules`.

    Waits while a worker thread reads the journal and applies its commands since the last snapshot. Without a
    journal the game is not recorded. If cancelled, the journal is still closed. If cancelled during the opening, the
    journal is not changed.

    Raises:
        JournalError: the journal has another game or a newer format, is damaged, is in use by another process, or
            cannot be read or written. The journal has not been changed.
    """
    return _unrecorded(rules) if journal is None else journal.recorded(rules)


@asynccontextmanager
async def _unrecorded(rules: D) -> AsyncIterator[Kept[D]]:
    yield Kept(rules)


def read_recording(path: str | Path, name: str | None = None, *, after: int = 0, disk: Disk = FILES) -> Recording:
    """Read a game from a journal. The file is not changed. Another process may play the game. Blocks.

    Without a `name`, reads the only game of the file. With `after`, skips the records up to that number.

    Raises:
        JournalError: the game does not exist, or the file is damaged, has a newer format, or cannot be read.
    """
    path = Path(path)
    with _as_journal_error(path, disk):
        if not disk.exists(path):
            raise JournalError(f"{path}: there is no such file, or nothing in it")
        with closing(disk.connect(path, read_only=True)) as connection:
            return sqlite.read(connection, path, _marks(path, disk), name, after)


# --- recovery ----------------------------------------------------------------------------------------


class _Opened(NamedTuple, Generic[D]):
    kept: Kept[D]
    log: JournalLog
    files: ExitStack

    def close(self) -> None:
        """Write a last snapshot, close the files and release the lock."""
        with self.files:
            self.log.close()


def _open(rules: D, journal: Journal) -> _Opened[D]:
    """Read the journal, apply its commands, and only then open it for writing."""
    path, disk = journal.path, journal.disk
    with _as_journal_error(path, disk):
        recovered: Recovery[D] | None = None
        beside = disk.beside(path)
        if disk.exists(path):
            with closing(disk.connect(path, read_only=True)) as connection, sqlite.one_moment(connection):
                recovered = _recover(connection, rules, journal)
        elif beside:
            raise JournalError(
                f"{path} is empty or gone, but games were kept in it, as {' and '.join(beside)} beside it"
                f" {'shows' if len(beside) == 1 else 'show'}. {sqlite.REPAIR}; to start a new game, move these away"
            )
        game_so_far = Recovery(rules) if recovered is None else recovered
        last = game_so_far.last
        commands = last.seq if last else 0
        disk.check_cancelled()
        with ExitStack() as files:
            files.enter_context(closing(disk.lock(path)))
            connection = files.enter_context(closing(disk.connect(path, read_only=False)))
            known = None if recovered is None else commands
            game, start = sqlite.begin(connection, path, journal.name, rules.kind, rules.state(), disk.now(), known)
            guard, mark = disk.guard(path), files.enter_context(closing(disk.open_mark(path, journal.name)))
            opened, played = JournalFiles(connection, guard, mark), game_so_far.rules
            requests, snapshot_at = game_so_far.requests, game_so_far.snapshot_at
            log = JournalLog(
                *(opened, path, disk, game, start, played, requests, last, snapshot_at, journal.room_left),
                waits=journal.waits,
            )
            log.withdraw_parked()
            log.write()
            return _Opened(Kept(played, log, commands, recovered is not None), log, files.pop_all())


def _marks(path: Path, disk: Disk) -> sqlite.MarkOf:
    return lambda name: Mark.decode(disk.read_mark(path, name))


def _recover(connection: SqlConnection, rules: D, journal: Journal) -> Recovery[D] | None:
    """Return the journal's game after all its commands; None if the file does not have the game."""
    path, disk = journal.path, journal.disk
    whole = sqlite.is_small(connection)
    found = sqlite.find(connection, path, _marks(path, disk), journal.name, whole=whole)
    if found is None:
        return None
    _require_same_game(found, rules, journal)
    disk.check_cancelled()
    snapshot, recovered = _latest_snapshot(connection, found, rules, path)
    if recovered is None:
        with decoding(path):
            recovered = Recovery(rules.restore(found.first))
        if not whole:
            sqlite.verify_structure(connection, path)
    if whole or snapshot is None:
        recording = sqlite.read_commands(connection, path, found, 0, found.start, disk.check_cancelled)
    else:
        recording = sqlite.read_commands(connection, path, found, snapshot.seq, snapshot.check, disk.check_cancelled)
    return recovery.replay(recording.records, recording.digests, recovered, path, disk.check_cancelled)


def _latest_snapshot(
    connection: SqlConnection, found: sqlite.Found, rules: D, path: Path
) -> tuple[StoredSnapshot, Recovery[D]] | tuple[None, None]:
    """Return the latest sound snapshot and the game restored from it; log a warning for each later unsound snapshot."""

    def unsound(seq: int, reason: str) -> None:
        logger.warning(LogEntry("snapshot-ignored", game=found.kind, journal=str(path), command=seq, reason=reason))

    numbers = snapshots.numbers(connection, found.game)
    if numbers and numbers[0] > found.last:
        raise JournalError(
            f"{path}: {found.name!r} ends at command {found.last}, but has a snapshot of its state after command"
            f" {numbers[0]}. {sqlite.REPAIR}"
        )
    for snapshot in snapshots.newest_first(connection, found.game, commandlog.DIGEST_EVERY, unsound):
        try:
            return snapshot, recovery.from_snapshot(rules, snapshot)
        except ValueError as error:
            unsound(snapshot.seq, one_line(error))
    return None, None


def _require_same_game(found: sqlite.Found, rules: Durable, journal: Journal) -> None:
    if found.kind != rules.kind:
        raise JournalError(
            f"{journal.path}: {found.name!r} is a game of {found.kind}, not of {rules.kind}:"
            " choose another name or file"
        )
    if journal.same_start and not _is_alike(found.first, rules.state()):
        raise JournalError(
            f"{journal.path}: {found.name!r} is a game of {found.kind} that began with other settings than the given"
            f" ones: {LEAVE_OUT}"
        )


def _is_alike(found: bytes, first: bytes) -> bool:
    """Return True if the first state `found` equals `first`. `found` may lack fields of newer versions."""
    was, now = (msgspec.json.decode(state, type=dict[str, msgspec.Raw]) for state in (found, first))
    return was.items() <= now.items()


def _full_disk(path: Path) -> str | None:
    """Return an error text if the disk is full, else None. SQLite's own error may be just "disk I/O error"."""
    with suppress(OSError):
        if shutil.disk_usage(path.parent).free < OPENING_BYTES:
            return "the disk is full: there is no room to open it"
    return None


@contextmanager
def _as_journal_error(path: Path, disk: Disk) -> Iterator[None]:
    """Convert errors of the disk and the file in the block to JournalError."""
    try:
        yield
    except JournalFailed as error:
        raise JournalError(f"{path}: {error}") from error
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror or error}") from error
    except disk.errors as error:
        full = _full_disk(path)
        raise (sqlite.unusable(path, error) if full is None else JournalError(f"{path}: {full}")) from error
    except (sqlite.Malformed, UnicodeDecodeError) as error:
        raise JournalError(f"{path} is damaged: {error}. {sqlite.REPAIR}") from error
