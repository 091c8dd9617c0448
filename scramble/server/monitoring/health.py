"""Health endpoints: whether a game is live and ready, for systemd, Docker, Kubernetes or a load balancer.

    GET /health/live     200 as long as the process answers
    GET /health/ready    200 if the game takes commands; 503, and why, if it does not
    GET /health          both, for people, and for tools that know one address only

The answer is a JSON object; `reason` says in words what is wrong. Ready means that a command has just been carried out:
through the mailbox and the owner task, and, with a journal, after all that the disk had to write before. So a game that
has stopped, is closing, hangs, or whose disk hangs, is not ready.

Safe under concurrency because it has no state.
"""

from __future__ import annotations

from typing import Protocol

import msgspec
import trio
from quart import Response
from quart_trio import QuartTrio

from scramble.errors import DiskFull, GameStopped
from scramble.kernel.stats import Stats
from scramble.server.http.errors import NOT_KEPT

READY_S = 0.8
"""The time in which the game has to answer. Probes time out after a second, and would not get the reason."""


class Watched(Protocol):
    """A game that can be monitored: every `Game` can."""

    async def ping(self) -> None:
        """Wait until all commands that are queued now are carried out, and synced if there is a journal."""

    def stats(self) -> Stats:
        """Return the counters of the game's owner."""


class Health(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer. `live` and `ready` are None where the request did not ask, `reason` is None if nothing is wrong."""

    live: bool | None = None
    ready: bool | None = None
    reason: str | None = None


async def reason_not_ready(game: Watched) -> str | None:
    """Return the reason why the game takes no commands; None if it does. Waits `READY_S` at most; a checkpoint."""
    try:
        with trio.move_on_after(READY_S):
            await game.ping()
            return None
    except (GameStopped, DiskFull) as error:
        return str(error)
    return f"the game has not answered for {READY_S:g} s: it is overloaded, or its disk hangs"


def add_health(app: QuartTrio, game: Watched) -> None:
    """Add `/health`, `/health/live` and `/health/ready` to `app`."""

    @app.get("/health/live")
    async def live() -> Response:
        return _answer(Health(live=True))

    @app.get("/health/ready")
    async def ready() -> Response:
        reason = await reason_not_ready(game)
        return _answer(Health(ready=reason is None, reason=reason))

    @app.get("/health")
    async def health() -> Response:
        reason = await reason_not_ready(game)
        return _answer(Health(live=True, ready=reason is None, reason=reason))


def _answer(health: Health) -> Response:
    status = 503 if health.reason is not None else 200
    headers = {"Content-Type": "application/json", **NOT_KEPT}
    return Response(msgspec.json.encode(health) + b"\n", status, headers)
