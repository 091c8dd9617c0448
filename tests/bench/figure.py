"""A figure: what was measured, and its ratio to a bare limit of the same run: that means something elsewhere too."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import TypeVar

import msgspec

T = TypeVar("T")


class Figure(msgspec.Struct, frozen=True):
    """`measured` and `limit` say what the two are, with units. Without an aim the figure is only told."""

    name: str
    measured: str
    limit: str
    ratio: float
    at_least: float | None = None
    at_most: float | None = None

    @property
    def aim(self) -> str:
        """The aim in words."""
        if self.at_least is not None:
            return f"at least {self.at_least:g}"
        return "" if self.at_most is None else f"at most {self.at_most:g}"

    @property
    def met(self) -> bool | None:
        """Whether the aim is met; None if there is none."""
        if self.at_least is not None:
            return self.ratio >= self.at_least
        return None if self.at_most is None else self.ratio <= self.at_most


def alternate(rounds: int, one: Callable[[], float], other: Callable[[], float]) -> tuple[float, float, float]:
    """Measure the two in turns, so that what else the machine does befalls both alike.

    The medians of both, and the median of the rounds' ratios, one to other.
    """
    pairs = [(one(), other()) for _ in range(rounds)]
    return median(a for a, _ in pairs), median(b for _, b in pairs), median(a / b for a, b in pairs)
