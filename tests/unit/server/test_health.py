"""Health of a server: the problem of a game, and the answers about problems.

Partitions:
- the game: is busy; hangs; is closed meanwhile; has no room for moves
- problems: none; degradations alone; degradations and a reason why the server is down
tests/system/http/test_health.py asks real servers.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
import trio
from quart_trio import QuartTrio
from trio.testing import MockClock

from scramble.errors import DiskFull, GameClosed, ScrambleError
from scramble.kernel.problems import Problem
from scramble.server.monitoring.health import READY_S, Health, add_health, problems_of

DEGRADED = Problem("disk-full", "no room for moves")
DOWN = Problem("game-stopped", "the game was closed", down=True)


@pytest.mark.parametrize(
    ("problems", "reason"), [((), None), ((DEGRADED,), None), ((DEGRADED, DOWN), "the game was closed")]
)
async def test_a_degraded_server_stays_ready_until_it_is_down(problems: Sequence[Problem], reason: str | None) -> None:
    async def check() -> Sequence[Problem]:
        await trio.lowlevel.checkpoint()
        return problems

    app = QuartTrio(__name__)
    add_health(app, check)
    client = app.test_client()
    is_ready, status = reason is None, 200 if reason is None else 503
    for path, health in (
        ("/health/live", Health(live=True)),
        ("/health/ready", Health(ready=is_ready, reason=reason)),
        ("/health", Health(live=True, ready=is_ready, reason=reason, problems=tuple(problems))),
    ):
        answer = await client.get(path)
        assert msgspec.json.decode(await answer.get_data(as_text=False), type=Health) == health
        assert answer.status_code == (200 if path == "/health/live" else status)


class Hanging:
    """A game that answers after a number of seconds."""

    def __init__(self, seconds: float, error: ScrambleError | None = None) -> None:
        self.seconds = seconds
        self.error = error

    async def ping(self) -> None:
        await trio.sleep(self.seconds)
        if self.error is not None:
            raise self.error


@pytest.mark.parametrize("seconds", [READY_S + 0.1, float("inf")])
async def test_a_hanging_game_is_reported_in_less_than_a_second(seconds: float, autojump_clock: MockClock) -> None:
    began = trio.current_time()
    (problem,) = await problems_of(Hanging(seconds))
    assert (problem.code, problem.down) == ("not-answering", True)
    assert problem.words.startswith("the game has not answered")
    assert trio.current_time() - began < 1


async def test_a_busy_game_is_ready(autojump_clock: MockClock) -> None:
    assert not await problems_of(Hanging(READY_S / 2))


async def test_a_game_that_is_closed_meanwhile_is_reported(autojump_clock: MockClock) -> None:
    (problem,) = await problems_of(Hanging(0.1, GameClosed("the game was closed")))
    assert (problem.words, problem.down) == ("the game was closed", True)


async def test_a_game_without_room_for_moves_is_only_degraded(autojump_clock: MockClock) -> None:
    (problem,) = await problems_of(Hanging(0.1, DiskFull("no room")))
    assert (problem.code, problem.words, problem.down) == ("disk-full", "no room", False)
