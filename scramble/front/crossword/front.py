"""Front of one open lobby of Crossword Extravaganza: everything that its connections share.

    front = CrosswordFront(lobby)
    add_sessions(router, Door(lambda: front))

Handlers get it from a door (see `web.door`), because an application may serve one game, or the games of many rooms.

Safe under concurrency because it does not change.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import nullcontext
from typing import Final

import msgspec
import trio

from scramble.crossword import Game
from scramble.crossword.frames import view_frame
from scramble.errors import GameClosed, InvalidCommand
from scramble.front.crossword.dialogue import PAUSE_S, DialogueLimits
from scramble.front.web.presence import Attend
from scramble.front.web.websocket import Beside, BesideOf, nothing_beside
from scramble.server.protection.limits import ServerLimits


class _ErrorFrame(msgspec.Struct, frozen=True, tag_field="type", tag="error"):
    reason: str


class CrosswordFront:
    """One lobby, and the limits of its players. Connections of two fronts share nothing."""

    # AF: the front of `game`; the other values say how its connections are served.

    def __init__(
        self,
        game: Game,
        *,
        telnet_port: int | None = None,
        dialogue_limits: DialogueLimits | None = None,
        limits: ServerLimits | None = None,
        attend: Attend = lambda _: nullcontext(),
        beside: BesideOf = nothing_beside,
    ) -> None:
        """`make_crossword_app` explains the values."""
        self.game: Final = game
        self.telnet_port: Final = telnet_port
        self.dialogue_limits: Final = dialogue_limits or DialogueLimits()
        self.limits: Final = limits or ServerLimits()
        self.attend: Final = attend
        self.beside: Final = beside

    def public_frames(self) -> AsyncIterator[str]:
        """Return the frames for a spectator, of a lobby of one match."""
        return PublicFrames(self.game)

    def public_beside(self) -> Sequence[Beside]:
        """Return nothing: the players are in the frames of the match."""
        return ()

    def error(self, bad: InvalidCommand) -> str:
        """Encode the frame that reports an invalid frame of a spectator."""
        return msgspec.json.encode(_ErrorFrame(str(bad))).decode()


class PublicFrames(AsyncIterator[str]):
    """Frames of the one match of a lobby for a spectator: everything that both players see. For one task.

    Each frame is of the latest view, so a spectator who reads slowly sees fewer of them, and nothing that is outdated.
    Ends when the lobby is closed; raises GameStopped if it has died.
    """

    def __init__(self, game: Game) -> None:
        self._game: Final = game
        self._number = -1

    async def __anext__(self) -> str:
        """Return the next frame. Waits for a change, and a little longer after the first frame."""
        if self._number >= 0:
            await trio.sleep(PAUSE_S)
        try:
            view = await self._game.spectate(self._number)
        except GameClosed:
            raise StopAsyncIteration from None
        self._number = view.number
        return view_frame(view).decode()

    def __str__(self) -> str:
        return f"frames after view {self._number}"
