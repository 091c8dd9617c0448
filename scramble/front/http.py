"""Memory Scramble's text protocol on quart-trio, as the handouts define it; and `serve_http`, which serves a game.

    GET /look/PLAYER                  the board
    GET /flip/PLAYER/ROW,COLUMN       the board after the flip; waits while another player controls the card
    GET /replace/PLAYER/OLD/NEW       the board with every OLD card replaced by NEW
    GET /watch/PLAYER[?since=VERSION] the board after the next change
    POST /flip/..., /replace/...      the same, for those who mind that a GET should not change anything
    POST /new/PLAYER                  a new game with the same cards, shuffled

This module translates a request into a command and an answer into a response, and knows no rule. It is safe under
concurrency because it has no state: every request is a task of its own that asks the game's owner task. A client that
goes away while its request waits has its handler cancelled (see `server.finish_answers`), and that withdraws the
request.

Handouts: the HTTP protocol of the 2022 edition, look, flip and watch; the 2025 edition's commands of these names, and
its map, of which replace is a case.
"""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from math import inf
from typing import Literal
from urllib.parse import unquote_to_bytes

import trio
from quart import Response, request
from quart.wrappers import Request, Websocket
from quart_trio import QuartTrio
from werkzeug.exceptions import HTTPException
from werkzeug.routing import WebsocketMismatch

from scramble.errors import InvalidCommand, Refusal, ScrambleError
from scramble.front.answers import TEXT
from scramble.front.around import Around, add_around
from scramble.front.limits import Limits
from scramble.front.places import Places
from scramble.front.server import Address, parked, serve_app
from scramble.front.switches import Switch, require
from scramble.front.websocket import add_play
from scramble.memory import wire
from scramble.memory.boardfile import is_player
from scramble.memory.game import Game
from scramble.memory.messages import Flip, FlipFailed, Look, NewGame, Replace, View, Watch

Edition = Literal["2022", "2025"]

MOVES = ("/flip/", "/replace/", "/watch/", "/new/")
"""Paths that a browser must not ask for on its own account: what they do happens, or waits, once for each request."""

UNASKED = re.compile("prefetch|prerender|preview", re.IGNORECASE)
"""What browsers say that they ask for something for, if nobody has asked them to."""

ENCODED = re.compile(rb"(?:[^%]|%[0-9A-Fa-f]{2})*")

CANNOT_FLIP = "cannot flip this card"

NO_SUCH_PATH = (
    "no such path: there are /look/PLAYER, /flip/PLAYER/ROW,COLUMN, /replace/PLAYER/OLD/NEW, /watch/PLAYER, /new/PLAYER"
)

HEADERS = TEXT | {
    "Access-Control-Allow-Origin": "*",  # the handout's page is served from elsewhere
    "Access-Control-Expose-Headers": "ETag, Retry-After",
}
PREFLIGHT = HEADERS | {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "*, Authorization",  # which the asterisk does not include
    "Access-Control-Allow-Private-Network": "true",  # for a page on the internet and a server on this machine
    "Access-Control-Max-Age": "86400",
}


def make_app(
    game: Game,
    *,
    edition: Edition = "2025",
    watch_timeout: float | None = None,
    off: Collection[Switch] = (),
    around: Around | None = None,
) -> QuartTrio:
    """An ASGI application that serves a running game, its page and its WebSocket; any number may serve one game.

    Of the limits only those that know about players hold here; `serve_app` sees to the others.
    """
    around = around or Around()
    limits = around.protection.limits
    app = QuartTrio("scramble", static_folder=None)
    app.config["RESPONSE_TIMEOUT"] = None  # a flip waits as long as it takes
    app.config["BODY_TIMEOUT"] = None
    app.url_map.merge_slashes = False  # a card may be a slash
    add_protocol(app, game, edition, watch_timeout, off, limits)
    add_play(app, game, off=off, limits=limits, traffic=around.traffic)
    add_around(app, "memory", game, around, partial(_player_of, off=off))
    return app


async def serve_http(
    game: Game,
    host: str = "127.0.0.1",
    port: int = 8080,
    *,
    edition: Edition = "2025",
    watch_timeout: float | None = None,
    off: Collection[Switch] = (),
    around: Around | None = None,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve a running game over HTTP: `address = await nursery.start(serve_http, game)`.

    Runs until cancelled, or until `stop()` returns; the game goes on without it. `port=0` is any free port:
    the address handed back has `.host`, `.port` and `.url`. `edition` "2025" answers a failed flip with 409 and the
    reason, "2022" with 200 and the board. With `watch_timeout` (seconds) a watch that has waited so long is
    answered with the unchanged board. What is `off`, replacing cards or new games, is refused with 403. `around` the
    game are limits, origins, seats, TLS, numbers and its past; without, there are the usual limits and numbers.

    Raises CannotListen, an OSError, if the address cannot be bound.
    """
    around = around or Around()
    app = make_app(game, edition=edition, watch_timeout=watch_timeout, off=off, around=around)
    await serve_app(
        app,
        host=host,
        port=port,
        protection=around.protection,
        traffic=around.traffic,
        stop=stop,
        task_status=task_status,
    )


def add_protocol(
    app: QuartTrio,
    game: Game,
    edition: Edition,
    watch_timeout: float | None,
    off: Collection[Switch] = (),
    limits: Limits | None = None,
) -> None:
    """Add the routes of the text protocol to `app`."""
    places = Places((limits or Limits()).parked)

    @app.before_request
    async def only_deliberate_requests() -> Response | None:
        if request.method == "OPTIONS":
            return Response("", 204, PREFLIGHT)
        if request.path.startswith(MOVES) and any(
            UNASKED.search(request.headers.get(name, "")) for name in ("Sec-Purpose", "Purpose", "X-Purpose", "X-Moz")
        ):
            return _text("this is not for prefetching", 503)
        return None

    @app.get("/look/<player>")
    async def look(player: str) -> Response:
        return _board(await game.ask(Look(wire.parse_player(player))))

    @app.route("/flip/<player>/<spot>", methods=["GET", "POST"])
    async def flip(player: str, spot: str) -> Response:
        command = Flip(wire.parse_player(player), *wire.parse_spot(spot))
        try:
            return _board(await game.ask(command, parked=parked(request.scope)))
        except FlipFailed as failure:
            if edition == "2022":
                return _board(failure.view)
            return _text(f"{CANNOT_FLIP}: {failure}", failure.status, _etag(failure.view))
        except Refusal as refusal:
            return _text(f"{CANNOT_FLIP}: {refusal}", refusal.status)

    @app.route("/replace/<path:rest>", methods=["GET", "POST"])
    async def replace(rest: str) -> Response:
        require("replace", off)
        # The decoded path cannot tell a slash between two cards from a %2F within one, so the raw one is taken apart.
        # It must come to the same, or it might name another player than the one whose seat was asked for.
        parts = [_decode(part) for part in bytes(request.scope["raw_path"]).partition(b"/replace/")[2].split(b"/")]
        if len(parts) != 3 or "/".join(parts) != rest:
            raise InvalidCommand("to replace cards ask for /replace/PLAYER/OLD/NEW, each percent-encoded")
        player, old, new = parts
        return _board(await game.ask(Replace(wire.parse_player(player), wire.parse_card(old), wire.parse_card(new))))

    @app.get("/watch/<player>")
    async def watch(player: str) -> Response:
        since = request.args.get("since")
        command = Watch(wire.parse_player(player), None if since is None else wire.parse_version(since))
        with places.place(command.player), trio.move_on_after(inf if watch_timeout is None else watch_timeout):
            return _board(await game.ask(command, parked=parked(request.scope)))
        return _board(await game.ask(Look(command.player)))

    @app.post("/new/<player>")
    async def new(player: str) -> Response:
        require("new", off)
        seed = random.SystemRandom().getrandbits(64)
        return _board(await game.ask(NewGame(wire.parse_player(player), seed)))

    for rule in app.url_map.iter_rules():
        if rule.rule.startswith(MOVES) and rule.methods is not None:
            rule.methods.discard("HEAD")  # Quart would route it like a GET

    @app.errorhandler(ScrambleError)
    async def refused(error: ScrambleError) -> Response:
        return _text(str(error), error.status)

    @app.errorhandler(HTTPException)
    async def not_understood(error: HTTPException) -> Response:
        status = error.code or 500
        reason = error.name
        if status == 404:
            reason = NO_SUCH_PATH
        elif status == 405:
            reason = f"{request.method} is not possible here"
        elif isinstance(error, WebsocketMismatch):
            reason = "this address is for WebSockets"
        allow = [value for name, value in error.get_headers() if name == "Allow"]
        return _text(reason, status, {"Allow": allow[0]} if allow else {})


def _player_of(request: Request | Websocket, *, off: Collection[Switch]) -> str | None:
    """The player whom the path names, if it is one, and if what is asked for is not off: that takes no seat."""
    if request.path.removeprefix("/").partition("/")[0] in off:
        return None
    names = request.view_args or {}
    player = names.get("player") or str(names.get("rest", "")).partition("/")[0]
    return player if is_player(player) else None


def _board(view: View) -> Response:
    return Response(view.text, 200, HEADERS | _etag(view))


def _etag(view: View) -> dict[str, str]:
    return {"ETag": f'"{view.version}"'}


def _text(line: str, status: int, more: dict[str, str] | None = None) -> Response:
    return Response(line + "\n", status, HEADERS | (more or {}))


def _decode(part: bytes) -> str:
    try:
        if ENCODED.fullmatch(part):
            return unquote_to_bytes(part).decode()
    except UnicodeDecodeError:
        pass
    raise InvalidCommand(f"not percent-encoded UTF-8: {part.decode('ascii', 'replace')}")
