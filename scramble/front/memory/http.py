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
from urllib.parse import unquote_to_bytes

import msgspec
import trio
from quart import Response, request
from quart.wrappers import Request, Websocket
from quart_trio import QuartTrio
from werkzeug.exceptions import HTTPException
from werkzeug.routing import WebsocketMismatch

from scramble.errors import InvalidCommand, ScrambleError
from scramble.front.identity import Speaker
from scramble.front.memory.answers import TextProtocol, board
from scramble.front.memory.front import CurrentMemory, Edition, MemoryFront
from scramble.front.memory.permissions import NewGameLimiter, Permissions, Switch, TooSoon
from scramble.front.memory.websocket import add_play
from scramble.front.site import SiteConfig, add_site, serve_site
from scramble.memory.game import Game
from scramble.memory.messages import NewGame, Replace
from scramble.memory.text import parse_card
from scramble.memory.validation import is_player
from scramble.server.http.errors import TEXT, retry_after
from scramble.server.http.inbox import LeanQuart
from scramble.server.http.server import parked
from scramble.server.http.shortway import Answer, ShortRequest, ShortWay
from scramble.server.listening import Address

MOVES = ("/flip/", "/replace/", "/watch/", "/new/")
"""Paths that a browser must not prefetch: each request makes, or waits for, a move."""

OPEN = ("/look/", *MOVES)
"""Paths of the handouts. Pages of every origin may ask for them, so without seats a host name gives nothing away."""

PURPOSES = ("Sec-Purpose", "Purpose", "X-Purpose", "X-Moz")
"""The headers in which browsers give the purpose of a request that their user has not made."""

ENCODED_PURPOSES = frozenset(name.lower().encode() for name in PURPOSES)

PREFETCH = re.compile("prefetch|prerender|preview", re.IGNORECASE)
"""The purposes of such requests."""

ID = "([A-Za-z0-9_]+)"
"""A player's name in a path of the short way."""

ENCODED = re.compile(rb"(?:[^%]|%[0-9A-Fa-f]{2})*")

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
    if not site.protection.seats:
        app.open_paths = OPEN
    add_site(app, "memory", game, site, partial(speaker_of, lambda: front))
    return app


def make_bare_app(current: CurrentMemory) -> LeanQuart:
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


def add_protocol(app: LeanQuart, current: CurrentMemory) -> None:
    """Add the routes of the text protocol to `app`, and for those that are asked for most the short way."""
    protocol = TextProtocol(current)
    player_of = protocol.player_of
    way = app.short_way = ShortWay(app, HEADERS)

    @app.before_request
    async def refuse_prefetching() -> Response | None:
        if request.method == "OPTIONS":
            return Response("", 204, PREFLIGHT)
        if request.path.startswith(MOVES) and any(PREFETCH.search(request.headers.get(name, "")) for name in PURPOSES):
            return _text("this is not for prefetching", 503)
        return None

    @app.get("/look/<player>")
    async def look(player: str) -> Response:
        return _response(await protocol.look(player))

    @app.route("/flip/<player>/<spot>", methods=["GET", "POST"])
    async def flip(player: str, spot: str) -> Response:
        return _response(await protocol.flip(player, spot, parked(request.scope)))

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
        return _response(board(await front.game.ask(Replace(player_of(player), parse_card(old), new))))

    @app.get("/watch/<player>")
    async def watch(player: str) -> Response:
        return _response(await protocol.watch(player, request.args.get("since"), parked(request.scope)))

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
        return _response(board(await front.game.ask(command)))

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

    async def short_look(request: ShortRequest) -> Answer:
        (player,) = request.parts
        return await protocol.look(player)

    async def short_flip(request: ShortRequest) -> Answer:
        player, spot = request.parts
        return await protocol.flip(player, spot, parked(request.scope))

    async def short_watch(request: ShortRequest) -> Answer:
        (player,), since = request.parts, request.scope["query_string"].partition(b"=")[2].decode()
        return await protocol.watch(player, since or None, parked(request.scope))

    way.know(refuse_prefetching, guard=_is_for_now)
    way.know(refused, not_understood)
    way.add("look", ID, short_look, plays=False, parks=False)
    way.add("flip", f"{ID}/([0-9]+,[0-9]+)", short_flip, methods=("GET", "POST"))
    way.add("watch", ID, short_watch, query=rb"|since=[0-9]+", plays=False)


def speaker_of(current: CurrentMemory, request: Request | Websocket) -> Speaker | None:
    """Return the player that the path names, if the name is valid. A move switched off takes no seat: it names none."""
    what = request.path.removeprefix("/").partition("/")[0]
    if what in current().permissions.off:
        return None
    names = request.view_args or {}
    player = names.get("player") or str(names.get("rest", "")).partition("/")[0]
    return Speaker(player, plays=what not in ("look", "watch")) if is_player(player) else None


def _response(answer: Answer) -> Response:
    return Response(answer.text, answer.status, {**HEADERS, **answer.more})


async def _is_for_now(request: ShortRequest) -> bool:
    """True if a browser gives no purpose: then the request is neither a prefetch nor an OPTIONS."""
    return not any(name in ENCODED_PURPOSES for name, _ in request.scope["headers"])


def _text(line: str, status: int, more: dict[str, str] | None = None) -> Response:
    return Response(line + "\n", status, HEADERS | (more or {}))


def _decode(part: bytes) -> str:
    try:
        if ENCODED.fullmatch(part):
            return unquote_to_bytes(part).decode()
    except UnicodeDecodeError:
        pass
    raise InvalidCommand(f"not percent-encoded UTF-8: {part.decode('ascii', 'replace')}")
