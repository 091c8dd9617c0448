"""Rooms of a single process. `open_rooms` opens a folder of rooms; `LocalRooms` implements `Rooms`.

    async with open_rooms("folder") as rooms:
        record = await rooms.create("memory", {"size": "4x4"})
        async with rooms.enter(record.name) as room:
            await room.game.ask(...)

Safe under concurrency for the reasons in `scramble.rooms.rooms_base`; the folder is locked.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from weakref import WeakSet

import trio

from scramble.games.kind import GameKind
from scramble.games.table import game_kinds
from scramble.journal import Journal, recorded
from scramble.kernel.actor import open_actor
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.owner import Owner
from scramble.kernel.problems import Problem
from scramble.rooms.disk_quota import DiskQuota
from scramble.rooms.folder import RoomsFolder, open_folder
from scramble.rooms.folderstore import FolderStore
from scramble.rooms.protocol import Figure
from scramble.rooms.register import Register
from scramble.rooms.registermessages import RemovedRooms
from scramble.rooms.room_changes import Movements
from scramble.rooms.rooms_base import RegisteredRooms, RoomLimits
from scramble.rooms.supervision import Supervision

__all__ = ["LocalRooms", "RoomLimits", "open_rooms"]


class LocalRooms(RegisteredRooms):
    """The rooms of a folder. Made by `open_rooms`."""

    def __init__(
        self,
        folder: RoomsFolder,
        store: FolderStore,
        register: Owner,
        supervision: Supervision,
        kinds: Mapping[str, GameKind],
        limits: RoomLimits,
        movements: WeakSet[Movements],
        now: Callable[[], float],
    ) -> None:
        """Do not call this: use `open_rooms`. Each of `movements` gets the changes of supervised rooms."""
        super().__init__(store, register, supervision, kinds, limits, movements, now)
        self.folder: Final = folder
        self.space: Final = store.space

    def problems(self) -> Sequence[Problem]:
        """Return the problems that this process knows."""
        words = "the folder of the rooms, or its disk, is full: moves are refused until there is room"
        return (*super().problems(), *([Problem("disk-full", words)] if self.full else ()))

    def figures(self) -> Sequence[Figure]:
        """Return the metrics of all rooms, and of their folder."""
        return (
            *super().figures(),
            Figure("data_used_bytes", "Bytes in the files of all rooms.", self.space.used_bytes),
            Figure("data_limit_bytes", "Limit of these bytes, by --max-data and the disk.", self.space.limit_bytes),
        )

    async def ping(self) -> None:
        """Wait until the register has executed its current queue."""
        await self._register.ping()

    async def discard_leftovers(self) -> None:
        """Delete the files that a crash has left: files of removed rooms, and files of rooms that were never opened.

        Call it at the start, before any room can be opened.
        """
        removed = await self._register.ask(RemovedRooms())
        left = await trio.to_thread.run_sync(self.folder.names)
        await self.discard(left.intersection(removed))
        for name in left.difference(removed):
            if not await trio.to_thread.run_sync(self.folder.journal(name).exists):
                await self.discard_unopened(name)


@asynccontextmanager
async def open_rooms(
    folder: str | Path | None = None,
    *,
    kinds: Mapping[str, GameKind] | None = None,
    limits: RoomLimits = RoomLimits(),  # noqa: B008  immutable
    sleep_after: float = 60.0,
    keep_s: float = 30 * 86400.0,
    away_s: float = 20.0,
    now: Callable[[], float] = time.time,
) -> AsyncIterator[LocalRooms]:
    """Open the rooms of a folder; without a folder, rooms that are not stored.

    Args:
        folder: created if it does not exist; locked while it is open.
        kinds: the games that can be played in rooms, by name. None: all installed games.
        limits: limits of all rooms together.
        sleep_after: the seconds after which an empty room falls asleep.
        keep_s: the seconds for which a room is kept after the game's end. If the game does not end, the time begins
            at the last visit, with an error of at most a day. After the removal the name is remembered for `keep_s`.
        away_s: the seconds after which the holdings of a departed player are free.
        now: returns the time of day, in seconds since 1970.

    Raises:
        FolderError: another server uses the folder, or the folder is unusable.
        JournalError: the register is unusable.

    At the end of the block all games are closed. A bug in a room's rules ends only that room's game. If the register's
    disk fails, the block raises the error, in an exception group.
    """
    kinds = game_kinds() if kinds is None else kinds
    opening = open_folder(None if folder is None else Path(folder))
    place = await trio.to_thread.run_sync(opening.__enter__)
    try:
        space = DiskQuota(place, limits.data_bytes, most_settings=limits.boards_bytes)
        async with (
            recorded(Register(), Journal(place.register, room_left=space.register_grows)) as kept,
            open_actor(kept.rules, log=kept.log) as register,
            open_side_nursery(cancel) as nursery,
        ):
            movements: WeakSet[Movements] = WeakSet()

            def moved(name: str) -> None:
                for follower in movements:
                    follower.add(name)

            await space.begin()
            store = FolderStore(place, space)
            supervision = Supervision(
                store,
                register,
                nursery,
                kinds,
                most=limits.awake,
                most_bytes=limits.awake_bytes,
                sleep_after=sleep_after,
                away_s=away_s,
                now=now,
                moved=moved,
            )
            rooms = LocalRooms(place, store, register, supervision, kinds, limits, movements, now)
            nursery.start_soon(supervision.follow_register)
            nursery.start_soon(space.keep_measuring)
            await rooms.discard_leftovers()
            nursery.start_soon(rooms.sweep, keep_s)
            yield rooms
            await supervision.close_all()
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(opening.__exit__, None, None, None)
