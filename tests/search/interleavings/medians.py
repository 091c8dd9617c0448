"""The schedules until a strategy finds a bug: `python -m tests.search.interleavings.medians`.

For each planted bug of `programs`, this module plants the bug in a copy of the checkout, and explores the program there
in another process. The textbook bugs (tests/unit/testing/programs.py) are explored in this process. `torture` is the
long form.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Final, Literal, NamedTuple, TypeAlias

import trio

from scramble.testing import ScheduleFailed, explore, replay
from tests.search.interleavings.programs import PROGRAMS, Main
from tests.search.torture.matrix.bug import copied, planted
from tests.search.torture.matrix.bugs import BUGS
from tests.support.figures import Figures
from tests.unit.testing.programs import BUGS as TEXTBOOK

Strategy: TypeAlias = Literal["pct", "random", "exhaustive"]

SEEDS: Final = range(7)
MOST_SCHEDULES: Final = 1000
"""Schedules after which a strategy has not found a bug."""

LIMIT_S: Final = 1800  # for one program: a failure is shrunk, which takes seconds for each seed


class Found(NamedTuple):
    """The number of schedules until each strategy finds a bug: medians over seeds. None: it does not find the bug.

    `tasks` and `steps` are the numbers of tasks and of steps of the first schedule.
    """

    tasks: int
    steps: int
    pct: float | None
    random: float | None
    exhaustive: float | None

    def __str__(self) -> str:
        return ", ".join(f"{name} {'-' if count is None else f'{count:.0f}'}" for name, count in self._asdict().items())


class Counter(trio.abc.Instrument):
    """Counts the tasks and the steps of a run."""

    def __init__(self) -> None:
        self.tasks = set[trio.lowlevel.Task]()
        self.steps = 0

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self.tasks.add(task)
        self.steps += 1


def found(program: Main, seeds: Sequence[int] = SEEDS) -> Found:
    """Explore a program with a bug. Blocks for seconds."""
    counter = Counter()

    async def counted() -> None:
        trio.lowlevel.add_instrument(counter)
        await program()

    with suppress(Exception):  # the first schedule may show the bug
        replay(counted, "fifo")
    pct = [_schedules(program, "pct", seed) for seed in seeds]
    random = [_schedules(program, "random", seed) for seed in seeds]
    exhaustive = _schedules(program, "exhaustive", 0)
    return Found(len(counter.tasks), counter.steps, _median(pct), _median(random), exhaustive)


def _median(counts: Sequence[int | None]) -> float | None:
    middle = median(MOST_SCHEDULES + 1 if count is None else count for count in counts)
    return None if middle > MOST_SCHEDULES else middle


def _schedules(program: Main, strategy: Strategy, seed: int) -> int | None:
    try:
        explore(program, strategy=strategy, seed=seed, schedules=MOST_SCHEDULES)
    except ScheduleFailed as failure:
        return failure.schedules
    return None


def found_in(copy: Path, name: str, seeds: Sequence[int] = SEEDS) -> Found:
    """Plant the bug with this name in a copy of the checkout, and explore its program there. Blocks for seconds."""
    code = (
        "import json, sys; from tests.search.interleavings import medians, programs; "
        f"print(json.dumps(medians.found(programs.PROGRAMS[{name!r}], {list(seeds)})))"
    )
    with planted(BUGS[name], copy):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy)},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
        )
    assert done.returncode == 0, done.stderr
    return Found(*json.loads(done.stdout))


def torture(long: bool) -> Figures:
    """Explore all programs. In the short form, with three seeds."""
    seeds = SEEDS if long else SEEDS[:3]
    figures = {bug.__name__: str(found(bug, seeds)) for bug in TEXTBOOK}
    with tempfile.TemporaryDirectory() as parent:
        copy = copied(Path(parent), 0)
        for name in PROGRAMS:
            figures[name] = str(found_in(copy, name, seeds))
    return figures


if __name__ == "__main__":
    for label, value in torture(True).items():
        print(f"{label:40} {value}", flush=True)
