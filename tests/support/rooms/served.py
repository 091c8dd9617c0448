"""Many rooms served over real sockets by a hypercorn in the same trio program."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx
import trio

from scramble.front.rooms.app import RoomsConfig, make_rooms_app, rooms_site
from scramble.front.site import SiteConfig
from scramble.games.kind import GameKind
from scramble.games.table import game_kinds
from scramble.rooms.local import LocalRooms, RoomLimits, open_rooms
from scramble.rooms.protocol import Names, RoomOrder, RoomRecord
from scramble.server.http.server import serve_app
from scramble.server.listening import Address
from scramble.server.protection.middleware import Protection
from tests.support.websocket import WebSocket

BOARD = "2x2\nA\nA\nB\nB\n"
FIELD = "2 2\n0 0\n0 1\n"

ANN = "ann-0123456789abcdef"
BOB = "bob-0123456789abcdef"
"""Secrets of clients."""


def bearer(secret: str | None) -> dict[str, str]:
    """Return the headers of a request by the client with that secret."""
    return {} if secret is None else {"Authorization": f"Bearer {secret}"}


class ServedRooms:
    """Rooms, the address of their server, and clients."""

    def __init__(self, rooms: LocalRooms, address: Address, client: httpx.AsyncClient, site: SiteConfig) -> None:
        self.rooms = rooms
        self.address = address
        self.client = client
        self.site = site
        self._sockets: list[WebSocket] = []

    async def memory(self, board: str = BOARD, *, host: str = "", names: Names = "seats") -> RoomRecord:
        """Open a room of Memory Scramble."""
        return await self.rooms.create("memory", {"board": board}, RoomOrder(host=host, names=names))

    async def get(self, path: str, secret: str | None = None, **headers: str) -> httpx.Response:
        return await self.client.get(path, headers=bearer(secret) | headers)

    async def post(self, path: str, secret: str | None = None) -> httpx.Response:
        return await self.client.post(path, headers=bearer(secret))

    async def socket(self, path: str, secret: str | None = None, **headers: str) -> WebSocket:
        """Return a WebSocket that the server has accepted."""
        opened = await WebSocket.connect(*self.address, path, headers=bearer(secret) | headers)
        self._sockets.append(opened)
        return opened

    async def aclose(self) -> None:
        """Drop all WebSockets."""
        for opened in self._sockets:
            await opened.aclose()


@asynccontextmanager
async def served(
    rooms: LocalRooms,
    site: SiteConfig,
    nursery: trio.Nursery,
    config: RoomsConfig = RoomsConfig(),  # noqa: B008  immutable
) -> AsyncIterator[ServedRooms]:
    """Serve these rooms in a nursery. Clients end with the block, and the server ends with the nursery."""
    serve = partial(serve_app, make_rooms_app(rooms, site, config), protection=site.protection)
    address = await nursery.start(partial(serve, host="127.0.0.1", port=0, traffic=site.traffic))
    async with httpx.AsyncClient(base_url=address.url, timeout=None) as client:
        server = ServedRooms(rooms, address, client, site)
        try:
            yield server
        finally:
            with trio.CancelScope(shield=True):
                await server.aclose()


@asynccontextmanager
async def serving_rooms(
    *,
    folder: Path | None = None,
    kinds: Mapping[str, GameKind] = game_kinds(),
    sleep_after: float = 60.0,
    limits: RoomLimits = RoomLimits(),  # noqa: B008  immutable
    protection: Protection = Protection(),  # noqa: B008  immutable
    config: RoomsConfig = RoomsConfig(),  # noqa: B008  immutable
) -> AsyncIterator[ServedRooms]:
    """Serve rooms and their lobby until the end of the block."""
    site = rooms_site(SiteConfig(protection), config)
    async with (
        open_rooms(folder, kinds=kinds, sleep_after=sleep_after, limits=limits) as rooms,
        trio.open_nursery() as nursery,
    ):
        async with served(rooms, site, nursery, config) as server:
            yield server
        nursery.cancel_scope.cancel()
