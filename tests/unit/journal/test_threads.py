"""Threads of journals: few, whatever the number of games, and never all of them taken by journals that are opened.

Partitions: work that opens, work that writes; more of both than threads.
"""

from __future__ import annotations

import threading
from functools import partial

import pytest
import trio

from scramble.journal.disk import FILES, OPENERS, WRITERS


class Work:
    """Work that blocks its thread until it is let go; counts the threads that are at it."""

    def __init__(self) -> None:
        self.most = self.now = 0
        self._lock = threading.Lock()
        self._begun = threading.Semaphore(0)
        self._go = threading.Event()

    def __call__(self) -> None:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self._begun.release()
        self._go.wait()
        with self._lock:
            self.now -= 1

    def wait(self, threads: int) -> None:
        """Wait until so many threads are at it."""
        for _ in range(threads):
            self._begun.acquire()

    def finish(self) -> None:
        self._go.set()


@pytest.mark.parametrize(("opening", "threads"), [(True, OPENERS), (False, WRITERS)])
async def test_journals_share_a_bounded_set_of_threads(opening: bool, threads: int) -> None:
    work = Work()
    async with trio.open_nursery() as nursery:
        for _ in range(4 * threads):
            nursery.start_soon(partial(FILES.run, work, opening=opening))
        await trio.to_thread.run_sync(work.wait, threads)
        assert await FILES.run(lambda: "written", opening=not opening) == "written"
        work.finish()
    assert work.most == threads
