"""Memory Scramble's switches and limits: replacements, new games, the time between new games, the number of watches.

Partitions:
- off: nothing, replacements, new games, both; by GET, POST and WebSocket; everything else stays on
- the page's frame: nothing off, something off
- new games, by POST and WebSocket: too soon after the start, after the last one of either kind, late enough, no limit
- watches of one player: below the limit, at it, beyond it; of another player; after one was answered or cancelled; a
  flip beside them
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from functools import partial

import httpx
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.front.memory.http import serve_http
from scramble.front.memory.permissions import Switch
from scramble.front.site import SiteConfig
from scramble.memory import Board, FlipFailed, Game, open_game
from scramble.server.listening import Address
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.middleware import Protection
from tests.support.websocket import WebSocket

NEW: tuple[Switch] = ("new",)
REPLACE: tuple[Switch] = ("replace",)

NO_REPLACING = "replacing cards is switched off on this server"
NO_NEW_GAMES = "new games are switched off on this server"


@asynccontextmanager
async def served(
    off: Collection[Switch] = (), limits: ServerLimits | None = None, new_every: float | None = None
) -> AsyncIterator[tuple[Game, Address, httpx.AsyncClient]]:
    site = SiteConfig(protection=Protection(limits=limits or ServerLimits()))
    async with open_game(Board.parse("1x2\nA\nA\n")) as game, trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_http, game, port=0, off=off, new_every=new_every, site=site))
        async with httpx.AsyncClient(base_url=address.url, timeout=None) as client:
            yield game, address, client
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("off", [("replace",), ("replace", "new")])
async def test_replacing_that_is_off_is_refused_with_403_and_changes_nothing(
    method: str, off: tuple[Switch, ...]
) -> None:
    async with served(off) as (game, _, client):
        answer = await client.request(method, "/replace/alice/A/B")
        assert (answer.status_code, answer.text) == (403, f"{NO_REPLACING}\n")
        await game.flip("alice", 0, 0)
        assert await game.look("alice") == "1x2\nmy A\ndown\n"


@pytest.mark.parametrize("off", [("new",), ("replace", "new")])
async def test_new_games_that_are_off_are_refused_with_403_and_the_game_goes_on(off: tuple[Switch, ...]) -> None:
    async with served(off) as (game, _, client):
        await game.flip("alice", 0, 0)
        answer = await client.post("/new/alice")
        assert (answer.status_code, answer.text) == (403, f"{NO_NEW_GAMES}\n")
        assert await game.look("alice") == "1x2\nmy A\ndown\n"


async def test_what_is_not_off_can_be_done() -> None:
    async with served(NEW) as (_, _, client):
        assert (await client.get("/replace/alice/A/B")).status_code == 200
    async with served(REPLACE) as (_, _, client):
        assert (await client.post("/new/alice")).status_code == 200


async def test_replacing_that_is_off_is_refused_over_the_websocket_and_moves_go_on() -> None:
    async with (
        served(REPLACE) as (_, address, _),
        await WebSocket.connect(*address, "/play/alice") as socket,
    ):
        await socket.send('{"type": "replace", "id": 1, "old": "A", "new": "B"}')
        await socket.send('{"type": "flip", "id": 2, "row": 0, "column": 0}')
        outcomes: list[tuple[object, object]] = []
        while len(outcomes) < 2:
            frame = await socket.receive()
            if "outcome" in frame:
                outcomes.append((frame["outcome"], frame["reason"]))
        assert outcomes[0] == ("refused", NO_REPLACING)
        assert outcomes[1][0] == "ok"


@pytest.mark.parametrize(
    ("off", "told"),
    [((), None), (("new",), ["new"]), (("replace",), ["replace"]), (("replace", "new"), ["new", "replace"])],
)
async def test_the_page_is_told_what_is_off_and_nothing_if_nothing_is(
    off: tuple[Switch, ...], told: list[str] | None
) -> None:
    async with (
        served(off) as (_, address, _),
        await WebSocket.connect(*address, "/play/alice") as socket,
    ):
        frame = await socket.receive()
        assert frame["type"] == "board"
        assert frame.get("off") == told


# --- new games ---


async def test_a_new_game_too_soon_is_refused_in_words_that_say_when_by_post_and_by_websocket(
    mock_clock: MockClock,
) -> None:
    async with (
        served(new_every=2) as (game, address, client),
        await WebSocket.connect(*address, "/play/alice") as socket,
    ):

        async def ask(number: int) -> tuple[object, object]:
            await socket.send(f'{{"type": "new", "id": {number}}}')
            while (frame := await socket.receive()).get("id") != number:
                pass
            return frame["outcome"], frame["reason"]

        await game.flip("bob", 0, 0)
        answer = await client.post("/new/alice")
        assert (answer.status_code, answer.headers["Retry-After"]) == (429, "2"), "after the start"
        assert answer.text == "the next new game is possible in 2 seconds: there is at most one every 2 seconds\n"
        mock_clock.jump(1.5)
        assert await ask(1) == (
            "refused",
            "the next new game is possible in 1 second: there is at most one every 2 seconds",
        )
        assert await game.look("bob") == "1x2\nmy A\ndown\n", "nothing has changed"
        mock_clock.jump(1)
        assert await ask(2) == ("ok", None)
        assert await game.look("bob") == "1x2\ndown\ndown\n"
        assert (await client.post("/new/alice")).status_code == 429, "by any player, over any transport"
        mock_clock.jump(1.8)
        assert (await client.post("/new/carol")).status_code == 429
        mock_clock.jump(0.5)
        assert (await client.post("/new/carol")).status_code == 200


async def test_new_games_are_limited_by_nothing_if_no_pace_is_given_and_refused_by_websocket_if_off() -> None:
    async with served() as (_, address, client):
        for _ in range(3):
            assert (await client.post("/new/alice")).status_code == 200
    async with (
        served(NEW) as (_, address, _),
        await WebSocket.connect(*address, "/play/alice") as socket,
    ):
        await socket.send('{"type": "new", "id": 1}')
        while (frame := await socket.receive())["type"] != "new":
            pass
        refused = {"outcome": "refused", "reason": NO_NEW_GAMES, "code": "switched-off", "params": {"move": "new"}}
        assert frame == {"type": "new", "id": 1, **refused}


# --- watches ---


async def test_one_watch_more_than_may_wait_is_refused_with_429_and_others_are_not() -> None:
    async with served(limits=ServerLimits(parked=2)) as (game, _, client), trio.open_nursery() as nursery:
        for _ in range(2):
            nursery.start_soon(client.get, "/watch/alice")
        await until_waiting(game, 2)
        answer = await client.get("/watch/alice")
        assert answer.status_code == 429
        assert answer.text == "alice already has 2 waiting requests, the maximum\n"
        assert (await client.get("/flip/alice/0,0")).status_code == 200  # this answers the watches


async def test_a_watch_of_somebody_else_has_places_of_its_own_and_a_flip_needs_none() -> None:
    async with served(limits=ServerLimits(parked=1)) as (game, _, client), trio.open_nursery() as nursery:
        await game.flip("carol", 0, 0)
        for path in ("/watch/alice", "/watch/bob", "/flip/alice/0,0"):
            nursery.start_soon(client.get, path)
        await until_waiting(game, 3)
        assert (await client.get("/watch/bob")).status_code == 429
        await game.flip("carol", 0, 1)
        with suppress(FlipFailed):
            await game.flip("carol", 0, 0)  # removes the pair from the board, which answers all watches


async def test_there_is_a_place_again_after_a_watch_was_answered_or_called_off() -> None:
    async with served(limits=ServerLimits(parked=1)) as (game, address, client):
        for column in (0, 1):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(client.get, "/watch/alice")
                await until_waiting(game, 1)
                await game.flip("bob", 0, column)
        stream = await trio.open_tcp_stream(address.host, address.port)
        await stream.send_all(b"GET /watch/alice HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await until_waiting(game, 1)
        await stream.aclose()
        while game.stats().parked:  # until the server notices it
            await game.look("alice")
        assert (await client.get("/watch/alice?since=0")).status_code == 200


async def until_waiting(game: Game, count: int) -> None:
    """Wait until this number of requests waits in the game."""
    while sum(game.stats().parked.values()) < count:
        await wait_all_tasks_blocked()
