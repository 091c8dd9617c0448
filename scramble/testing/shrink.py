"""Shrinking: find the schedule with the fewest deviations under which a program still fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from scramble.testing.run import Ran, Strategy
from scramble.testing.schedule import Deviation, Deviations, fewer
from scramble.testing.strategies import Guide, Picks

MOST_RUNS: Final = 1500
"""Runs of one shrinking."""

MOST_STEPS: Final = 1_000_000
"""Steps of all runs of one shrinking: a run with a million steps takes several seconds."""

MOST_SIMPLE: Final = 400
"""Runs that search for a schedule with fewer deviations from the beginning."""


def shrink(failed: Ran, run: Callable[[Strategy], Ran]) -> Ran:
    """Return the simplest failed run that was found. All its errors have the type of the first error.

    A candidate may contain deviations that are impossible. They are left out: what counts is the schedule of the run.
    """
    return _Shrinking(failed, run).go()


class _Shrinking:
    """The search. Each move yields strategies that may be simpler."""

    def __init__(self, failed: Ran, run: Callable[[Strategy], Ran]) -> None:
        self._best = failed
        self._run: Final = run
        self._runs = 0
        self._steps = 0
        self._tried: Final = {failed.deviations}

    def go(self) -> Ran:
        moves = (self._tails, self._chunks, self._ones)
        improved = True
        while improved and self._best.deviations:
            improved = False
            for move in moves:
                while self._improves(move()):
                    improved = True
        while self._improves(self._simple()):
            pass
        while self._improves(self._ones()) or self._improves(self._earlier()):
            pass
        return self._best

    def _improves(self, candidates: Iterator[Strategy | Deviations]) -> bool:
        """Try the candidates until one is simpler than the best schedule so far."""
        for candidate in candidates:
            if self._runs >= MOST_RUNS or self._steps >= MOST_STEPS:
                return False
            if isinstance(candidate, tuple):
                if candidate in self._tried:
                    continue
                self._tried.add(candidate)
                candidate = Guide(candidate)
            ran = self._run(candidate)
            self._runs += 1
            self._steps += len(ran.picks)
            if type(ran.error) is type(self._best.error) and fewer(ran.deviations, self._best.deviations):
                self._best = ran
                return True
        return False

    def _tails(self) -> Iterator[Strategy]:
        """First in, first out at the beginning; then the order of tasks of the best run."""
        for deviation in reversed(self._best.deviations):
            yield Picks(self._best, deviation.step)

    def _chunks(self) -> Iterator[Deviations]:
        """Without a half, a quarter, and so on, of the deviations."""
        best = self._best.deviations
        size = len(best) // 2
        while size > 1:
            for begin in range(0, len(best), size):
                yield best[:begin] + best[begin + size :]
            size //= 2

    def _ones(self) -> Iterator[Deviations]:
        """Without one deviation; the later ones at their decisions, or one or two decisions earlier."""
        best = self._best.deviations
        for index in reversed(range(len(best))):
            for earlier in (0, 1, 2):
                yield best[:index] + _moved(best[index + 1 :], earlier, after=best[index - 1].step if index else -1)

    def _earlier(self) -> Iterator[Deviations]:
        """With one deviation fewer places behind, or at an earlier decision."""
        best = self._best.deviations
        for index, deviation in enumerate(best):
            before = best[index - 1].step if index else -1
            if deviation.places > 1:
                yield (*best[:index], deviation._replace(places=1), *best[index + 1 :])
            for step in range(before + 1, deviation.step):
                yield (*best[:index], deviation._replace(step=step), *best[index + 1 :])

    def _simple(self) -> Iterator[Deviations]:
        """All schedules with fewer deviations, the simplest first."""
        most = len(self._best.deviations) - 1
        level: list[Deviations] = [()]
        left = MOST_SIMPLE
        for count in range(most + 1):
            following: list[Deviations] = []
            for deviations in level:
                if left == 0:
                    return
                left -= 1
                yield deviations
                if count < most:
                    following += islice(self._extended(deviations), max(0, left - len(following)))
            level = following

    def _extended(self, deviations: Deviations) -> Iterator[Deviations]:
        """One more deviation: at any of the decisions of the best run, after the last deviation."""
        begin = deviations[-1].step + 1 if deviations else 0
        for step in range(begin, len(self._best.widths)):
            for block in range(self._best.blocks[step]):
                yield (*deviations, Deviation(step, block=block))
            for places in range(1, self._best.widths[step]):
                yield (*deviations, Deviation(step, places=places))


def _moved(deviations: Deviations, earlier: int, after: int) -> Deviations:
    moved = tuple(deviation._replace(step=deviation.step - earlier) for deviation in deviations)
    return moved if not moved or moved[0].step > after else deviations
