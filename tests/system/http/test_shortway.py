"""The short way of requests past Quart gives the answers of the ordinary way, byte by byte.

The same requests are sent to two servers of the same game, one after another. Somebody listens to Quart's signals while
the second one answers, so there all requests take the ordinary way. Over ASGI where clients may have to wait, and some
over sockets.

Partitions:
- server: one game, of either edition; with seats; with a rate limit; a room with seats, a room in which names are free;
  a room from which somebody was removed, with a seat and without one
- request: look, flip, watch, and others; GET, POST, HEAD, OPTIONS, others; with a query, a body, a purpose, a Host that
  is odd; percent-encoded; as a URL; HTTP/1.0; mangled in every way
- client: none is known; a bearer token, a cookie; that of somebody else; from a page elsewhere
- answer: a board, a failed flip, a refusal, an invalid command; none, because the client is gone before
- game: runs, has died of a bug, is closed
- application: as it is; test_own_functions.py has those to which a program has added something
"""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from functools import partial
from typing import NamedTuple

import pytest
import trio
from hypercorn.typing import ASGIFramework, ASGIReceiveEvent, ASGISendEvent, Scope
from quart import request_started
from quart_trio.asgi import TrioASGIHTTPConnection
from werkzeug.exceptions import BadHost

from scramble.front.memory.front import Edition
from scramble.front.memory.http import make_app, serve_http
from scramble.front.rooms.app import make_rooms_app, rooms_site
from scramble.front.site import SiteConfig
from scramble.front.web.seats import COOKIE
from scramble.kernel.seats import hash_of
from scramble.memory import Board, open_game
from scramble.memory.messages import Withdrawn
from scramble.rooms.local import open_rooms
from scramble.rooms.protocol import Names
from scramble.server.http.server import guarded
from scramble.server.listening import Address
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.middleware import Protection
from tests.search.fuzz.fronts import printable, scope_of
from tests.search.fuzz.mutations import Mutator
from tests.support.memory.served import served
from tests.support.rooms.served import ANN, BOB

BOARD = "2x3\nA\nB\nA\nB\nC\nC\n"

SEED = 1
REQUESTS = 300  # to each server; 50,000 with other seeds have been sent

VARIES = re.compile(rb"(?<=scramble_seat=)[^;]*")
DATE = re.compile(rb"\r\ndate: [^\r]*")
"""The parts of an answer that are different each time."""

TARGETS = (
    *(
        "/look/ann",
        "/look/bob",
        "/look/ann?x=1",
        "/look/%61nn",
        "/look/",
        "/look",
        "/look/ann/",
        "//look/ann",
        "/look/é",
    ),
    *("/flip/ann/0,0", "/flip/ann/0,1", "/flip/ann/0,2", "/flip/bob/0,0", "/flip/bob/1,1", "/flip/bob/00,02"),
    *(
        "/flip/ann/9,9",
        "/flip/ann/0,",
        "/flip/ann/-1,0",
        "/flip/ann/0,99999999999999999999",
        "/flip/ann/0,0?",
        "/flip/ann",
    ),
    *(
        "/watch/ann?since=0",
        "/watch/bob?since=00",
        "/watch/ann?since=",
        "/watch/ann?since=x",
        "/watch/ann?since=0&since=1",
    ),
    *("/watch/ann?since=99999999999999999999", "/watch/ann%3Fsince=0", "/watch/ann", "/watch/bob?since=5000"),
    *(
        "/replace/ann/A/Z",
        "/new/ann",
        "/figures",
        "/",
        "/nothing",
        "/LOOK/ann",
        "/look\\ann",
        "/look/a-b",
        "/look/" + "a" * 300,
    ),
    *("http://x/look/ann", "/./look/ann", "/look/../look/ann", "/look%2Fann", "x/look/ann", "*"),
)
COMMON = ("/look/ann", "/look/ann", "/look/cy", "/flip/ann/0,0", "/flip/ann/0,1", "/flip/ann/1,2", "/watch/ann?since=0")
METHODS = ("GET",) * 12 + ("POST", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "get")
VERSIONS = ("1.1",) * 8 + ("1.0",)
HOSTS = (
    *(("Host: localhost",) * 12),
    "Host: 127.0.0.1:80",
    "Host: [::1]:80",
    "Host: a..b",
    "Host: a b",
    "Host:",
    "Host: é",
)
HEADERS = (
    f"Authorization: Bearer {ANN}",
    f"Authorization: Bearer {BOB}",
    f"authorization: bearer  {ANN}",
    f"Cookie: {COOKIE}={ANN}",
    f"Cookie: a=b; {COOKIE}={BOB}",
    f"Cookie: {COOKIE}={ANN}; {COOKIE}={BOB}",
    f'Cookie: {COOKIE}="{ANN}"',
    f"Cookie: {COOKIE}=short",
    "Authorization: Bearer short",
    "Authorization: Basic YW5uOnNlY3JldA==",
    "Sec-Fetch-Site: cross-site",
    "Sec-Fetch-Site: same-origin",
    "Sec-Purpose: prefetch",
    "Purpose: nothing",
    "X-Moz: prefetch",
    "Content-Length: 0",
    "Transfer-Encoding: chunked",
    "Content-Length: 00",
    "Expect: 100-continue",
    "If-None-Match: *",
    "Origin: null",
    "Host: other",
    "Range: bytes=0-1",
    "Accept-Encoding: gzip",
    "X-Forwarded-For: 10.0.0.1",
    "Content-Type: application/json",
)


class Asked(NamedTuple):
    """A request."""

    method: str
    target: str
    headers: tuple[str, ...]
    version: str = "1.1"

    def below(self, root: str) -> Asked:
        """The same in the room of that address."""
        return self._replace(target=f"{root}{self.target}")

    def scope(self) -> Scope:
        """As hypercorn has it."""
        pairs = [tuple(header.encode("latin-1").split(b": ", 1)) for header in self.headers]
        headers = [(pair[0].lower(), b"".join(pair[1:]).strip()) for pair in pairs]
        scope = scope_of("http", self.target.encode("latin-1"), headers, self.method.upper())
        assert scope["type"] == "http"
        scope["headers"] = headers
        scope["http_version"] = self.version
        return scope

    def __bytes__(self) -> bytes:
        lines = (f"{self.method} {self.target} HTTP/{self.version}", *self.headers, "Connection: close", "", "")
        return "\r\n".join(lines).encode("latin-1")


Heard = tuple[int, object, bytes] | None
"""Status, headers and body of an answer; None if the request has to wait."""


def some_request(rng: random.Random, mutator: Mutator) -> Asked:
    target = rng.choice(TARGETS if rng.random() < 0.6 else COMMON).encode()
    if rng.random() < 0.2:
        target = b"/" + printable(mutator.mangled([target[1:]]))
    headers = [rng.choice(HOSTS)]
    if rng.random() < 0.6:
        headers.append(HEADERS[0])
    while rng.random() < 0.45:
        header = rng.choice(HEADERS)
        if rng.random() < 0.2:
            header = printable(mutator.mangled([header.encode()])).decode() or "x"
        headers.insert(rng.randrange(len(headers) + 1), header)
    return Asked(rng.choice(METHODS), printable(target).decode(), tuple(headers), rng.choice(VERSIONS))


async def ask(app: ASGIFramework, asked: Asked) -> Heard:
    """What an application answers to a client that hangs up at once."""
    begun, status, headers, body = False, 0, list[tuple[bytes, bytes]](), b""

    async def receive() -> ASGIReceiveEvent:
        nonlocal begun
        if begun:
            return {"type": "http.disconnect"}
        begun = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(event: ASGISendEvent) -> None:
        nonlocal status, headers, body
        if event["type"] == "http.response.start":
            assert not status
            status, headers = event["status"], list(event["headers"])
        elif event["type"] == "http.response.body":
            body += event["body"]

    try:
        await app(asked.scope(), receive, send)
    except* BadHost:  # refused by our own server, before the application sees it
        status = 400
    if not status:
        return None
    if status == 429 or (b"content-type", b"text/html; charset=utf-8") in headers:
        return status, [name for name, _ in headers], b""  # seconds to wait; a page has the name of the room in it
    return status, [(name, VARIES.sub(b"", value)) for name, value in headers], body


async def answer(address: Address, asked: Asked) -> bytes:
    """All that is answered over a socket."""
    async with await trio.open_tcp_stream(address.host, address.port) as stream:
        await stream.send_all(bytes(asked))
        return DATE.sub(b"", b"".join([chunk async for chunk in stream]))


class Counted:
    """Counts requests that take the ordinary way."""

    ordinary = 0


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counts = Counted()
    ordinary = TrioASGIHTTPConnection.__call__

    async def call(self: TrioASGIHTTPConnection, *args: object) -> None:
        counts.ordinary += 1
        await ordinary(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(TrioASGIHTTPConnection, "__call__", call)
    return counts


@contextmanager
def ordinary_way() -> Iterator[None]:
    """Somebody listens to Quart's signals during the block."""

    def listener(_: object) -> None:
        pass

    with request_started.connected_to(listener):
        yield


Serve = Callable[[], AbstractAsyncContextManager[tuple[ASGIFramework, str]]]


@asynccontextmanager
async def one_game(edition: Edition = "2025", *, seats: bool = False) -> AsyncIterator[tuple[ASGIFramework, str]]:
    site = SiteConfig(Protection(ServerLimits(requests_per_s=1e-9, requests=0.9 * REQUESTS), seats=seats))
    async with open_game(Board.parse(BOARD)) as game:
        yield guarded(make_app(game, edition=edition, off={"new"}, site=site), site.protection), ""


@asynccontextmanager
async def room(names: Names = "seats", *removed: str) -> AsyncIterator[tuple[ASGIFramework, str]]:
    """A room in which Bob has a seat, if there are seats; the clients with the secrets `removed` may not play."""
    site = rooms_site(SiteConfig())
    async with open_rooms(None) as rooms:
        opened = await rooms.create("memory", {"board": BOARD}, names=names)
        app, root = guarded(make_rooms_app(rooms, site), site.protection), f"/g/{opened.name}"
        if removed:
            heard = await ask(app, Asked("POST", "/flip/bob/0,2", (HOSTS[0], HEADERS[1])).below(root))
            assert heard is not None
            assert heard[0] == 200
        for secret in removed:
            await rooms.expel(opened.name, hash_of(secret))
        yield app, root


SERVERS: dict[str, Serve] = {
    "2025": one_game,
    "2022": partial(one_game, "2022"),
    "seats": partial(one_game, seats=True),
    "room": room,
    "room of free names": partial(room, "open"),
    "room without Bob": partial(room, "seats", BOB),
    "room of free names without Bob": partial(room, "open", BOB),
}


@pytest.mark.parametrize("server", SERVERS)
async def test_both_ways_give_the_same_answers_byte_by_byte(server: str, counted: Counted) -> None:
    rng = random.Random(f"{server} {SEED}")
    mutator = Mutator(rng)
    first = Asked("POST", "/flip/ann/1,1", (HOSTS[0], HEADERS[0]))  # takes Ann's seat, if any
    requests = [first, *(some_request(rng, mutator) for _ in range(REQUESTS))]
    heard: list[list[Heard]] = []
    for way in (nullcontext, ordinary_way):
        async with SERVERS[server]() as (app, root):
            with way():
                heard.append([await ask(app, asked.below(root)) for asked in requests])
        if way is nullcontext:
            mixed = counted.ordinary
    for asked, one, other in zip(requests, *heard, strict=True):
        assert one == other, asked
    assert counted.ordinary > 2 * mixed + REQUESTS / 20, "few requests take the short way"
    assert None in heard[0]
    assert {200, 400, 404, 405} <= {answered[0] for answered in heard[0] if answered is not None}


@pytest.mark.parametrize("server", [server for server in SERVERS if "room" in server])
async def test_both_ways_tell_those_who_may_and_those_who_may_not_play_the_same(server: str, counted: Counted) -> None:
    clients = ((), *((header,) for header in (*HEADERS[:2], *HEADERS[3:9])))
    requests = [
        Asked(method, target, (HOSTS[0], *client, *page))
        for target in ("/look/ann", "/look/bob", "/look/cy", "/watch/bob?since=0", "/flip/bob/1,1", "/flip/ann/0,1")
        for client in clients
        for page in ((), ("Sec-Fetch-Site: cross-site",))
        for method in ("GET", "POST")
    ]
    heard: list[list[Heard]] = []
    for way in (nullcontext, ordinary_way):
        async with SERVERS[server]() as (app, root):
            await ask(app, Asked("POST", "/flip/ann/1,1", (HOSTS[0], HEADERS[0])).below(root))  # Ann has a seat, too
            with way():
                before = counted.ordinary
                heard.append([await ask(app, asked.below(root)) for asked in requests])
                if way is nullcontext:
                    assert counted.ordinary - before < len(requests), "none takes the short way"
    for asked, one, other in zip(requests, *heard, strict=True):
        assert one == other, asked
    refused = [answered for answered in heard[0] if answered is not None and answered[0] == 403]
    assert any(b"removed you" in body for _, _, body in refused) == ("without Bob" in server)
    assert any(b"belongs to" in body for _, _, body in refused) == ("free" not in server)


async def test_both_ways_are_the_same_over_sockets(counted: Counted) -> None:
    requests = [
        Asked(method, target, (HOSTS[0], *headers), version)
        for method in ("GET", "POST", "HEAD", "OPTIONS", "head")
        for target in (*COMMON, "/look/a-b", "/look/" + "a" * 300, "/flip/ann/9,9")
        for headers in ((), (HEADERS[0],))
        for version in ("1.1", "1.0")
    ]
    heard = []
    for way in (nullcontext, ordinary_way):
        async with served(BOARD) as s:
            await s.game.flip("bob", 1, 1)
            with way():
                heard.append([await answer(s.address, asked) for asked in requests])
    assert heard[0] == heard[1]
    assert counted.ordinary < 2 * len(requests) - 40


async def test_a_game_that_has_died_and_one_that_is_closed_are_answered_alike(counted: Counted) -> None:
    heard = []
    for listening in (False, True):
        async with open_game(Board.parse(BOARD)) as game, trio.open_nursery() as nursery:
            address = await nursery.start(partial(serve_http, game, port=0))
            await game.aclose()
            with ordinary_way() if listening else nullcontext():
                before = counted.ordinary
                heard.append(
                    [await answer(address, get(path)) for path in ("/look/ann", "/flip/ann/0,0", "/watch/ann")]
                )
                assert (counted.ordinary == before) == (not listening)
            nursery.cancel_scope.cancel()
    assert heard[0] == heard[1]
    assert heard[0][0].startswith(b"HTTP/1.1 503")


def get(path: str) -> Asked:
    return Asked("GET", path, ("Host: localhost",))


async def test_a_parked_request_is_answered_on_the_short_way_once_it_can_be(counted: Counted) -> None:
    async with served(BOARD) as s:
        await s.game.flip("bob", 0, 0)
        flip = await s.raw(bytes(get("/flip/ann/0,0")).decode())
        await s.until_waiting("ann")
        await s.game.flip("bob", 0, 1)
        heard = b"".join([chunk async for chunk in flip])
        assert heard.startswith(b"HTTP/1.1 200")
        assert b"my A" in heard
        assert counted.ordinary == 0
        await flip.aclose()


async def test_a_parked_flip_of_a_client_that_disconnects_is_withdrawn_on_the_short_way(counted: Counted) -> None:
    async with served(BOARD) as s:
        await s.game.flip("bob", 0, 0)
        flip = await s.raw(bytes(get("/flip/ann/0,0")).decode())
        await s.until_waiting("ann")
        changes = s.game.changes()
        await flip.aclose()
        async for change in changes:
            if any(isinstance(event, Withdrawn) and event.player == "ann" for event in change.events):
                break
        assert not (await s.game.snapshot()).waiting
        assert counted.ordinary == 0
