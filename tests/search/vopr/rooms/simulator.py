"""Run one or many seeds of the world of rooms, and report the results.

`torture` is what `make torture NAMES=rooms` calls.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from itertools import chain

import msgspec

from tests.search.vopr.rooms.options import derive
from tests.search.vopr.rooms.plants import PLANTS
from tests.search.vopr.rooms.world import RoomsWorld
from tests.search.vopr.simulator import workers
from tests.search.vopr.world import Failure
from tests.support import figures as told

SHORT, LONG = 24, 20_000  # seeds


class Figures(msgspec.Struct):
    """The figures of some runs. All runs succeeded, except for `failures`."""

    seeds: int = 0
    rooms: int = 0
    lives: int = 0  # of processes
    deaths: int = 0  # by a kill or a power cut
    answers: int = 0  # compared to the journals
    seconds: float = 0.0
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
            "rooms": f"{self.rooms}",
            "lives of processes": f"{self.lives}",
            "killed, or without power": f"{self.deaths}",
            "answers held against the journals": f"{self.answers}",
        }


def trace(seed: int) -> list[str]:
    """All events of this seed, line by line. The last line is the failure, if there is one."""
    world = RoomsWorld(derive(seed))
    try:
        world.run()
    except Failure as failure:
        return [*world.trace, str(failure)]
    return world.trace


def figures_of(seed: int) -> Figures:
    """Run one seed, and return its figures."""
    began = time.perf_counter()
    world = RoomsWorld(derive(seed))
    failures = []
    try:
        world.run()
    except Failure as failure:
        failures.append(str(failure))
    spent = time.perf_counter() - began
    return Figures(1, len(world.rooms), world.lives, world.deaths, world.answers, spent, failures)


def first_seed_that_finds(name: str) -> int | None:
    """Run seeds with that bug planted until a seed fails: first the known seed, then all seeds of the short run.

    Return None if no seed fails.
    """
    plant = PLANTS[name]
    seeds: Iterable[int] = chain((plant.found_by,), range(SHORT))
    with plant.planted():
        return next((seed for seed in seeds if figures_of(seed).failures), None)


def torture(long: bool) -> told.Figures:
    """Run many seeds, on all processors at once. Raises Failure at the first seed that fails."""
    total = Figures()
    with workers(os.cpu_count() or 1) as pool:
        for figures in pool.map(figures_of, range(LONG if long else SHORT), chunksize=10):
            total.add(figures)
            if figures.failures:
                raise Failure(f"after {total.seeds} seeds:\n{figures.failures[0]}")
    return total.told()
