"""The register of the rooms of a cluster: a game like the others, whose owner this process finds again when it moves.

    register = ClusterRegister(claims, link)
    nursery.start_soon(register.keep)
    record = await register.ask(FindRoom("acorn-violet-piano-otter"))

The law: whatever is asked here is carried out once in effect, though the owner may die in the middle of it. Queries
and all commands of a register but two find what they would do done, and change nothing, if they come twice; a room that
was opened by the first of two tries is known by its name and its time, and one that was removed by it is gone. So
everything is asked again, until there is an owner that answers, for `ASK_S` at most.

A Redis that was emptied, or that came back without its latest data, begins the register anew, or sets it back. A
process that knew more notices: it logs an error, counts the lost rooms, and refuses to find a room by `RoomLost`.

Followers follow on: as the owner changes, they get `LookAgain`, because changes may have been lost.

Safe under concurrency: one task follows the owner; everybody else waits for it, and everything changes between two
awaits.
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
from scramble.rooms.protocol import NoSuchRoom, RoomLost, RoomNameTaken, RoomRecord, RoomRemoved
from scramble.rooms.register import Register
from scramble.rooms.registermessages import (
    Changed,
    CountRooms,
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
"""The room of the register: no other has this name, which has one word."""

PART: Final = "game"

REGISTER_VOCABULARY: Final = Vocabulary(
    (OpenRoom | RoomChange | VisitRoom | RemoveRoom | ForgetRooms)
    | (FindRoom | ListRooms | CountRooms | RemovedRooms | UnenteredRooms | IdleRooms | EndedRooms),
    Opened | Changed | Removed,
)

ASK_S: Final = 8.0
"""Seconds for which somebody who asks waits for an owner that answers."""

OWNER_RETRY_S: Final = 0.05  # after an owner was lost, or could not go on
BAD_RECORD_PAUSE_S: Final = 0.5  # after what is recorded could not be used

REGISTER_LOOK_S: Final = 5.0
"""Seconds between two looks whether Redis still has the register, of which nobody may ask anything for long."""

MOST_LOOKS: Final = 10
"""Looks of a process that begins to follow, for two between which no command came. In a register that is never quiet it
then counts too few commands, and does not notice if Redis later loses as many as came between two looks."""

logger = logging.getLogger(__name__)


class _Known(NamedTuple):
    """The register as this process knows it: when it began (as Redis has it), its last command, and its rooms."""

    began: bytes | None
    seq: int
    rooms: int

    def is_lost_in(self, now: _Known) -> bool:
        """Return whether what there is `now` began later, or has fewer commands."""
        return self.began != now.began or self.seq > now.seq


class _OpenableRegister:
    """The register as it is opened: implements `Openable`."""

    vocabularies: Final[Mapping[str, Vocabulary]] = {PART: REGISTER_VOCABULARY}
    keeps_all: Final = False  # nobody replays it, and it grows with each room and visit for as long as Redis runs

    @asynccontextmanager
    async def own(self, recorder: Recorder, /) -> AsyncIterator[Owner]:
        """Run the register."""
        async with recorded(Register(), recorder) as kept, open_actor(kept.rules, log=kept.log) as actor:
            yield actor

    def parts(self, opened: Owner, /) -> Mapping[str, Part]:
        """Return its one part."""
        return {PART: Part(opened, REGISTER_VOCABULARY)}

    def join(self, owners: Mapping[str, Owner], /) -> AbstractAsyncContextManager[Owner]:
        """Use the register of another process."""
        return nullcontext(owners[PART])

    def wanted(self) -> AbstractContextManager[None]:
        """Do nothing: a register never sleeps."""
        return nullcontext()


class ClusterRegister:
    """The register of a cluster, wherever it runs. Implements `Owner`, whose methods `Actor` documents."""

    # AF: the register, whose owner is reached through _entered; None while there is none, or it is not known.
    #     _history has the changes of all owners, one after the other. _came: set when there is an owner, and replaced
    #     when it is lost. _known is the register as it was last seen here.

    def __init__(self, claims: Ownership, link: RedisLink) -> None:
        self._claims: Final = claims
        self._link: Final = link
        self._known: _Known | None = None
        self.rooms_lost: int = 0
        """The rooms of which this process knows that the register had them, and that Redis has lost them."""
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
        """True if this process knows a process that has the register."""
        return self._entered is not None

    async def keep(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Own the register, or follow its owner, one after the other. Runs until it is cancelled.

        Has started once there is an owner, and it is known what Redis has of the register. Raises JournalError if that
        cannot be used then; later on that is logged, and tried again: the games go on meanwhile.
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
        """Note the register as it is, and return the changes after that; report what was known here, and is lost."""
        before, found = self._known, await self._look()
        for _ in range(MOST_LOOKS):
            counts, changes = await owner.follow(CountRooms())
            looked, found = found, await self._look()
            if found == looked:
                break  # no command was carried out meanwhile: these are the changes after what was found
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
        """Look now and then whether Redis has the register that is known here. Raises GameMoved if it has not."""
        while True:
            await trio.sleep(REGISTER_LOOK_S)
            with suppress(RedisRefused):
                before = self._known
                if before is not None and before.is_lost_in(await self._look()):
                    raise GameMoved("Redis has lost the register of rooms, or the latest of it")

    async def _look(self) -> _Known:
        """Return what Redis has of the register, but for the number of rooms. Waits for Redis; raises RedisRefused."""
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
        """Return the owner. Waits for one; raises GameMoved if that takes too long, and GameClosed."""
        with trio.CancelScope() as limit:
            limit.deadline = until
            while not self._closed:
                if self._entered is not None:
                    return self._entered.opened
                await self._came.wait()
        if self._closed:
            raise GameClosed("the register was closed")
        raise GameMoved("the register of rooms moves to another process: come again")

    # --- for callers ---

    async def ask(self, command: Command[R], *, parked: Settable | None = None, within: float | None = None) -> R:
        """Carry out a command, whoever owns the register. Raises GameMoved if nobody does for too long.

        That is `within` seconds, or `ASK_S`. The command may have been carried out then.
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
        """Return the answer, in a tuple; None if its owner was lost, and may have carried it out or not."""
        owner = await self._owner(until)
        try:
            if isinstance(owner, Actor):
                return (await _in_time(owner, command, until, parked),)
            return (await owner.ask(command, parked=parked),)
        except GameStopped:
            if self._closed or trio.current_time() >= until:
                raise
        await trio.sleep(OWNER_RETRY_S)  # in which the follower finds out, too
        return None

    async def _try_again(self, command: Command[R], until: float, parked: Settable | None) -> tuple[R] | None:
        """Carry out a command that may have been carried out before."""
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
        """Carry out a command; return its answer and the changes after it, or from shortly before it."""
        changes = self.subscribe()
        return await self.ask(command, parked=parked), changes

    def tell(self, command: Command[object]) -> None:
        """Carry out a command without an answer, if there is an owner."""
        if self._entered is not None:
            self._entered.opened.tell(command)

    def subscribe(self) -> Changes:
        """Follow the changes from this moment on. They go on with the next owner, after `LookAgain`."""
        return Changes(self._history)

    async def ping(self) -> None:
        """Wait until the owner has carried out what is queued there now."""
        await self.ask(Ping())

    def stats(self) -> Stats:
        """Return the statistics of the owner, as far as this process knows them."""
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
    """Carry out a command in this process; raise GameMoved if there is no answer until then, Redis being away.

    A caller that is cancelled gets an answer that is decided all the same, as from `Actor.ask`, but for the limit.
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
        with trio.CancelScope(shield=True) as limit:  # it is decided, and being recorded
            limit.deadline = until
            await answered.wait()
        if not answers:
            raise
    if not answers:
        actor.withdraw(request)
        raise GameMoved("Redis has not recorded this in time: come again")
    return cast(R, answers[0].unwrap())


def _is_of(record: RoomRecord, command: OpenRoom) -> bool:
    """Return whether that command has opened that room: no other one has its name and its time."""
    return (record.opened, record.kind, record.host) == (command.at, command.kind, command.host)
