"""A site: the parts that the applications of all games have. They are page, seats, health, metrics and replay."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

import trio
from quart_trio import QuartTrio

from scramble.front.identity import Ask
from scramble.front.replay.archive import Archive
from scramble.front.replay.http import add_replay
from scramble.front.web.client import add_secrets
from scramble.front.web.door import Door, SeatsDoor, Served
from scramble.front.web.pages import add_pages, game_page
from scramble.front.web.seats import Seats
from scramble.server.http.server import serve_app
from scramble.server.listening import Address
from scramble.server.monitoring.endpoints import add_monitoring
from scramble.server.monitoring.health import Watched
from scramble.server.protection.middleware import Protection
from scramble.server.traffic import Traffic

F = TypeVar("F", bound=Served)


@dataclass(frozen=True)
class SiteConfig:
    """Configuration of a site. All sites of one game may share a configuration."""

    protection: Protection = field(default_factory=Protection)  # limits, origins, seats, TLS
    traffic: Traffic = field(default_factory=Traffic)  # counts the requests and the connections
    metrics: bool = True  # serve these counts at /metrics
    pages: Mapping[str, Path] = field(default_factory=dict)  # game -> folder of its pages, if outside client/
    archive: Archive | None = None  # the archive of a journaled game; /replay shows its moves

    def game_page(self, game: str) -> bytes:
        """Return the HTML of a game's page. Blocks."""
        return game_page(game, self.pages)


class ServedGame(Watched, Protocol):
    """The part of a game that a site needs, for example a `Game`."""

    @property
    def ask(self) -> Ask:
        """The function that sends a command and returns its answer."""


def site_door(front: F, game: ServedGame, site: SiteConfig) -> Door[F]:
    """Make the door of the site's game for `front`."""
    if not site.protection.seats:
        return Door(lambda: front)
    seats = Seats(game.ask)
    return SeatsDoor(lambda: front, lambda: seats, site.protection.origins)


def add_site(app: QuartTrio, kind: str, game: ServedGame, site: SiteConfig) -> None:
    """Add the parts of the site to `app`. Blocks while it reads the pages."""
    if site.protection.seats:
        add_secrets(app, site.protection.origins)
    add_monitoring(app, kind, game, site.traffic, metrics=site.metrics)
    add_pages(app, kind, replay=site.archive is not None, folders=site.pages)
    if site.archive is not None:
        add_replay(app, site.archive, pages=site.pages)


async def serve_site(
    app: QuartTrio,
    site: SiteConfig,
    *,
    host: str,
    port: int,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve a game's application with the configuration `site` until `stop()` returns or the task is cancelled.

    `nursery.start` returns the `Address`. Port 0 selects any free port. Raises CannotListen, an OSError.
    """
    await serve_app(
        app,
        host=host,
        port=port,
        protection=site.protection,
        traffic=site.traffic,
        stop=stop,
        task_status=task_status,
    )
