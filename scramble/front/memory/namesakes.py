"""Browsers that play under one name, where names belong to everybody: the second one gets a warning.

Safe under concurrency: the counts change between two awaits.
"""

from __future__ import annotations

from collections import Counter
from typing import Final


class Namesakes:
    """The browsers of the players of one game. Mutable."""

    # AF: each player in _browsers has so many connections from each browser that is known.
    # RI: every count is positive, and no counter is empty.

    def __init__(self) -> None:
        self._browsers: Final[dict[str, Counter[str]]] = {}

    def arrive(self, player: str, browser: str) -> bool:
        """Count a connection. Return True if another browser has one of that player, too."""
        browsers = self._browsers.setdefault(player, Counter())
        browsers[browser] += 1
        return len(browsers) > 1

    def leave(self, player: str, browser: str) -> None:
        """Count a connection less."""
        browsers = self._browsers[player]
        browsers[browser] -= 1
        if not browsers[browser]:
            del browsers[browser]
        if not browsers:
            del self._browsers[player]

    def __str__(self) -> str:
        return f"browsers of {len(self._browsers)} players"
