"""Limit by player: the number of waiting requests of one player.

Safe under concurrency: places are taken and returned between two awaits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from scramble.errors import CallerError


class TooManyWaiting(CallerError):
    """The player has as many waiting requests as allowed. Nothing has changed."""

    code = "too-many-waiting"
    status = 429


class PlayerConcurrencyLimit:
    """Limits the waiting requests of each player to `most`."""

    # AF: _taken has the number of waiting requests of each player. RI: every count is from 1 to _most.

    def __init__(self, most: int) -> None:
        self._most: Final = most
        self._taken: Final = Counter[str]()

    @contextmanager
    def place(self, player: str) -> Iterator[None]:
        """Take one of the player's places during the block. Raises TooManyWaiting if all are taken."""
        if self._taken[player] >= self._most:
            raise TooManyWaiting(f"{player} already has {self._most} waiting requests, the maximum")
        self._taken[player] += 1
        try:
            yield
        finally:
            self._taken[player] -= 1
            if not self._taken[player]:
                del self._taken[player]

    def __str__(self) -> str:
        return ", ".join(f"{player}: {count}" for player, count in sorted(self._taken.items())) or "nobody waits"
