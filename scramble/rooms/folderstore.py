"""The store of rooms in a folder: each game has its own journal, and long settings have a file beside it.

Safe under concurrency: state changes between two awaits. The lock on the folder excludes other processes.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from functools import partial
from typing import Final

import trio

from scramble.errors import DiskFull
from scramble.games.room import RoomClocks, RoomSetup
from scramble.journal import Journal
from scramble.logs import LogEntry
from scramble.rooms.disk_quota import DiskQuota
from scramble.rooms.folder import RoomsFolder
from scramble.rooms.gathering.opening import open_gathering
from scramble.rooms.protocol import RoomNameTaken, RoomRecord
from scramble.rooms.settings_files import read_settings, write_settings
from scramble.rooms.store import DEATHS, DEATHS_S, RunningRoom

logger = logging.getLogger(__name__)


class FolderStore:
    """The store of one folder. Implements `RoomStore`, which documents the methods."""

    def __init__(self, folder: RoomsFolder, space: DiskQuota) -> None:
        """Use a locked folder, and its disk quota."""
        self._folder: Final = folder
        self.space: Final = space
        self._deaths: Final[dict[str, deque[float]]] = {}

    @property
    def full(self) -> bool:
        """True if there is no space for another game."""
        return self.space.full

    def require_room(self) -> None:
        """Raise DiskFull if there is no space for another game."""
        self.space.require_room()

    async def keep_settings(self, name: str, settings: bytes) -> None:
        """Write the settings file of a room before the room is opened."""
        try:
            with self.space.keeping(len(settings)):
                await trio.to_thread.run_sync(write_settings, self._folder, name, settings)
        except FileExistsError:
            raise RoomNameTaken("a room has this name, or had it lately") from None
        except OSError as error:
            raise DiskFull(f"the settings cannot be written: {error.strerror or error}") from error

    async def settings(self, record: RoomRecord) -> dict[str, object]:
        """Return the whole settings of a room."""
        return await trio.to_thread.run_sync(read_settings, self._folder, record)

    async def has_game(self, name: str) -> bool:
        """Return True if the game has a journal."""
        return await trio.to_thread.run_sync(self._folder.journal(name).exists)

    def recorder(self, name: str) -> Journal:
        """Return the journal of a room."""
        return Journal(self._folder.journal(name), room_left=partial(self.space.room_left, name))

    @asynccontextmanager
    async def held(self, name: str, joined: Callable[[], AbstractContextManager[None]]) -> AsyncIterator[FolderHold]:
        """Measure a room's files before and after its game."""
        await self.space.woken(name)
        yield FolderHold(self.recorder(name))
        await self.space.asleep(name)

    async def note_death(self, name: str) -> int:
        """Note the crash of a room's game, and forget old crashes of all rooms."""
        await trio.lowlevel.checkpoint()
        now = trio.current_time()
        for other in [other for other, times in self._deaths.items() if times[-1] < now - DEATHS_S]:
            del self._deaths[other]
        times = self._deaths.setdefault(name, deque(maxlen=DEATHS))
        times.append(now)
        return sum(time >= now - DEATHS_S for time in times)

    async def discard(self, name: str) -> None:
        """Delete the files of a room."""
        try:
            await self.space.discard(name)
        except OSError as error:  # the next start tries again
            logger.error(LogEntry("room-not-deleted", room=name, reason=error.strerror or str(error)))

    def __str__(self) -> str:
        return str(self._folder)


class FolderHold:
    """A hold on a room with a journal of this process."""

    runs_here: Final = True

    def __init__(self, journal: Journal) -> None:
        """Hold the room of that journal."""
        self._journal: Final = journal

    @asynccontextmanager
    async def open(self, setup: RoomSetup, clocks: RoomClocks, record: RoomRecord) -> AsyncIterator[RunningRoom]:
        """Open the game from its journal."""
        async with (
            setup.open(self._journal, clocks) as opened,
            open_gathering(record.host, record.turn_s) as gathering,
        ):
            yield RunningRoom(opened, gathering)
