"""One life of a server: from opening its journal to its end, however that comes.

What reaches the outside from a process that is dead would make the simulation worthless. So a death takes away the
disk and the network first, in the same instant, and only then the tasks.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

import apsw
import trio

from scramble.errors import JournalError
from tests.vopr.disk import Connection, Mount
from tests.vopr.network import WireEnd

T = TypeVar("T")


class Died(BaseException):
    """The process is dead, and this is the end of one of its tasks. Nobody is to catch it."""


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
        """End it at once. `silently`: its clients are not told."""
        self.mount.kill()
        for end in self.connections:
            if silently:
                end.silence()
            else:
                end.reset()
        self.scope.cancel()

    def close(self) -> None:
        """Do what a system does when a process has ended: close what it had open."""
        self.mount.kill()
        for end in self.connections:
            end.close()

    @property
    def disk_failed(self) -> bool:
        """Whether a failure of the disk was injected during this life."""
        return len(self.mount.medium.failures) > self.failures_before


class ProcessDisk:
    """A process's way to the simulated disk: the `Disk` of its journals."""

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

    def lock(self, path: Path, name: str) -> Lock:
        return Lock(self._process.mount, f"{path}-{name}")

    async def run(self, work: Callable[[], T], /) -> T:
        """What a worker thread does: it may take a while, and what has begun is carried to its end; unless it dies."""
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

    def now(self) -> float:
        return self._now()


class Lock:
    """A lock that is free again when its process is dead."""

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
