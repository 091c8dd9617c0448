"""Front of one running game of Minesweeper: the objects that its connections share.

    front = MinesweeperFront(game, debug=False)
    add_field(router, Door(lambda: front))

Handlers get the front from a door (see `web.door`), because an application may serve one game, or many rooms' games.

Safe under concurrency because all its parts are safe.
"""

from __future__ import annotations

from typing import Final

from scramble.errors import InvalidCommand
from scramble.front.web.broadcast import Broadcast
from scramble.front.web.feed import FeedSocket, Follower
from scramble.front.web.presence import PresenceFeed
from scramble.front.web.websocket import BesideOf
from scramble.minesweeper import Game, Snapshot, frames
from scramble.players.presence import Presence
from scramble.server.protection.limits import ServerLimits
from scramble.server.traffic import Traffic


class MinesweeperFront:
    """One game, its broadcast, and the limits of its players. Connections of different fronts share no state."""

    # AF: the front of `game`. Its connections follow `broadcast`. The other values are options for the connections.

    def __init__(
        self,
        game: Game,
        *,
        debug: bool = False,
        booms_pause: bool = False,
        telnet_port: int | None = None,
        limits: ServerLimits | None = None,
        traffic: Traffic | None = None,
        beside: BesideOf | None = None,
    ) -> None:
        """Make the front of a game.

        With `booms_pause` a player who digs up a bomb continues after a pause. Rooms have this rule. `traffic` counts
        the connections that fall behind. `make_minesweeper_app` explains the other arguments.
        """
        self.game: Final = game
        self.debug: Final = debug
        self.plays_on: Final = debug or booms_pause
        self.telnet_port: Final = telnet_port
        self.limits: Final = limits or ServerLimits()
        self.beside: Final = beside or PresenceFeed(game.start_soon, Presence()).beside
        # A snapshot frame ends with the number of the connection's player. All connections share the part before it.
        self.broadcast: Final[Broadcast[Snapshot]] = Broadcast(
            game, snapshot=frames.field_start, change=frames.change_frame, traffic=traffic
        )

    def show(self, link: FeedSocket) -> Follower:
        """Return a follower of the game for a spectator."""
        return self.broadcast.follower(link, finish=lambda start, snapshot: self.field_frame(start, snapshot, None))

    def field_frame(self, start: str, snapshot: Snapshot, you: int | None) -> str:
        """Encode the snapshot frame for the connection of the player `you`. `start` is the frame's shared part."""
        return frames.field_frame(snapshot, you, start, now=self.game.now())

    def error(self, bad: InvalidCommand) -> str:
        """Encode the frame that reports an invalid frame."""
        return frames.error_frame(str(bad), bad.id if isinstance(bad, frames.BadFrame) else None, bad.code)
