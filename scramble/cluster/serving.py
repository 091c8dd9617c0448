"""The server side of an owned room: it takes the requests of other processes, and sends them answers and changes.

    async with serving(link, room, token, {"game": Part(actor, vocabulary)}):
        ...                                          # this process owns the room and runs it

The law of the room: each request of a process is executed at most once, in the order of the numbers, even if it arrives
several times. The owner answers a repeated request with the same answer, until the process confirms the answer. So no
request is executed twice, and no answer is lost, although messages may be lost. The owner withdraws the parked requests
of a dead process, as if each caller had been cancelled. If the process is still alive, it is notified.

If the owner's mailbox is full, requests wait in one queue for all processes, in the order of arrival. So a process with
many requests delays the other processes; at most 256 of its requests wait here.

Safe under concurrency: the task that reads from Redis takes messages, and the owner's task takes answers, each between
two awaits. A room without joined processes has no task here.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, nullcontext
from functools import partial
from typing import Final, NamedTuple, NoReturn

import msgspec
import outcome
import trio

from scramble.cluster.codec import Vocabulary, encode_error
from scramble.cluster.messages import (
    TELL,
    Claimed,
    EnterRoom,
    Gone,
    LeaveRoom,
    News,
    Parked,
    RequestFailure,
    RequestValue,
    RequestWithdrawn,
    RoomEnded,
    RoomEntered,
    RoomHandedOver,
    RoomRequest,
    StillThere,
    ToCaller,
    ToFollowers,
    WithdrawRequest,
    decode_to_owner,
    encode,
)
from scramble.cluster.protocol import Deposed, LinkLost, ProcessName, RedisLink, RedisRefused, Token
from scramble.errors import GameStopped, InvalidCommand, ScrambleError
from scramble.kernel.changes import Changes
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.owner import Owner, Posting
from scramble.kernel.protocol import Command
from scramble.kernel.reply import ABANDONED, Post
from scramble.logs import LogEntry

logger = logging.getLogger(__name__)

PROBE_S: Final = 10.0
"""Seconds without a message after which a process is probed. A process that dies together with the connection to Redis
may seem to be in the room for this time."""


class Part(NamedTuple):
    """One owner of a room with its messages.

    `caller` makes a context manager for each joined process, from its join until it leaves or dies; its value takes the
    process's requests. Without `caller`, the `owner` takes them. The owner runs in this process, and has the changes.
    """

    owner: Owner
    vocabulary: Vocabulary
    caller: Callable[[], AbstractContextManager[Posting]] | None = None


class ServedPart:
    """A part of a room: it passes requests to its owner, and sends changes and answers to other processes."""

    # AF: the requests in _waiting wait for a free place in the owner's mailbox, in order. The changes before the
    #     position of `changes` were sent. All answers were sent, except _answers: _publish must send their earlier
    #     changes first.

    def __init__(self, name: str, part: Part, publish: Callable[[ServedPart], None], nursery: trio.Nursery) -> None:
        self.name: Final = name
        self.vocabulary: Final = part.vocabulary
        self.changes: Final[Changes] = part.owner.subscribe()
        self._part: Final = part
        self._publish: Final = publish
        self._nursery: Final = nursery
        self._waiting: Final[deque[ServedRequest]] = deque()
        self._answers: list[tuple[Caller, RequestValue | RequestFailure]] = []

    def enter(self, stay: ExitStack) -> Posting:
        """Return the receiver of another process's requests. It works until `stay` ends."""
        owner = self._part.owner if self._part.caller is None else stay.enter_context(self._part.caller())
        assert isinstance(owner, Posting)
        return owner

    def post(self, asked: ServedRequest) -> None:
        """Send a request to the owner. Does not wait."""
        if self._waiting:
            self._waiting.append(asked)
            return
        try:
            asked.owner.post_nowait(asked.post)
        except trio.WouldBlock:
            self._waiting.append(asked)
            self._nursery.start_soon(self._pump)
        except GameStopped as stopped:
            asked.deliver(outcome.Error(stopped), 0)
        self._settle()

    async def _pump(self) -> None:
        while self._waiting:
            asked = self._waiting[0]
            if not asked.is_withdrawn:
                try:
                    try:
                        asked.owner.post_nowait(asked.post)  # fill the mailbox, for one batch
                    except trio.WouldBlock:
                        await asked.owner.post(asked.post)
                except GameStopped as stopped:
                    if not asked.is_withdrawn:
                        asked.deliver(outcome.Error(stopped), 0)
                self._settle()
            self._waiting.popleft()

    def answer(self, caller: Caller, message: RequestValue | RequestFailure) -> None:
        """Send an answer with the next `flush`."""
        self._answers.append((caller, message))

    def _settle(self) -> None:
        """Send answers from outside a batch: from a door, or from the end of the game."""
        if self._answers:
            self.flush()

    def flush(self) -> None:
        """Send the new changes, then the new answers: once for each batch of the owner."""
        self._publish(self)
        if self._answers:
            answers, self._answers = self._answers, []
            for caller, message in answers:
                caller.finish(message)


class ServedRequest:
    """A request in progress at an owner."""

    __slots__ = ("_caller", "_command", "_part", "number", "owner", "parked", "post")

    def __init__(self, caller: Caller, part: ServedPart, owner: Posting, number: int, command: Command[object]) -> None:
        self._caller: Final = caller
        self._part: Final = part
        self._command: Final = command
        self.owner: Final = owner
        self.number: Final = number
        self.parked = False
        self.post: Final[Post] = owner.request(command, self.deliver, self)

    def set(self) -> None:
        """Note that the owner has parked the request."""
        self.parked = True
        self._caller.send(Parked(self.number))

    def deliver(self, answer: outcome.Outcome[object], position: int) -> None:
        """Answer the request, once the changes below `position` were sent."""
        message: RequestValue | RequestFailure
        if isinstance(answer, outcome.Value):
            message = RequestValue(
                self.number, self._part.vocabulary.encode_answer(self._command, answer.value), position
            )
        else:
            assert isinstance(answer, outcome.Error)
            assert isinstance(answer.error, ScrambleError)
            message = RequestFailure(self.number, encode_error(answer.error), position)
        self._part.answer(self._caller, message)

    @property
    def is_withdrawn(self) -> bool:
        """True if the request was withdrawn before the owner had it."""
        return self.post.state is ABANDONED

    def withdraw(self) -> None:
        """Withdraw the request. The answer is `RequestWithdrawn`, or the answer that it already has."""
        if self.owner.withdraw(self.post):
            self._caller.finish(RequestWithdrawn(self.number))


class Caller:
    """A process that has joined the room."""

    # AF: requests numbered below _next were taken. If the process has not confirmed the answer to a taken request,
    #     `_kept` has the answer, or the request while it is in progress (_asking counts these). _early has messages
    #     that came before a missing message. _parts has each part with the receiver of its requests. `gone` is set once
    #     the process has left or is dead. `stay` has the process's resources until then.
    # RI: the numbers in _early are above _next.

    def __init__(self, link: RedisLink, enters: EnterRoom, stay: ExitStack, parts: Mapping[str, ServedPart]) -> None:
        process, join = enters.process, enters.join
        self.process: Final = process
        self.join: Final = join
        self.stay: Final = stay
        self.gone: Final = trio.Event()
        self.heard = False  # True: a message has come since the last check of `_attend`
        self._parts: Final = {name: (part, part.enter(stay)) for name, part in parts.items()}
        self._next = 0
        self._kept: Final[dict[int, ServedRequest | ToCaller]] = {}
        self._early: Final[dict[int, RoomRequest | WithdrawRequest]] = {}
        self._asking = 0
        self._idle: Final = trio.lowlevel.ParkingLot()
        self._link: Final = link
        self._channel: Final = link.names.answers(process, join)

    def send(self, message: ToCaller) -> None:
        """Send a message to the process."""
        self._link.publish(self._channel, encode(message))

    def probe(self) -> None:
        """Send an empty message. If the channel has no listener, the process has gone."""
        self._link.publish(self._channel, encode(StillThere()), self.gone.set)

    def hear(self, message: RoomRequest | WithdrawRequest) -> None:
        """Take requests and withdrawals in the order of numbers. Keep an early message; answer an old message again."""
        self.heard = True
        number = message.number
        if number < self._next:
            kept = self._kept.get(number)
            if isinstance(message, WithdrawRequest) and isinstance(kept, ServedRequest):
                kept.withdraw()
            else:
                self._repeat(number)
        elif number > self._next:
            if number not in self._early or isinstance(message, WithdrawRequest):
                self._early[number] = message
        else:
            self._take(message)
            while self._early:
                following = self._early.pop(self._next, None)
                if following is None:
                    break
                self._take(following)

    def _take(self, message: RoomRequest | WithdrawRequest) -> None:
        self._next += 1
        for number in message.received:
            self._kept.pop(number, None)
        if isinstance(message, WithdrawRequest):
            self.answer(RequestWithdrawn(message.number))  # the withdrawal came before the request
        else:
            self.take(message)

    def take(self, message: RoomRequest) -> None:
        """Execute the next request in order."""
        number = message.number
        try:
            if message.part not in self._parts:
                raise ValueError(f"there is no part {message.part!a}")
            part, owner = self._parts[message.part]
            command = part.vocabulary.decode_command(message.command)
        except ValueError as error:
            invalid = InvalidCommand(f"the game's owner does not understand this: {error}")
            self.answer(RequestFailure(number, encode_error(invalid), 0))
            return
        if message.way == TELL:
            owner.tell(command)
            self.answer(RequestValue(number, b"", 0))
        else:
            asked = self._kept[number] = ServedRequest(self, part, owner, number, command)
            self._asking += 1
            part.post(asked)

    def finish(self, answer: RequestValue | RequestFailure | RequestWithdrawn) -> None:
        """Answer a request in progress; only note its end if the process has gone."""
        self._asking -= 1
        if self.gone.is_set():
            del self._kept[answer.number]
            if not self._asking:
                self._idle.unpark_all()
        else:
            self.answer(answer)

    def answer(self, message: RequestValue | RequestFailure | RequestWithdrawn) -> None:
        """Answer a request, and keep the answer until the process confirms it."""
        self._kept[message.number] = message
        self.send(message)

    def _repeat(self, number: int) -> None:
        kept = self._kept.get(number)
        if isinstance(kept, ServedRequest):
            if kept.parked:
                self.send(Parked(number))
        elif kept is not None:
            self.send(kept)

    def repeat_all(self) -> None:
        """Send the state of all requests again. If the channel has no listener, the process has gone."""
        self.probe()
        for number in self._kept:
            self._repeat(number)

    def withdraw_all(self) -> None:
        """Withdraw all requests of a process that has gone."""
        for kept in tuple(self._kept.values()):
            if isinstance(kept, ServedRequest):
                kept.withdraw()

    async def until_idle(self) -> None:
        """Wait until a process that has gone has no request in progress."""
        while self._asking:
            await self._idle.park()

    def __str__(self) -> str:
        return f"{self.process}: {self._next} requests, of which {self._asking} are being asked"


class Serving:
    """The server of an owned room for other processes. Made by `serving`."""

    # AF: the room _room, owned under the token _token, with the parts _parts; the processes in _callers have joined it.
    # RI: each caller is stored under the name of its process.

    def __init__(
        self,
        link: RedisLink,
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
        self._parts: Final = {name: ServedPart(name, part, self._tell_changes, nursery) for name, part in parts.items()}
        self._callers: Final[dict[ProcessName, Caller]] = {}
        self._joined: Final = joined
        self._nursery: Final = nursery

    def _hear(self, data: bytes) -> None:
        try:
            message = decode_to_owner(data)
        except msgspec.MsgspecError as error:
            logger.warning(LogEntry("message-not-understood", channel=self._asks, reason=str(error)))
            return
        if isinstance(message, Claimed):
            if message.epoch >= self._token.epoch:
                self._nursery.start_soon(self._end)
            return
        if message.epoch > self._token.epoch:
            return  # for a later owner: `Claimed`, or a check in Redis, ends this owner
        caller, current = self._callers.get(message.process), message.epoch == self._token.epoch
        known = caller if current and caller is not None and caller.join == message.join else None
        if known is not None and isinstance(message, (RoomRequest, WithdrawRequest)):
            known.hear(message)
        elif isinstance(message, EnterRoom) and current:
            self._enter(message, caller)
        elif not isinstance(message, LeaveRoom):
            gone = encode(Gone(self._token.epoch))
            self._link.publish(self._link.names.answers(message.process, message.join), gone)
        elif known is not None:
            self._drop(known)

    def _enter(self, message: EnterRoom, caller: Caller | None) -> None:
        if caller is not None and caller.join > message.join:
            return  # late
        if caller is None or caller.join < message.join:
            if caller is not None:
                self._drop(caller)
            caller = self._welcome(message)
        for part in self._parts.values():
            self._tell_changes(part)
        caller.send(RoomEntered(self._token.epoch, {name: part.changes.position for name, part in self._parts.items()}))
        self._tell_end()

    def _welcome(self, message: EnterRoom) -> Caller:
        if not self._callers:
            for part in self._parts.values():
                part.changes.catch_up()  # skip the changes from the time without joined processes
        stay = ExitStack()
        stay.enter_context(self._joined())
        caller = self._callers[message.process] = Caller(self._link, message, stay, self._parts)
        self._nursery.start_soon(self._attend, caller)
        return caller

    def _drop(self, caller: Caller) -> None:
        """Ignore further messages from a process that has gone."""
        caller.gone.set()
        if self._callers.get(caller.process) is caller:
            del self._callers[caller.process]

    async def _end(self) -> NoReturn:
        raise Deposed("another process owns the game now")

    async def _attend(self, caller: Caller) -> None:
        """Wait until a process has gone, then withdraw its requests."""
        with caller.stay:
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._until_dead, caller)
                    nursery.start_soon(self._repeat_after_loss, caller)
                    while not caller.gone.is_set():
                        caller.heard = False
                        with trio.move_on_after(PROBE_S) as waiting:
                            await caller.gone.wait()
                        if waiting.cancelled_caught and not caller.heard:
                            caller.probe()
                    nursery.cancel_scope.cancel()
            finally:
                self._drop(caller)
                caller.withdraw_all()
            await caller.until_idle()

    async def _until_dead(self, caller: Caller) -> None:
        await self._link.until_dead(caller.process)
        caller.send(Gone(self._token.epoch))  # the process may still be alive
        caller.gone.set()

    def _tell_changes(self, part: ServedPart, *, position_too: bool = False) -> None:
        """Send the new changes, if any process has joined."""
        if not self._callers:
            part.changes.catch_up()
        first = part.changes.position
        if part.changes.behind:
            pending = part.changes.pending()
            first += pending[0].missed  # a gap; the joined processes notice it
            self._publish(News(self._token.epoch, part.name, first, part.vocabulary.encode_changes(pending)))
        elif position_too and self._callers:
            self._publish(News(self._token.epoch, part.name, first, b""))

    def _hand_over(self) -> None:
        if not self._tell_end():
            self._publish(RoomHandedOver(self._token.epoch))

    def _publish(self, message: ToFollowers) -> None:
        self._link.publish(self._events, encode(message))

    def _tell_batch(self, part: ServedPart) -> None:
        """Send the results of a batch, and the owner's end if it has ended."""
        part.flush()
        if part.changes.ended:
            self._tell_end()

    def _tell_end(self) -> bool:
        """Publish the end of a part's owner. Return True if an owner has ended."""
        for part in self._parts.values():
            error = part.changes.error
            if error is not None:
                self._tell_changes(part)
                self._publish(RoomEnded(self._token.epoch, part.name, encode_error(error)))
                return True
        return False

    async def _repeat_after_loss(self, caller: Caller) -> None:
        """Send everything again after a lost connection: messages during the interruption were lost."""
        while True:
            await self._link.until_lost()
            try:
                await self._link.call("PING")  # waits for the next connection
            except (LinkLost, RedisRefused):
                continue
            for part in self._parts.values():
                self._tell_changes(part, position_too=True)
            caller.repeat_all()

    def __str__(self) -> str:
        return f"{self._token}, joined by {len(self._callers)} processes"


@asynccontextmanager
async def serving(
    link: RedisLink,
    room: str,
    token: Token,
    parts: Mapping[str, Part],
    *,
    joined: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> AsyncIterator[None]:
    """Let other processes join a room during the block. This process owns the room under `token`.

    `joined` makes a context manager for each process, from its join until it leaves or dies; it keeps the room awake.
    At the end of the block all requests of other processes are withdrawn, and the processes get `RoomHandedOver`.
    Their callers get GameMoved, even for commands that were being recorded. So leave the block before the owners of the
    parts close, unless the owners close permanently. The block raises an exception group: with Deposed as soon as
    another process has claimed the room, or with a bug in an owner.
    """
    with ExitStack() as until_idle:
        async with open_side_nursery(cancel) as nursery:
            served = Serving(link, room, token, parts, joined, nursery)
            until_idle.callback(served._hand_over)
            for part in served._parts.values():
                until_idle.enter_context(part.changes.watched(partial(served._tell_batch, part)))
            async with link.listen(link.names.asks(room), served._hear):
                yield
