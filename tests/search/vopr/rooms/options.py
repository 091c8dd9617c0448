"""The options that one seed determines: the rooms, their visitors, and the faults."""

from __future__ import annotations

import random
from typing import Literal, get_args

import msgspec

from tests.search.vopr.disk import SECTOR_BYTES
from tests.support.crossword.driver import SIMPLE

Ending = Literal["kill", "kill in a write", "power cut", "power cut in a write", "stop"]
"""The end of one life of the process."""

ENDINGS: tuple[Ending, ...] = get_args(Ending)

SETTINGS: dict[str, dict[str, object]] = {
    "memory": {"board": "2x2\nA\nA\nB\nB\n"},
    "minesweeper": {"size": "2x3", "bombs": 1, "safe_start": False, "seed": 7},
    "crossword": {"source": SIMPLE},
    "faulty": {"size": 3, "seed": 1},
}
"""Short games, by kinds. In the last kind a dig at (0, 0) triggers a bug."""


class Options(msgspec.Struct, frozen=True):
    """All options that the seed determines before the run. Printed with a failure, and derived again from the seed."""

    seed: int
    kinds: tuple[str, ...]  # of the rooms; the last room has the bug
    closed: int | None  # the number of the room that its host closes
    removed: int | None  # the number of the room that an operator removes
    visitors: int
    visits: int  # of each visitor in the last life
    awake: int  # the limit of awake rooms
    sleep_after: float
    think_s: float  # between two visits
    commit_s: float  # the longest time that a commit takes
    endings: tuple[Ending, ...]  # of the lives before the last
    cut_rate: float  # of visits that are cancelled early on purpose
    sector: int
    digest_every: int  # the journals'; a small number also makes snapshots frequent

    def __str__(self) -> str:
        return "\n".join(f"  {name} = {getattr(self, name)!r}" for name in self.__struct_fields__)


def derive(seed: int) -> Options:
    """The options of a seed."""
    rng = random.Random(f"options of rooms {seed}")
    kinds = [rng.choice(("memory", "minesweeper", "crossword")) for _ in range(rng.choice((2, 3, 4)))]
    visitors = rng.choice((2, 4, 6))
    return Options(
        seed=seed,
        kinds=(*kinds, "faulty"),
        closed=rng.choice((None, None, 0)),
        removed=rng.choice((None, None, 1)),
        visitors=visitors,
        visits=8,
        awake=rng.choice((2, visitors + 2)),
        sleep_after=rng.choice((0.0, 0.02, 0.2)),
        think_s=rng.choice((0.01, 0.05, 0.2)),
        commit_s=rng.choice((0.0, 0.02, 0.1)),
        endings=tuple(rng.choice(ENDINGS) for _ in range(rng.choice((1, 2)))),
        cut_rate=rng.choice((0.0, 0.2)),
        sector=rng.choice(SECTOR_BYTES),
        digest_every=rng.choice((7, 1000)),
    )
