"""A schedule: the deviations of one run from first in, first out, as values and as a line of text.

    parse("4+1,9x0")    # at step 4 run the second task, not the first; at step 9 cancel the first cancellable block
    text(deviations)    # "4+1,9x0"; a run without deviations is "fifo"

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

FIFO: Final = "fifo"
"""The text of the schedule without deviations."""

MAX_TEXT: Final = 1_000_000
"""Characters of the longest text that `parse` reads."""

_DEVIATION: Final = re.compile(r"([0-9]{1,9})([+x])([0-9]{1,9})")


class Deviation(NamedTuple):
    """One decision that differs from first in, first out.

    `step`: the number of the decision, from 0. `places`: the places of the chosen task behind the task that has been
    runnable longest, at least 1. Or with `places` 0 the step cancels the live cancellable block number `block`.
    """

    step: int
    places: int = 0
    block: int = 0

    def __str__(self) -> str:
        return f"{self.step}+{self.places}" if self.places else f"{self.step}x{self.block}"


Deviations: TypeAlias = tuple[Deviation, ...]


def text(deviations: Iterable[Deviation]) -> str:
    """Return the line for `parse`."""
    return ",".join(map(str, deviations)) or FIFO


def parse(line: str) -> Deviations:
    """Return the deviations of a line. Raises ValueError if the line is not a schedule."""
    line = line.strip()
    if line == FIFO:
        return ()
    if len(line) > MAX_TEXT:
        raise ValueError(f"the schedule has {len(line)} characters; at most {MAX_TEXT} are possible")
    found = tuple(_deviation(part) for part in line.split(","))
    if list(found) != sorted(found, key=_order):
        raise ValueError(f"the steps of the schedule are not in order: {_short(line)}")
    return found


def _order(deviation: Deviation) -> tuple[int, bool]:
    """A key: the cancellations of a step come before its choice of a task."""
    return deviation.step, deviation.places > 0


def _deviation(part: str) -> Deviation:
    match = _DEVIATION.fullmatch(part)
    if match is None:
        raise ValueError(f'a schedule is "{FIFO}", or a line such as "4+1,9x0", but not {_short(part)!r}')
    step, number = int(match[1]), int(match[3])
    if match[2] == "x":
        return Deviation(step, block=number)
    if number == 0:
        raise ValueError(f"{part!r} is not a deviation: place 0 is the task that first in, first out runs")
    return Deviation(step, places=number)


def _short(line: str) -> str:
    return line if len(line) <= 60 else line[:57] + "..."


def fewer(some: Sequence[Deviation], than: Sequence[Deviation]) -> bool:
    """Return True if the first schedule is simpler: it has fewer deviations, or as many, and they are smaller."""
    return (len(some), [*some]) < (len(than), [*than])
