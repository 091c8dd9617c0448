"""The steward of a room that is awake: does what acts of people need from the register, or from the game.

    with Steward(room, office, beside.start_soon).at_work():
        ...                                       # acts are done during the block

An act is a command of the gathering, whose rules judge and order it, and park its request (`gathering/acts.py`). The
steward runs where the gathering runs, and does the acts of a lane one after another: so of what it looks up for an act
of the house, such as who has a name, no other act changes anything meanwhile. Votes and the next game, which may take
a search, have lanes of their own. It does an act to its end, whatever becomes of the request, and keeps the room awake
for that. A lane has a task only while there are acts in it.

If the process ends in the middle of an act, or loses the room, what is recorded counts: each act changes the register,
or the game, in one step, which may come twice. The gathering ends with its steward, so nobody waits for an answer that
does not come.

Safe under concurrency: the gathering gives an act to one task at a time.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

import trio

from scramble.errors import CallerError, GameStopped, ScrambleError
from scramble.games.settings import BadSettings
from scramble.kernel.nursery import StartSoon
from scramble.players.seats import FindMoved, FindSeat, HandOverSeat, SeatTaken, seat_taken_words
from scramble.rooms.gathering.messages import (
    Begin,
    Close,
    Due,
    Lane,
    OfferSeat,
    Remove,
    Rename,
    RequireHost,
    TakeNext,
    TakenSeat,
    Undone,
    UseTicket,
    Vote,
)
from scramble.rooms.gathering.refusals import HostStays, NobodyThere, NobodyWithSecret, OpenerStays, PlayerRemoved
from scramble.rooms.gathering.stewardmessages import (
    AwaitDelivery,
    BeginAgreed,
    CountVote,
    EndTask,
    FindHolder,
    FindTicket,
    GiveTicket,
    NoteAct,
    NoteBegun,
    NoteExpelled,
    NoteHandover,
    NoteMoved,
    NoteNotBegun,
    RemovePlayer,
    StewardAct,
    TakeTask,
    Task,
)
from scramble.rooms.live_room import LiveRoom
from scramble.rooms.names import settled_title
from scramble.rooms.nextgame import NextGames
from scramble.rooms.protocol import RoomRecord
from scramble.rooms.registermessages import MOST_EXPELLED, ChangeRoom, CloseRoom, ExpelClient, RenameRoom

R = TypeVar("R")

DELIVERY_S: Final = 1.0
"""Seconds for the last words in a room that is closed: a place that does not answer delays nobody for longer."""

LEAVING_S: Final = 2 * DELIVERY_S
"""Seconds for all that a removed player has asked for to end at all places, which cancel it after `DELIVERY_S`."""

AGAIN_FOR_S: Final = 30.0
"""Seconds for which a change that the register cannot take now is tried again: it may move meanwhile."""

ACT_S: Final = AGAIN_FOR_S + 5.0
"""Seconds for one act: others wait for it, and neither Redis nor a disk that stands still holds them up for longer."""

LIMITS_S: Final[Mapping[Lane, float]] = MappingProxyType({"house": ACT_S, "votes": ACT_S, "next": math.inf})
"""Seconds for one act of each lane. A next game may wait for the searches of others, and holds up only next games."""

ACT_RETRY_S: Final = 0.5
"""Seconds between two of these tries."""


class Office(NamedTuple):
    """The functions by which a steward changes what is recorded of its room."""

    change: Callable[[ChangeRoom], Awaitable[object]]  # in the register, and in the room
    require_space: Callable[[], None]  # or DiskFull
    now: Callable[[], float]  # in seconds since 1970
    next_games: NextGames


class Steward:
    """The steward of one room. Made where its gathering runs."""

    # AF: the steward of _room. All acts were seen that came before the position of _changes.

    __slots__ = ("_changes", "_office", "_room", "_start_soon")

    def __init__(self, room: LiveRoom, office: Office, start_soon: StartSoon) -> None:
        """Do the acts of a room whose game runs. `start_soon` runs a task until the room falls asleep, or ends.

        A bug in such a task has to end the room.
        """
        self._room: Final = room
        self._office: Final = office
        self._start_soon: Final = start_soon
        self._changes: Final = room.gathering.subscribe()
        self._changes.move_to(0)  # another process may have asked for an act by now

    def at_work(self) -> AbstractContextManager[None]:
        """Do acts during the block, in tasks beside it."""
        self._look()
        return self._changes.watched(self._look)

    def _look(self) -> None:
        """Begin with an act of each lane in which there is one. Neither waits nor raises."""
        due = set[Lane]()
        for change in self._changes.pending():
            due.update(LIMITS_S if change.missed else (one.lane for one in change.events if isinstance(one, Due)))
        for lane in due:
            if not self._room.leaving:
                self._start_soon(partial(self._work, lane))

    async def _work(self, lane: Lane) -> None:
        """Do acts of a lane until there are none."""
        room = self._room
        with room.wanted():
            try:
                while (task := await room.gathering.ask(TakeTask(lane))) is not None:
                    room.gathering.tell(await self._end_of(task, LIMITS_S[lane]))
            except GameStopped:  # not `suppress`, see `gathering.stay`
                return

    async def _end_of(self, task: Task, limit_s: float) -> EndTask:
        """Do an act; return how it ended."""
        try:
            with trio.move_on_after(limit_s):
                return EndTask(task.number, await self._do(task.act))
            return EndTask(task.number, Undone("the room has not done this in time"))
        except CallerError as refused:
            return EndTask(task.number, refusal=refused.with_traceback(None))
        except ScrambleError as error:
            return EndTask(task.number, Undone(str(error)))

    async def _do(self, act: StewardAct) -> TakenSeat | str | None:
        match act:
            case Rename():
                await self._rename(act)
            case Close():
                await self._close(act)
            case Remove():
                await self._remove(act)
            case OfferSeat():
                await self._offer_seat(act)
            case UseTicket():
                return await self._use_ticket(act)
            case Vote():
                await self._note_moved()
                await self._room.gathering.ask(CountVote(act))
            case Begin():
                return await self._begin(act)
            case BeginAgreed():
                await self._begin_agreed(act)
            case NoteExpelled():
                for holder in act.holders:
                    await self._part_with(RemovePlayer(holder))
        return None

    # --- the next game ---

    async def _begin(self, act: Begin) -> str:
        gathering = self._room.gathering
        self._require_welcome(act.holder)
        after = await self._begun()
        if after is None:
            if not act.may_open and not act.as_host:  # who acts as the host was judged by the gathering
                await gathering.ask(RequireHost(act.holder, "again"))
            after = await self._open_next(act.client)
            await gathering.ask(NoteBegun(act.holder, after.name))
        return after.name

    async def _begin_agreed(self, act: BeginAgreed) -> None:
        """Begin the next game, if enough players still want it; if that is refused, tell all why."""
        gathering = self._room.gathering
        try:
            if await self._note_moved():  # who came after the votes counts, too
                after = await self._begun() or await self._open_next(act.client)
                await gathering.ask(NoteBegun(None, after.name))
        except BadSettings as bad:
            error = next(iter(bad.fields.values()))
            await gathering.ask(NoteNotBegun(error.words, error.code, error.params))
        except CallerError as refused:
            await gathering.ask(NoteNotBegun(str(refused), refused.code, dict(refused.params)))

    async def _begun(self) -> RoomRecord | None:
        """Return the room of the next game, if it can be entered."""
        return await self._insist(partial(self._office.next_games.begun, self._room.name))

    async def _open_next(self, client: str) -> RoomRecord:
        wanted = await self._room.gathering.ask(TakeNext())
        return await self._insist(await self._office.next_games.ordered(self._room.record, wanted, client))

    async def _note_moved(self) -> bool:
        """Tell the gathering whose votes count; return whether enough of them want a new game.

        Where names belong to everybody, nobody knows who has made a move.
        """
        room = self._room
        players = (await room.known()).players
        if room.record.names == "seats":
            players = await room.game.ask(FindMoved(players))
        return await room.gathering.ask(NoteMoved(players))

    # --- the room ---

    async def _rename(self, act: Rename) -> None:
        self._office.require_space()
        await self._change(RenameRoom(self._room.name, settled_title(act.title)))
        await self._room.gathering.ask(NoteAct("rename", act.holder, {"title": act.title}))

    async def _close(self, act: Close) -> None:
        gathering = self._room.gathering
        await gathering.ask(NoteAct("close", act.holder, {}))
        with trio.move_on_after(DELIVERY_S):
            await gathering.ask(AwaitDelivery())
        await self._change(CloseRoom(self._room.name, self._office.now()))

    async def _remove(self, act: Remove) -> None:
        record = self._room.record
        target = await self._holder_now(act.player)
        if target is None:
            raise (NobodyWithSecret if record.names == "open" else NobodyThere)(act.player)
        if target == act.holder:
            raise HostStays
        if target == record.host:
            raise OpenerStays
        await self._change(ExpelClient(record.name, target, MOST_EXPELLED))
        await self._part_with(RemovePlayer(target, act.holder, act.player, act.place))

    # --- seats ---

    async def _offer_seat(self, act: OfferSeat) -> None:
        self._require_welcome(act.holder)
        holder = await self._holder_now(act.player)
        if holder is None:
            raise NobodyThere(act.player)
        if holder != act.holder:
            raise SeatTaken(seat_taken_words(act.player), act.player)
        await self._room.gathering.ask(GiveTicket(act.text, act.player, act.holder))

    async def _use_ticket(self, act: UseTicket) -> TakenSeat:
        game, gathering = self._room.game, self._room.gathering
        ticket = await gathering.ask(FindTicket(act.text, act.holder))
        for one in (act.holder, ticket.holder):  # a removed client does not come back as another player's device
            self._require_welcome(one)
        try:
            await game.ask(HandOverSeat(ticket.player, ticket.holder, act.holder))
        except SeatTaken:
            if await self._holder_now(ticket.player) != act.holder:
                raise  # otherwise it has the seat already
        return TakenSeat(ticket.player, await gathering.ask(NoteHandover(act.text, ticket, act.holder)))

    def _require_welcome(self, holder: str) -> None:
        if holder in self._room.record.expelled:
            raise PlayerRemoved

    async def _holder_now(self, player: str) -> str | None:
        """Return who has the name of that player; None if nobody has."""
        if self._room.record.names == "open":
            return await self._room.gathering.ask(FindHolder(player))
        seat = await self._room.game.ask(FindSeat(player))
        return None if seat is None else seat.holder

    async def _part_with(self, command: RemovePlayer) -> None:
        """Remove a holder who is expelled, and then free what its players hold."""
        gathering = self._room.gathering
        players = await gathering.ask(command)
        if not players:
            return  # it was removed before, or plays without a connection
        with trio.move_on_after(LEAVING_S):  # a flip that waits would take the card after all
            await gathering.ask(AwaitDelivery())
        for player in players:
            await self._room.release(player)

    # --- what is recorded ---

    async def _change(self, command: ChangeRoom) -> None:
        """Change the record of the room. Raises what `_insist` does."""
        await self._insist(partial(self._office.change, command))

    async def _insist(self, work: Callable[[], Awaitable[R]]) -> R:
        """Do something that changes the register: again, for a while, if that does not answer.

        Raises its refusals; GameStopped if nobody knows whether the change has happened.
        """
        until = trio.current_time() + AGAIN_FOR_S
        while True:
            try:
                return await work()
            except CallerError:
                raise
            except ScrambleError:  # its owner moves, or cannot be reached
                if trio.current_time() + ACT_RETRY_S > until:
                    raise
            await trio.sleep(ACT_RETRY_S)

    def __str__(self) -> str:
        return f"the steward of {self._room}"
