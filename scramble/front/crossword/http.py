"""Crossword Extravaganza in the browser: the page, and its WebSocket `/play`. One connection is one session.

    address = await nursery.start(partial(serve_crossword_http, lobby, port=8080))

A frame from the client is a command line as a player types it. A frame to the client is a view as one JSON object,
without any other data. docs/reference/crossword.md describes both. This module only translates, and has no rules. It
shares `scramble.front.crossword.dialogue` with telnet.

Safe under concurrency because it has no state: each connection's handler is a separate task that sends commands to the
lobby's owner task. A disconnect of the client cancels the handler, and so ends the session.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial
from typing import Final

import trio
from quart import Response, jsonify
from quart_trio import QuartTrio

from scramble.crossword import Game, MatchView, SessionView
from scramble.crossword.exchange import match_text
from scramble.crossword.frames import view_frame
from scramble.crossword.statetable import MAX_LINE, is_id
from scramble.front.crossword.dialogue import NOT_TEXT, OVERLONG, DialogueLimits, NoLine, converse, quota_of
from scramble.front.crossword.front import CrosswordFront
from scramble.front.identity import KnownPlayer
from scramble.front.site import SiteConfig, add_site, serve_site, site_door
from scramble.front.web.client import Client
from scramble.front.web.door import Door
from scramble.front.web.feed import BesideTask
from scramble.front.web.websocket import WebSocketConnection
from scramble.plaintext import harmless
from scramble.players.seats import ListNames
from scramble.server.asgi import Router, Socket, quart_app, router_of
from scramble.server.http.closing import CloseReason
from scramble.server.http.errors import NOT_KEPT, TEXT, add_refusals
from scramble.server.listening import Address

BINARY = NoLine("A command is a text frame, not a binary frame.", NOT_TEXT)


def make_crossword_app(
    lobby: Game,
    *,
    telnet_port: int | None = None,
    limits: DialogueLimits | None = None,
    site: SiteConfig | None = None,
) -> QuartTrio:
    """Make an ASGI application with the page of an open lobby. Several applications may serve one lobby.

    The page shows `telnet_port`, the telnet port of the same lobby. `limits` are the limits of one connection. `site`
    is the same argument as in `serve_http` of Memory Scramble.

    Quart functions such as `before_request` do not run for WebSockets. To guard WebSockets, wrap `asgi_app`.
    """
    site = site or SiteConfig()
    front = CrosswordFront(lobby, telnet_port=telnet_port, dialogue_limits=limits, limits=site.protection.limits)
    app = make_bare_app(site_door(front, lobby, site))
    add_site(app, "crossword", lobby, site)
    return app


def make_bare_app(door: Door[CrosswordFront]) -> QuartTrio:
    """Make an ASGI application with the WebSocket of the lobby, but without the common parts of a site."""
    app = quart_app()
    add_sessions(router_of(app), door)
    add_refusals(app)

    @app.get("/server")
    async def server() -> Response:
        front = door.front()
        response = jsonify(grace=front.game.grace, telnet=front.telnet_port)
        response.headers.update(NOT_KEPT)
        return response

    return app


async def serve_crossword_http(
    lobby: Game,
    host: str = "127.0.0.1",
    port: int = 8080,
    *,
    telnet_port: int | None = None,
    site: SiteConfig | None = None,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve the page of an open lobby: `address = await nursery.start(serve_crossword_http, lobby)`.

    Runs until it is cancelled, or until `stop()` returns. The lobby continues. `port=0` selects any free port. The
    `make_crossword_app` explains the other arguments.

    Raises CannotListen, an OSError, if the address cannot be bound.
    """
    site = site or SiteConfig()
    app = make_crossword_app(lobby, telnet_port=telnet_port, site=site)
    await serve_site(app, site, host=host, port=port, stop=stop, task_status=task_status)


def add_sessions(router: Router, door: Door[CrosswordFront]) -> None:
    """Add `/play`. The route needs no background task. The end of the lobby closes its connections."""

    async def play(socket: Socket) -> None:
        await door.serve(socket, None, partial(_talk, door.front(), socket, None))

    router.socket("/play", play)


def add_seated_sessions(router: Router, door: Door[CrosswordFront]) -> None:
    """Add `/play/PLAYER` for lobbies of one match. At the begin of the session PLAYER is in the match.

    For applications with a door that checks the seat, or applications in which every client may use every name.
    """

    async def play_seated(socket: Socket) -> None:
        player = socket.parts["player"]
        talk = partial(_talk, door.front(), socket, player)
        await door.serve(socket, player if is_id(player) else None, talk)

    router.socket("/play/{player}", play_seated)


def add_match_text(app: QuartTrio, door: Door[CrosswordFront], title_of: Callable[[], str]) -> None:
    """Add `GET /match.txt` to an `app` of lobbies of one match: the public state of the match as text.

    `title_of` returns the first line.
    """

    @app.get("/match.txt")
    async def match() -> Response:
        game = door.front().game
        view, names = await game.spectate(), await game.ask(ListNames())
        shown = view.match if view.result is None else view.result.match
        if isinstance(shown, MatchView):
            return Response(match_text(shown, view.result, title_of(), view.solution, names), 200, TEXT)
        return Response(f"{harmless(title_of())}\nThe match has not begun.\n", 200, TEXT)


async def _talk(
    front: CrosswordFront, socket: Socket, player: str | None, connection: WebSocketConnection, client: Client
) -> CloseReason:
    """Hold a dialogue for a known player. None: the player types the ID in the session.

    The additional subscriptions begin when the session has a player. They also count the player.
    """
    quota = quota_of(client.host, front.limits)
    holder = client.holder if client.has_seats else None
    names = None if holder is None else KnownPlayer(front.game.ask, holder)
    async with trio.open_nursery() as nursery:
        session = _Session(nursery, connection)
        with ExitStack() as beside:
            is_counted = False

            async def send(view: SessionView) -> None:
                nonlocal is_counted
                await session.send(view_frame(view).decode())
                if view.player is not None and not is_counted:
                    is_counted = True
                    for begin in front.beside(view.player, client):
                        beside.callback(begin(session))

            receive = partial(_receive, socket)
            await session.until_ended(
                partial(converse, front.game, receive, send, front.dialogue_limits, names, quota, player=player)
            )
    return session.reasons[0]


class _Session:
    """A WebSocket, as a `FeedSocket` for the additional subscriptions."""

    # AF: a WebSocket with its tasks in _nursery. The first element of `reasons` is the reason to close.

    def __init__(self, nursery: trio.Nursery, connection: WebSocketConnection) -> None:
        self.reasons: Final[list[CloseReason]] = []
        self._nursery: Final = nursery
        self.outlet: Final = connection.outlet
        self.send: Final = connection.send

    def start_soon(self, task: BesideTask) -> None:
        """Run a task until the session ends."""
        self._nursery.start_soon(self.until_ended, task)

    async def until_ended(self, task: BesideTask) -> None:
        """Run a task. If the task returns a reason, end the session."""
        reason = await task()
        if reason is not None:
            self.reasons.append(reason)
            self._nursery.cancel_scope.cancel()


async def _receive(socket: Socket) -> str | NoLine:
    frame = await socket.receive()
    if not isinstance(frame, str):
        return BINARY
    return frame if len(frame) <= MAX_LINE else OVERLONG
