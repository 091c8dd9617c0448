"""Spectators of a game: the WebSocket `/view`, which shows everything public and takes no moves.

Its frames are those of a player's connection, without those that are for the player alone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Protocol

from quart import websocket
from quart_trio import QuartTrio

from scramble.errors import InvalidCommand
from scramble.front.web.presence import Attend
from scramble.front.web.seats import accept, close_reason_of
from scramble.front.web.websocket import Beside, BesideOf, WebSocketConnection
from scramble.server.http.inbox import frames_left, receive_frame
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
    async def view() -> None:
        front = current()
        connection = WebSocketConnection(
            receive_frame, websocket.send, websocket.close, front.error, front.limits, frames_left()
        )
        refused = await accept()
        try:
            if refused is not None:
                await connection.close(close_reason_of(refused))
                return
            with front.attend(None):
                beside = *front.public_beside(), *front.beside(None)
                reason = await connection.run(front.public_frames(), _refuse, *beside)
            await connection.close(reason)
        finally:
            await connection.say_farewell()


async def _refuse(text: str) -> None:
    raise InvalidCommand("spectators make no moves")
