"""Strategies: which task takes the next step of a run.

`Guide` follows a schedule, `Picks` the order of tasks of an earlier run. `Random` is a random walk. `Pct` is the
probabilistic concurrency test of Burckhardt, Kothari, Musuvathi and Nagarakatte (2010): random priorities, and a few
random moments at which the running task gets the lowest one. A bug that needs d ordered steps of n tasks, in a run of k
steps, is found with a probability of at least 1/(n k^(d-1)).
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from typing import Final

from scramble.testing.run import Ran
from scramble.testing.schedule import Deviation, Deviations

POLLS: Final = 50
"""Steps that `Pct` gives to a task one after another while others are runnable. Then the task gets the lowest priority,
because it may poll for the work of another task."""


class Fifo:
    """First in, first out: the task that has been runnable longest takes the next step."""

    def cancel(self, step: int, blocks: int) -> int | None:
        """Cancel no block."""
        return None

    def pick(self, step: int, ready: Sequence[int]) -> int:
        """Choose the first task."""
        return 0


class Lifo(Fifo):
    """Last in, first out."""

    def pick(self, step: int, ready: Sequence[int]) -> int:
        """Choose the last task."""
        return len(ready) - 1


class Guide(Fifo):
    """Follows a schedule."""

    # AF: the deviations from _next on are still to come.

    def __init__(self, deviations: Deviations) -> None:
        self._deviations: Final = deviations
        self._next = 0
        self.misfit = ""
        """The first deviation that was not possible, in words."""

    def cancel(self, step: int, blocks: int) -> int | None:
        """Cancel the block of the schedule."""
        deviation = self._due(step)
        if deviation is None or deviation.places:
            return None
        self._next += 1
        if deviation.block >= blocks:
            self._note(deviation, f"{blocks} blocks can be cancelled there")
            return None
        return deviation.block

    def pick(self, step: int, ready: Sequence[int]) -> int:
        """Choose the task of the schedule; without a deviation the first task."""
        deviation = self._due(step)
        if deviation is None or not deviation.places:
            return 0
        self._next += 1
        if deviation.places >= len(ready):
            self._note(deviation, f"{len(ready)} tasks are runnable there")
            return 0
        return deviation.places

    def finish(self) -> None:
        """Note it if there are deviations that the run has not reached."""
        if self._next < len(self._deviations):
            self._note(self._deviations[self._next], "the run has no such choice")

    def _due(self, step: int) -> Deviation | None:
        while self._next < len(self._deviations) and self._deviations[self._next].step < step:
            self._note(self._deviations[self._next], "the run has no such choice")
            self._next += 1
        if self._next < len(self._deviations) and self._deviations[self._next].step == step:
            return self._deviations[self._next]
        return None

    def _note(self, deviation: Deviation, words: str) -> None:
        self.misfit = self.misfit or f"{deviation}: {words}"


class Picks(Fifo):
    """From a step on, runs the tasks in the order of an earlier run, as far as they are runnable."""

    def __init__(self, ran: Ran, begin: int) -> None:
        self._begin: Final = begin
        self._tasks: Final = [task for task in ran.picks if task >= 0]
        self._at = 0
        self._taken: Final[list[int]] = []

    def pick(self, step: int, ready: Sequence[int]) -> int:
        """Choose the next task of the earlier run that is runnable."""
        if step < self._begin:
            self._taken.append(ready[0])
            return 0
        for task in self._taken:  # the steps that the tasks have already taken
            self._skip(task)
        self._taken.clear()
        for index in range(len(self._tasks)):
            if self._tasks[index] in ready:
                return ready.index(self._tasks.pop(index))
        return 0

    def _skip(self, task: int) -> None:
        if task in self._tasks:
            self._tasks.remove(task)


class Cancels(Fifo):
    """Cancels the blocks at a few of the opportunities of a run, and otherwise is first in, first out."""

    def __init__(self, opportunities: Collection[int]) -> None:
        """An opportunity is one live block at one decision. They are numbered from 0."""
        self._opportunities: Final = opportunities
        self._passed = 0
        self._asked = (-1, 0)

    def cancel(self, step: int, blocks: int) -> int | None:
        """Cancel a block at each chosen opportunity."""
        if not self._opportunities:
            return None
        at, block = self._asked
        block = block if at == step else 0
        while block < blocks:
            number, self._passed = self._passed, self._passed + 1
            if number in self._opportunities:
                self._asked = step, block
                return block
            block += 1
        self._asked = step, block
        return None


class Random(Cancels):
    """A random walk: each runnable task takes the next step with the same probability."""

    def __init__(self, rng: random.Random, opportunities: int) -> None:
        super().__init__(some_of(opportunities, rng))
        self._rng: Final = rng

    def pick(self, step: int, ready: Sequence[int]) -> int:
        """Choose any task."""
        return self._rng.randrange(len(ready))


class _Priorities(dict[int, float]):
    """The priorities of tasks. A new task gets a random one, from 0 to 1."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self._random: Final = rng.random

    def __missing__(self, task: int) -> float:
        self[task] = priority = self._random()
        return priority


class Pct(Cancels):
    """Random priorities, with `depth - 1` changes at random choices."""

    # AF: the runnable task with the greatest number in _priorities takes the next step. _lowest is the lowest number so
    # far. The last step was of _task, which has taken _polls further steps before it, one after another.

    def __init__(self, rng: random.Random, depth: int, choices: int, opportunities: int) -> None:
        """`choices`: the expected number of decisions with several runnable tasks."""
        super().__init__(some_of(opportunities, rng))
        self._changes: Final = frozenset(rng.randrange(max(1, choices)) for _ in range(depth - 1))
        self._priorities: Final = _Priorities(rng)
        self._priority_of: Final = self._priorities.__getitem__
        self._lowest = 0.0
        self._choice = -1
        self._task = -1
        self._polls = 0

    def pick(self, step: int, ready: Sequence[int]) -> int:
        """Choose the task with the highest priority."""
        self._choice += 1
        task = max(ready, key=self._priority_of)
        self._polls = self._polls + 1 if task == self._task else 0
        if self._choice in self._changes or self._polls == POLLS:
            self._lowest -= 1
            self._priorities[task] = self._lowest
            self._polls = 0
            task = max(ready, key=self._priority_of)
        self._task = task
        return ready.index(task)


def some_of(opportunities: int, rng: random.Random) -> Collection[int]:
    """Return no, one or two random opportunities for cancellations. One is as likely as the others together."""
    if not opportunities:
        return ()
    return [rng.randrange(opportunities) for _ in range(rng.choice((0, 1, 1, 2)))]
