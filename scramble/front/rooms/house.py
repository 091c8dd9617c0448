"""Rooms as the front of a game sees them: one application for all rooms of a kind, made of the game's own parts.

    def room_app(house: RoomHouse) -> QuartTrio:                 # of a `GameFront`
        def make_front(room: Room) -> MemoryFront: ...
        return house.make_app(make_front, make_bare_app)

The application finds the room by `visiting`, and the front of its game by `Room.attached`: it is made once, and lives
as long as the room is awake.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from quart_trio import QuartTrio

from scramble.front.rooms.current_room import visiting
from scramble.front.rooms.door import RoomDoor
from scramble.front.rooms.gathering import GatheringOf
from scramble.front.rooms.room_routes import add_room, require_host
from scramble.front.site import SiteConfig
from scramble.front.web.client import Client
from scramble.front.web.door import Door
from scramble.front.web.spectators import Viewed, add_view
from scramble.games.kind import GameKind
from scramble.rooms.gathering.refusals import HostAct
from scramble.rooms.protocol import Room
from scramble.server.asgi import router_of

V = TypeVar("V", bound=Viewed)


@dataclass(frozen=True)
class RoomHouse:
    """Everything that the rooms of one kind offer to the front of their game."""

    kind: GameKind
    site: SiteConfig
    gathering_of: GatheringOf  # the front of a room's gathering: the same one while somebody visits the room

    def make_app(self, make_front: Callable[[Room], V], make_bare: Callable[[Door[V]], QuartTrio]) -> QuartTrio:
        """Make the application of all rooms: the game's own routes, spectators, and the parts that all rooms have.

        `make_front` makes the front of a room's game, once while somebody is in the room; `make_bare` makes an
        application with the game's routes and its socket. Blocks while it reads the pages.
        """
        door = RoomDoor(make_front, self.gathering_of, self.site.protection.origins)
        app = make_bare(door)
        add_view(router_of(app), door)
        add_room(app, self.kind, self.site, self.gathering_of, door)
        return app

    async def require_host(self, act: HostAct, client: Client) -> None:
        """Raise NotTheHost unless that client is the host of the room at hand."""
        await require_host(self.gathering_of, act, client)

    def title(self) -> str:
        """Return the title of the room at hand: its own, or that of its game."""
        return visiting().room.record.title or self.kind.title
