"""Whether a game lives and takes commands, for whoever watches over it: systemd, Docker, Kubernetes, a load balancer.

    GET /health/live     200 as long as the process answers
    GET /health/ready    200 if the game takes commands; 503, and why, if it does not
    GET /health          both: what a person asks for, or a tool that knows one address only

The answer is a JSON object; `reason` says in words what is wrong. Ready means that a command has just gone all the way:
into the mailbox, through the owner task, and, with a journal, behind whatever the disk had to take first. So a game
that has stopped, is being closed, hangs, or whose disk hangs, is not ready.

Safe under concurrency because it has no state.
"""

from __future__ import annotations

from typing import Protocol

import msgspec
import trio
from quart import Response
from quart_trio import QuartTrio

from scramble.errors import GameStopped
from scramble.front.answers import NOT_KEPT
from scramble.stats import Stats

READY_S = 0.8
"""How long the game may take to answer. Probes give up after a second, and would not hear why."""


class Watched(Protocol):
    """A game that can be watched over: every game's door."""

    async def ping(self) -> None:
        """Wait until all that is queued now is carried out, and safe if there is a journal."""

    def stats(self) -> Stats:
        """What the game's owner has counted so far."""


class Health(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer. `live` and `ready` are None where that was not asked; so is `reason` if nothing is wrong."""

    live: bool | None = None
    ready: bool | None = None
    reason: str | None = None


async def reason_not_ready(game: Watched) -> str | None:
    """Why the game does not take commands; None if it does. Waits `READY_S` at most. Always a checkpoint."""
    try:
        with trio.move_on_after(READY_S):
            await game.ping()
            return None
    except GameStopped as stopped:
        return str(stopped)
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
