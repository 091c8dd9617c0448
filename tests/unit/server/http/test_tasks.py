"""The queue of what an application receives, against trio's memory channel.

Partitions: empty, some items, full; one or several tasks put and get; one that waits is cancelled, at either end. A
random history of these does the same to both, step by step.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Final

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.server.http.tasks import SmallQueue

MOST: Final = 3


class User:
    """Tasks that put and get, each with what came of it."""

    def __init__(self, put: Callable[[int], Awaitable[None]], get: Callable[[], Awaitable[int]]) -> None:
        self.log: Final[list[str]] = []
        self.scopes: Final[dict[str, trio.CancelScope]] = {}
        self._put: Final = put
        self._get: Final = get

    async def put(self, number: int) -> None:
        with self._scope(f"put {number}"):
            await self._put(number)
            self._done(f"put {number}")

    async def get(self, number: int) -> None:
        with self._scope(f"get {number}"):
            item = await self._get()
            self._done(f"get {number}", f"{item}")

    def _scope(self, name: str) -> trio.CancelScope:
        self.scopes[name] = trio.CancelScope()
        return self.scopes[name]

    def _done(self, name: str, item: str = "") -> None:
        del self.scopes[name]
        self.log.append(f"{name} {item}")


@pytest.mark.parametrize("seed", range(30))
async def test_a_small_queue_does_what_a_memory_channel_does(seed: int) -> None:
    choose = random.Random(seed)
    queue = SmallQueue[int](MOST)
    into, out = trio.open_memory_channel[int](MOST)
    ours, theirs = User(queue.put, queue.get), User(into.send, out.receive)
    async with trio.open_nursery() as nursery:
        for number in range(80):
            waiting = sorted(ours.scopes)
            step = choose.randrange(5)
            cancelled = choose.choice(waiting) if waiting and step == 0 else None
            for user in (ours, theirs):
                if cancelled is not None:
                    user.scopes.pop(cancelled).cancel()
                elif step <= 2:
                    nursery.start_soon(user.put, number)
                else:
                    nursery.start_soon(user.get, number)
            await wait_all_tasks_blocked()
            assert sorted(ours.log) == sorted(theirs.log)
            assert ours.scopes.keys() == theirs.scopes.keys()
        nursery.cancel_scope.cancel()


async def test_putting_and_getting_give_others_a_turn() -> None:
    queue = SmallQueue[int](MOST)
    with trio.CancelScope() as scope:
        scope.cancel()
        await queue.put(1)
    assert str(queue) == "0 items"
    await queue.put(1)
    assert str(queue) == "1 items"
    with trio.CancelScope() as scope:
        scope.cancel()
        await queue.get()
    assert await queue.get() == 1


def test_a_queue_has_room_for_something() -> None:
    with pytest.raises(AssertionError):
        SmallQueue[int](0)
