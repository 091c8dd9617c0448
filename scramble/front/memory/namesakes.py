"""Namesakes: several browsers that play under one name, in a game without seats. The second browser gets a warning.

Safe under concurrency: the counts change between two awaits.
"""

from __future__ import annotations

from collections import Counter
from typing import Final


class Namesakes:
    """The browsers of the players of one game. Mutable."""

    # AF: _browsers has the number of connections of each player from each browser.
    # RI: every count is positive, and no counter is empty.

    def __init__(self) -> None:
        self._browsers: Final[dict[str, Counter[str]]] = {}

    def arrive(self, player: str, browser: str) -> bool:
        """Count a connection. Return True if another browser also has a connection of that player."""
        browsers = self._browsers.setdefault(player, Counter())
        browsers[browser] += 1
        return len(browsers) > 1

    def leave(self, player: str, browser: str) -> None:
        """Remove a connection from the count."""
        browsers = self._browsers[player]
        browsers[browser] -= 1
        if not browsers[browser]:
            del browsers[browser]
        if not browsers:
            del self._browsers[player]

    def __str__(self) -> str:
        return f"browsers of {len(self._browsers)} players"
