"""A figure: a measured value, and its ratio to a bare limit of the same run. Ratios can be compared across machines."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import TypeVar

import msgspec

T = TypeVar("T")


class Figure(msgspec.Struct, frozen=True):
    """A measured value and its limit, as texts with units, and their ratio. A figure may have an aim for the ratio."""

    name: str
    measured: str
    limit: str
    ratio: float
    at_least: float | None = None
    at_most: float | None = None

    @property
    def aim(self) -> str:
        """The aim as text."""
        if self.at_least is not None:
            return f"at least {self.at_least:g}"
        return "" if self.at_most is None else f"at most {self.at_most:g}"

    @property
    def met(self) -> bool | None:
        """True if the aim is met; None without an aim."""
        if self.at_least is not None:
            return self.ratio >= self.at_least
        return None if self.at_most is None else self.ratio <= self.at_most


def alternate(rounds: int, one: Callable[[], float], other: Callable[[], float]) -> tuple[float, float, float]:
    """Measure two functions in turns, so that other load on the machine affects both alike.

    Returns the medians of both functions, and the median of the rounds' ratios (`one` divided by `other`).
    """
    pairs = [(one(), other()) for _ in range(rounds)]
    return median(a for a, _ in pairs), median(b for _, b in pairs), median(a / b for a, b in pairs)
