"""A request and its one-shot reply channel: what goes through the mailbox, and what the owner task parks.

Safe under concurrency: the caller's task and the owner's share a reply, and change it only between two awaits.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Generic, TypeVar, cast

import outcome
import trio

from scramble.core import Command, Ticket
from scramble.history import Changes

R = TypeVar("R")


class ReplyState(Enum):
    """Where a request is."""

    QUEUED = auto()  # the command is on its way to the owner, or in the mailbox
    TAKEN = auto()  # the owner has it: in hand, or parked
    DECIDED = auto()  # the rules have answered; the caller is to be told once that is written down
    ANSWERED = auto()
    ABANDONED = auto()  # the caller was cancelled


class Reply(Generic[R]):
    """A request's one-shot reply channel: one answer, one receiver.

    A memory channel of capacity 1 would do, at three times the cost of this slot: it is two objects with
    their own parking lots, made and closed for a single item. tests/bench measures both.
    """

    __slots__ = ("_answer", "_task", "changes", "command", "parked", "state", "ticket")

    def __init__(
        self, ticket: Ticket, command: Command[R], parked: trio.Event | None = None, changes: Changes | None = None
    ) -> None:
        self.ticket = ticket
        self.command = command
        self.parked = parked
        self.changes = changes
        self.state = ReplyState.QUEUED
        self._task: trio.lowlevel.Task | None = None
        self._answer: outcome.Outcome[R] | None = None

    def send(self, answer: outcome.Outcome[R]) -> None:
        """Answer, without waiting. Only if nobody has answered, and the caller is still there."""
        self.state = ReplyState.ANSWERED
        if self._task is None:
            self._answer = answer  # the caller is between the mailbox and `receive`
        else:
            trio.lowlevel.reschedule(self._task, answer)

    async def receive(self, abandon: Callable[[Reply[R]], None]) -> R:
        """Wait for the answer. If cancelled before it is decided, call `abandon(self)`, and wait no longer.

        If cancelled later, when it is only being written down, wait for that: what is done is done, and whoever asked
        for it had better know.
        """
        if self._answer is not None:
            return self._answer.unwrap()

        def abort(_: trio.lowlevel.RaiseCancelT) -> trio.lowlevel.Abort:
            if self.state is ReplyState.DECIDED:
                return trio.lowlevel.Abort.FAILED
            abandon(self)
            return trio.lowlevel.Abort.SUCCEEDED

        self._task = trio.lowlevel.current_task()
        return cast(R, await trio.lowlevel.wait_task_rescheduled(abort))
