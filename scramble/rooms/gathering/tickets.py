"""Tickets that move a seat to another device. Pure.

The first device that shows the ticket within some minutes gets the seat in this room, and no other seat of the old
device. After that the ticket works only for these two devices. The old device can take the seat back by it, until there
is a newer ticket for the seat. The new device may show the ticket again, because the answer may have been lost: then
nothing changes. Tickets are random, and only in memory: a room that has slept has no tickets.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from scramble.rooms.gathering.messages import SeatTicket
from scramble.rooms.gathering.refusals import NoSuchTicket

VALID_S: Final = 300.0  # enough time to fetch the other device and to scan the ticket with its camera
MOST_TICKETS: Final = 1000  # in a room; beyond this number the oldest ticket is forgotten


class _Given(NamedTuple):
    ticket: SeatTicket
    until: float
    only_for: str | None = None  # the seat's previous holder, once the ticket was used


class SeatTickets:
    """The tickets of one room. Mutable."""

    # AF: _given has the tickets by their texts, oldest first. Each ticket has the present holder of its seat. A used
    #     ticket is valid only for this holder, and for the seat's previous holder, `only_for`.
    # RI: _given has at most MOST_TICKETS tickets.

    def __init__(self) -> None:
        self._given: Final[dict[str, _Given]] = {}

    def give(self, text: str, ticket: SeatTicket, now: float) -> None:
        """Note a ticket. Earlier tickets for the same seat become invalid."""
        for old, given in list(self._given.items()):
            if given.ticket.player == ticket.player or len(self._given) >= MOST_TICKETS:
                del self._given[old]
        self._given[text] = _Given(ticket, now + VALID_S)

    def find(self, text: str, holder: str, now: float) -> SeatTicket:
        """Return the seat of a ticket that `holder` shows. Raises NoSuchTicket."""
        given = self._given.get(text)
        if given is None or given.until <= now:
            raise NoSuchTicket
        if given.only_for is not None and holder not in (given.only_for, given.ticket.holder):
            raise NoSuchTicket
        return given.ticket

    def use(self, text: str, ticket: SeatTicket, holder: str) -> None:
        """Note that `holder` has the seat. After that the ticket is valid only for this holder and the previous holder.

        Nothing changes if `holder` had the seat already.
        """
        if text in self._given and holder != ticket.holder:
            self._given[text] = _Given(SeatTicket(ticket.player, holder), math.inf, only_for=ticket.holder)

    def __str__(self) -> str:
        return f"{len(self._given)} tickets"
