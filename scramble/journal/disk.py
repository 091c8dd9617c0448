"""The system resources of a journal: a database connection, a lock, mark files, worker threads, and the time of day.

`FILES` uses the real file system. Tests replace it by disks that fail, fill up, or lose unsynced data.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, Protocol, TypeVar, cast
from urllib.parse import quote

import outcome
import trio

from scramble.errors import JournalError

T = TypeVar("T")

SqlValue = int | float | str | bytes | None


class Cursor(Protocol):
    """The rows of a query's result."""

    def __iter__(self) -> Iterator[Sequence[SqlValue]]:
        """Iterate over the rows, one tuple each."""


class SqlConnection(Protocol):
    """A connection to an SQLite database. It commits each statement separately, except between BEGIN and COMMIT."""

    def execute(self, sql: str, parameters: Sequence[SqlValue] = ..., /) -> Cursor:
        """Execute one statement."""

    def executemany(self, sql: str, parameters: Iterable[Sequence[SqlValue]], /) -> object:
        """Execute the statement once for each item of `parameters`."""

    def close(self) -> None:
        """Close the connection."""


class Lock(Protocol):
    """An exclusive lock, held until it is closed or the process ends."""

    def close(self) -> None:
        """Release the lock."""


class MarkFile(Protocol):
    """The mark file of one game, open for writing."""

    def write(self, mark: bytes) -> None:
        """Overwrite the last mark, which has the same length. Does not sync. Raises OSError or one of `errors`."""

    def close(self) -> None:
        """Close the file."""


class FileGuard(Protocol):
    """Detector of moved, replaced or deleted files of an open database."""

    def missing(self) -> str | None:
        """Return an error text if the database or its log is no longer at its path, else None. Makes two stat calls."""


class Disk(Protocol):
    """The system resources of journals. Only `run` calls blocking methods."""

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """The exception types that connections raise."""

    def exists(self, path: Path) -> bool:
        """Return True if the file exists and is not empty. Raises JournalError if it is not a regular file.

        A file of one byte counts as empty, as in SQLite.
        """

    def beside(self, path: Path) -> Sequence[str]:
        """Return the sorted names of the log and the marks beside the file. They are evidence of games in the file."""

    def read_mark(self, path: Path, name: str) -> bytes:
        """Return the last written mark of a game; empty if it has no mark. Raises OSError."""

    def open_mark(self, path: Path, name: str) -> MarkFile:
        """Open the mark file of a game for writing, or create it. Raises OSError or one of `errors`."""

    def guard(self, path: Path) -> FileGuard:
        """Guard the files of the database at `path`. This process has just opened them and written to them.

        Raises JournalError if the files at this path are not the open files.
        """

    def connect(self, path: Path, *, read_only: bool) -> SqlConnection:
        """Open a database; for writing, create it if it is missing. Raises one of `errors`, or OSError."""

    def lock(self, path: Path) -> Lock:
        """Lock the file for writing. Raises JournalError if another process has the lock; OSError if locking fails."""

    async def run(self, work: Callable[[], T], /, *, opening: bool = False) -> T:
        """Run blocking `work` in a thread and wait for it. Started work runs to its end, even if cancelled.

        Waits for a free thread first: all journals share a few threads. Opening a journal may take long. So `opening`
        uses separate threads, and commits do not wait for it.
        """

    def check_cancelled(self) -> None:
        """Raise trio.Cancelled if the task that waits for this `run` is cancelled. Long work calls this method."""

    def now(self) -> float:
        """Return the time of day, in seconds since 1970. The clock may be set back."""


class Files:
    """The file system of this machine. Implements `Disk`."""

    errors: Final[tuple[type[Exception], ...]] = (sqlite3.Error,)

    def exists(self, path: Path) -> bool:
        """Return True if the file exists and has at least two bytes."""
        try:
            found = path.stat()
        except FileNotFoundError:
            return False
        if not stat.S_ISREG(found.st_mode):  # SQLite would create files beside a device before it fails
            raise JournalError(f"{path} is not a file that can keep a game: it is a folder, a device or a pipe")
        return found.st_size > 1

    def beside(self, path: Path) -> Sequence[str]:
        """Return the names of the log and the marks beside the file, without empty files."""
        real = Path(os.path.realpath(path))
        log, mark = f"{real.name}-wal", re.compile(re.escape(real.name) + r"\.[A-Za-z0-9_-]{1,64}\.mark")
        try:
            found = [name for name in os.listdir(real.parent) if name == log or mark.fullmatch(name)]
        except FileNotFoundError:
            return ()
        return sorted(name for name in found if (real.parent / name).stat().st_size)

    def read_mark(self, path: Path, name: str) -> bytes:
        """Read the mark file of a game."""
        try:
            return mark_path(path, name).read_bytes()
        except FileNotFoundError:
            return b""

    def open_mark(self, path: Path, name: str) -> MarkFile:
        """Open the mark file of a game for writing."""
        return _MarkFile(mark_path(path, name))

    def guard(self, path: Path) -> FileGuard:
        """Guard the open files of a database."""
        return _Guard(path)

    def connect(self, path: Path, *, read_only: bool) -> SqlConnection:
        """Open a database with the `sqlite3` module."""
        if not read_only:
            # Private: a journal has the moves of all players; a crossword journal also has their return tokens.
            os.close(os.open(path, PRIVATE, 0o600))
        mode = "ro" if read_only else "rw"
        return sqlite3.connect(
            f"file:{quote(os.fsencode(os.path.realpath(path)))}?mode={mode}",  # realpath: "//" would begin a host name
            uri=True,
            isolation_level=None,
            check_same_thread=False,  # different threads use it, one at a time
            timeout=BUSY_S,
        )

    def lock(self, path: Path) -> Lock:
        """Lock the lock file beside the database."""
        return _FileLocks(path)

    async def run(self, work: Callable[[], T], /, *, opening: bool = False) -> T:
        """Run `work` in a thread of trio."""
        if opening:
            return await trio.to_thread.run_sync(work, limiter=_limiter(_openers))
        await trio.lowlevel.checkpoint_if_cancelled()
        limiter = _limiter(_writers)
        try:
            limiter.acquire_nowait()
        except trio.WouldBlock:
            await limiter.acquire()
        try:
            return await _in_thread(work)
        finally:
            limiter.release()

    def check_cancelled(self) -> None:
        """Check the cancellation from trio's worker thread."""
        trio.from_thread.check_cancelled()

    def now(self) -> float:
        """Read the system clock."""
        return time.time()


BUSY_S: Final = 10.0
"""Maximum seconds that a commit waits for another program's short lock on the file."""

WRITERS: Final = 16
"""Threads that write the journals of a process. They mostly wait for the disk, and a disk syncs several files at once.
Even a thousand games need no more threads: their commits wait in a queue."""

OPENERS: Final = 4
"""Threads that open journals. They mostly compute, and Python runs only one of them at a time."""

_writers: Final[trio.lowlevel.RunVar[trio.CapacityLimiter]] = trio.lowlevel.RunVar("writers")
_openers: Final[trio.lowlevel.RunVar[trio.CapacityLimiter]] = trio.lowlevel.RunVar("openers")


def _limiter(of_run: trio.lowlevel.RunVar[trio.CapacityLimiter]) -> trio.CapacityLimiter:
    """Return the limiter of this event loop. Two event loops in different threads must not share a limiter."""
    try:
        return of_run.get()
    except LookupError:
        limiter = trio.CapacityLimiter(WRITERS if of_run is _writers else OPENERS)
        of_run.set(limiter)
        return limiter


async def _in_thread(work: Callable[[], T]) -> T:
    """Run `work` in a thread, and wait for it even if cancelled.

    Uses the thread cache of `trio.to_thread`, but omits features that a commit does not need: two rounds of the
    scheduler, a copy of the context, and a name for the thread. These features took half of the overhead.
    """
    task, token = trio.lowlevel.current_task(), trio.lowlevel.current_trio_token()

    def deliver(result: outcome.Outcome[T]) -> None:
        token.run_sync_soon(trio.lowlevel.reschedule, task, result)

    trio.lowlevel.start_thread_soon(work, deliver)
    return cast(T, await trio.lowlevel.wait_task_rescheduled(lambda _: trio.lowlevel.Abort.FAILED))


LOCKED: Final = (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
"""The system's error numbers for a file with a lock of another process."""

PRIVATE: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
"""The flags for opening private files. Their mode is 0600, so only their owner may open them."""


class _FileLocks:
    """A lock that the operating system releases when the process ends, even after a crash. The lock file remains.

    The lock file is beside the real database, so a server that opens the database by a link finds the same lock.
    Scramble 0.1.0 had a lock file for each game instead, FILE-NAME.lock. If these files exist, they are locked, too.
    Otherwise a running server of that version could write at the same time.
    """

    def __init__(self, path: Path, *, make: bool = True) -> None:
        """Lock all existing lock files; with `make`, create the lock file of the database first."""
        real = Path(os.path.realpath(path))
        ours, older = f"{real.name}-lock", re.compile(re.escape(real.name) + r"-[A-Za-z0-9_-]{1,64}\.lock")
        names = {name for name in os.listdir(real.parent) if name == ours or older.fullmatch(name)}
        how = PRIVATE if make or sys.platform == "win32" else os.O_RDONLY | os.O_CLOEXEC
        with ExitStack() as locks:
            for name in sorted({ours, *names} if make else names):
                # Private: another user who can open the file could lock it. Then the owner could not open the game.
                file = os.open(real.parent / name, how, 0o600)
                locks.callback(os.close, file)
                try:
                    _lock(file)
                except OSError as error:
                    if error.errno in LOCKED:
                        raise JournalError(
                            f"{path}: another process uses this file: stop it, or choose another file"
                        ) from None
                    raise  # the file system does not support locks
            self._locks: Final = locks.pop_all()

    def close(self) -> None:
        self._locks.close()


def lock_as_it_is(path: Path) -> Lock:
    """Lock the file like `Disk.lock`, but create no lock file. So it works in read-only folders, too."""
    return _FileLocks(path, make=False)


def _lock(file: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def mark_path(path: Path, name: str) -> Path:
    """Return the path of the mark of a game in the file `path`."""
    # Names of games have no dot, so FILE.NAME.mark is never the mark of a game in another file, such as FILE-old.
    return Path(f"{os.path.realpath(path)}.{name}.mark")


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that created and renamed files survive a power failure."""
    if os.name == "posix":
        directory = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


class _MarkFile:
    """A mark file that stays open, so that a process without free file descriptors can still write its mark."""

    def __init__(self, path: Path) -> None:
        self._file: Final = os.open(path, PRIVATE, 0o600)

    def write(self, mark: bytes) -> None:
        os.lseek(self._file, 0, os.SEEK_SET)
        if os.write(self._file, mark) < len(mark):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def close(self) -> None:
        os.close(self._file)


class _Guard:
    """The identities of a database and its log, by device and inode.

    SQLite does not report its open files, and other files may already have replaced them at the path. So the files at
    the path are first compared with all open files of this process. SQLite keeps both files open until it closes, and
    no other file can get the inode of an open file. So later checks only compare the identities.
    """

    def __init__(self, path: Path) -> None:
        self._path: Final = os.fspath(path)
        self._log: Final = f"{os.path.realpath(path)}-wal"
        self._identities: Final = (_identity(self._path), _identity(self._log))
        ours = _open_files()
        if None in self._identities or (ours and not ours.issuperset(self._identities)):
            raise JournalError(f"{path}: somebody has moved, replaced or deleted it while it was being opened")

    def missing(self) -> str | None:
        database, log = self._identities
        if _identity(self._path) != database:
            return "its journal is gone: somebody has moved, replaced or deleted it"
        if _identity(self._log) != log:
            return "the log of its journal is gone: somebody has moved, replaced or deleted it"
        return None


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:  # the file is missing or inaccessible
        return None
    return found.st_dev, found.st_ino


def _open_files() -> set[tuple[int, int] | None]:
    """Return all open files of this process; the empty set if the system does not list them."""
    found: set[tuple[int, int] | None] = set()
    with suppress(OSError):
        for name in os.listdir("/dev/fd"):  # Linux, macOS, BSD; on Windows an open file cannot be replaced
            with suppress(OSError):  # the descriptor of the listing itself is closed already
                status = os.fstat(int(name))
                found.add((status.st_dev, status.st_ino))
    return found


FILES: Final[Disk] = Files()
