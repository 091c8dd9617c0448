"""Monitoring of a served game: its metrics, its health, and a log of its moves. One `Monitoring` for each game.

    monitoring = Monitoring("memory", metrics=9100)
    site = SiteConfig(protection, monitoring.traffic, monitoring.on_the_games_port)
    address = await nursery.start(partial(serve_http, game, site=site))
    await monitoring.start(nursery, game, game.changes(), stop)
    monitoring.report("http", address)

Safe under concurrency: its only state is the counters, and these change between two awaits.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, Literal

import trio
from quart_trio import QuartTrio

from scramble.build import commit
from scramble.kernel.changes import Changes
from scramble.logs import LogEntry
from scramble.server.listening import Address
from scramble.server.monitoring.endpoints import add_monitoring, serve_endpoints
from scramble.server.monitoring.health import Watched
from scramble.server.monitoring.move_log import log_moves
from scramble.server.traffic import Traffic

logger = logging.getLogger(__name__)


class Monitoring:
    """Metrics, log and traffic of one served game."""

    # AF: the monitoring of a game of kind _kind; all its front ends count in `traffic`. _metrics is the place of its
    #     metrics; a number is a separate port of the host _host.

    def __init__(self, kind: str, host: str = "127.0.0.1", metrics: Literal["on", "off"] | int = "on") -> None:
        """`kind` is the game in one word. `metrics`: on the game's port, nowhere, or on a separate port of `host`."""
        self._kind: Final = kind
        self._host: Final = host
        self._metrics: Final = metrics
        self.traffic: Final = Traffic()
        if metrics != "off":
            commit()  # in a checkout this asks git: ask now, not during the game

    @property
    def on_the_games_port(self) -> bool:
        """True if the players' port serves the metrics."""
        return self._metrics == "on"

    async def start(
        self, nursery: trio.Nursery, game: Watched, changes: Changes | None, stop: Callable[[], Awaitable[None]]
    ) -> None:
        """Log the moves, and serve the metrics on their separate port, if they have one, until `stop()` returns.

        Raises CannotListen if the port cannot be bound.
        """
        await self.serve_apart(nursery, partial(add_monitoring, kind=self._kind, game=game, traffic=self.traffic), stop)
        if changes is not None:
            nursery.start_soon(log_moves, changes)

    async def serve_apart(
        self, nursery: trio.Nursery, add: Callable[[QuartTrio], None], stop: Callable[[], Awaitable[None]]
    ) -> None:
        """Serve the endpoints of `add` on the separate port, if there is one, until `stop()` returns.

        Raises CannotListen if the port cannot be bound.
        """
        port = self._metrics
        if isinstance(port, int):
            serve = partial(serve_endpoints, add, host=self._host, port=port, stop=stop)
            self.report("metrics", await nursery.start(serve))

    def report(self, transport: str, address: Address) -> None:
        """Log that a server listens."""
        logger.info(LogEntry("serving", game=self._kind, transport=transport, host=address.host, port=address.port))

    def __str__(self) -> str:
        return f"{self._kind}: {self.traffic}"
