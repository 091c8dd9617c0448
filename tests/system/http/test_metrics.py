"""`/metrics` over a real server: the numbers match the events.

Partitions:
- a command is: answered; rejected; invalid; parked; withdrawn; written to a journal
- a connection is: a WebSocket, a telnet connection; open, closed; reads, does not read; beyond a limit
- an answer is: 200; an error
- format: the older text; OpenMetrics; an invalid version
- games: each of the three; two in one process; two servers of one game
- metrics are: on; switched off; at a separate address
- names: conform to the conventions; are exactly the names of the reference
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest
import trio

from scramble.crossword import Puzzle, open_lobby
from scramble.front.crossword.http import serve_crossword_http
from scramble.front.memory.http import serve_http
from scramble.front.minesweeper.http import serve_minesweeper_http
from scramble.front.minesweeper.telnet import serve_telnet
from scramble.front.site import SiteConfig
from scramble.journal import Journal
from scramble.memory import Board, open_game
from scramble.memory.messages import Withdrawn
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from scramble.server.listening import Address
from scramble.server.monitoring.endpoints import serve_monitoring
from scramble.server.monitoring.health import Watched
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.middleware import Protection
from scramble.server.traffic import Traffic
from tests.support.crossword.driver import SIMPLE
from tests.support.memory.served import served
from tests.support.memory.tabs import Server, public
from tests.system.http.numbers import OPENMETRICS, Numbers, scrape

DOCS = Path(__file__).parents[3] / "docs"
REFERENCE = DOCS / "reference" / "metrics-and-logs.md"
GUIDE = DOCS / "how-to" / "monitor-with-prometheus.md"
UNITS = ("_seconds", "_bytes", "_commands", "_info")


@asynccontextmanager
async def client_of(address: Address) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=address.url, timeout=None) as client:
        yield client


# --- commands ---------------------------------------------------------------------------------------


async def test_what_became_of_commands_is_told_by_kind() -> None:
    async with served() as server:
        assert (await scrape(server.client))("scramble_commands_total", kind="Flip", outcome="answered") is None
        await server.get("/flip/alice/0,0")
        await server.get("/flip/alice/0,0")  # 2-B
        await server.get("/flip/alice/9,9")
        numbers = await scrape(server.client)
    for outcome in ("answered", "refused", "invalid"):
        assert numbers("scramble_commands_total", kind="Flip", outcome=outcome) == 1
    assert numbers("scramble_http_responses_total", status="200") == 2  # the first scrape and the first flip
    assert numbers("scramble_http_responses_total", status="409") == 1
    assert numbers("scramble_http_responses_total", status="400") == 1
    assert numbers("scramble_game_version") == 1
    assert numbers("scramble_up") == 1


async def test_a_parked_flip_is_seen_to_wait_and_to_be_gone_after_its_withdrawal() -> None:
    async with served() as server:
        await server.get("/flip/alice/0,0")
        changes = server.game.changes()
        async with await server.raw("GET /flip/bob/0,0 HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            await server.until_waiting("bob")
            assert (await scrape(server.client))("scramble_parked_requests", kind="Flip") == 1
        async for change in changes:
            if any(isinstance(event, Withdrawn) for event in change.events):
                break
        numbers = await scrape(server.client)
    assert numbers("scramble_parked_requests", kind="Flip") == 0
    assert numbers("scramble_commands_total", kind="Flip", outcome="withdrawn") == 1


async def test_the_time_of_a_move_is_told_unless_it_waited_for_another_player() -> None:
    async with served() as server:
        await server.get("/look/alice")
        assert (await scrape(server.client))("scramble_move_seconds_count") == 0
        await server.get("/flip/alice/0,0")
        await server.get("/flip/alice/0,0")  # refused: 2-B
        await server.get("/flip/alice/0,0")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(server.get, "/flip/bob/0,0")
            await server.until_waiting("bob")
            await server.get("/flip/alice/0,1")  # this gives bob the card
        numbers = await scrape(server.client)
    assert numbers("scramble_commands_total", kind="Flip", outcome="answered") == 4
    assert numbers("scramble_move_seconds_count") == 4  # all moves except bob's
    assert (numbers("scramble_move_seconds_sum") or 0) > 0


async def test_batches_are_told_as_a_histogram() -> None:
    async with served() as server:
        for _ in range(3):
            await server.get("/look/alice")
        numbers = await scrape(server.client)
    assert numbers("scramble_batch_commands_count") == 3
    assert numbers("scramble_batch_commands_sum") == 3
    assert numbers("scramble_batch_commands_bucket", le="1.0") == 3
    assert numbers("scramble_batch_commands_bucket", le="+Inf") == 3
    assert numbers("scramble_commit_seconds_count") == 0


async def test_commands_that_are_safe_in_a_journal_are_told_with_the_time_that_it_took(tmp_path: Path) -> None:
    board = Board.parse("1x2\nA\nA\n")
    async with open_game(board, journal=Journal(tmp_path / "game.journal")) as game, trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_http, game, port=0))
        async with client_of(address) as client:
            await game.look("alice")
            await game.flip("alice", 0, 0)
            await game.flip("alice", 0, 1)
            numbers = await scrape(client)
        nursery.cancel_scope.cancel()
    assert numbers("scramble_journal_commands_total") == 2
    assert numbers("scramble_commit_seconds_count") == 2
    assert (numbers("scramble_commit_seconds_sum") or 0) > 0


# --- connections ------------------------------------------------------------------------------------


async def test_websockets_are_counted_while_they_are_open_and_by_how_they_end() -> None:
    async with served() as server, trio.open_nursery() as clients:
        tab = await Server(server.address, clients).open("alice")
        numbers = await scrape(server.client)
        assert numbers("scramble_connections", transport="websocket") == 1
        assert numbers("scramble_followers") == 1
        await tab.socket.leave(1000)
        while numbers("scramble_connections", transport="websocket"):  # until the server has noticed
            numbers = await scrape(server.client)
    assert numbers("scramble_connections_accepted_total", transport="websocket") == 1
    assert numbers("scramble_websockets_closed_total", code="1006") == 1  # hypercorn does not report the code


async def test_a_slow_reader_is_counted() -> None:
    card = "X" * 30_000  # all changes together are larger than any socket buffer
    async with served(f"1x3\n{card}\n{card}\nB\n") as server, trio.open_nursery() as clients:
        slow = await Server(server.address, clients).connect("slow", receive_buffer=4096)
        await slow.read()
        assert (await scrape(server.client))("scramble_slow_reader_drops_total", transport="websocket") == 0
        for i in range(300):
            for spot in ("0,2", f"0,{i % 2}"):
                await server.get(f"/flip/alice/{spot}")
        now = public(await server.game.snapshot())
        while not slow.mirror.shows(now):
            await slow.read()
        fallen_behind = (await scrape(server.client))("scramble_slow_reader_drops_total", transport="websocket")
        assert fallen_behind == slow.count("board") - 1 > 0
        await slow.socket.leave()


async def test_telnet_and_the_page_of_one_game_are_counted_together() -> None:
    traffic = Traffic()
    async with open_field(Field.random(3, 3, seed=1)) as game, trio.open_nursery() as nursery:
        telnet = await nursery.start(
            partial(serve_telnet, game, host="127.0.0.1", port=0, max_connections=1, traffic=traffic)
        )
        page = await nursery.start(partial(serve_minesweeper_http, game, port=0, site=SiteConfig(traffic=traffic)))
        async with client_of(page) as client, await trio.open_tcp_stream(*telnet) as player:
            await player.receive_some()  # HELLO
            async with await trio.open_tcp_stream(*telnet) as one_too_many:
                assert b"too many" in await one_too_many.receive_some()
            numbers = await scrape(client)
        nursery.cancel_scope.cancel()
    assert numbers("scramble_connections", transport="telnet") == 1
    assert numbers("scramble_connections_accepted_total", transport="telnet") == 1
    assert numbers("scramble_connections_turned_away_total", transport="telnet") == 1
    assert numbers("scramble_slow_reader_drops_total", transport="telnet") == 0


async def test_who_is_beyond_a_limit_is_counted_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "scramble")
    traffic = Traffic()
    limited = Protection(ServerLimits(connections=1, requests=1, requests_per_s=0.001))
    async with open_game(Board.parse("1x2\nA\nA\n")) as game, trio.open_nursery() as nursery:
        play = await nursery.start(partial(serve_http, game, port=0, site=SiteConfig(limited, traffic)))
        watch = await nursery.start(partial(serve_monitoring, "memory", game, traffic, port=0))
        async with client_of(play) as player, client_of(play) as another, client_of(watch) as client:
            assert [(await player.get("/look/alice")).status_code for _ in range(2)] == [200, 429]
            assert (await another.get("/look/bob")).status_code == 503
            numbers = await scrape(client)
        nursery.cancel_scope.cancel()
    assert numbers("scramble_http_responses_total", status="429") == 1
    assert numbers("scramble_connections_turned_away_total", transport="http") == 1
    refused, turned_away = [
        record.getMessage() for record in caplog.records if record.name.startswith("scramble.server")
    ]
    assert refused == "request-refused client=127.0.0.1 method=GET path=/look/alice status=429"
    assert turned_away.startswith("client-turned-away client=127.0.0.1 reason=")


# --- games and servers ------------------------------------------------------------------------------


@asynccontextmanager
async def every_game(*, metrics: bool = True) -> AsyncIterator[dict[str, tuple[Watched, httpx.AsyncClient]]]:
    async with (
        open_game(Board.parse("1x2\nA\nA\n")) as memory,
        open_field(Field.random(3, 3, seed=1)) as field,
        open_lobby([Puzzle.parse(SIMPLE, id="simple")]) as lobby,
        trio.open_nursery() as nursery,
    ):
        addresses = [
            await nursery.start(partial(serve_http, memory, port=0, site=SiteConfig(metrics=metrics))),
            await nursery.start(partial(serve_minesweeper_http, field, port=0, site=SiteConfig(metrics=metrics))),
            await nursery.start(partial(serve_crossword_http, lobby, port=0, site=SiteConfig(metrics=metrics))),
        ]
        async with client_of(addresses[0]) as one, client_of(addresses[1]) as two, client_of(addresses[2]) as three:
            yield {"memory": (memory, one), "minesweeper": (field, two), "crossword": (lobby, three)}
        nursery.cancel_scope.cancel()


async def test_three_games_in_one_process_tell_each_its_own_numbers() -> None:
    async with every_game() as games:
        for number, (game, _) in enumerate(games.values()):
            for _ in range(number + 1):
                await game.ping()
        for number, (kind, (_, client)) in enumerate(games.items()):
            numbers = await scrape(client)
            assert numbers("scramble_commands_total", kind="Ping", outcome="answered") == number + 1
            assert numbers.families["scramble_info"].samples[0].labels["game"] == kind


async def test_two_servers_of_one_game_both_tell_of_it_and_each_of_its_own_answers() -> None:
    async with served() as here, trio.open_nursery() as nursery:
        there = await nursery.start(partial(serve_http, here.game, port=0))
        await here.get("/flip/alice/0,0")
        async with client_of(there) as client:
            numbers = await scrape(client)
        assert numbers("scramble_commands_total", kind="Flip", outcome="answered") == 1
        assert numbers("scramble_http_responses_total", status="200") is None
        nursery.cancel_scope.cancel()


async def test_metrics_can_be_switched_off_while_health_stays() -> None:
    async with every_game(metrics=False) as games:
        for _, client in games.values():
            assert (await client.get("/metrics")).status_code == 404
            assert (await client.get("/health")).status_code == 200


async def test_metrics_can_have_an_address_of_their_own_where_nobody_plays() -> None:
    traffic = Traffic()
    traffic.responses[200] += 5
    async with open_game(Board.parse("1x2\nA\nA\n")) as game, trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_monitoring, "memory", game, traffic, port=0))
        async with client_of(address) as client:
            numbers = await scrape(client)
            assert numbers("scramble_http_responses_total", status="200") == 5
            assert (await client.get("/health")).status_code == 200
            assert (await client.get("/look/alice")).status_code == 404
            nothing = await client.get("/")
            assert (nothing.status_code, nothing.text) == (404, "no such page\n")
        nursery.cancel_scope.cancel()


# --- names ------------------------------------------------------------------------------------------


async def everything(*, openmetrics: bool = False) -> Numbers:
    async with served() as server:
        await server.get("/look/alice")
        return await scrape(server.client, openmetrics=openmetrics)


async def test_both_formats_tell_the_same_of_the_game() -> None:
    text, openmetrics = await everything(), await everything(openmetrics=True)
    for numbers in (text, openmetrics):
        assert numbers("scramble_commands_total", kind="Look", outcome="answered") == 1
        assert numbers("scramble_http_responses_total", status="200") == 1


async def test_the_process_is_told_of_too() -> None:
    numbers = await everything()
    assert (numbers("process_resident_memory_bytes") or 0) > 1e6
    assert any(name.startswith("python") for name in numbers.families)


async def test_names_keep_to_the_conventions_of_prometheus() -> None:
    families = (await everything()).families
    for name, family in families.items():
        assert family.documentation
        assert re.fullmatch("[a-z_]+", name), name
        if family.type == "counter":
            assert all(sample.name.endswith(("_total", "_created")) for sample in family.samples), name
        if family.type == "histogram":
            assert name.endswith(UNITS), name


async def test_the_reference_has_all_of_them_and_no_others() -> None:
    reference = set(re.findall(r"^\| `(scramble_(?!cluster_)\w+)", REFERENCE.read_text(), re.MULTILINE))
    families = (await everything()).families.values()
    told = {f"{family.name}_total" if family.type == "counter" else family.name for family in families}
    assert {name for name in told if name.startswith("scramble")} == reference


async def test_the_queries_of_the_guide_ask_for_what_there_is() -> None:
    told = {sample.name for family in (await everything()).families.values() for sample in family.samples}
    asked = set(re.findall(r"\b(?:scramble|process)_\w+", GUIDE.read_text()))
    assert {"scramble_commit_seconds_bucket", "process_resident_memory_bytes"} <= asked
    # these have no samples before something happens
    assert asked - told <= {"scramble_http_responses_total", "scramble_parked_requests"}


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("application/openmetrics-text; version=a", "text/plain"),
        ("application/openmetrics-text; version=1!0", "text/plain"),
        ("text/plain; version=b", "text/plain"),
        ("application/openmetrics-text;version=a;q=0.5", "text/plain"),
        ("application/openmetrics-text; version=", "text/plain"),
        ("application/openmetrics-text", "application/openmetrics-text"),
        ("application/openmetrics-text;version=a, application/openmetrics-text; version=1.0.0;q=0.5", OPENMETRICS),
    ],
)
async def test_a_version_that_is_none_is_passed_over(accept: str, kind: str) -> None:
    async with served() as server:
        answer = await server.get("/metrics", Accept=accept)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith(kind)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
async def test_metrics_are_only_to_be_read(method: str) -> None:
    async with served() as server:
        assert (await server.client.request(method, "/metrics")).status_code == 405
