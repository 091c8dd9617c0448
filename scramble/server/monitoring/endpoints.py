"""Monitoring endpoints of a game, `/health` and `/metrics`: on the game's own port, or on a separate port.

    add_monitoring(app, "memory", game, traffic)                                                 # the game's port
    address = await nursery.start(partial(serve_monitoring, "memory", game, traffic, port=9100))   # a separate port

A separate port hides the metrics from the players, and also works for a game without a page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

import trio
from quart_trio import QuartTrio

from scramble.server.asgi import quart_app
from scramble.server.http.errors import add_refusals
from scramble.server.http.server import serve_app
from scramble.server.listening import Address
from scramble.server.monitoring.health import Watched, add_health, problems_of
from scramble.server.monitoring.metrics import add_metrics
from scramble.server.protection.middleware import open_to_every_name
from scramble.server.traffic import Traffic


def add_monitoring(
    app: QuartTrio,
    kind: str,
    game: Watched,
    traffic: Traffic,
    *,
    metrics: bool = True,
) -> None:
    """Add `/health` to `app`. With `metrics`, also add `/metrics`.

    `kind` is the game in one word; `traffic` has the counters of its servers.
    """
    add_health(app, partial(problems_of, game))
    if metrics:
        add_metrics(app, kind, game, traffic)


async def serve_monitoring(
    kind: str,
    game: Watched,
    traffic: Traffic,
    *,
    host: str = "127.0.0.1",
    port: int,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve only the endpoints of a running game, until cancelled or until `stop()` returns.

    `traffic` does not count these requests. For `nursery.start`; it returns the `Address`. Port 0 is any free port.
    Raises CannotListen if the address cannot be bound.
    """
    add = partial(add_monitoring, kind=kind, game=game, traffic=traffic)
    await serve_endpoints(add, host=host, port=port, stop=stop, task_status=task_status)


async def serve_endpoints(
    add: Callable[[QuartTrio], None],
    *,
    host: str = "127.0.0.1",
    port: int,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve the endpoints of `add`, like `serve_monitoring`."""
    app = quart_app()
    open_to_every_name(app, "/")  # Prometheus may use any host name
    add_refusals(app)
    add(app)
    await serve_app(app, host=host, port=port, stop=stop, task_status=task_status)
