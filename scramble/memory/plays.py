"""Plays: the cards of a player's earlier flips. The player's next flip continues or finishes a play.

The next flip of a player without a play takes a first card and finishes no play. A waiting player has no play.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from scramble.memory.table import Space


class FirstCard(msgspec.Struct, frozen=True, eq=False):
    """The player controls a first card (1-B, 1-C). The next flip is a second card."""

    space: Space


class Pair(msgspec.Struct, frozen=True, eq=False):
    """The player controls a matching pair (2-D). The next first flip removes it (3-A)."""

    first: Space
    second: Space


class Leftover(msgspec.Struct, frozen=True, eq=False):
    """The player relinquished control of one or two cards (2-A, 2-B, 2-E, or by leaving).

    The next first flip turns these cards down if they are still on the board, face up and uncontrolled (3-B).
    """

    spaces: tuple[Space, ...]


Play: TypeAlias = FirstCard | Pair | Leftover


def controlled(play: Play | None) -> tuple[Space, ...]:
    """Return the spaces whose cards a player with this play controls."""
    if type(play) is FirstCard:
        return (play.space,)
    return (play.first, play.second) if type(play) is Pair else ()


def moved(play: Play, spaces: dict[Space, Space]) -> Play:
    """Return the same play on `spaces[space]` instead of each `space`."""
    match play:
        case FirstCard(space):
            return FirstCard(spaces[space])
        case Pair(first, second):
            return Pair(spaces[first], spaces[second])
        case Leftover(left):
            return Leftover(tuple(spaces[space] for space in left))
