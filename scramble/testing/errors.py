"""The errors of `scramble.testing`."""

from __future__ import annotations

from scramble.testing.schedule import Deviations, text


class ScheduleFailed(AssertionError):
    """A schedule in which the program fails. `__cause__` is the program's error.

    `schedule`: the text for `replay`. `schedules`: the runs until the first failure, without the runs for shrinking.
    `deviations`: the number of deviations from first in, first out, after shrinking. `timeline`: a text that shows the
    tasks' steps one after another.
    """

    def __init__(self, summary: str, deviations: Deviations, schedules: int, timeline: str) -> None:
        self.schedule = text(deviations)
        self.schedules = schedules
        self.deviations = len(deviations)
        self.timeline = timeline
        super().__init__(f"{summary}\n\n{timeline}\n\nSCRAMBLE_SCHEDULE={self.schedule}")


class Deadlock(AssertionError):
    """All tasks wait, and no time limit will end a wait. The text shows the tree of tasks and their lines.

    The program is then cancelled. A task that catches each `trio.Cancelled`, and waits again, is abandoned: it stays in
    memory. If it also catches each other BaseException, Python cannot end it, and the process hangs at its exit.
    """


class StepLimit(AssertionError):
    """A run has taken more than the allowed number of steps."""


class Undetermined(Exception):
    """The program has behaved differently under the same schedule. The text shows the first difference."""
