"""Records what callers of a live game see, for `tests.judge`.

    recorder = Recorder()
    nursery.start_soon(recorder.call, op, partial(ask, game, op), scope)
    recorder.cancel(scope)
    judge(recorder.calls(), spec)

Moments are numbers of its own, one for each thing noted: trio runs one task at a time, so they are in real-time order.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import trio

from tests.judge import Call

Op = TypeVar("Op")
Answer = TypeVar("Answer")


class Recorder(Generic[Op, Answer]):
    """The history of one game so far."""

    def __init__(self) -> None:
        self._now = 0
        self._ended: list[Call[Op, Answer]] = []
        self._running: set[trio.CancelScope] = set()
        self._cancelled: dict[trio.CancelScope, int] = {}

    def calls(self) -> list[Call[Op, Answer]]:
        """The calls that have ended, in the order in which they began."""
        assert not self._running
        return sorted(self._ended, key=lambda call: call.began)

    async def call(self, op: Op, ask: Callable[[], Awaitable[Answer]], scope: trio.CancelScope) -> None:
        """Await `ask()` within `scope`, a fresh one, and note what became of it. An exception of `ask` is not noted."""
        began = self._tick()
        self._running.add(scope)
        try:
            with scope:
                answer = await ask()
                self._ended.append(Call(op, began, self._tick(), answer))
        finally:
            self._running.remove(scope)
        if scope.cancelled_caught:
            self._ended.append(Call(op, began, self._tick(), cancelled=self._cancelled[scope]))

    def cancel(self, scope: trio.CancelScope) -> None:
        """Cancel the call within `scope`, before or after it begins; one that has ended stays as it is."""
        self._cancelled.setdefault(scope, self._tick())
        scope.cancel()

    def cancel_all(self) -> None:
        """Cancel all that still run."""
        for scope in self._running:
            self.cancel(scope)

    def _tick(self) -> int:
        self._now += 1
        return self._now
