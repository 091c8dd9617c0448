"""Memory Scramble over HTTP: `make_app` makes its application, and `serve_http` serves a game.

    app = make_app(game)                                    # the text protocol, the WebSocket, and the page
    address = await nursery.start(serve_http, game)

`scramble.front.memory.protocol` has the text protocol. This module adds a route:

    GET /figures                      statistics about each player's memory, as JSON

Safe under concurrency because it has no state.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Final

import msgspec
import trio
from quart import Response, request
from quart_trio import QuartTrio
from werkzeug.exceptions import HTTPException

from scramble.errors import ScrambleError
from scramble.front.memory.front import Edition, MemoryFront
from scramble.front.memory.permissions import NewGameLimiter, Permissions, Switch
from scramble.front.memory.protocol import OPEN, TEXT_HEADERS, add_protocol
from scramble.front.memory.websocket import add_play
from scramble.front.site import SiteConfig, add_site, serve_site, site_door
from scramble.front.web.door import Door
from scramble.memory.game import Game
from scramble.server.asgi import quart_app, router_of
from scramble.server.http.errors import retry_after
from scramble.server.listening import Address
from scramble.server.protection.middleware import open_to_every_name

NO_SUCH_PATH: Final = (
    "no such path: there are /look/PLAYER, /flip/PLAYER/ROW,COLUMN, /replace/PLAYER/OLD/NEW, /watch/PLAYER, /new/PLAYER"
)

FIGURES: Final = {**TEXT_HEADERS, "Content-Type": "application/json", "Cache-Control": "no-store"}
PREFLIGHT: Final = TEXT_HEADERS | {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "*, Authorization",  # * does not include Authorization
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
    """Make an ASGI application that serves a running game, its page and its WebSocket.

    Several applications may serve one game. The application enforces only the limits of players; `serve_app` enforces
    the other limits. With `new_every` (seconds) this call needs a running trio loop.

    Quart functions such as `before_request` do not run for moves and WebSockets. To guard both, wrap `asgi_app`.
    """
    site = site or SiteConfig()
    permissions = Permissions(off, site.protection.limits, NewGameLimiter(new_every))
    front = MemoryFront(
        game, edition=edition, watch_timeout=watch_timeout, permissions=permissions, traffic=site.traffic
    )
    app = make_bare_app(site_door(front, game, site))
    if not site.protection.seats:
        open_to_every_name(app, *OPEN)
    add_site(app, "memory", game, site)
    return app


def make_bare_app(door: Door[MemoryFront]) -> QuartTrio:
    """Make an ASGI application with the text protocol and the WebSocket, but without the common parts of a site."""
    app = quart_app()
    app.url_map.merge_slashes = False  # a card may be a slash
    router = router_of(app)
    add_protocol(router, door)
    add_play(router, door)
    add_beside(app, door)
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

    Runs until it is cancelled, or until `stop()` returns. The game continues. `port=0` selects any free port: the
    returned address has `.host`, `.port` and `.url`. `edition` "2025" answers a failed flip with 409 and the reason;
    "2022" answers with 200 and the board. After `watch_timeout` seconds the answer to a watch is the unchanged board.
    The server refuses moves in `off` (replacing cards, new games) with 403. It refuses a new game with 429 if the start
    or the last new game was less than `new_every` seconds ago. `site` has limits, origins, seats, TLS, metrics and the
    game's replay. Without `site`, the default limits apply, and `/metrics` is served.

    Raises CannotListen, an OSError, if the address cannot be bound.
    """
    site = site or SiteConfig()
    app = make_app(game, edition=edition, watch_timeout=watch_timeout, off=off, new_every=new_every, site=site)
    await serve_site(app, site, host=host, port=port, stop=stop, task_status=task_status)


def add_beside(app: QuartTrio, door: Door[MemoryFront]) -> None:
    """Add the figures, answers to preflight requests, and refusals in words to `app`."""

    @app.before_request
    async def answer_preflight() -> Response | None:
        return Response("", 204, PREFLIGHT) if request.method == "OPTIONS" else None

    @app.get("/figures")
    async def figures() -> Response:
        found = await door.front().game.figures()
        return Response(msgspec.json.encode({"figures": found or {}}), 200, FIGURES)

    @app.errorhandler(ScrambleError)
    async def refused(error: ScrambleError) -> Response:
        return Response(f"{error}\n", error.status, TEXT_HEADERS | retry_after(error))

    @app.errorhandler(HTTPException)
    async def not_understood(error: HTTPException) -> Response:
        status = error.code or 500
        reason = error.name
        if status == 404:
            reason = NO_SUCH_PATH
        elif status == 405:
            reason = f"{request.method} is not possible here"
        allow = {name: value for name, value in error.get_headers() if name == "Allow"}
        return Response(f"{reason}\n", status, TEXT_HEADERS | allow)
