"""Statistics of an owner task: its counters, and snapshots of them. Pure: no trio, no clock, no metrics library.

    counts = CommandCounts()                        # the owner has one
    counts.answered[command.__class__] += 1         # for each command, at the moment its answer is sent
    counts.batches.observe(64)                      # for each batch
    stats = counts.stats(parked=..., queued=...)    # returned by Actor.stats()

Counting must not slow the owner down. Counting a command is one lookup and one addition, and takes 50 nanoseconds: the
key is the command's class, so the owner need not look up a name or create a pair. Reading the statistics does the
slower work. Safe under concurrency: the owner counts, and other tasks read, between two awaits of one thread.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

BATCH_SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""Upper bounds, in commands. Batches grow with load; differences below a factor of 2 are not significant."""

COMMIT_SECONDS: Final = (
    *(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005),  # a good SSD, or a disk that ignores syncs
    *(0.01, 0.025, 0.05, 0.1),  # a spinning or shared disk
    *(0.25, 0.5, 1, 2.5, 10),  # players notice the delay
)
"""Upper bounds, in seconds."""


class Distribution(msgspec.Struct, frozen=True):
    """A snapshot of a histogram.

    `counts[i]` numbers were above `bounds[i - 1]`, and at most `bounds[i]`. The last item of `counts` counts the
    numbers above all bounds, so `counts` has one item more than `bounds`. `total` is the sum of the numbers.
    """

    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    total: float

    @property
    def count(self) -> int:
        """The number of observed numbers."""
        return sum(self.counts)


class Histogram:
    """Counts numbers by size, in fixed buckets. Mutable; one owner."""

    # AF: _counts[i] observed numbers are above _bounds[i - 1] (if i > 0) and at most _bounds[i] (if i < len(_bounds)).
    #     _total is the sum of all observed numbers.
    # RI: _bounds is not empty and ascends strictly; len(_counts) == len(_bounds) + 1; no count is negative.
    # Safety from exposure: bounds are copied into a tuple, and readers get an immutable Distribution.

    __slots__ = ("_bounds", "_counts", "_total")

    def __init__(self, bounds: Iterable[float]) -> None:
        """Make an empty histogram. Raises ValueError if `bounds` are empty or do not ascend."""
        self._bounds: Final = tuple(bounds)
        if not self._bounds or any(low >= high for low, high in zip(self._bounds, self._bounds[1:], strict=False)):
            raise ValueError(f"the bounds of a histogram must ascend, not {self._bounds}")
        self._counts: Final = [0] * (len(self._bounds) + 1)
        self._total = 0.0

    def observe(self, number: float) -> None:
        """Count `number`."""
        self._counts[bisect_left(self._bounds, number)] += 1
        self._total += number

    def add(self, numbers: Distribution) -> None:
        """Add the counts of another histogram with the same bounds."""
        assert numbers.bounds == self._bounds
        for place, count in enumerate(numbers.counts):
            self._counts[place] += count
        self._total += numbers.total

    def read(self) -> Distribution:
        """Return the current counts."""
        return Distribution(self._bounds, tuple(self._counts), self._total)

    def __str__(self) -> str:
        return f"{sum(self._counts)} numbers, {self._total:g} in all"


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot of the statistics of a game's owner task. Counts start when the game is opened and never decrease."""

    commands: dict[tuple[str, str], int]
    """Finished commands by the name of their class and their outcome (see `OUTCOMES`). Without counts of 0, and without
    commands that are still queued or parked."""

    parked: dict[str, int]
    """Requests that are parked now, by the name of the command's class. Without counts of 0."""

    queued: int
    """Commands in the mailbox now."""

    followers: int
    """Tasks that wait for the next change now: connections that have sent all changes, and other followers."""

    missed: int
    """Changes that followers have lost because they were too slow."""

    version: int
    """The game's version now."""

    batches: Distribution
    """Commands in a batch of the owner."""

    commits: Distribution
    """Seconds that the journal took to commit a batch; empty without a journal."""

    journalled: int
    """Commands that the journal has committed."""

    moves: Distribution
    """Seconds from a caller's request to its answer, without queries and parked commands."""

    stopped: str | None
    """The reason why the game has ended, in words; None while it runs."""


OUTCOMES: Final = ("answered", "refused", "invalid", "withdrawn", "stopped")
"""Outcomes of a command: it was answered; the rules refused it; it was refused as malformed or out of range; its caller
left before it was answered; the game ended before it was answered."""


def total_of(stats: Iterable[Stats]) -> Stats:
    """Return the sum of the statistics of several owners, as one running owner with version 0."""
    commands, parked = Counter[tuple[str, str]](), Counter[str]()
    batches, commits, moves = Histogram(BATCH_SIZES), Histogram(COMMIT_SECONDS), Histogram(COMMIT_SECONDS)
    queued = followers = missed = journalled = 0
    for one in stats:
        commands.update(one.commands)
        parked.update(one.parked)
        queued += one.queued
        followers += one.followers
        missed += one.missed
        journalled += one.journalled
        batches.add(one.batches)
        commits.add(one.commits)
        moves.add(one.moves)
    return Stats(
        commands=dict(commands),
        parked=dict(parked),
        queued=queued,
        followers=followers,
        missed=missed,
        version=0,
        batches=batches.read(),
        commits=commits.read(),
        journalled=journalled,
        moves=moves.read(),
        stopped=None,
    )


class CommandCounts:
    """The counters of one owner task. The owner adds to them directly. Mutable; only the owner writes.

    `answered`, `refused`, `invalid`, `withdrawn` and `stopped` count commands by their class (see `OUTCOMES`).
    """

    # AF: the outcomes of the owner's commands. `batches` has the sizes of its batches, `commits` the durations of its
    #     commits, `journalled` the number of committed commands, and `moves` the seconds that callers waited.
    # RI: no count is negative or ever decreases.
    # Safety from exposure: `stats` copies all counts into an immutable message; only the owner has this object.

    __slots__ = (
        "answered",
        "batches",
        "commits",
        "invalid",
        "journalled",
        "moves",
        "refused",
        "stopped",
        "withdrawn",
    )

    def __init__(self) -> None:
        self.answered: Final = defaultdict[type[object], int](int)
        self.refused: Final = defaultdict[type[object], int](int)
        self.invalid: Final = defaultdict[type[object], int](int)
        self.withdrawn: Final = defaultdict[type[object], int](int)
        self.stopped: Final = defaultdict[type[object], int](int)
        self.batches: Final = Histogram(BATCH_SIZES)
        self.commits: Final = Histogram(COMMIT_SECONDS)
        self.moves: Final = Histogram(COMMIT_SECONDS)
        self.journalled = 0

    def stats(
        self,
        *,
        parked: Iterable[object],
        queued: int,
        followers: int,
        missed: int,
        version: int,
        stopped: str | None,
    ) -> Stats:
        """Return a snapshot of all counts and of the owner's state; `parked` are the parked commands."""
        return Stats(
            commands={
                (kind, outcome): count
                for outcome, counts in zip(OUTCOMES, self._outcomes(), strict=True)
                for kind, count in _by_name(counts.items()).items()
            },
            parked=_by_name((type(command), 1) for command in parked),
            queued=queued,
            followers=followers,
            missed=missed,
            version=version,
            batches=self.batches.read(),
            commits=self.commits.read(),
            journalled=self.journalled,
            moves=self.moves.read(),
            stopped=stopped,
        )

    def _outcomes(self) -> Sequence[dict[type[object], int]]:
        return self.answered, self.refused, self.invalid, self.withdrawn, self.stopped

    def __str__(self) -> str:
        return ", ".join(
            f"{sum(counts.values())} {outcome}" for outcome, counts in zip(OUTCOMES, self._outcomes(), strict=True)
        )


def _by_name(counts: Iterable[tuple[type[object], int]]) -> dict[str, int]:
    named: defaultdict[str, int] = defaultdict(int)
    for kind, count in counts:
        named[kind.__name__] += count
    return dict(named)
