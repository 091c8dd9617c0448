"""The parts of the server that the rooms API and the classes need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

import trio

from scramble.front.rooms.choices import choices_view
from scramble.front.rooms.daily import DailyView, daily_view
from scramble.front.rooms.room_orders import Doorkeeper
from scramble.front.rooms.share import Reach
from scramble.front.web.client import client_at_hand
from scramble.front.web.pages import SECURITY
from scramble.rooms.protocol import Rooms
from scramble.server.http.errors import NOT_KEPT
from scramble.server.protection.middleware import Protection

SVG: Final = {**SECURITY, "Content-Type": "image/svg+xml; charset=utf-8", **NOT_KEPT}
"""Headers of a QR code."""


@dataclass(frozen=True)
class RoomsDesk:
    """The objects and settings of the server that the rooms API needs."""

    rooms: Rooms
    protection: Protection
    doorkeeper: Doorkeeper
    reach: Reach
    most_bots: int
    turn_s: float | None

    async def choices(self) -> dict[str, object]:
        """Return the choices for a new room. Waits for a thread, because a game may read files."""
        view = partial(choices_view, self.rooms.kinds, self.doorkeeper.who, self.most_bots)
        return await trio.to_thread.run_sync(view)

    async def daily(self) -> DailyView:
        """Return the daily challenges, as the client of the current request sees them. Waits for the register."""
        return await daily_view(self.rooms, client_at_hand().found() or "")
