"""Exploring the schedules of a program.

Strategy: partitions and which test covers which

- the strategy: pct, random, exhaustive (each finds an ordered bug, each passes a correct program), unknown
- the options: seed (equal, different), schedules, deviations (0, 1, 2), the defaults
- the report: number of schedules; complete, or ended by the number of schedules; the memory that this takes
- the error: raised by main, by a task (one leaf, nested, several leaves), by a system task; in every schedule, in few
- not an error: KeyboardInterrupt, Ctrl+C, SystemExit, pytest.skip, pytest.xfail
- the program: nested nurseries, nursery.start, context variables, async generators (closed, abandoned), system tasks,
  warnings that are errors
- the caller: a plain function, an async test, an explored program
- assert_finds: a bug, no bug
"""

from __future__ import annotations

import contextvars
import gc
import itertools
import signal
import tracemalloc
import warnings
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
import trio
from trio.lowlevel import checkpoint

from scramble.testing import Deadlock, ScheduleFailed, assert_finds, explore, replay
from tests.unit.testing.programs import BUGS, Main, counter_with_a_lock, failure_of, lost_update, lost_wakeup, steps

STRATEGIES = ("pct", "random", "exhaustive")


class Orders:
    """A program of one-step tasks, and the orders in which they ran."""

    def __init__(self, tasks: str) -> None:
        self.tasks = tasks
        self.seen: list[str] = []

    async def main(self) -> None:
        order: list[str] = []

        async def run(name: str) -> None:
            order.append(name)

        async with trio.open_nursery() as nursery:
            for name in self.tasks:
                nursery.start_soon(run, name)
        self.seen.append("".join(order))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_strategy_finds_a_lost_update(strategy: str) -> None:
    with pytest.raises(ScheduleFailed) as caught:
        explore(lost_update, strategy=strategy, schedules=300)  # type: ignore[arg-type]
    assert isinstance(caught.value, AssertionError)
    assert type(caught.value.__cause__) is AssertionError
    assert 1 <= caught.value.schedules <= 300


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_strategy_accuses_a_correct_program(strategy: str) -> None:
    explore(counter_with_a_lock, strategy=strategy, schedules=40)  # type: ignore[arg-type]


def test_an_unknown_strategy_is_refused() -> None:
    with pytest.raises(ValueError, match="fifo"):
        explore(counter_with_a_lock, strategy="fifo")  # type: ignore[arg-type]


@pytest.mark.parametrize("strategy", ["pct", "random"])
def test_the_report_counts_the_schedules(strategy: str) -> None:
    program = Orders("abc")
    report = explore(program.main, schedules=17, strategy=strategy)  # type: ignore[arg-type]
    assert report.schedules == 17
    assert len(program.seen) >= 17


@pytest.mark.parametrize("strategy", ["pct", "random"])
def test_equal_seeds_explore_equal_orders_and_other_seeds_other_orders(strategy: str) -> None:
    orders = []
    for seed in (1, 1, 2):
        program = Orders("abcdef")
        explore(program.main, schedules=10, seed=seed, strategy=strategy)  # type: ignore[arg-type]
        orders.append(program.seen)
    assert orders[0] == orders[1] != orders[2]


@pytest.mark.parametrize("strategy", ["pct", "random"])
def test_all_orders_of_three_tasks_are_met(strategy: str) -> None:
    program = Orders("abc")
    explore(program.main, schedules=150, strategy=strategy)  # type: ignore[arg-type]
    assert set(program.seen) == {"".join(order) for order in itertools.permutations("abc")}


@pytest.mark.parametrize(
    ("deviations", "orders"),
    [
        (0, {"abc"}),
        (1, {"abc", "acb", "bac", "cab"}),
        (2, {"abc", "acb", "bac", "bca", "cab", "cba"}),
    ],
)
def test_exhaustive_runs_all_schedules_with_so_many_deviations(deviations: int, orders: set[str]) -> None:
    program = Orders("abc")
    report = explore(program.main, strategy="exhaustive", deviations=deviations)
    assert set(program.seen) == orders
    assert report.complete
    assert report.schedules == len(orders)


def test_exhaustive_is_incomplete_if_the_number_of_schedules_ends_it() -> None:
    report = explore(Orders("abcde").main, strategy="exhaustive", deviations=2, schedules=5)
    assert not report.complete
    assert report.schedules == 5


def test_exhaustive_is_complete_if_the_last_schedule_is_the_last_allowed() -> None:
    assert explore(Orders("abc").main, strategy="exhaustive", deviations=1, schedules=4).complete


def test_exhaustive_holds_no_more_schedules_in_memory_than_it_may_run() -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for _ in range(30):
                nursery.start_soon(steps, 4)

    explore(main, schedules=1)
    tracemalloc.start()
    try:
        explore(main, strategy="exhaustive", schedules=20)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000


def test_a_main_that_always_fails_fails_in_the_first_schedule() -> None:
    async def main() -> None:
        raise KeyError("x")

    failure = assert_finds(main)
    assert (failure.schedules, failure.deviations) == (1, 0)
    assert isinstance(failure.__cause__, KeyError)
    with pytest.raises(KeyError):
        replay(main, failure.schedule)


def test_a_group_with_one_leaf_is_unwrapped() -> None:
    async def fail() -> None:
        raise KeyError("x")

    async def inner() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fail)
            await trio.sleep_forever()

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(inner)
            await trio.sleep_forever()

    failure = assert_finds(main)
    assert type(failure.__cause__) is KeyError
    with pytest.raises(KeyError):
        replay(main, failure.schedule)


def test_a_group_with_several_leaves_stays_a_group() -> None:
    async def fail(error: Exception) -> None:
        raise error

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fail, KeyError())
            nursery.start_soon(fail, IndexError())

    failure = assert_finds(main)
    assert isinstance(failure.__cause__, ExceptionGroup)
    assert {type(error) for error in failure.__cause__.exceptions} == {KeyError, IndexError}
    with pytest.raises(ExceptionGroup):
        replay(main, failure.schedule)


def test_the_cause_keeps_the_traceback_of_the_program() -> None:
    failure = failure_of(lost_update)
    assert failure.__cause__ is not None
    names = []
    trace = failure.__cause__.__traceback__
    while trace is not None:
        names.append(trace.tb_frame.f_code.co_name)
        trace = trace.tb_next
    assert "lost_update" in names


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, pytest.skip.Exception, pytest.xfail.Exception])
@pytest.mark.parametrize("in_task", [False, True])
def test_an_exception_that_is_no_error_passes_through(error: type[BaseException], in_task: bool) -> None:
    async def stop() -> None:
        raise error

    async def main() -> None:
        if not in_task:
            await stop()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(stop)

    with pytest.raises(error):
        explore(main, schedules=3)


def test_control_c_is_not_hidden_by_errors_of_other_tasks() -> None:
    async def fail() -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise KeyError("in the clean-up")

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fail)
            await steps(2)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explore(main, schedules=50)


def test_control_c_ends_the_exploration() -> None:
    runs = 0

    async def main() -> None:
        nonlocal runs
        runs += 1
        signal.raise_signal(signal.SIGINT)
        await trio.sleep(1)

    with pytest.raises(KeyboardInterrupt):
        explore(main, schedules=50)
    assert runs == 1


def test_an_expected_error_that_is_missing_in_some_orders_is_a_failure() -> None:
    async def main() -> None:
        order: list[str] = []

        async def run(name: str) -> None:
            order.append(name)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, "a")
            nursery.start_soon(run, "b")
        with pytest.raises(ValueError, match="x"):
            if order == ["a", "b"]:
                raise ValueError("x")

    failure = assert_finds(main, schedules=50)
    assert failure.deviations == 1


def test_tasks_of_nested_nurseries_are_interleaved() -> None:
    orders = set()

    async def main() -> None:
        order = ""

        async def run(name: str) -> None:
            nonlocal order
            order += name

        async def pair(names: str) -> None:
            async with trio.open_nursery() as nursery:
                for name in names:
                    nursery.start_soon(run, name)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(pair, "ab")
            nursery.start_soon(pair, "cd")
        orders.add(order)

    explore(main, schedules=300)
    assert len(orders) == 24


def test_a_task_started_by_start_has_reported_in_every_schedule() -> None:
    async def serve(task_status: trio.TaskStatus[int]) -> None:
        await steps(3)
        task_status.started(7)
        await steps(3)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(steps, 4)
            assert await nursery.start(serve) == 7

    explore(main, schedules=100)
    explore(main, schedules=100, strategy="exhaustive", deviations=1)


def test_an_error_before_started_is_found() -> None:
    async def serve(task_status: trio.TaskStatus[int]) -> None:
        raise OSError("no port")

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(serve)

    assert isinstance(assert_finds(main).__cause__, OSError)


def test_context_variables_belong_to_tasks() -> None:
    name: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="nobody")

    async def run(value: str) -> None:
        name.set(value)
        await steps(2)
        assert name.get() == value

    async def main() -> None:
        assert name.get() == "caller"
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, "a")
            nursery.start_soon(run, "b")
        assert name.get() == "caller"
        name.set("changed")

    token = name.set("caller")
    try:
        explore(main, schedules=50)
        assert name.get() == "caller"
    finally:
        name.reset(token)


@pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")  # by trio, for the abandoned one
@pytest.mark.parametrize("is_abandoned", [False, True])
def test_async_generators_are_finalized(is_abandoned: bool) -> None:
    ended = []

    async def count() -> AsyncIterator[int]:
        try:
            for number in range(5):
                await checkpoint()
                yield number
        finally:
            ended.append(True)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(steps, 5)
            numbers = count()
            async for number in numbers:
                if number == 2:
                    break
            if not is_abandoned:
                await numbers.aclose()  # type: ignore[attr-defined]

    report = explore(main, schedules=30)
    gc.collect()
    assert len(ended) >= report.schedules


def test_a_system_task_is_part_of_the_program() -> None:
    async def main() -> None:
        event = trio.Event()

        async def serve() -> None:
            await steps(2)
            event.set()
            await trio.sleep_forever()

        trio.lowlevel.spawn_system_task(serve)
        await event.wait()

    assert explore(main, schedules=30).schedules == 30


def test_a_system_task_that_crashes_is_a_failure() -> None:
    async def main() -> None:
        async def serve() -> None:
            raise KeyError("x")

        trio.lowlevel.spawn_system_task(serve)
        await trio.sleep(1)

    assert isinstance(assert_finds(main).__cause__, trio.TrioInternalError)


def test_a_warning_that_is_an_error_is_found_and_nothing_else_warns() -> None:
    async def main() -> None:
        await checkpoint()
        warnings.warn("old", DeprecationWarning, stacklevel=1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(assert_finds(main).__cause__, DeprecationWarning)
        explore(counter_with_a_lock, schedules=20)
        assert_finds(lost_wakeup)
        gc.collect()


async def test_within_trio_explore_and_replay_are_refused() -> None:
    with pytest.raises(RuntimeError, match="within trio"):
        explore(counter_with_a_lock)
    with pytest.raises(RuntimeError, match="within trio"):
        replay(counter_with_a_lock, "fifo")
    await checkpoint()


def test_a_program_that_explores_is_refused() -> None:
    async def main() -> None:
        explore(counter_with_a_lock)

    assert isinstance(assert_finds(main).__cause__, RuntimeError)


@pytest.mark.parametrize("bug", BUGS)
def test_assert_finds_returns_the_failure(bug: Main) -> None:
    failure = failure_of(bug)
    assert type(failure) is ScheduleFailed
    assert type(failure.__cause__) is BUGS[bug]
    assert failure.schedule in str(failure)


def test_assert_finds_fails_if_there_is_no_bug() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_finds(counter_with_a_lock, schedules=10)
    assert not isinstance(caught.value, ScheduleFailed)


def test_a_program_that_needs_arguments_is_an_error_and_no_failing_schedule() -> None:
    async def main(count: int) -> None:
        raise AssertionError(count)

    wrong: Any = main
    with pytest.raises(TypeError, match=r"without arguments.* missing a required argument: 'count'"):
        explore(wrong)
    with pytest.raises(TypeError, match="without arguments"):
        replay(wrong, "fifo")


def test_an_abandoned_program_does_not_disturb_later_runs(capfd: pytest.CaptureFixture[str]) -> None:
    async def main() -> None:
        while True:
            with suppress(trio.Cancelled):
                await trio.Event().wait()

    for _ in range(2):
        with pytest.raises(ScheduleFailed) as failed:
            explore(main, schedules=1)
        assert isinstance(failed.value.__cause__, Deadlock)
    gc.collect()
    explore(partial(steps, 3), schedules=10)
    assert capfd.readouterr().err == ""
