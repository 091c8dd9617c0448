"""The statistics of the games in all rooms by kind. They include the running and the ended games.

The owner of a room's game ends when the room falls asleep. Its counts stay here, so that a sum over all rooms never
decreases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from scramble.games.room import RoomGame
from scramble.kernel.stats import Stats, total_of


class KindStats(msgspec.Struct, frozen=True):
    """Statistics of all games of one kind: the numbers of woken and of running games, and their owners' statistics."""

    woken: int
    awake: int
    owners: Stats


NO_GAMES: Final = KindStats(0, 0, total_of(()))


def with_moves(stats: KindStats, others: KindStats) -> KindStats:
    """Return `stats` plus the moves of `others`."""
    moves = total_of((stats.owners, others.owners)).moves
    return msgspec.structs.replace(stats, owners=msgspec.structs.replace(stats.owners, moves=moves))


class GameStats:
    """Statistics of all games in rooms, by kind. Mutable. Safe under concurrency: changes happen between two awaits."""

    # AF: the running games in _running, with their kinds. The counts of ended games add up to _ended. _woken counts all
    #     games of each kind.
    # Safety from exposure: statistics are immutable.

    def __init__(self) -> None:
        self._running: Final[dict[RoomGame, str]] = {}
        self._ended: Final[dict[str, Stats]] = {}
        self._woken: Final = Counter[str]()

    @contextmanager
    def running(self, kind: str, game: RoomGame) -> Iterator[None]:
        """Count a running game of that kind during the block."""
        self._running[game] = kind
        self._woken[kind] += 1
        try:
            yield
        finally:
            del self._running[game]
            last = msgspec.structs.replace(game.stats(), parked={}, queued=0, followers=0)
            before = self._ended.get(kind)
            self._ended[kind] = last if before is None else total_of((before, last))

    def read(self) -> dict[str, KindStats]:
        """Return the statistics of all games by kind."""
        found = {kind: [stats] for kind, stats in self._ended.items()}
        for game, kind in self._running.items():
            found.setdefault(kind, []).append(game.stats())
        awake = Counter(self._running.values())
        return {kind: KindStats(self._woken[kind], awake[kind], total_of(stats)) for kind, stats in found.items()}

    def __str__(self) -> str:
        return ", ".join(f"{count} games of {kind}" for kind, count in sorted(self._woken.items())) or "no games"
