"""Rooms with a register and a store: what the rooms of this process alone and those of a cluster have in common.

A room that sleeps is only a record in the register. For a room that is awake `scramble.rooms.supervision` has a task,
and its game an owner.

Safe under concurrency: it has no state of its own. What is recorded is the register's, which has an owner; who is where
is the supervision's.
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
from scramble.rooms.game_stats import KindStats
from scramble.rooms.names import new_name, settled_title
from scramble.rooms.nextgame import NextGames, Unlimited
from scramble.rooms.outage import Outage
from scramble.rooms.protocol import (
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
from scramble.rooms.register import LISTED
from scramble.rooms.registermessages import (
    MOST_EXPELLED,
    CloseRoom,
    CountRooms,
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
"""Seconds between two looks for rooms that are so old that they are removed."""

PARSING: Final = 2
"""Threads that parse settings: one stays free if somebody sends the longest ones there are."""

SEARCHING: Final = 1
"""Threads that search: each slows the task loop, and a search takes as long as its processor needs."""

WAITING_BY_ADDRESS: Final = 60
"""Requests of one address that wait to be parsed, or for a search: a class that opens its rooms at once.

No fewer than rooms that an address may open at once, since a room that is refused here has been counted.
"""

SEARCH_TURN_S: Final = 0.1
"""Seconds until a search lets others have a turn, which may need no more."""

SWEEP_AGAIN_S: Final = 60.0
"""Seconds after a look that failed."""

EARLY_S: Final = 300.0
"""Seconds after which a full server gives up a room that nobody has entered: who opened it enters it at once."""

UNVISITED_S: Final = 2 * VISIT_S
"""Seconds after which a full server gives up a room that was used: a visit is recorded `VISIT_S` late at most."""

CANDIDATES: Final = 16
"""Rooms that a full server looks at first: more if somebody is in all of them."""

logger = logging.getLogger(__name__)


class RoomLimits(msgspec.Struct, frozen=True):
    """Limits of a server's rooms."""

    rooms: int = 10_000
    awake: int = 1_000
    awake_bytes: int = 10**9  # of memory, of the rooms that are awake in one process: an estimate
    boards_bytes: int = 10**9  # of all files of long settings; not in a cluster, where Redis limits what is kept
    unentered_s: float = 3600.0  # after which a room goes that nobody has entered
    settings_bytes: int = 16 * 2**20  # of all rooms, without those that are long: these are in files
    data_bytes: int | None = None  # of all files; None: what the disk has, without a reserve


class RegisteredRooms:
    """Rooms with a register and a store. Implements `Rooms`, which documents the methods without details."""

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
        """Use the parts of one server. All of `movements` are told what moves in the supervised rooms."""
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
        """Open a room. Its settings are validated in a worker thread; its game is made when somebody enters it.

        A crossword to play alone has no bots: none may be asked for, and the next room of a series leaves them behind.

        If it takes a search to complete them, that has turns of its own, so that no other settings wait for it.
        """
        if kind not in self.kinds:
            raise InvalidCommand(f"there is no game {kind!a}, but {', '.join(self.kinds)}")
        order = msgspec.structs.replace(order, title=settled_title(order.title))
        # A client that comes late to the next game needs no room for it.
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
                raise  # many rooms may have to go for that
            except RoomsFull:
                if not await self._give_up_a_room():
                    raise

    async def _give_up_a_room(self) -> bool:
        """Remove the room that matters least, of which nobody has use; return False if every room is of use.

        That is one that nobody has entered, else the one that ended first, else the one that was used least recently:
        who opens rooms and closes them, however many, takes no game from others.
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
        """Return the names of rooms opened before `before` that nobody has entered, at most `most`, oldest first.

        A room whose first visit is not recorded, because a process was killed or had an older version, has a game.
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
        """Open a room whose settings are too long for the register. Raises RoomNameTaken."""
        await self.store.keep_settings(command.name, settings)
        record = None
        try:
            record = await self._register.ask(command)
            return record
        finally:
            if record is None or record.name != command.name:
                self._supervision.spawn(partial(self.discard_unopened, command.name))

    async def discard_unopened(self, name: str) -> None:
        """Delete the settings of a room, unless it was opened: its opener may have left meanwhile."""
        with suppress(GameStopped):  # then the next start does it
            try:
                await self._register.ask(FindRoom(name))
            except (NoSuchRoom, RoomRemoved):
                await self.discard([name])

    async def find(self, name: str) -> RoomRecord:
        """Return the record of a room."""
        return await self._register.ask(FindRoom(name))

    async def successor(self, name: str) -> RoomRecord | None:
        """Return the room after that one, if it can be entered."""
        named = (await self.find(name)).successor
        with suppress(NoSuchRoom, RoomRemoved):
            if named is not None and (successor := await self.find(named)).state in LISTED:
                return successor
        return None

    async def list(self, *, after: str | None = None, most: int = 100, hidden: bool = False) -> Sequence[RoomRecord]:
        """Return the public rooms that are open or ended, or all rooms, newest first."""
        return await self._register.ask(ListRooms(most, after, hidden))

    async def counts(self) -> RoomCounts:
        """Return how many rooms there are."""
        return await self._register.ask(CountRooms())

    def problems(self) -> Sequence[Problem]:
        """Return what is wrong wherever rooms are kept."""
        return (Problem("stopping", "this server is about to end", down=True),) if self._supervision.closing else ()

    async def ping(self) -> None:
        """Do nothing where the register belongs to many processes, and its owner may stand still."""
        await trio.lowlevel.checkpoint()

    async def settings(self, record: RoomRecord) -> dict[str, object]:
        """Return the whole settings of a room."""
        return await self.store.settings(record)

    async def rename(self, name: str, title: str) -> None:
        """Give a room another title."""
        self.store.require_room()
        await self._supervision.change(RenameRoom(name, settled_title(title)))

    async def expel(self, name: str, holder: str) -> None:
        """Record that the client whose secret has that SHA-256 may not play in that room."""
        await self._supervision.change(ExpelClient(name, holder, MOST_EXPELLED))

    async def close(self, name: str) -> None:
        """Close a room for good: all who are in it are told."""
        await self._supervision.change(CloseRoom(name, self._now()))

    async def remove(self, name: str) -> None:
        """Remove a room from the register, and then its game; if cancelled, the game is removed all the same."""
        await self._register.ask(RemoveRoom(name, self._now()))
        done = trio.Event()
        self._supervision.spawn(partial(self.discard, [name], done))
        await done.wait()

    def start_soon(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work` in a task beside the rooms, until they are closed."""
        if not self._supervision.closing:
            self._supervision.spawn(work)

    def changes(self) -> Changes:
        """Follow the register from this moment on."""
        return self._register.subscribe()

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
            if not room.ends:
                with room.wanted():
                    await room.wait_until_ready()
                    yield room
                return
            room.leave()
            await room.gone.wait()

    @property
    def full(self) -> bool:
        """True if there is no room for more."""
        return self.store.full

    def headcount(self, name: str) -> Headcount:
        """Return how many people are in a room."""
        return self._supervision.headcount(name) or Headcount()

    def awake(self) -> Sequence[Room]:
        """Return the rooms that are awake."""
        return self._supervision.awake()

    def stats(self) -> Mapping[str, KindStats]:
        """Return the statistics of all games by kind."""
        return self._supervision.stats()

    def figures(self) -> Sequence[Figure]:
        """Return the figures of all rooms."""
        about = "Games of rooms that a bug, a disk or Redis has ended."
        return (Figure("rooms_died", about, self._supervision.died, counter=True),)

    def movements(self) -> AsyncIterator[frozenset[str]]:
        """Follow who comes and goes from this moment on."""
        movements = Movements()
        self._movements.add(movements)
        return movements

    # --- removed rooms ---

    async def sweep(self, keep_s: float) -> None:
        """Remove rooms that ended `keep_s` seconds ago, or that nobody has entered for as long, or never did.

        Looks for them now, and every `SWEEP_S` seconds. Runs until it is cancelled. What cannot be removed now, because
        the register moves, for instance, is logged, and looked for again after a minute.
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
        """Remove rooms that ended `keep_s` seconds ago, or that nobody has entered for as long, or never did."""
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
