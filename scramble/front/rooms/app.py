"""A server of rooms as one ASGI application: the lobby, the rooms API, and the games of all rooms below `/g/NAME`.

    async with open_rooms(folder) as rooms, trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_rooms, rooms, port=0))
        print(address.url)

A program may serve rooms, and use the same rooms at the same time.
"""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import trio
from hypercorn.typing import ASGIFramework, HTTPScope

from scramble.front.games import game_fronts, game_pages
from scramble.front.rooms.classrooms import add_classes
from scramble.front.rooms.desk import RoomsDesk
from scramble.front.rooms.held import HeldRooms
from scramble.front.rooms.http import add_rooms_api
from scramble.front.rooms.lobby import LobbyFeed, add_lobby
from scramble.front.rooms.lobby_page import add_lobby_page
from scramble.front.rooms.monitoring import add_rooms_monitoring
from scramble.front.rooms.mount import mount_rooms
from scramble.front.rooms.pages import add_refusal_page
from scramble.front.rooms.room_orders import (
    MOST_BOTS_IN_ROOM,
    ORDER_BODY_BYTES,
    TOKEN_HEADER,
    Doorkeeper,
    OpenRooms,
    require_opener,
)
from scramble.front.rooms.share import Reach
from scramble.front.site import SiteConfig
from scramble.front.web.client import add_secrets
from scramble.front.web.door import SeatsDoor
from scramble.front.web.pages import add_files
from scramble.rooms.protocol import Rooms
from scramble.server.asgi import quart_app, router_of
from scramble.server.http.errors import add_refusals
from scramble.server.http.server import serve_app
from scramble.server.listening import Address
from scramble.server.protection.bodies import LongBodies
from scramble.server.protection.origins import NotJson, header, is_json, require_own_page


@dataclass(frozen=True)
class RoomsConfig:
    """Configuration of a server of rooms. `SiteConfig` is the configuration of its site."""

    open_rooms: OpenRooms = "anybody"  # permission to open rooms
    token: str = ""  # the secret for `open_rooms="token"`
    rooms_per_minute: float | None = None  # limit for one address; None: the default, which does not limit this machine
    rooms_by_address: int | None = None  # limit of an address's open rooms; None: as for `rooms_per_minute`
    most_rooms: int | None = None  # the limit for all rooms in `RoomLimits`, for the default of `rooms_by_address`
    most_bots: int = MOST_BOTS_IN_ROOM  # limit for one room
    turn_s: float | None = 45.0  # the default turn clock in seconds; None: no turn clock


def rooms_site(site: SiteConfig, config: RoomsConfig = RoomsConfig()) -> SiteConfig:
    """Return the configuration of a site with seats, and with larger limits for bodies with boards and files.

    The server checks the permission to open rooms, and the origin, before it reads a large body.
    """
    protection = site.protection

    def admit(scope: HTTPScope) -> None:
        require_own_page(scope, protection.origins)
        client, token = scope.get("client"), header(scope, TOKEN_HEADER.lower().encode()) or b""
        require_opener(config.open_rooms, config.token, client[0] if client else "", token.decode("latin1"))

    def admit_order(scope: HTTPScope) -> None:
        admit(scope)
        if not is_json(scope):
            raise NotJson

    bodies = {"/rooms": LongBodies(ORDER_BODY_BYTES, admit_order)}
    for front in game_fronts().values():
        if front.lobby is not None:
            bodies |= {path: LongBodies(size, admit) for path, size in front.lobby.bodies.items()}
    protection = replace(protection, seats=True, bodies=bodies)
    return replace(site, protection=protection, pages={**game_pages(), **site.pages})


def make_rooms_app(
    rooms: Rooms,
    site: SiteConfig,
    config: RoomsConfig = RoomsConfig(),
    *,
    host: str | None = None,
) -> ASGIFramework:
    """Make an ASGI application that serves rooms. Blocks while it reads the pages.

    `site` is a result of `rooms_site`. `host` is the address on which the server will listen, for the links to its
    rooms; None: unknown.
    """
    protection = site.protection
    app = quart_app()
    add_secrets(app, protection.origins)
    held = HeldRooms(config.rooms_by_address, config.most_rooms)
    doorkeeper = Doorkeeper(config.open_rooms, token=config.token, per_minute=config.rooms_per_minute, held=held)
    desk = RoomsDesk(
        rooms=rooms,
        protection=protection,
        doorkeeper=doorkeeper,
        reach=Reach(host, protection.origins),
        most_bots=config.most_bots,
        turn_s=config.turn_s,
    )
    add_refusals(app)
    add_refusal_page(app)
    add_rooms_monitoring(app, rooms, site.traffic, metrics=site.metrics)
    add_rooms_api(app, desk)
    add_classes(app, desk, site.pages)
    lobby = LobbyFeed(rooms, protection.limits)
    add_lobby(router_of(app), SeatsDoor(lambda: lobby, lambda: None, protection.origins))
    add_lobby_page(app, desk, site.pages)
    add_files(app, site.pages)
    return mount_rooms(app, rooms, site, doorkeeper, reach=desk.reach)


async def serve_rooms(
    rooms: Rooms,
    host: str = "127.0.0.1",
    port: int = 8080,
    *,
    listener: socket.socket | None = None,
    config: RoomsConfig = RoomsConfig(),
    site: SiteConfig | None = None,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve rooms over HTTP: `address = await nursery.start(partial(serve_rooms, rooms))`.

    Runs until it is cancelled, or until `stop()` returns. The rooms stay open. `port=0` selects any free port: the
    returned address has `.host`, `.port` and `.url`. `listener` is a socket that already listens on `host`; with a
    `listener` the server binds no port. `site` has limits, origins, TLS and metrics. Rooms always have seats.

    Raises CannotListen, an OSError, if the address cannot be bound.
    """
    site = rooms_site(site or SiteConfig(), config)
    app = make_rooms_app(rooms, site, config, host=host)
    await serve_app(
        app,
        host=host,
        port=port,
        listener=listener,
        protection=site.protection,
        traffic=site.traffic,
        stop=stop,
        task_status=task_status,
    )
