"""Closing of WebSockets: the codes and reasons, and a close that lets the client read them."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
import trio

from scramble.errors import CallerError, GameClosed, GameMoved, GameStopped

WEBSOCKET_LINGER_S = 1.0
"""Seconds for which the server continues to read after its closing frame. So the client can read the closing frame: a
close with unread input resets the connection, and some systems then discard the client's unread data."""

CLOSE_CODE: Final = 4000
"""Base of the close codes for refusals. A close code is this number plus the HTTP status: a code for applications."""

FAREWELL_S = 0.1  # for the closing frame of a connection with a cancelled handler


class CloseReason(msgspec.Struct, frozen=True):
    """A reason for closing a WebSocket: a code of RFC 6455, and a few words for people."""

    code: int
    reason: str


GOING_AWAY = CloseReason(1001, "the server is shutting down")
TOO_MANY_FRAMES = CloseReason(1008, "too many frames a second")
TOO_MANY_BAD = CloseReason(1008, "too many bad frames")
TOO_BIG = CloseReason(1009, "frame too long")
BUG = CloseReason(1011, "the game stopped because of a bug")
FAILED_CLOSE = CloseReason(1011, "this connection has failed because of a bug")
MOVED = CloseReason(1012, "the game moves to another process: connect again")


def end_of_game(stopped: GameStopped) -> CloseReason:
    """Return the close reason for a game that has ended with this error."""
    match stopped:
        case GameClosed():
            return GOING_AWAY
        case GameMoved():
            return MOVED
        case _:
            return BUG


def close_reason_of(refusal: CallerError | type[CallerError]) -> CloseReason:
    """Return the close reason for a client that may not play."""
    return CloseReason(CLOSE_CODE + refusal.status, refusal.code)


class WebSocketCloser:
    """Closes a WebSocket from the server's side. Do not share it: it belongs to one handler task."""

    # AF: the WebSocket of the functions _receive and _close; _closing: its closing frame is being sent, or was sent.

    def __init__(
        self, receive: Callable[[], Awaitable[str | bytes]], close: Callable[[int, str], Awaitable[None]]
    ) -> None:
        self._receive: Final = receive
        self._closing = False
        self._close: Final = close

    async def close(self, reason: CloseReason) -> None:
        """Close the WebSocket, and wait up to `WEBSOCKET_LINGER_S` for the client to close its side."""
        self._closing = True
        await self._close(reason.code, reason.reason)
        with trio.move_on_after(WEBSOCKET_LINGER_S):
            while True:
                await self._receive()

    async def say_farewell(self) -> None:
        """Send 1001 to the client if the handler is being cancelled. Waits at most `FAREWELL_S`.

        Does nothing if the handler is not being cancelled, or has already closed the WebSocket.
        """
        if not self._closing and trio.current_effective_deadline() == -math.inf:
            self._closing = True
            with trio.move_on_after(FAREWELL_S, shield=True):
                await self._close(GOING_AWAY.code, GOING_AWAY.reason)
