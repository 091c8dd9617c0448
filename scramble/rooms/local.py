"""Rooms that this process keeps: `open_rooms` opens a folder of them, and `LocalRooms` implements `Rooms`.

    async with open_rooms("folder") as rooms:
        record = await rooms.create("memory", {"size": "4x4"})
        async with rooms.enter(record.name) as room:
            await room.game.ask(...)

A room that sleeps is only a record in the register. For a room that is awake `scramble.rooms.supervision` has a task,
and its game an owner.

Safe under concurrency: a `LocalRooms` has no state of its own. What is recorded is the register's, which has an owner;
who is where is the supervision's.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final
from weakref import WeakSet

import msgspec
import trio

from scramble.errors import DiskFull, GameStopped, InvalidCommand
from scramble.journal import Journal, recorded
from scramble.kernel.actor import open_actor
from scramble.kernel.changes import Changes
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.owner import Owner
from scramble.logs import LogEntry
from scramble.rooms.folder import RoomsFolder, open_folder
from scramble.rooms.kind import BadSettings, FieldError, RoomKind
from scramble.rooms.kinds import ROOM_KINDS
from scramble.rooms.longsettings import read_settings, shortened, write_settings
from scramble.rooms.movements import Movements
from scramble.rooms.names import new_name, settled_title
from scramble.rooms.protocol import (
    BotSetting,
    Company,
    Names,
    NoSuchRoom,
    Room,
    RoomAsleep,
    RoomCounts,
    RoomNameTaken,
    RoomRecord,
    RoomRemoved,
)
from scramble.rooms.register import LISTED, Register
from scramble.rooms.registermessages import (
    ChangeRoom,
    CloseRoom,
    CountRooms,
    ExpelClient,
    FindRoom,
    ForgetRooms,
    ListRooms,
    OpenRoom,
    RemovedRooms,
    RemoveRoom,
    RenameRoom,
)
from scramble.rooms.space import Space
from scramble.rooms.supervision import VISIT_S, Supervision, require_enterable
from scramble.rooms.tally import KindStats

logger = logging.getLogger(__name__)

SWEEP_S: Final = 3600.0
"""Seconds between two looks for rooms that are so old that they are removed."""


class RoomLimits(msgspec.Struct, frozen=True):
    """Limits of a server's rooms."""

    rooms: int = 10_000
    awake: int = 1_000
    settings_bytes: int = 16 * 2**20  # of all rooms, without those that are long: these are in files
    data_bytes: int | None = None  # of all files; None: what the disk has, without a reserve


class LocalRooms:
    """The rooms of a folder. Made by `open_rooms`; implements `Rooms`, which documents the methods without details."""

    def __init__(
        self,
        folder: RoomsFolder,
        register: Owner,
        supervision: Supervision,
        space: Space,
        kinds: Mapping[str, RoomKind],
        limits: RoomLimits,
        movements: WeakSet[Movements],
        now: Callable[[], float],
    ) -> None:
        """Use `open_rooms`. All of `movements` are told what moves in the supervised rooms."""
        self.folder: Final = folder
        self.kinds: Final = kinds
        self.limits: Final = limits
        self._register: Final = register
        self._supervision: Final = supervision
        self._space: Final = space
        self._movements: Final = movements
        self._now: Final = now
        self._searching: Final = trio.Lock()

    # --- the register ---

    async def create(
        self,
        kind: str,
        settings: Mapping[str, object],
        *,
        title: str = "",
        public: bool = False,
        names: Names = "seats",
        host: str = "",
        bots: Sequence[BotSetting] = (),
        after: str | None = None,
        turn_s: float | None = 45.0,
    ) -> RoomRecord:
        """Open a room. Its settings are validated in a worker thread; its game is made when somebody enters it.

        A crossword to play alone has no bots: none may be asked for, and the next room of a series leaves them behind.

        If it takes a search to complete them, others that need one wait for their turn: it keeps a processor busy.
        """
        if kind not in self.kinds:
            raise InvalidCommand(f"there is no game {kind!a}, but {', '.join(self.kinds)}")
        title = settled_title(title)
        successor = None if after is None else await self._successor(after)
        if successor is not None:
            return successor
        self._space.require_room()
        settle = partial(self.kinds[kind].settle, settings, secrets.randbits(31))
        complete = await trio.to_thread.run_sync(settle)
        search = self.kinds[kind].search(complete)
        if search is not None:
            async with self._searching:
                complete = await trio.to_thread.run_sync(search, trio.from_thread.check_cancelled)
        settled, long = shortened(complete)
        if complete.get("alone") is True:
            if bots and after is None:
                raise BadSettings({"bots": FieldError.of("too-many-bots", "0 at most", most=0)})
            bots = ()
        while True:
            command = OpenRoom(
                name=new_name(),
                kind=kind,
                title=title,
                settings=settled,
                at=self._now(),
                most=self.limits.rooms,
                most_bytes=self.limits.settings_bytes,
                host=host,
                public=public,
                names=names,
                bots=tuple(bots),
                after=after,
                turn_s=turn_s,
            )
            try:
                if long is None:
                    return await self._register.ask(command)
                return await self._open_with_file(command, long)
            except (RoomNameTaken, FileExistsError):
                continue

    async def _successor(self, name: str) -> RoomRecord | None:
        """Return the room after that one, if it can be entered: who comes late needs no room for it."""
        named = (await self.find(name)).successor
        with suppress(NoSuchRoom, RoomRemoved):
            if named is not None and (successor := await self.find(named)).state in LISTED:
                return successor
        return None

    async def _open_with_file(self, command: OpenRoom, settings: bytes) -> RoomRecord:
        """Open a room whose settings are in a file. Raises FileExistsError if another room has its name."""
        try:
            await trio.to_thread.run_sync(write_settings, self.folder, command.name, settings)
        except FileExistsError:
            raise
        except OSError as error:
            raise DiskFull(f"the settings cannot be written: {error.strerror or error}") from error
        record = None
        try:
            record = await self._register.ask(command)
            return record
        finally:
            if record is None or record.name != command.name:
                self._supervision.spawn(partial(self._discard_unopened, command.name))

    async def _discard_unopened(self, name: str) -> None:
        """Delete the settings of a room, unless it was opened: its opener may have left meanwhile."""
        with suppress(GameStopped):  # then the next start does it
            try:
                await self._register.ask(FindRoom(name))
            except (NoSuchRoom, RoomRemoved):
                await self._discard([name])

    async def find(self, name: str) -> RoomRecord:
        """Return the record of a room."""
        return await self._register.ask(FindRoom(name))

    async def list(self, *, after: str | None = None, most: int = 100, hidden: bool = False) -> Sequence[RoomRecord]:
        """Return the public rooms that are open or ended, or all rooms, newest first."""
        return await self._register.ask(ListRooms(most, after, hidden))

    async def counts(self) -> RoomCounts:
        """Return how many rooms there are."""
        return await self._register.ask(CountRooms())

    async def settings(self, record: RoomRecord) -> dict[str, object]:
        """Return the whole settings of a room."""
        return await trio.to_thread.run_sync(read_settings, self.folder, record)

    async def rename(self, name: str, title: str) -> None:
        """Give a room another title."""
        await self._change(RenameRoom(name, settled_title(title)))

    async def expel(self, name: str, holder: str) -> None:
        """Record that the client whose secret has that SHA-256 may not play in that room."""
        await self._change(ExpelClient(name, holder))

    async def close(self, name: str) -> None:
        """Close a room for good: all who are in it are told."""
        await self._change(CloseRoom(name, self._now()))

    async def remove(self, name: str) -> None:
        """Remove a room from the register, and then its files; if cancelled, the files are removed all the same."""
        await self._register.ask(RemoveRoom(name, self._now()))
        done = trio.Event()
        self._supervision.spawn(partial(self._discard, [name], done))
        await done.wait()

    def changes(self) -> Changes:
        """Follow the register from this moment on."""
        return self._register.subscribe()

    async def _change(self, command: ChangeRoom) -> RoomRecord:
        record = await self._register.ask(command)
        self._supervision.put(record)
        return record

    # --- who is where ---

    @asynccontextmanager
    async def enter(self, name: str, *, wake: bool = True) -> AsyncIterator[Room]:
        """Enter a room for the length of a block, and wake it if it sleeps."""
        if not wake:
            require_enterable(await self.find(name))
            found = self._supervision.find(name)
            if found is None or not found.runs:
                raise RoomAsleep("nobody is in this room")
            yield found
            return
        while True:
            room = self._supervision.find(name) or await self._supervision.wake(name)
            if room.leaving:
                await room.gone.wait()
                continue
            with room.wanted():
                await room.wait_until_ready()
                yield room
            return

    @property
    def full(self) -> bool:
        """True if there is no room for more."""
        return self._space.full

    def company(self, name: str) -> Company:
        """Return how many people are in a room."""
        room = self._supervision.find(name)
        return Company() if room is None else room.company

    def awake(self) -> Sequence[Room]:
        """Return the rooms that are awake."""
        return self._supervision.awake()

    def stats(self) -> Mapping[str, KindStats]:
        """Return the statistics of all games by kind."""
        return self._supervision.stats()

    def movements(self) -> AsyncIterator[frozenset[str]]:
        """Follow who comes and goes from this moment on."""
        movements = Movements()
        self._movements.add(movements)
        return movements

    # --- removed rooms ---

    async def discard_leftovers(self) -> None:
        """Delete the files that a crash has left: of removed rooms, and of rooms that were about to be opened.

        For the start, before any room can be opened.
        """
        removed = await self._register.ask(RemovedRooms())
        left = await trio.to_thread.run_sync(self.folder.names)
        await self._discard(left.intersection(removed))
        for name in left.difference(removed):
            if not await trio.to_thread.run_sync(self.folder.journal(name).exists):
                await self._discard_unopened(name)

    async def sweep(self, keep_s: float) -> None:
        """Remove rooms that ended `keep_s` seconds ago, or that nobody has entered for as long, now and every hour.

        Runs until it is cancelled.
        """
        while True:
            await self._supervision.note_visits()
            now = self._now()
            old = ForgetRooms(before=now - keep_s, at=now, unvisited_before=now - keep_s - VISIT_S)
            await self._discard(await self._register.ask(old))
            await trio.sleep(SWEEP_S)

    async def _discard(self, names: Iterable[str], done: trio.Event | None = None) -> None:
        """Delete the files of rooms that the register has removed."""
        try:
            for name in names:
                await self._supervision.close(name)
                await self._space.woken(name)
                try:
                    await trio.to_thread.run_sync(self.folder.discard, name)
                except OSError as error:  # the next start tries again
                    logger.error(LogEntry("room-not-deleted", room=name, reason=error.strerror or str(error)))
                await self._space.asleep(name)
        finally:
            if done is not None:
                done.set()

    def __str__(self) -> str:
        return f"the rooms of {self.folder}: {self._supervision}"


@asynccontextmanager
async def open_rooms(
    folder: str | Path | None = None,
    *,
    kinds: Mapping[str, RoomKind] = ROOM_KINDS,
    limits: RoomLimits = RoomLimits(),  # noqa: B008  immutable
    sleep_after: float = 60.0,
    keep_s: float = 30 * 86400.0,
    away_s: float = 20.0,
    now: Callable[[], float] = time.time,
) -> AsyncIterator[LocalRooms]:
    """Open the rooms that a folder keeps; without a folder, rooms that are kept nowhere.

    Args:
        folder: made if there is none; locked while it is open.
        kinds: the games that can be played in rooms, by name.
        limits: of all rooms together.
        sleep_after: the seconds after which a room that nobody is in falls asleep.
        keep_s: the seconds for which rooms are kept after their end, or, if their game does not end, after the last
            visit, to within a day; and their names as long again.
        away_s: the seconds after which what a player holds who has left is free.
        now: returns the time of day, in seconds since 1970.

    Raises:
        FolderError: another server uses the folder, or it cannot be used.
        JournalError: the register in it cannot be used.

    On leaving the block all games are closed. A bug in a room's rules ends that room's game only; a disk that fails
    under the register surfaces from this block, in an exception group.
    """
    opening = open_folder(None if folder is None else Path(folder))
    place = await trio.to_thread.run_sync(opening.__enter__)
    try:
        async with (
            recorded(Register(), Journal(place.register)) as kept,
            open_actor(kept.rules, log=kept.log) as register,
            open_side_nursery(cancel) as nursery,
        ):
            movements: WeakSet[Movements] = WeakSet()

            def moved(name: str) -> None:
                for follower in movements:
                    follower.add(name)

            space = Space(place, limits.data_bytes)
            await space.begin()
            supervision = Supervision(
                place,
                register,
                nursery,
                kinds,
                space=space,
                most=limits.awake,
                sleep_after=sleep_after,
                away_s=away_s,
                now=now,
                moved=moved,
            )
            rooms = LocalRooms(place, register, supervision, space, kinds, limits, movements, now)
            nursery.start_soon(supervision.follow_register)
            nursery.start_soon(space.keep_measuring)
            await rooms.discard_leftovers()
            nursery.start_soon(rooms.sweep, keep_s)
            yield rooms
            await supervision.close_all()
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(opening.__exit__, None, None, None)
