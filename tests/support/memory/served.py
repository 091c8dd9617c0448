"""A running game served over a real socket by a hypercorn in the same trio program, for tests of the text protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import httpx
import trio

from scramble.front.memory.front import Edition
from scramble.front.memory.http import serve_http
from scramble.front.site import SiteConfig
from scramble.memory import Board, open_game
from scramble.memory.game import Game
from scramble.memory.messages import Waiting
from scramble.server.listening import Address
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.middleware import Protection

ABC = "2x3\nA\nB\nA\nB\nC\nC\n"


class Served:
    """A game, the address of its server, and a client without keep-alive."""

    def __init__(self, game: Game, address: Address, client: httpx.AsyncClient, nursery: trio.Nursery) -> None:
        self.game = game
        self.address = address
        self.client = client
        self.nursery = nursery

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.client.get(path, headers=headers)

    async def raw(self, request: str) -> trio.SocketStream:
        """Send this request on a new connection; return the connection."""
        stream = await trio.open_tcp_stream(self.address.host, self.address.port)
        await stream.send_all(request.encode())
        return stream

    async def exchange(self, method: str, path: str) -> tuple[str, str]:
        """Send a request with this path unchanged, read until the server closes; return the answer's head and body."""
        async with await self.raw(f"{method} {path} HTTP/1.0\r\n\r\n") as stream:
            head, _, body = b"".join([chunk async for chunk in stream]).decode().partition("\r\n\r\n")
        return head, body

    async def until_waiting(self, player: str) -> None:
        """Wait until the player has a waiting flip."""
        changes = self.game.changes()
        if player in (await self.game.snapshot()).waiting:
            return
        async for change in changes:
            if any(isinstance(e, Waiting) and e.player == player for e in change.events):
                return


@asynccontextmanager
async def served(
    board: str = ABC,
    *,
    edition: Edition = "2025",
    watch_timeout: float | None = None,
    release_idle: float | None = None,
    limits: ServerLimits | None = None,
) -> AsyncIterator[Served]:
    async with open_game(Board.parse(board), release_idle=release_idle) as game, trio.open_nursery() as nursery:
        site = SiteConfig(Protection(limits=limits or ServerLimits()))
        serve = partial(serve_http, game, port=0, edition=edition, watch_timeout=watch_timeout, site=site)
        address = await nursery.start(serve)
        async with httpx.AsyncClient(base_url=address.url, timeout=None) as client:
            yield Served(game, address, client, nursery)
        nursery.cancel_scope.cancel()
