"""How a game looks from outside: `/health` and `/metrics`, beside what players use or at an address of their own.

    add_outside(app, "memory", game, traffic)                                                # beside
    address = await nursery.start(partial(serve_outside, "memory", game, traffic, port=9100))   # of their own

The latter is for those who want their numbers where players cannot see them, and for a game that has no page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio
from quart_trio import QuartTrio

from scramble.front.health import Watched, add_health
from scramble.front.metrics import add_metrics
from scramble.front.pages import add_refusals
from scramble.front.server import Address, serve_app
from scramble.front.traffic import Traffic


def add_outside(app: QuartTrio, kind: str, game: Watched, traffic: Traffic, *, metrics: bool = True) -> None:
    """Add `/health` to `app`, and `/metrics` unless that is not wanted.

    `kind` is the game in one word; `traffic` is what its front ends count.
    """
    add_health(app, game)
    if metrics:
        add_metrics(app, kind, game, traffic)


async def serve_outside(
    kind: str,
    game: Watched,
    traffic: Traffic,
    *,
    host: str = "127.0.0.1",
    port: int,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve these of a running game, and nothing to play with, until cancelled, or until `stop()` returns.

    What is asked for here is not counted in `traffic`. For `nursery.start`, which hands back the `Address`; port 0 is
    any free one. Raises CannotListen if the address cannot be bound.
    """
    app = QuartTrio("scramble", static_folder=None)
    add_refusals(app)
    add_outside(app, kind, game, traffic)
    await serve_app(app, host=host, port=port, stop=stop, task_status=task_status)
