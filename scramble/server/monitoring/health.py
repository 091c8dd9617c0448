"""Health endpoints: whether a server is live and ready, and what is wrong: for supervisors, load balancers and people.

    GET /health/live     200 as long as the event loop turns
    GET /health/ready    200 if this process can serve its clients; 503, and why, if it cannot
    GET /health          both, and all that is wrong; with the status of /health/ready

The answer is a JSON object. A server that is not ready should get no requests, so `ready` speaks of this process
alone. A degradation (a full disk, a Redis that pauses, another process that stands still) is one of the `problems`, and
no reason to take a server away from its players and spectators.

Ready means for a game that a command has just been carried out: through the mailbox and the owner task, and, with a
journal, after all that the disk had to write before. So a game that has stopped, is closing, hangs, or whose disk
hangs, is not ready.

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
"""The time in which the game has to answer. Probes time out after a second, and would not get the reason."""


class Pinged(Protocol):
    """What answers a ping if it takes commands."""

    async def ping(self) -> None:
        """Wait until all commands that are queued now are carried out, and synced if there is a journal."""


class Watched(Pinged, Protocol):
    """A game that can be monitored: every `Game` can."""

    def stats(self) -> Stats:
        """Return the counters of the game's owner."""


class Health(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer. `live` and `ready` are None where the request did not ask, `reason` is None if the server is ready."""

    live: bool | None = None
    ready: bool | None = None
    reason: str | None = None
    problems: tuple[Problem, ...] = ()


HealthCheck: TypeAlias = Callable[[], Awaitable[Sequence[Problem]]]
"""Returns what is wrong. Waits `READY_S` at most."""


async def problems_of(game: Pinged) -> Sequence[Problem]:
    """Return what is wrong with a game: one problem at most. Waits `READY_S` at most; a checkpoint."""
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
    """Return why a server with these problems is not ready; None if it is."""
    return next((problem.words for problem in problems if problem.down), None)


def _answer(health: Health) -> Response:
    status = 503 if health.reason is not None else 200
    headers = {"Content-Type": "application/json", **NOT_KEPT}
    return Response(msgspec.json.encode(health) + b"\n", status, headers)
