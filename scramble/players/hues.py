"""Hues of the players at one table: each connected player has a different colour of the pages' palette. Pure.

Each player's ID determines a default hue (`wish_of`). The pages also compute this hue (client/shared/hues.js). If the
default hue resembles the hue of a connected player, or of a player who has just left, the player gets the hue that
differs most from these hues. The server sends the pages only hues that differ from the default hue. The second player
of a table gets a hue that differs clearly from the first player's hue; no three hues of the palette differ clearly from
each other. The hue of a connected player does not change. A player who comes back gets the former hue if it is free,
and if it differs clearly from the hue of the only other player. If there are more players than hues, further players
get their default hues.

The time for arriving and leaving does not depend on the number of players.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

HUES: Final = 12
"""Colours of the palette (client/shared/tokens.css)."""

MOST_AWAY: Final = 3
"""Number of the last players to leave: they are likely to come back, so new hues differ from their hues, too."""

CLEAR: Final = 20
"""The minimum difference (CIEDE2000) of two clearly different hues: nobody confuses them."""

# fmt: off
APART: Final = (
    (0, 9, 21, 44, 10, 20, 20, 24, 9, 10, 19, 19),
    (9, 0, 12, 10, 10, 11, 11, 24, 11, 15, 11, 15),
    (21, 12, 0, 9, 27, 14, 10, 9, 11, 20, 9, 16),
    (44, 10, 9, 0, 17, 9, 9, 13, 41, 36, 15, 25),
    (10, 10, 27, 17, 0, 10, 10, 14, 10, 10, 11, 18),
    (20, 11, 14, 9, 10, 0, 13, 10, 11, 14, 14, 20),
    (20, 11, 10, 9, 10, 13, 0, 10, 12, 11, 11, 11),
    (24, 24, 9, 13, 14, 10, 10, 0, 21, 20, 10, 18),
    (9, 11, 11, 41, 10, 11, 12, 21, 0, 11, 15, 10),
    (10, 15, 20, 36, 10, 14, 11, 20, 11, 0, 20, 10),
    (19, 11, 9, 15, 11, 14, 11, 10, 15, 20, 0, 11),
    (19, 15, 16, 25, 18, 20, 11, 18, 10, 10, 11, 0),
)
# fmt: on
"""Difference of two hues (CIEDE2000): the minimum over the themes and the kinds of colour vision."""

_BITS: Final = 0xFFFFFFFF


def wish_of(player: str) -> int:
    """Return a player's default hue, computed from the ID like in client/shared/hues.js."""
    mixed = 18229  # FNV-1a and an avalanche; with this basis, the names that people try first have different hues
    for character in player:
        mixed = (mixed ^ ord(character)) * 0x01000193 & _BITS
    mixed ^= mixed >> 16
    mixed = mixed * 0x85EBCA6B & _BITS
    mixed ^= mixed >> 13
    return mixed % HUES


class HueTable:
    """The hues of the players at one table. Mutable; `scramble.players.presence` knows the present players."""

    # AF: _hues has the hue of each present player, and of each remembered player who has left. _taken has the number
    #     of present players for each hue. _other has the hues that are not the default hue of their player; it has
    #     changed `version` times.
    # RI: while no more than HUES players are present, their hues are all different.
    # Safety from exposure: `other` returns a copy.

    def __init__(self) -> None:
        self.version = 0
        self._hues: Final[dict[str, int]] = {}
        self._taken: Final[Counter[int]] = Counter()
        self._other: Final[dict[str, int]] = {}

    def give(self, player: str, left: Iterable[str]) -> None:
        """Give an arriving player a hue. `left` are the players who have left, the latest first."""
        hue = self._choose(player, left)
        self._hues[player] = hue
        self._taken[hue] += 1
        self._note(player, None if hue == wish_of(player) else hue)

    def free(self, player: str) -> None:
        """Note that a player has left: other players may get the hue now."""
        self._taken[self._hues[player]] -= 1

    def forget(self, player: str) -> None:
        """Forget the hue of a player who has left."""
        del self._hues[player]
        self._note(player, None)

    def adopt(self, here: Iterable[str], left: Iterable[str], other: Mapping[str, int]) -> None:
        """Take over the hues of another table, for the players `here` and the players who have `left`."""
        self._hues.clear()
        self._taken.clear()
        self.version += other != self._other
        self._other.clear()
        self._other.update(other)
        for player in here:
            self._hues[player] = other.get(player, wish_of(player))
            self._taken[self._hues[player]] += 1
        for player in left:
            self._hues[player] = other.get(player, wish_of(player))

    def of(self, player: str) -> int:
        """Return the hue of a player."""
        return self._hues.get(player, wish_of(player))

    @property
    def other(self) -> dict[str, int]:
        """The hues that are not the default hue of their player, by ID in alphabetical order."""
        return dict(sorted(self._other.items()))

    def _choose(self, player: str, left: Iterable[str]) -> int:
        wish = wish_of(player)
        here = [hue for hue in range(HUES) if self._taken[hue]]
        free = [hue for hue in range(HUES) if not self._taken[hue]]
        if len(here) == 1:  # the new hue differs clearly from the hue of the only player
            free = [hue for hue in free if _least_apart(hue, here) >= CLEAR]
        former = self._hues.get(player)
        if former in free:
            return former
        known = [*here, *(self._hues[one] for one in islice(left, MOST_AWAY))]
        if wish in free and _least_apart(wish, known) >= CLEAR:
            return wish
        return max(free, key=lambda hue: _least_apart(hue, known), default=wish)

    def _note(self, player: str, other: int | None) -> None:
        """Note that a player's hue is `other` instead of the default hue; None: it is the default hue."""
        if self._other.get(player) == other:
            return
        self.version += 1
        if other is None:
            del self._other[player]
        else:
            self._other[player] = other

    def __str__(self) -> str:
        return f"{self._taken.total()} players have hues; {len(self._other)} hues differ from the default hue"


def _least_apart(hue: int, others: Sequence[int]) -> int:
    """Return the difference of a hue from the most similar hue of `others`."""
    return min((APART[hue][other] for other in others), default=CLEAR)
