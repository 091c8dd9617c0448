"""Memory Scramble's text protocol on quart-trio, as the handouts define it; and `serve_http`, which serves a game.

    GET /look/PLAYER                  the board
    GET /flip/PLAYER/ROW,COLUMN       the board after the flip; waits while another player controls the card
    GET /replace/PLAYER/OLD/NEW       the board with every OLD card replaced by NEW
    GET /watch/PLAYER[?since=VERSION] the board after the next change
    POST /flip/..., /replace/...      the same, for clients that use no GET to change anything
    POST /new/PLAYER                  a new game with the same cards, shuffled
    GET /figures                      how well each player has remembered, as JSON

This module translates a request into a command and an answer into a response, and knows no rule. It is safe under
concurrency because it has no state: every request is a task of its own that asks the game's owner task. If a client
disconnects while its request waits, its handler is cancelled (see `scramble.server.http.server.finish_answers`), which
withdraws the request.

Handouts: the HTTP protocol of the 2022 edition (look, flip, watch); the 2025 edition's commands with these names, and
its map, of which replace is a special case.
"""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from math import inf
from urllib.parse import unquote_to_bytes

import msgspec
import trio
from quart import Response, request
from quart.wrappers import Request, Websocket
from quart_trio import QuartTrio
from werkzeug.exceptions import HTTPException
from werkzeug.routing import WebsocketMismatch

from scramble.errors import InvalidCommand, Refusal, ScrambleError
from scramble.front.identity import Speaker
from scramble.front.memory.front import CurrentMemory, Edition, MemoryFront
from scramble.front.memory.permissions import NewGameLimiter, Permissions, Switch, TooSoon
from scramble.front.memory.websocket import add_play
from scramble.front.site import SiteConfig, add_site, serve_site
from scramble.memory.game import Game
from scramble.memory.messages import Flip, FlipFailed, Look, NewGame, Replace, View, Watch
from scramble.memory.text import parse_card, parse_player, parse_spot, parse_version
from scramble.memory.validation import is_player
from scramble.server.http.errors import TEXT, retry_after
from scramble.server.http.inbox import LeanQuart
from scramble.server.http.server import parked
from scramble.server.listening import Address

MOVES = ("/flip/", "/replace/", "/watch/", "/new/")
"""Paths that a browser must not prefetch: each request makes, or waits for, a move."""

PREFETCH = re.compile("prefetch|prerender|preview", re.IGNORECASE)
"""The purpose that browsers give in a header of requests that their user has not made."""

ENCODED = re.compile(rb"(?:[^%]|%[0-9A-Fa-f]{2})*")

CANNOT_FLIP = "cannot flip this card"

NO_SUCH_PATH = (
    "no such path: there are /look/PLAYER, /flip/PLAYER/ROW,COLUMN, /replace/PLAYER/OLD/NEW, /watch/PLAYER, /new/PLAYER"
)

HEADERS = TEXT | {
    "Access-Control-Allow-Origin": "*",  # the handout's page is served by another server
    "Access-Control-Expose-Headers": "ETag, Retry-After",
}
FIGURES = {**HEADERS, "Content-Type": "application/json", "Cache-Control": "no-store"}
PREFLIGHT = HEADERS | {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "*, Authorization",  # the asterisk does not include it
    "Access-Control-Allow-Private-Network": "true",  # for a page on the internet and a server on this machine
    "Access-Control-Max-Age": "86400",
}


def make_app(
    game: Game,
    *,
    edition: Edition = "2025",
    watch_timeout: float | None = None,
    off: Collection[Switch] = (),
    new_every: float | None = None,
    site: SiteConfig | None = None,
) -> QuartTrio:
    """Make an ASGI application that serves a running game, its page and its WebSocket; any number may serve one game.

    Of the limits it applies only those of players; `serve_app` applies the others. With `new_every` (seconds) it has to
    be made in a running trio loop.
    """
    site = site or SiteConfig()
    permissions = Permissions(off, site.protection.limits, NewGameLimiter(new_every))
    front = MemoryFront(
        game, edition=edition, watch_timeout=watch_timeout, permissions=permissions, traffic=site.traffic
    )
    app = make_bare_app(lambda: front)
    add_site(app, "memory", game, site, partial(speaker_of, lambda: front))
    return app


def make_bare_app(current: CurrentMemory) -> QuartTrio:
    """Make an ASGI application with the text protocol and the WebSocket, and without the common parts of a site."""
    app = LeanQuart("scramble", static_folder=None)
    app.config["RESPONSE_TIMEOUT"] = None  # a flip may wait for any time
    app.config["BODY_TIMEOUT"] = None
    app.url_map.merge_slashes = False  # a card may be a slash
    add_protocol(app, current)
    add_play(app, current)
    return app


async def serve_http(
    game: Game,
    host: str = "127.0.0.1",
    port: int = 8080,
    *,
    edition: Edition = "2025",
    watch_timeout: float | None = None,
    off: Collection[Switch] = (),
    new_every: float | None = None,
    site: SiteConfig | None = None,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve a running game over HTTP: `address = await nursery.start(serve_http, game)`.

    Runs until cancelled, or until `stop()` returns; the game continues without it. `port=0` selects any free port:
    the returned address has `.host`, `.port` and `.url`. `edition` "2025" answers a failed flip with 409 and the
    reason, "2022" with 200 and the board. With `watch_timeout` (seconds) a watch that has waited so long is
    answered with the unchanged board. Moves in `off`, replacing cards or new games, are refused with 403; a new game
    less than `new_every` seconds after the last one, or after the start, with 429. `site` has limits, origins,
    seats, TLS, metrics and the game's replay; without it the default limits apply, and metrics are served.

    Raises CannotListen, an OSError, if the address cannot be bound.
    """
    site = site or SiteConfig()
    app = make_app(game, edition=edition, watch_timeout=watch_timeout, off=off, new_every=new_every, site=site)
    await serve_site(app, site, host=host, port=port, stop=stop, task_status=task_status)


def add_protocol(app: QuartTrio, current: CurrentMemory) -> None:
    """Add the routes of the text protocol to `app`."""

    def player_of(text: str) -> str:
        return current().permissions.limits.checked_name(parse_player(text))

    @app.before_request
    async def refuse_prefetching() -> Response | None:
        if request.method == "OPTIONS":
            return Response("", 204, PREFLIGHT)
        if request.path.startswith(MOVES) and any(
            PREFETCH.search(request.headers.get(name, "")) for name in ("Sec-Purpose", "Purpose", "X-Purpose", "X-Moz")
        ):
            return _text("this is not for prefetching", 503)
        return None

    @app.get("/look/<player>")
    async def look(player: str) -> Response:
        return _board(await current().game.ask(Look(player_of(player))))

    @app.route("/flip/<player>/<spot>", methods=["GET", "POST"])
    async def flip(player: str, spot: str) -> Response:
        front, command = current(), Flip(player_of(player), *parse_spot(spot))
        try:
            return _board(await front.game.ask(command, parked=parked(request.scope)))
        except FlipFailed as failure:
            if front.edition == "2022":
                return _board(failure.view)
            return _text(f"{CANNOT_FLIP}: {failure}", failure.status, _etag(failure.view))
        except Refusal as refusal:
            return _text(f"{CANNOT_FLIP}: {refusal}", refusal.status)

    @app.route("/replace/<path:rest>", methods=["GET", "POST"])
    async def replace(rest: str) -> Response:
        front = current()
        await front.permissions.require("replace")
        # The decoded path does not distinguish a slash between two cards from a %2F in a card, so the raw path is
        # split. Decoded it must be the same, or it could name another player than the one whose seat was checked.
        parts = [_decode(part) for part in bytes(request.scope["raw_path"]).partition(b"/replace/")[2].split(b"/")]
        if len(parts) != 3 or "/".join(parts) != rest:
            raise InvalidCommand("to replace cards ask for /replace/PLAYER/OLD/NEW, each percent-encoded")
        player, old, new = parts
        new = front.permissions.limits.checked_card(parse_card(new))
        return _board(await front.game.ask(Replace(player_of(player), parse_card(old), new)))

    @app.get("/watch/<player>")
    async def watch(player: str) -> Response:
        front, since = current(), request.args.get("since")
        command = Watch(player_of(player), None if since is None else parse_version(since))
        timeout = inf if front.watch_timeout is None else front.watch_timeout
        with front.watches.place(command.player), trio.move_on_after(timeout):
            return _board(await front.game.ask(command, parked=parked(request.scope)))
        return _board(await front.game.ask(Look(command.player)))

    @app.get("/figures")
    async def figures() -> Response:
        found = await current().game.figures()
        return Response(msgspec.json.encode({"figures": found or {}}), 200, FIGURES)

    @app.post("/new/<player>")
    async def new(player: str) -> Response:
        front = current()
        await front.permissions.require("new")
        seed = random.SystemRandom().getrandbits(64)
        command = NewGame(player_of(player), seed)
        try:
            front.permissions.new_games.begin()
        except TooSoon as early:
            return _text(str(early), early.status, {"Retry-After": str(early.wait_s)})
        return _board(await front.game.ask(command))

    for rule in app.url_map.iter_rules():
        if rule.rule.startswith(MOVES) and rule.methods is not None:
            rule.methods.discard("HEAD")  # Quart would route it like a GET

    @app.errorhandler(ScrambleError)
    async def refused(error: ScrambleError) -> Response:
        return _text(str(error), error.status, retry_after(error))

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


def speaker_of(current: CurrentMemory, request: Request | Websocket) -> Speaker | None:
    """Return the player that the path names, if the name is valid. A move switched off takes no seat: it names none."""
    what = request.path.removeprefix("/").partition("/")[0]
    if what in current().permissions.off:
        return None
    names = request.view_args or {}
    player = names.get("player") or str(names.get("rest", "")).partition("/")[0]
    return Speaker(player, plays=what not in ("look", "watch")) if is_player(player) else None


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
