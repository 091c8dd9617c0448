"""The timeline of a run: a line for each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from scramble.testing.places import shown, where
from scramble.testing.run import Step

MOST: Final = 120
"""Lines of a timeline. Of a longer run the lines at the end and around each deviation are shown."""

AROUND: Final = 6
"""Lines that are shown before and after a deviation."""


def timeline(steps: Sequence[Step]) -> str:
    """Return the steps as lines. A line with a deviation from first in, first out begins with "*"."""
    kept = _kept(steps)
    width = max((len(step.task) for step in steps), default=4)
    lines: list[str] = []
    before = -1
    for index in kept:
        if index > before + 1:
            lines.append(f"  ... {index - before - 1} steps")
        before = index
        lines += _lines(steps[index], width)
    return "\n".join(lines)


def _kept(steps: Sequence[Step]) -> Sequence[int]:
    if len(steps) <= MOST:
        return range(len(steps))
    kept = set(range(max(0, len(steps) - MOST // 2), len(steps)))
    for index, step in enumerate(steps):
        if (step.passed or step.cancelled) and len(kept) < MOST:
            kept.update(range(max(0, index - AROUND), min(len(steps), index + AROUND + 1)))
    return sorted(kept)


def _lines(step: Step, width: int) -> Iterator[str]:
    for task in step.cancelled:
        yield f"* {step.number:>4}  a block of {task} is cancelled"
    if not step.task:
        if not step.cancelled:
            yield f"  {step.number:>4}  all tasks wait: the clock goes to {step.now:g} s"
        return
    passed = f"  (instead of {step.passed})" if step.passed else ""
    end = shown(step.end) if step.end else "its end"
    yield f"{'*' if passed else ' '} {step.number:>4}  {step.task:<{width}}  {where(step.begin)} -> {end}{passed}"
