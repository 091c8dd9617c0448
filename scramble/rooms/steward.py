"""The steward of a room that is awake: does what acts of people need from the register, or from the game.

    with Steward(room, office, beside.start_soon).at_work():
        ...                                       # acts are done during the block

An act is a command of the gathering, whose rules judge and order it, and park its request (`gathering/acts.py`). The
steward runs where the gathering runs, and does one act after another: so nothing that it looks up, such as who has a
name, is changed by another act meanwhile. It does an act to its end, whatever becomes of the request, and keeps the
room awake for that. It is a task only while there are acts.

If the process ends in the middle of an act, or loses the room, what is recorded counts: each act changes the register,
or the game, in one step, which may come twice. The gathering ends with its steward, so nobody waits for an answer that
does not come.

Safe under concurrency: the gathering gives an act to one task at a time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Final, NamedTuple

import trio

from scramble.errors import CallerError, GameStopped, ScrambleError
from scramble.kernel.nursery import StartSoon
from scramble.players.seats import FindSeat, HandOverSeat, SeatTaken, seat_taken_words
from scramble.rooms.awakeroom import AwakeRoom
from scramble.rooms.gathering.messages import (
    AwaitDelivery,
    Close,
    Due,
    EndTask,
    FindHolder,
    FindTicket,
    GiveTicket,
    NoteAct,
    NoteExpelled,
    NoteHandover,
    OfferSeat,
    Remove,
    RemovePlayer,
    Rename,
    StewardAct,
    TakenSeat,
    TakeTask,
    Task,
    Undone,
    UseTicket,
)
from scramble.rooms.gathering.refusals import HostStays, NobodyThere, NobodyWithSecret, OpenerStays, PlayerRemoved
from scramble.rooms.names import settled_title
from scramble.rooms.registermessages import MOST_EXPELLED, ChangeRoom, CloseRoom, ExpelClient, RenameRoom

DELIVERY_S: Final = 1.0
"""Seconds for the last words in a room that is closed: a place that does not answer delays nobody for longer."""

LEAVING_S: Final = 2 * DELIVERY_S
"""Seconds for all that a removed player has asked for to end at all places, which cancel it after `DELIVERY_S`."""

AGAIN_FOR_S: Final = 30.0
"""Seconds for which a change that the register cannot take now is tried again: it may move meanwhile."""

ACT_S: Final = AGAIN_FOR_S + 5.0
"""Seconds for one act: others wait for it, and neither Redis nor a disk that stands still holds them up for longer."""

AGAIN_S: Final = 0.5
"""Seconds between two of these tries."""


class Office(NamedTuple):
    """The functions by which a steward changes what is recorded of its room."""

    change: Callable[[ChangeRoom], Awaitable[object]]  # in the register, and in the room
    require_space: Callable[[], None]  # or DiskFull
    now: Callable[[], float]  # in seconds since 1970


class Steward:
    """The steward of one room. Made where its gathering runs."""

    # AF: the steward of _room. All acts were seen that came before the position of _changes.

    __slots__ = ("_changes", "_office", "_room", "_start_soon")

    def __init__(self, room: AwakeRoom, office: Office, start_soon: StartSoon) -> None:
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
        """Begin with an act if there is one. Neither waits nor raises."""
        for change in self._changes.pending():
            is_due = change.missed or any(isinstance(event, Due) for event in change.events)
            if is_due and not self._room.leaving:
                self._start_soon(self._work)

    async def _work(self) -> None:
        """Do acts until there are none."""
        room = self._room
        with room.wanted():
            try:
                while (task := await room.gathering.ask(TakeTask())) is not None:
                    room.gathering.tell(await self._end_of(task))
            except GameStopped:  # not `suppress`, see `Members`
                return

    async def _end_of(self, task: Task) -> EndTask:
        """Do an act; return how it ended."""
        try:
            with trio.move_on_after(ACT_S):
                return EndTask(task.number, await self._do(task.act))
            return EndTask(task.number, Undone("the room has not done this in time"))
        except CallerError as refused:
            return EndTask(task.number, refusal=refused.with_traceback(None))
        except ScrambleError as error:
            return EndTask(task.number, Undone(str(error)))

    async def _do(self, act: StewardAct) -> TakenSeat | None:
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
            case NoteExpelled():
                for holder in act.holders:
                    await self._part_with(RemovePlayer(holder))
        return None

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

    async def _change(self, command: ChangeRoom) -> None:
        """Change the record of the room: again, for a while, if the register does not answer.

        Raises its refusals; GameStopped if nobody knows whether the change has happened.
        """
        until = trio.current_time() + AGAIN_FOR_S
        while True:
            try:
                await self._office.change(command)
                return
            except CallerError:
                raise
            except ScrambleError:  # its owner moves, or cannot be reached
                if trio.current_time() + AGAIN_S > until:
                    raise
            await trio.sleep(AGAIN_S)

    def __str__(self) -> str:
        return f"the steward of {self._room}"
