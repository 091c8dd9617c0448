"""The server around the text protocol: addresses, several servers on one game, the application for other servers.

Partitions:
- servers: one; two on one game; one whose game is closed
- address: free; in use; not this machine's; not an address; IPv6
- the application for other servers: each setting, good and bad; under hypercorn's own worker
- the page: each kind of file; unchanged; unknown
"""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path

import httpx
import pytest
import trio
from hypercorn.config import Config
from hypercorn.trio import serve

from scramble.app import BadSetting, create_app
from scramble.errors import CannotListen
from scramble.front.memory.http import serve_http
from scramble.journal import read_recording
from scramble.minesweeper import Field
from scramble.server.http.server import serve_app
from scramble.server.listening import Address
from tests.support.asking import UPGRADE, status, until
from tests.support.memory.served import served


async def test_two_servers_and_the_embedding_program_play_one_game_together() -> None:
    async with served() as s:
        second = await s.nursery.start(partial(serve_http, s.game, port=0))
        assert second.port != s.address.port
        await s.get("/flip/alice/0,0")
        answers: list[httpx.Response] = []

        async def bob() -> None:
            async with httpx.AsyncClient(base_url=second.url, timeout=None) as client:
                answers.append(await client.get("/flip/bob/0,0"))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(bob)
            await s.until_waiting("bob")
            await s.game.flip("alice", 0, 1)
        assert answers[0].status_code == 200


async def test_requests_parked_when_the_game_is_closed_get_503_and_so_do_later_ones() -> None:
    async with served() as s:
        await s.game.flip("alice", 0, 0)
        answers: list[int] = []

        async def parked(path: str) -> None:
            answers.append((await s.get(path)).status_code)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(parked, "/flip/bob/0,0")
            nursery.start_soon(parked, "/watch/carol")
            await s.until_waiting("bob")
            await s.game.aclose()
        assert answers == [503, 503]
        assert (await s.get("/look/alice")).status_code == 503


async def test_a_port_in_use_is_an_oserror_that_says_so_in_a_line() -> None:
    async with served() as s:
        with pytest.raises(CannotListen, match=f"cannot listen on 127.0.0.1 port {s.address.port}: "):
            await serve_http(s.game, port=s.address.port)


@pytest.mark.parametrize("host", ["no such host", "x" * 300, "203.0.113.1"])
async def test_an_address_that_is_not_ours_is_an_oserror_too(host: str) -> None:
    async with served() as s:
        with pytest.raises(CannotListen):
            await serve_http(s.game, host, 0)


async def test_the_address_handed_back_can_be_connected_to_as_it_is() -> None:
    async with served() as s:
        host, port = s.address
        async with await trio.open_tcp_stream(host, port):
            pass
        assert s.address.url == f"http://{host}:{port}/"


def test_an_ipv6_address_has_brackets_in_its_url() -> None:
    assert Address("::1", 8080).url == "http://[::1]:8080/"


async def test_the_application_for_other_servers_takes_its_settings_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    board = tmp_path / "board.txt"
    board.write_text("1x2\nA\nB\n")
    monkeypatch.setenv("SCRAMBLE_BOARD", str(board))
    monkeypatch.setenv("SCRAMBLE_EDITION", "2022")
    monkeypatch.setenv("SCRAMBLE_WATCH_TIMEOUT", "0.001")
    async with trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_app, create_app(), host="127.0.0.1", port=0))
        async with httpx.AsyncClient(base_url=address.url) as client:
            assert (await client.get("/flip/alice/0,0")).text == "1x2\nmy A\ndown\n"
            assert (await client.get("/flip/alice/0,0")).text == "1x2\nup A\ndown\n"
            assert (await client.get("/watch/alice")).status_code == 200
        nursery.cancel_scope.cancel()


async def test_the_application_for_other_servers_may_free_the_cards_of_those_who_have_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SCRAMBLE_RELEASE_IDLE", "0.001")
    async with trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_app, create_app(), host="127.0.0.1", port=0))
        async with httpx.AsyncClient(base_url=address.url) as client:
            for player in ("alice", "bob", "carol"):
                answer = await client.get(f"/flip/{player}/0,0")  # waits until the previous player relinquishes it
                assert answer.text.startswith("3x3\nmy ")
        nursery.cancel_scope.cancel()


async def test_the_application_for_other_servers_serves_each_game_by_its_options_and_keeps_it_in_a_journal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SCRAMBLE_SIZE", "7x3")
    monkeypatch.setenv("SCRAMBLE_DEBUG", "1")
    monkeypatch.setenv("SCRAMBLE_GRACE", "45")
    monkeypatch.setenv("SCRAMBLE_PORT", "none of its business")
    async with trio.open_nursery() as nursery:
        for game, expected in (
            ("minesweeper", {"debug": True, "telnet": None}),
            ("crossword", {"grace": 45.0, "telnet": None}),
        ):
            monkeypatch.setenv("SCRAMBLE_JOURNAL", str(tmp_path / f"{game}.db"))
            address = await nursery.start(partial(serve_app, create_app(game), host="127.0.0.1", port=0))
            async with httpx.AsyncClient(base_url=address.url) as client:
                assert (await client.get("/server")).json() == expected
                assert (await client.get("/replay")).status_code == 200
        nursery.cancel_scope.cancel()
    field = Field.restore(read_recording(tmp_path / "minesweeper.db").first)
    assert (field.columns, field.rows) == (7, 3)


def test_an_invalid_name_of_a_journal_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRAMBLE_JOURNAL", "games.db")
    monkeypatch.setenv("SCRAMBLE_JOURNAL_NAME", "a b")
    with pytest.raises(BadSetting, match="SCRAMBLE_JOURNAL_NAME: 'a b' is no name"):
        create_app()


def test_an_application_of_an_unknown_game_names_those_that_there_are() -> None:
    with pytest.raises(BadSetting, match="'chess' is not a game: memory, minesweeper, crossword"):
        create_app("chess")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SCRAMBLE_BOARD", "no-such-board.txt"),
        ("SCRAMBLE_METRICS", "9100"),
        ("SCRAMBLE_EDITION", "2023"),
        ("SCRAMBLE_WATCH_TIMEOUT", "soon"),
        ("SCRAMBLE_WATCH_TIMEOUT", "-1"),
        ("SCRAMBLE_RELEASE_IDLE", "never"),
        ("SCRAMBLE_RELEASE_IDLE", "0"),
        ("SCRAMBLE_RELEASE_HOLDING", "0"),
        ("SCRAMBLE_NEW_EVERY", "often"),
        ("SCRAMBLE_NO_NEW", "maybe"),
        ("SCRAMBLE_ORIGIN", "https://play.example.org example.org"),
        ("SCRAMBLE_REQUESTS_PER_S", "0"),
        ("SCRAMBLE_MAX_WAITING", "many"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(Exception, match=name):
        create_app()


async def test_the_page_and_its_parts_are_served_with_their_types_and_not_sent_twice() -> None:
    async with served() as s:
        page = await s.get("/")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert "default-src 'self'" in page.headers["content-security-policy"]
        again = await s.get("/", **{"If-None-Match": page.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        module = await s.get("/client/memory/memory.js")
        assert module.headers["content-type"] == "text/javascript; charset=utf-8"
        manifest = await s.get("/client/memory/manifest.webmanifest")
        assert manifest.headers["content-type"] == "application/manifest+json"
        icon = await s.get("/client/memory/icon-192.png")
        assert (icon.headers["content-type"], icon.headers["cache-control"]) == ("image/png", "max-age=86400")
        worker = await s.get("/client/offline/worker.js")  # for the whole site, even behind a proxy with a path
        assert (worker.headers["service-worker-allowed"], worker.headers["cache-control"]) == ("../../", "no-cache")
        assert "service-worker-allowed" not in module.headers
        assert (await s.get("/client/../pyproject.toml")).status_code == 404
        assert (await s.get("/client/none.js")).status_code == 404


async def test_under_hypercorns_own_worker_connections_are_closed_that_shall_be() -> None:
    config = Config()
    config.bind = ["127.0.0.1:0"]
    config.errorlog = logging.getLogger("hypercorn.error")  # otherwise hypercorn adds its own handler permanently
    async with trio.open_nursery() as nursery:
        (url,) = await nursery.start(partial(serve, create_app(), config))
        port = int(url.rpartition(":")[2])
        for request in (
            "GET /look/alice HTTP/1.0\r\n\r\n",
            "GET /look/alice HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        ):
            async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
                await stream.send_all(request.encode())
                answer = b"".join([part async for part in stream])  # to the end
                assert answer.endswith(b"\r\n\r\n3x3\n" + 9 * b"down\n")
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(("bits", "expected"), [("abc", 400), ("99", 101), ("15", 101)])
async def test_under_hypercorns_own_worker_extensions_that_it_would_fail_at_are_refused(
    bits: str, expected: int, caplog: pytest.LogCaptureFixture
) -> None:
    config = Config()
    config.bind = ["127.0.0.1:0"]
    config.errorlog = logging.getLogger("hypercorn.error")
    async with trio.open_nursery() as nursery:
        (url,) = await nursery.start(partial(serve, create_app(), config))
        async with await trio.open_tcp_stream("127.0.0.1", int(url.rpartition(":")[2])) as stream:
            offer = f"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits={bits}\r\n"
            await stream.send_all(f"GET /play/ann HTTP/1.1\r\nHost: localhost\r\n{UPGRADE}{offer}\r\n".encode())
            assert status(await until(stream, b"\r\n\r\n")) == expected
        nursery.cancel_scope.cancel()
    assert not [record for record in caplog.records if record.exc_info]
