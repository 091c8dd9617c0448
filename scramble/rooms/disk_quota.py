"""The disk quota of a folder of rooms: the used space, and the check for free space.

All files are measured once, at the start. After that, once a second, only the files of rooms with new commands are
measured again, and the register if it has changed. Without changes no measurement runs. A file of long settings is
counted before it is written.

Safe under concurrency: the numbers change between two awaits; worker threads do the measuring.
"""

from __future__ import annotations

import logging
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

import trio

from scramble.errors import DiskFull
from scramble.logs import LogEntry
from scramble.rooms.folder import RoomsFolder
from scramble.rooms.protocol import SettingsFull

logger = logging.getLogger(__name__)

DISK_LOOK_S: Final = 1.0
"""Seconds between two measurements during moves. Data written between them may exceed the limit a little."""

RESERVE_BYTES: Final = 32 * 2**20
"""Free bytes of the disk that rooms must leave: the register needs space to record ends and removals of rooms."""

REGISTER_ROOM: Final = ""  # in place of a room's name


class DiskQuota:
    """The space of one folder. Mutable; used by one `LocalRooms` and its supervisors."""

    # AF: at the last measurement all files of the folder had _used bytes, the disk had _free bytes left, and the files
    #     of awake rooms had the bytes in _sizes. _moved has the rooms with commands since then. full: no space is left
    #     for commands. _settings is the number of bytes in settings files.
    # RI: _used includes the size of every room in _sizes, and of each settings file.

    def __init__(
        self,
        folder: RoomsFolder,
        most_bytes: int | None,
        free_bytes: Callable[[RoomsFolder], int] = lambda folder: shutil.disk_usage(folder.path).free,
        *,
        most_settings: int = sys.maxsize,
    ) -> None:
        """Allow `most_bytes` in all, and `most_settings` bytes in settings files.

        `most_bytes` None: the whole disk except a reserve. `free_bytes` returns the free bytes of the disk; for tests.
        """
        self._most_settings: Final = most_settings
        self._settings = 0
        self._folder: Final = folder
        self._most: Final = most_bytes
        self._free_bytes: Final = free_bytes
        self._used = self._free = 0
        self._sizes: Final[dict[str, int]] = {}
        self._moved: set[str] = set()
        self._news: Final = trio.lowlevel.ParkingLot()
        self.full = False

    @property
    def used_bytes(self) -> int:
        """The bytes of all files at the last measurement."""
        return self._used

    @property
    def limit_bytes(self) -> int:
        """The limit for the bytes of all files, by the last measurement."""
        disk = max(0, self._used + self._free - RESERVE_BYTES)
        return disk if self._most is None else min(disk, self._most)

    def room_left(self, name: str) -> bool:
        """Return True if there is space for one more command in that room. Does not wait. `Journal` calls this."""
        self._move(name)
        return not self.full

    def register_grows(self) -> bool:
        """Note that the register records a command. Returns True: commands that free space must always be recorded."""
        self._move(REGISTER_ROOM)
        return True

    def _move(self, name: str) -> None:
        if name not in self._moved and trio.lowlevel.in_trio_task():  # a thread that closes a journal calls this, too
            self._moved.add(name)
            self._news.unpark_all()

    def require_room(self, size: int = 0) -> None:
        """Raise DiskFull if there is no space for another game, or for a file of `size` bytes."""
        if self.full or (self._most is not None and self._used + size > self._most):
            raise DiskFull("there is no room for more games on this server: its folder or its disk is full")

    @contextmanager
    def keeping(self, size: int) -> Iterator[None]:
        """Count a settings file of `size` bytes that the block writes. If the block fails, the file is not counted.

        Raises SettingsFull if settings files would have too many bytes, or DiskFull.
        """
        self.require_room(size)
        if self._settings + size > self._most_settings:
            raise SettingsFull(self._most_settings)
        self._used += size
        self._settings += size
        try:
            yield
        except BaseException:
            self._used -= size
            self._settings -= size
            raise
        self._move(REGISTER_ROOM)  # starts the next measurement

    async def begin(self) -> None:
        """Measure everything. Waits for a worker thread."""
        self._used = await trio.to_thread.run_sync(self._folder.size)
        self._settings = await trio.to_thread.run_sync(self._folder.settings_size)
        self._sizes[REGISTER_ROOM] = await trio.to_thread.run_sync(partial(self._folder.size, REGISTER_ROOM))
        await self._judge()

    async def woken(self, name: str) -> None:
        """Measure a room before its game is opened."""
        if name in self._sizes:
            await self._measure(name)  # two tasks measure a removed room
        else:
            self._sizes[name] = await self._look(partial(self._folder.size, name)) or 0

    async def discard(self, name: str) -> None:
        """Delete the files of a room that is not open. Raises OSError."""
        await self.woken(name)
        size = await trio.to_thread.run_sync(self._folder.settings_size, name)
        try:
            await trio.to_thread.run_sync(self._folder.discard, name)
            self._settings -= size
        finally:
            await self.asleep(name)

    async def asleep(self, name: str) -> None:
        """Measure a room after its game was closed, or its files were deleted."""
        await self._measure(name)
        self._sizes.pop(name, None)
        await self._judge()

    async def keep_measuring(self) -> None:
        """Measure rooms with new commands, and the disk while it is full. Runs until it is cancelled."""
        while True:
            while not self._moved and not self.full:
                await self._news.park()
            await self.measure()
            await trio.sleep(DISK_LOOK_S)

    async def measure(self) -> None:
        """Measure the rooms with commands since the last time."""
        moved, self._moved = self._moved, set()
        for name in moved:
            await self._measure(name)
        await self._judge()

    async def _measure(self, name: str) -> None:
        if name in self._sizes:
            size = await self._look(partial(self._folder.size, name))
            if size is not None and name in self._sizes:  # the room may have fallen asleep meanwhile
                self._used += size - self._sizes[name]
                self._sizes[name] = size

    async def _judge(self) -> None:
        free = await self._look(partial(self._free_bytes, self._folder))
        if free is None:
            return  # keep the last measurement
        self._free = free
        self.full = free < RESERVE_BYTES or (self._most is not None and self._used >= self._most)

    async def _look(self, measured: Callable[[], int]) -> int | None:
        """Return a number of bytes, measured in a worker thread; None, with a log entry, if the system refuses."""
        try:
            return await trio.to_thread.run_sync(measured)
        except OSError as error:
            logger.warning(LogEntry("space-not-measured", reason=error.strerror or str(error)))
            return None

    def __str__(self) -> str:
        return f"{self._used} bytes used{', full' if self.full else ''}"
