"""Values from the entry points of installed distributions. A distribution can add a game in this way.

[project.entry-points."scramble.games"]
memory = "scramble.memory.kind:MEMORY"

load("scramble.games", GameKind).found["memory"]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Final, Generic, TypeVar

KINDS_GROUP: Final = "scramble.games"
"""The name of the group of entry points for `GameKind`s."""

FRONTS_GROUP: Final = "scramble.fronts"
"""The name of the group of entry points for `GameFront`s."""

HOUSE: Final = "scramble"  # no other distribution can replace the values of this distribution

V = TypeVar("V")


@dataclass(frozen=True)
class Plugins(Generic[V]):
    """The values of a group of entry points, by their names, and one line for each value that could not be loaded."""

    found: Mapping[str, V]
    failed: tuple[str, ...]


def names_in(group: str) -> list[str]:
    """Return the names of a group of entry points, in alphabetical order. Imports nothing. Blocks."""
    return sorted({point.name for point in entry_points(group=group)})


def load(group: str, kind: type[V]) -> Plugins[V]:
    """Import the values of a group of entry points. Each value must have the type `kind`. Blocks.

    A module of another distribution may raise any exception, so each exception becomes a line of `failed`.
    """
    found: dict[str, V] = {}
    failed: list[str] = []
    for point in _house_first(entry_points(group=group)):
        try:
            value = point.load()
        except Exception as error:
            failed.append(f"{_described(point)} cannot be loaded: {_in_one_line(error)}")
            continue
        if not isinstance(value, kind):
            failed.append(f"{_described(point)} cannot be loaded: {point.value} is not a {kind.__name__}")
        elif point.name in found:
            failed.append(f"{_described(point)} is ignored: another game has the same name")
        else:
            found[point.name] = value
    return Plugins(found, tuple(failed))


def _house_first(points: Iterable[EntryPoint]) -> list[EntryPoint]:
    return sorted(points, key=lambda point: (_distribution(point) != HOUSE, point.name))


def _distribution(point: EntryPoint) -> str:
    return "" if point.dist is None else point.dist.name


def _described(point: EntryPoint) -> str:
    return f"the game {point.name!r} of the distribution {_distribution(point)!r}"


def _in_one_line(error: Exception) -> str:
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
