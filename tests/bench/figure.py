"""A figure: a measured value, and its ratio to a bare limit of the same run. The ratio is useful on other machines."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import TypeVar

import msgspec

T = TypeVar("T")


class Figure(msgspec.Struct, frozen=True):
    """A measured value and its limit, as texts with units, and their ratio. A figure without an aim is only printed."""

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
    """Measure the two in turns, so that other load on the machine affects both alike.

    Returns the medians of both, and the median of the rounds' ratios, one to other.
    """
    pairs = [(one(), other()) for _ in range(rounds)]
    return median(a for a, _ in pairs), median(b for _, b in pairs), median(a / b for a, b in pairs)
