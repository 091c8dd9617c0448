"""Host names that a server accepts for protected requests: as values, and at real servers.

Partitions:
- a Host is: an address, IPv4 or IPv6, with a port or not; localhost, a name below it; this machine's name, with
  `.local`; set by an option; an allowed origin's; unknown; similar to one of these; malformed; not sent
- request for: metrics, beside the game and at a separate address; a replay, beside the game and alone; the page or a
  move, with seats and without, with the client's own secret or not; rooms; something else
"""

from __future__ import annotations

import socket
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
from scramble.front.replay.archive import Archive
from scramble.front.replay.http import serve_replay
from scramble.front.site import SiteConfig
from scramble.front.web.client import COOKIE
from scramble.games.table import narrators
from scramble.journal import Journal, read_recording
from scramble.memory import Board, open_game
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from scramble.server.monitoring.endpoints import serve_monitoring
from scramble.server.protection.hosts import HostNames, parse_host_name
from scramble.server.protection.middleware import Protection
from scramble.server.traffic import Traffic
from tests.support.crossword.driver import SIMPLE

BOARD = "1x2\nA\nA\n"
SECRET = "Bearer 0123456789abcdef"
MACHINE = socket.gethostname().lower()
FIRST = MACHINE.partition(".")[0]


# --- names ---


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:8080",
        "192.168.1.5:8080",
        "[::1]:8080",
        "[2001:db8::7]",
        "localhost",
        "LocalHost:8080",
        "localhost.:8080",
        "game.localhost:8080",
        MACHINE,
        f"{FIRST.upper()}:8080",
        f"{FIRST}.local:8080",
        "play.example.org",
        "play.example.org:443",
        "Play.Example.ORG.",
        "named.example:8080",
        "",
        None,
    ],
)
def test_addresses_this_machines_names_and_those_given_are_known(host: str | None) -> None:
    protection = Protection(origins=("https://play.example.org:444",), host_names=("named.example",))
    assert protection.hosts().knows(host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "notlocalhost",
        "127.0.0.1.evil.example",
        "127.1",
        "play.example.org",
        f"{FIRST}.local.evil.example",
        "evil.example@localhost",
        "evil.example#localhost",
        "[::1",
        "localhost:port",
        ":8080",
    ],
)
def test_others_are_not_however_much_they_look_like_them(host: str) -> None:
    assert not HostNames(("named.example",)).knows(host)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("play.example.org", "play.example.org"),
        (" Play.Example.Org. ", "play.example.org"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("game", "game"),
    ],
)
def test_a_host_name_is_kept_as_browsers_write_it(text: str, name: str) -> None:
    assert parse_host_name(text) == name


@pytest.mark.parametrize("text", ["", "http://a.example", "a.example:80", "a.example/", "a b", "user@a.example", "."])
def test_a_host_name_that_is_none_is_told_so(text: str) -> None:
    with pytest.raises(ValueError, match="is not a host name such as"):
        parse_host_name(text)


# --- servers ---


def refused_by_name(answer: httpx.Response) -> bool:
    return (
        answer.status_code == 421
        and answer.headers.get("Set-Cookie") is None
        and answer.headers["Content-Type"] == "text/plain; charset=utf-8"
        and answer.text.startswith("this is not for pages of evil.example")
        and answer.text.endswith("start the server with --host-name if that name is its own\n")
    )


@asynccontextmanager
async def every_game(protection: Protection, journal: Path) -> AsyncIterator[list[httpx.AsyncClient]]:
    site = SiteConfig(protection, archive=Archive(partial(read_recording, journal), narrators=narrators()))
    async with (
        open_game(Board.parse(BOARD), journal=Journal(journal)) as memory,
        open_field(Field.random(3, 3, seed=1)) as field,
        open_lobby([Puzzle.parse(SIMPLE, id="simple")]) as lobby,
        trio.open_nursery() as nursery,
    ):
        addresses = [
            await nursery.start(partial(serve_http, memory, port=0, site=site)),
            await nursery.start(partial(serve_minesweeper_http, field, port=0, site=site)),
            await nursery.start(partial(serve_crossword_http, lobby, port=0, site=site)),
        ]
        clients = [httpx.AsyncClient(base_url=address.url, timeout=None) for address in addresses]
        yield clients
        for client in clients:
            await client.aclose()
        nursery.cancel_scope.cancel()


async def test_a_page_whose_name_only_leads_here_reads_nothing(tmp_path: Path) -> None:
    protection = Protection(host_names=("named.example",), origins=("https://play.example.org",))
    async with every_game(protection, tmp_path / "game.db") as clients:
        for client in clients:
            for path in ("/metrics", "/replay", "/replay/data"):
                assert refused_by_name(await client.get(path, headers={"Host": "evil.example"}))
                for host in ("named.example", "play.example.org:8080", "localhost"):
                    assert (await client.get(path, headers={"Host": host})).status_code == 200
            for path in ("/", "/health", "/health/live", "/server", "/play/ann", "/no/such/path"):
                assert refused_by_name(await client.get(path, headers={"Host": "evil.example"}))
                assert refused_by_name(await client.post(path, headers={"Host": "evil.example"}, content=b"x"))


async def test_a_page_whose_name_only_leads_here_gets_no_seat_nor_a_cookie_for_one(tmp_path: Path) -> None:
    async with every_game(Protection(seats=True), tmp_path / "game.db") as clients:
        for client in clients:
            assert refused_by_name(await client.get("/", headers={"Host": "evil.example"}))
            assert COOKIE in (await client.get("/")).headers["Set-Cookie"]
        memory = clients[0]
        assert refused_by_name(await memory.get("/flip/ann/0,0", headers={"Host": "evil.example"}))
        assert (await memory.get("/look/ann")).text == "1x2\ndown\ndown\n"
        program = {"Host": "evil.example", "Authorization": SECRET}  # a page in a browser may send this, too
        assert refused_by_name(await memory.get("/flip/bot/0,0", headers=program))


async def test_without_seats_the_text_protocol_of_the_handouts_is_for_every_name(tmp_path: Path) -> None:
    async with every_game(Protection(), tmp_path / "game.db") as (memory, *_):
        for path in ("/look/ann", "/flip/ann/0,0", "/replace/ann/A/B", "/watch/ann?since=0"):
            assert (await memory.get(path, headers={"Host": "board.school.example"})).status_code == 200
        assert refused_by_name(await memory.get("/figures", headers={"Host": "evil.example"}))


async def test_metrics_at_an_address_of_their_own_are_for_every_name() -> None:
    async with open_game(Board.parse(BOARD)) as game, trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_monitoring, "memory", game, Traffic(), port=0))
        async with httpx.AsyncClient(base_url=address.url) as client:
            assert (await client.get("/metrics", headers={"Host": "prometheus.example"})).status_code == 200
        nursery.cancel_scope.cancel()


async def test_a_replay_alone_is_by_the_names_of_its_server_only(tmp_path: Path) -> None:
    async with open_game(Board.parse(BOARD), journal=Journal(tmp_path / "game.db")) as game:
        await game.flip("ann", 0, 0)
    archive = Archive(partial(read_recording, tmp_path / "game.db"), narrators=narrators())
    async with trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_replay, archive, port=0, host_names=("named.example",)))
        async with httpx.AsyncClient(base_url=address.url) as client:
            assert refused_by_name(await client.get("/replay/data", headers={"Host": "evil.example"}))
            assert (await client.get("/replay/data", headers={"Host": "named.example"})).status_code == 200
        nursery.cancel_scope.cancel()
