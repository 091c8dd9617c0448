"""Threads of journals: few for any number of games. Openings never use all threads.

Partitions: openings; writes; more openings and writes than threads; work that fails; a caller that is cancelled before
its work has begun (while it waits for a thread or not), and afterwards.
"""

from __future__ import annotations

import threading
from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.journal.disk import FILES, OPENERS, WRITERS


class Work:
    """Work that blocks its thread until `finish`, and counts its threads."""

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
        """Wait until this many threads do the work."""
        for _ in range(threads):
            self._begun.acquire()

    def finish(self) -> None:
        self._go.set()


opening_or_not = pytest.mark.parametrize("opening", [True, False])


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


@opening_or_not
async def test_the_caller_gets_the_error_of_the_work(opening: bool) -> None:
    def fail() -> None:
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        await FILES.run(fail, opening=opening)
    assert await FILES.run(lambda: "written", opening=opening) == "written"


@opening_or_not
async def test_work_that_has_begun_ends_before_its_caller_is_cancelled(opening: bool) -> None:
    work = Work()
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(FILES.run, work, opening=opening))
            await trio.to_thread.run_sync(work.wait, 1)
            scope.cancel()
            with trio.CancelScope(shield=True):
                await wait_all_tasks_blocked()
            assert nursery.child_tasks
            work.finish()
    assert work.now == 0


@opening_or_not
async def test_work_of_a_caller_that_was_cancelled_before_never_begins(opening: bool) -> None:
    begun: list[str] = []
    with trio.CancelScope() as scope:
        scope.cancel()
        await FILES.run(partial(begun.append, "at once"), opening=opening)
    assert scope.cancelled_caught
    work, threads = Work(), OPENERS if opening else WRITERS
    async with trio.open_nursery() as nursery:
        for _ in range(threads):
            nursery.start_soon(partial(FILES.run, work, opening=opening))
        await trio.to_thread.run_sync(work.wait, threads)
        async with trio.open_nursery() as waiting:
            waiting.start_soon(partial(FILES.run, partial(begun.append, "later"), opening=opening))
            await wait_all_tasks_blocked()
            waiting.cancel_scope.cancel()
        work.finish()
    assert begun == []
