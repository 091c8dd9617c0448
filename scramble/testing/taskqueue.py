"""The queue of runnable tasks, from which a strategy takes one task at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Final

from trio.lowlevel import Task


class TaskQueue:
    """The queue of runnable tasks, in the place of trio's deque. Trio takes a batch by `list(queue)` and `clear()`."""

    # AF: the runnable tasks in order. RI: from _fresh on, they have become runnable since the last decision, and are
    # not ordered yet.

    __slots__ = ("_age", "_choose", "_fresh", "_number", "_numbers", "_tasks")

    def __init__(
        self, choose: Callable[[deque[Task]], int], numbers: dict[Task, int], number: Callable[[Task], int]
    ) -> None:
        """`choose` returns the index of the task that takes the next step. `number` returns the number of a new task.

        `numbers` gets the number of each task when it becomes runnable for the first time, which is when it is spawned.
        """
        self._choose: Final = choose
        self._numbers: Final = numbers
        self._number: Final = number
        self._age: Final = numbers.__getitem__
        self._tasks: Final[deque[Task]] = deque()
        self._fresh = 0

    def __len__(self) -> int:
        return len(self._tasks)

    def append(self, task: Task) -> None:
        """Add a task that has become runnable."""
        if task not in self._numbers:
            self._numbers[task] = self._number(task)
        self._tasks.append(task)

    def __iter__(self) -> Iterator[Task]:
        """Yield the chosen task, and remove it. An empty queue yields nothing."""
        tasks = self._tasks
        if tasks:
            self.order()
            index = self._choose(tasks)
            task = tasks[index]
            del tasks[index]
            self._fresh = len(tasks)
            yield task

    def order(self) -> None:
        """Order the tasks that have become runnable since the last decision by age."""
        tasks, fresh = self._tasks, self._fresh
        if len(tasks) - fresh > 1:
            new = sorted((tasks.pop() for _ in range(len(tasks) - fresh)), key=self._age)
            tasks.extend(new)
        self._fresh = len(tasks)

    def clear(self) -> None:
        """Do nothing: the tasks that were not chosen stay."""
