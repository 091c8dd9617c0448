"""Health endpoints: liveness, readiness and problems of a server, for supervisors, load balancers and people.

    GET /health/live     200 while the event loop runs
    GET /health/ready    200 if this process can serve its clients; else 503 with the reason
    GET /health          both, and all problems; with the status of /health/ready

The answer is a JSON object. A load balancer sends no requests to a server that is not ready. So `ready` refers only to
this process. A degradation (a full disk, a paused Redis, another process that does not answer) is one of the
`problems`. The server stays ready, because its players and spectators would otherwise lose it.

A game is ready if it executes a test command in time. The command passes through the mailbox and the owner task; with a
journal, also through the commit of all earlier commands. So a game is not ready if it has stopped, is closing or hangs,
or if its disk hangs.

Safe under concurrency because it has no state.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias

import msgspec
import trio
from quart import Response
from quart_trio import QuartTrio

from scramble.errors import DiskFull, GameStopped
from scramble.kernel.problems import Problem
from scramble.kernel.stats import Stats
from scramble.server.http.errors import NOT_KEPT

READY_S = 0.8
"""Time limit for the game's answer, in seconds. A probe times out after a second, so it still gets the reason."""


class Pinged(Protocol):
    """Interface of an object that answers a ping while it takes commands."""

    async def ping(self) -> None:
        """Wait until all commands that are queued now are executed, and synced if there is a journal."""


class Watched(Pinged, Protocol):
    """Interface of a monitored game; every `Game` implements it."""

    def stats(self) -> Stats:
        """Return the counters of the game's owner."""


class Health(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer. `live` or `ready` is None if the request did not ask for it; `reason` is None for a ready server."""

    live: bool | None = None
    ready: bool | None = None
    reason: str | None = None
    problems: tuple[Problem, ...] = ()


HealthCheck: TypeAlias = Callable[[], Awaitable[Sequence[Problem]]]
"""Function that returns the problems. Waits at most `READY_S`."""


async def problems_of(game: Pinged) -> Sequence[Problem]:
    """Return the problem of a game, if there is one. Waits at most `READY_S`; a checkpoint."""
    try:
        with trio.move_on_after(READY_S):
            await game.ping()
            return ()
    except GameStopped as error:
        return (Problem("game-stopped", str(error), down=True),)
    except DiskFull as error:
        return (Problem("disk-full", str(error)),)
    words = f"the game has not answered for {READY_S:g} s: it is overloaded, or its disk hangs"
    return (Problem("not-answering", words, down=True),)


def add_health(app: QuartTrio, check: HealthCheck) -> None:
    """Add `/health`, `/health/live` and `/health/ready` to `app`."""

    @app.get("/health/live")
    async def live() -> Response:
        return _answer(Health(live=True))

    @app.get("/health/ready")
    async def ready() -> Response:
        reason = _reason(await check())
        return _answer(Health(ready=reason is None, reason=reason))

    @app.get("/health")
    async def health() -> Response:
        problems = tuple(await check())
        reason = _reason(problems)
        return _answer(Health(live=True, ready=reason is None, reason=reason, problems=problems))


def _reason(problems: Sequence[Problem]) -> str | None:
    """Return the reason why a server with these problems is not ready; None if it is ready."""
    return next((problem.words for problem in problems if problem.down), None)


def _answer(health: Health) -> Response:
    status = 503 if health.reason is not None else 200
    headers = {"Content-Type": "application/json", **NOT_KEPT}
    return Response(msgspec.json.encode(health) + b"\n", status, headers)
