"""The text protocol and the WebSockets behave the same under our server and under hypercorn's own worker.

Each test states the expected answer and checks it under both servers.

Partitions:
- server: ours, hypercorn
- application: one game, of either edition; with seats; a room
- request: look, flip, watch, replace, new; GET, POST, HEAD, OPTIONS, others; HTTP/1.0; encoded; a URL; odd ones
- answer: a board, a failed flip, a refusal, an invalid command; later, to a parked request; none, after a disconnect
- game: runs, has ended
- WebSocket: of a player, of a spectator, of the lobby; answers; rejected frames; too many; too long; a taken seat; the
  end of the game; a bug; not found
- the embedding program adds: middleware, Quart functions
"""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from typing import Final, NamedTuple

import msgspec
import pytest
import trio
from hypercorn.typing import ASGIFramework, ASGIReceiveCallable, ASGISendCallable, Scope
from quart import Response

from scramble.front.memory.front import Edition
from scramble.front.memory.http import make_app
from scramble.front.rooms.app import make_rooms_app, rooms_site
from scramble.front.site import SiteConfig
from scramble.front.web.client import COOKIE
from scramble.memory import Board, open_game
from scramble.memory.game import Game
from scramble.memory.messages import Withdrawn
from scramble.players.seats import hash_of
from scramble.rooms.local import open_rooms
from scramble.rooms.protocol import Names, RoomOrder
from scramble.server.asgi import Socket, quart_app, router_of
from scramble.server.listening import Address
from scramble.server.protection.middleware import Protection
from scramble.server.traffic import Traffic
from tests.support.memory.served import ABC
from tests.support.rooms.served import ANN, BOB
from tests.support.servers import SERVERS, bare
from tests.support.websocket import Closed, Cut, WebSocket

BOARD: Final = "2x3\nA\nB\nA\nB\nC\nC\n"
DOWN: Final = "2x3\n" + 6 * "down\n"

VARIES: Final = re.compile(rb"\r\ndate: [^\r]*|(?<=scramble_seat=)[^;\r]*|\r\nconnection: close|/g/\w+", re.IGNORECASE)
"""The parts of an answer that always differ, and the server's own header."""

on_both: Final = pytest.mark.parametrize("server", SERVERS)


class Asked(NamedTuple):
    """A request."""

    method: str
    target: str
    headers: tuple[str, ...] = ()
    version: str = "1.1"

    def below(self, root: str) -> Asked:
        """Return the same request for the room at this address."""
        return self._replace(target=f"{root}{self.target}")

    def __bytes__(self) -> bytes:
        first = f"{self.method} {self.target} HTTP/{self.version}"
        return "\r\n".join((first, "Host: localhost", *self.headers, "Connection: close", "", "")).encode("latin-1")


async def answer(address: Address, asked: Asked) -> bytes:
    """Send a request on a new connection, and return the whole answer."""
    async with await trio.open_tcp_stream(address.host, address.port) as stream:
        await stream.send_all(bytes(asked))
        return b"".join([chunk async for chunk in stream])


async def said(address: Address, method: str, target: str, *headers: str) -> tuple[int, str]:
    """Return the status and the text of an answer."""
    head, _, body = (await answer(address, Asked(method, target, headers))).partition(b"\r\n\r\n")
    return int(head.split()[1]), body.decode()


@asynccontextmanager
async def one_game(edition: Edition = "2025", *, seats: bool = False) -> AsyncIterator[tuple[ASGIFramework, str]]:
    site = SiteConfig(Protection(seats=seats))
    async with open_game(Board.parse(BOARD)) as game:
        yield make_app(game, edition=edition, off={"new"}, site=site), ""  # a new board would be random


@asynccontextmanager
async def room(names: Names = "seats", *removed: str) -> AsyncIterator[tuple[ASGIFramework, str]]:
    """A room. Clients with the secrets in `removed` may not play."""
    async with open_rooms(None) as rooms:
        opened = await rooms.create("memory", {"board": BOARD}, RoomOrder(names=names))
        for secret in removed:
            await rooms.expel(opened.name, hash_of(secret))
        yield make_rooms_app(rooms, rooms_site(SiteConfig())), f"/g/{opened.name}"


APPS: Final[dict[str, Callable[[], AbstractAsyncContextManager[tuple[ASGIFramework, str]]]]] = {
    "2025": one_game,
    "2022": partial(one_game, "2022"),
    "seats": partial(one_game, seats=True),
    "room": room,
    "room of free names": partial(room, "open"),
    "room without Bob": partial(room, "seats", BOB),
    "room of free names without Bob": partial(room, "open", BOB),
}


# --- the text protocol ---


@on_both
async def test_the_answers_of_the_text_protocol(server: str) -> None:
    async with open_game(Board.parse(BOARD)) as game, SERVERS[server](make_app(game), Protection(), Traffic()) as at:
        assert await said(at, "GET", "/look/ann") == (200, DOWN)
        assert await said(at, "HEAD", "/look/ann") == (200, "")
        assert await said(at, "POST", "/look/ann") == (405, "POST is not possible here\n")
        status, words = await said(at, "GET", "/look/a-b")
        assert status == 400
        assert words.startswith("'a-b' is not a player")
        assert await said(at, "GET", "/flip/ann/0,0") == (200, DOWN.replace("down", "my A", 1))
        assert await said(at, "POST", "/flip/ann/0,1") == (200, DOWN.replace("down\ndown", "up A\nup B", 1))
        assert await said(at, "GET", "/flip/ann/9,9") == (400, "no such space: rows are 0 to 1, columns 0 to 2\n")
        assert (await said(at, "GET", "/flip/ann/x"))[0] == 400
        assert await said(at, "HEAD", "/flip/ann/1,1") == (405, "")
        assert await said(at, "OPTIONS", "/flip/ann/1,1") == (204, "")
        assert await said(at, "GET", "/flip/ann/1,1", "Sec-Purpose: prefetch") == (
            503,
            "this is not for prefetching\n",
        )
        assert (await said(at, "GET", "/watch/ann?since=0"))[0] == 200
        assert (await said(at, "GET", "/watch/ann?since="))[0] == 400
        assert await said(at, "GET", "/replace/ann/A/%2F") == (200, DOWN.replace("down\ndown", "up /\nup B", 1))
        assert (await said(at, "GET", "/replace/ann/A"))[0] == 400
        assert await said(at, "POST", "/new/ann") == (200, DOWN)
        assert (await said(at, "GET", "/nothing"))[0] == 404
        assert await said(at, "GET", "/play/ann") == (400, "this address is for WebSockets\n")


TARGETS: Final = (
    *("/look/ann", "/look/bob", "/look/ann?x=1", "/look/%61nn", "/look/", "/look", "/look/ann/", "//look/ann"),
    *("/flip/ann/0,0", "/flip/ann/0,1", "/flip/ann/0,2", "/flip/ann/00,02", "/flip/%61nn/1,1"),
    *("/flip/ann/9,9", "/flip/ann/0,", "/flip/ann/-1,0", "/flip/ann/0,99999999999999999999", "/flip/ann"),
    *("/watch/ann?since=0", "/watch/bob?since=00", "/watch/ann?since=", "/watch/ann?since=x"),
    *("/watch/ann?since=0&since=1", "/watch/ann%3Fsince=0"),
    *("/replace/ann/A/Z", "/replace/ann/Z/A", "/new/ann", "/figures", "/nothing", "/LOOK/ann", "/look\\ann"),
    *("/look/a-b", "/look/" + "a" * 300, "http://localhost/look/ann", "/./look/ann", "/look/../look/ann", "*"),
    *("/look%2Fann", "/replace/ann/%2F", "/replace/%61nn/B/%C3%A9", "/replace/ann/B/%C3"),
)
METHODS: Final = ("GET",) * 12 + ("POST", "POST", "HEAD", "OPTIONS", "PUT", "DELETE")
HEADERS: Final = (
    *(f"Authorization: Bearer {ANN}", f"Authorization: Bearer {BOB}", f"authorization: bearer  {ANN}"),
    *(
        f"Cookie: {COOKIE}={ANN}",
        f"Cookie: a=b; {COOKIE}={BOB}",
        f'Cookie: {COOKIE}="{ANN}"',
        f"Cookie: {COOKIE}=short",
    ),
    *("Authorization: Bearer short", "Authorization: Basic YW5uOnNlY3JldA==", "Sec-Fetch-Site: cross-site"),
    *("Sec-Fetch-Site: same-origin", "Sec-Purpose: prefetch", "Purpose: nothing", "X-Moz: prefetch", "Origin: null"),
    *(
        "Content-Length: 0",
        "If-None-Match: *",
        "Range: bytes=0-1",
        "Accept-Encoding: gzip",
        "X-Forwarded-For: 10.0.0.1",
    ),
)


def some_requests(seed: str, number: int) -> list[Asked]:
    """Requests with an immediate answer: only Ann moves, and after her first move no watch waits."""
    rng = random.Random(seed)
    found = [Asked("POST", "/flip/ann/1,1", HEADERS[:1])]
    for _ in range(number):
        headers = tuple(rng.sample(HEADERS, rng.choice((0, 1, 1, 2))))
        found.append(Asked(rng.choice(METHODS), rng.choice(TARGETS), headers, rng.choice(("1.1", "1.1", "1.0"))))
    return found


@pytest.mark.parametrize("app", APPS)
async def test_no_server_changes_an_answer(app: str) -> None:
    requests = some_requests(app, 150)
    heard: list[list[bytes]] = []
    for server in SERVERS.values():
        async with APPS[app]() as (made, root), server(made, Protection(seats=app == "seats"), Traffic()) as address:
            answers = []
            for asked in requests:
                answers.append(VARIES.sub(b"", await answer(address, asked.below(root))))
            heard.append(answers)
    for asked, one, other in zip(requests, *heard, strict=True):
        assert one == other, asked
    assert {b"200", b"400", b"404", b"405"} <= {answered.split()[1] for answered in heard[0] if b" " in answered}


@on_both
@pytest.mark.parametrize("app", [app for app in APPS if "room" in app])
async def test_who_may_play_in_a_room_and_who_may_not(app: str, server: str) -> None:
    removed, seats = "without Bob" in app, "free" not in app
    ann, bob = (f"Authorization: Bearer {secret}" for secret in (ANN, BOB))
    cookie, cross = f"Cookie: {COOKIE}={ANN}", "Sec-Fetch-Site: cross-site"
    async with APPS[app]() as (made, root), SERVERS[server](made, Protection(seats=True), Traffic()) as at:

        async def status(target: str, *headers: str) -> tuple[int, str]:
            found, words = await said(at, "POST" if target.startswith("/flip") else "GET", f"{root}{target}", *headers)
            return found, words.partition(" ")[2][:11] if found == 403 else ""

        assert await status("/flip/ann/1,1", ann) == (200, "")
        assert await status("/look/bob") == (200, "")
        taken = (403, "name ann be") if seats else (200, "")
        assert await status("/look/ann") == taken
        assert await status("/look/ann", bob) == taken
        assert await status("/look/ann", ann, cross) == (200, "")
        assert await status("/watch/ann?since=0", ann) == (200, "")
        assert await status("/flip/ann/1,0", cookie) == (200, "")
        assert await status("/look/ann", cookie, cross) == ((403, "page from e") if seats else (200, ""))
        outcome = await status("/flip/bob/0,1", bob)
        assert outcome == ((403, "host has re") if removed else (200, ""))
        assert await status("/look/bob", bob) == (200, "")


async def test_a_body_that_nobody_needs_keeps_no_connection_of_a_bare_application() -> None:
    async with open_game(Board.parse(BOARD)) as game, bare(make_app(game)) as address:
        head = "POST /flip/ann/0,{} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        async with await trio.open_tcp_stream(address.host, address.port) as stream:
            for column in range(2):
                await stream.send_all(head.format(column).encode() + 40 * b"1\r\nx\r\n" + b"0\r\n\r\n")
                heard = b""
                while not heard.endswith(b"down\n"):
                    heard += await stream.receive_some()
                assert heard.startswith(b"HTTP/1.1 ")


@on_both
async def test_a_parked_flip_is_answered_once_it_can_be_and_withdrawn_if_its_client_goes(server: str) -> None:
    async with open_game(Board.parse(BOARD)) as game, SERVERS[server](make_app(game), Protection(), Traffic()) as at:
        await game.flip("bob", 0, 0)
        changes = game.changes()
        for outcome in ("leaves", "stays"):
            async with await trio.open_tcp_stream(at.host, at.port) as stream:
                await stream.send_all(bytes(Asked("GET", "/flip/ann/0,0")))
                while not (await game.snapshot()).waiting:
                    await trio.lowlevel.checkpoint()
                if outcome == "leaves":
                    await stream.aclose()
                    async for change in changes:
                        if any(isinstance(event, Withdrawn) for event in change.events):
                            break
                    continue
                await game.flip("bob", 0, 1)
                heard = b"".join([chunk async for chunk in stream])
            assert heard.startswith(b"HTTP/1.1 200")
            assert b"my A" in heard


@on_both
async def test_requests_to_a_game_that_has_ended_are_refused(server: str) -> None:
    async with open_game(Board.parse(BOARD)) as game, SERVERS[server](make_app(game), Protection(), Traffic()) as at:
        await game.aclose()
        for path in ("/look/ann", "/flip/ann/0,0", "/watch/ann"):
            assert (await said(at, "GET", path))[0] == 503


# --- WebSockets ---


async def serve(socket: Socket) -> None:
    """A handler for each kind of end."""
    await socket.accept()
    match socket.parts["what"]:
        case "close":
            await socket.send("bye")
            await socket.close(4000, "because")
        case "bug":
            await socket.send("bye")
            raise ZeroDivisionError
        case _:
            while True:
                await socket.send(f"re {await socket.receive()!r}")


@on_both
@pytest.mark.parametrize(
    ("what", "heard"), [("close", (4000, "because")), ("bug", (1011, "this connection has failed because of a bug"))]
)
async def test_a_handler_that_ends_closes_its_websocket(server: str, what: str, heard: object) -> None:
    app, traffic = quart_app(), Traffic()
    router_of(app).socket("/talk/{what}", serve)
    async with (
        SERVERS[server](app, Protection(), traffic) as address,
        await WebSocket.connect(*address, f"/talk/{what}") as client,
    ):
        assert await client.receive_text() == "bye"
        with pytest.raises(Closed) as closed:
            await client.receive_text()
    assert (closed.value.code, closed.value.reason) == heard
    assert dict(traffic.closed) == {closed.value.code: 1}
    assert traffic.open["websocket"] == 0


@on_both
async def test_messages_are_answered_until_the_client_leaves(server: str) -> None:
    app, traffic = quart_app(), Traffic()
    router_of(app).socket("/talk/{what}", serve)
    async with SERVERS[server](app, Protection(), traffic) as address:
        async with await WebSocket.connect(*address, "/talk/echo") as client:
            for text in ("a", "b" * 1000):
                await client.send(text)
                assert await client.receive_text() == f"re {text!r}"
            await client.send(b"c")
            assert await client.receive_text() == "re b'c'"
            await client.leave()
        while traffic.open["websocket"]:
            await trio.lowlevel.checkpoint()
    assert sum(traffic.closed.values()) == 1


async def play(address: Address, path: str, *says: str | bytes) -> list[str]:
    """Send these messages, one after another, and wait for each answer. Return everything that the player hears."""
    heard: list[object] = []
    async with await WebSocket.connect(address.host, address.port, path) as player:
        try:
            for text in says:
                with suppress(Cut):  # it may be closed already, and the player has not read the reason
                    await player.send(text)
                while True:
                    heard.append(await player.receive_text())
                    if any(f'"type":"{kind}"' in str(heard[-1]) for kind in ("flip", "error", "replace")):
                        break
            while not says:
                heard.append(await player.receive_text())
            await player.leave()
        except Closed as closed:
            heard.append((closed.code, closed.reason))
    # these frames come at any time, or not at all
    return sorted(str(one) for one in heard if '"type":"players"' not in str(one))


FLIPS: Final = (
    '{"type":"flip","row":0,"column":0}',
    '{"type":"flip","row":0,"column":1}',
    '{"type":"flip","row":9,"column":1}',
)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/play/ann", FLIPS),
        ("/play/ann", ("nonsense", b"bytes", '{"type":"replace","old":"A","new":"D"}', "[]")),
        ("/play/ann", ("nonsense",) * 40),
        ("/play/ann", ("x" * 9000,)),
        ("/play/a%20b", ()),
        ("/nothing", ()),
    ],
)
async def test_no_server_changes_what_a_game_says(path: str, says: tuple[str | bytes, ...]) -> None:
    found = []
    for server in SERVERS.values():
        async with open_game(Board.parse(ABC)) as game, server(make_app(game), Protection(), Traffic()) as address:
            try:
                found.append(await play(address, path, *says))
            except Cut:
                found.append(["no WebSocket"])
    assert found[0] == found[1]


@on_both
@pytest.mark.parametrize(
    ("kind", "path", "says", "kinds"),
    [
        ("memory", "/play/ann", FLIPS[0], {"board", "players", "company", "change", "flip", "clock"}),
        ("memory", "/view", "a move", {"board", "players", "company", "error", "clock"}),
        ("minesweeper", "/play/ann", '{"type":"flag","x":0,"y":0,"id":1}', {"field", "company", "change", "done"}),
        ("minesweeper", "/view", "a move", {"field", "company", "error"}),
        ("crossword", "/play/ann", "a move", {"state", "company"}),
        ("crossword", "/play", "a move", {"state"}),
        ("crossword", "/view", "a move", {"state", "company", "error"}),
        (None, "/lobby", "a move", {"rooms", "error"}),
    ],
)
async def test_every_websocket_is_served_by_any_server(
    server: str, kind: str | None, path: str, says: str, kinds: set[str]
) -> None:
    settings: dict[str, dict[str, object]] = {
        "memory": {"board": BOARD},
        "minesweeper": {"preset": "beginner"},
        "crossword": {"puzzle": "kitchen"},
    }
    async with open_rooms(None) as rooms:
        root = "" if kind is None else f"/g/{(await rooms.create(kind, settings[kind])).name}"
        app = make_rooms_app(rooms, rooms_site(SiteConfig()))
        async with SERVERS[server](app, Protection(seats=True), Traffic()) as address:
            heard: set[str] = set()
            async with await WebSocket.connect(*address, f"{root}{path}") as player:
                await player.send(says)
                while not kinds <= heard:
                    frame = msgspec.json.decode(await player.receive_text(), type=dict[str, object])
                    heard |= {str(frame["type"])} if "type" in frame else frame.keys()


@on_both
async def test_a_taken_seat_and_the_end_of_a_game_are_the_reasons_for_a_close(server: str) -> None:
    protection = Protection(seats=True)
    async with open_game(Board.parse(ABC)) as game:
        app = make_app(game, site=SiteConfig(protection))
        async with (
            SERVERS[server](app, protection, Traffic()) as address,
            await WebSocket.connect(*address, "/play/ann") as first,
        ):
            assert first.headers["set-cookie"].startswith("scramble_seat=")
            assert await play(address, "/play/ann") == ["(4403, 'seat-taken')"]
            await _end(game, first)


async def _end(game: Game, player: WebSocket) -> None:
    await game.aclose()
    with pytest.raises(Closed) as closed:
        while True:
            await player.receive_text()
    assert (closed.value.code, closed.value.reason) == (1001, "the server is shutting down")


# --- middleware of the embedding program ---


@on_both
async def test_a_programs_own_middleware_sees_everything_and_functions_of_quart_see_what_quart_serves(
    server: str,
) -> None:
    seen: list[tuple[str, str]] = []
    async with open_game(Board.parse(ABC)) as game:
        app = make_app(game)
        inner = app.asgi_app

        async def middleware(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
            if scope["type"] != "lifespan":
                seen.append(("middleware", scope["path"]))
            await inner(scope, receive, send)

        app.asgi_app = middleware  # type: ignore[method-assign]

        @app.after_request
        async def after(response: Response) -> Response:
            seen.append(("function", ""))
            return response

        async with SERVERS[server](app, Protection(), Traffic()) as address:
            assert (await said(address, "GET", "/look/ann"))[0] == 200
            assert (await said(address, "GET", "/figures"))[0] == 200
            await play(address, "/play/a%20b")
    paths = [("middleware", "/look/ann"), ("middleware", "/figures"), ("function", ""), ("middleware", "/play/a b")]
    assert seen == paths
