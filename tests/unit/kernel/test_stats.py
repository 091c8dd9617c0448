"""The counts of an owner task: scramble/kernel/stats.py.

Partitions:
- a number in a histogram is: below the first bound; on a bound; between two; above the last
- bounds: no bounds; one; ascending; equal; descending
- counts contain: nothing; every outcome; two classes of one name; parked commands
- a reading: does not change after later counts
- a total: of no owner; of several
"""

from __future__ import annotations

import pytest

from scramble.kernel.protocol import Command
from scramble.kernel.stats import OUTCOMES, CommandCounts, Histogram, Stats, total_of
from scramble.memory.messages import Flip, Look, Watch
from scramble.minesweeper.messages import Look as LookAtField


def reading(counts: CommandCounts, *parked: Command[object], queued: int = 0, stopped: str | None = None) -> Stats:
    return counts.stats(parked=parked, queued=queued, followers=3, missed=7, version=17, stopped=stopped)


# --- histograms -------------------------------------------------------------------------------------


def test_a_histogram_counts_nothing_before_the_first_number() -> None:
    empty = Histogram([1, 10]).read()
    assert empty.counts == (0, 0, 0)
    assert empty.count == 0
    assert empty.total == 0


@pytest.mark.parametrize(
    ("number", "counts"),
    [
        (0.5, (1, 0, 0)),
        (1, (1, 0, 0)),
        (1.01, (0, 1, 0)),
        (10, (0, 1, 0)),
        (11, (0, 0, 1)),
        (float("inf"), (0, 0, 1)),
    ],
)
def test_a_number_is_counted_below_the_first_bound_that_it_does_not_exceed(
    number: float, counts: tuple[int, ...]
) -> None:
    histogram = Histogram([1, 10])
    histogram.observe(number)
    assert histogram.read().counts == counts


def test_a_histogram_has_the_count_and_the_sum_of_its_numbers() -> None:
    histogram = Histogram([1])
    for number in (0.25, 0.5, 4):
        histogram.observe(number)
    assert histogram.read().count == 3
    assert histogram.read().total == 4.75
    assert str(histogram) == "3 numbers, 4.75 in all"


def test_a_reading_does_not_change_when_more_is_counted() -> None:
    histogram = Histogram([1])
    before = histogram.read()
    histogram.observe(1)
    assert before.count == 0


@pytest.mark.parametrize("bounds", [[], [1, 1], [2, 1]])
def test_bounds_that_do_not_ascend_are_refused(bounds: list[float]) -> None:
    with pytest.raises(ValueError, match="must ascend"):
        Histogram(bounds)


# --- counts -----------------------------------------------------------------------------------------


def test_a_new_game_has_empty_stats() -> None:
    stats = reading(CommandCounts())
    assert stats.commands == {}
    assert stats.parked == {}
    assert stats.batches.count == stats.commits.count == stats.journalled == 0


def test_every_outcome_is_told_apart() -> None:
    counts = CommandCounts()
    for number, outcome_counts in enumerate(
        (counts.answered, counts.refused, counts.invalid, counts.withdrawn, counts.stopped), start=1
    ):
        outcome_counts[Flip] += number
    assert reading(counts).commands == {("Flip", outcome): n for n, outcome in enumerate(OUTCOMES, start=1)}
    assert str(counts) == "1 answered, 2 refused, 3 invalid, 4 withdrawn, 5 stopped"


def test_commands_are_told_apart_by_the_names_of_their_classes() -> None:
    counts = CommandCounts()
    counts.answered[Flip] += 2
    counts.answered[Look] += 1
    counts.answered[LookAtField] += 1
    assert reading(counts).commands == {("Flip", "answered"): 2, ("Look", "answered"): 2}


def test_parked_commands_are_counted_by_name() -> None:
    stats = reading(CommandCounts(), Flip("alice", 0, 0), Watch("bob"), Flip("carol", 1, 1))
    assert stats.parked == {"Flip": 2, "Watch": 1}


def test_the_owners_other_data_is_passed_on() -> None:
    stats = reading(CommandCounts(), queued=5, stopped="the game was closed")
    assert (stats.queued, stats.followers, stats.missed, stats.version) == (5, 3, 7, 17)
    assert stats.stopped == "the game was closed"


def test_batches_and_commits_are_told_apart() -> None:
    counts = CommandCounts()
    counts.batches.observe(64)
    counts.commits.observe(0.002)
    counts.journalled += 60
    stats = reading(counts)
    assert (stats.batches.count, stats.batches.total) == (1, 64)
    assert (stats.commits.count, stats.commits.total) == (1, 0.002)
    assert stats.journalled == 60


def test_stats_do_not_change_when_the_owner_goes_on_counting() -> None:
    counts = CommandCounts()
    counts.answered[Flip] += 1
    before = reading(counts)
    counts.answered[Flip] += 1
    counts.journalled += 1
    assert before.commands == {("Flip", "answered"): 1}
    assert before.journalled == 0


# --- totals -----------------------------------------------------------------------------------------


def owner_stats(*, commands: int, seconds: float) -> Stats:
    counts = CommandCounts()
    counts.answered[Flip] += commands
    counts.journalled += commands
    counts.batches.observe(commands)
    counts.commits.observe(seconds)
    counts.moves.observe(2 * seconds)
    return reading(counts, Watch("bob"), queued=commands)


def test_a_total_is_the_sum_of_all_numbers_of_all_owners() -> None:
    total = total_of([owner_stats(commands=2, seconds=0.001), owner_stats(commands=3, seconds=0.5)])
    assert (total.commands, total.parked) == ({("Flip", "answered"): 5}, {"Watch": 2})
    assert (total.queued, total.followers, total.missed, total.journalled) == (5, 6, 14, 5)
    for numbers, total_numbers in ((total.batches, 5), (total.commits, 0.501), (total.moves, 1.002)):
        assert numbers.count == 2
        assert numbers.total == pytest.approx(total_numbers)
    assert (total.version, total.stopped) == (0, None)


def test_a_total_of_no_owner_has_no_numbers() -> None:
    total = total_of([])
    assert (total.commands, total.parked) == ({}, {})
    assert total.batches.count == total.commits.count == total.moves.count == 0
