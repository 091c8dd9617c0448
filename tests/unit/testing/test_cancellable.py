"""Blocks that the explorer may cancel.

Strategy: partitions and which test covers which

- the place: below explore, below replay, in a plain trio program
- the moment: at each checkpoint of the block, while the block waits and no other task can run, in a task it started
- the block: without checkpoints, with a shield, nested in another, used one after another, cancelled by the program
- the count: one cancellation is one deviation
"""

from __future__ import annotations

from typing import Any

import pytest
import trio
from trio.lowlevel import checkpoint

from scramble.testing import assert_finds, cancellable, explore, replay
from scramble.testing.explore import StrategyName
from tests.unit.testing.programs import cancelled_between_take_and_give_back, steps


def test_outside_of_an_exploration_the_block_is_a_plain_scope() -> None:
    async def main() -> None:
        with cancellable() as scope:
            assert isinstance(scope, trio.CancelScope)
            await steps(20)
        assert not scope.cancelled_caught
        with cancellable() as scope:
            scope.cancel()
            await checkpoint()
        assert scope.cancelled_caught
        with pytest.raises(KeyError), cancellable():
            raise KeyError

    trio.run(main)


async def test_an_async_test_may_use_the_block() -> None:
    with cancellable() as scope:
        await steps(20)
    assert not scope.cancel_called


def test_the_block_is_cancelled_at_each_of_its_checkpoints() -> None:
    reached = []

    async def main() -> None:
        count = 0
        with cancellable() as scope:
            for _ in range(3):
                await checkpoint()
                count += 1
        assert scope.cancelled_caught == (count < 3)
        reached.append(count)
        await steps(3)

    report = explore(main, strategy="exhaustive", deviations=1)
    assert report.complete
    assert sorted(set(reached)) == [0, 1, 2, 3]


@pytest.mark.parametrize("strategy", ["pct", "random", "exhaustive"])
def test_a_cancellation_is_one_deviation(strategy: StrategyName) -> None:
    failure = assert_finds(cancelled_between_take_and_give_back, strategy=strategy)
    assert failure.deviations == 1
    assert "cancel" in failure.timeline
    with pytest.raises(AssertionError):
        replay(cancelled_between_take_and_give_back, failure.schedule)


@pytest.mark.parametrize("strategy", ["pct", "random", "exhaustive"])
def test_a_block_is_cancelled_while_it_waits_and_no_other_task_can_run(strategy: StrategyName) -> None:
    async def main() -> None:
        began = trio.current_time()
        with trio.move_on_after(5), cancellable() as scope:
            await trio.sleep_forever()
        assert not scope.cancelled_caught or trio.current_time() > began

    failure = assert_finds(main, strategy=strategy)
    assert failure.deviations == 1
    with pytest.raises(AssertionError):
        replay(main, failure.schedule)


def test_a_block_that_waits_while_all_wait_is_cancelled_instead_of_a_deadlock() -> None:
    ends = set()

    async def main() -> None:
        try:
            with cancellable() as scope:
                await trio.Event().wait()
        finally:
            ends.add(scope.cancel_called)

    failure = assert_finds(main)
    assert failure.deviations == 0
    assert True in ends or False in ends


def test_tasks_of_a_nursery_in_the_block_are_cancelled() -> None:
    async def main() -> None:
        ended = []

        async def work(name: str) -> None:
            try:
                await steps(2)
            except trio.Cancelled:
                ended.append(name)
                raise

        with cancellable():
            async with trio.open_nursery() as nursery:
                nursery.start_soon(work, "a")
                nursery.start_soon(work, "b")
        assert ended != ["a", "b"]

    assert assert_finds(main).deviations == 1


def test_a_shield_in_the_block_keeps_the_cancellation_out() -> None:
    async def main() -> None:
        state = "whole"
        with cancellable():
            await checkpoint()
            with trio.CancelScope(shield=True):
                state = "half"
                await steps(3)
                state = "whole"
            await checkpoint()
        assert state == "whole"

    explore(main, schedules=100)
    report = explore(main, strategy="exhaustive", deviations=2)
    assert report.complete


def test_nothing_is_cancelled_outside_of_the_block() -> None:
    async def main() -> None:
        with cancellable():
            await steps(2)
        await steps(2)
        with cancellable():
            pass
        await steps(2)

    explore(main, schedules=50)
    explore(main, strategy="exhaustive", deviations=2)


def test_nested_blocks_are_cancelled_each_for_itself() -> None:
    caught = set()

    async def main() -> None:
        with cancellable() as outer:
            with cancellable() as inner:
                await checkpoint()
            await checkpoint()
        caught.add((outer.cancelled_caught, inner.cancelled_caught))

    explore(main, strategy="exhaustive", deviations=1)
    assert caught == {(False, False), (True, False), (False, True)}


def test_nested_blocks_are_both_cancelled_while_no_other_task_can_run() -> None:
    called = set()

    async def main() -> None:
        with cancellable() as outer, cancellable() as inner:
            await trio.sleep(1)
        called.add((outer.cancel_called, inner.cancel_called))

    assert explore(main, strategy="exhaustive", deviations=2).complete
    assert called == {(False, False), (True, False), (False, True), (True, True)}


def test_blocks_of_several_tasks_are_cancelled_each_for_itself() -> None:
    caught = set()

    async def main() -> None:
        scopes: list[trio.CancelScope] = []

        async def work() -> None:
            with cancellable() as scope:
                scopes.append(scope)
                await steps(2)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(work)
            nursery.start_soon(work)
        caught.add(tuple(scope.cancelled_caught for scope in scopes))

    explore(main, strategy="exhaustive", deviations=2)
    assert caught == {(False, False), (True, False), (False, True), (True, True)}


@pytest.mark.parametrize("strategy", ["pct", "random", "exhaustive"])
def test_a_cancelled_wait_for_a_lock_leaves_the_lock_usable(strategy: StrategyName) -> None:
    async def main() -> None:
        lock = trio.Lock()

        async def work() -> None:
            with cancellable():
                async with lock:
                    await checkpoint()

        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(work)
        assert not lock.locked()

    explore(main, schedules=60, strategy=strategy)


def test_the_error_of_a_cancelled_block_is_found() -> None:
    async def main() -> None:
        with cancellable():
            try:
                await steps(2)
            except trio.Cancelled:
                raise KeyError("in the clean-up") from None

    failure = assert_finds(main)
    assert isinstance(failure.__cause__, KeyError)
    assert failure.deviations == 1


def test_a_bug_that_needs_an_order_and_a_cancellation() -> None:
    async def main() -> None:
        order: list[str] = []

        async def first() -> None:
            with cancellable() as scope:
                await steps(2)
            order.append("cancelled" if scope.cancelled_caught else "first")

        async def second() -> None:
            order.append("second")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(second)
            nursery.start_soon(first)
        assert order != ["cancelled", "second"]

    failure = assert_finds(main, strategy="exhaustive", deviations=4)
    assert 2 <= failure.deviations <= 4
    with pytest.raises(AssertionError):
        replay(main, failure.schedule)


def test_attributes_are_set_inside_the_block_and_an_error_outside() -> None:
    async def main() -> None:
        scope: Any = cancellable()
        with pytest.raises(AttributeError):
            scope.deadline = 5
        with scope as inside:
            inside.deadline = 5
            await trio.sleep_forever()

    explore(main, schedules=20)
