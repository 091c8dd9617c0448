"""Failures are small after shrinking.

Strategy: partitions and which test covers which

- the bug: each textbook bug, a bug that needs several ordered switches, a bug with two types of errors
- the strategy that found it: pct, random, exhaustive
- small: no more deviations than an exhaustive search needs, plus one; a text of one line under 200 characters
"""

from __future__ import annotations

import functools

import pytest
import trio
from trio.lowlevel import checkpoint

from scramble.testing import ScheduleFailed, assert_finds, explore, replay
from scramble.testing.explore import StrategyName
from tests.unit.testing.programs import BUGS, Main, failure_of, steps


@functools.cache
def fewest(bug: Main) -> int:
    """Return the least number of deviations with which the bug fails."""
    for deviations in range(4):
        try:
            explore(bug, strategy="exhaustive", deviations=deviations, schedules=3000)
        except ScheduleFailed:
            return deviations
    raise AssertionError("not found")


@pytest.mark.parametrize("bug", BUGS)
def test_a_textbook_bug_is_not_in_the_fifo_schedule_and_needs_few_deviations(bug: Main) -> None:
    assert 1 <= fewest(bug) <= 3


@pytest.mark.parametrize("strategy", ["pct", "random"])
@pytest.mark.parametrize("bug", BUGS)
def test_a_textbook_bug_shrinks(bug: Main, strategy: StrategyName) -> None:
    failure = assert_finds(bug, strategy=strategy, seed=3)
    assert type(failure.__cause__) is BUGS[bug]
    assert failure.deviations <= fewest(bug) + 1
    assert len(failure.schedule) < 200
    assert len(failure.schedule.splitlines()) == 1
    assert failure.schedule.isprintable()


def test_few_schedules_find_the_textbook_bugs() -> None:
    for bug in BUGS:
        assert failure_of(bug).schedules <= 40, bug.__name__


async def three_ordered_switches() -> None:
    """Fail if the tasks take their steps in one of the many possible orders."""
    order: list[str] = []

    async def run(name: str) -> None:
        for _ in range(2):
            order.append(name)
            await checkpoint()

    async with trio.open_nursery() as nursery:
        for name in "abc":
            nursery.start_soon(run, name)
    assert "".join(order) != "cabcab"


def test_an_ordered_bug_shrinks() -> None:
    failure = assert_finds(three_ordered_switches, strategy="random", schedules=3000)
    assert failure.deviations <= 3
    with pytest.raises(AssertionError):
        replay(three_ordered_switches, failure.schedule)


@pytest.mark.parametrize("seed", range(6))
def test_shrinking_keeps_the_type_of_the_error(seed: int) -> None:
    async def main() -> None:
        order: list[str] = []

        async def run(name: str) -> None:
            await checkpoint()
            order.append(name)

        async with trio.open_nursery() as nursery:
            for name in "abc":
                nursery.start_soon(run, name)
        if order[0] == "c" and order[1] == "b":
            raise KeyError("two deviations")
        if order[0] == "b":
            raise IndexError("one deviation")

    failure = assert_finds(main, strategy="random", seed=seed)
    assert failure.__cause__ is not None
    expected: dict[type[BaseException], int] = {KeyError: 3, IndexError: 1}
    assert failure.deviations <= expected[type(failure.__cause__)]
    with pytest.raises(type(failure.__cause__)):
        replay(main, failure.schedule)


def test_a_long_program_shrinks_to_its_one_deviation() -> None:
    async def main() -> None:
        order: list[str] = []

        async def run(name: str) -> None:
            await steps(15)
            order.append(name)
            await steps(15)

        async with trio.open_nursery() as nursery:
            for name in "abcd":
                nursery.start_soon(run, name)
        assert order.index("d") > order.index("a")

    failure = assert_finds(main, strategy="random")
    assert failure.deviations <= 2
    assert len(failure.schedule) < 200
