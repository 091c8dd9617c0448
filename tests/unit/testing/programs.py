"""Textbook bugs as small trio programs: FIFO order shows none of them.

Each program builds its state anew, so that `explore` can run it many times, and another process can import it.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable

import trio
from trio.lowlevel import checkpoint

from scramble.testing import Deadlock, ScheduleFailed, assert_finds, cancellable

Main = Callable[[], Awaitable[None]]


async def steps(count: int) -> None:
    for _ in range(count):
        await checkpoint()


async def lost_update() -> None:
    total = 0

    async def add(late: int) -> None:
        nonlocal total
        await steps(late)
        seen = total
        await checkpoint()
        total = seen + 1

    async with trio.open_nursery() as nursery:
        nursery.start_soon(add, 0)
        nursery.start_soon(add, 2)
    assert total == 2


async def check_then_act() -> None:
    seats: list[str] = []

    async def sit(name: str, late: int) -> None:
        await steps(late)
        if not seats:
            await checkpoint()
            seats.append(name)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(sit, "ann", 0)
        nursery.start_soon(sit, "bob", 3)
    assert seats in (["ann"], ["bob"])


async def lost_wakeup() -> None:
    is_full = False
    waiters: list[trio.Event] = []

    async def produce() -> None:
        nonlocal is_full
        await steps(2)
        is_full = True
        for waiter in waiters:
            waiter.set()

    async def consume() -> None:
        if not is_full:
            await checkpoint()
            waiters.append(trio.Event())
            await waiters[-1].wait()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(consume)
        nursery.start_soon(produce)


async def double_release() -> None:
    lock = trio.Semaphore(0, max_value=1)
    is_held = True

    async def release(late: int) -> None:
        nonlocal is_held
        await steps(late)
        if is_held:
            await checkpoint()
            is_held = False
            lock.release()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(release, 0)
        nursery.start_soon(release, 3)


async def aba() -> None:
    """Pop from a linked stack compares the top alone, which another task popped and pushed again."""
    below: dict[str, str | None] = {"a": "b", "b": "c", "c": None}
    top: str | None = "a"
    popped: list[str | None] = []

    async def pop_slowly() -> None:
        nonlocal top
        while True:
            seen = top
            assert seen is not None
            successor = below[seen]
            await checkpoint()
            if top == seen:
                top = successor
                popped.append(seen)
                return

    async def pop_twice_and_push() -> None:
        nonlocal top
        await checkpoint()
        assert top is not None
        first, top = top, below[top]
        await checkpoint()
        assert top is not None
        second, top = top, below[top]
        popped.append(second)
        await checkpoint()
        below[first] = top
        top = first

    async with trio.open_nursery() as nursery:
        nursery.start_soon(pop_slowly)
        nursery.start_soon(pop_twice_and_push)
    assert top not in popped


async def cancelled_between_take_and_give_back() -> None:
    free = ["connection"]
    with cancellable():
        taken = free.pop()
        await steps(2)
        free.append(taken)
        await checkpoint()
    assert free == ["connection"]


async def lock_order() -> None:
    red, blue = trio.Lock(), trio.Lock()

    async def take(first: trio.Lock, second: trio.Lock, late: int) -> None:
        await steps(late)
        async with first, second:
            pass

    async with trio.open_nursery() as nursery:
        nursery.start_soon(take, red, blue, 0)
        nursery.start_soon(take, blue, red, 3)


BUGS: dict[Main, type[Exception]] = {
    lost_update: AssertionError,
    check_then_act: AssertionError,
    lost_wakeup: Deadlock,
    double_release: ValueError,
    aba: AssertionError,
    cancelled_between_take_and_give_back: AssertionError,
    lock_order: Deadlock,
}


@functools.cache
def failure_of(bug: Main) -> ScheduleFailed:
    """Return the failure that `assert_finds` returns with its default options."""
    return assert_finds(bug)


async def counter_with_a_lock() -> None:
    total = 0
    lock = trio.Lock()

    async def add() -> None:
        nonlocal total
        async with lock:
            seen = total
            await checkpoint()
            total = seen + 1

    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(add)
    assert total == 3
