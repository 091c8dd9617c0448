"""Spectators of a game: the WebSocket `/view`, which shows everything public and takes no moves.

Its frames are those of a player's connection, without those that are for the player alone.
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
    """A game that can be watched: the front of each kind."""

    @property
    def beside(self) -> BesideOf:
        """What each connection has beside the game."""

    def show(self, link: FeedSocket, /) -> Follower:
        """Have a spectator follow the game."""


def add_view(router: Router, door: Door[Viewed]) -> None:
    """Add `/view`. Its connections are counted as spectators, and closed when the game ends."""

    async def view(socket: Socket) -> None:
        front = door.front()

        async def talk(connection: WebSocketConnection, client: Client) -> CloseReason:
            return await connection.run(front.show, _refuse, *front.beside(None, client))

        await door.serve(socket, None, talk, plays=False)

    router.socket("/view", view)


async def _refuse(text: str) -> None:
    raise InvalidCommand("spectators make no moves")
