"""The rooms of one kind, as an interface for the front of a game. One application serves all rooms of the kind.

    def room_app(house: RoomHouse) -> QuartTrio:                 # the field `room_app` of a `GameFront`
        def make_front(room: Room) -> MemoryFront: ...
        return house.make_app(make_front, make_bare_app)

The application finds the room by `visiting`. It finds the front of the room's game by `Room.attached`. That front is
made once, and exists while the room has visitors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from quart_trio import QuartTrio

from scramble.front.rooms.current_room import visiting
from scramble.front.rooms.door import RoomDoor
from scramble.front.rooms.gathering import GatheringOf
from scramble.front.rooms.room_routes import Shared, add_room, require_host
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
    """The parts of the rooms of one kind that the front of the game needs."""

    kind: GameKind
    site: SiteConfig
    gathering_of: GatheringOf  # the front of a room's gathering: the same one while somebody visits the room
    shared: Shared  # the room and its links, for the client of the current request

    def make_app(self, make_front: Callable[[Room], V], make_bare: Callable[[Door[V]], QuartTrio]) -> QuartTrio:
        """Make the application of all rooms: the game's routes, the spectators' view, and the common parts of rooms.

        `make_front` makes the front of a room's game, once while the room has visitors. `make_bare` makes an
        application with the game's routes and its socket. Blocks while it reads the pages.
        """
        door = RoomDoor(make_front, self.gathering_of, self.site.protection.origins)
        app = make_bare(door)
        add_view(router_of(app), door)
        add_room(app, self.kind, self.site, self.gathering_of, door, self.shared)
        return app

    async def require_host(self, act: HostAct, client: Client) -> None:
        """Raise NotTheHost or StandsIn unless the client may do `act` in the current room."""
        await require_host(self.gathering_of, act, client)

    def title(self) -> str:
        """Return the title of the current room. A room without a title has the title of its game."""
        return visiting().room.record.title or self.kind.title
