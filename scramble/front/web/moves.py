"""A move of a WebSocket that may have to wait, for any game. The connection reads on while the move waits.

    move = MoveUnderWay(ask, frame_of, connection.send)
    await move.begin(connection.start_soon)     # until the outcome is sent, or the frame "waiting"
    await move.withdraw()                       # until the outcome is sent

Safe under concurrency: only the tasks of one connection use a move, between two awaits.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Generic, Literal, TypeAlias, TypeVar

import trio

from scramble.errors import CallerError, GameStopped

T = TypeVar("T")
MoveOutcome: TypeAlias = T | CallerError | Literal["waiting", "withdrawn"]
"""The answer of the game, its refusal, or the state of a move that has no answer."""


class MoveUnderWay(Generic[T]):
    """One move of a connection, from its frame to its final outcome."""

    # AF: the move that _ask makes. After _settled is set, `parked` is True if the move had to wait. After _done is set,
    #     the outcome has been sent.
    # RI: _done implies _settled. _done and `parked` imply _wait_sent.

    def __init__(
        self,
        ask: Callable[[trio.Event], Awaitable[T]],
        frame_of: Callable[[MoveOutcome[T]], str],
        send: Callable[[str], Awaitable[None]],
    ) -> None:
        """`ask(parked)` asks the game, and sets `parked` if the move has to wait. It may raise CallerError.

        `frame_of` encodes an outcome, and `send` sends the frame.
        """
        self._ask: Final = ask
        self._frame_of: Final = frame_of
        self._send: Final = send
        self.parked = True
        self._scope: Final = trio.CancelScope()  # cancelling it withdraws the move
        self._settled: Final = trio.Event()  # set when the game parks the move, or answers it
        self._wait_sent: Final = trio.Event()  # the client has been notified that the move waits
        self._done: Final = trio.Event()

    async def begin(self, start_soon: Callable[[Callable[[], Awaitable[None]]], None]) -> None:
        """Make the move in a task of `start_soon`. Wait until its outcome is sent, or the frame that it waits.

        Cancelling the task withdraws the move. If the game has ended, no outcome is sent.
        """
        start_soon(self._run)
        await self._settled.wait()
        if self.parked:
            await self._send(self._frame_of("waiting"))
            self._wait_sent.set()
        else:
            await self._done.wait()

    async def withdraw(self) -> None:
        """Withdraw the move, and wait until its outcome is sent. An answer that came before counts."""
        self._scope.cancel()
        await self._done.wait()

    @property
    def is_over(self) -> bool:
        """True once the outcome has been sent, or the game has ended."""
        return self._done.is_set()

    async def _run(self) -> None:
        outcome: MoveOutcome[T] | None = "withdrawn"
        try:
            with self._scope:
                outcome = await self._ask(self._settled)
        except CallerError as refused:
            outcome = refused
        except GameStopped:
            outcome = None
        if self._settled.is_set():
            await self._wait_sent.wait()
        else:
            self.parked = False
            self._settled.set()
        if outcome is not None:
            await self._send(self._frame_of(outcome))
        self._done.set()
