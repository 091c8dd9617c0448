"""The router in front of Quart: the requests that it answers, and the WebSockets that it serves, without a server.

Partitions:
- path: a part, several parts, the rest with slashes; too few parts, too many; encoded; a complete URL; more slashes at
  its start; below the server's own path; unknown; a prefix of another route
- method: allowed; not allowed; HEAD; OPTIONS; a route for WebSockets
- answer: text, more headers; a refusal; a bug
- a request parks: the client stays; disconnects before the request is parked, or while it is parked
- messages: text, binary, empty; many before the handler takes them
- a WebSocket's client: stays; disconnects while the handler receives, and with messages left
- a WebSocket's handler: returns; closes; fails, alone, in a group, together with a cancellation, before it accepts
"""

from __future__ import annotations

import gc
import logging
import weakref
from functools import partial
from typing import cast
from unittest.mock import patch

import pytest
import trio
from hypercorn.typing import ASGIReceiveCallable, ASGIReceiveEvent, ASGISendCallable, ASGISendEvent, HTTPScope, Scope
from trio.testing import wait_all_tasks_blocked

from scramble.errors import GameMoved, InvalidCommand
from scramble.server.asgi import Answer, Request, Router, Serve, Socket, quart_app, router_of
from scramble.server.http.closing import FAILED_CLOSE
from scramble.server.http.websocket import GONE
from tests.support.asgi import scope_of


async def behind(scope: Scope, _receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """The application behind the router."""
    assert scope["type"] == "http"
    await send({"type": "http.response.start", "status": 299, "headers": []})
    await send({"type": "http.response.body", "body": b"behind", "more_body": False})


async def parts(request: Request) -> Answer:
    """Answer with the parts of the path."""
    return Answer(200, " ".join(f"{name}={value}" for name, value in request.parts.items()))


def routed() -> Router:
    router = Router(behind)
    router.text("/look/{player}", parts)
    router.text("/flip/{player}/{spot}", parts, methods=("GET", "POST"))
    router.text("/watch/{player}", parts, methods=("GET",))
    router.text("/replace/{rest:path}", parts, methods=("GET", "POST"))

    async def serve(socket: Socket) -> None:
        await socket.accept()

    router.socket("/play/{player}", serve)
    return router


class Exchange:
    """One request, and all messages that are sent for it."""

    def __init__(self, *, hangs_up: bool = False, body: int = 1) -> None:
        """Make a request with `body` pieces of a body."""
        self._pieces = body
        self.sent: list[ASGISendEvent] = []
        self.gone = trio.Event()
        self.received = 0
        if hangs_up:
            self.gone.set()

    async def receive(self) -> ASGIReceiveEvent:
        self.received += 1
        if self.received <= self._pieces:
            return {"type": "http.request", "body": b"", "more_body": self.received < self._pieces}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, event: ASGISendEvent) -> None:
        await trio.lowlevel.checkpoint()
        self.sent.append(event)

    @property
    def answer(self) -> tuple[int, dict[str, str], str]:
        start, body = self.sent
        assert start["type"] == "http.response.start"
        assert body["type"] == "http.response.body"
        headers = {name.decode(): value.decode() for name, value in start["headers"]}
        return start["status"], headers, body["body"].decode()


async def ask(router: Router, target: bytes, method: str = "GET", root: str = "") -> tuple[int, dict[str, str], str]:
    exchange, scope = Exchange(), scope_of("http", target, method=method)
    scope["root_path"] = root
    await router(scope, exchange.receive, exchange.send)
    return exchange.answer


@pytest.mark.parametrize(
    ("target", "found"),
    [
        (b"/look/ann", "player=ann"),
        (b"/look/%61nn", "player=ann"),
        (b"/look%2Fann", "player=ann"),
        (b"//look/ann", "player=ann"),
        (b"http://host.example/look/ann?x=1", "player=ann"),
        (b"/look/a%0Ab", "player=a\nb"),
        (b"/flip/ann/0,1", "player=ann spot=0,1"),
        (b"/replace/ann/a%2Fb/c", "rest=ann/a/b/c"),
        (b"/look/", "behind"),
        (b"/look", "behind"),
        (b"/look/ann/", "behind"),
        (b"/look/a/b", "behind"),
        (b"/looking/ann", "behind"),
        (b"/replace/", "behind"),
        (b"/", "behind"),
        (b"*", "behind"),
    ],
)
async def test_a_path_is_matched_as_a_whole_and_by_its_decoded_parts(target: bytes, found: str) -> None:
    assert (await ask(routed(), target))[2] == found


async def test_a_path_begins_below_the_servers_own() -> None:
    assert (await ask(routed(), b"/games/look/ann", root="/games"))[2] == "player=ann"
    for path in (b"/look/ann", b"/gameslook/ann", b"/games"):
        assert (await ask(routed(), path, root="/games"))[2] == "behind"


@pytest.mark.parametrize(
    ("method", "target", "allow"),
    [
        ("POST", b"/look/ann", "GET, HEAD, OPTIONS"),
        ("HEAD", b"/flip/ann/0,0", "GET, POST, OPTIONS"),
        ("PUT", b"/watch/ann", "GET, OPTIONS"),
    ],
)
async def test_a_forbidden_method_is_answered_with_the_allowed_ones(method: str, target: bytes, allow: str) -> None:
    status, headers, text = await ask(routed(), target, method)
    assert (status, headers["allow"]) == (405, allow)
    assert text == ("" if method == "HEAD" else f"{method} is not possible here\n")


async def test_head_is_answered_as_get_without_the_body() -> None:
    status, headers, text = await ask(routed(), b"/look/ann", "HEAD")
    assert (status, headers["content-length"], text) == (200, "10", "")


async def test_options_requests_go_to_the_application() -> None:
    assert (await ask(routed(), b"/look/ann", "OPTIONS"))[0] == 299


async def test_an_address_for_websockets_says_so() -> None:
    assert (await ask(routed(), b"/play/ann"))[::2] == (400, "this address is for WebSockets\n")


async def test_the_first_value_of_a_query_counts() -> None:
    router = Router(behind)

    async def since(request: Request) -> Answer:
        return Answer(200, repr(request.query("since")))

    router.text("/watch", since)
    found = [(await ask(router, b"/watch" + query))[2] for query in (b"", b"?since=", b"?since=%31&since=2", b"?x=1")]
    assert found == ["None", "''", "'1'", "None"]


async def test_an_answer_has_the_headers_of_its_route_and_its_own() -> None:
    router = Router(behind)

    async def answer(_: Request) -> Answer:
        return Answer(201, "é", {"ETag": '"1"'}).with_header("Set-Cookie", "a=b")

    router.text("/", answer, headers={"X-Route": "yes"})
    status, headers, text = await ask(router, b"/")
    assert (status, text) == (201, "é")
    assert headers == {"x-route": "yes", "etag": '"1"', "set-cookie": "a=b", "content-length": "2"}


async def test_a_refusal_is_answered_with_its_message_and_a_bug_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    router = Router(behind)

    async def refuse(_: Request) -> Answer:
        raise InvalidCommand("not like that")

    async def move(_: Request) -> Answer:
        raise GameMoved

    async def fail(_: Request) -> Answer:
        raise ZeroDivisionError

    for path, handler in (("/refuse", refuse), ("/move", move), ("/fail", fail)):
        router.text(path, handler)
    assert (await ask(router, b"/refuse"))[::2] == (400, "not like that\n")
    status, headers, _ = await ask(router, b"/move")
    assert (status, headers["retry-after"]) == (503, "1")
    assert not caplog.records
    assert (await ask(router, b"/fail"))[0] == 500
    (record,) = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


async def test_a_body_is_taken_to_its_end_before_the_handler_runs() -> None:
    router, exchange, seen = Router(behind), Exchange(body=40), list[int]()

    async def answer(_: Request) -> Answer:
        seen.append(exchange.received)
        return Answer(200, "")

    router.text("/", answer, methods=("POST",))
    chunked = [(b"transfer-encoding", b"chunked")]
    await router(scope_of("http", b"/", chunked, "POST"), exchange.receive, exchange.send)
    assert seen == [40]


# --- requests that park ---


class Parking:
    """A route whose requests wait until `goes_on`. They are parked once `parks` is set."""

    def __init__(self) -> None:
        self.parks, self.goes_on, self.ended = trio.Event(), trio.Event(), list[str]()
        self.router = Router(behind)
        self.router.text("/wait", self._wait, parks=True)

    async def _wait(self, request: Request) -> Answer:
        try:
            await self.parks.wait()
            assert request.parked is not None
            request.parked.set()
            await self.goes_on.wait()
        except trio.Cancelled:
            self.ended.append("cancelled")
            raise
        self.ended.append("answered")
        return Answer(200, "done")

    async def ask(self, exchange: Exchange) -> None:
        await self.router(scope_of("http", b"/wait"), exchange.receive, exchange.send)


async def test_a_parked_request_is_answered_once_it_can_be() -> None:
    parking, exchange = Parking(), Exchange()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(parking.ask, exchange)
        parking.parks.set()
        await wait_all_tasks_blocked()
        assert exchange.sent == []
        parking.goes_on.set()
    assert exchange.answer[::2] == (200, "done")


async def test_a_disconnect_cancels_a_request_once_it_is_parked_and_not_before() -> None:
    parking, exchange = Parking(), Exchange(hangs_up=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(parking.ask, exchange)
        await wait_all_tasks_blocked()
        assert parking.ended == []
        parking.parks.set()
    assert parking.ended == ["cancelled"]
    assert exchange.sent == []


async def test_a_request_that_does_not_park_is_answered_though_its_client_disconnects() -> None:
    parking, exchange = Parking(), Exchange(hangs_up=True)
    parking.goes_on.set()
    parking.parks.set()
    await parking.ask(exchange)
    assert parking.ended == ["answered"]
    assert exchange.answer[0] == 200


# --- WebSockets ---


class Peer:
    """The client's end of a WebSocket, and the messages of the server."""

    def __init__(self, *, cancels: bool = False) -> None:
        """If `cancels` is true, the connection cancels the handler when the peer disconnects."""
        self._gone = trio.CancelScope() if cancels else None
        self.say, self._said = trio.open_memory_channel[ASGIReceiveEvent](1000)
        self.sent: list[ASGISendEvent] = []
        self.say.send_nowait({"type": "websocket.connect"})

    def text(self, text: str) -> None:
        self.say.send_nowait({"type": "websocket.receive", "bytes": None, "text": text})

    def binary(self, data: bytes) -> None:
        self.say.send_nowait({"type": "websocket.receive", "bytes": data, "text": None})

    def go(self) -> None:
        if self._gone is not None:
            self._gone.cancel()
        self.say.send_nowait({"type": "websocket.disconnect", "code": 1006})

    def unread(self) -> int:
        return self._said.statistics().current_buffer_used

    async def run(self, serve: Serve) -> None:
        """Serve one WebSocket by this handler."""
        router = Router(behind)
        router.socket("/play", serve)
        scope = scope_of("websocket", b"/play")
        if self._gone is not None:
            scope["state"][GONE] = self._gone
        await router(scope, self._said.receive, self._send)

    async def _send(self, message: ASGISendEvent) -> None:
        await trio.lowlevel.checkpoint()
        self.sent.append(message)

    @property
    def kinds(self) -> list[str]:
        return [message["type"].removeprefix("websocket.") for message in self.sent]


async def test_messages_come_one_by_one_as_they_were_sent() -> None:
    peer, seen = Peer(), list[str | bytes]()

    async def serve(socket: Socket) -> None:
        await socket.accept({"Set-Cookie": "a=b"})
        for _ in range(5):
            seen.append(await socket.receive())

    peer.text("a")
    peer.text("")
    peer.binary(b"b")
    peer.binary(b"")
    peer.text("é")
    await peer.run(serve)
    assert seen == ["a", "", b"b", b"", "é"]
    assert peer.sent[0] == {"type": "websocket.accept", "subprotocol": None, "headers": [(b"set-cookie", b"a=b")]}


async def test_no_message_is_taken_ahead_of_the_handler() -> None:
    peer, goes_on, seen = Peer(), trio.Event(), list[str | bytes]()

    async def serve(socket: Socket) -> None:
        await socket.accept()
        await goes_on.wait()
        seen.extend([await socket.receive() for _ in range(500)])

    for number in range(500):
        peer.text(f"{number}")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.run, serve)
        await wait_all_tasks_blocked()
        assert peer.unread() == 500
        goes_on.set()
    assert seen == [f"{number}" for number in range(500)]


async def test_a_disconnect_cancels_the_handler_after_the_last_message_and_nothing_is_sent() -> None:
    peer, seen, what = Peer(), list[str | bytes](), list[str]()

    async def serve(socket: Socket) -> None:
        await socket.accept()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.sleep_forever)
                while True:
                    seen.append(await socket.receive())
        except BaseException as end:
            what.append(type(end).__name__)
            with trio.CancelScope(shield=True):
                await socket.close(1001, "the server is shutting down")
            raise

    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.run, serve)
        await wait_all_tasks_blocked()
        for number in range(5):
            peer.text(f"{number}")
        peer.go()
    assert seen == ["0", "1", "2", "3", "4"]
    assert len(what) == 1
    assert peer.kinds == ["accept"]
    assert peer.unread() == 0


async def test_on_our_server_a_disconnect_cancels_a_handler_that_does_not_receive() -> None:
    peer, what = Peer(cancels=True), list[str]()

    async def serve(socket: Socket) -> None:
        await socket.accept()
        try:
            await trio.sleep_forever()
        except trio.Cancelled:
            what.append("cancelled")
            with trio.CancelScope(shield=True):
                await socket.close(1001, "the server is shutting down")
            raise

    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.run, serve)
        await wait_all_tasks_blocked()
        peer.text("not taken")
        peer.go()
    assert what == ["cancelled"]
    assert peer.kinds == ["accept"]
    assert peer.unread() == 0  # the message of the disconnect was taken, too


class Held:
    """An object that a handler refers to."""


async def fail(how: str, held: Held, socket: Socket) -> None:
    await socket.accept()
    if how == "group":
        async with trio.open_nursery():
            raise ZeroDivisionError(str(held))
    raise ZeroDivisionError(str(held))


@pytest.mark.parametrize("how", ["alone", "group"])
async def test_a_bug_leaves_nothing_behind_that_refers_to_itself(how: str) -> None:
    held, peer, quiet = Held(), Peer(), logging.Logger("quiet")
    quiet.addHandler(logging.NullHandler())  # pytest would keep the log records
    alive = weakref.ref(held)
    gc.collect()
    gc.disable()
    try:
        with patch("scramble.server.asgi.logger", quiet):
            await peer.run(partial(fail, how, held))
        del held
        assert alive() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("how", ["alone", "group", "beside a cancellation", "before it accepts"])
async def test_a_bug_in_a_handler_is_logged_and_closes_with_1011(how: str, caplog: pytest.LogCaptureFixture) -> None:
    peer = Peer()

    async def serve(socket: Socket) -> None:
        if how != "before it accepts":
            await socket.accept()
        if how in ("alone", "before it accepts"):
            raise ZeroDivisionError
        async with trio.open_nursery() as nursery:
            if how == "beside a cancellation":
                nursery.start_soon(trio.sleep_forever)
            raise ZeroDivisionError

    with caplog.at_level(logging.ERROR):
        await peer.run(serve)
    (record,) = caplog.records
    assert record.exc_info is not None
    assert "ZeroDivisionError" in f"{record.exc_info[1]!r}"
    if how == "before it accepts":
        assert peer.sent == []  # the server then answers the handshake with 500
    else:
        assert peer.kinds == ["accept", "close"]
        assert cast("dict[str, object]", peer.sent[1])["code"] == FAILED_CLOSE.code == 1011


async def test_a_handler_that_is_cancelled_from_outside_is_no_bug(caplog: pytest.LogCaptureFixture) -> None:
    peer = Peer()

    async def serve(socket: Socket) -> None:
        await socket.accept()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            nursery.start_soon(trio.sleep_forever)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.run, serve)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert not caplog.records


def test_an_application_has_one_router_in_front() -> None:
    app = quart_app()
    assert router_of(app) is router_of(app) is app.asgi_app


def test_scopes_of_other_kinds_go_behind() -> None:
    seen = []

    async def behind(scope: Scope, _receive: ASGIReceiveCallable, _send: ASGISendCallable) -> None:
        seen.append(scope["type"])

    async def main() -> None:
        router = Router(behind)
        router.text("/", parts)
        exchange = Exchange()
        await router(cast("HTTPScope", {"type": "lifespan"}), exchange.receive, exchange.send)
        await router(scope_of("websocket", b"/"), exchange.receive, exchange.send)

    trio.run(main)
    assert seen == ["lifespan", "websocket"]
