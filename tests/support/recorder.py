"""A recorder of the calls of a live game, for `tests.support.linearizability`.

    recorder = Recorder()
    nursery.start_soon(recorder.call, op, partial(ask, game, op), scope)
    recorder.cancel(scope)
    check(recorder.finished(), spec)

Moments are in real-time order, since trio runs one task at a time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import trio

from tests.support.history import History, Told

Op = TypeVar("Op")
Out = TypeVar("Out")


class Recorder(Generic[Op, Out]):
    """The history of one game so far."""

    def __init__(self) -> None:
        self._history: History[Op, Out] = History()
        self._running: set[trio.CancelScope] = set()
        self._cancelled: dict[trio.CancelScope, int] = {}

    def finished(self) -> History[Op, Out]:
        """Return the history. All calls must have ended."""
        assert not self._running
        return self._history

    async def call(self, op: Op, ask: Callable[[], Awaitable[Told[Out]]], scope: trio.CancelScope) -> None:
        """Await `ask()` within `scope`, which must be new, and note its outcome. A call that raises is not noted."""
        call = self._history.begin(op)
        self._running.add(scope)
        try:
            with scope:
                self._history.end(call, await ask())
        except BaseException:
            self._history.calls.remove(call)
            raise
        finally:
            self._running.remove(scope)
        if scope.cancelled_caught:
            call.left, call.over, call.unanswered = self._cancelled[scope], self._history.clock.tick(), True

    def cancel(self, scope: trio.CancelScope) -> None:
        """Cancel the call within `scope`, before or after it begins. Has no effect if the call has ended."""
        self._cancelled.setdefault(scope, self._history.clock.tick())
        scope.cancel()

    def cancel_all(self) -> None:
        """Cancel all running calls."""
        for scope in self._running:
            self.cancel(scope)
