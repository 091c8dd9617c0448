"""Reports of controlled and awaited cards to `ReleaseTimers`, made from the game's events.

A player has control from `Took` to `Relinquished` or `Removed`. A player waits from `Waiting` to `Withdrawn` or to the
`Took` of the card. A new game ends all control and all waiting. This module does not report matched pairs of a finished
game: they have no time limit, because the rules refuse to release them.

Safe under concurrency, because the task that publishes the events handles them without an await.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final, TypeAlias

from scramble.errors import GameStopped
from scramble.kernel.changes import Changes
from scramble.kernel.protocol import Event
from scramble.memory.messages import (
    FaceUp,
    PairsLeft,
    Relinquished,
    Removed,
    Restarted,
    Scored,
    Snapshot,
    Took,
    Waiting,
    Withdrawn,
)
from scramble.players.idle import ReleaseTimers

Place: TypeAlias = tuple[int, int]
FollowTable: TypeAlias = Callable[[], Awaitable[tuple[Snapshot, Changes]]]


class Holdings:
    """Controlled cards of the players of one game. Reports every change to `ReleaseTimers`. Mutable."""

    # AF: _cards[p] are the places of the cards that player p controls; _holders maps each place to the controlling
    #     player. Player p waits for the card at _waiting[p]; _waiters counts the waiting players by place. _pairs_left
    #     is the number of pairs on the board, controlled or not; infinity: unknown, after a new game. The players in
    #     _kept hold pairs of a finished game; for the timers they hold no card.
    # RI: no set in _cards is empty, and no count in _waiters is 0; a player controls each awaited card.

    def __init__(self, snapshot: Snapshot, timers: ReleaseTimers) -> None:
        self._timers: Final = timers
        self._cards: Final[dict[str, set[Place]]] = {}
        self._holders: Final[dict[Place, str]] = {}
        self._waiting: Final[dict[str, Place]] = {}
        self._waiters: Final = Counter[Place]()
        self._pairs_left = math.inf
        self._kept = frozenset[str]()
        self.replace_all(snapshot)

    def replace_all(self, snapshot: Snapshot) -> None:
        """Take over the state of `snapshot`. For a player who already controlled cards, do not report a new card."""
        before = set(self._cards).difference(self._kept)
        self._clear()
        for index, cell in enumerate(snapshot.cells):
            if isinstance(cell, FaceUp) and cell.by is not None:
                self._take(divmod(index, snapshot.columns), cell.by)
        for player in before.difference(self._cards):
            self._timers.let_go(player)
        for player in self._cards.keys() - before:
            self._timers.hold(player)
        for player, place in snapshot.waiting.items():
            self._wait(player, place)
        for player in self._cards:
            self._report(player)
        self._pairs_left = snapshot.pairs_left
        self._kept = frozenset()
        self.keep_last_pairs()

    def keep_last_pairs(self) -> None:
        """Report that players with a pair of a finished game hold no card. If the game continues, report their cards.

        Call this method after all events of a change.
        """
        if self._pairs_left > len(self._cards) and not self._kept:
            return  # a pair is still unmatched
        pairs = frozenset(player for player, cards in self._cards.items() if len(cards) == 2)
        kept = pairs if self._pairs_left <= len(pairs) else frozenset[str]()
        for player in kept - self._kept:
            self._timers.let_go(player)
        for player in pairs.intersection(self._kept - kept):
            self._timers.hold(player)
            self._report(player)
        self._kept = kept

    def apply(self, event: Event) -> None:
        """Apply one event to the state."""
        match event:
            case Took(row, column, player):
                self._stop_waiting(player)
                self._take((row, column), player)
                self._timers.hold(player)
                self._report(player)
            case Relinquished(row, column, player) | Removed(row, column, player):
                self._lose((row, column), player)
            case Waiting(row, column, player):
                self._wait(player, (row, column))
                self._report(self._holders.get((row, column)))
            case Withdrawn(row, column, player):
                self._stop_waiting(player)
                self._report(self._holders.get((row, column)))
            case Restarted():
                for holder in self._cards:
                    self._timers.let_go(holder)
                self._clear()
                self._pairs_left = math.inf
            case Scored(pairs_left=left) | PairsLeft(pairs_left=left):
                self._pairs_left = left

    def _take(self, place: Place, player: str) -> None:
        self._cards.setdefault(player, set()).add(place)
        self._holders[place] = player

    def _lose(self, place: Place, player: str) -> None:
        self._cards[player].remove(place)
        del self._holders[place]
        if not self._cards[player]:
            del self._cards[player]
            self._timers.let_go(player)

    def _wait(self, player: str, place: Place) -> None:
        self._waiting[player] = place
        self._waiters[place] += 1

    def _stop_waiting(self, player: str) -> None:
        place = self._waiting.pop(player, None)
        if place is not None:
            self._waiters[place] -= 1
            if not self._waiters[place]:
                del self._waiters[place]

    def _report(self, player: str | None) -> None:
        if player is not None:
            self._timers.set_awaited(player, any(place in self._waiters for place in self._cards[player]))

    def _clear(self) -> None:
        self._cards.clear()
        self._holders.clear()
        self._waiting.clear()
        self._waiters.clear()


@asynccontextmanager
async def keep_holdings(follow: FollowTable, timers: ReleaseTimers) -> AsyncIterator[None]:
    """Report the controlled and awaited cards of a game to `timers` during the block, from the current state on.

    `follow` follows the game. The timers must stay open during the block. An exception raised in the block is raised
    unchanged. Raises the exceptions of `follow`.
    """
    keeper = _Keeper(follow, timers, *await follow())
    with keeper.changes.watched(keeper.keep):
        keeper.keep()  # the changes since the snapshot
        yield


class _Keeper:
    """Keeper of the holdings of a game. It has no task: the publisher of the changes calls `keep`."""

    # AF: _holdings has the state before the next change of `changes`. After the loss of changes, _lost is True until
    #     _start_over has run.

    def __init__(self, follow: FollowTable, timers: ReleaseTimers, snapshot: Snapshot, changes: Changes) -> None:
        self.changes = changes
        self._follow: Final = follow
        self._timers: Final = timers
        self._holdings: Final = Holdings(snapshot, timers)
        self._lost = False

    def keep(self) -> None:
        """Report the new changes. Does not wait or raise. After a bug, a new task raises it and ends the game."""
        if not self._lost and self.changes.behind:
            news = self.changes.pending()
            self._lost = any(change.missed for change in news)
            if self._lost:
                self._timers.start_soon(self._start_over)
                return
            try:
                for change in news:
                    for event in change.events:
                        self._holdings.apply(event)
                    self._holdings.keep_last_pairs()
            except Exception as bug:
                self._timers.start_soon(partial(_raise, bug))

    async def _start_over(self) -> None:
        with suppress(GameStopped):  # the game has ended; it reports the reason itself
            snapshot, self.changes = await self._follow()
            self._holdings.replace_all(snapshot)
            self._lost = False
            self.keep()


async def _raise(bug: Exception) -> None:
    raise bug
