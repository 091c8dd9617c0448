"""Run one or many seeds, and report the results.

`torture` is what `make torture NAMES=vopr` calls.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from unittest.mock import patch

import msgspec

from tests.search.vopr.crossword import CrosswordArena
from tests.search.vopr.memory import MemoryArena
from tests.search.vopr.minesweeper import MinesweeperArena
from tests.search.vopr.options import GameName, derive
from tests.search.vopr.world import Arena, Failure, World
from tests.support import figures as told

ARENAS: dict[GameName, Callable[[World], Arena]] = {
    "memory": MemoryArena,
    "minesweeper": MinesweeperArena,
    "crossword": CrosswordArena,
}


SHORT, LONG = 200, 100_000  # seeds


class Figures(msgspec.Struct):
    """The figures of some runs. All runs succeeded, except for `failures`."""

    seeds: int = 0
    lives: int = 0  # of servers
    deaths: int = 0  # by a kill or a power cut
    disk_failures: int = 0  # the number of injected failures
    lives_failed: int = 0  # the number of lives that ended because the disk failed
    answers: int = 0  # compared to the model
    records: int = 0  # in the journals at the end
    seconds: float = 0.0  # real time
    simulated_s: float = 0.0
    failures: list[str] = []

    def add(self, other: Figures) -> None:
        """Add the figures of another run."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def told(self) -> told.Figures:
        """The figures as text for people."""
        return {
            "seeds": f"{self.seeds}",
            "seeds that failed": f"{len(self.failures)}",
            "simulated": f"{self.simulated_s / 3600:.1f} h",
            "lives of servers": f"{self.lives}",
            "killed, or without power": f"{self.deaths}",
            "stopped by their disk": f"{self.lives_failed}",
            "failures of the disk": f"{self.disk_failures}",
            "answers held against the model": f"{self.answers}",
            "commands in the journals": f"{self.records}",
        }

    def __str__(self) -> str:
        return (
            f"{self.seeds} seeds in {self.seconds:.0f} s, {self.simulated_s:.0f} s simulated:"
            f" {self.lives} lives of servers, {self.deaths} killed or without power, {self.lives_failed} ended by"
            f" {self.disk_failures} failures of the disk; {self.answers} answers held against {self.records} records;"
            f" {len(self.failures)} failed"
        )


def run_seed(seed: int, game: GameName | None = None) -> World:
    """Run one seed. Raises Failure."""
    options = derive(seed, game)
    world = World(options, ARENAS[options.game])
    world.run()
    return world


def trace(seed: int, game: GameName | None = None) -> list[str]:
    """All events of this seed, line by line. The last line is the failure, if there is one."""
    options = derive(seed, game)
    world = World(options, ARENAS[options.game])
    try:
        world.run()
    except Failure as failure:
        return [*world.trace, str(failure)]
    return world.trace


def fingerprint(seeds: Iterable[int], game: GameName | None = None) -> str:
    """A digest of all events of these seeds."""
    digest = hashlib.sha256()
    for seed in seeds:
        digest.update("\n".join(trace(seed, game)).encode())
    return digest.hexdigest()


def figures_of(seed: int, game: GameName | None = None) -> Figures:
    """Run one seed, and return its figures."""
    began = time.perf_counter()
    options = derive(seed, game)
    world = World(options, ARENAS[options.game])
    failures = []
    try:
        world.run()
    except Failure as failure:
        failures.append(str(failure))
    ends = list(world.ends.values())
    return Figures(
        seeds=1,
        lives=len(ends),
        deaths=ends.count("died"),
        disk_failures=world.disk_failures,
        lives_failed=ends.count("failed"),
        answers=world.answers,
        records=world.records,
        seconds=time.perf_counter() - began,
        simulated_s=world.simulated_s,
        failures=failures,
    )


def run_seeds(seeds: range, game: GameName | None = None, *, jobs: int = 1) -> Iterator[Figures]:
    """Run many seeds, in `jobs` processes at once. Yield the figures of each seed, in order."""
    one = partial(figures_of, game=game)
    if jobs == 1:
        yield from map(one, seeds)
        return
    with workers(jobs) as pool:
        yield from pool.map(one, seeds, chunksize=10)


@contextmanager
def workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes for seeds. Coverage does not measure them: they would take twice as long."""
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    with (
        patch.dict(os.environ, unmeasured | {"SCRAMBLE_CHECK_REP": "1"}, clear=True),
        ProcessPoolExecutor(jobs, get_context("spawn")) as pool,  # so that nothing is imported yet
    ):
        yield pool


def torture(long: bool) -> told.Figures:
    """Run many seeds, on all processors at once. Raises Failure at the first seed that fails."""
    total = Figures()
    for figures in run_seeds(range(LONG if long else SHORT), jobs=os.cpu_count() or 1):
        total.add(figures)
        if figures.failures:
            raise Failure(f"after {total}:\n{figures.failures[0]}")
    return total.told()
