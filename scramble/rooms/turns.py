"""Turns for work in threads: parsing of settings, and searches.

    turns = FairTurns(1, most=64, most_of_one=16)
    async with turns.place(asker) as run:
        settings = await run(parse)             # a turn; long work takes several turns
        settings = await run(partial(check, settings))

There are few threads, because they take processor time from the one task loop that serves all clients. Each asker has
one active place at a time, and active places get turns one after another. So an asker with much work waits for its own
work, and other askers wait for at most one turn of each asker. The number of places is limited; further requests are
refused.

Safe under concurrency: places are counted between two awaits.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, Protocol, TypeVar

import trio

from scramble.errors import CallerError

R = TypeVar("R")


class Busy(CallerError):
    """Too many places of this asker, or of all askers, wait. Nothing has changed. Retry after `wait_s` seconds."""

    code = "busy"
    status = 503

    def __init__(self, wait_s: int) -> None:
        self.params = {"wait_s": wait_s}
        super().__init__(f"many games are prepared just now: try again in {wait_s} s")


class RunInThread(Protocol):
    """A function that runs work in a thread, in a turn of one place."""

    async def __call__(self, work: Callable[[], R], /) -> R:
        """Return the result of `work`. Waits for a turn and for the end of the work, even after a cancellation."""


class _Line:
    """The places of one asker. One of them has the lock."""

    # AF: `count` places. The first place holds `lock`; the other places wait for it in order.

    __slots__ = ("count", "lock")

    def __init__(self) -> None:
        self.count = 0
        self.lock: Final = trio.Lock()


class FairTurns:
    """The turns for one kind of work. Mutable; a server has one object."""

    # AF: _lines has the waiting and active places by asker; _count is their number. Places without an asker are not
    #     counted. The threads of _threads are the turns: they go to active places, first come, first served.
    # RI: _count is the sum of the lines' counts. Each line's count is from 1 to _most_of_one; _count <= _most.

    def __init__(self, at_once: int, *, most: int, most_of_one: int, wait_s: int = 5) -> None:
        """Do work in `at_once` threads, for at most `most` places. A refusal tells the asker to wait for `wait_s`."""
        self._threads: Final = trio.CapacityLimiter(at_once)
        self._most: Final = most
        self._most_of_one: Final = most_of_one
        self._wait_s: Final = wait_s
        self._lines: Final[dict[str, _Line]] = {}
        self._count = 0

    @asynccontextmanager
    async def place(self, asker: str | None) -> AsyncIterator[RunInThread]:
        """Hold a place during the block. The block begins once the asker's earlier places have ended.

        `asker` is usually an address. None is the server itself, or an unlimited client: no earlier places delay it.

        Raises Busy.
        """
        if asker is None:
            yield self._run
            return
        line = self._lines.get(asker)
        if self._count >= self._most or (line is not None and line.count >= self._most_of_one):
            raise Busy(self._wait_s)
        line = self._lines.setdefault(asker, _Line())
        line.count += 1
        self._count += 1
        try:
            async with line.lock:
                yield self._run
        finally:
            line.count -= 1
            self._count -= 1
            if not line.count:
                del self._lines[asker]

    async def _run(self, work: Callable[[], R]) -> R:
        return await trio.to_thread.run_sync(work, limiter=self._threads)

    def __str__(self) -> str:
        return f"{self._count} places of {len(self._lines)} askers, and {self._threads.borrowed_tokens} turns"
