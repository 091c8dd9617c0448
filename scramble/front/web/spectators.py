"""Spectators of a game: the WebSocket `/view`, which shows everything public and takes no moves.

Its frames are those of a player's connection, without those that are for the player alone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Protocol

from quart_trio import QuartTrio

from scramble.errors import InvalidCommand
from scramble.front.web.presence import Attend
from scramble.front.web.seats import accept, close_reason_of
from scramble.front.web.websocket import Beside, BesideOf, WebSocketConnection
from scramble.server.http.inbox import frames_left, socket_at_hand
from scramble.server.http.leaving import may_leave
from scramble.server.protection.limits import ServerLimits


class Viewed(Protocol):
    """A game that can be watched: the front of each kind."""

    @property
    def limits(self) -> ServerLimits:
        """Limits of each connection."""

    @property
    def attend(self) -> Attend:
        """The counting of connections."""

    @property
    def beside(self) -> BesideOf:
        """What each connection has beside its frames."""

    def public_frames(self) -> AsyncIterator[str]:
        """Return the frames for a spectator."""

    def public_beside(self) -> Sequence[Beside]:
        """Return what sends more of these frames."""

    def error(self, bad: InvalidCommand) -> str:
        """Encode the frame that reports an invalid frame."""


def add_view(app: QuartTrio, current: Callable[[], Viewed]) -> None:
    """Add `/view` to `app`. Its connections are counted as spectators, and closed when the game ends."""

    @app.websocket("/view")
    @may_leave(app)
    async def view() -> None:
        front, socket = current(), socket_at_hand()
        connection = WebSocketConnection(
            socket.receive, socket.send, socket.close, front.error, front.limits, frames_left()
        )
        beside = *front.public_beside(), *front.beside(None)
        refused = await accept()

        async def serve() -> None:
            try:
                if refused is not None:
                    await connection.close(close_reason_of(refused))
                    return
                with front.attend(None):
                    reason = await connection.run(front.public_frames(), _refuse, *beside)
                await connection.close(reason)
            finally:
                await connection.say_farewell()

        await socket.go_on(serve)


async def _refuse(text: str) -> None:
    raise InvalidCommand("spectators make no moves")
