"""The register of a cluster's rooms. It is a game with an owner, like a room's game, and its owner may change.

    register = ClusterRegister(claims, link)
    nursery.start_soon(register.keep)
    record = await register.ask(FindRoom("acorn-violet-piano-otter"))

The law: each request takes effect once, even if the owner dies during the request. So `ask` repeats every request until
an owner answers, for `ASK_S` at most. A repeated request changes nothing, except `OpenRoom` and `RemoveRoom`. If the
first try opened the room, the second try recognizes the room by its name and time. If the first try removed the room,
the second try finds no room.

In an emptied Redis the register starts anew. In a Redis that has lost its latest data, the register returns to an
earlier state. A process that knew more commands notices the loss: it logs an error, counts the lost rooms, and raises
`RoomLost` for an unknown room.

Followers stay subscribed when the owner changes. They then get `LookAgain`, because changes may have been lost.

Safe under concurrency: one task follows the owner, and all callers wait for it. State changes only between two awaits.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, nullcontext, suppress
from functools import partial
from typing import Final, NamedTuple, NoReturn, TypeVar, cast

import msgspec
import outcome
import trio

from scramble.cluster.codec import Vocabulary
from scramble.cluster.ownership import EnteredPart, Ownership
from scramble.cluster.protocol import GameMoved, RedisLink, RedisRefused
from scramble.cluster.scripts import persistently
from scramble.cluster.serving import Part
from scramble.errors import DiskFull, GameClosed, GameStopped, JournalError, JournalFailed, leaves
from scramble.journal import Recorder, recorded
from scramble.kernel.actor import Actor, open_actor
from scramble.kernel.changes import Changes, History
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.owner import Owner
from scramble.kernel.protocol import Change, Command, Ping, Settable
from scramble.kernel.stats import CommandCounts, Stats
from scramble.logs import LogEntry
from scramble.rooms.classroom import ClassroomChange, ClassroomChanged, FindClassroom
from scramble.rooms.protocol import NoSuchRoom, RoomLost, RoomNameTaken, RoomRecord, RoomRemoved
from scramble.rooms.register import Register
from scramble.rooms.registermessages import (
    BeginDay,
    Changed,
    CountRooms,
    DailyTables,
    EndedRooms,
    FindRoom,
    ForgetRooms,
    IdleRooms,
    ListRooms,
    LookAgain,
    Opened,
    OpenRoom,
    Removed,
    RemovedRooms,
    RemoveRoom,
    RoomChange,
    UnenteredRooms,
    VisitRoom,
)

R = TypeVar("R")

REGISTER: Final = "register"
"""The room of the register. Names of other rooms have more than one word."""

PART: Final = "game"

REGISTER_VOCABULARY: Final = Vocabulary(
    (OpenRoom | BeginDay | RoomChange | VisitRoom | RemoveRoom | ForgetRooms | ClassroomChange)
    | (FindRoom | ListRooms | CountRooms | RemovedRooms | UnenteredRooms | IdleRooms | EndedRooms | DailyTables)
    | FindClassroom,
    Opened | Changed | Removed | ClassroomChanged,
)

ASK_S: Final = 8.0
"""Seconds for which a caller waits for an owner that answers."""

OWNER_RETRY_S: Final = 0.05  # after an owner was lost or could not continue
BAD_RECORD_PAUSE_S: Final = 0.5  # after the recorded data was unusable

REGISTER_LOOK_S: Final = 5.0
"""Seconds between two checks that Redis still has the register. Requests to the register may be rare."""

MOST_LOOKS: Final = 10
"""Maximum of checks before the register is followed. The checks end early when no command came between two checks. If
commands always come, the process counts too few commands. Then it does not notice the loss of uncounted commands."""

logger = logging.getLogger(__name__)


class _Known(NamedTuple):
    """The register as this process knows it: its start (as in Redis), its last command, and its number of rooms."""

    began: bytes | None
    seq: int
    rooms: int

    def is_lost_in(self, now: _Known) -> bool:
        """Return True if the register `now` started at another time or has fewer commands."""
        return self.began != now.began or self.seq > now.seq


class _OpenableRegister:
    """Opens the register. Implements `Openable`."""

    vocabularies: Final[Mapping[str, Vocabulary]] = {PART: REGISTER_VOCABULARY}
    keeps_all: Final = False  # no replays; with all commands, the log would grow with each room and visit

    @asynccontextmanager
    async def own(self, recorder: Recorder, /) -> AsyncIterator[Owner]:
        """Run the register."""
        async with recorded(Register(), recorder) as kept, open_actor(kept.rules, log=kept.log) as actor:
            yield actor

    def parts(self, opened: Owner, /) -> Mapping[str, Part]:
        """Return the only part of the register."""
        return {PART: Part(opened, REGISTER_VOCABULARY)}

    def join(self, owners: Mapping[str, Owner], /) -> AbstractAsyncContextManager[Owner]:
        """Use the register of another process."""
        return nullcontext(owners[PART])

    def wanted(self) -> AbstractContextManager[None]:
        """Do nothing: a register never sleeps."""
        return nullcontext()


class ClusterRegister:
    """The register of a cluster, in this or another process. Implements `Owner`; `Actor` documents the methods."""

    # AF: the register; _entered has its owner, and is None while no owner is known. _history has the changes of all
    #     owners, one owner after another. _came is set when there is an owner, and replaced when the owner is lost.
    #     _known is the last known state of the register.

    def __init__(self, claims: Ownership, link: RedisLink) -> None:
        self._claims: Final = claims
        self._link: Final = link
        self._known: _Known | None = None
        self.rooms_lost: int = 0
        """The number of rooms that the register had and Redis has lost, as far as this process knows."""
        self._has_lost = False
        self._entered: EnteredPart[Owner] | None = None
        self._came = trio.Event()
        self._history: Final = History()
        self._closed = False

    @property
    def runs_here(self) -> bool:
        """True if this process owns the register."""
        return self._entered is not None and self._entered.runs_here

    @property
    def has_owner(self) -> bool:
        """True if this process knows the register's owner."""
        return self._entered is not None

    async def keep(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Own the register while no other process owns it; otherwise follow its owner. Runs until it is cancelled.

        Starts once there is an owner and this process knows the state of the register in Redis. Raises JournalError if
        the register is unusable at the start. A later failure is logged and retried; the games continue meanwhile.
        """
        started, stuck, pause = False, "", OWNER_RETRY_S
        passing: tuple[type[Exception], ...] = (GameStopped, JournalFailed, DiskFull)
        try:
            while True:
                try:
                    async with self._claims.entered(REGISTER, _OpenableRegister()) as entered:
                        self._begin(entered)
                        stuck, pause = "", OWNER_RETRY_S
                        changes = await self._compare(entered.opened)
                        if not started:
                            task_status.started()
                            started = True
                            passing += (JournalError, RedisRefused)
                        self._publish(Change(0, (LookAgain(),)))
                        async with open_side_nursery(cancel) as nursery:
                            nursery.start_soon(self._watch)
                            await self._follow(changes)
                except* passing as group:
                    error = leaves(group)[0]
                    if not isinstance(error, JournalError | RedisRefused):
                        pause = OWNER_RETRY_S
                        logger.info(LogEntry("register-moved", reason=str(error)))
                    else:
                        if str(error) != stuck:
                            logger.error(LogEntry("register-stuck", reason=str(error)))
                        stuck, pause = str(error), BAD_RECORD_PAUSE_S
                self._lose()
                await trio.sleep(pause)
        finally:
            self._closed = True
            self._lose()
            self._came.set()
            self._history.end(lambda: GameClosed("the register was closed"))

    async def _compare(self, owner: Owner) -> Changes:
        """Note the register's state, and return the changes after it. Log the loss of rooms that this process knew."""
        before, found = self._known, await self._look()
        for _ in range(MOST_LOOKS):
            counts, changes = await owner.follow(CountRooms())
            looked, found = found, await self._look()
            if found == looked:
                break  # no command came between the two looks: `changes` begin exactly after `found`
        now = self._known = looked._replace(rooms=counts.open + counts.ended + counts.closed + counts.broken)
        if before is None or not before.is_lost_in(now):
            return changes
        anew = before.began != now.began
        lost = before.rooms if anew else max(0, before.rooms - now.rooms)
        commands = before.seq if anew else before.seq - now.seq
        self._has_lost = True
        self.rooms_lost += lost
        logger.error(LogEntry("register-lost", rooms=lost, commands=commands))
        return changes

    async def _watch(self) -> NoReturn:
        """Check from time to time that Redis still has the known register. Raises GameMoved if Redis has lost it."""
        while True:
            await trio.sleep(REGISTER_LOOK_S)
            with suppress(RedisRefused):
                before = self._known
                if before is not None and before.is_lost_in(await self._look()):
                    raise GameMoved("Redis has lost the register of rooms, or the latest of it")

    async def _look(self) -> _Known:
        """Return the register's state in Redis, without the number of rooms. Waits for Redis; raises RedisRefused."""
        ask = partial(self._link.call, "HMGET", self._link.names.room(REGISTER), "began", "seq")
        began, seq = msgspec.convert(await persistently(ask), tuple[bytes | None, bytes | None])
        return _Known(began, int(seq or 0), 0)

    def _begin(self, entered: EnteredPart[Owner]) -> None:
        self._entered = entered
        self._came.set()

    def _lose(self) -> None:
        self._entered = None
        if self._came.is_set():
            self._came = trio.Event()

    async def _follow(self, changes: Changes) -> None:
        async for change in changes:
            opened = sum(isinstance(event, Opened) for event in change.events)
            removed = sum(isinstance(event, Removed) for event in change.events)
            if self._known is not None:
                began, seq, rooms = self._known
                self._known = _Known(began, seq + 1 + change.missed, rooms + opened - removed)
            self._publish(Change(change.version, (LookAgain(),)) if change.missed else change)

    def _publish(self, change: Change) -> None:
        self._history.publish(change)
        self._history.announce()

    async def _owner(self, until: float) -> Owner:
        """Return the owner. Waits for an owner. Raises GameMoved if the wait takes too long; GameClosed at the end."""
        with trio.CancelScope() as limit:
            limit.deadline = until
            while not self._closed:
                if self._entered is not None:
                    return self._entered.opened
                await self._came.wait()
        if self._closed:
            raise GameClosed("the register was closed")
        raise GameMoved("the register of rooms moves to another process: try again")

    # --- for callers ---

    async def ask(self, command: Command[R], *, parked: Settable | None = None, within: float | None = None) -> R:
        """Execute a command, in this process or in the owner's process. Raises GameMoved without an answer in time.

        The limit is `within` seconds, by default `ASK_S`. After GameMoved the command may have been executed.
        """
        until = trio.current_time() + (ASK_S if within is None else within)
        try:
            answer = await self._try(command, until, parked)
            while answer is None:
                answer = await self._try_again(command, until, parked)
        except NoSuchRoom as missing:
            if self._has_lost:
                raise RoomLost(
                    "there is no room with this name; rooms were lost, and it may be one of them"
                ) from missing
            raise
        return answer[0]

    async def _try(self, command: Command[R], until: float, parked: Settable | None) -> tuple[R] | None:
        """Return the answer in a tuple. If the owner was lost, return None: the command may or may not be executed."""
        owner = await self._owner(until)
        try:
            if isinstance(owner, Actor):
                return (await _in_time(owner, command, until, parked),)
            return (await owner.ask(command, parked=parked),)
        except GameStopped:
            if self._closed or trio.current_time() >= until:
                raise
        await trio.sleep(OWNER_RETRY_S)  # meanwhile the task of `keep` notices the loss, too
        return None

    async def _try_again(self, command: Command[R], until: float, parked: Settable | None) -> tuple[R] | None:
        """Execute a command that may have been executed before."""
        try:
            return await self._try(command, until, parked)
        except RoomNameTaken:
            if isinstance(command, OpenRoom):
                found = await self.ask(FindRoom(command.name))
                if _is_of(found, command):
                    return (cast(R, found),)
            raise
        except RoomRemoved:
            if isinstance(command, RemoveRoom):
                return (cast(R, None),)
            raise

    async def follow(self, command: Command[R], *, parked: Settable | None = None) -> tuple[R, Changes]:
        """Execute a command; return its answer and the following changes, perhaps with a few earlier changes."""
        changes = self.subscribe()
        return await self.ask(command, parked=parked), changes

    def tell(self, command: Command[object]) -> None:
        """Execute a command without an answer, if there is an owner."""
        if self._entered is not None:
            self._entered.opened.tell(command)

    def subscribe(self) -> Changes:
        """Follow the changes from now on. They continue with the next owner, after `LookAgain`."""
        return Changes(self._history)

    async def ping(self) -> None:
        """Wait until the owner has executed its current queue."""
        await self.ask(Ping())

    def stats(self) -> Stats:
        """Return the owner's statistics, as far as this process knows them."""
        if self._entered is not None:
            return self._entered.opened.stats()
        stopped = "the register was closed" if self._closed else "the register moves"
        return CommandCounts().stats(parked=(), queued=0, followers=0, missed=0, version=0, stopped=stopped)

    async def aclose(self) -> None:
        """Do nothing: the register belongs to all processes."""
        await trio.lowlevel.checkpoint()

    def __str__(self) -> str:
        return "the register, here" if self.runs_here else "the register, elsewhere"


async def _in_time(actor: Actor, command: Command[R], until: float, parked: Settable | None) -> R:
    """Execute a command in this process. Raise GameMoved if Redis has not recorded the command at the time `until`.

    A cancelled caller still gets the answer to a decided command, as from `Actor.ask`, but not after `until`.
    """
    answers: list[outcome.Outcome[object]] = []
    answered = trio.Event()

    def deliver(answer: outcome.Outcome[object], _: int) -> None:
        answers.append(answer)
        answered.set()

    request = actor.request(command, deliver, parked)
    try:
        with trio.CancelScope() as limit:
            limit.deadline = until
            await actor.post(request)
            await answered.wait()
    except trio.Cancelled:
        if actor.withdraw(request):
            raise
        with trio.CancelScope(shield=True) as limit:  # the command is decided, and being recorded
            limit.deadline = until
            await answered.wait()
        if not answers:
            raise
    if not answers:
        actor.withdraw(request)
        raise GameMoved("Redis has not recorded this in time: try again")
    return cast(R, answers[0].unwrap())


def _is_of(record: RoomRecord, command: OpenRoom) -> bool:
    """Return True if `command` opened this room: no other room has the same name and the same time."""
    return (record.opened, record.kind, record.host) == (command.at, command.kind, command.host)
