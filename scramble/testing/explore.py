"""`explore` and `replay`: run a trio program under many orders of its tasks' steps."""

from __future__ import annotations

import inspect
import random
import sys
import warnings
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, Literal, TypeAlias, TypedDict, Unpack

import trio
import trio.testing
from trio._core import _run as trio_run

from scramble.testing.errors import ScheduleFailed, Undetermined
from scramble.testing.places import shown
from scramble.testing.run import Main, Ran, Run, Step, Strategy
from scramble.testing.schedule import Deviation, Deviations, parse
from scramble.testing.shrink import shrink
from scramble.testing.strategies import Fifo, Guide, Lifo, Pct, Random
from scramble.testing.timeline import timeline

StrategyName: TypeAlias = Literal["pct", "random", "exhaustive"]

MAX_STEPS: Final = 100_000
"""The default limit of the steps of one run."""


CONFIRMATIONS: Final = 4
"""Runs that repeat a failed schedule, because the program may fail at random."""

SHORT_STEPS: Final = 1000
"""Steps of the longest run that is confirmed."""


@dataclass(frozen=True)
class Report:
    """The result of an exploration without a failure.

    `schedules`: the number of schedules that were run. `complete`: all schedules with at most `deviations` deviations
    were run; always False for the strategies with random numbers.
    """

    schedules: int
    complete: bool = False


@dataclass
class Options:
    """The checked arguments of `explore`. Raises ValueError if one is not possible."""

    schedules: int = 1000
    seed: int = 0
    strategy: StrategyName = "pct"
    depth: int = 3
    deviations: int = 2
    max_steps: int = MAX_STEPS

    def __post_init__(self) -> None:
        if self.strategy not in ("pct", "random", "exhaustive"):
            raise ValueError(f"strategy is one of pct, random and exhaustive, but not {self.strategy!r}")
        for name, least in (("schedules", 1), ("depth", 1), ("deviations", 0), ("max_steps", 1)):
            value = getattr(self, name)
            if not isinstance(value, int) or value < least:
                raise ValueError(f"{name} is a whole number from {least}, but not {value!r}")


def explore(
    main: Main,
    *,
    schedules: int = 1000,
    seed: int = 0,
    strategy: StrategyName = "pct",
    depth: int = 3,
    deviations: int = 2,
    max_steps: int = MAX_STEPS,
) -> Report:
    """Run `main` under many schedules; return a report if all of them succeed.

    `main` is an async function without arguments. It must make all its objects anew, and must behave in the same way
    whenever its tasks take their steps in the same order. The first schedule is first in, first out. All later ones
    follow from `seed` and `strategy`:

    - "pct": random priorities, with `depth - 1` random changes. Finds most bugs in the fewest runs.
    - "random": each runnable task takes the next step with the same probability.
    - "exhaustive": all schedules with at most `deviations` deviations from first in, first out, the simplest first, as
      long as they are at most `schedules`.

    The clock is virtual, begins at 0, and jumps to the next deadline when all tasks wait, or to the end of the cushion
    of `wait_all_tasks_blocked`. Threads and sockets are not controlled; a RuntimeWarning says that the program has used
    them.

    Blocks until all runs have ended. Raises ScheduleFailed at the first schedule under which an error leaves `main`, a
    system task fails (its cause is then trio.TrioInternalError), all tasks wait for ever (Deadlock), or a run has more
    than `max_steps` steps (StepLimit). Raises Undetermined if two runs of one schedule differ, ValueError for an
    impossible argument, and RuntimeError within trio and with a trio that it does not know. KeyboardInterrupt,
    SystemExit, and skipped and xfailed tests pass through.
    """
    options = Options(schedules, seed, strategy, depth, deviations, max_steps)
    check_main(main)
    check_trio()
    explorer = Explorer(main, max_steps)
    guides = _exhaustive(explorer, options) if strategy == "exhaustive" else _random(explorer, options)
    complete = strategy == "exhaustive"
    for number, guide in enumerate(guides, 1):
        if number > schedules:
            complete = False
            break
        explorer.run(guide, repeat=number & (number - 1) == 0)
    return Report(explorer.schedules, complete)


def replay(main: Main, schedule: str, *, max_steps: int = MAX_STEPS) -> None:
    """Run `main` once, under a schedule that `ScheduleFailed.schedule` has shown.

    Blocks until the run has ended. Raises the error that leaves `main`, Deadlock or StepLimit: the cause of the
    ScheduleFailed, as long as the program is the same. Raises ValueError if the text is not a schedule, or if the
    program does not have the choices of this schedule.
    """
    check_main(main)
    check_trio()
    guide = Guide(parse(schedule))
    ran = Run(main, guide, max_steps=max_steps).go()
    guide.finish()
    if guide.misfit:
        raise ValueError(f"the schedule does not fit the program: {guide.misfit}") from ran.error
    if ran.error is not None:
        raise ran.error


class ExploreOptions(TypedDict, total=False):
    """The options of `explore`."""

    schedules: int
    seed: int
    strategy: StrategyName
    depth: int
    deviations: int
    max_steps: int


def assert_finds(main_with_bug: Main, **options: Unpack[ExploreOptions]) -> ScheduleFailed:
    """Explore a program with a bug; return the failure. The options are those of `explore`.

    Blocks until a schedule fails. Raises AssertionError if no schedule fails, and the other errors of `explore`.
    """
    try:
        report = explore(main_with_bug, **options)
    except ScheduleFailed as found:
        return found
    raise AssertionError(f"no failure in {report.schedules} schedules")


class Explorer:
    """Runs one program under one schedule after another."""

    def __init__(self, main: Main, max_steps: int) -> None:
        self.schedules = 0
        """The schedules that were run."""
        self.choices = 0
        """The greatest number of decisions between several tasks in a run."""
        self.opportunities = 0
        """The greatest number of opportunities in a run to cancel a block."""
        self.ran = Ran()
        """The last run."""
        self._main: Final = main
        self._max_steps: Final = max_steps
        self._warned = False

    def run(self, strategy: Strategy, *, repeat: bool = False) -> None:
        """Run the program once; with `repeat` twice, and compare the runs.

        Raises ScheduleFailed with the simplest schedule that was found, or Undetermined.
        """
        self.schedules += 1
        ran = self._first(strategy, traced=repeat)
        if isinstance(strategy, Guide) and strategy.misfit:
            raise Undetermined(f"a schedule of an earlier run is not possible any more: {strategy.misfit}")
        if ran.error is None and not repeat:
            return
        again = self._again(ran.deviations)
        (compare if repeat else compare_errors)(ran, again)
        if ran.error is not None:
            if len(again.picks) <= SHORT_STEPS:
                for _ in range(CONFIRMATIONS):
                    compare(again, self._again(ran.deviations))
            least = shrink(again, lambda strategy: Run(self._main, strategy, max_steps=self._max_steps).go())
            if self.schedules > 1 and not least.deviations:
                raise Undetermined(f"first in, first out has passed before, and fails now:\n{_said(least.error)}")
            self._fail(least, f"schedule {self.schedules}, shrunk")

    def run_once(self, strategy: Strategy, name: str) -> None:
        """Run the program once. Raises ScheduleFailed with this schedule, or Undetermined. `name`: for the message."""
        self.schedules += 1
        ran = self._first(strategy, traced=False)
        if ran.error is not None:
            self._fail(ran, name)

    def _first(self, strategy: Strategy, *, traced: bool) -> Ran:
        ran = self.ran = Run(self._main, strategy, max_steps=self._max_steps, traced=traced).go()
        if ran.error is not None and is_outcome(ran.error):
            raise ran.error
        if ran.outside and not self._warned:
            self._warned = True
            warnings.warn(OUTSIDE, RuntimeWarning, stacklevel=4)
        self.choices = max(self.choices, sum(width > 1 for width in ran.widths))
        self.opportunities = max(self.opportunities, sum(ran.blocks))
        return ran

    def _again(self, deviations: Deviations) -> Ran:
        """Run a schedule again, with a timeline."""
        guide = Guide(deviations)
        ran = Run(self._main, guide, max_steps=self._max_steps, traced=True).go()
        guide.finish()
        if guide.misfit:
            raise Undetermined(f"the same schedule is not possible in a second run: {guide.misfit}")
        return ran

    def _fail(self, ran: Ran, name: str) -> None:
        """Raise ScheduleFailed with the timeline of a failed run. Run its schedule again if it has none."""
        last = ran if ran.timeline else self._again(ran.deviations)
        compare_errors(ran, last)
        count = len(last.deviations)
        summary = (
            f"{_said(last.error)}\n"
            f"({name}: {count} {'deviation' if count == 1 else 'deviations'} from first in, first out)"
        )
        raise ScheduleFailed(summary, last.deviations, self.schedules, timeline(last.timeline)) from last.error


OUTSIDE: Final = (
    "a task has waited for a thread or a socket: the schedule does not control these, and the run waits for them in "
    "real time"
)


def _said(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {error}"


OUTCOMES: Final = (
    ("unittest.case", "SkipTest"),
    ("_pytest.outcomes", "Skipped"),
    ("_pytest.outcomes", "XFailed"),
    ("_pytest.outcomes", "Exit"),
    ("hypothesis.errors", "UnsatisfiedAssumption"),
    ("hypothesis.errors", "StopTest"),
)
"""Modules and names of exceptions that are no failure of a test. The modules need not be installed."""


def is_outcome(error: BaseException) -> bool:
    """Return True for errors that are no failure of the program: a skipped or xfailed test, a rejected example."""
    return any(isinstance(error, getattr(sys.modules.get(module), name, ())) for module, name in OUTCOMES)


# --- the same schedule, the same run


def compare(first: Ran, second: Ran) -> None:
    """Raise Undetermined with the first difference between two traced runs of one schedule."""
    for one, other in zip(first.timeline, second.timeline, strict=False):
        if one != other:
            raise Undetermined(f"two runs of one schedule differ at step {one.number}:\n{_step(one)}\n{_step(other)}")
    if len(first.timeline) != len(second.timeline):
        longer = max(first.timeline, second.timeline, key=len)
        step = longer[min(len(first.timeline), len(second.timeline))]
        raise Undetermined(f"of two runs of one schedule only one has step {step.number}:\n{_step(step)}")
    compare_errors(first, second)


def compare_errors(first: Ran, second: Ran) -> None:
    """Raise Undetermined if two runs of one schedule have ended with errors of different types."""
    if type(first.error) is not type(second.error):
        raise Undetermined(
            "two runs of one schedule end differently:\n"
            + "\n".join(_said(ran.error) if ran.error is not None else "no error" for ran in (first, second))
        ) from (first.error or second.error)


def _step(step: Step) -> str:
    if not step.task:
        return f"  the clock goes to {step.now:g} s"
    return f"  {step.task} from {shown(step.begin)} to {shown(step.end) if step.end else 'its end'}"


# --- strategies


def _random(explorer: Explorer, options: Options) -> Iterator[Strategy]:
    yield Fifo()
    number = 1
    while True:
        rng = random.Random(f"{options.seed} {number}")
        if options.strategy == "random":
            yield Random(rng, explorer.opportunities)
        else:
            yield Pct(rng, options.depth, explorer.choices, explorer.opportunities)
        number += 1


def _exhaustive(explorer: Explorer, options: Options) -> Iterator[Strategy]:
    """Yield all schedules, those with fewer deviations first."""
    level: deque[Deviations] = deque([()])
    for count in range(options.deviations + 1):
        following: deque[Deviations] = deque()
        for deviations in level:
            yield Guide(deviations)
            if count < options.deviations:
                room = options.schedules + 1 - len(following)  # one more than can be run: then it is not complete
                following.extend(islice(extensions(explorer.ran), max(0, room)))
        level = following


def extensions(ran: Ran) -> Iterator[Deviations]:
    """Yield all schedules with one more deviation, after the last deviation of this run."""
    deviations = ran.deviations
    last = deviations[-1] if deviations else Deviation(-1, places=1)
    for step in range(max(0, last.step), len(ran.widths)):
        if step == last.step and last.places:
            continue
        yield from ((*deviations, Deviation(step, block=block)) for block in range(ran.blocks[step]))
        yield from ((*deviations, Deviation(step, places=places)) for places in range(1, ran.widths[step]))


# --- checks


def check_main(main: object) -> None:
    """Raise TypeError if this is not a function for `explore`."""
    if inspect.iscoroutine(main):
        main.close()
        raise TypeError("explore needs the async function, not a call of it: explore(main), not explore(main())")
    if not callable(main):
        raise TypeError(f"explore needs an async function without arguments, not {main!r}")
    try:
        signature = inspect.signature(main, follow_wrapped=False)
    except ValueError:
        return  # a callable without a signature
    try:
        signature.bind()
    except TypeError as error:
        raise TypeError(f"explore needs an async function without arguments: {main!r}: {error}") from None


def check_trio() -> None:
    """Raise RuntimeError if this trio does not let `Run` choose the steps."""
    _check(trio_run.Runner, trio_run.unrolled_run)


@lru_cache(maxsize=4)
def _check(*_parts: object) -> None:
    for strategy, expected in ((Fifo(), "012012"), (Lifo(), "221100")):
        steps: list[str] = []
        try:
            error = Run(_noting(steps), strategy, max_steps=100).go().error
        except RuntimeError:
            raise
        except Exception as broken:
            error = broken
        if error is not None or "".join(steps) != expected:
            raise RuntimeError(
                f"scramble.testing cannot choose the order of tasks in trio {trio.__version__}: its queue of runnable "
                "tasks has changed. Use an older trio, or a newer scramble"
            ) from error


def _noting(steps: list[str]) -> Main:
    async def note(name: str) -> None:
        steps.append(name)
        await trio.lowlevel.checkpoint()
        steps.append(name)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for name in "012":
                nursery.start_soon(note, name)
        await trio.testing.wait_all_tasks_blocked()

    return main
