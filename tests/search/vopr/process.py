"""One life of a server, from the opening of its journal to any kind of end.

If a dead process still changed the outside, the simulation would be worthless. So a death first removes the disk and
the network, in the same instant, and then the tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

import apsw
import trio

from scramble.errors import JournalError
from tests.search.vopr.disk import Connection, Mount, PlainFile
from tests.search.vopr.network import WireEnd

T = TypeVar("T")


class Died(BaseException):
    """The process is dead: this error ends one of its tasks. Do not catch it."""


class Process:
    """One life of the server."""

    def __init__(self, number: int, mount: Mount) -> None:
        self.number: Final = number
        self.mount: Final = mount
        self.scope: Final = trio.CancelScope()
        self.connections: Final[list[WireEnd]] = []
        self.failures_before: Final = len(mount.medium.failures)

    @property
    def alive(self) -> bool:
        return self.mount.alive

    def die(self, *, silently: bool) -> None:
        """End the process at once. `silently`: its clients do not notice."""
        self.mount.kill()
        for end in self.connections:
            if silently:
                end.silence()
            else:
                end.reset()
        self.scope.cancel()

    def close(self) -> None:
        """Close the process's open files and connections, as the system does after its end."""
        self.mount.kill()
        for end in self.connections:
            end.close()

    @property
    def disk_failed(self) -> bool:
        """True if a failure of the disk was injected during this life."""
        return len(self.mount.medium.failures) > self.failures_before


class ProcessDisk:
    """A process's access to the simulated disk: the `Disk` of its journals."""

    errors: Final[tuple[type[Exception], ...]] = (apsw.Error,)

    def __init__(self, process: Process, now: Callable[[], float], latency: Callable[[], float]) -> None:
        self._process: Final = process
        self._now: Final = now
        self._latency: Final = latency

    def exists(self, path: Path) -> bool:
        file = self._process.mount.medium.files.get(str(path))
        return file is not None and len(file.seen) > 0

    def connect(self, path: Path, *, read_only: bool) -> Connection:
        return self._process.mount.connect(str(path), read_only=read_only)

    def beside(self, path: Path) -> Sequence[str]:
        files = self._process.mount.medium.files
        names = (
            name for name in files if name == f"{path}-wal" or (name.startswith(f"{path}.") and name.endswith(".mark"))
        )
        return sorted(name for name in names if files[name].seen)

    def read_mark(self, path: Path, name: str) -> bytes:
        file = self._process.mount.medium.files.get(_mark(path, name))
        return b"" if file is None else bytes(file.seen)

    def open_mark(self, path: Path, name: str) -> PlainFile:
        return self._process.mount.open_plain(_mark(path, name))

    def guard(self, path: Path) -> FileGuard:
        return FileGuard()

    def lock(self, path: Path) -> Lock:
        return Lock(self._process.mount, str(path))

    async def run(self, work: Callable[[], T], /, *, opening: bool = False) -> T:
        """Run the work of a worker thread. It may take a while, and it always finishes, unless the process dies."""
        await trio.lowlevel.checkpoint_if_cancelled()
        with trio.CancelScope(shield=True):
            await trio.sleep(self._latency())
            try:
                result = work()
            except Exception:
                if self._process.alive:
                    raise
            if self._process.alive:
                await trio.sleep(self._latency())
        if not self._process.alive:
            self._process.die(silently=self._process.mount.cut)
            raise Died
        return result

    def check_cancelled(self) -> None:
        """Do nothing: a simulated thread works only while the event loop waits."""

    def now(self) -> float:
        return self._now()


def _mark(path: Path, name: str) -> str:
    return f"{path}.{name}.mark"


class FileGuard:
    """A guard that checks nothing: nothing replaces files of the simulated disk."""

    def missing(self) -> None:
        return None


class Lock:
    """A lock that is free again after the death of its process."""

    def __init__(self, mount: Mount, name: str) -> None:
        holder = mount.medium.locks.get(name)
        if holder is not None and holder.alive:
            raise JournalError(f"{name}: another process has it")
        self._locks: Final = mount.medium.locks
        self._name: Final = name
        self._mount: Final = mount
        self._locks[name] = mount

    def close(self) -> None:
        if self._locks.get(self._name) is self._mount:
            del self._locks[self._name]
