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
from scramble.kernel.reply import ABANDONED, Post


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
        """Tell the process something."""
        self._link.publish(self._channel, encode(message))

    def probe(self) -> None:
        """Ask nothing; if nobody hears it, the process has gone."""
        self._link.publish(self._channel, encode(StillThere()), self.gone.set)

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

    def asks(self, asked: Asked) -> None:
        """Note that a request is being asked, until `finish`."""
        self._kept[asked.number] = asked
        self._asking += 1

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
        self.probe()
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
    """One part of a room, and what of it was told to others: changes, and answers to those who asked."""

    # AF: the changes before the position of `changes` were told, and all answers but those in _answers, for which
    #     _publish has to tell the changes before them first.

    def __init__(self, name: str, owner: Owner, vocabulary: Vocabulary, publish: Callable[[Told], None]) -> None:
        self.name: Final = name
        self.vocabulary: Final = vocabulary
        self.changes: Final[Changes] = owner.subscribe()
        self._publish: Final = publish
        self._answers: list[tuple[Caller, Value | Failure]] = []

    def answer(self, caller: Caller, message: Value | Failure) -> None:
        """Tell an answer with the next `flush`."""
        self._answers.append((caller, message))

    def settle(self) -> None:
        """Tell answers that did not come from a batch."""
        if self._answers:
            self.flush()

    def flush(self) -> None:
        """Tell the changes and then the answers that have come: once for a batch of the owner."""
        self._publish(self)
        if self._answers:
            answers, self._answers = self._answers, []
            for caller, message in answers:
                caller.finish(message)


class Asked:
    """A request that is being asked of an owner."""

    __slots__ = ("_caller", "_command", "_owner", "_told", "number", "parked", "post")

    def __init__(self, caller: Caller, told: Told, owner: Posting, number: int, command: Command[object]) -> None:
        self._caller: Final = caller
        self._told: Final = told
        self._owner: Final = owner
        self._command: Final = command
        self.number: Final = number
        self.parked = False
        self.post: Final[Post] = owner.request(command, self.deliver, self)

    def set(self) -> None:
        """Note that the owner has parked it."""
        self.parked = True
        self._caller.send(Parked(self.number))

    def deliver(self, answer: outcome.Outcome[object], position: int) -> None:
        """Answer it, once the changes below `position` were told."""
        message: Value | Failure
        if isinstance(answer, outcome.Value):
            message = Value(self.number, self._told.vocabulary.encode_answer(self._command, answer.value), position)
        else:
            message = Failure(self.number, encode_error(_error_of(answer)), position)
        self._told.answer(self._caller, message)

    @property
    def is_withdrawn(self) -> bool:
        """True if it was withdrawn before it got to the owner."""
        return self.post.state is ABANDONED

    def withdraw(self) -> None:
        """Withdraw it; it is answered with `RequestWithdrawn`, or by the answer that it has already."""
        if self._owner.withdraw(self.post):
            self._caller.finish(RequestWithdrawn(self.number))


class Counter:
    """Asks one part's owner on behalf of one process."""

    # AF: the requests of _caller go to `owner`; those in _waiting wait for room in its mailbox, in order.

    def __init__(self, caller: Caller, told: Told, owner: Posting, nursery: trio.Nursery) -> None:
        self.owner: Final = owner
        self.told: Final = told
        self._caller: Final = caller
        self._nursery: Final = nursery
        self._waiting: Final[deque[Asked]] = deque()

    def ask(self, number: int, command: Command[object]) -> None:
        """Ask the owner, and answer the process. Does not wait."""
        asked = Asked(self._caller, self.told, self.owner, number, command)
        self._caller.asks(asked)
        if self._waiting:
            self._waiting.append(asked)
            return
        try:
            self.owner.post_nowait(asked.post)
        except trio.WouldBlock:
            self._waiting.append(asked)
            self._nursery.start_soon(self._pump)
        except GameStopped as stopped:
            asked.deliver(outcome.Error(stopped), 0)
        self.told.settle()  # a door may have answered

    async def _pump(self) -> None:
        while self._waiting:
            asked = self._waiting[0]
            if not asked.is_withdrawn:
                try:
                    await self.owner.post(asked.post)
                except GameStopped as stopped:
                    if not asked.is_withdrawn:
                        asked.deliver(outcome.Error(stopped), 0)
                self.told.settle()
            self._waiting.popleft()


def _error_of(answer: outcome.Outcome[object]) -> ScrambleError:
    assert isinstance(answer, outcome.Error)
    assert isinstance(answer.error, ScrambleError)
    return answer.error
