"""The client side of another process's room: this process's doors reach the room through `JoinedRoom.owners`.

    async with joining(link, room, token, {"game": vocabulary}) as joined:
        answer = await joined.owners["game"].ask(command)

The law: no caller waits for a dead owner. A join ends in these cases:

- the owner ends, hands the room over, dies, is replaced by a later owner, or does not hear this process;
- a change is missing;
- the connection to Redis breaks.

All requests and followers of the join then end with the same error. A join never recovers: a new visit to the room
makes a new join. Messages from an earlier owner are ignored, except answers in the owner's own join.

The law of a `RemoteActor`, the second implementation of `Owner` beside `Actor`: it keeps an actor's promises, with one
additional failure. The owner may move to another process, or become unreachable. Then all requests and followers here
end with `GameMoved`. A client that enters the room again finds the new owner.

Safe under concurrency: the task that reads from Redis takes messages, between two awaits. The tasks of the join only
wait, send again, and end the join. `scramble.cluster.calls` handles the requests, and `scramble.cluster.mirror` the
changes.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from types import MappingProxyType
from typing import Final, TypeVar

import msgspec
import trio

from scramble.cluster.calls import RESEND_S, Call, Calls
from scramble.cluster.codec import Vocabulary, decode_error
from scramble.cluster.messages import (
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
    ToOwner,
    decode_to_caller,
    decode_to_followers,
    encode,
)
from scramble.cluster.mirror import Mirror
from scramble.cluster.protocol import GameMoved, LinkLost, RedisLink, RedisRefused, Token
from scramble.errors import GameStopped, InvalidCommand, ScrambleError
from scramble.kernel.changes import Changes
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.owner import Owner
from scramble.kernel.protocol import Command, Ping, Query, Settable
from scramble.kernel.stats import CommandCounts, Stats
from scramble.logs import LogEntry

R = TypeVar("R")

ENTER_TIMEOUT_S: Final = 5.0
"""Seconds to wait for a live owner. It may be reading a long log."""

UNHEARD_S: Final = 3.0
"""Seconds for which the room's channel may lack a listener while the owner's process lives.

The process may be reconnecting."""

LEAVE_S: Final = 0.5
"""Seconds for which a cancelled join waits for the confirmation that its requests are withdrawn."""

logger = logging.getLogger(__name__)

_joins: Final = itertools.count()


class RemoteActor:
    """Handle to the owner of one part of a room in another process. Any number of tasks may share it.

    Made by `joining`; works during its block.
    """

    # AF: the part `part` of a room. _calls carries the requests to the part, and _mirror has its changes.

    def __init__(
        self, part: str, vocabulary: Vocabulary, calls: Calls, mirror: Mirror, leave: Callable[[], Awaitable[None]]
    ) -> None:
        self._part: Final = part
        self._vocabulary: Final = vocabulary
        self._calls: Final = calls
        self._mirror: Final = mirror
        self._leave: Final = leave
        self._counts: Final = CommandCounts()
        self.stopped: GameStopped | None = None

    async def ask(self, command: Command[R], *, parked: Settable | None = None) -> R:
        """Execute `command` and return its answer, as `Actor.ask` does.

        Waits while `MOST_UNTAKEN` requests of this process are in progress, and then for the owner. A cancellation
        before the owner took the command has no effect on the game. A cancellation of a parked request withdraws it. In
        both cases the call waits for the owner's confirmation, one round trip. An answer that crosses the cancellation
        is returned.

        Raises:
            CallerError: the command was refused, as at the owner; or it cannot be encoded.
            GameClosed, GameStopped: the game was closed, or crashed, at the owner.
            GameMoved: the owner has changed, or is unreachable. The command may or may not have been executed.
        """
        return (await self._request(command, parked))[0]

    async def follow(self, command: Command[R], *, parked: Settable | None = None) -> tuple[R, Changes]:
        """Execute `command` like `ask`; return its answer and the changes after it, without gap or overlap."""
        answer, position = await self._request(command, parked)
        return answer, self._mirror.changes(position)

    async def _request(self, command: Command[R], parked: Settable | None) -> tuple[R, int]:
        counts, call, began = self._counts.stopped, None, trio.current_time()
        try:
            call = Call(self._part, command, self._vocabulary.encode_command(command), self._mirror, parked)
            payload, position = await self._calls.ask(call)
            counts = self._counts.answered
            return self._vocabulary.decode_answer(command, payload), position
        except trio.Cancelled:
            counts = self._counts.withdrawn
            raise
        except GameStopped:
            raise
        except InvalidCommand:
            counts = self._counts.invalid
            raise
        except ScrambleError:
            counts = self._counts.refused
            raise
        finally:
            counts[command.__class__] += 1
            ended = counts is self._counts.stopped or counts is self._counts.withdrawn
            if not (ended or call is None or call.taken or isinstance(command, Query)):
                self._counts.moves.observe(trio.current_time() - began)

    def tell(self, command: Command[object]) -> None:
        """Execute `command` before the owner's queue, without an answer. Does not wait.

        The command is executed exactly once, before later requests of this process. It is lost if the owner moves
        before the command arrives.
        """
        self._calls.tell(Call(self._part, command, self._vocabulary.encode_command(command), self._mirror))

    def subscribe(self) -> Changes:
        """Follow the changes from now on, as this process receives them. Does not wait."""
        return self._mirror.changes()

    async def ping(self) -> None:
        """Wait until the owner has executed and logged its current queue. Raises like `ask`."""
        await self.ask(Ping())

    def stats(self) -> Stats:
        """Return the statistics of this process's requests and followers. Does not wait.

        They lack batches and log, because only the owner counts these. `queued` counts the requests to all parts.
        """
        return self._counts.stats(
            parked=self._calls.parked(self._mirror),
            queued=self._calls.queued,
            followers=self._mirror.history.followers,
            missed=self._mirror.history.missed,
            version=self._mirror.version,
            stopped=None if self.stopped is None else str(self.stopped),
        )

    async def aclose(self) -> None:
        """Leave the owner, which continues. All requests and followers of this join end with `GameMoved`."""
        await self._leave()


class JoinedRoom:
    """A join. Made by `joining`."""

    # AF: the join `number` of this process with the owner _token of _room. `owners` reach the room's parts.
    #     _unheard_since: the time since which the room's channel has no listener. After the end of the join, _error
    #     makes its reason.

    def __init__(
        self, link: RedisLink, room: str, token: Token, vocabularies: Mapping[str, Vocabulary], nursery: trio.Nursery
    ) -> None:
        self._link: Final = link
        self._room: Final = room
        self._token: Final = token
        self.number: Final = next(_joins)
        self._calls: Final = Calls(token.epoch, link.process, self.number, self._send)
        self._calls.unsure = partial(nursery.start_soon, self._calls.send_again)
        self._mirrors: Final = {part: Mirror(vocabulary) for part, vocabulary in vocabularies.items()}
        self._actors: Final = {
            part: RemoteActor(part, vocabulary, self._calls, self._mirrors[part], self._leave)
            for part, vocabulary in vocabularies.items()
        }
        self.owners: Final[Mapping[str, Owner]] = MappingProxyType(self._actors)
        self._channel: Final = link.names.asks(room)
        self._answers: Final = link.names.answers(link.process, self.number)
        self._events: Final = link.names.events(room)
        self._unheard_since: float | None = None
        self._is_checking = False
        self._nursery: Final = nursery
        self._entered: Final = trio.Event()
        self._ended: Final = trio.Event()
        self._error: Callable[[], GameStopped] | None = None

    async def until_moved(self) -> GameStopped:
        """Wait until the join ends; return the reason: `GameMoved`, or the error that ended the game."""
        await self._ended.wait()
        assert self._error is not None
        return self._error()

    # --- messages ---

    def _send(self, message: ToOwner, look: bool = True) -> None:
        self._link.publish(self._channel, encode(message), self._hear_nothing if look else None)

    def _hear_nothing(self) -> None:
        if self._error is not None:
            return  # the join has ended: for example, LeaveRoom had no listener
        if self._unheard_since is None:
            self._unheard_since = trio.current_time()
        if not self._is_checking:
            self._is_checking = True
            self._nursery.start_soon(self._check_owner)

    def _hear_answer(self, data: bytes) -> None:
        try:
            message = decode_to_caller(data)
        except msgspec.MsgspecError as error:
            logger.warning(LogEntry("message-not-understood", channel=self._answers, reason=str(error)))
            return
        self._unheard_since = None
        if self._error is not None:
            return
        if isinstance(
            message, (RequestValue, RequestFailure, Parked, RequestWithdrawn)
        ):  # first, because nearly all messages are answers
            self._calls.hear(message)
        elif isinstance(message, RoomEntered):
            if message.epoch == self._token.epoch and not self._entered.is_set():
                self._entered.set()
                complete = [mirror.begin(message.positions[part]) for part, mirror in self._mirrors.items()]
                if not all(complete):
                    self._end_moved("changes of the game were lost on their way")
        elif isinstance(message, Gone) and message.epoch >= self._token.epoch:
            self._end_moved("the owner of the game does not know this process any more")

    def _hear_event(self, data: bytes) -> None:
        try:
            message = decode_to_followers(data)
        except msgspec.MsgspecError as error:
            logger.warning(LogEntry("message-not-understood", channel=self._events, reason=str(error)))
            return
        if self._error is not None or message.epoch < self._token.epoch:
            return
        if message.epoch > self._token.epoch:
            self._end_moved("the game has another owner")
        elif isinstance(message, News):
            mirror = self._mirrors.get(message.part)
            if mirror is not None and not mirror.hear(message.first, message.changes):
                self._end_moved("changes of the game were lost on their way")
        elif isinstance(message, RoomHandedOver):
            self._end_moved("the game moves to another process")
        elif isinstance(message, RoomEnded):
            self._end(partial(_end_of, message))

    def _end_moved(self, reason: str) -> None:
        self._end(lambda: GameMoved(reason))

    def _end(self, error: Callable[[], GameStopped]) -> None:
        if self._error is None:
            self._error = error
            for part, mirror in self._mirrors.items():
                self._actors[part].stopped = error()
                mirror.end(error)
            self._calls.end(error)
            self._entered.set()
            self._ended.set()

    # --- the tasks of the join ---

    async def _enter(self) -> None:
        with trio.move_on_after(ENTER_TIMEOUT_S):
            while not self._entered.is_set():
                self._send(EnterRoom(self._token.epoch, self._link.process, self.number))
                with trio.move_on_after(RESEND_S):
                    await self._entered.wait()
        if not self._entered.is_set():
            self._end_moved("the owner of the game does not answer")
        if self._error is not None:
            raise self._error()

    async def _leave(self) -> None:
        self._close()
        await trio.lowlevel.checkpoint()

    def _close(self) -> None:
        if self._error is None:
            self._send(LeaveRoom(self._token.epoch, self._link.process, self.number))
        self._end_moved("this process has left the game")

    async def _until_lost(self) -> None:
        await self._link.until_lost()
        self._end_moved("the connection to the other processes was lost")

    async def _until_dead(self) -> None:
        try:
            await self._link.until_dead(self._token.process)
        except trio.Cancelled:  # the process may be ending: wait for the owner's confirmation of the withdrawals
            with trio.move_on_after(LEAVE_S, shield=True):
                await self._ended.wait()
            self._close()
            raise
        self._end_moved("the owner of the game is dead")

    async def _check_owner(self) -> None:
        """End the join if its owner is dead, or has not heard this process for `UNHEARD_S`.

        Called after a message without a listener.
        """
        try:
            lives = await self._link.lives(self._token.process)
        except (LinkLost, RedisRefused):
            lives = True  # unknown; other tasks watch the connection
        self._is_checking = False  # repeated requests may start another check
        since = self._unheard_since
        if since is not None and (not lives or trio.current_time() > since + UNHEARD_S):
            self._end_moved("the owner of the game does not hear this process")

    def __str__(self) -> str:
        return f"{self._link.process} with {self._token} of {self._room}, {self._calls}"


def _end_of(message: RoomEnded) -> GameStopped:
    error = decode_error(message.error)
    return error if isinstance(error, GameStopped) else GameMoved(str(error))


@asynccontextmanager
async def joining(
    link: RedisLink, room: str, token: Token, vocabularies: Mapping[str, Vocabulary]
) -> AsyncIterator[JoinedRoom]:
    """Join a room that the process of `token` owns. Its parts are in `JoinedRoom.owners` during the block.

    Waits until the owner answers. The join may end within the block, see `JoinedRoom.until_moved`. The end of the block
    withdraws all open requests of the join. An exception from the block is raised unchanged.

    Raises GameMoved if that process does not answer or is no longer the owner: then the room has another owner or none.
    Raises GameClosed or GameStopped if the game has ended there.
    """
    if not link.is_up:
        await trio.lowlevel.checkpoint()
        raise GameMoved("there is no connection to the other processes")
    async with open_side_nursery(cancel) as nursery, AsyncExitStack() as listening:
        joined = JoinedRoom(link, room, token, vocabularies, nursery)
        with trio.move_on_after(ENTER_TIMEOUT_S) as limit:  # if the connection breaks, this waits for the next one
            await listening.enter_async_context(link.listen(joined._answers, joined._hear_answer))
            await listening.enter_async_context(link.listen(joined._events, joined._hear_event))
        if limit.cancelled_caught:
            raise GameMoved("there is no connection to the other processes")
        nursery.start_soon(joined._until_lost)
        nursery.start_soon(joined._until_dead)
        try:
            await joined._enter()
            yield joined
        finally:
            joined._close()
