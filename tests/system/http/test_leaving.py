"""WebSockets that leave Quart after the handshake do what those do that stay, over real sockets.

Partitions:
- the rest of a handler: answers, returns without a close, closes, is cancelled by a disconnect or by the server's stop;
  fails, alone, in a group, beside a cancellation, with an error that Quart has a handler for
- what keeps a handler in Quart: functions after it and for the end of contexts, listeners, methods, classes, sessions,
  a function around it, a handler that has not said that it may, a subclass, tests and debugging; another hypercorn
- of a game: answers, refused frames, too many, a seat that is taken, the end of the game; all frames alike both ways
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

import hypercorn.trio
import pytest
import trio
from hypercorn.config import Config
from quart import has_websocket_context, websocket
from quart.ctx import after_this_websocket
from quart.typing import ResponseTypes
from quart_trio import QuartTrio
from werkzeug.exceptions import ImATeapot

from scramble.front.memory.http import make_app
from scramble.front.site import SiteConfig
from scramble.memory import Board, open_game
from scramble.memory.game import Game
from scramble.server.http.inbox import LeanQuart, socket_at_hand
from scramble.server.http.leaving import PASSED, SIGNALS, may_leave
from scramble.server.http.server import guarded, serve_app
from scramble.server.listening import Address
from scramble.server.protection.middleware import Protection
from scramble.server.traffic import Traffic
from tests.support import HANG_S
from tests.support.memory.served import ABC
from tests.support.websocket import Closed, Cut, WebSocket


class Handlers:
    """Handlers of an application, and whether the rest of each ran in Quart."""

    def __init__(self, app: QuartTrio) -> None:
        self.in_quart: list[bool] = []
        self.ended = 0

        @app.websocket("/<what>")
        @may_leave(app)
        async def talk(what: str) -> None:
            if what == "after-this":
                after_this_websocket(_pass)
            socket = socket_at_hand()
            await websocket.accept()

            async def rest() -> None:
                self.in_quart.append(has_websocket_context())
                try:
                    await self._rest(what, socket.receive, socket.send, socket.close)
                finally:
                    self.ended += 1

            await socket.go_on(rest)

    async def _rest(
        self,
        what: str,
        receive: Callable[[], Awaitable[str | bytes]],
        send: Callable[[str], Awaitable[None]],
        close: Callable[[int, str], Awaitable[None]],
    ) -> None:
        match what:
            case "return" | "after-this":
                await send("bye")
            case "close":
                await close(4000, "because")
            case "bug":
                raise ZeroDivisionError
            case "teapot":
                raise ImATeapot
            case "group" | "cancelled":
                async with trio.open_nursery() as nursery:
                    if what == "cancelled":
                        nursery.start_soon(trio.sleep_forever)
                    raise ZeroDivisionError
            case _:
                while True:
                    await send(f"re {await receive()!r}")


async def _pass(response: ResponseTypes | None) -> ResponseTypes | None:
    return response


def keep(app: QuartTrio) -> None:
    """Have the handlers stay in Quart."""
    app.after_websocket_funcs[None].append(_pass)


@asynccontextmanager
async def serving(app: QuartTrio, traffic: Traffic | None = None) -> AsyncIterator[Address]:
    async with trio.open_nursery() as nursery:
        serve = partial(serve_app, app, host="127.0.0.1", port=0, traffic=traffic)
        yield await nursery.start(serve)
        nursery.cancel_scope.cancel()


async def talk(address: Address, what: str) -> list[object]:
    """What a client hears that says a few words."""
    heard: list[object] = []
    with trio.fail_after(HANG_S):
        async with await WebSocket.connect(address.host, address.port, f"/{what}") as client:
            if what == "echo":
                for text in ("a", "b" * 1000):
                    await client.send(text)
                    heard.append(await client.receive_text())
                await client.leave()
            else:
                with pytest.raises(Closed) as closed:
                    while True:
                        heard.append(await client.receive_text())
                heard.append((closed.value.code, closed.value.reason))
    return heard


ENDS = {
    **dict.fromkeys(["return", "teapot"], (1000, "")),
    **dict.fromkeys(["bug", "group", "cancelled"], (1011, "")),
    "close": (4000, "because"),
}


@pytest.mark.parametrize("what", ["echo", "return", "close", "bug", "teapot", "group", "cancelled"])
async def test_a_handler_that_leaves_ends_as_one_that_stays(what: str, caplog: pytest.LogCaptureFixture) -> None:
    found = []
    for stays in (False, True):
        app, traffic = LeanQuart("talk", static_folder=None), Traffic()
        if stays:
            keep(app)
        handlers = Handlers(app)
        caplog.clear()
        with caplog.at_level(logging.ERROR):
            async with serving(app, traffic) as address:
                heard = await talk(address, what)
        said = [(record.name, record.getMessage()) for record in caplog.records]
        assert handlers.in_quart == [stays]
        assert handlers.ended == 1
        if what in ENDS:
            assert heard[-1] == ENDS[what]
            assert sum(traffic.closed.values()) == traffic.closed[ENDS[what][0]] == 1
        found.append((heard, said, dict(traffic.closed), traffic.open["websocket"]))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "what",
    [
        *("after", "after-this", "teardown", "context", "around", "secret", "testing", "debug", "subclass"),
        *(f"signal {signal.name}" for signal in SIGNALS),
        *(f"own {name}" for name in sorted(PASSED - {"asgi_websocket_class"})),
    ],
)
async def test_a_handler_stays_where_something_follows_it(what: str) -> None:
    class OwnQuart(LeanQuart):
        pass

    app = (OwnQuart if what == "subclass" else LeanQuart)("talk", static_folder=None)
    handlers = Handlers(app)
    kind, _, name = what.partition(" ")
    called: list[str] = []

    async def listen(*_: object, **__: object) -> None:
        called.append(what)

    match kind:
        case "after":
            keep(app)
        case "teardown":
            app.teardown_websocket(listen)
        case "context":
            app.teardown_appcontext(listen)
        case "around":
            inner = app.view_functions["talk"]
            app.view_functions["talk"] = partial(app.ensure_async(inner))  # type: ignore[assignment]
        case "secret":
            app.secret_key = "secret"
        case "testing":
            app.testing = True
        case "debug":
            app.debug = True
        case "signal":
            next(signal for signal in SIGNALS if signal.name == name).connect(listen)
        case "own":
            setattr(app, name, getattr(app, name))
    try:
        async with serving(app) as address:
            assert "bye" in await talk(address, "after-this" if what == "after-this" else "return")
    finally:
        for signal in SIGNALS:
            signal.disconnect(listen)
    assert handlers.in_quart == [True]
    if kind in ("teardown", "context") or what == "signal websocket-finished":
        assert what in called


async def test_under_hypercorns_own_worker_a_handler_stays() -> None:
    app = LeanQuart("talk", static_folder=None)
    handlers = Handlers(app)
    config = Config()
    config.bind = ["127.0.0.1:0"]
    config.errorlog = logging.getLogger("hypercorn.error")  # else hypercorn adds a handler of its own, for good
    async with trio.open_nursery() as nursery:
        (url,) = await nursery.start(partial(hypercorn.trio.serve, guarded(app, Protection()), config))
        assert "bye" in await talk(Address("127.0.0.1", int(url.rpartition(":")[2])), "return")
        nursery.cancel_scope.cancel()
    assert handlers.in_quart == [True]


# --- a game ---


async def play(address: Address, game: Game, path: str, *says: str | bytes) -> list[str]:
    """All that a player hears who says these, one after another, each when the one before is answered."""
    heard: list[object] = []
    with trio.fail_after(HANG_S):
        async with await WebSocket.connect(address.host, address.port, path) as player:
            try:
                for text in says:
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
    return sorted(map(str, heard))  # names come at any time


FLIPS = (
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
async def test_a_game_says_the_same_both_ways(path: str, says: tuple[str | bytes, ...]) -> None:
    found = []
    for stays in (False, True):
        async with open_game(Board.parse(ABC)) as game:
            app = make_app(game)
            if stays:
                keep(app)
            async with serving(app) as address:
                try:
                    found.append(await play(address, game, path, *says))
                except Cut:
                    found.append(["no WebSocket"])
    assert found[0] == found[1]


async def test_a_taken_seat_and_the_end_of_a_game_are_said_both_ways() -> None:
    found = []
    for stays in (False, True):
        site = SiteConfig(Protection(seats=True))
        async with open_game(Board.parse(ABC)) as game, trio.open_nursery() as nursery:
            app = make_app(game, site=site)
            if stays:
                keep(app)
            with trio.fail_after(HANG_S):
                async with serving(app) as address, await WebSocket.connect(*address, "/play/ann") as first:
                    assert first.headers["set-cookie"].startswith("scramble_seat=")
                    heard = [await play(address, game, "/play/ann")]
                    await game.aclose()
                    with pytest.raises(Closed) as closed:
                        while True:
                            await first.receive_text()
                    heard.append([str((closed.value.code, closed.value.reason))])
            nursery.cancel_scope.cancel()
        found.append(heard)
    assert found[0] == found[1]
    assert "4403" in found[0][0][-1]
    assert "1001" in found[0][1][0]
