"""Spectators of a game: the WebSocket `/view` shows the public state and rejects moves.

A spectator gets the frames of a player's connection, except the frames for one player alone.
"""

from __future__ import annotations

from typing import Protocol

from scramble.errors import InvalidCommand
from scramble.front.web.client import Client
from scramble.front.web.door import Door, Served
from scramble.front.web.feed import FeedSocket, Follower
from scramble.front.web.websocket import BesideOf, WebSocketConnection
from scramble.server.asgi import Router, Socket
from scramble.server.http.closing import CloseReason


class Viewed(Served, Protocol):
    """The part of a game's front that spectators need."""

    @property
    def beside(self) -> BesideOf:
        """The additional subscriptions of each connection."""

    def show(self, link: FeedSocket, /) -> Follower:
        """Return a follower of the game for a spectator."""


def add_view(router: Router, door: Door[Viewed]) -> None:
    """Add `/view`. Its connections count as spectators. The end of the game closes them."""

    async def view(socket: Socket) -> None:
        front = door.front()

        async def talk(connection: WebSocketConnection, client: Client) -> CloseReason:
            return await connection.run(front.show, _refuse, *front.beside(None, client))

        await door.serve(socket, None, talk, plays=False)

    router.socket("/view", view)


async def _refuse(text: str) -> None:
    raise InvalidCommand("spectators make no moves")
