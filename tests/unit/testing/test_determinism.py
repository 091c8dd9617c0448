"""Programs that behave differently under one schedule, and programs that only seem to.

Strategy: partitions and which test covers which

- different behaviour by: random numbers, the order of a set of objects, racing threads, state kept between runs;
  the program never fails, fails sometimes; the first difference is shown
- outside of the control: a thread, a thread that calls back, a socket
- equal behaviour of: waiters of one event, a cancelled nursery, tied deadlines, nested scopes with equal deadlines,
  a closed channel, locks, conditions, semaphores, a CapacityLimiter; each one under all strategies, with other ids of
  objects in each run, and in the FIFO schedule with one order of waking
"""

from __future__ import annotations

import itertools
import random
import socket
import time
from collections.abc import Awaitable, Callable

import pytest
import trio
from trio.lowlevel import checkpoint

from scramble.testing import Undetermined, assert_finds, explore, replay
from tests.unit.testing.programs import steps

Log = Callable[[object], None]

kept: list[object] = []  # objects stay alive, so that later ones get other addresses


async def random_numbers() -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(steps, 3)
        nursery.start_soon(steps, random.SystemRandom().randrange(100))


async def random_order() -> None:
    names = list(range(20))
    random.SystemRandom().shuffle(names)
    async with trio.open_nursery() as nursery:
        for name in names:
            nursery.start_soon(steps, 1, name=f"task {name}")


async def order_of_a_set() -> None:
    players = [object() for _ in range(random.SystemRandom().randrange(20, 40))]
    kept.extend(players)
    numbers = {player: number for number, player in enumerate(players[:20])}
    async with trio.open_nursery() as nursery:
        for player in set(numbers):
            nursery.start_soon(steps, 1, name=f"task {numbers[player]}")


async def state_kept_between_runs() -> None:
    kept.append(None)
    await steps(len(kept))


async def a_thread() -> None:
    await trio.to_thread.run_sync(lambda: None)


async def a_thread_with_its_own_limiter() -> None:
    await trio.to_thread.run_sync(time.sleep, 0.02, limiter=trio.CapacityLimiter(1))


async def racing_threads() -> None:
    async def work(name: str) -> None:
        await trio.to_thread.run_sync(time.sleep, random.SystemRandom().random() / 500)
        await checkpoint()

    async with trio.open_nursery() as nursery:
        for name in "abcd":
            nursery.start_soon(work, name, name=name)


async def a_thread_that_calls_back() -> None:
    await trio.to_thread.run_sync(lambda: trio.from_thread.run(checkpoint))


async def a_socket() -> None:
    left, right = socket.socketpair()
    with left, right:
        right.setblocking(False)
        left.send(b"x")
        await trio.lowlevel.wait_readable(right)


@pytest.mark.parametrize(
    "main",
    [
        random_numbers,
        random_order,
        order_of_a_set,
        state_kept_between_runs,
        racing_threads,
    ],
)
@pytest.mark.filterwarnings("ignore:a task has waited for a thread:RuntimeWarning")
@pytest.mark.parametrize("strategy", ["pct", "exhaustive"])
def test_a_program_that_never_fails_and_is_not_determined_by_its_schedule(
    main: Callable[[], Awaitable[None]], strategy: str
) -> None:
    with pytest.raises(Undetermined, match=r"\S"):
        explore(main, schedules=100, strategy=strategy)  # type: ignore[arg-type]


@pytest.mark.parametrize("main", [a_thread, a_thread_with_its_own_limiter, a_thread_that_calls_back, a_socket])
def test_a_thread_or_a_socket_is_met_with_a_warning(main: Callable[[], Awaitable[None]]) -> None:
    with pytest.warns(RuntimeWarning, match="thread or a socket"):
        explore(main, schedules=1)


@pytest.mark.parametrize("passes", [0, 3, 6])
def test_a_program_that_fails_at_random(passes: int) -> None:
    results = itertools.chain([True] * passes, itertools.cycle([False, False, False, True]))

    async def main() -> None:
        await steps(3)
        assert next(results)

    with pytest.raises(Undetermined):
        explore(main, schedules=20)


def test_a_program_that_always_fails_but_differently() -> None:
    async def main() -> None:
        await random_numbers()
        raise KeyError

    with pytest.raises(Undetermined):
        explore(main)


def test_the_first_difference_is_shown() -> None:
    is_first = True

    async def main() -> None:
        nonlocal is_first
        is_first = not is_first
        async with trio.open_nursery() as nursery:
            nursery.start_soon(steps, 1, name="the first" if is_first else "the second")

    with pytest.raises(Undetermined) as caught:
        explore(main, schedules=20)
    assert "the first" in str(caught.value)
    assert "the second" in str(caught.value)


async def waiters_of_an_event(log: Log) -> None:
    event = trio.Event()

    async def wait(number: int) -> None:
        await event.wait()
        log(number)
        await checkpoint()
        log(number)

    async with trio.open_nursery() as nursery:
        for number in range(12):
            nursery.start_soon(wait, number)
        await steps(2)
        event.set()


async def a_cancelled_nursery(log: Log) -> None:
    async def wait(number: int) -> None:
        try:
            await trio.sleep_forever()
        finally:
            log(number)
            with trio.CancelScope(shield=True):
                await checkpoint()
                log(number)

    async with trio.open_nursery() as nursery:
        for number in range(12):
            nursery.start_soon(wait, number)
        await trio.sleep(1)
        nursery.cancel_scope.cancel()


async def nested_cancelled_nurseries(log: Log) -> None:
    async def wait(number: int) -> None:
        try:
            await trio.sleep_forever()
        finally:
            log(number)

    async def group(number: int) -> None:
        async with trio.open_nursery() as nursery:
            for each in range(4):
                nursery.start_soon(wait, number + each)

    with trio.move_on_after(1):
        async with trio.open_nursery() as nursery:
            for number in range(0, 12, 4):
                nursery.start_soon(group, number)


async def tied_deadlines(log: Log) -> None:
    async def wait(number: int) -> None:
        with trio.move_on_at(10):
            await trio.sleep_forever()
        log(number)
        await trio.sleep_until(20)
        log(number)
        await trio.sleep(1)
        log(number)

    async with trio.open_nursery() as nursery:
        for number in range(12):
            nursery.start_soon(wait, number)


async def nested_scopes_with_equal_deadlines(log: Log) -> None:
    async def wait(number: int) -> None:
        with trio.move_on_at(10) as outer, trio.move_on_at(10) as middle, trio.move_on_at(10) as inner:
            await trio.sleep_forever()
        log((number, outer.cancelled_caught, middle.cancelled_caught, inner.cancelled_caught))
        with trio.move_on_at(20), trio.CancelScope(shield=True), trio.move_on_at(20):
            try:
                await trio.sleep_until(20)
                log((number, "slept"))
            except trio.Cancelled:
                log((number, "cancelled"))
                raise

    async with trio.open_nursery() as nursery:
        for number in range(8):
            nursery.start_soon(wait, number)


async def a_closed_channel(log: Log) -> None:
    send, receive = trio.open_memory_channel[int](0)

    async def take(number: int) -> None:
        try:
            log((number, await receive.receive()))
        except trio.EndOfChannel:
            log((number, "end"))

    async with trio.open_nursery() as nursery:
        for number in range(10):
            nursery.start_soon(take, number)
        async with send:
            for value in range(3):
                await send.send(value)


async def a_closed_receiver(log: Log) -> None:
    send, receive = trio.open_memory_channel[int](0)

    async def put(number: int) -> None:
        try:
            await send.send(number)
        except trio.BrokenResourceError:
            log(number)

    async with trio.open_nursery() as nursery:
        for number in range(10):
            nursery.start_soon(put, number)
        await steps(3)
        await receive.aclose()


async def locks(log: Log) -> None:
    lock = trio.Lock()

    async def work(number: int) -> None:
        for _ in range(2):
            async with lock:
                log(number)
                await checkpoint()

    async with trio.open_nursery() as nursery:
        for number in range(8):
            nursery.start_soon(work, number)


async def conditions(log: Log) -> None:
    condition = trio.Condition()
    is_open = False

    async def wait(number: int) -> None:
        async with condition:
            while not is_open:
                await condition.wait()
            log(number)

    async with trio.open_nursery() as nursery:
        for number in range(8):
            nursery.start_soon(wait, number)
        await trio.sleep(1)
        async with condition:
            condition.notify(3)
        await trio.sleep(1)
        async with condition:
            is_open = True
            condition.notify_all()


async def a_capacity_limiter(log: Log) -> None:
    limiter = trio.CapacityLimiter(2)

    async def work(number: int) -> None:
        async with limiter:
            log(number)
            await trio.sleep(1)

    async with trio.open_nursery() as nursery:
        for number in range(8):
            nursery.start_soon(work, number)
        await trio.sleep(1)
        limiter.total_tokens = 5


async def semaphores(log: Log) -> None:
    semaphore = trio.Semaphore(2)

    async def work(number: int) -> None:
        with trio.move_on_after(1):
            async with semaphore:
                log(number)
                await trio.sleep(1)
                log(number)

    async with trio.open_nursery() as nursery:
        for number in range(8):
            nursery.start_soon(work, number)


@pytest.mark.parametrize(
    "program",
    [
        waiters_of_an_event,
        a_cancelled_nursery,
        nested_cancelled_nurseries,
        tied_deadlines,
        nested_scopes_with_equal_deadlines,
        a_closed_channel,
        a_closed_receiver,
        locks,
        conditions,
        a_capacity_limiter,
        semaphores,
    ],
)
def test_a_determined_program_raises_no_false_alarm(program: Callable[[Log], Awaitable[None]]) -> None:
    logs: list[list[object]] = []

    async def main() -> None:
        kept.extend([object()] * 3 for _ in range(random.SystemRandom().randrange(50)))
        logs.append([])
        await program(logs[-1].append)

    for _ in range(5):
        explore(main, strategy="exhaustive", deviations=0)
    assert all(log == logs[0] for log in logs)
    explore(main, schedules=8)
    explore(main, schedules=8, strategy="random")
    explore(main, schedules=8, strategy="exhaustive")
    logs.clear()
    for _ in range(2):
        explore(main, schedules=8, seed=5)
    assert logs[: len(logs) // 2] == logs[len(logs) // 2 :]


def test_a_failure_that_depends_on_the_order_of_waking_is_replayed() -> None:
    async def main() -> None:
        kept.extend([object()] * 3 for _ in range(random.SystemRandom().randrange(50)))
        order: list[object] = []
        await waiters_of_an_event(order.append)
        assert order.index(7) < order.index(3)

    failure = assert_finds(main)
    for _ in range(10):
        with pytest.raises(AssertionError):
            replay(main, failure.schedule)
