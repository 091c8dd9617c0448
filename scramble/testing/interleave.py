"""`interleave`: turns an async test into a test under many schedules."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final, ParamSpec

from scramble.testing.errors import ScheduleFailed
from scramble.testing.explore import MAX_STEPS, Explorer, Options, StrategyName, check_trio, explore
from scramble.testing.schedule import parse
from scramble.testing.strategies import Cancels, Guide

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

P = ParamSpec("P")

VARIABLE: Final = "SCRAMBLE_SCHEDULE"
"""The environment variable with the only schedule to run."""

MOST_DELAYS: Final = 30
"""Delays of a schedule that Hypothesis draws."""

LONGEST: Final = 20
"""Decisions between two delays, and the decisions of one delay."""


def interleave(
    *,
    schedules: int = 1000,
    seed: int = 0,
    strategy: StrategyName = "pct",
    depth: int = 3,
    deviations: int = 2,
    max_steps: int = MAX_STEPS,
) -> Callable[[Callable[P, Awaitable[object]]], Callable[P, None]]:
    """Turn `async def test_...` into a test that runs under many schedules: `@interleave(schedules=500)`.

    The options are those of `explore`. The test keeps its parameters, for pytest's fixtures. All runs share the
    fixtures' values, so the test must not change them.

    Below Hypothesis's `@given`, each example runs under one schedule, which Hypothesis draws; it shrinks the schedule
    together with the example. `schedules`, `seed`, `strategy`, `depth` and `deviations` then have no effect. The test
    gets all values as arguments, and none from `st.data()`: a failed run is repeated, and would draw other values.

    A failure prints `SCRAMBLE_SCHEDULE=` and the schedule. If the environment has this variable, the test runs this
    schedule alone; below `@given` it runs the examples that the schedule fits.

    The test raises the errors of `explore`, and ValueError if the schedule in the variable does not fit the test.
    Raises TypeError if the test is not an async function, and ValueError for an impossible option.
    """
    options = Options(schedules, seed, strategy, depth, deviations, max_steps)

    def decorate(test: Callable[P, Awaitable[object]]) -> Callable[P, None]:
        if not inspect.iscoroutinefunction(test):
            raise TypeError(f"interleave needs an async function, and @given stands above it: {test!r}")

        @functools.wraps(test)
        def run(*args: P.args, **kwargs: P.kwargs) -> None:
            main = functools.update_wrapper(functools.partial(test, *args, **kwargs), test)
            line = os.environ.get(VARIABLE)
            if line:
                _run_one(Explorer(main, max_steps), line)
            elif _in_hypothesis():
                _run_drawn(Explorer(main, max_steps))
            else:
                explore(main, **vars(options))

        return run

    return decorate


def _run_one(explorer: Explorer, line: str) -> None:
    """Run the schedule of the environment. A schedule that does not fit is no failure of the test."""
    check_trio()
    guide = Guide(parse(line))
    failure: ScheduleFailed | None = None
    try:
        explorer.run_once(guide, f"schedule {line}")
    except ScheduleFailed as found:
        failure = found
    guide.finish()
    if guide.misfit:
        if _in_hypothesis():
            from hypothesis import reject

            reject()  # the schedule belongs to another example
        raise ValueError(f"the schedule in {VARIABLE} does not fit the test: {guide.misfit}") from failure
    if failure is not None:
        raise failure


def _in_hypothesis() -> bool:
    if "hypothesis" not in sys.modules:
        return False
    from hypothesis import currently_in_test_context

    return currently_in_test_context()


def _run_drawn(explorer: Explorer) -> None:
    """Run a schedule that Hypothesis draws. It is drawn before the run, because a draw may raise."""
    # The only way to draw without an argument of the test. The module has no underscore, but no documentation either.
    from hypothesis.control import current_build_context

    check_trio()
    delays, cancels = current_build_context().data.draw(_drawn())
    explorer.run_once(Delays(delays, cancels), "a schedule that Hypothesis has drawn")


@functools.cache
def _drawn() -> SearchStrategy[tuple[Sequence[tuple[int, int]], Sequence[int]]]:
    """A strategy for delays and cancellations. They shrink to none, which is first in, first out."""
    from hypothesis import strategies as st

    delay = st.tuples(st.integers(0, LONGEST), st.integers(1, LONGEST))
    return st.tuples(st.lists(delay, max_size=MOST_DELAYS), st.lists(st.integers(0, LONGEST), max_size=2))


class Delays(Cancels):
    """First in, first out, with delays: a task is passed over for a number of decisions.

    (Delay-bounded scheduling, after Emmi, Qadeer and Rakamaric, 2011.)
    """

    # AF: _held has the delayed tasks, each with the number of the choice at which its delay ends.

    def __init__(self, delays: Sequence[tuple[int, int]], cancels: Sequence[int]) -> None:
        """`delays`: the choices before the delay, after the previous one, and the choices that it lasts."""
        opportunities = {sum(cancels[: index + 1]) + index for index in range(len(cancels))}
        super().__init__(opportunities)
        self._delays: Final = list(reversed(delays))
        self._held: Final[dict[int, int]] = {}
        self._choice = -1
        self._since = 0

    def pick(self, step: int, ready: Sequence[int]) -> int:
        """Choose the first task that is not delayed."""
        self._choice += 1
        free = [index for index, task in enumerate(ready) if self._held.get(task, 0) <= self._choice]
        first = free[0] if free else 0
        if self._delays and self._choice - self._since >= self._delays[-1][0] and len(free) > 1:
            _, length = self._delays.pop()
            self._held[ready[first]] = self._choice + length
            self._since = self._choice + 1
            first = free[1]
        return first
