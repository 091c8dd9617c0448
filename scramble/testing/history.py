"""A history: what clients have asked, what was answered, and when.

    history = History()
    with history.call("alice", Write(3)) as call:
        call.returned(await register.write(3))

Works with trio, threads and without both: a call takes its moments from one counter.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Final, Literal, TypeAlias

Outcome: TypeAlias = Literal["open", "returned", "cancelled", "unknown"]
"""How a call has ended. "open": its block has not ended. "unknown": its block has ended without an answer."""


class Call(AbstractContextManager["Call"]):
    """A call of a client. Made by `History.call`, and used as a block."""

    def __init__(self, history: History, client: object, operation: object) -> None:
        self.client: Final = client
        self.operation: Final = operation
        self.outcome: Outcome = "open"
        self.answer: object = None
        """The answer, if `outcome` is "returned"."""
        self.began: int = -1
        """The moment at which the block has begun."""
        self.ended: int | None = None
        """The moment of the answer; None if the call has no answer."""
        self.waited: int | None = None
        """The last moment at which the call was seen to wait."""
        self._history: Final = history

    def returned(self, answer: object) -> None:
        """Note the answer, at this moment. It is not copied. Raises ValueError if the call has ended."""
        self._end("returned")
        self.answer = answer
        self.ended = self._history.tick()

    def cancelled(self) -> None:
        """Note that the call has no effect, and never will have one. Raises ValueError if the call has ended."""
        self._end("cancelled")

    def parked(self) -> None:
        """Note that the call waits now: it takes effect after this moment. Raises ValueError if the call has ended."""
        if self.outcome != "open" or self.began < 0:
            raise ValueError(f"the call does not run: {self}")
        self.waited = self._history.tick()

    def __enter__(self) -> Call:
        if self.began >= 0:
            raise ValueError(f"the call has begun before: {self}")
        self._history.begin(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.outcome == "open":
            self.outcome = "unknown"

    def _end(self, outcome: Outcome) -> None:
        if self.outcome != "open" or self.began < 0:
            raise ValueError(f"the call does not run: {self}")
        self.outcome = outcome

    def __str__(self) -> str:
        ends = {
            "open": "is open",
            "cancelled": "was cancelled",
            "unknown": "has an unknown outcome",
            "returned": f"returned {self.answer!r}",
        }
        waited = ", was seen to wait," if self.waited is not None else ""
        return f"{self.client}: {self.operation!r}{waited} {ends[self.outcome]}"


class History:
    """The calls of all clients, in the order in which they have begun. Safe under concurrency, also of threads."""

    # AF: _calls in the order of `began`. RI: all moments are different.

    def __init__(self) -> None:
        self._calls: Final[list[Call]] = []
        self._moments: Final = itertools.count()
        self._lock: Final = threading.Lock()

    @property
    def calls(self) -> Sequence[Call]:
        """The calls that have begun."""
        return tuple(self._calls)

    def call(self, client: object, operation: object) -> Call:
        """Return a block for one call: it begins with the block. Does not wait. The operation is not copied.

        If the block ends without `returned` and `cancelled`, the outcome is unknown: the call may take effect at any
        later moment, or never. Exceptions of the block are raised unchanged.
        """
        return Call(self, client, operation)

    def begin(self, call: Call) -> None:
        """Note that the block of a call begins."""
        with self._lock:
            call.began = self.tick()
            self._calls.append(call)

    def tick(self) -> int:
        """Return a new moment, later than all moments before."""
        return next(self._moments)

    def __len__(self) -> int:
        return len(self._calls)
