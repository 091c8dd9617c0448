"""A player at the other end of a WebSocket: it takes the server's frames, and sends its own.

The frames are those that the pages use; docs/reference describes them. A player opens no connection: `take` gets each
frame as it comes, and `play`, in another task, sends moves until the game is over. After a lost connection a new one
goes on with the same player.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

import msgspec

from scramble.errors import OperatorError

Send: TypeAlias = Callable[[str], Awaitable[None]]
"""Sends a frame."""


class RemoteError(OperatorError):
    """A server that cannot be reached, has no game there, or does not let the bot play."""

    code = "remote-game"


class Rejected(RemoteError):
    """A server that will not let this bot play, however often it comes back."""


class NameRefused(Rejected):
    """A server on which somebody else has the bot's name."""


class RemotePlayer(Protocol):
    """A bot that plays one game over a connection."""

    title: str

    def connected(self) -> None:
        """Begin over a new connection, of which the first frame comes next. Does not wait."""

    def take(self, text: str) -> None:
        """Take in a frame of the server. Does not wait."""

    async def play(self, send: Send) -> str:
        """Play over this connection until the game is over; return its result, for people."""


class FrameType(msgspec.Struct):
    """What tells frames apart: those of a crossword have a state, all others a type."""

    type: str = ""
    state: str = ""


def as_json(**values: object) -> str:
    """Encode a frame."""
    return msgspec.json.encode(values).decode()
