"""Front of one running game of Memory Scramble: the objects that its requests and connections share.

    front = MemoryFront(game, permissions=Permissions(off={"new"}))
    add_play(router, Door(lambda: front))

Handlers get the front from a door (see `web.door`), because an application may serve one game, or many rooms' games.

Safe under concurrency because all its parts are safe.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Final, Literal

from scramble.errors import InvalidCommand
from scramble.front.memory.namesakes import Namesakes
from scramble.front.memory.permissions import Permissions, Switch
from scramble.front.web.broadcast import Announcement, Broadcast
from scramble.front.web.feed import FeedSocket, Follower
from scramble.front.web.presence import PresenceFeed
from scramble.front.web.websocket import BesideOf
from scramble.kernel.protocol import Change
from scramble.memory import frames
from scramble.memory.game import Game
from scramble.memory.messages import Snapshot
from scramble.players.presence import Presence
from scramble.server.protection.by_player import PlayerConcurrencyLimit
from scramble.server.traffic import Traffic

Edition = Literal["2022", "2025"]


class MemoryFront:
    """One game, its broadcast, and the limits of its players. Connections of different fronts share no state."""

    # AF: the front of `game`. Its connections use `broadcast`, `beside` and `namesakes`. `watches` counts the waiting
    #     watches. The other values are the players' permissions, and options for the answers.

    def __init__(
        self,
        game: Game,
        *,
        edition: Edition = "2025",
        watch_timeout: float | None = None,
        permissions: Permissions | None = None,
        traffic: Traffic | None = None,
        beside: BesideOf | None = None,
    ) -> None:
        """`traffic` counts the connections that fall behind. `serve_http` explains the other arguments."""
        self.game: Final = game
        self.edition: Final = edition
        self.watch_timeout: Final = watch_timeout
        self.permissions: Final = permissions or Permissions()
        self.limits: Final = self.permissions.limits
        if beside is None:
            beside = PresenceFeed(game.start_soon, Presence(game.present), players_frame, game.free_in).beside
        self.beside: Final = beside
        self.namesakes: Final = Namesakes()
        self.watches: Final = PlayerConcurrencyLimit(self.limits.parked)
        self.broadcast: Final[Broadcast[Snapshot]] = Broadcast(
            game,
            snapshot=partial(_snapshot, self.permissions.off),
            change=_change,
            own=_own,
            joined=True,
            traffic=traffic,
        )

    def show(self, link: FeedSocket, player: str | None = None) -> Follower:
        """Return a follower of the game for a connection of `player`; None: a spectator's connection."""
        return self.broadcast.follower(link, player)

    def error(self, bad: InvalidCommand) -> str:
        """Encode the frame that reports an invalid frame."""
        return frames.error_frame(str(bad), bad.code).decode()

    def __str__(self) -> str:
        return f"Memory Scramble, {self.broadcast}"


def players_frame(players: list[str], others: int, left: dict[str, float | None]) -> str:
    """Encode the frame with the connected players."""
    return frames.players_frame(players, others, left).decode()


def _snapshot(off: Collection[Switch], snapshot: Snapshot) -> str:
    return frames.board_frame(snapshot, off).decode()


def _own(snapshot: Snapshot) -> dict[str, str]:
    return {player: frame.decode() for player, frame in frames.score_frames(snapshot).items()}


def _change(change: Change) -> str | None:
    if frames.needs_snapshot(change):
        who = frames.restarted_frame(change)
        return None if who is None else Announcement(who.decode())
    return (frames.change_frame(change) or b"").decode()
