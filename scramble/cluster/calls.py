"""The open requests of one join, from number to answer.

The law: a request is executed at most once, in the order of the numbers. Its caller gets exactly one result: the
answer, the error, the withdrawal, or the end of the join. Unanswered requests are sent again, and the owner's side
remembers received ones. So messages may be lost, late or doubled.

A cancelled caller waits until the owner confirms the withdrawal, or until an answer that was already sent arrives. So
no answer is lost, and a departed player cannot win a card later: an owner in this process guarantees the same. The wait
takes one round trip, or the time until the owner counts as dead.

Safe under concurrency: a call changes only between two awaits, in its caller's task or in the task that reads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, cast

import outcome
import trio

from scramble.cluster.codec import decode_error
from scramble.cluster.messages import (
    ASK,
    TELL,
    Parked,
    RequestFailure,
    RequestValue,
    RequestWithdrawn,
    RoomRequest,
    ToOwner,
    WithdrawRequest,
)
from scramble.cluster.mirror import Mirror
from scramble.cluster.protocol import ProcessName
from scramble.errors import GameStopped
from scramble.kernel.protocol import Command, Settable

MOST_UNTAKEN: Final = 256
"""Maximum of one join's requests that the owner has neither parked nor answered: the capacity of an actor's mailbox.
Further callers wait."""

UNANSWERED_LOOK_S: Final = 0.1
"""Seconds after which the oldest unanswered request is sent again, to check that the channel has a listener. With an
earlier check, Redis would send one more report for each request, a moment before the request's answer."""

RESEND_S: Final = 0.7
"""Seconds after which a request is sent again: above the usual response time, far below a player's patience."""


class Call:
    """One request of a task in this process; a TELL has no task. Belongs to one `Calls`, and is used once."""

    __slots__ = (
        "command",
        "decided",
        "encoded",
        "mirror",
        "number",
        "parked",
        "part",
        "raise_cancel",
        "request",
        "sent",
        "taken",
        "task",
    )

    number: int
    request: RoomRequest | WithdrawRequest
    sent: float

    def __init__(
        self, part: str, command: Command[object], encoded: bytes, mirror: Mirror, parked: Settable | None = None
    ) -> None:
        self.part: Final = part
        self.command: Final = command
        self.encoded: Final = encoded
        self.mirror: Final = mirror
        self.parked: Final = parked
        self.taken = False  # the owner has parked it
        self.decided = False  # the answer has come; it may wait for the mirror
        self.task: trio.lowlevel.Task | None = None
        self.raise_cancel: trio.lowlevel.RaiseCancelT | None = None

    def send(self, answer: outcome.Outcome[tuple[bytes, int]]) -> None:
        """Wake the caller, if there is a caller. Call this method only once."""
        if self.task is not None:
            trio.lowlevel.reschedule(self.task, answer)


def _nothing() -> None:
    pass


class Calls:
    """All requests of one join. Mutable."""

    # AF: requests numbered below _next were sent. _open are the unanswered requests. _unsure are the open requests that
    #     are not parked, in the order of their last sending. _received are the numbers of received answers, not yet
    #     confirmed to the owner. _room counts the requests that may still be sent. _ended makes the error of an ended
    #     join.

    def __init__(self, epoch: int, process: ProcessName, join: int, send: Callable[[ToOwner, bool], None]) -> None:
        """Start without requests. `send` sends a message. If its second argument is True, it checks for a listener."""
        self._epoch: Final = epoch
        self._process: Final = process
        self._join: Final = join
        self._send_message: Final = send
        self._next = 0
        self._open: Final[dict[int, Call]] = {}
        self._unsure: Final[dict[int, Call]] = {}
        self._received: list[int] = []
        self._room: Final = trio.Semaphore(MOST_UNTAKEN)
        self._ended: Callable[[], GameStopped] | None = None
        self._is_sending_again = False
        self.unsure: Callable[[], None] = _nothing
        """Starts `send_again`. Called when a request may need repetition, and `send_again` is not running."""

    # --- for callers ---

    async def ask(self, call: Call) -> tuple[bytes, int]:
        """Execute a command at the owner; return the encoded answer and the number of the next change after it.

        Waits while `MOST_UNTAKEN` requests are untaken. Raises the errors of the owner's `ask`, and the error that has
        ended the join. Always a checkpoint.
        """
        await trio.lowlevel.checkpoint_if_cancelled()
        try:
            self._room.acquire_nowait()
        except trio.WouldBlock:
            await self._room.acquire()
        if self._ended is not None:
            self._room.release()
            await trio.lowlevel.cancel_shielded_checkpoint()
            raise self._ended()

        def abort(raise_cancel: trio.lowlevel.RaiseCancelT) -> trio.lowlevel.Abort:
            call.raise_cancel = raise_cancel
            if not call.decided:
                self._withdraw(call)
            return trio.lowlevel.Abort.FAILED

        call.task = trio.lowlevel.current_task()
        self._begin(call, ASK)
        return cast("tuple[bytes, int]", await trio.lowlevel.wait_task_rescheduled(abort))

    def tell(self, call: Call) -> None:
        """Execute a command at the owner, without an answer. Does not wait."""
        if self._ended is None:
            self._begin(call, TELL)

    def _begin(self, call: Call, way: int) -> None:
        number = call.number = self._next
        self._next += 1
        received, self._received = tuple(self._received), []
        call.request = RoomRequest(
            self._epoch, self._process, self._join, number, call.part, way, call.encoded, received
        )
        self._open[number] = call
        self._send(call)

    def _withdraw(self, call: Call) -> None:
        request = call.request  # the request may be lost, so the withdrawal repeats its `received`
        call.request = WithdrawRequest(self._epoch, self._process, self._join, call.number, request.received)
        self._send(call)

    def _send(self, call: Call) -> None:
        call.sent = trio.current_time()
        self._unsure.pop(call.number, None)
        self._unsure[call.number] = call
        self._send_message(call.request, False)
        if not self._is_sending_again:
            self._is_sending_again = True
            self.unsure()

    # --- for received messages ---

    def hear(self, message: RequestValue | RequestFailure | Parked | RequestWithdrawn) -> None:
        """Take an answer of the owner. A repeated answer changes nothing."""
        call = self._open.get(message.number)
        if call is None:
            return
        if isinstance(message, (RequestValue, RequestFailure)):
            self._close(call)
            self._received.append(call.number)
            if call.task is not None:
                answer: outcome.Outcome[tuple[bytes, int]]
                if isinstance(message, RequestValue):
                    answer = outcome.Value((message.payload, message.position))
                else:
                    answer = outcome.Error(decode_error(message.payload))
                call.mirror.when_at(message.position, partial(call.send, answer))
        elif isinstance(message, RequestWithdrawn):
            self._close(call)
            self._received.append(call.number)
            assert call.raise_cancel is not None
            call.send(outcome.capture(cast(Callable[[], tuple[bytes, int]], call.raise_cancel)))
        else:
            if isinstance(call.request, RoomRequest):  # a withdrawal is repeated until it is answered
                self._unsure.pop(call.number, None)
            if not call.taken:
                call.taken = True
                self._give_room(call)
                if call.parked is not None:
                    call.parked.set()

    def _close(self, call: Call) -> None:
        del self._open[call.number]
        self._unsure.pop(call.number, None)
        call.decided = True
        if not call.taken:
            self._give_room(call)

    def _give_room(self, call: Call) -> None:
        if call.task is not None:  # a TELL has no task
            self._room.release()

    def end(self, error: Callable[[], GameStopped]) -> None:
        """Answer all open requests, waiting callers and later requests with an error."""
        self._ended = error
        for call in tuple(self._open.values()):
            self._close(call)
            call.send(outcome.Error(error()))
        for _ in range(self._room.statistics().tasks_waiting):
            self._room.release()

    # --- for the task that sends again ---

    async def send_again(self) -> None:
        """Repeat unanswered requests until all are answered."""
        looked = -UNANSWERED_LOOK_S
        while self._unsure:
            oldest = next(iter(self._unsure.values()))
            await trio.sleep_until(max(oldest.sent, looked) + UNANSWERED_LOOK_S)
            if self._unsure.get(oldest.number) is not oldest:
                continue
            looked = trio.current_time()
            self._send_message(oldest.request, True)
            for call in tuple(self._unsure.values()):
                if call.sent + RESEND_S > looked:
                    break
                self._send(call)
        self._is_sending_again = False

    @property
    def queued(self) -> int:
        """The number of requests that the owner has neither parked nor answered, plus the number of waiting callers."""
        return len(self._unsure) + self._room.statistics().tasks_waiting

    def parked(self, mirror: Mirror) -> list[Command[object]]:
        """Return the parked commands at the owner of one part."""
        return [call.command for call in self._open.values() if call.taken and call.mirror is mirror]

    def __str__(self) -> str:
        return f"{len(self._open)} requests are not answered"
