"""The cost of a run whose order `scramble.testing` chooses, against `trio.run` of the same program.

The unit is CPU time of this process. The program has five tasks with ten checkpoints each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import trio

from scramble.testing import explore
from tests.bench.figure import Figure, alternate

RUNS = 300
ROUNDS = 7


async def program() -> None:
    async def work() -> None:
        for _ in range(10):
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(work)


def milliseconds(run: Callable[[], object]) -> float:
    """Return the CPU time of one of `RUNS` runs, in ms."""
    began = time.process_time()
    run()
    return (time.process_time() - began) / RUNS * 1000


def plain() -> None:
    for _ in range(RUNS):
        trio.run(program)


def schedules() -> Iterator[Figure]:
    explored, bare, ratio = alternate(
        ROUNDS,
        lambda: milliseconds(lambda: explore(program, schedules=RUNS)),
        lambda: milliseconds(plain),
    )
    yield Figure(
        "a schedule of five tasks with fifty checkpoints", f"{explored:.2f} ms", f"{bare:.2f} ms", ratio, at_most=2
    )
