"""Acts of people for the room's steward. Each lane executes its acts one after another. Pure.

    acts.add(ticket, Rename(holder, "Friday"))    # parked; returns the lane if the steward must be called
    task = acts.take("house")                     # by the steward: the next act, with its number
    acts.end(task.number)                         # the ticket of the request to answer

If an act is withdrawn before the steward takes it, the act has no effect. If it is withdrawn later, the act continues,
and its answer is dropped.
"""

from __future__ import annotations

from typing import Final

from scramble.kernel.protocol import Ticket
from scramble.rooms.gathering.messages import Begin, Lane, Vote
from scramble.rooms.gathering.stewardmessages import BeginAgreed, StewardAct, Task

NO_REQUEST: Final = Ticket(-1)
"""The ticket of acts without a request. A new act of this kind replaces a waiting one in its lane."""


class Acts:
    """The steward's waiting and current acts. Mutable."""

    # AF: _waiting has the waiting acts, in order, by lane and by the ticket of the request. _taken has the ticket of
    #     the steward's current act by lane. _dropped has the tickets of current acts with ended requests. _called has
    #     the lanes in which the steward works: it was called for the lane, and has not found it empty since then.
    # RI: the lanes with acts in _waiting, and the lanes in _taken, are in _called; _dropped has only values of _taken.

    __slots__ = ("_called", "_dropped", "_taken", "_waiting")

    def __init__(self) -> None:
        self._waiting: Final[dict[Lane, dict[Ticket, StewardAct]]] = {}
        self._taken: Final[dict[Lane, Ticket]] = {}
        self._dropped: Final[set[Ticket]] = set()
        self._called: Final[set[Lane]] = set()

    def add(self, ticket: Ticket, act: StewardAct) -> Lane | None:
        """Add an act behind the others; return its lane if the steward must be called."""
        lane = _lane_of(act)
        self._waiting.setdefault(lane, {})[ticket] = act
        if lane in self._called:
            return None
        self._called.add(lane)
        return lane

    def withdraw(self, ticket: Ticket) -> None:
        """Note that the request with that ticket has ended."""
        for acts in self._waiting.values():
            acts.pop(ticket, None)
        if ticket in self._taken.values():
            self._dropped.add(ticket)

    def take(self, lane: Lane) -> Task | None:
        """Return the next act of a lane; None if no act waits, or if the last taken act has not ended."""
        if lane in self._taken:
            return None
        acts = self._waiting.get(lane)
        if not acts:
            self._called.discard(lane)
            return None
        ticket = self._taken[lane] = next(iter(acts))
        return Task(ticket, acts.pop(ticket))

    def end(self, number: int) -> Ticket | None:
        """End the taken act with that number; return the ticket of its request, or None without a request."""
        lane, ticket = next((lane, ticket) for lane, ticket in self._taken.items() if ticket == number)
        del self._taken[lane]
        if ticket in self._dropped:
            self._dropped.remove(ticket)
            return None
        return None if ticket == NO_REQUEST else ticket

    def __str__(self) -> str:
        return f"{sum(map(len, self._waiting.values()))} acts wait"


def _lane_of(act: StewardAct) -> Lane:
    match act:
        case Begin() | BeginAgreed():
            return "next"
        case Vote():
            return "votes"
        case _:
            return "house"
