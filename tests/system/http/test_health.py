"""`/health`: the game runs and accepts commands, or it does not.

Partitions:
- request: live; ready; both; by HEAD
- games: each of the three
- the server: has room for clients; has no room, behind a proxy
- the game: runs; is closed; has died of a bug in its rules, or of a full disk
tests/unit/server/test_health.py tests games that are busy, hang, or have no room for moves.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

import httpx
import pytest
import trio

from scramble.crossword import Puzzle, open_lobby
from scramble.front.crossword.http import serve_crossword_http
from scramble.front.memory.http import serve_http
from scramble.front.minesweeper.http import serve_minesweeper_http
from scramble.front.site import SiteConfig
from scramble.kernel.actor import open_actor
from scramble.kernel.nursery import SideTasks
from scramble.kernel.problems import CODES
from scramble.kernel.protocol import Command, CommandLog, Outcome, Recordable, Ticket
from scramble.memory import Board, open_game
from scramble.memory.game import Game
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from scramble.server.protection.by_address import SERVER_FULL
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.middleware import Protection
from tests.support.crossword.driver import SIMPLE
from tests.support.memory.served import served
from tests.support.paper import Paper
from tests.support.process import ROOT
from tests.support.websocket import WebSocket


async def ask(client: httpx.AsyncClient, path: str = "/health/ready") -> tuple[int, dict[str, object]]:
    answer = await client.get(path)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.status_code, answer.json()


# --- a game that runs -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "health"),
    [
        ("/health", {"live": True, "ready": True}),
        ("/health/live", {"live": True}),
        ("/health/ready", {"ready": True}),
    ],
)
async def test_every_game_that_runs_is_live_and_ready(path: str, health: dict[str, object]) -> None:
    async with (
        open_game(Board.parse("1x2\nA\nA\n")) as memory,
        open_field(Field.random(3, 3, seed=1)) as field,
        open_lobby([Puzzle.parse(SIMPLE, id="simple")]) as lobby,
        trio.open_nursery() as nursery,
    ):
        for serve in (
            partial(serve_http, memory, port=0),
            partial(serve_minesweeper_http, field, port=0),
            partial(serve_crossword_http, lobby, port=0),
        ):
            address = await nursery.start(serve)
            async with httpx.AsyncClient(base_url=address.url, timeout=None) as client:
                assert await ask(client, path) == (200, health)
                assert (await client.head(path)).status_code == 200
        nursery.cancel_scope.cancel()


async def test_a_game_in_which_somebody_waits_is_ready() -> None:
    async with served() as server:
        await server.get("/flip/alice/0,0")
        async with await server.raw("GET /flip/bob/0,0 HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            await server.until_waiting("bob")
            assert await ask(server.client) == (200, {"ready": True})


@pytest.mark.parametrize("path", ["/health", "/health/live", "/health/ready"])
async def test_behind_a_proxy_a_server_that_has_all_the_clients_it_can_take_is_ready(path: str) -> None:
    site = SiteConfig(Protection(ServerLimits(connections=2), behind_proxy=True))
    async with open_game(Board.parse("1x2\nA\nA\n")) as game, trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_http, game, port=0, site=site))
        clients = [
            await WebSocket.connect("127.0.0.1", address.port, "/play/ann", headers={"X-Forwarded-For": client})
            for client in ("192.0.2.1", "192.0.2.2")
        ]
        async with httpx.AsyncClient(base_url=address.url, timeout=None) as proxy:
            refused = await proxy.get("/look/ann", headers={"X-Forwarded-For": "192.0.2.3"})
            assert (refused.status_code, refused.text) == (503, f"{SERVER_FULL}\n")
            assert (await ask(proxy, path))[0] == 200
            assert (await proxy.post(path, content="body")).status_code == 503
        for client in clients:
            await trio.aclose_forcefully(client)
        nursery.cancel_scope.cancel()


# --- a game that does not run -----------------------------------------------------------------------


class Buggy:
    """Rules with a bug."""

    version = 0
    revision = 0

    def apply(self, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        raise ZeroDivisionError("a bug")


@asynccontextmanager
async def client_of(
    rules: Recordable, log: CommandLog | None, died: trio.Event
) -> AsyncIterator[tuple[Game, httpx.AsyncClient]]:
    """Serve a game with these rules, also after the game has died. Its death sets `died`."""
    async with trio.open_nursery() as nursery:
        opened = trio.open_memory_channel[Game](1)

        async def play() -> None:
            try:
                async with open_actor(rules, log=log) as actor, SideTasks() as beside:
                    opened[0].send_nowait(Game(actor, beside))
                    await trio.sleep_forever()
            except* (ZeroDivisionError, Exception):
                died.set()

        nursery.start_soon(play)
        game = await opened[1].receive()
        address = await nursery.start(partial(serve_http, game, port=0))
        async with httpx.AsyncClient(base_url=address.url, timeout=None) as client:
            yield game, client
        nursery.cancel_scope.cancel()


async def test_a_bug_in_the_rules_makes_a_game_unready_in_words_while_the_process_lives() -> None:
    died = trio.Event()
    async with client_of(Buggy(), None, died) as (_, client):
        assert await ask(client) == (200, {"ready": True})
        assert (await client.get("/look/alice")).status_code == 503
        await died.wait()
        reason = "the game stopped because of a bug: ZeroDivisionError('a bug')"
        assert await ask(client) == (503, {"ready": False, "reason": reason})
        problem = {"code": "game-stopped", "words": reason, "down": True}
        health = {"live": True, "ready": False, "reason": reason, "problems": [problem]}
        assert await ask(client, "/health") == (503, health)
        assert await ask(client, "/health/live") == (200, {"live": True})
        metrics = (await client.get("/metrics")).text
        assert "scramble_up 0.0" in metrics
        assert 'scramble_problem{code="game-stopped"} 1.0' in metrics
        assert 'scramble_problem{code="disk-full"} 0.0' in metrics


async def test_a_full_disk_makes_a_game_unready_in_words() -> None:
    died, paper = trio.Event(), Paper()
    paper.broken = True
    async with client_of(Board.parse("1x2\nA\nA\n"), paper, died) as (_, client):
        assert (await client.get("/flip/alice/0,0")).status_code == 503
        await died.wait()
        assert await ask(client) == (503, {"ready": False, "reason": "the game stopped: the disk is full"})


async def test_a_game_that_was_closed_is_not_ready() -> None:
    async with served() as server:
        await server.game.aclose()
        assert await ask(server.client) == (503, {"ready": False, "reason": "the game was closed"})


def test_the_reference_has_all_problems_and_no_others() -> None:
    reference = (ROOT / "docs" / "reference" / "metrics-and-logs.md").read_text()
    assert re.findall(r"^\| `([a-z-]+)` \| (?:yes|no|after 10 s) \|", reference, re.MULTILINE) == list(CODES)
