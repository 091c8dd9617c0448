"""Rooms with a register and a store: the common base of a single process's rooms and a cluster's rooms.

A sleeping room is only a record in the register. An awake room has a task in `scramble.rooms.supervision`, and its game
has an owner.

Safe under concurrency: this module has no state of its own. The register, with its owner, holds the records. The
supervision holds the presence in rooms.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final
from weakref import WeakSet

import msgspec
import trio

from scramble.errors import GameStopped, InvalidCommand, ScrambleError
from scramble.games.kind import GameKind
from scramble.games.settings import SEED_BITS, BadSettings, FieldError
from scramble.kernel.changes import Changes
from scramble.kernel.owner import Owner
from scramble.kernel.problems import Problem
from scramble.logs import LogEntry
from scramble.rooms.classroom import Classroom, ClassroomChange, FindClassroom
from scramble.rooms.days import date_at, number_of
from scramble.rooms.game_stats import KindStats
from scramble.rooms.names import new_name, settled_title
from scramble.rooms.nextgame import NextGames, Unlimited
from scramble.rooms.outage import Outage
from scramble.rooms.protocol import (
    DailyTable,
    Figure,
    Headcount,
    NoSuchRoom,
    OpeningLimits,
    Room,
    RoomAsleep,
    RoomCounts,
    RoomNameTaken,
    RoomOrder,
    RoomRecord,
    RoomRemoved,
    RoomsFull,
    SettingsFull,
)
from scramble.rooms.records import LISTED
from scramble.rooms.registermessages import (
    MOST_EXPELLED,
    BeginDay,
    CloseRoom,
    CountRooms,
    DailyTables,
    EndedRooms,
    ExpelClient,
    FindRoom,
    ForgetRooms,
    IdleRooms,
    ListRooms,
    OpenRoom,
    RemoveRoom,
    RenameRoom,
    UnenteredRooms,
    VisitRoom,
)
from scramble.rooms.room_changes import Movements
from scramble.rooms.settings_files import shortened
from scramble.rooms.steward import Office
from scramble.rooms.store import RoomStore
from scramble.rooms.supervision import VISIT_S, Supervision, require_enterable
from scramble.rooms.turns import FairTurns

SWEEP_S: Final = 900.0
"""Seconds between two searches for old rooms to remove."""

PARSING: Final = 2
"""Threads that parse settings. One thread stays free while a client's longest possible settings occupy the other."""

SEARCHING: Final = 1
"""Threads for searches: each thread slows the task loop, and a search needs much processor time."""

WAITING_BY_ADDRESS: Final = 60
"""Most requests of one address that wait for parsing or for a search, for instance when a class opens its rooms.

It is at least the number of rooms that an address may open at once. A room that is refused here has already been
counted by the limit by address.
"""

SEARCH_TURN_S: Final = 0.1
"""Seconds of a search's turn. Then the next search gets its turn. Short searches end in their first turn."""

SWEEP_AGAIN_S: Final = 60.0
"""Seconds from a failed search for old rooms to the next search."""

EARLY_S: Final = 300.0
"""Seconds after which a full server may remove a room that was never entered. Openers usually enter immediately."""

UNVISITED_S: Final = 2 * VISIT_S
"""Seconds without use after which a full server may remove a room. Visits are recorded up to `VISIT_S` late."""

CANDIDATES: Final = 16
"""Number of rooms that a full server checks first for removal. It checks more rooms if people are in all of these."""

logger = logging.getLogger(__name__)


class RoomLimits(msgspec.Struct, frozen=True):
    """Limits of a server's rooms."""

    rooms: int = 10_000
    awake: int = 1_000
    awake_bytes: int = 10**9  # most memory of the awake rooms of one process, an estimate
    boards_bytes: int = 10**9  # of all files of long settings; not in a cluster, where Redis limits the data
    unentered_s: float = 3600.0  # age at which a room that was never entered is removed
    settings_bytes: int = 16 * 2**20  # of the short settings of all rooms; long settings are in files
    data_bytes: int | None = None  # of all files; None: the disk's capacity minus a reserve


class RegisteredRooms:
    """Rooms with a register and a store. Implements `Rooms`, which documents the methods in detail."""

    def __init__(
        self,
        store: RoomStore,
        register: Owner,
        supervision: Supervision,
        kinds: Mapping[str, GameKind],
        limits: RoomLimits,
        movements: WeakSet[Movements],
        now: Callable[[], float],
    ) -> None:
        """Use the parts of one server. All `movements` get the movements in the supervised rooms."""
        self.store: Final = store
        self.kinds: Final = kinds
        self.limits: Final = limits
        self.outage: Final = Outage()
        self._register: Final = register
        self._supervision: Final = supervision
        self._movements: Final = movements
        self._now: Final = now
        self.parsing: Final = FairTurns(PARSING, most=100, most_of_one=WAITING_BY_ADDRESS)
        self._searching: Final = FairTurns(SEARCHING, most=200, most_of_one=WAITING_BY_ADDRESS)
        self.openings: OpeningLimits = Unlimited()
        supervision.office = Office(supervision.change, store.require_room, now, NextGames(self))

    # --- the register ---

    async def create(
        self,
        kind: str,
        settings: Mapping[str, object],
        order: RoomOrder = RoomOrder(),
        *,
        asker: str | None = None,
        lasts: Callable[[], None] = lambda: None,
        charge: Callable[[int], None] | None = None,
    ) -> RoomRecord:
        """Open a room. A worker thread validates its settings; its game is created at the first visit.

        A crossword for one player has no bots. A request for bots in it is refused; the next room of a series drops
        them.

        A search that completes the settings has its own turns, so other settings need not wait for it.
        """
        if kind not in self.kinds:
            raise InvalidCommand(f"there is no game {kind!a}, but {', '.join(self.kinds)}")
        order = msgspec.structs.replace(order, title=settled_title(order.title))
        # If another client has already begun the next game, no new room is needed.
        successor = None if order.after is None else await self.successor(order.after)
        if successor is not None:
            return successor
        self.store.require_room()
        settle = partial(self.kinds[kind].settle, settings, secrets.randbits(SEED_BITS))
        async with self.parsing.place(asker) as run:
            complete = await run(settle)
        search = self.kinds[kind].search(complete)
        if search is not None:
            lasts()
            async with self._searching.place(asker) as run:
                while (found := await run(partial(search, SEARCH_TURN_S))) is None:
                    pass
            complete = found
        settled, long = shortened(complete)
        if long is not None and charge is not None:
            charge(len(long))
        if complete.get("alone") is True:
            if order.bots and order.after is None:
                raise BadSettings({"bots": FieldError.of("too-many-bots", "0 at most", most=0)})
            order = msgspec.structs.replace(order, bots=())
        while True:
            command = OpenRoom(
                name=new_name(),
                kind=kind,
                settings=settled,
                at=self._now(),
                most=self.limits.rooms,
                most_bytes=self.limits.settings_bytes,
                **msgspec.structs.asdict(order),
            )
            try:
                if long is None:
                    return await self._register.ask(command)
                return await self._open_with_long(command, long)
            except RoomNameTaken:
                continue
            except SettingsFull:
                raise  # many rooms might have to be removed to make enough space
            except RoomsFull:
                if not await self._give_up_a_room():
                    raise

    def today(self) -> str:
        """Return today's date in UTC."""
        return date_at(self._now())

    def now(self) -> float:
        """Return the time in seconds since 1970."""
        return self._now()

    async def open_daily(
        self, kind: str, day: str, host: str, *, asker: str | None = None, lasts: Callable[[], None] = lambda: None
    ) -> RoomRecord:
        """Open the room of a client's attempt at a daily challenge, or return the room of its earlier attempt."""
        daily = None if kind not in self.kinds else self.kinds[kind].daily
        if daily is None:
            raise InvalidCommand(f"there is no daily challenge of {kind!a}")
        self.store.require_room()
        seed = await self._register.ask(BeginDay(day, secrets.randbits(SEED_BITS)))
        async with self.parsing.place(asker) as run:
            settings = await run(partial(daily, number_of(day), seed))
        order = RoomOrder(host=host, daily=day, turn_s=None)
        return await self.create(kind, settings, order, asker=asker, lasts=lasts)

    async def daily_tables(self, host: str, most: int) -> Sequence[DailyTable]:
        """Return the tables of the latest days."""
        return await self._register.ask(DailyTables(host, most))

    async def classroom(self, command: ClassroomChange | FindClassroom) -> Classroom:
        """Execute a command about a class."""
        return await self._register.ask(command)

    async def _give_up_a_room(self) -> bool:
        """Remove the least useful empty room; return False if no room can be removed.

        The order is: rooms that were never entered, then the earliest ended rooms, then the least recently used rooms.
        So a client that opens and closes many rooms does not end other people's games.
        """
        now = self._now()
        if await self._give_up_one_of(await self._never_entered(now - EARLY_S, CANDIDATES)):
            return True
        for query in (EndedRooms, partial(IdleRooms, now - UNVISITED_S)):
            looked_at, most = 0, CANDIDATES
            while len(names := await self._register.ask(query(most))) > looked_at:
                if await self._give_up_one_of(names[looked_at:]):
                    return True
                looked_at, most = len(names), 4 * most
        return False

    async def _give_up_one_of(self, names: Sequence[str]) -> bool:
        """Remove the first of these rooms that is empty; return False if people are in all of them."""
        for name in names:
            if self._supervision.find(name) is None and self.headcount(name) == Headcount():
                logger.info(LogEntry("room-given-up", room=name))
                with suppress(NoSuchRoom, RoomRemoved):  # another request has just given it up
                    await self.remove(name)
                return True
        return False

    async def _never_entered(self, before: float, most: int) -> list[str]:
        """Return the names of at most `most` rooms that were opened before `before` and never entered, oldest first.

        A room with a game was entered, even without a recorded visit: the process was killed before it recorded the
        visit, or an older version did not record the first visit.
        """
        while found := await self._register.ask(UnenteredRooms(before, most)):
            entered = [name for name in found if self._supervision.find(name) or await self.store.has_game(name)]
            for name in entered:
                with suppress(NoSuchRoom, RoomRemoved):
                    await self._register.ask(VisitRoom(name, self._now()))
            if len(entered) < len(found):
                return [name for name in found if name not in entered]
        return []

    async def _open_with_long(self, command: OpenRoom, settings: bytes) -> RoomRecord:
        """Open a room with settings that are too long for the register. Raises RoomNameTaken."""
        await self.store.keep_settings(command.name, settings)
        record = None
        try:
            record = await self._register.ask(command)
            return record
        finally:
            if record is None or record.name != command.name:
                self._supervision.spawn(partial(self.discard_unopened, command.name))

    async def discard_unopened(self, name: str) -> None:
        """Delete the settings file of a room if the room was not opened: its opener may have disconnected meanwhile."""
        with suppress(GameStopped):  # the next start deletes the file then
            try:
                await self._register.ask(FindRoom(name))
            except (NoSuchRoom, RoomRemoved):
                await self.discard([name])

    async def find(self, name: str) -> RoomRecord:
        """Return the record of a room."""
        return await self._register.ask(FindRoom(name))

    async def successor(self, name: str) -> RoomRecord | None:
        """Return the successor of a room, if it can be entered."""
        named = (await self.find(name)).successor
        with suppress(NoSuchRoom, RoomRemoved):
            if named is not None and (successor := await self.find(named)).state in LISTED:
                return successor
        return None

    async def list(self, *, after: str | None = None, most: int = 100, hidden: bool = False) -> Sequence[RoomRecord]:
        """Return the public rooms that are open or ended, or all rooms, newest first."""
        return await self._register.ask(ListRooms(most, after, hidden))

    async def counts(self) -> RoomCounts:
        """Return the numbers of rooms."""
        return await self._register.ask(CountRooms())

    def problems(self) -> Sequence[Problem]:
        """Return the problems common to all kinds of rooms."""
        return (Problem("stopping", "this server is about to end", down=True),) if self._supervision.closing else ()

    async def ping(self) -> None:
        """Do nothing: in a cluster the register's owner may be in another process, and may hang."""
        await trio.lowlevel.checkpoint()

    async def settings(self, record: RoomRecord) -> dict[str, object]:
        """Return the whole settings of a room."""
        return await self.store.settings(record)

    async def rename(self, name: str, title: str) -> None:
        """Give a room another title."""
        self.store.require_room()
        await self._supervision.change(RenameRoom(name, settled_title(title)))

    async def expel(self, name: str, holder: str) -> None:
        """Record that the client with this holder, the SHA-256 of its secret, may not play in that room."""
        await self._supervision.change(ExpelClient(name, holder, MOST_EXPELLED))

    async def close(self, name: str) -> None:
        """Close a room permanently, and notify all people in it."""
        await self._supervision.change(CloseRoom(name, self._now()))

    async def remove(self, name: str) -> None:
        """Remove a room from the register, then delete its game. A cancellation does not stop the deletion."""
        await self._register.ask(RemoveRoom(name, self._now()))
        done = trio.Event()
        self._supervision.spawn(partial(self.discard, [name], done))
        await done.wait()

    def start_soon(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work` in a task beside the rooms, until they are closed."""
        if not self._supervision.closing:
            self._supervision.spawn(work)

    def changes(self) -> Changes:
        """Follow the register from now on."""
        return self._register.subscribe()

    # --- people in rooms ---

    @asynccontextmanager
    async def enter(self, name: str, *, wake: bool = True) -> AsyncIterator[Room]:
        """Enter a room during the block, and wake it if it sleeps."""
        if not wake:
            require_enterable(await self.find(name))
            found = self._supervision.find(name)
            if found is None or not found.runs:
                raise RoomAsleep("nobody is in this room")
            yield found
            return
        while True:
            room = self._supervision.find(name) or await self._supervision.wake(name)
            if not room.ends:
                with room.wanted():
                    await room.wait_until_ready()
                    yield room
                return
            room.leave()
            await room.gone.wait()

    @property
    def full(self) -> bool:
        """True if the store has no space for another game."""
        return self.store.full

    def headcount(self, name: str) -> Headcount:
        """Return the number of people in a room."""
        return self._supervision.headcount(name) or Headcount()

    def awake(self) -> Sequence[Room]:
        """Return the awake rooms."""
        return self._supervision.awake()

    def stats(self) -> Mapping[str, KindStats]:
        """Return the statistics of all games by kind."""
        return self._supervision.stats()

    def figures(self) -> Sequence[Figure]:
        """Return the metrics of all rooms."""
        about = "Games of rooms ended by a bug, a disk or Redis."
        return (Figure("rooms_died", about, self._supervision.died, counter=True),)

    def movements(self) -> AsyncIterator[frozenset[str]]:
        """Follow the movements of people from now on."""
        movements = Movements()
        self._movements.add(movements)
        return movements

    # --- removed rooms ---

    async def sweep(self, keep_s: float) -> None:
        """Remove rooms that ended or were last entered `keep_s` seconds ago, and old rooms that were never entered.

        Searches for these rooms now, and every `SWEEP_S` seconds. Runs until it is cancelled. A failure, for instance
        because the register moves, is logged. The search is repeated after a minute.
        """
        said = ""
        while True:
            try:
                await self._supervision.note_visits()
                await self.forget(keep_s)
            except ScrambleError as error:
                if said != (said := str(error)):
                    logger.warning(LogEntry("rooms-not-swept", reason=said))
                await trio.sleep(SWEEP_AGAIN_S)
            else:
                said = ""
                await trio.sleep(SWEEP_S)

    async def forget(self, keep_s: float) -> None:
        """Remove rooms that ended or were last entered `keep_s` seconds ago, and old rooms that were never entered."""
        now = self._now()
        old = ForgetRooms(before=now - keep_s, at=now, unvisited_before=now - keep_s - VISIT_S)
        await self.discard(await self._register.ask(old))
        while names := await self._never_entered(now - self.limits.unentered_s, CANDIDATES):
            for name in names:
                with suppress(NoSuchRoom, RoomRemoved):
                    await self.remove(name)

    async def discard(self, names: Iterable[str], done: trio.Event | None = None) -> None:
        """Delete the games of rooms that the register has removed, and set `done`. Failures are logged."""
        try:
            for name in names:
                await self._supervision.close(name)
                await self.store.discard(name)
        finally:
            if done is not None:
                done.set()

    def __str__(self) -> str:
        return f"the rooms of {self.store}: {self._supervision}"
