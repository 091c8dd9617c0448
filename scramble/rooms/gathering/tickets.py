"""Tickets for seats that go to another device: each works once, and only for some minutes. Pure.

Whoever shows the ticket gets the seat in this room, and no other of the old device. Tickets are random and in memory
alone: a room that has slept knows none.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from scramble.rooms.gathering.messages import SeatTicket
from scramble.rooms.gathering.refusals import NoSuchTicket

VALID_S: Final = 300.0  # to take up the other device, and to point its camera at this one
MOST_TICKETS: Final = 1000  # in a room; the oldest is forgotten


class _Given(NamedTuple):
    ticket: SeatTicket
    until: float


class SeatTickets:
    """The tickets of one room. Mutable."""

    # AF: _given has the tickets that were given and not used, by their texts, oldest first.
    # RI: at most MOST_TICKETS.

    def __init__(self) -> None:
        self._given: Final[dict[str, _Given]] = {}

    def give(self, text: str, ticket: SeatTicket, now: float) -> None:
        """Note a ticket. Those for the same seat are void from now on."""
        for old, given in list(self._given.items()):
            if given.ticket.player == ticket.player or len(self._given) >= MOST_TICKETS:
                del self._given[old]
        self._given[text] = _Given(ticket, now + VALID_S)

    def find(self, text: str, now: float) -> SeatTicket:
        """Return the seat of a ticket. Raises NoSuchTicket."""
        given = self._given.get(text)
        if given is None or given.until <= now:
            raise NoSuchTicket
        return given.ticket

    def void(self, text: str) -> None:
        """Have a ticket that was used work no more."""
        self._given.pop(text, None)

    def __str__(self) -> str:
        return f"{len(self._given)} tickets"
