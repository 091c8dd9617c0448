"""A server of rooms with a client of its API, and rooms that ann opens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

import httpx
import trio

from scramble.front.rooms.app import RoomsConfig, serve_rooms
from scramble.front.site import SiteConfig
from scramble.rooms.local import LocalRooms, open_rooms
from scramble.server.protection.middleware import Protection

ANN: Final = {"Authorization": "Bearer 0123456789abcdef"}
BOB: Final = {"Authorization": "Bearer fedcba9876543210"}
PAIR: Final = {"game": "memory", "settings": {"board": "1x2\nA\nA\n"}}
TYPED: Final = {"Content-Type": "application/json"}


@asynccontextmanager
async def serving(
    config: RoomsConfig = RoomsConfig(),  # noqa: B008 - immutable
    *,
    protection: Protection | None = None,
    host: str = "127.0.0.1",
) -> AsyncIterator[tuple[httpx.AsyncClient, LocalRooms]]:
    """Serve rooms; yield a client of the server, and the rooms."""
    async with open_rooms() as rooms, trio.open_nursery() as nursery:
        site = SiteConfig(protection or Protection())
        address = await nursery.start(partial(serve_rooms, rooms, host, 0, config=config, site=site))
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{address.port}", timeout=None) as client:
            yield client, rooms
        nursery.cancel_scope.cancel()


async def opened(client: httpx.AsyncClient, **more: object) -> str:
    """Open a room as ann; return its name."""
    answer = await client.post("/rooms", json=PAIR | more, headers=ANN)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["room"])
