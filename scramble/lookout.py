"""What the commands that serve a game let others see of it: numbers, health, a log. One for each served game.

lookout = Lookout("memory", serving)
address = await nursery.start(partial(serve_http, game, traffic=lookout.traffic, metrics=lookout.beside))
await lookout.start(nursery, game, game.changes(), stop)
lookout.report("http", address)
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import trio

from scramble.front.health import Watched
from scramble.front.moves import log_moves
from scramble.front.outside import serve_outside
from scramble.front.server import Address
from scramble.front.traffic import Traffic
from scramble.history import Changes
from scramble.logs import Entry
from scramble.serving import Serving

logger = logging.getLogger(__name__)


class Lookout:
    """Where one game is watched from."""

    # AF: the watch over the game of the kind _kind, as _serving says, whose front ends all count in `traffic`.

    def __init__(self, kind: str, serving: Serving) -> None:
        """`kind` is the game in one word."""
        self._kind: Final = kind
        self._serving: Final = serving
        self.traffic: Final = Traffic()

    @property
    def beside(self) -> bool:
        """Whether the numbers are to be served beside what players use."""
        return self._serving.metrics == "on"

    async def start(
        self, nursery: trio.Nursery, game: Watched, changes: Changes | None, stop: Callable[[], Awaitable[None]]
    ) -> None:
        """If asked to, serve the numbers at a port of their own, until `stop()` returns, and log the moves.

        Raises CannotListen if the port cannot be had.
        """
        port = self._serving.metrics
        if isinstance(port, int):
            serve = partial(serve_outside, self._kind, game, self.traffic, host=self._serving.host, port=port)
            self.report("metrics", await nursery.start(partial(serve, stop=stop)))
        if changes is not None:
            nursery.start_soon(log_moves, changes)

    def report(self, transport: str, address: Address) -> None:
        """Tell the log that something listens."""
        logger.info(Entry("serving", game=self._kind, transport=transport, host=address.host, port=address.port))

    def __str__(self) -> str:
        return f"{self._kind}: {self.traffic}"
