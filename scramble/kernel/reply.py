"""A request with its one-shot reply channel. The mailbox contains such requests, and the owner task may park them.

Safe under concurrency: the caller's task and the owner task share a reply, and change it only between two awaits.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from enum import Enum, auto
from typing import Final, Generic, TypeVar, cast

import outcome
import trio

from scramble.kernel.changes import Changes, History
from scramble.kernel.protocol import Answered, Command, Refused, Settable, Ticket

R = TypeVar("R")
T = TypeVar("T")


class ReplyState(Enum):
    """The progress of a request."""

    QUEUED = auto()  # the command is in the mailbox, or waits for space in it
    TAKEN = auto()  # the owner is executing the command, or has parked it
    DECIDED = auto()  # the rules have answered; the caller gets the answer once the command is logged
    ANSWERED = auto()
    ABANDONED = auto()  # the caller was cancelled


# Constants for speed: looking up a member of an Enum takes 5 % of the time of a task switch.
QUEUED: Final = ReplyState.QUEUED
TAKEN: Final = ReplyState.TAKEN
DECIDED: Final = ReplyState.DECIDED
ANSWERED: Final = ReplyState.ANSWERED
ABANDONED: Final = ReplyState.ABANDONED


class Given(outcome.Outcome[object]):
    """The answer of the rules, as an `Outcome` for trio. Trio unwraps it in the caller's task.

    Creating and unwrapping `outcome.Value` and `Error` takes three times as long, because they are frozen and count
    their uses. The difference is 5 % of the time of a flip.
    """

    # AF: the value or the error of the outcome `item`.

    __slots__ = ("item",)

    def __init__(self, item: Answered | Refused) -> None:
        self.item: Final = item

    def whole(self) -> outcome.Value[object] | outcome.Error:
        """Return the answer as `outcome.Value` or `outcome.Error`, which can be compared and matched."""
        return outcome.Value(self.item.value) if type(self.item) is Answered else outcome.Error(self.item.error)

    def unwrap(self) -> object:
        """Return the value, or raise the error."""
        item = self.item
        if type(item) is Answered:
            return item.value
        try:
            raise item.error
        finally:
            del item, self  # otherwise the error and this frame would form a reference cycle

    def send(self, gen: Generator[T, object, object]) -> T:
        """Send the value, or throw the error, into a generator."""
        return self.whole().send(gen)

    async def asend(self, agen: AsyncGenerator[T, object]) -> T:
        """Send the value, or throw the error, into an asynchronous generator."""
        return await self.whole().asend(agen)


class Reply(Generic[R]):
    """The one-shot reply channel of a request: one answer, one receiver.

    A memory channel of capacity 1 would take three times as long: it consists of two objects with their own parking
    lots, created and closed for a single item. tests/bench measures both.
    """

    __slots__ = ("_answer", "_task", "began", "changes", "command", "leaves", "parked", "state", "ticket", "was_parked")

    def __init__(
        self, ticket: Ticket, command: Command[R], parked: Settable | None = None, changes: Changes | None = None
    ) -> None:
        self.ticket = ticket
        self.command = command
        self.began = trio.current_time()
        self.parked = parked
        self.changes = changes
        self.state: ReplyState = QUEUED
        self.was_parked = False
        self.leaves = False  # True: the caller was cancelled after the decision
        self._task: trio.lowlevel.Task | None = None
        self._answer: outcome.Outcome[R] | None = None

    def send(self, answer: outcome.Outcome[R]) -> None:  # `Post` overrides this method
        """Send the answer without waiting. Call this at most once, and not for an abandoned request."""
        self.state = ANSWERED
        if self._task is None:
            self._answer = answer  # the caller has queued the request, but does not wait in `receive` yet
        else:
            trio.lowlevel.reschedule(self._task, answer)

    async def receive(self, abandon: Callable[[Reply[R]], None]) -> R:
        """Wait for the answer. If cancelled before the answer is decided, call `abandon(self)` and stop waiting.

        If cancelled later, wait for the log and return the answer: the command has an effect, so the caller needs the
        answer.
        """
        if self._answer is not None:
            return self._answer.unwrap()

        def abort(_: trio.lowlevel.RaiseCancelT) -> trio.lowlevel.Abort:
            if self.state is DECIDED:
                self.leaves = True
                return trio.lowlevel.Abort.FAILED
            abandon(self)
            return trio.lowlevel.Abort.SUCCEEDED

        self._task = trio.lowlevel.current_task()
        return cast(R, await trio.lowlevel.wait_task_rescheduled(abort))


class Post(Reply[object]):
    """A request of a caller that is not a task of this process. Made by `Actor.request`.

    The owner calls `deliver` with the answer and the number of the next change. `deliver` must not wait or raise.
    """

    __slots__ = ("_deliver", "_history")

    def __init__(
        self,
        ticket: Ticket,
        command: Command[object],
        parked: Settable | None,
        history: History,
        deliver: Callable[[outcome.Outcome[object], int], None],
    ) -> None:
        super().__init__(ticket, command, parked)
        self._history: Final = history
        self._deliver: Final = deliver

    def send(self, answer: outcome.Outcome[object]) -> None:
        """Deliver the answer."""
        self.state = ANSWERED
        self._deliver(answer.whole() if type(answer) is Given else answer, self._history.published)
