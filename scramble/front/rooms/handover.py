"""Seats that go to another device: a ticket for one seat, which works once, and only for some minutes.

Whoever shows the ticket gets the seat in this room, and no other of the old device. Tickets are random and in memory
alone: a room that has slept knows none. Safe under concurrency: the tickets change between two awaits.
"""

from __future__ import annotations

import secrets
from typing import Final, NamedTuple

import trio

from scramble.errors import Refusal

VALID_S: Final = 300.0  # to take up the other device, and to point its camera at this one
MOST_TICKETS: Final = 1000  # in a room; the oldest is forgotten
TICKET_BYTES: Final = 16  # of randomness


class NoSuchTicket(Refusal):
    """A ticket that was never given, was used, or is too old."""

    code = "no-such-ticket"
    status = 410

    def __init__(self) -> None:
        super().__init__("this link has been used already, or is too old: ask for another one on your first device")


class SeatTicket(NamedTuple):
    """A seat to hand over, of the holder that asked for it."""

    player: str
    holder: str
    until: float  # in seconds of trio's clock


class SeatTickets:
    """The tickets of one room. Mutable."""

    # AF: _tickets has the tickets that were given and not used, oldest first.
    # RI: at most MOST_TICKETS.

    def __init__(self) -> None:
        self._tickets: Final[dict[str, SeatTicket]] = {}

    def give(self, player: str, holder: str) -> str:
        """Return a ticket for that seat. Those for the same seat are void from now on."""
        for old, ticket in list(self._tickets.items()):
            if ticket.player == player or len(self._tickets) >= MOST_TICKETS:
                del self._tickets[old]
        text = secrets.token_urlsafe(TICKET_BYTES)
        self._tickets[text] = SeatTicket(player, holder, trio.current_time() + VALID_S)
        return text

    def find(self, text: str) -> SeatTicket:
        """Return the seat of a ticket. Raises NoSuchTicket."""
        ticket = self._tickets.get(text)
        if ticket is None or ticket.until <= trio.current_time():
            raise NoSuchTicket
        return ticket

    def void(self, text: str) -> None:
        """Have a ticket that was used work no more."""
        self._tickets.pop(text, None)

    def __str__(self) -> str:
        return f"{len(self._tickets)} tickets"
