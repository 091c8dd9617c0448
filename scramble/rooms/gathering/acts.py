"""Acts of people that the steward of the room carries out, in each lane one after another. Pure.

    acts.add(ticket, Rename(holder, "Friday"))    # parked; the lane for which the steward is to be called
    task = acts.take("house")                     # by the steward: the next act, under its number
    acts.end(task.number)                         # the ticket of the request to answer

An act that is withdrawn before the steward has taken it never happened. One that is withdrawn after that goes on, and
its answer is dropped.
"""

from __future__ import annotations

from typing import Final

from scramble.kernel.protocol import Ticket
from scramble.rooms.gathering.messages import Begin, Lane, Vote
from scramble.rooms.gathering.stewardmessages import BeginAgreed, StewardAct, Task

NO_REQUEST: Final = Ticket(-1)
"""The ticket of an act that nobody has asked for. If one waits already, another one replaces it."""


class Acts:
    """The acts that wait for the steward, and those that it does. Mutable."""

    # AF: the acts in _waiting wait, in order, by their lanes and the tickets of their requests. The steward does those
    #     of _taken, one of each lane; the requests of those in _dropped have ended. For the lanes in _called a steward
    #     was called, and has not found them empty since then.
    # RI: the lanes with acts in _waiting, and those in _taken, are in _called; _dropped are values of _taken.

    __slots__ = ("_called", "_dropped", "_taken", "_waiting")

    def __init__(self) -> None:
        self._waiting: Final[dict[Lane, dict[Ticket, StewardAct]]] = {}
        self._taken: Final[dict[Lane, Ticket]] = {}
        self._dropped: Final[set[Ticket]] = set()
        self._called: Final[set[Lane]] = set()

    def add(self, ticket: Ticket, act: StewardAct) -> Lane | None:
        """Add an act behind the others; return its lane if a steward is to be called for that."""
        lane = _lane_of(act)
        self._waiting.setdefault(lane, {})[ticket] = act
        if lane in self._called:
            return None
        self._called.add(lane)
        return lane

    def withdraw(self, ticket: Ticket) -> None:
        """Note that the request of that ticket has ended."""
        for acts in self._waiting.values():
            acts.pop(ticket, None)
        if ticket in self._taken.values():
            self._dropped.add(ticket)

    def take(self, lane: Lane) -> Task | None:
        """Return the next act of a lane; None if no act waits, or if the one that was taken last has not ended."""
        if lane in self._taken:
            return None
        acts = self._waiting.get(lane)
        if not acts:
            self._called.discard(lane)
            return None
        ticket = self._taken[lane] = next(iter(acts))
        return Task(ticket, acts.pop(ticket))

    def end(self, number: int) -> Ticket | None:
        """End the act that was taken under that number; return the ticket of its request, None if nobody waits."""
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
