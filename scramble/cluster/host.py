"""A room's owner as other processes reach it: takes their requests, and tells them answers and changes.

    async with hosting(link, room, token, {"game": Part(actor, vocabulary)}) as hosting:
        ...                                          # the room is owned, and runs here

The law: a request is carried out at most once, in the order of its numbers, however often it comes; what it has led to
is told again until its caller has it. Nothing is asked on behalf of a process that has gone: what it had parked is
withdrawn as if each caller had been cancelled, and it learns of that should it come back.

Safe under concurrency: messages are taken in the task that reads from Redis, between two awaits; each request is asked
in a task of its own, which alone answers it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, nullcontext
from typing import Final, NamedTuple

import trio

from scramble.cluster.codec import Vocabulary, encode_error
from scramble.cluster.messages import (
    FOLLOW,
    TELL,
    Ended,
    Enter,
    Entered,
    Failure,
    Gone,
    HandedOver,
    Leave,
    News,
    Parked,
    Request,
    RequestWithdrawn,
    StillThere,
    ToCaller,
    ToFollowers,
    Value,
    WithdrawRequest,
    decode_to_owner,
    encode,
)
from scramble.cluster.protocol import GameMoved, Link, LinkLost, ProcessName, RedisRefused, Token
from scramble.errors import GameClosed, GameStopped, InvalidCommand, JournalFailed, ScrambleError
from scramble.kernel.changes import Changes
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.owner import Owner
from scramble.kernel.protocol import Command

PROBE_S: Final = 10.0
"""Seconds after which a process that has sent nothing is asked whether it is still there. One that has left without a
word, because its connection broke, seems to be in the room until then."""


class Part(NamedTuple):
    """One owner of a room with the messages that it takes.

    `caller` is entered for each process that joins, until it leaves or dies; its requests go to the owner that comes of
    it. None: they go to `owner`, of which the changes are in either case.
    """

    owner: Owner
    vocabulary: Vocabulary
    caller: Callable[[ProcessName], AbstractContextManager[Owner]] | None = None


class _Asked:
    """A request that is being asked."""

    __slots__ = ("_caller", "command", "number", "parked", "part", "scope", "way")

    def __init__(self, caller: _Caller, part: _Told, message: Request, command: Command[object]) -> None:
        self._caller: Final = caller
        self.part: Final = part
        self.number: Final = message.number
        self.way: Final = message.way
        self.command: Final = command
        self.scope: Final = trio.CancelScope()
        self.parked = False

    def set(self) -> None:
        """Note that the owner has parked it."""
        self.parked = True
        self._caller.send(Parked(self.number))


class _Told:
    """One part, and how many of its changes were told."""

    def __init__(self, name: str, part: Part) -> None:
        self.name: Final = name
        self.part: Final = part
        self.changes: Final[Changes] = part.owner.subscribe()
        self.asking = 0  # requests that are being asked
        self.idle: Final = trio.lowlevel.ParkingLot()


class _Caller:
    """A process that has joined: the requests of its join."""

    # AF: requests numbered below `next` were taken; of these the caller is not known to have the answers of those in
    #     `kept`: they are being asked, `asking` in all, or have that answer. `early` came before one that is missing.
    # RI: the numbers in `early` are above `next`.

    def __init__(self, link: Link, process: ProcessName, join: int) -> None:
        self.process: Final = process
        self.join: Final = join
        self.next = 0
        self.kept: Final[dict[int, _Asked | ToCaller]] = {}
        self.early: Final[dict[int, Request | WithdrawRequest]] = {}
        self.owners: Final[dict[str, Owner]] = {}
        self.stay: Final = ExitStack()
        self.heard = trio.current_time()
        self.gone: Final = trio.Event()
        self.asking = 0
        self.idle: Final = trio.lowlevel.ParkingLot()
        self._link: Final = link
        self._channel: Final = link.names.answers(process, join)

    def send(self, message: ToCaller) -> None:
        """Tell the caller something; if nobody hears it, it has gone."""
        self._link.publish(self._channel, encode(message), self.gone.set)

    def answer(self, message: Value | Failure | RequestWithdrawn) -> None:
        """Answer a request, and keep the answer until the caller says that it has come."""
        self.kept[message.number] = message
        self.send(message)

    def repeat(self, number: int) -> None:
        """Tell again what has become of a request."""
        kept = self.kept.get(number)
        if isinstance(kept, _Asked):
            if kept.parked:
                self.send(Parked(number))
        elif kept is not None:
            self.send(kept)

    def repeat_all(self) -> None:
        """Tell again what has become of all requests, and whether nobody hears it."""
        self.send(StillThere())
        for number in self.kept:
            self.repeat(number)


class Hosting:
    """A room that is owned, as other processes reach it. Made by `hosting`."""

    # AF: the room `_room` under the token `_token`, whose parts are _parts, and which the processes in _callers have
    #     joined, each once. RI: the callers are stored under their processes.

    def __init__(
        self,
        link: Link,
        room: str,
        token: Token,
        parts: Mapping[str, Part],
        joined: Callable[[], AbstractContextManager[None]],
        nursery: trio.Nursery,
    ) -> None:
        self._link: Final = link
        self._token: Final = token
        self._asks: Final = link.names.asks(room)
        self._events: Final = link.names.events(room)
        self._parts: Final = {name: _Told(name, part) for name, part in parts.items()}
        self._callers: Final[dict[ProcessName, _Caller]] = {}
        self._came: Final = trio.lowlevel.ParkingLot()
        self._joined: Final = joined
        self._nursery: Final = nursery

    @property
    def processes(self) -> tuple[ProcessName, ...]:
        """The processes that have joined."""
        return tuple(self._callers)

    # --- what is heard ---

    def _hear(self, data: bytes) -> None:
        message = decode_to_owner(data)
        if message.epoch > self._token.epoch:
            return  # of an owner to come, of which this one will hear from Redis
        caller = self._callers.get(message.process)
        if isinstance(message, Enter) and message.epoch == self._token.epoch:
            self._enter(message, caller)
        elif caller is None or caller.join != message.join or message.epoch < self._token.epoch:
            if not isinstance(message, Leave):
                gone = encode(Gone(self._token.epoch))
                self._link.publish(self._link.names.answers(message.process, message.join), gone)
        elif isinstance(message, Leave):
            self._drop(caller)
        elif isinstance(message, (Request, WithdrawRequest)):
            caller.heard = trio.current_time()
            self._take_in_order(caller, message)

    def _enter(self, message: Enter, caller: _Caller | None) -> None:
        if caller is not None and caller.join > message.join:
            return  # late
        if caller is None or caller.join < message.join:
            if caller is not None:
                self._drop(caller)
            caller = self._welcome(message)
        self._tell_news()
        caller.send(Entered(self._token.epoch, {name: part.changes.position for name, part in self._parts.items()}))

    def _welcome(self, message: Enter) -> _Caller:
        if not self._callers:
            for told in self._parts.values():
                told.changes.catch_up()  # nobody was there to be told of these
        caller = self._callers[message.process] = _Caller(self._link, message.process, message.join)
        caller.stay.enter_context(self._joined())
        for name, told in self._parts.items():
            part = told.part
            owner = part.owner if part.caller is None else caller.stay.enter_context(part.caller(message.process))
            caller.owners[name] = owner
        self._nursery.start_soon(self._attend, caller)
        self._came.unpark_all()
        return caller

    def _drop(self, caller: _Caller) -> None:
        """Take nothing more from a caller, who has gone."""
        caller.gone.set()
        if self._callers.get(caller.process) is caller:
            del self._callers[caller.process]

    def _take_in_order(self, caller: _Caller, message: Request | WithdrawRequest) -> None:
        number = message.number
        if number < caller.next:
            kept = caller.kept.get(number)
            if isinstance(message, WithdrawRequest) and isinstance(kept, _Asked):
                kept.scope.cancel()
            else:
                caller.repeat(number)
        elif number > caller.next:
            if number not in caller.early or isinstance(message, WithdrawRequest):
                caller.early[number] = message
        else:
            self._take(caller, message)
            while caller.early:
                following = caller.early.pop(caller.next, None)
                if following is None:
                    break
                self._take(caller, following)

    def _take(self, caller: _Caller, message: Request | WithdrawRequest) -> None:
        caller.next += 1
        for number in message.received:
            caller.kept.pop(number, None)
        if isinstance(message, WithdrawRequest):
            caller.answer(RequestWithdrawn(message.number))
            return
        part = self._parts.get(message.part)
        try:
            if part is None:
                raise ValueError(f"there is no part {message.part!a}")
            command = part.part.vocabulary.decode_command(message.command)
        except ValueError as error:
            position = 0 if part is None else part.changes.position
            invalid = InvalidCommand(f"the game's owner does not understand this: {error}")
            caller.answer(Failure(message.number, encode_error(invalid), position))
            return
        if message.way == TELL:
            caller.owners[part.name].tell(command)
            caller.answer(Value(message.number, b"", part.changes.position))
        else:
            asked = caller.kept[message.number] = _Asked(caller, part, message, command)
            caller.asking += 1
            part.asking += 1
            self._nursery.start_soon(self._ask, caller, asked)

    # --- the tasks of the room ---

    async def _ask(self, caller: _Caller, asked: _Asked) -> None:
        """Ask the owner on behalf of a caller, and answer it."""
        part, owner = asked.part, caller.owners[asked.part.name]
        position: int | None = None
        payload, error = b"", b""
        try:
            with asked.scope:
                try:
                    if asked.way == FOLLOW:
                        value, changes = await owner.follow(asked.command, parked=asked)
                        position = changes.position
                    else:
                        value = await owner.ask(asked.command, parked=asked)
                    payload = part.part.vocabulary.encode_answer(asked.command, value)
                except ScrambleError as failure:
                    error = encode_error(_as_heard_elsewhere(failure))
            if caller.gone.is_set():
                return
            self._tell_changes(part)
            position = part.changes.position if position is None else position
            if asked.scope.cancelled_caught:
                caller.answer(RequestWithdrawn(asked.number))
            elif error:
                caller.answer(Failure(asked.number, error, position))
            else:
                caller.answer(Value(asked.number, payload, position))
        finally:
            caller.asking -= 1
            if not caller.asking:
                caller.idle.unpark_all()
            part.asking -= 1
            if not part.asking:
                part.idle.unpark_all()

    async def _attend(self, caller: _Caller) -> None:
        """Wait until a caller has gone, and end what is asked on its behalf."""
        with caller.stay:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._until_dead, caller)
                await caller.gone.wait()
                nursery.cancel_scope.cancel()
            self._drop(caller)
            for kept in caller.kept.values():
                if isinstance(kept, _Asked):
                    kept.scope.cancel()
            while caller.asking:
                await caller.idle.park()

    async def _until_dead(self, caller: _Caller) -> None:
        await self._link.until_dead(caller.process)
        caller.send(Gone(self._token.epoch))  # should it come back
        caller.gone.set()

    def _tell_news(self) -> None:
        for part in self._parts.values():
            self._tell_changes(part)

    def _tell_changes(self, part: _Told, *, position_too: bool = False) -> None:
        """Tell the changes that were not told yet, if there is somebody to tell."""
        if not self._callers:
            part.changes.catch_up()
        first = part.changes.position
        pending = part.changes.pending()
        if pending:
            first += pending[0].missed  # a gap, which callers see
            self._publish(News(self._token.epoch, part.name, first, part.part.vocabulary.encode_changes(pending)))
        elif position_too and self._callers:
            self._publish(News(self._token.epoch, part.name, first, b""))

    def _publish(self, message: ToFollowers) -> None:
        self._link.publish(self._events, encode(message))

    async def _follow(self, part: _Told) -> None:
        """Tell the changes of a part as they come, and its end."""
        while not part.changes.ended:
            await part.changes.wait()
            self._tell_changes(part)
        try:
            await anext(part.changes)
            raise AssertionError("all changes were told")
        except StopAsyncIteration:
            error: GameStopped = GameClosed("the game was closed")
        except GameStopped as stopped:
            error = stopped
        while part.asking:
            await part.idle.park()  # its callers have answers, and hear these first
        self._publish(Ended(self._token.epoch, part.name, encode_error(_as_heard_elsewhere(error))))

    async def _keep(self) -> None:
        """Tell everything again after the connection was lost, for what was told then nobody heard."""
        while True:
            await self._link.until_lost()
            try:
                await self._link.call("PING")  # waits for the next connection
            except (LinkLost, RedisRefused):
                continue
            for part in self._parts.values():
                self._tell_changes(part, position_too=True)
            for caller in self._callers.values():
                caller.repeat_all()

    async def _probe(self) -> None:
        """Find callers that have left without a word."""
        while True:
            if not self._callers:
                await self._came.park()
            await trio.sleep(PROBE_S)
            for caller in self._callers.values():
                if caller.heard + PROBE_S <= trio.current_time():
                    caller.send(StillThere())

    def __str__(self) -> str:
        return f"{self._token}, joined by {len(self._callers)} processes"


def _as_heard_elsewhere(error: ScrambleError) -> ScrambleError:
    """Return the error for callers in other processes: a lost log or ownership concerns this one only."""
    return GameMoved(str(error)) if isinstance(error.__cause__, JournalFailed) else error


@asynccontextmanager
async def hosting(
    link: Link,
    room: str,
    token: Token,
    parts: Mapping[str, Part],
    *,
    joined: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> AsyncIterator[Hosting]:
    """Let other processes join a room that this one owns under `token`, during the block.

    `joined` is entered for each process that joins, until it leaves or dies: to keep the room awake. On leaving the
    block what they ask is withdrawn, or answered if it is too late for that, and then they hear that the room moves;
    so leave it before the owners of the parts close, unless they are closed for good. Does not raise by itself; a bug
    in an owner surfaces from the block in an exception group.
    """
    try:
        async with open_side_nursery(cancel) as nursery:
            host = Hosting(link, room, token, parts, joined, nursery)
            for part in host._parts.values():
                nursery.start_soon(host._follow, part)
            nursery.start_soon(host._keep)
            nursery.start_soon(host._probe)
            async with link.listen(link.names.asks(room), host._hear):
                yield host
    finally:
        link.publish(link.names.events(room), encode(HandedOver(token.epoch)))
