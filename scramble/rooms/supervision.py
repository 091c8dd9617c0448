"""Supervisors of rooms: a task for each awake room.

A supervisor opens the game of its room, waits until the room is without visitors for a while, and closes the game. A
bug in the rules of the game ends only this game. The log gets the traceback, and the room's visitors get `GameStopped`.
The next visitor opens the game again, from its journal. If the game crashes repeatedly, the room is marked broken.

Safe under concurrency: `_awake` changes only between two awaits. A room is added to it before its supervisor requests
the record from the register. So if another task closes or removes the room meanwhile, either that task finds the room
in `_awake`, or the supervisor gets the new record.
"""

from __future__ import annotations

import contextvars
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext, suppress
from functools import partial
from math import inf
from typing import Final

import trio

from scramble.errors import (
    GameClosed,
    GameMoved,
    GameStopped,
    JournalError,
    JournalFailed,
    Refusal,
    ScrambleError,
    leaves,
)
from scramble.games.kind import GameKind
from scramble.games.room import GameResult, RoomClocks
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.owner import Owner
from scramble.logs import LogEntry
from scramble.players.seats import ListNames
from scramble.rooms.game_stats import NO_GAMES, GameStats, KindStats, with_moves
from scramble.rooms.live_room import LiveRoom
from scramble.rooms.protocol import (
    AwakeFull,
    Headcount,
    MemoryFull,
    NoSuchGame,
    NoSuchRoom,
    RoomBroken,
    RoomClosed,
    RoomDamaged,
    RoomRecord,
    RoomRemoved,
)
from scramble.rooms.records import LISTED, last_seen
from scramble.rooms.registermessages import (
    ChangeRoom,
    FindRoom,
    LookAgain,
    MarkBroken,
    RecordResult,
    RecordStart,
    RoomEvent,
    VisitRoom,
)
from scramble.rooms.steward import Office, Steward
from scramble.rooms.store import DEATHS, Hold, RoomStore

VISIT_S: Final = 3600.0
"""Least number of seconds between two recorded visits to a room. The first visit is recorded at once."""

RESULT_AGAIN_S: Final = 1.0
"""Seconds until a refused result is sent to the register again. Each further try doubles the time."""

MOST_RESULT_AGAIN_S: Final = 60.0

logger = logging.getLogger(__name__)


class Supervision:
    """All supervisors of a process. Mutable; used by one `RegisteredRooms`."""

    # AF: the rooms in _awake are awake, waking, or closing. _tally counts the games of this process, and _joined its
    #     requests to games of other processes. `closing`: no more rooms wake.
    # RI: exactly the rooms in _awake have a supervisor, a task in _nursery.

    def __init__(
        self,
        store: RoomStore,
        register: Owner,
        nursery: trio.Nursery,
        kinds: Mapping[str, GameKind],
        *,
        most: int,
        most_bytes: int,
        sleep_after: float,
        away_s: float,
        now: Callable[[], float],
        moved: Callable[[str], None],
    ) -> None:
        """Supervise the rooms of a store, at most `most` at once, with `most_bytes` of memory in all.

        `moved` is called with the name of a room after a movement in it.
        """
        self._store: Final = store
        self._register: Final = register
        self._nursery: Final = nursery
        self._kinds: Final = kinds
        self._most: Final = most
        self._most_bytes: Final = most_bytes
        self._sleep_after: Final = sleep_after
        self._away_s: Final = away_s
        self._now: Final = now
        self._moved: Final = moved
        self._awake: Final[dict[str, LiveRoom]] = {}
        self._tally: Final = GameStats()
        self._joined: Final = GameStats()
        self.closing = False
        self.died = 0  # number of crashed games
        self.office: Office  # for stewards; set by RegisteredRooms before any room wakes
        self._context: Final = contextvars.copy_context()  # a supervisor outlives the request that wakes its room

    def find(self, name: str) -> LiveRoom | None:
        """Return the room of that name if it is awake, waking or closing."""
        return self._awake.get(name)

    def awake(self) -> list[LiveRoom]:
        """Return the rooms with running games."""
        return [room for room in self._awake.values() if room.runs]

    def headcount(self, name: str) -> Headcount | None:
        """Return the number of people in a room; None if the room sleeps, or this process does not know the number."""
        room = self._awake.get(name)
        return None if room is None else room.headcount

    def stats(self) -> dict[str, KindStats]:
        """Return the statistics of all games since the start of the process, by kind.

        They count the work of the owners in this process. Only `moves` counts the requests of this process to all
        owners.
        """
        here, elsewhere = self._tally.read(), self._joined.read()
        return {kind: with_moves(here.get(kind, NO_GAMES), elsewhere.get(kind, NO_GAMES)) for kind in here | elsewhere}

    def requests_elsewhere(self) -> int:
        """Return the number of completed requests of this process to games in other processes, since its start."""
        return sum(sum(kind.owners.commands.values()) for kind in self._joined.read().values())

    async def wake(self, name: str) -> LiveRoom:
        """Return the room of that name. Start a supervisor if the room sleeps.

        Waits for the register. If too many rooms are awake, closes a room without visitors and waits for its end.

        Raises RoomsFull, or the refusal of a room that cannot be entered.
        """
        require_enterable(await self._register.ask(FindRoom(name)))
        while name not in self._awake and len(self._awake) >= self._most:
            idle = next((room for room in self._awake.values() if room.idle or room.leaving), None)
            if idle is None:
                raise AwakeFull(self._most)
            idle.leave()
            await idle.gone.wait()
        if self.closing:
            raise GameClosed("the server is closing")
        if name not in self._awake:
            room = self._awake[name] = LiveRoom(name, self._store.recorder(name), self._moved)
            self.spawn(partial(self._supervise, room))
        return self._awake[name]

    def put(self, record: RoomRecord) -> None:
        """Pass the register's record to the room if it is awake."""
        room = self._awake.get(record.name)
        if room is not None:
            room.put(record)
            if record.state not in LISTED:
                room.leave()

    async def change(self, command: ChangeRoom) -> RoomRecord:
        """Change the record of a room in the register, and pass it to the room if it is awake; return the record."""
        record = await self._register.ask(command)
        self.put(record)
        return record

    async def close(self, name: str) -> None:
        """Close the game of a room if the room is awake, and wait for the game's end."""
        room = self._awake.get(name)
        if room is not None:
            room.leave()
            await room.gone.wait()

    async def close_all(self) -> None:
        """Close all running games, and wait for their end.

        Opening a game may take long. Games that are still being opened are cancelled at the end of the nursery.
        """
        self.closing = True
        running = [room for room in self._awake.values() if room.ready.is_set()]
        for room in running:
            room.leave()
        for room in running:
            await room.gone.wait()

    async def note_visits(self) -> None:
        """Record a visit to each awake room, unless one was recorded recently."""
        for room in self.awake():
            await self._note_visit(room)

    def spawn(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work` in its own task. A cancellation of the caller does not reach it."""
        self._context.run(partial(self._nursery.start_soon, work))

    async def follow_register(self) -> None:
        """Pass changes of records to the awake rooms. Runs until it is cancelled."""
        async for change in self._register.subscribe():
            named = {event.room for event in change.events if isinstance(event, RoomEvent)}
            unknown = change.missed or any(isinstance(event, LookAgain) for event in change.events)
            for name in [name for name in self._awake if unknown or name in named]:
                try:
                    self.put(await self._register.ask(FindRoom(name)))
                except Refusal:
                    if name in self._awake:
                        self._awake[name].leave()
                except GameStopped:
                    break  # the next owner of the register publishes LookAgain

    # --- one supervisor ---

    async def _supervise(self, room: LiveRoom) -> None:
        """Run the game of a room until the room is unwanted, or must end."""
        try:
            async with self._store.held(room.name, room.wanted) as held:
                try:
                    await self._run(room, held)
                except RoomDamaged as damaged:
                    logger.error(LogEntry("room-damaged", room=room.name, reason=str(damaged.__cause__)))
                    room.fail(partial(_alike, damaged))
                except Refusal as refusal:  # for instance: the room was closed or removed while it woke
                    room.fail(partial(_alike, refusal))
                except JournalError as error:
                    logger.error(LogEntry("room-damaged", room=room.name, reason=error.for_operator()))
                    room.fail(partial(_damaged, error))
                except GameMoved as moved:
                    logger.info(LogEntry("room-moved", room=room.name, reason=str(moved)))
                    room.fail(partial(GameMoved, str(moved)))
                except Exception as error:
                    room.fail(partial(_stopped, error))
                    if held.runs_here:
                        await self._died(room.name, error)
                except BaseExceptionGroup as group:
                    ending, bugs = group.split(trio.Cancelled)
                    if ending is None or not isinstance(bugs, ExceptionGroup):
                        raise
                    logger.error(LogEntry("room-died", room=room.name), exc_info=bugs)
                    raise ending from None  # the bug must not replace the cancellation
        finally:
            del self._awake[room.name]
            room.end()

    async def _run(self, room: LiveRoom, held: Hold) -> None:
        record = await self._register.ask(FindRoom(room.name))
        require_enterable(record)
        kind = self._kinds.get(record.kind)
        if kind is None:
            raise NoSuchGame(record.kind)
        room.put(record)
        room.visited = -inf if record.visited is None else last_seen(record)
        settings = await self._store.settings(record)
        has_bots = held.runs_here and record.state == "open"
        bots = kind.bot_memory(settings) * len(record.bots) if has_bots else 0
        await self._make_room(room, kind.memory(settings) + bots)
        setup = await trio.to_thread.run_sync(kind.set_up, settings)
        clocks = RoomClocks(self._away_s, record.turn_s)
        async with held.open(setup, clocks, record) as running, open_side_nursery(cancel) as beside:
            opened = running.opened
            if held.runs_here and room.record.state == "open":
                beside.start_soon(self._record_result, room, opened.finished)
                if record.daily and record.started is None and kind.bots is not None:
                    beside.start_soon(self._record_start, room.name, partial(kind.bots.begun, opened.game))
            tally = self._tally if held.runs_here else self._joined
            try:
                with (
                    room.begin(running, beside, runs_here=held.runs_here),
                    tally.running(record.kind, opened.game),
                    Steward(room, self.office, beside.start_soon).at_work() if held.runs_here else nullcontext(),
                ):
                    beside.start_soon(self._note_visit, room)  # a wait here would delay `leave` after a crash
                    await room.unwanted(self._sleep_after)
                    await self._note_visit(room)
            finally:
                room.leave()  # for any reason; the journal closes after this

    async def _make_room(self, room: LiveRoom, memory: int) -> None:
        """Reserve bytes of memory for a room. Close rooms without visitors if necessary. Raises MemoryFull."""
        while memory + sum(other.memory for other in self._awake.values()) > self._most_bytes:
            idle = next((one for one in self._awake.values() if one.memory and (one.idle or one.leaving)), None)
            if idle is None:
                raise MemoryFull(self._most_bytes)
            idle.leave()
            await idle.gone.wait()
        room.memory = memory

    async def _note_visit(self, room: LiveRoom) -> None:
        now = self._now()
        if room.runs_here and room.record.state == "open" and now >= room.visited + VISIT_S:
            room.visited = now
            with suppress(Refusal, GameStopped):  # the room was removed just now, or the next call retries
                await self._register.ask(VisitRoom(room.name, now))

    async def _record_result(self, room: LiveRoom, finished: Callable[[], Awaitable[GameResult]]) -> None:
        """Record the result once the game is over. Retry until the register accepts it, or the room is closed.

        Recording the result twice changes nothing. If the room falls asleep before the result is recorded, the result
        is recorded when the room wakes again.
        """
        try:
            result = await finished()
        except GameStopped:  # the owner ended before the game was over
            return
        called = ""
        if room.record.daily:
            with suppress(ScrambleError):  # then the table has the player's ID
                called = (await room.game.ask(ListNames())).get(next(iter(result.scores), ""), "")
        await self._record(RecordResult(room.name, result, self._now(), called))

    async def _record_start(self, name: str, begun: Callable[[], Awaitable[None]]) -> None:
        """Record the time of the first move. Retry until the register accepts it."""
        try:
            await begun()
        except (GameClosed, GameStopped):
            return
        await self._record(RecordStart(name, self._now()))

    async def _record(self, command: RecordStart | RecordResult) -> None:
        """Send a command to the register until it is accepted, or the room is removed."""
        pause, said = RESULT_AGAIN_S, False
        while True:
            try:
                self.put(await self._register.ask(command))
                return
            except (NoSuchRoom, RoomRemoved):
                return
            except ScrambleError as error:  # the register moves, is unreachable, or has no space
                if not said:
                    logger.warning(LogEntry("result-not-recorded", room=command.name, reason=str(error)))
                said = True
            await trio.sleep(pause)
            pause = min(2 * pause, MOST_RESULT_AGAIN_S)

    async def _died(self, name: str, error: Exception) -> None:
        """Log the crash of a room's game. Mark the room broken after repeated crashes."""
        self.died += 1
        failures = leaves(error)
        if all(isinstance(failure, JournalFailed) for failure in failures):  # disk failures need no traceback
            logger.error(LogEntry("room-died", room=name, reason=str(failures[0])))
            return
        logger.error(LogEntry("room-died", room=name), exc_info=error)
        if await self._store.note_death(name) >= DEATHS:
            logger.error(LogEntry("room-broken", room=name))
            with suppress(Refusal, GameStopped):  # the room was removed meanwhile
                self.put(await self._register.ask(MarkBroken(name, self._now())))

    def __str__(self) -> str:
        return f"{len(self._awake)} rooms awake"


def require_enterable(record: RoomRecord) -> None:
    """Raise RoomClosed if the room can no longer be entered."""
    if record.state == "closed":
        raise RoomClosed("this room has been closed")
    if record.state == "broken":
        raise RoomBroken("the game of this room has failed again and again, so it stays closed")


def _alike(refusal: Refusal) -> Refusal:
    """Return a copy of a refusal: each waiting task raises its own copy."""
    other = type(refusal).__new__(type(refusal), *refusal.args)
    other.__dict__.update(vars(refusal))
    return other


def _damaged(error: JournalError) -> RoomDamaged:
    refusal = RoomDamaged("the file of this room cannot be used; the log of the server says why")
    refusal.__cause__ = error
    return refusal


def _stopped(error: Exception) -> GameStopped:
    stopped = GameStopped("the game of this room has stopped because of an error; enter the room again")
    stopped.__cause__ = error
    return stopped
