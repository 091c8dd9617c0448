"""Scores: the pairs that each player has removed, for a limited number of players who have flipped.

At the limit, a new player replaces the player with the fewest pairs. Among players with equal pairs, the new player
replaces the player who joined first. Pure, like all rules.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from itertools import islice
from typing import Final

from scramble.kernel.protocol import MOST_NAMED, Event
from scramble.memory.messages import Forgotten, Joined, ScoreCount

MOST_SCORES: Final = 1000
"""Limit of the players with a score in a new game. Fewer players play at once on one process; the scores need little
memory."""


class Scores:
    """Scores of one game. Mutable; iterates over the players, in the order of their first flips."""

    # AF: _pairs maps each player to the number of pairs. At most `most` players have a score; None: no limit.
    # RI: no number of pairs is negative; most is None or len(_pairs) <= most >= 1.
    # Safe from rep exposure: callers get only a view of the dictionary, and read this view at once.

    def __init__(self, pairs: Mapping[str, int] | None = None, most: int | None = None) -> None:
        self._pairs = dict(pairs or {})
        self.most = most

    def copy(self) -> Scores:
        """Return an independent copy."""
        return Scores(self._pairs, self.most)

    def __iter__(self) -> Iterator[str]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __contains__(self, player: str) -> bool:
        return player in self._pairs

    def items(self) -> ItemsView[str, int]:
        """Return the players with their pairs."""
        return self._pairs.items()

    def join(self, player: str) -> list[Event]:
        """Give a new `player` a score of 0; at the limit, forget another player. Return the events."""
        events: list[Event] = [Joined(player)]
        if self.most is not None:
            events += self._forget(len(self._pairs) + 1 - self.most)
        self._pairs[player] = 0
        if len(self._pairs) > MOST_NAMED:
            events.append(ScoreCount(len(self._pairs)))
        return events

    def add_pair(self, player: str) -> int:
        """Count one more pair for a player with a score; return the player's number of pairs."""
        self._pairs[player] += 1
        return self._pairs[player]

    def bound(self, most: int) -> list[Event]:
        """Store at most `most` scores from now on; return the events."""
        self.most = most
        events = self._forget(len(self._pairs) - most)
        if events:
            events.append(ScoreCount(len(self._pairs)))
        return events

    def reset(self) -> None:
        """Set every score to 0."""
        self._pairs = dict.fromkeys(self._pairs, 0)

    def _forget(self, number: int) -> list[Event]:
        if number <= 0:
            return []
        if number == 1:  # min and sorted both take the first of equal players
            leaving = [min(self._pairs, key=self._pairs.__getitem__)]
        else:
            leaving = list(islice(sorted(self._pairs, key=self._pairs.__getitem__), number))
        for player in leaving:
            del self._pairs[player]
        return list(map(Forgotten, leaving))

    def check_rep(self) -> None:
        """Assert the representation invariant."""
        assert all(pairs >= 0 for pairs in self._pairs.values())
        assert self.most is None or len(self._pairs) <= self.most >= 1
