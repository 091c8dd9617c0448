"""Seats over real sockets: cookies, bearer tokens, WebSockets, telnet.

The rules of seats are in tests/unit/players/test_seats.py.

Partitions:
- the seat of the request's player is free, the client's own, another client's, given up; no player in the request
- the request has a cookie, a bearer token, an invalid one, credentials for a proxy, nothing
- the request comes from a page of this server, from a page elsewhere, or from no page
- over HTTP, and HTTPS at a proxy
- the request looks, moves, fails, opens a WebSocket; or asks for the page, health and metrics
- there are no seats
- a Crossword player gives its ID later, over a WebSocket and over telnet
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import trio

from scramble.crossword import Puzzle, SessionView, open_lobby
from scramble.front.crossword.dialogue import LOGGED_OUT, converse
from scramble.front.crossword.http import serve_crossword_http
from scramble.front.crossword.telnet import serve_crossword_telnet
from scramble.front.memory.http import serve_http
from scramble.front.memory.permissions import Switch
from scramble.front.minesweeper.http import serve_minesweeper_http
from scramble.front.site import SiteConfig
from scramble.front.web.client import COOKIE
from scramble.journal import Journal, read_recording
from scramble.memory import Board, open_game
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from scramble.players import seats
from scramble.resources import BOARDS
from scramble.server.protection.middleware import Protection
from tests.support.websocket import Closed, Cut, Frame, WebSocket

SEATS = SiteConfig(Protection(seats=True))
SECRET = "0123456789abcdef"
SENT = {"Authorization": "Basic YW5uOnNlY3JldA=="}  # browsers send this to every server that once asked for it


@asynccontextmanager
async def served(
    site: SiteConfig = SEATS, journal: Journal | None = None, off: Collection[Switch] = ()
) -> AsyncIterator[str]:
    """The address of a Memory Scramble server with seats."""
    board = Board.parse("1x4\nA\nA\nB\nB\n")
    async with open_game(board, journal=journal) as game, trio.open_nursery() as nursery:
        yield (await nursery.start(partial(serve_http, game, port=0, site=site, off=off))).url
        nursery.cancel_scope.cancel()


def browser(url: str, **headers: str) -> httpx.AsyncClient:
    """A client with its own cookies."""
    return httpx.AsyncClient(base_url=url, timeout=None, headers=headers)


async def test_the_first_request_that_plays_as_somebody_takes_the_seat_and_others_get_403_for_it() -> None:
    async with served() as url, browser(url) as ann, browser(url) as bob:
        first = await ann.get("/flip/ann/0,0")
        cookie = first.headers["Set-Cookie"]
        assert cookie.startswith(f"{COOKIE}=")
        assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
        assert "Secure" not in cookie
        for path in ("/look/ann", "/flip/ann/0,1", "/watch/ann?since=-1", "/replace/ann/A/B"):
            refused = await bob.get(path)
            assert (refused.status_code, refused.headers.get("Set-Cookie")) == (403, None)
            assert refused.text == "the name ann belongs to somebody else here: take another one\n"
        assert (await bob.post("/new/ann")).status_code == 403
        assert (await bob.get("/flip/bob/0,3")).status_code == 200
        assert (await ann.get("/look/bob")).status_code == 403
        assert (await ann.get("/flip/ann/0,1")).text == "1x4\nmy A\nmy A\ndown\nup B\n"


@pytest.mark.parametrize(
    "path",
    ["/%72eplace/bob/replace/ann/A/B", "/replace/bob/%72eplace/ann/A/B", "/replace/bob%2Freplace/ann/A/B"],
)
async def test_no_way_to_write_a_path_names_somebody_else_than_whose_seat_is_asked_for(path: str) -> None:
    async with served() as url, browser(url) as ann, browser(url) as bob:
        await ann.get("/flip/ann/0,0")
        assert (await bob.get(path)).status_code == 400
        assert (await ann.get("/look/ann")).text == "1x4\nmy A\ndown\ndown\ndown\n"


async def test_a_page_of_another_port_cannot_play_with_a_browsers_seat() -> None:
    async with served() as url, browser(url) as ann:
        cookie = (await ann.get("/flip/ann/0,0")).headers["Set-Cookie"].partition(";")[0]
        authority = url.removeprefix("http://").rstrip("/")
        handshake = {
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            "Cookie": cookie,
        }
        foreign = await ann.get("/play/ann", headers=handshake | {"Origin": "http://127.0.0.1:1"})
        assert foreign.status_code == 403
        assert foreign.text.startswith("pages from http://127.0.0.1:1 may not play here")
        assert foreign.text.endswith(f"takes WebSockets from http://{authority} only\n")


async def test_a_bad_token_is_refused_in_words_by_every_game() -> None:
    async with open_field(Field.random(3, 3, 1)) as game, trio.open_nursery() as nursery:
        url = (await nursery.start(partial(serve_minesweeper_http, game, port=0, site=SEATS))).url
        async with browser(url) as client:
            bad = await client.get("/", headers={"Authorization": "Bearer x"})
        assert (bad.status_code, bad.headers["Content-Type"]) == (401, "text/plain; charset=utf-8")
        assert "16 or more characters" in bad.text
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("path", ["/look/ann", "/watch/ann?since=0", "/%6cook/ann", "/look/ann?x=/flip/"])
async def test_who_looks_takes_no_seat_and_gets_no_cookie_and_may_look_as_anybody(path: str) -> None:
    async with served() as url, browser(url) as ann, browser(url) as stranger:
        assert (await ann.get("/flip/zoe/0,3")).status_code == 200
        for headers in ({}, {"Authorization": f"Bearer {SECRET}"}, {"Sec-Fetch-Site": "cross-site"}):
            looked = await stranger.get(path, headers=headers)
            assert (looked.status_code, looked.headers.get("Set-Cookie")) == (200, None)
        assert (await ann.get("/flip/ann/0,0")).status_code == 200
        assert (await stranger.get(path)).status_code == 403
        assert (await ann.get(path, headers={"Sec-Fetch-Site": "cross-site"})).status_code == 403
        assert (await ann.get(path)).status_code == 200


async def test_a_seat_that_was_given_up_can_be_anothers_and_is_its_holders_again_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(seats, "MAX_SEATS", 2)
    async with served() as url, browser(url) as ann, browser(url) as bob:
        assert (await ann.get("/flip/ann/9,9")).status_code == 400  # this is no move
        assert (await bob.get("/flip/bob/0,0")).status_code == 200
        assert (await bob.get("/flip/ann/0,1")).status_code == 403
        assert (await bob.get("/flip/bert/0,9")).status_code == 400
        assert (await bob.get("/flip/ann/0,2")).status_code == 200
        assert (await ann.get("/look/ann")).status_code == 403
        assert (await ann.get("/flip/ann/0,3")).status_code == 403
        full = await ann.get("/flip/anna/0,3")
        assert (full.status_code, full.text) == (403, "no more names can be taken in this game\n")
        assert (await ann.get("/look/anna")).status_code == 200


async def test_one_browser_may_have_several_names_with_one_cookie() -> None:
    async with served() as url, browser(url) as ann:
        await ann.get("/flip/ann/0,0")
        again = await ann.get("/flip/anna/0,1")
        assert (again.status_code, again.headers.get("Set-Cookie")) == (200, None)


async def test_a_first_request_that_fails_gives_the_cookie_all_the_same() -> None:
    async with served() as url, browser(url) as ann:
        assert (await ann.get("/flip/ann/9,9")).status_code == 400
        assert (await ann.get("/look/ann")).status_code == 200


async def test_a_program_may_bring_a_secret_of_its_own() -> None:
    async with served() as url, browser(url, Authorization=f"Bearer {SECRET}") as bot, browser(url) as other:
        taken = await bot.get("/flip/bot/0,0")
        assert (taken.status_code, taken.headers.get("Set-Cookie")) == (200, None)
        assert (await other.get("/look/bot")).status_code == 403
        assert (await other.get("/look/bot", headers={"Authorization": f"bearer {SECRET}"})).status_code == 200
        assert (await other.get("/look/bot", headers={"Authorization": f"Bearer {SECRET}x"})).status_code == 403


@pytest.mark.parametrize("secret", ["short", "with spaces in between it", 'a"quoted"-secret-of-some-length'])
async def test_a_bearer_token_that_is_no_secret_is_refused_with_401_and_takes_nothing(secret: str) -> None:
    async with served() as url, browser(url) as client:
        bad = await client.get("/look/ann", headers={"Authorization": f"Bearer {secret}"})
        assert bad.status_code == 401
        assert "16 or more characters" in bad.text
        assert (await client.get("/look/ann")).status_code == 200


async def test_credentials_that_are_for_a_proxy_are_none_of_ours() -> None:
    async with served() as url, browser(url, Authorization="Basic YW5uOnNlY3JldA==") as ann, browser(url) as bob:
        assert (await ann.get("/flip/ann/0,0")).status_code == (await ann.get("/look/ann")).status_code == 200
        assert (await bob.get("/look/ann")).status_code == 403


async def test_a_cookie_that_is_too_short_to_be_a_secret_is_replaced() -> None:
    async with served() as url, browser(url, Cookie=f"{COOKIE}=x") as ann:
        assert COOKIE in (await ann.get("/flip/ann/0,0")).headers["Set-Cookie"]


async def test_over_https_the_cookie_is_one_that_no_neighbouring_host_can_have_set() -> None:
    proxied = SiteConfig(Protection(seats=True, behind_proxy=True))
    https = {"X-Forwarded-Proto": "https"}
    async with served(proxied) as url, browser(url) as ann:
        planted = {"Cookie": f"{COOKIE}={SECRET}"}  # a page of another host of the same domain can set it
        given = (await ann.get("/flip/ann/0,0", headers=https | planted)).headers["Set-Cookie"]
        assert given.startswith(f"__Host-{COOKIE}=")
        assert {"HttpOnly", "SameSite=Lax", "Path=/", "Secure"} <= set(given.split("; "))
        own = {"Cookie": f"{COOKIE}={SECRET}; {given.partition(';')[0]}"}
        assert (await ann.get("/look/ann", headers=https | own)).status_code == 200
        assert (await ann.get("/look/ann", headers=https | planted)).status_code == 403


async def test_the_page_gives_the_cookie_so_that_all_its_tabs_have_the_same() -> None:
    async with served() as url, browser(url) as ann:
        first = await ann.get("/")
        assert COOKIE in first.headers["Set-Cookie"]
        assert first.headers["Cache-Control"] == "no-store"
        assert "Set-Cookie" not in (await ann.get("/")).headers
        assert "Set-Cookie" not in (await ann.get("/look/ann")).headers


@pytest.mark.parametrize("path", ["/health", "/metrics", "/client/shared/dom.js", "/nowhere", "/look/not-a-player"])
async def test_requests_that_speak_for_nobody_get_no_cookie_and_need_no_secret(path: str) -> None:
    async with served() as url, browser(url) as probe:
        response = await probe.get(path, headers={"Authorization": "Bearer x"})
        assert response.status_code != 401
        assert "Set-Cookie" not in response.headers


async def test_asking_for_a_seat_that_is_taken_already_is_not_written_to_the_journal(tmp_path: Path) -> None:
    file = tmp_path / "game.db"
    for _ in range(2):  # a restarted server has only the journal
        async with served(journal=Journal(file)) as url, browser(url, Authorization=f"Bearer {SECRET}") as ann:
            await ann.post("/flip/ann/9,9")
            async with browser(url) as bob:
                assert (await bob.get("/look/ann")).status_code == 403
    assert [record.seq for record in read_recording(file).records] == [1]


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/flip/ann/0,0"), ("POST", "/new/ann"), ("POST", "/flip/eve/0,0")]
)
async def test_a_page_from_elsewhere_can_use_no_browsers_seat_nor_give_it_another_cookie(
    site: str, method: str, path: str
) -> None:
    async with served() as url, browser(url) as ann:
        await ann.get("/look/ann")
        # the browser sends the header itself
        foreign = await ann.request(method, path, headers=SENT | {"Sec-Fetch-Site": site})
        assert (foreign.status_code, foreign.headers.get("Set-Cookie")) == (403, None)
        assert "Authorization: Bearer" in foreign.text
        assert (await ann.get("/look/ann", headers={"Sec-Fetch-Site": "same-origin"})).text.count("down") == 4
        assert (await ann.get("/", headers={"Sec-Fetch-Site": site})).status_code == 200
        async with browser(url, Authorization=f"Bearer {SECRET}") as bot:
            assert (await bot.get("/look/bot", headers={"Sec-Fetch-Site": site})).status_code == 200


async def test_what_is_switched_off_takes_no_seat() -> None:
    async with served(off=("new", "replace")) as url:
        async with browser(url) as stranger:
            for answer in (await stranger.post("/new/ann"), await stranger.get("/replace/bob/A/B")):
                assert answer.status_code == 403
                assert "switched off" in answer.text
        async with browser(url) as client:
            assert (await client.get("/look/ann")).status_code == 200
            assert (await client.get("/look/bob")).status_code == 200


async def test_a_preflight_takes_no_seat() -> None:
    async with served() as url, browser(url) as page, browser(url) as ann:
        preflight = await page.options("/flip/ann/0,0")
        assert preflight.status_code == 204
        assert "Authorization" in preflight.headers["Access-Control-Allow-Headers"]
        assert (await ann.get("/look/ann")).status_code == 200


async def test_without_seats_everybody_may_be_anybody_and_there_are_no_cookies() -> None:
    async with served(SiteConfig()) as url, browser(url) as ann, browser(url) as bob:
        assert "Set-Cookie" not in (await ann.get("/flip/ann/0,0")).headers
        assert (await bob.get("/flip/ann/0,1")).status_code == 200


# --- WebSockets -------------------------------------------------------------------------------------


@asynccontextmanager
async def websocket(url: str, path: str, cookie: str = "", host: str = "localhost") -> AsyncIterator[WebSocket]:
    at = urlsplit(url)
    headers = {"Cookie": cookie} if cookie else {}
    opened = await WebSocket.connect(at.hostname or "", at.port or 0, path, headers=headers, name=host)
    async with opened.stream:
        yield opened


async def ending_of(socket: WebSocket) -> tuple[int, str | None]:
    with pytest.raises(Closed) as closed:
        while True:
            await socket.receive_text()
    return closed.value.code, closed.value.reason


async def test_a_websocket_takes_the_seat_and_those_of_others_are_closed_with_4403() -> None:
    async with served() as url:
        async with websocket(url, "/play/ann?browser=0123456789") as socket:
            await socket.receive_text()
            cookie = socket.headers["set-cookie"].partition(";")[0]
            async with websocket(url, "/play/ann") as stranger:
                assert await ending_of(stranger) == (4403, "seat-taken")
            async with websocket(url, "/play/ann?browser=abcdefghij", cookie) as second_tab:
                assert (await second_tab.receive())["type"] == "board", "a name with a seat has no namesake"
        async with browser(url) as bob, browser(url, Cookie=cookie) as ann:
            assert (await bob.get("/look/ann")).status_code == 403
            assert (await ann.get("/look/ann")).status_code == 200


async def test_a_websocket_by_a_name_that_only_leads_here_takes_no_seat() -> None:
    async with served() as url:
        with pytest.raises(Cut):
            async with websocket(url, "/play/ann", host="evil.example"):
                pass
        async with browser(url) as ann:
            assert (await ann.get("/flip/ann/0,0")).status_code == 200


async def test_minesweepers_page_has_seats_too() -> None:
    async with open_field(Field.random(3, 3, 1)) as game, trio.open_nursery() as nursery:
        url = (await nursery.start(partial(serve_minesweeper_http, game, port=0, site=SEATS))).url
        async with websocket(url, "/play/ann") as socket:
            await socket.receive_text()
        async with websocket(url, "/play/ann") as stranger:
            assert await ending_of(stranger) == (4403, "seat-taken")
        nursery.cancel_scope.cancel()


class Typist:
    """A player at Crossword's WebSocket."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket

    async def view(self) -> Frame:
        return await self.socket.receive()

    async def say(self, line: str) -> dict[str, object]:
        await self.socket.send(line)
        return await self.view()


@asynccontextmanager
async def crossword() -> AsyncIterator[tuple[str, int]]:
    """The address of the page's server and the port for telnet."""
    puzzle = Puzzle.parse_from_file(BOARDS / "crossword" / "kitchen.puzzle")
    async with open_lobby([puzzle]) as lobby, trio.open_nursery() as nursery:
        telnet = await nursery.start(partial(serve_crossword_telnet, lobby, host="127.0.0.1", port=0, seats=True))
        page = await nursery.start(partial(serve_crossword_http, lobby, port=0, site=SEATS))
        yield page.url, telnet.port
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def typist(url: str, cookie: str = "") -> AsyncIterator[Typist]:
    async with websocket(url, "/play", cookie) as socket:
        someone = Typist(socket)
        assert (await someone.view())["state"] == "START"
        yield someone


async def test_a_crossword_players_id_is_a_seat_once_it_is_entered_and_accepted() -> None:
    async with crossword() as (url, port):
        async with typist(url) as ann:
            cookie = ann.socket.headers["set-cookie"].partition(";")[0]
            assert (await ann.say("no such id!"))["state"] == "START"
            assert (await ann.say("ann"))["state"] == "CHOOSE"
        async with typist(url) as stranger:
            refused = await stranger.say("ann")
            assert refused["error"] == "The name ann belongs to somebody else here: take another one."
            assert refused["state"] == "START"
            assert (await stranger.say("bob"))["state"] == "CHOOSE"
        async with typist(url, cookie) as ann:
            assert (await ann.say("ann"))["player"] == "ann"
        async with await trio.open_tcp_stream("127.0.0.1", port) as telnet:
            await telnet.send_all(b"ann\r\ncarl\r\n")
            said = b""
            while b"CHOOSE" not in said:
                said += await telnet.receive_some()
            assert b"The name ann belongs to somebody else here" in said


async def test_an_id_that_somebody_has_at_telnet_is_not_taken_away_by_asking_for_it() -> None:
    async with crossword() as (url, port):
        async with await trio.open_tcp_stream("127.0.0.1", port) as telnet:
            await telnet.send_all(b"carl\r\n")
            said = b""
            while b"CHOOSE" not in said:
                said += await telnet.receive_some()
            async with typist(url) as other:
                assert "in use" in str((await other.say("carl"))["error"])
        async with await trio.open_tcp_stream("127.0.0.1", port) as telnet:
            said = b""
            while b"CHOOSE" not in said:  # until the server notices that the first carl has left
                await telnet.send_all(b"carl\r\n")
                said += await telnet.receive_some()


class Overtaken:
    """A name policy that accepts every name at first, and then rejects every name."""

    def __init__(self) -> None:
        self.words: str | None = None

    async def objection(self, player: str) -> str | None:
        return self.words

    async def seated(self, player: str) -> bool:
        self.words = f"{player} is somebody else's now."
        return False


async def test_an_id_that_becomes_somebody_elses_seat_while_it_is_entered_is_given_up() -> None:
    views: list[SessionView] = []
    lines = iter(["ann"])

    async def receive() -> str | None:
        return next(lines, None)

    async def send(view: SessionView) -> None:
        views.append(view)

    puzzle = Puzzle.parse_from_file(BOARDS / "crossword" / "kitchen.puzzle")
    async with open_lobby([puzzle]) as lobby:
        assert await converse(lobby, receive, send, names=Overtaken()) == LOGGED_OUT
    assert (views[-1].closed, views[-1].player, views[-1].error) == (True, None, "ann is somebody else's now.")
