"""The requests of one join that are not answered yet, from number to answer.

The law: a request is carried out at most once, in the order of the numbers, and its caller is told exactly once: by its
answer, by its error, by its withdrawal, or by the end of the join. What is not answered is sent again, and the
owner's side remembers what it has seen; so a message may be lost, late or doubled.

A caller that is cancelled goes on waiting until the owner says that the request is withdrawn, or the answer comes that
crossed the cancellation: so an answer stands, and whoever has left cannot win anything later, as with an owner in this
process. That takes a round trip, or as long as the owner takes to be found dead.

Safe under concurrency: a call changes only between two awaits, in the task of its caller or in that which hears.
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
"""Requests of one join that the owner has neither parked nor answered: as many as fit into the mailbox of an actor.
More callers wait."""

UNANSWERED_LOOK_S: Final = 0.1
"""Seconds after which the oldest of the requests that are not answered is sent again so as to find out whether anybody
hears it. Whoever asked at once would be told so, for each request, a moment before its answer comes."""

RESEND_S: Final = 0.7
"""Seconds after which a request is sent again: above the time of a usual answer, far below a player's patience."""


class Call:
    """One request of a task in this process, or without one if it is only told. `Calls` sends it, once."""

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
        """Wake the caller, if there is one. Call it once."""
        if self.task is not None:
            trio.lowlevel.reschedule(self.task, answer)


def _nothing() -> None:
    pass


class Calls:
    """All requests of one join. Mutable."""

    # AF: requests numbered below _next were sent; those in _open are not answered, and of these those in _unsure were
    #     neither parked, in the order in which they were sent last. _received are the numbers of answers that the owner
    #     does not know to have come. _room counts how many more may be sent. _ended makes the error of an ended join.
    # RI: the calls in _unsure are in _open.

    def __init__(self, epoch: int, process: ProcessName, join: int, send: Callable[[ToOwner, bool], None]) -> None:
        """`send` sends a message, and finds out whether anybody hears it if its second argument is true."""
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
        """Called when there is something that may have to be sent again, and no `send_again` runs: starts it."""

    # --- for callers ---

    async def ask(self, call: Call) -> tuple[bytes, int]:
        """Carry out a command at the owner; return the encoded answer and the number of the next change after it.

        Waits while as many requests are untaken as may be. Raises what the owner's `ask` raises, and the error that has
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
        """Carry out a command at the owner, without an answer. Does not wait."""
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
        request = call.request  # the withdrawal takes its place if it never came: so it brings what that brought
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

    # --- for what is heard ---

    def hear(self, message: RequestValue | RequestFailure | Parked | RequestWithdrawn) -> None:
        """Take an answer of the owner. One to a request that was answered already changes nothing."""
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
            if isinstance(call.request, RoomRequest):  # else its withdrawal is to be sent until it is answered
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
        if call.task is not None:  # a command without an answer has no task
            self._room.release()

    def end(self, error: Callable[[], GameStopped]) -> None:
        """Answer all open requests, and those that wait for room or come later, with an error."""
        self._ended = error
        for call in tuple(self._open.values()):
            self._close(call)
            call.send(outcome.Error(error()))
        for _ in range(self._room.statistics().tasks_waiting):
            self._room.release()

    # --- for the task that sends again ---

    async def send_again(self) -> None:
        """Send again what is not answered, until everything is."""
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
        """The number of requests that the owner has neither parked nor answered, and of callers that wait for room."""
        return len(self._unsure) + self._room.statistics().tasks_waiting

    def parked(self, mirror: Mirror) -> list[Command[object]]:
        """Return the commands that are parked at the owner of one part."""
        return [call.command for call in self._open.values() if call.taken and call.mirror is mirror]

    def __str__(self) -> str:
        return f"{len(self._open)} requests are not answered"
