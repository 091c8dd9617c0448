"""The steward of an awake room. It executes people's acts that need the register or the game.

    with Steward(room, office, beside.start_soon).at_work():
        ...                                       # acts are executed during the block

An act is a command of the gathering. The gathering's rules check and order acts, and park their requests
(`gathering/acts.py`). The steward runs in the gathering's process. It executes the acts of a lane one after another. So
no other act interferes with an act of the lane "house", for instance between the look-up of a name's holder and its
removal. Votes have their own lane. The next game has its own lane, too, because it may need a search. An act keeps the
room awake, and is executed to its end, even if its request ends. A lane has a task only while it has acts.

The process may end, or lose the room, during an act. Each act changes the register or the game in one step, which is
safe to repeat. So the record shows whether the act has happened. The gathering ends with its steward, so no request
waits forever for an answer.

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
"""Most seconds for the last messages in a closing room. A place that does not answer cannot delay the end further."""

LEAVING_S: Final = 2 * DELIVERY_S
"""Most seconds for a removed player's requests to end at all places. Places cancel them after `DELIVERY_S`."""

AGAIN_FOR_S: Final = 30.0
"""Seconds for which a change of the register is retried if the register does not answer: it may be moving."""

ACT_S: Final = AGAIN_FOR_S + 5.0
"""Most seconds for one act. Other acts wait for it, so this limits their delay if Redis or the disk hangs."""

LIMITS_S: Final[Mapping[Lane, float]] = MappingProxyType({"house": ACT_S, "votes": ACT_S, "next": math.inf})
"""Most seconds for one act of each lane. A next game may wait for other searches; it delays only next games."""

ACT_RETRY_S: Final = 0.5
"""Seconds between two retries."""


class Office(NamedTuple):
    """The functions with which a steward changes the record of its room."""

    change: Callable[[ChangeRoom], Awaitable[object]]  # changes the record in the register and in the room
    require_space: Callable[[], None]  # raises DiskFull if there is no space
    now: Callable[[], float]  # returns seconds since 1970
    next_games: NextGames


class Steward:
    """The steward of one room. Made in the process of the room's gathering."""

    # AF: the steward of _room. It has seen all acts before the position of _changes.

    __slots__ = ("_changes", "_office", "_room", "_start_soon")

    def __init__(self, room: LiveRoom, office: Office, start_soon: StartSoon) -> None:
        """Execute the acts of a running room. `start_soon` runs a task until the room falls asleep, or ends.

        A bug in the task must end the room.
        """
        self._room: Final = room
        self._office: Final = office
        self._start_soon: Final = start_soon
        self._changes: Final = room.gathering.subscribe()
        self._changes.move_to(0)  # another process may have requested an act already

    def at_work(self) -> AbstractContextManager[None]:
        """Execute acts during the block, in tasks beside it."""
        self._look()
        return self._changes.watched(self._look)

    def _look(self) -> None:
        """Start a task for each lane with a new act. Neither waits nor raises."""
        due = set[Lane]()
        for change in self._changes.pending():
            due.update(LIMITS_S if change.missed else (one.lane for one in change.events if isinstance(one, Due)))
        for lane in due:
            if not self._room.leaving:
                self._start_soon(partial(self._work, lane))

    async def _work(self, lane: Lane) -> None:
        """Execute acts of a lane until there are no more."""
        room = self._room
        with room.wanted():
            try:
                while (task := await room.gathering.ask(TakeTask(lane))) is not None:
                    room.gathering.tell(await self._end_of(task, LIMITS_S[lane]))
            except GameStopped:  # not `suppress`, see `gathering.stay`
                return

    async def _end_of(self, task: Task, limit_s: float) -> EndTask:
        """Execute an act; return its result."""
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
            if not act.may_open and not act.as_host:  # the gathering has checked the rights for `as_host` acts
                await gathering.ask(RequireHost(act.holder, "again"))
            after = await self._open_next(act.client)
            await gathering.ask(NoteBegun(act.holder, after.name))
        return after.name

    async def _begin_agreed(self, act: BeginAgreed) -> None:
        """Begin the next game, if enough players still want it. Notify everybody of the reason of a refusal."""
        gathering = self._room.gathering
        try:
            if await self._note_moved():  # a player's first move after the vote makes the vote valid
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
        """Send the players with moves to the gathering: only their votes count. Return True if enough want a new game.

        With open names, the players with moves are unknown, so all players count.
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
        for one in (act.holder, ticket.holder):  # a removed client must not return by the ticket of another player
            self._require_welcome(one)
        try:
            await game.ask(HandOverSeat(ticket.player, ticket.holder, act.holder))
        except SeatTaken:
            if await self._holder_now(ticket.player) != act.holder:
                raise  # otherwise the holder has the seat already
        return TakenSeat(ticket.player, await gathering.ask(NoteHandover(act.text, ticket, act.holder)))

    def _require_welcome(self, holder: str) -> None:
        if holder in self._room.record.expelled:
            raise PlayerRemoved

    async def _holder_now(self, player: str) -> str | None:
        """Return the present holder of that player's name; None if there is no holder."""
        if self._room.record.names == "open":
            return await self._room.gathering.ask(FindHolder(player))
        seat = await self._room.game.ask(FindSeat(player))
        return None if seat is None else seat.holder

    async def _part_with(self, command: RemovePlayer) -> None:
        """Remove an expelled holder, then release everything that its players hold."""
        gathering = self._room.gathering
        players = await gathering.ask(command)
        if not players:
            return  # the holder was removed before, or plays without a connection
        with trio.move_on_after(LEAVING_S):  # otherwise a waiting flip could still take a released card
            await gathering.ask(AwaitDelivery())
        for player in players:
            await self._room.release(player)

    # --- records ---

    async def _change(self, command: ChangeRoom) -> None:
        """Change the record of the room. Raises like `_insist`."""
        await self._insist(partial(self._office.change, command))

    async def _insist(self, work: Callable[[], Awaitable[R]]) -> R:
        """Do `work`, which changes the register. If the register does not answer, retry for `AGAIN_FOR_S`.

        Raises refusals. Raises GameStopped if the change may have happened or not.
        """
        until = trio.current_time() + AGAIN_FOR_S
        while True:
            try:
                return await work()
            except CallerError:
                raise
            except ScrambleError:  # the register moves, or cannot be reached
                if trio.current_time() + ACT_RETRY_S > until:
                    raise
            await trio.sleep(ACT_RETRY_S)

    def __str__(self) -> str:
        return f"the steward of {self._room}"
