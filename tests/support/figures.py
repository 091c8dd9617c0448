"""The figures of a torture: collected while it runs, printed at the end.

    report("kill", {"kills": "5", "acknowledged answers, all kept": "1840"})

In a test the figures appear below the summary of pytest (a hook in tests/conftest.py), with `python -m
tests.search.torture` below the name of the torture. No test result depends on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

Figures: TypeAlias = Mapping[str, str]
"""Name of a count or a measure -> its value, with its unit."""

_reported: dict[str, dict[str, str]] = {}


def report(name: str, figures: Figures) -> None:
    """Add figures to print below that name. They replace figures with the same label."""
    _reported.setdefault(name, {}).update(figures)


def reported() -> Mapping[str, Figures]:
    """Return all figures that were reported so far in this process."""
    return _reported


def lines(figures: Figures) -> Iterator[str]:
    """Yield one aligned line for each figure."""
    width = max(map(len, figures), default=0)
    return (f"  {label:<{width}}  {value}" for label, value in figures.items())
