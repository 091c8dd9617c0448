"""What a journal needs of the machine: a database connection, a lock, a thread to write in, and the time of day.

`FILES` is the real thing. Tests put another disk in its place, one that fails, fills up, or forgets.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol, TypeVar
from urllib.parse import quote

import trio

from scramble.errors import JournalError

T = TypeVar("T")

Value = int | float | str | bytes | None


class Cursor(Protocol):
    """The rows of an answer."""

    def __iter__(self) -> Iterator[Sequence[Value]]:
        """One tuple for each row."""


class Connection(Protocol):
    """A connection to an SQLite database that commits each statement by itself, unless it is told to BEGIN."""

    def execute(self, sql: str, parameters: Sequence[Value] = ..., /) -> Cursor:
        """Carry out one statement."""

    def executemany(self, sql: str, parameters: Iterable[Sequence[Value]], /) -> object:
        """Carry out one statement for each of the parameters."""

    def close(self) -> None:
        """Give the file back."""


class Lock(Protocol):
    """Something that nobody else has until it is closed, or the process ends."""

    def close(self) -> None:
        """Give it back."""


class Disk(Protocol):
    """Where journals are. What blocks is only called by `run`."""

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What connections raise."""

    def exists(self, path: Path) -> bool:
        """Whether there is a file, and anything in it. Raises JournalError if something else is there."""

    def connect(self, path: Path, *, read_only: bool) -> Connection:
        """Open a database, and make one that is to be written if there is none. Raises one of `errors`, or OSError."""

    def lock(self, path: Path, name: str) -> Lock:
        """Keep other processes from a game in that file. Raises JournalError if one has it, OSError if it cannot be."""

    async def run(self, work: Callable[[], T], /) -> T:
        """Do something that blocks, and wait for it. Once it has begun it is carried to its end, even if cancelled."""

    def now(self) -> float:
        """The time of day, in seconds since 1970; it may be set back."""


class Files:
    """The disk of this machine."""

    errors: Final[tuple[type[Exception], ...]] = (sqlite3.Error,)

    def exists(self, path: Path) -> bool:
        try:
            found = path.stat()
        except FileNotFoundError:
            return False
        if not stat.S_ISREG(found.st_mode):  # SQLite would write beside a device before it finds out
            raise JournalError(f"{path} is not a file that can keep a game: it is a folder, a device or a pipe")
        return found.st_size > 0

    def connect(self, path: Path, *, read_only: bool) -> Connection:
        if not read_only:
            # Nobody else's to read: a journal says who did what, and a crossword's holds what players come back with.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
        mode = "ro" if read_only else "rw"
        return sqlite3.connect(
            f"file:{quote(os.fsencode(os.path.realpath(path)))}?mode={mode}",  # a path that begins with // is no URI's
            uri=True,
            isolation_level=None,
            check_same_thread=False,  # one thread at a time, but not always the same
            timeout=BUSY_S,
        )

    def lock(self, path: Path, name: str) -> Lock:
        # Beside the file itself, so that whoever comes by a link meets whoever does not.
        return _FileLock(Path(f"{os.path.realpath(path)}-{name}.lock"), f"{path}: another process is playing {name!r}")

    async def run(self, work: Callable[[], T], /) -> T:
        return await trio.to_thread.run_sync(work)

    def now(self) -> float:
        return time.time()


BUSY_S: Final = 10.0
"""How long a commit may wait for another game's in the same file."""

LOCKED: Final = (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
"""What systems say if somebody else has a lock."""


class _FileLock:
    """A lock that the operating system takes back when the process ends, however it ends. The file stays."""

    def __init__(self, path: Path, taken: str) -> None:
        # Nobody else's to open, or they could lock it, and keep the game from its owner.
        self._file: Final = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600), "r+")
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(self._file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            if error.errno in LOCKED:
                raise JournalError(taken) from None
            raise  # the disk cannot lock

    def close(self) -> None:
        self._file.close()


FILES: Final[Disk] = Files()
