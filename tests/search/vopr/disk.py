"""A simulated disk: bytes in memory, power cuts, and a VFS so that SQLite uses this disk.

The real SQLite runs on it, through a VFS. The VFS uses apsw, since the standard library's sqlite3 has no VFS interface.
So every write of a journal's database goes to this disk, and the seed decides what a crash leaves:

    medium = Medium(random.Random(seed))
    process = medium.mount()
    connection = process.connect("game.journal", read_only=False)
    ...
    process.kill()            # as kill -9 does: all writes are there, synced or not
    medium.cut_power()        # each unsynced sector is kept, lost or torn

A dead process can neither read nor write. The cleanup of its code does not reach the disk.

The model follows the known behaviour of Linux and of disks:

- a write goes to the page cache; a sync of its file brings it to the platter;
- a power cut keeps any of the unsynced sectors and loses the other sectors (writes are reordered), and it may tear a
  sector;
- after a sync of a file, the file surely exists; after a sync of its directory, a deleted file is surely gone;
- a write may fail after a part of it; a disk may be full; an open may fail;
- a sync may fail. `LostSync` says what then happens to the unsynced writes.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Literal, TypeAlias

import apsw

from scramble.journal.disk import SqlValue

Operation = Literal["open", "write", "truncate", "sync", "delete", "read"]

SECTOR_BYTES: Final = (512, 4096)
POWERSAFE_OVERWRITE: Final = 0x1000  # SQLITE_IOCAP_POWERSAFE_OVERWRITE: a torn write does not harm its neighbours

CHECKPOINT_PAGES: Final = 100  # of the WAL. SQLite's default is 1000, and a run is too short for it


class LostSync(Enum):
    """The fate of unsynced writes when a sync fails: systems differ."""

    DIRTY = "they stay in the cache, and another sync may bring them to the platter"
    DROPPED = "they are dropped from the cache: readers see what the platter has"
    FORGOTTEN = "they stay in the cache, but are taken for written: no other sync will write them"


@dataclass
class File:
    """A file. `seen` is the readers' content, `platter` is safe from a power cut, and `unsynced` is the difference."""

    # RI: `seen` is `platter` after all of `unsynced`, unless a sync has failed with FORGOTTEN.

    seen: bytearray = field(default_factory=bytearray)
    platter: bytearray = field(default_factory=bytearray)
    unsynced: list[tuple[int, bytes] | int] = field(default_factory=list)  # (offset, data), or a new size
    named: bool = False  # True if the file surely exists after a power cut

    def change(self, change: tuple[int, bytes] | int) -> None:
        _apply(self.seen, change)
        self.unsynced.append(change)

    def sync(self) -> None:
        for change in self.unsynced:
            _apply(self.platter, change)
        self.unsynced.clear()
        self.named = True

    def copy(self) -> File:
        """Return a file with the same content for readers, all of it synced."""
        return File(bytearray(self.seen), bytearray(self.seen), [], True)


def _apply(content: bytearray, change: tuple[int, bytes] | int) -> None:
    if isinstance(change, int):
        del content[change:]
        return
    offset, data = change
    if offset > len(content):
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data


class Medium:
    """The disk. It outlives the processes that mount it."""

    # AF: the files in `files`. A file in `_unlinked` had another content before it was deleted, and a power cut may
    # restore this content. The processes in `_mounts` use the disk.

    def __init__(self, rng: random.Random, *, sector: int = 4096) -> None:
        self.rng: Final = rng
        self.sector: Final = sector
        self.files: dict[str, File] = {}
        self.operations = 0
        self.fail_rate = 0.0
        self.lost_sync = LostSync.DIRTY
        self.capacity: int | None = None  # bytes of all files together
        self.cut_at: int | None = None  # the number of the operation at the power cut
        self.kill_at: int | None = None  # the number of the operation at the kill of its process
        self.failures: list[str] = []  # the injected failures, in order
        self.locks: dict[str, Mount] = {}
        self._number: Final = next(_numbers)
        self._unlinked: dict[str, File] = {}
        self._mounts: dict[str, Mount] = {}

    def mount(self, *, observer: bool = False) -> Mount:
        """Mount the disk in a new process. An `observer` has no faults and changes nothing."""
        mount = Mount(self, f"{len(self._mounts)}", f"/{self._number}/{len(self._mounts)}", observer)
        self._mounts[mount.name] = mount
        _vfs().media[self._number] = self
        return mount

    def mounted(self, name: str) -> Mount:
        return self._mounts[name]

    def unmount(self) -> None:
        """Forget this disk. Its open connections are dead."""
        self.kill_all()
        for mount in self._mounts.values():
            mount.close()
        _vfs().media.pop(self._number, None)

    def kill_all(self) -> None:
        for mount in self._mounts.values():
            mount.kill()

    def cut_power(self) -> None:
        """Kill all processes. Any part of the unsynced data is lost."""
        self.kill_all()
        for name, file in self._unlinked.items():
            if (name not in self.files or not self.files[name].named) and self.rng.random() < 0.5:
                self.files[name] = file
        self._unlinked.clear()
        for name in list(self.files):
            file = self.files[name]
            if not file.named and self.rng.random() < 0.5:
                del self.files[name]
                continue
            keep = self.rng.choice((0.0, 0.0, 0.5, 0.9, 1.0))
            for change in self._survivors(file.unsynced, keep):
                _apply(file.platter, change)
            self.files[name] = File(file.platter, bytearray(file.platter), [], True)
            self.files[name].seen = bytearray(file.platter)

    def _survivors(self, changes: list[tuple[int, bytes] | int], keep: float) -> Iterator[tuple[int, bytes] | int]:
        for change in changes:
            if isinstance(change, int):
                if self.rng.random() < keep:
                    yield change
                continue
            offset, data = change
            at = 0
            while at < len(data):
                size = min(len(data) - at, self.sector - (offset + at) % self.sector)
                chance = self.rng.random()
                if chance < keep:
                    yield offset + at, data[at : at + size]
                elif chance < keep + 0.1:  # torn
                    yield offset + at, data[at : at + self.rng.randrange(size)]
                at += size

    def used(self) -> int:
        return sum(len(file.seen) for file in self.files.values())

    def unlink(self, name: str, synced: bool) -> None:
        file = self.files.pop(name, None)
        if synced:
            self._unlinked.pop(name, None)
        elif file is not None and file.named:
            self._unlinked[name] = file

    def sync_directory(self) -> None:
        """Sync the directory: existing files will exist after a power cut, and deleted files will not."""
        self._unlinked.clear()
        for file in self.files.values():
            file.named = True

    def create(self, name: str) -> File:
        return self.files.setdefault(name, File())

    @contextmanager
    def damaged(self, name: str) -> Iterator[None]:
        """Flip one bit of a file within the block, as on an old disk."""
        content = self.files[name].seen
        at, bit = self.rng.randrange(len(content)), 1 << self.rng.randrange(8)
        content[at] ^= bit
        yield
        content[at] ^= bit


class Mount:
    """One process's view of the disk, until it dies."""

    def __init__(self, medium: Medium, name: str, root: str, observer: bool) -> None:
        self.medium: Final = medium
        self._observer: Final = observer
        self.name: Final = name
        self._root: Final = root
        self._connections: Final[list[apsw.Connection]] = []
        self.alive = True
        self.cut = False  # True if a power cut killed the process

    def kill(self) -> None:
        self.alive = False

    def close(self) -> None:
        """Close the open files of the process after its death."""
        for connection in self._connections:
            with suppress(apsw.Error):
                connection.close(True)

    def connect(self, path: str, read_only: bool) -> Connection:
        """Open an SQLite connection to the file.

        A read-only connection gets the current content and cannot change the file.
        """
        if read_only:
            if path not in self.medium.files:
                raise apsw.CantOpenError(f"no such file: {path}")
            self._touch("read")
        else:
            self._touch("open")
        kind = "r" if read_only else "w"
        # A read-only SQLite cannot read a WAL without shared memory. So a reader uses its own copy.
        name = f"{self._root}/{kind}/{path}"
        flags = apsw.SQLITE_OPEN_READWRITE | (0 if read_only else apsw.SQLITE_OPEN_CREATE)
        copies = _vfs().copies
        if read_only:
            for other in (path, f"{path}-wal", f"{path}-journal"):
                copies.pop(f"{self._root}/r/{other}", None)
                if other in self.medium.files:
                    copies[f"{self._root}/r/{other}"] = self.medium.files[other].copy()
        connection = apsw.Connection(name, flags=flags, vfs=_VFS_NAME)
        self._connections.append(connection)
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")  # a WAL without shared memory: this VFS has none
        return Connection(connection)

    def open_plain(self, name: str) -> PlainFile:
        """Open a plain file for writing, without a database. Create it if it does not exist."""
        if not self.alive:
            raise apsw.CantOpenError("the process is dead")
        if name not in self.medium.files:
            self._touch("open")
        return PlainFile(_OpenFile(self, self.medium.create(name), False))

    def _touch(self, operation: Operation) -> None:
        """Count an operation on the disk. It may fail, or be the last one."""
        medium = self.medium
        if self._observer:
            return
        medium.operations += 1
        if medium.operations == medium.kill_at:
            self.kill()
            raise apsw.IOError("the process has been killed")
        if medium.operations == medium.cut_at:
            self.cut = True
            self.kill()
            raise apsw.IOError("the power has been cut")
        if medium.fail_rate and operation != "read" and medium.rng.random() < medium.fail_rate:
            medium.failures.append(operation)
            if operation == "open":
                raise apsw.CantOpenError("simulated: cannot open")
            raise apsw.IOError(f"simulated: {operation} failed")


class Connection:
    """A connection to SQLite with the behaviour of SQLite's C functions.

    apsw also raises errors of a VFS that SQLite ignores: a failed checkpoint after a commit, or an error at the end of
    a connection. These errors do no harm, and the standard library does not raise them.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection: Final = connection
        connection.set_wal_hook(self._committed)

    def _committed(self, connection: apsw.Connection, database: str, pages: int) -> int:
        """Run SQLite's default checkpoint after a commit, and ignore its errors."""
        if pages >= CHECKPOINT_PAGES:
            with suppress(apsw.Error):
                connection.wal_checkpoint(database, apsw.SQLITE_CHECKPOINT_PASSIVE)
        return apsw.SQLITE_OK

    def execute(self, sql: str, parameters: Sequence[SqlValue] = (), /) -> Sequence[Row]:
        try:
            return self._connection.execute(sql, parameters).fetchall()
        except UnicodeDecodeError as error:  # the standard library raises its own error
            raise apsw.Error("could not decode to UTF-8") from error

    def executemany(self, sql: str, parameters: Iterable[Sequence[SqlValue]], /) -> None:
        self._connection.executemany(sql, parameters)

    def close(self) -> None:
        with suppress(apsw.Error):
            self._connection.close()


class PlainFile:
    """A file that is sometimes overwritten with content of the same length, and never synced."""

    def __init__(self, file: _OpenFile) -> None:
        self._file: Final = file

    def write(self, content: bytes) -> None:
        self._file.xWrite(content, 0)

    def close(self) -> None:
        pass


class _OpenFile:
    """An open file of SQLite: the methods that apsw calls."""

    def __init__(self, mount: Mount, file: File, private: bool, directory: bool = False) -> None:
        """`directory`: the first sync of the file also syncs its directory."""
        self._mount = mount
        self._file = file
        self._private = private
        self._directory = directory

    def xRead(self, amount: int, offset: int) -> bytes:
        return bytes(self._file.seen[offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:
        data = bytes(data)
        if self._private:
            _apply(self._file.seen, (offset, data))
            return
        if not self._mount.alive:
            return
        medium = self._mount.medium
        try:
            self._mount._touch("write")
        except apsw.IOError:  # a part of the write may be done
            self._file.change((offset, data[: medium.rng.randrange(len(data) + 1)]))
            raise
        growth = offset + len(data) - len(self._file.seen)
        if medium.capacity is not None and growth > 0 and medium.used() + growth > medium.capacity:
            medium.failures.append("full")
            raise apsw.FullError("simulated: the disk is full")
        self._file.change((offset, data))

    def xTruncate(self, size: int) -> None:
        if self._private:
            _apply(self._file.seen, size)
            return
        if not self._mount.alive:
            return
        self._mount._touch("truncate")
        if size < len(self._file.seen):
            self._file.change(size)

    def xSync(self, flags: int) -> None:
        if self._private or not self._mount.alive:
            return
        medium = self._mount.medium
        try:
            self._mount._touch("sync")
        except apsw.IOError:
            if self._mount.alive:
                if medium.lost_sync is LostSync.DROPPED:
                    self._file.seen = bytearray(self._file.platter)
                    self._file.unsynced.clear()
                elif medium.lost_sync is LostSync.FORGOTTEN:
                    self._file.unsynced.clear()
            raise
        self._file.sync()
        if self._directory:
            self._directory = False
            medium.sync_directory()

    def xFileSize(self) -> int:
        return len(self._file.seen)

    def xClose(self) -> None:
        pass

    def xLock(self, level: int) -> None:
        pass  # the journal's own lock excludes other processes

    def xUnlock(self, level: int) -> None:
        pass

    def xCheckReservedLock(self) -> bool:
        return False

    def xFileControl(self, op: int, pointer: int) -> bool:
        return False

    def xSectorSize(self) -> int:
        return self._mount.medium.sector

    def xDeviceCharacteristics(self) -> int:
        return POWERSAFE_OVERWRITE


Row: TypeAlias = tuple[SqlValue, ...]

_VFS_NAME: Final = "simulated"
_numbers: Final = itertools.count(1)


class _Vfs(apsw.VFS):
    """All simulated disks of this Python process, with the names /DISK/PROCESS/KIND/PATH."""

    def __init__(self) -> None:
        super().__init__(_VFS_NAME, "", makedefault=True)  # SQLite takes its random numbers from the default VFS
        self.media: dict[int, Medium] = {}
        self.copies: dict[str, File] = {}
        self.rng = random.Random(0)

    def _find(self, name: str) -> tuple[Mount, bool, str]:
        _, disk, process, kind, path = name.split("/", 4)
        medium = self.media.get(int(disk))
        if medium is None:
            raise apsw.IOError("the disk is gone")
        mount = medium.mounted(process)
        return mount, kind == "r", path

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> _OpenFile:  # type: ignore[override]
        assert name is not None, "a journal has no temporary files"
        full = name if isinstance(name, str) else name.filename()
        mount, private, path = self._find(full)
        if not mount.alive:
            raise apsw.CantOpenError("the process is dead")
        flags[1] = flags[0]
        files = self.copies if private else mount.medium.files
        key = full if private else path
        if key not in files:
            if not flags[0] & apsw.SQLITE_OPEN_CREATE:
                raise apsw.CantOpenError(f"no such file: {path}")
            if not private:
                mount._touch("open")
        if private:
            return _OpenFile(mount, files.setdefault(key, File()), True)
        # On Unix SQLite syncs the directory together with a new journal or WAL.
        kinds = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_WAL
        directory = bool(flags[0] & apsw.SQLITE_OPEN_CREATE and flags[0] & kinds)
        return _OpenFile(mount, mount.medium.create(path), False, directory)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        mount, private, path = self._find(filename)
        if private:
            self.copies.pop(filename, None)
        elif mount.alive:
            mount._touch("delete")
            mount.medium.unlink(path, syncdir)

    def xAccess(self, pathname: str, flags: int) -> bool:
        mount, private, path = self._find(pathname)
        file = self.copies.get(pathname) if private else mount.medium.files.get(path)
        return file is not None and bool(file.seen or flags != apsw.SQLITE_ACCESS_EXISTS)

    def xFullPathname(self, name: str) -> str:
        return name

    def xRandomness(self, numbytes: int) -> bytes:
        return self.rng.randbytes(numbytes)

    def xSleep(self, microseconds: int) -> int:
        return microseconds

    def xCurrentTime(self) -> float:
        return 2440587.5

    def xCurrentTimeInt64(self) -> int:
        return 210866760000000

    def xGetLastError(self) -> tuple[int, str]:
        return 0, ""


_the_vfs: list[_Vfs] = []


def _vfs() -> _Vfs:
    if not _the_vfs:
        _the_vfs.append(_Vfs())
    return _the_vfs[0]


def reseed_sqlite(seed: int) -> None:
    """Seed SQLite's own random numbers (the salts of a WAL)."""
    _vfs().rng = random.Random(f"sqlite {seed}")
    apsw.randomness(0)
