"""A room's owner as other processes reach it: takes their requests, and tells them answers and changes.

    async with hosting(link, room, token, {"game": Part(actor, vocabulary)}):
        ...                                          # the room is owned, and runs here

The law: a request is carried out at most once, in the order of its numbers, however often it comes; what it has led to
is told again until its caller has it. Nothing is asked on behalf of a process that has gone: what it had parked is
withdrawn as if each caller had been cancelled, and it learns of that should it come back.

Safe under concurrency: messages are taken in the task that reads from Redis, and answers in that of the owner, each
between two awaits. A room that nobody has joined has no task here.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from functools import partial
from typing import Final, NamedTuple, NoReturn

import msgspec
import trio

from scramble.cluster.callers import Caller, Counter, Told
from scramble.cluster.codec import Vocabulary, encode_error
from scramble.cluster.messages import (
    TELL,
    Claimed,
    Ended,
    Enter,
    Entered,
    Failure,
    Gone,
    HandedOver,
    Leave,
    News,
    Request,
    ToFollowers,
    Value,
    WithdrawRequest,
    decode_to_owner,
    encode,
)
from scramble.cluster.protocol import Deposed, Link, LinkLost, ProcessName, RedisRefused, Token
from scramble.errors import InvalidCommand
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.owner import Owner, Posting
from scramble.logs import LogEntry

logger = logging.getLogger(__name__)

PROBE_S: Final = 10.0
"""Seconds after which a process that has sent nothing is asked whether it is still there. One that has left without a
word, because its connection broke, seems to be in the room until then."""


class Part(NamedTuple):
    """One owner of a room with the messages that it takes.

    `caller` is entered for each process that joins, until it leaves or dies; its requests go to what comes of it. None:
    they go to `owner`, which runs in this process and has the changes in either case.
    """

    owner: Owner
    vocabulary: Vocabulary
    caller: Callable[[], AbstractContextManager[Posting]] | None = None


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
    ) -> None:
        self._link: Final = link
        self._token: Final = token
        self._asks: Final = link.names.asks(room)
        self._events: Final = link.names.events(room)
        self._parts: Final = dict(parts)
        self._told: Final = {
            name: Told(name, part.owner, part.vocabulary, self._tell_changes) for name, part in parts.items()
        }
        self._callers: Final[dict[ProcessName, Caller]] = {}
        self._joined: Final = joined
        self._nursery: trio.Nursery | None = None

    # --- what is heard ---

    def _hear(self, data: bytes) -> None:
        try:
            message = decode_to_owner(data)
        except msgspec.MsgspecError as error:
            logger.warning(LogEntry("message-not-understood", channel=self._asks, reason=str(error)))
            return
        if isinstance(message, Claimed):
            if message.epoch >= self._token.epoch:
                assert self._nursery is not None
                self._nursery.start_soon(self._end)
            return
        if message.epoch > self._token.epoch:
            return  # of a later owner: this one hears of its claim, or asks after it
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
            caller.hear(message)

    def _enter(self, message: Enter, caller: Caller | None) -> None:
        if caller is not None and caller.join > message.join:
            return  # late
        if caller is None or caller.join < message.join:
            if caller is not None:
                self._drop(caller)
            caller = self._welcome(message)
        for told in self._told.values():
            self._tell_changes(told)
        caller.send(Entered(self._token.epoch, {name: told.changes.position for name, told in self._told.items()}))
        self._tell_end()

    def _welcome(self, message: Enter) -> Caller:
        if not self._callers:
            for told in self._told.values():
                told.changes.catch_up()  # nobody was there to be told of these
        assert self._nursery is not None
        caller = self._callers[message.process] = Caller(self._link, message.process, message.join)
        caller.stay.enter_context(self._joined())
        counters = {}
        for name, told in self._told.items():
            part = self._parts[name]
            owner = part.owner if part.caller is None else caller.stay.enter_context(part.caller())
            assert isinstance(owner, Posting)
            counters[name] = Counter(caller, told, owner, self._nursery)
        caller.take = partial(self._take, caller, counters)
        self._nursery.start_soon(self._attend, caller)
        return caller

    def _drop(self, caller: Caller) -> None:
        """Take nothing more from a caller, who has gone."""
        caller.gone.set()
        if self._callers.get(caller.process) is caller:
            del self._callers[caller.process]

    def _take(self, caller: Caller, counters: Mapping[str, Counter], message: Request) -> None:
        """Carry out a request whose turn it is."""
        counter = counters.get(message.part)
        try:
            if counter is None:
                raise ValueError(f"there is no part {message.part!a}")
            command = counter.told.vocabulary.decode_command(message.command)
        except ValueError as error:
            invalid = InvalidCommand(f"the game's owner does not understand this: {error}")
            caller.answer(Failure(message.number, encode_error(invalid), 0))
            return
        if message.way == TELL:
            counter.owner.tell(command)
            caller.answer(Value(message.number, b"", 0))
        else:
            counter.ask(message.number, command)

    # --- the tasks of the room ---

    async def _end(self) -> NoReturn:
        raise Deposed("another process owns the game now")

    async def _attend(self, caller: Caller) -> None:
        """Wait until a caller has gone, and end what is asked on its behalf."""
        with caller.stay:
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._until_dead, caller)
                    nursery.start_soon(self._repeat_after_loss, caller)
                    while not caller.gone.is_set():
                        with trio.move_on_after(PROBE_S):
                            await caller.gone.wait()
                        if caller.heard + PROBE_S <= trio.current_time():
                            caller.probe()
                    nursery.cancel_scope.cancel()
            finally:
                self._drop(caller)
                caller.withdraw_all()
            await caller.until_idle()

    async def _until_dead(self, caller: Caller) -> None:
        await self._link.until_dead(caller.process)
        caller.send(Gone(self._token.epoch))  # should it come back
        caller.gone.set()

    def _tell_changes(self, told: Told, *, position_too: bool = False) -> None:
        """Tell the changes that were not told yet, if there is somebody to tell."""
        if not self._callers:
            told.changes.catch_up()
        first = told.changes.position
        if told.changes.behind:
            pending = told.changes.pending()
            first += pending[0].missed  # a gap, which callers see
            self._publish(News(self._token.epoch, told.name, first, told.vocabulary.encode_changes(pending)))
        elif position_too and self._callers:
            self._publish(News(self._token.epoch, told.name, first, b""))

    def _hand_over(self) -> None:
        if not self._tell_end():
            self._publish(HandedOver(self._token.epoch))

    def _publish(self, message: ToFollowers) -> None:
        self._link.publish(self._events, encode(message))

    def _tell_batch(self, told: Told) -> None:
        """Tell what a batch of an owner has led to, and whether it has ended."""
        told.flush()
        if told.changes.ended:
            self._tell_end()

    def _tell_end(self) -> bool:
        """Tell that the owner of a part has ended, if one has; return whether that is so."""
        for told in self._told.values():
            error = told.changes.error
            if error is not None:
                self._tell_changes(told)
                self._publish(Ended(self._token.epoch, told.name, encode_error(error)))
                return True
        return False

    async def _repeat_after_loss(self, caller: Caller) -> None:
        """Tell everything again after the connection was lost, for what was told then nobody heard."""
        while True:
            await self._link.until_lost()
            try:
                await self._link.call("PING")  # waits for the next connection
            except (LinkLost, RedisRefused):
                continue
            for told in self._told.values():
                self._tell_changes(told, position_too=True)
            caller.repeat_all()

    def __str__(self) -> str:
        return f"{self._token}, joined by {len(self._callers)} processes"


@asynccontextmanager
async def hosting(
    link: Link,
    room: str,
    token: Token,
    parts: Mapping[str, Part],
    *,
    joined: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> AsyncIterator[None]:
    """Let other processes join a room that this one owns under `token`, during the block.

    `joined` is entered for each process that joins, until it leaves or dies: to keep the room awake. On leaving the
    block what they ask is withdrawn, or answered if it is too late for that, and then they hear that the room moves;
    so leave it before the owners of the parts close, unless they are closed for good. From the block surface, in an
    exception group, Deposed as soon as another process has claimed the room, and a bug in an owner.
    """
    host = Hosting(link, room, token, parts, joined)
    watching = [told.changes.watched(partial(host._tell_batch, told)) for told in host._told.values()]
    for one in watching:
        one.__enter__()
    try:
        async with open_side_nursery(cancel) as host._nursery, link.listen(link.names.asks(room), host._hear):
            yield
    finally:
        for one in watching:
            one.__exit__(None, None, None)
        host._hand_over()
