"""Kinds of games in rooms: for each an application that all rooms of the kind share.

An application finds the room by `visiting`, and its front, which is made once and lives as long as the room is awake,
by `Room.attached`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from quart_trio import QuartTrio

from scramble.crossword import Game as CrosswordGame
from scramble.errors import CallerError
from scramble.front.crossword.front import CrosswordFront
from scramble.front.crossword.http import add_match_text, add_seated_sessions
from scramble.front.crossword.http import make_bare_app as make_crossword_app
from scramble.front.memory.front import MemoryFront, players_frame
from scramble.front.memory.http import make_bare_app as make_memory_app
from scramble.front.memory.permissions import PermissionCheck, Permissions, Switch
from scramble.front.minesweeper.front import MinesweeperFront
from scramble.front.minesweeper.http import make_bare_app as make_minesweeper_app
from scramble.front.rooms.clock import TurnClock
from scramble.front.rooms.current_room import visiting
from scramble.front.rooms.door import RoomDoor
from scramble.front.rooms.gathering import GatheringFront, GatheringOf
from scramble.front.rooms.room_orders import Doorkeeper
from scramble.front.rooms.room_routes import AnotherRoom, add_room, require_host
from scramble.front.site import SiteConfig
from scramble.front.web.client import Client
from scramble.front.web.spectators import add_view
from scramble.front.web.websocket import Beside
from scramble.memory.game import Game as MemoryGame
from scramble.minesweeper.game import Game as MinesweeperGame
from scramble.rooms.protocol import Room, Rooms
from scramble.server.asgi import router_of

NOT_IN_ROOMS: Final[tuple[Switch, ...]] = ("new",)
"""Moves of Memory Scramble for which there is something else in a room: a new game is another room."""


def _another_room(_: Switch) -> CallerError:
    return AnotherRoom("in a room a new game is another room")


def memory_app(site: SiteConfig, gathering_of: GatheringOf) -> QuartTrio:
    """Make the application of all rooms of Memory Scramble."""
    checks: Mapping[Switch, PermissionCheck] = {"replace": partial(require_host, gathering_of, "replace")}

    def make_front(room: Room) -> MemoryFront:
        assert isinstance(room.game, MemoryGame)
        permissions = Permissions(NOT_IN_ROOMS, site.protection.limits, refusal=_another_room, checks=checks)
        clock = TurnClock(room.game)

        def beside(player: str | None, client: Client, /) -> Sequence[Beside]:
            return (*gathering_of(room).beside(player, client), clock.follow)

        gathering_of(room).show_players(players_frame, room.game.free_in)
        return MemoryFront(room.game, permissions=permissions, traffic=site.traffic, beside=beside)

    door = RoomDoor(make_front, gathering_of, site.protection.origins)
    app = make_memory_app(door)
    add_view(router_of(app), door)
    add_room(app, "memory", site, gathering_of, door)
    return app


def minesweeper_app(site: SiteConfig, gathering_of: GatheringOf) -> QuartTrio:
    """Make the application of all rooms of Minesweeper."""

    def make_front(room: Room) -> MinesweeperFront:
        assert isinstance(room.game, MinesweeperGame)
        return MinesweeperFront(
            room.game,
            booms_pause=True,
            limits=site.protection.limits,
            traffic=site.traffic,
            beside=gathering_of(room).beside,
        )

    door = RoomDoor(make_front, gathering_of, site.protection.origins)
    app = make_minesweeper_app(door)
    add_view(router_of(app), door)
    add_room(app, "minesweeper", site, gathering_of, door)
    return app


def crossword_app(site: SiteConfig, gathering_of: GatheringOf) -> QuartTrio:
    """Make the application of all rooms of Crossword Extravaganza."""

    def make_front(room: Room) -> CrosswordFront:
        assert isinstance(room.game, CrosswordGame)
        return CrosswordFront(room.game, limits=site.protection.limits, beside=gathering_of(room).beside)

    door = RoomDoor(make_front, gathering_of, site.protection.origins)
    app = make_crossword_app(door)
    add_seated_sessions(router_of(app), door)
    add_match_text(app, door, lambda: visiting().room.record.title or "Crossword Extravaganza")
    add_view(router_of(app), door)
    add_room(app, "crossword", site, gathering_of, door)
    return app


ROOM_APPS: Final[Mapping[str, Callable[[SiteConfig, GatheringOf], QuartTrio]]] = {
    "memory": memory_app,
    "minesweeper": minesweeper_app,
    "crossword": crossword_app,
}


def room_apps(rooms: Rooms, site: SiteConfig, doorkeeper: Doorkeeper) -> Mapping[str, QuartTrio]:
    """Make the application of each kind. Blocks while it reads their pages.

    The `doorkeeper` says who may begin the next games in rooms, and counts them.
    """

    def make_gathering(room: Room) -> GatheringFront:
        return GatheringFront(room, rooms, doorkeeper)

    def gathering_of(room: Room) -> GatheringFront:
        return room.attached(make_gathering, while_visited=True)

    return {kind: make(site, gathering_of) for kind, make in ROOM_APPS.items()}
