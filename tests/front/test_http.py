"""The text protocol over real sockets: a hypercorn on a free port in the same trio program, httpx as the browser.

Partitions:
- request: look, flip, replace, watch, new; GET, POST, HEAD, OPTIONS, prefetch, another method; a path that is none
- player: valid; empty; with a character that is not allowed; percent-encoded; of another script
- spot: valid; leading zeros; signs, fractions, blanks, other digits, huge numbers; outside the board
- card: ASCII; emoji; with a slash, percent sign, question mark; empty; with white space; not UTF-8
- flip: succeeds; fails, in either edition; waits, and is granted, or fails, or its client leaves: FIN, RST, half-close
- watch: before a change; since an earlier version; since the present one; with a time-out; client goes away
- servers: one; two on one game; one that stops, one whose game is closed
"""

from __future__ import annotations

import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest
import trio

from scramble.app import create_app
from scramble.front.http import Edition, serve_http
from scramble.front.server import Address, CannotListen, serve_app
from scramble.memory import Board, open_game
from scramble.memory.game import Game
from scramble.memory.messages import Waiting, Withdrawn

ABC = "2x3\nA\nB\nA\nB\nC\nC\n"


class Served:
    """A game, the address of its server and a client without keep-alive surprises."""

    def __init__(self, game: Game, address: Address, client: httpx.AsyncClient, nursery: trio.Nursery) -> None:
        self.game = game
        self.address = address
        self.client = client
        self.nursery = nursery

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.client.get(path, headers=headers)

    async def raw(self, request: str) -> trio.SocketStream:
        """A connection on which this request has been sent."""
        stream = await trio.open_tcp_stream(self.address.host, self.address.port)
        await stream.send_all(request.encode())
        return stream

    async def exchange(self, method: str, path: str) -> tuple[str, str]:
        """Head and body of the answer to a request whose path is sent as it is; reads until the server closes."""
        async with await self.raw(f"{method} {path} HTTP/1.0\r\n\r\n") as stream:
            head, _, body = b"".join([chunk async for chunk in stream]).decode().partition("\r\n\r\n")
        return head, body

    async def until_waiting(self, player: str) -> None:
        """Return when the player's flip waits, which it may do already."""
        changes = self.game.changes()
        if player in (await self.game.snapshot()).waiting:
            return
        async for change in changes:
            if any(isinstance(e, Waiting) and e.player == player for e in change.events):
                return


@asynccontextmanager
async def served(
    board: str = ABC, *, edition: Edition = "2025", watch_timeout: float | None = None
) -> AsyncIterator[Served]:
    async with open_game(Board.parse(board)) as game, trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_http, game, port=0, edition=edition, watch_timeout=watch_timeout))
        async with httpx.AsyncClient(base_url=address.url, timeout=None) as client:
            yield Served(game, address, client, nursery)
        nursery.cancel_scope.cancel()


# what is answered


async def test_look_answers_the_board_as_text_with_its_version_for_everybody_and_not_to_be_stored() -> None:
    async with served() as s:
        await s.game.flip("alice", 0, 1)
        answer = await s.get("/look/alice")
        assert answer.status_code == 200
        assert answer.text == "2x3\ndown\nmy B\ndown\ndown\ndown\ndown\n"
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["etag"] == '"1"'
        assert (await s.get("/look/bob")).text == "2x3\ndown\nup B\ndown\ndown\ndown\ndown\n"


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_flip_answers_the_board_after_the_flip(method: str) -> None:
    async with served() as s:
        answer = await s.client.request(method, "/flip/alice/1,2")
        assert (answer.status_code, answer.text) == (200, "2x3\ndown\ndown\ndown\ndown\ndown\nmy C\n")
        assert answer.headers["etag"] == '"1"'


async def test_a_failed_flip_of_the_2025_edition_is_409_with_the_reason_and_the_rule() -> None:
    async with served() as s:
        await s.get("/flip/alice/0,0")
        answer = await s.get("/flip/alice/0,0")
        assert answer.status_code == 409
        assert answer.text.startswith("cannot flip this card: ")
        assert "2-B" in answer.text
        assert answer.text.count("\n") == 1


async def test_a_failed_flip_of_the_2022_edition_is_200_and_the_board() -> None:
    async with served(edition="2022") as s:
        await s.get("/flip/alice/0,0")
        answer = await s.get("/flip/alice/0,0")
        assert (answer.status_code, answer.text) == (200, "2x3\nup A\ndown\ndown\ndown\ndown\ndown\n")


@pytest.mark.parametrize("edition", ["2022", "2025"])
async def test_a_flip_while_the_players_previous_one_waits_is_refused_in_either_edition(edition: Edition) -> None:
    async with served(edition=edition) as s:
        await s.game.flip("alice", 0, 0)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(s.get, "/flip/bob/0,0")
            await s.until_waiting("bob")
            answer = await s.get("/flip/bob/0,1")
            assert answer.status_code == 409
            assert "waiting" in answer.text
            assert (await s.game.look("bob")).count("down") == 5
            await s.game.flip("alice", 0, 1)


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("A", "Z", "A/Z"),
        ("A", "🦄", "A/%F0%9F%A6%84"),
        ("A", "1/2", "A/1%2F2"),
        ("A", "50%?#", "A/50%25%3F%23"),
        ("A", "..", "A/.."),
        ("A", "a+b", "A/a+b"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_replace_takes_percent_encoded_cards(method: str, old: str, new: str, path: str) -> None:
    async with served("1x2\nA\nB\n") as s:
        await s.game.flip("alice", 0, 0)
        head, body = await s.exchange(method, f"/replace/alice/{path}")
        assert " 200 " in head.splitlines()[0]
        assert body == f"1x2\nmy {new}\ndown\n"


async def test_new_deals_the_same_cards_again() -> None:
    async with served("1x2\nA\nA\n") as s:
        await s.game.flip("alice", 0, 0)
        answer = await s.client.post("/new/bob")
        assert (answer.status_code, answer.text) == (200, "1x2\ndown\ndown\n")
        assert (await s.get("/new/bob")).status_code == 405


# waiting


async def test_a_flip_waits_until_the_card_is_relinquished_while_all_others_are_served() -> None:
    async with served() as s:
        await s.get("/flip/alice/0,0")
        answers: list[httpx.Response] = []

        async def bob() -> None:
            answers.append(await s.get("/flip/bob/0,0"))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(bob)
            await s.until_waiting("bob")
            assert (await s.get("/look/bob")).status_code == 200
            assert (await s.get("/flip/carol/1,1")).status_code == 200
            assert answers == []
            await s.get("/flip/alice/0,1")
        assert answers[0].text.splitlines()[1] == "my A"


async def test_a_waiting_flip_fails_by_1a_when_the_card_is_removed() -> None:
    async with served() as s:
        await s.get("/flip/alice/0,0")
        answers: list[httpx.Response] = []

        async def bob() -> None:
            answers.append(await s.get("/flip/bob/0,0"))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(bob)
            await s.until_waiting("bob")
            await s.get("/flip/alice/0,2")
            await s.get("/flip/alice/0,1")
        assert answers[0].status_code == 409
        assert "1-A" in answers[0].text


@pytest.mark.parametrize("how", ["FIN", "RST", "half-close"])
async def test_a_client_that_goes_away_while_its_flip_waits_never_gets_the_card(how: str) -> None:
    async with served() as s:
        await s.game.flip("alice", 0, 0)
        stream = await s.raw("GET /flip/bob/0,0 HTTP/1.1\r\nHost: x\r\n\r\n")
        await s.until_waiting("bob")
        changes = s.game.changes()
        if how == "half-close":
            await stream.send_eof()
        else:
            if how == "RST":
                stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            await stream.aclose()
        change = await anext(changes)
        assert change.events == (Withdrawn(0, 0, "bob"),)
        await stream.aclose()
        await s.game.flip("alice", 0, 1)
        assert "my" not in await s.game.look("bob")


async def test_a_watch_is_answered_by_the_next_change_from_the_watchers_side() -> None:
    async with served() as s:
        await s.game.flip("alice", 0, 0)
        answers: list[str] = []

        async def watch(player: str) -> None:
            answers.append((await s.get(f"/watch/{player}?since=1")).text)

        async with trio.open_nursery() as nursery:
            for player in ("alice", "bob"):
                nursery.start_soon(watch, player)
            await s.game.flip("bob", 0, 1)
        assert sorted(answers) == [
            "2x3\nmy A\nup B\ndown\ndown\ndown\ndown\n",
            "2x3\nup A\nmy B\ndown\ndown\ndown\ndown\n",
        ]


async def test_a_watch_since_an_earlier_version_is_answered_at_once() -> None:
    async with served() as s:
        await s.game.flip("alice", 0, 0)
        answer = await s.get("/watch/bob?since=0")
        assert answer.headers["etag"] == '"1"'


async def test_a_watch_with_a_timeout_is_answered_with_the_unchanged_board() -> None:
    async with served(watch_timeout=0.001) as s:
        answer = await s.get("/watch/bob")
        assert (answer.status_code, answer.text) == (200, "2x3\n" + "down\n" * 6)
        assert answer.headers["etag"] == '"0"'


# what is refused


BAD = [
    ("/look/al%20ice", 400),
    ("/look/al-ice", 400),
    ("/look/%C3%A9ve", 400),
    ("/look/", 404),
    ("/look", 404),
    ("/look/alice/", 404),
    ("/", 200),
    ("/nowhere", 404),
    ("/flip/alice", 404),
    ("/flip/alice/0", 400),
    ("/flip/alice/0,0,0", 400),
    ("/flip/alice/,", 400),
    ("/flip/alice/-0,0", 400),
    ("/flip/alice/+1,0", 400),
    ("/flip/alice/1.0,0", 400),
    ("/flip/alice/0,%200", 400),
    ("/flip/alice/0,0%0A", 400),
    ("/flip/alice/%D9%A1,0", 400),
    ("/flip/alice/2,0", 400),
    ("/flip/alice/0,3", 400),
    ("/flip/alice/0," + "9" * 6000, 400),
    ("/flip/al%0Aice/0,0", 400),
    ("/replace/alice/A", 400),
    ("/replace/alice/A/B/C", 400),
    ("/replace/alice/A/", 400),
    ("/replace/alice/A/%20", 400),
    ("/replace/alice/A/x%E2%80%83y", 400),
    ("/replace/alice/A/%FF", 400),
    ("/replace/alice/%ED%A0%80/B", 400),
    ("/replace/al%20ice/A/B", 400),
    ("/watch/alice?since=x", 400),
    ("/watch/alice?since=-1", 400),
    ("/watch/al%20ice", 400),
]


@pytest.mark.parametrize(("path", "status"), BAD)
async def test_what_cannot_be_understood_is_refused_in_one_plain_line_and_changes_nothing(
    path: str, status: int
) -> None:
    async with served() as s:
        before = await s.game.snapshot()
        head, body = await s.exchange("GET", path)
        assert head.split()[1] == str(status), head + body
        if status != 200:
            assert body.endswith("\n")
            assert body.count("\n") == 1
            assert "content-type: text/plain" in head.lower()
        assert await s.game.snapshot() == before


async def test_00_is_0() -> None:
    async with served() as s:
        assert (await s.get("/flip/alice/00,001")).text.splitlines()[2] == "my B"


async def test_an_invalid_flip_is_no_move_so_the_previous_play_stays_unfinished() -> None:
    async with served() as s:
        await s.get("/flip/alice/0,0")
        await s.get("/flip/alice/0,1")
        await s.get("/flip/alice/9,9")
        assert (await s.get("/look/alice")).text.count("up ") == 2


@pytest.mark.parametrize("path", ["/flip/alice/0,0", "/replace/alice/A/B", "/watch/alice", "/new/alice"])
async def test_head_and_prefetches_never_move_a_card(path: str) -> None:
    async with served() as s:
        before = await s.game.snapshot()
        assert (await s.client.head(path)).status_code == 405
        assert (await s.get(path, **{"Sec-Purpose": "prefetch"})).status_code == 503
        assert (await s.get(path, **{"Sec-Purpose": "prefetch;prerender"})).status_code == 503
        assert (await s.get(path, Purpose="prefetch")).status_code == 503
        assert (await s.client.put(path)).status_code == 405
        assert await s.game.snapshot() == before


async def test_options_answers_a_preflight_without_doing_anything() -> None:
    async with served() as s:
        answer = await s.client.options("/flip/alice/0,0", headers={"Origin": "http://elsewhere"})
        assert answer.status_code == 204
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "POST" in answer.headers["access-control-allow-methods"]
        assert (await s.game.snapshot()).version == 0


async def test_errors_too_may_be_read_by_a_page_from_elsewhere() -> None:
    async with served() as s:
        for path in ("/nowhere", "/look/b-b", "/flip/alice/9,9"):
            assert (await s.get(path)).headers["access-control-allow-origin"] == "*"


# servers


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


@pytest.mark.parametrize(
    ("name", "value"),
    [("SCRAMBLE_EDITION", "2023"), ("SCRAMBLE_WATCH_TIMEOUT", "soon"), ("SCRAMBLE_WATCH_TIMEOUT", "-1")],
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
        assert (await s.get("/client/../pyproject.toml")).status_code == 404
        assert (await s.get("/client/none.js")).status_code == 404
