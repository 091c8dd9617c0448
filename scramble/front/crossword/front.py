"""Front of one open lobby of Crossword Extravaganza: the objects that its connections share.

    front = CrosswordFront(lobby)
    add_sessions(router, Door(lambda: front))

Handlers get the front from a door (see `web.door`), because an application may serve one game, or many rooms' games.

Safe under concurrency because all its parts are safe.
"""

from __future__ import annotations

from typing import Final

import msgspec

from scramble.crossword import Game
from scramble.crossword.frames import view_frame
from scramble.errors import InvalidCommand
from scramble.front.crossword.dialogue import DialogueLimits
from scramble.front.web.asked import Asked
from scramble.front.web.feed import FeedSocket, Follower
from scramble.front.web.websocket import BesideOf, nothing_beside
from scramble.server.protection.limits import ServerLimits


class _ErrorFrame(msgspec.Struct, frozen=True, tag_field="type", tag="error"):
    reason: str


class CrosswordFront:
    """One lobby, and the limits of its players. Connections of different fronts share no state."""

    # AF: the front of `game`. Its spectators follow _views. The other values are options for the connections.

    def __init__(
        self,
        game: Game,
        *,
        telnet_port: int | None = None,
        dialogue_limits: DialogueLimits | None = None,
        limits: ServerLimits | None = None,
        beside: BesideOf = nothing_beside,
    ) -> None:
        """`make_crossword_app` explains the arguments."""
        self.game: Final = game
        self.telnet_port: Final = telnet_port
        self.dialogue_limits: Final = dialogue_limits or DialogueLimits()
        self.limits: Final = limits or ServerLimits()
        self.beside: Final = beside
        self._views: Final = _Views(game)

    def show(self, link: FeedSocket) -> Follower:
        """Return a follower of the lobby's match for a spectator. Its frames have only the state that both players see.

        Each frame has the latest view. So a slow reader gets fewer frames, and no outdated views.
        """
        return self._views.follower(link)

    def error(self, bad: InvalidCommand) -> str:
        """Encode the frame that reports an invalid frame of a spectator."""
        return msgspec.json.encode(_ErrorFrame(str(bad))).decode()


class _Views(Asked[int]):
    """The view of a lobby's match, and the spectators who follow the match."""

    # AF: an `Asked`. A version is the number of a view.

    def __init__(self, game: Game) -> None:
        super().__init__(game.start_soon, "view", game.owner.subscribe, version=-1)
        self._game: Final = game

    async def ask(self) -> tuple[int, str]:
        """Return the number of the current view, and its frame. Raises GameStopped."""
        view = await self._game.spectate()
        return view.number, view_frame(view).decode()

    async def work(self) -> None:
        """Renew the frame after each change of the view."""
        while True:
            await self._game.spectate(self.version)
            await self.renew()
