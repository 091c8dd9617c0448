"""The parts of the server that the rooms API and the classes need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from scramble.front.rooms.room_orders import Doorkeeper
from scramble.front.rooms.share import Reach
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
