"""What the owner's side of a room remembers of one process that has joined: which requests came, and their answers.

The law: a request is taken once, in the order of the numbers; whoever sends it again hears what has become of it, until
it says that it knows. So nothing is carried out twice, and no answer is lost, however often messages are.

Safe under concurrency: changes only between two awaits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final

import outcome
import trio

from scramble.cluster.codec import Vocabulary, encode_error
from scramble.cluster.messages import (
    FOLLOW,
    Failure,
    Parked,
    Request,
    RequestWithdrawn,
    StillThere,
    ToCaller,
    Value,
    WithdrawRequest,
    encode,
)
from scramble.cluster.protocol import Link, ProcessName
from scramble.errors import GameStopped, ScrambleError
from scramble.kernel.changes import Changes
from scramble.kernel.owner import Owner, Posting
from scramble.kernel.protocol import Command
from scramble.kernel.reply import Post, ReplyState


class Asked:
    """A request that is being asked."""

    __slots__ = ("_caller", "number", "parked", "withdraw")

    def __init__(self, caller: Caller, number: int) -> None:
        self._caller: Final = caller
        self.number: Final = number
        self.parked = False
        self.withdraw: Callable[[], object] = _nothing
        """Withdraws it; it is answered with `RequestWithdrawn`, or by the answer that it has already."""

    def set(self) -> None:
        """Note that the owner has parked it."""
        self.parked = True
        self._caller.send(Parked(self.number))


def _nothing() -> None:
    pass


class Caller:
    """A process that has joined."""

    # AF: requests numbered below `next` were taken; of these the process is not known to have the answers of those in
    #     `_kept`: they are being asked, _asking in all, or have that answer. _early came before one that is missing.
    #     `gone` is set once it has left, or is dead; what it holds until then is in `stay`.
    # RI: the numbers in _early are above `next`.

    def __init__(self, link: Link, process: ProcessName, join: int) -> None:
        self.process: Final = process
        self.join: Final = join
        self.stay: Final = ExitStack()
        self.gone: Final = trio.Event()
        self.heard = trio.current_time()
        self.take: Callable[[Request], None]
        """Carries out a request that is its turn: it calls `asks`, or `answer`."""
        self._next = 0
        self._kept: Final[dict[int, Asked | ToCaller]] = {}
        self._early: Final[dict[int, Request | WithdrawRequest]] = {}
        self._asking = 0
        self._idle: Final = trio.lowlevel.ParkingLot()
        self._link: Final = link
        self._channel: Final = link.names.answers(process, join)

    def send(self, message: ToCaller) -> None:
        """Tell the process something; if nobody hears it, it has gone."""
        self._link.publish(self._channel, encode(message), self.gone.set)

    def hear(self, message: Request | WithdrawRequest) -> None:
        """Take a request, or a withdrawal, if it is its turn; otherwise later, or not again."""
        self.heard = trio.current_time()
        number = message.number
        if number < self._next:
            kept = self._kept.get(number)
            if isinstance(message, WithdrawRequest) and isinstance(kept, Asked):
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

    def _take(self, message: Request | WithdrawRequest) -> None:
        self._next += 1
        for number in message.received:
            self._kept.pop(number, None)
        if isinstance(message, WithdrawRequest):
            self.answer(RequestWithdrawn(message.number))  # it came before the request did
        else:
            self.take(message)

    def asks(self, number: int) -> Asked:
        """Note that a request is being asked, until `finish`."""
        asked = self._kept[number] = Asked(self, number)
        self._asking += 1
        return asked

    def finish(self, answer: Value | Failure | RequestWithdrawn) -> None:
        """Answer a request that was being asked; only note it if the process has gone."""
        self._asking -= 1
        if self.gone.is_set():
            del self._kept[answer.number]
            if not self._asking:
                self._idle.unpark_all()
        else:
            self.answer(answer)

    def answer(self, message: Value | Failure | RequestWithdrawn) -> None:
        """Answer a request, and keep the answer until the process says that it has come."""
        self._kept[message.number] = message
        self.send(message)

    def _repeat(self, number: int) -> None:
        kept = self._kept.get(number)
        if isinstance(kept, Asked):
            if kept.parked:
                self.send(Parked(number))
        elif kept is not None:
            self.send(kept)

    def repeat_all(self) -> None:
        """Tell again what has become of all requests; if nobody hears it, the process has gone."""
        self.send(StillThere())
        for number in self._kept:
            self._repeat(number)

    def withdraw_all(self) -> None:
        """Withdraw all that is asked, for a process that has gone."""
        for kept in tuple(self._kept.values()):
            if isinstance(kept, Asked):
                kept.withdraw()

    async def until_idle(self) -> None:
        """Wait until nothing is being asked, in a process that has gone."""
        while self._asking:
            await self._idle.park()

    def __str__(self) -> str:
        return f"{self.process}: {self._next} requests, of which {self._asking} are being asked"


class Told:
    """One part of a room, and which of its changes were told to others."""

    def __init__(self, name: str, owner: Owner, vocabulary: Vocabulary) -> None:
        self.name: Final = name
        self.vocabulary: Final = vocabulary
        self.changes: Final[Changes] = owner.subscribe()


class Counter:
    """Asks one part's owner on behalf of one process."""

    # AF: the requests of _caller go to `owner`; those in _waiting wait for room in its mailbox, in order. Before an
    #     answer _tell tells the changes that came before it.

    def __init__(
        self, caller: Caller, told: Told, owner: Owner, tell: Callable[[Told], None], nursery: trio.Nursery
    ) -> None:
        self.owner: Final = owner
        self.told: Final = told
        self._caller: Final = caller
        self._tell: Final = tell
        self._nursery: Final = nursery
        self._posting: Final = owner if isinstance(owner, Posting) else None
        self._waiting: Final[deque[Post]] = deque()

    def ask(self, number: int, way: int, command: Command[object]) -> None:
        """Ask the owner, and answer the process."""
        asked = self._caller.asks(number)
        if self._posting is None:
            self._nursery.start_soon(self._ask, asked, way, command)
        else:
            self._post(self._posting, asked, command)

    # --- without a task ---

    def _post(self, owner: Posting, asked: Asked, command: Command[object]) -> None:
        def deliver(answer: outcome.Outcome[object], position: int) -> None:
            self._answer(asked.number, command, answer, position)

        def withdraw() -> None:
            if owner.withdraw(post):
                self._caller.finish(RequestWithdrawn(asked.number))

        post = owner.request(command, deliver, asked)
        asked.withdraw = withdraw
        if not self._waiting:
            try:
                owner.post_nowait(post)
            except trio.WouldBlock:
                self._nursery.start_soon(self._pump, owner)
            except GameStopped as stopped:
                deliver(outcome.Error(stopped), self.told.changes.position)
                return
            else:
                return
        self._waiting.append(post)

    async def _pump(self, owner: Posting) -> None:
        while self._waiting:
            post = self._waiting[0]
            if not _is_withdrawn(post):
                try:
                    await owner.post(post)
                except GameStopped as stopped:
                    if not _is_withdrawn(post):
                        post.send(outcome.Error(stopped))
            self._waiting.popleft()

    # --- with a task ---

    async def _ask(self, asked: Asked, way: int, command: Command[object]) -> None:
        position: int | None = None
        answer: outcome.Outcome[object] | None = None
        with trio.CancelScope() as scope:
            asked.withdraw = scope.cancel
            try:
                if way == FOLLOW:
                    value, changes = await self.owner.follow(command, parked=asked)
                    position = changes.position
                else:
                    value = await self.owner.ask(command, parked=asked)
                answer = outcome.Value(value)
            except ScrambleError as error:
                answer = outcome.Error(error)
        if answer is None:
            self._caller.finish(RequestWithdrawn(asked.number))
        else:
            self._answer(asked.number, command, answer, position)

    def _answer(
        self, number: int, command: Command[object], answer: outcome.Outcome[object], position: int | None
    ) -> None:
        told = self.told
        self._tell(told)
        if position is None:
            position = told.changes.position
        if isinstance(answer, outcome.Value):
            payload = told.vocabulary.encode_answer(command, answer.value)
            self._caller.finish(Value(number, payload, position))
        else:
            self._caller.finish(Failure(number, encode_error(_error_of(answer)), position))


def _is_withdrawn(post: Post) -> bool:
    return post.state is ReplyState.ABANDONED


def _error_of(answer: outcome.Outcome[object]) -> ScrambleError:
    assert isinstance(answer, outcome.Error)
    assert isinstance(answer.error, ScrambleError)
    return answer.error
