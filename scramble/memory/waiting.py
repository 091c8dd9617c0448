"""Waiting flips: one queue for each card, first in, first out (rule 1-D). Every step takes constant time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

import msgspec

from scramble.kernel.protocol import Ticket
from scramble.memory.table import Space


class Waiter(msgspec.Struct, frozen=True):
    """A waiting flip: its ticket, its player, and the space of the awaited card."""

    ticket: Ticket
    player: str
    space: Space


class WaitingRoom:
    """Waiting flips of one board, at most one per player. Mutable. Iterates over the flips, longest wait first."""

    # AF: the flips in _by_player wait, longest wait first; _queues has the same waiters by space.
    # RI: the three dictionaries hold the same waiters, under ticket, player and space; no queue is empty.
    # Safe from rep exposure: waiters are frozen, and no method returns the dictionaries. Spaces are mutable, and belong
    #     to the table; here they are only keys.
    # The queues are OrderedDicts, because access to the first item of a plain dict skips all deleted items.

    def __init__(self) -> None:
        self._by_player: dict[str, Waiter] = {}
        self._by_ticket: dict[Ticket, Waiter] = {}
        self._queues: dict[Space, OrderedDict[Ticket, Waiter]] = {}

    def __iter__(self) -> Iterator[Waiter]:
        return iter(self._by_player.values())

    def __contains__(self, player: str) -> bool:
        return player in self._by_player

    def enter(self, waiter: Waiter) -> None:
        """Add `waiter` at the end of the queue for its card. Requires a player who does not wait yet."""
        assert waiter.player not in self._by_player
        self._by_player[waiter.player] = waiter
        self._by_ticket[waiter.ticket] = waiter
        self._queues.setdefault(waiter.space, OrderedDict())[waiter.ticket] = waiter

    def leave(self, ticket: Ticket) -> Waiter | None:
        """Remove and return the waiting flip with this ticket; None if no flip waits with this ticket."""
        waiter = self._by_ticket.pop(ticket, None)
        if waiter is None:
            return None
        del self._by_player[waiter.player]
        queue = self._queues[waiter.space]
        del queue[ticket]
        if not queue:
            del self._queues[waiter.space]
        return waiter

    def awaits(self, space: Space) -> bool:
        """Return True if a flip waits for this card."""
        return space in self._queues

    def next(self, space: Space) -> Waiter | None:
        """Remove and return the flip that has waited longest for this card; None if no flip waits."""
        queue = self._queues.get(space)
        return None if queue is None else self.leave(next(iter(queue)))

    def dismiss(self, space: Space) -> list[Waiter]:
        """Remove and return all flips that wait for this card, longest wait first."""
        queue = self._queues.pop(space, None)
        if queue is None:
            return []
        for waiter in queue.values():
            del self._by_player[waiter.player]
            del self._by_ticket[waiter.ticket]
        return list(queue.values())

    def dismiss_all(self) -> list[Waiter]:
        """Remove and return all waiting flips, longest wait first."""
        waiters = list(self._by_player.values())
        self._by_player.clear()
        self._by_ticket.clear()
        self._queues.clear()
        return waiters

    def check_rep(self) -> None:
        """Assert the representation invariant."""
        assert {waiter.ticket: waiter for waiter in self} == self._by_ticket
        queued = [waiter for queue in self._queues.values() for waiter in queue.values()]
        assert len(queued) == len(self._by_player)
        assert all(self._by_player[waiter.player] is waiter for waiter in queued)
        assert all(waiter.space is space for space, queue in self._queues.items() for waiter in queue.values())
        assert all(self._queues.values())
