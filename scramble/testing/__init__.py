"""Test trio programs under every order of their tasks' steps, and judge what their clients have seen."""

from scramble.testing.errors import Deadlock, ScheduleFailed, StepLimit, Undetermined
from scramble.testing.explore import Report, assert_finds, explore, replay
from scramble.testing.history import Call, History
from scramble.testing.interleave import interleave
from scramble.testing.judge import NotLinearizable, linearizable
from scramble.testing.run import cancellable

__all__ = [
    "Call",
    "Deadlock",
    "History",
    "NotLinearizable",
    "Report",
    "ScheduleFailed",
    "StepLimit",
    "Undetermined",
    "assert_finds",
    "cancellable",
    "explore",
    "interleave",
    "linearizable",
    "replay",
]
