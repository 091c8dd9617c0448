"""What is served around a game, whichever game it is: its page, seats, health and numbers, and how it has gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from quart.wrappers import Request, Websocket
from quart_trio import QuartTrio

from scramble.front.archive import Archive
from scramble.front.guard import Protection
from scramble.front.health import Watched
from scramble.front.outside import add_outside
from scramble.front.pages import add_pages
from scramble.front.replay_web import add_replay
from scramble.front.seats import Ask, add_seats
from scramble.front.traffic import Traffic


@dataclass(frozen=True)
class Around:
    """What a server has around its game. All servers of one game may share one."""

    protection: Protection = field(default_factory=Protection)  # limits, origins, seats, TLS
    traffic: Traffic = field(default_factory=Traffic)  # where what goes in and out is counted
    metrics: bool = True  # whether /metrics shows that
    archive: Archive | None = None  # the game's, if it is kept in a journal: /replay then shows how it has gone


class Served(Watched, Protocol):
    """A game to be served: every game's door."""

    @property
    def ask(self) -> Ask:
        """Sends a command, and returns its answer."""


def add_around(
    app: QuartTrio, kind: str, game: Served, around: Around, player_of: Callable[[Request | Websocket], str | None]
) -> None:
    """Add all of that to `app`. `player_of` tells whom a request speaks for, if it names a player."""
    if around.protection.seats:
        add_seats(app, game.ask, player_of)
    add_outside(app, kind, game, around.traffic, metrics=around.metrics)
    add_pages(app, kind, replay=around.archive is not None)
    if around.archive is not None:
        add_replay(app, around.archive)
