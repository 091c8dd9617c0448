"""Crossword Extravaganza in the browser: the page, and its WebSocket `/play`, where one connection is one session.

    address = await nursery.start(partial(serve_crossword_http, lobby, port=8080))

A frame from the client is a command line as a player types it; a frame to the client is a view as one JSON object, made
of the view and of nothing else. docs/reference/crossword.md describes both. This module translates, and has no rules;
`scramble.front.crossword.dialogue` has what it shares with telnet.

Safe under concurrency because it has no state: each connection's handler is a task of its own, which asks the lobby's
owner task. If the peer disconnects, hypercorn cancels the handler, and that ends the session.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial
from typing import Final

import trio
from quart import Response, jsonify, websocket
from quart.wrappers import Request, Websocket
from quart_trio import QuartTrio

from scramble.crossword import Game, MatchView, SessionView
from scramble.crossword.exchange import match_text
from scramble.crossword.frames import view_frame
from scramble.crossword.statetable import MAX_LINE, is_id
from scramble.front.crossword.dialogue import NOT_TEXT, OVERLONG, DialogueLimits, NoLine, converse, quota_of
from scramble.front.crossword.front import CrosswordFront, CurrentCrossword
from scramble.front.identity import Speaker
from scramble.front.site import SiteConfig, add_site, serve_site
from scramble.front.web.seats import accept, close_reason_of, known_player
from scramble.front.web.websocket import BesideTask
from scramble.kernel.seats import ListNames
from scramble.plaintext import harmless
from scramble.server.http.closing import CloseReason, WebSocketCloser
from scramble.server.http.errors import NOT_KEPT, TEXT, add_refusals
from scramble.server.http.inbox import LeanQuart, receive_frame
from scramble.server.listening import Address

BINARY = NoLine("A command is a text frame, not a binary one.", NOT_TEXT)


def make_crossword_app(
    lobby: Game,
    *,
    telnet_port: int | None = None,
    limits: DialogueLimits | None = None,
    site: SiteConfig | None = None,
) -> QuartTrio:
    """Make an ASGI application with the page of an open lobby; any number may serve one lobby.

    `telnet_port` is the port at which telnet serves the same lobby: the page shows it. `limits` are those of a
    connection, and `site` is as for `serve_http` of Memory Scramble.
    """
    site = site or SiteConfig()
    front = CrosswordFront(lobby, telnet_port=telnet_port, dialogue_limits=limits, limits=site.protection.limits)
    app = make_bare_app(lambda: front)
    add_site(app, "crossword", lobby, site, lambda _: None)  # players identify themselves later, in their sessions
    return app


def make_bare_app(current: CurrentCrossword) -> QuartTrio:
    """Make an ASGI application with the WebSocket of the lobby, and without the common parts of a site."""
    app = LeanQuart("scramble", static_folder=None)
    add_sessions(app, current)
    add_refusals(app)

    @app.get("/server")
    async def server() -> Response:
        front = current()
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

    Runs until cancelled, or until `stop()` returns; the lobby goes on without it. `port=0` is any free port. The other
    arguments are as for `make_crossword_app`.

    Raises CannotListen, an OSError, if the address cannot be bound.
    """
    site = site or SiteConfig()
    app = make_crossword_app(lobby, telnet_port=telnet_port, site=site)
    await serve_site(app, site, host=host, port=port, stop=stop, task_status=task_status)


def add_sessions(app: QuartTrio, current: CurrentCrossword) -> None:
    """Add `/play` to `app`. It needs no task of its own; connections are closed when the lobby is."""

    @app.websocket("/play")
    async def play() -> None:
        await _serve(current(), None)


def add_seated_sessions(app: QuartTrio, current: CurrentCrossword) -> None:
    """Add `/play/PLAYER` to an `app` of lobbies of one match: a session that begins with that player in the match.

    For applications in which the seats, or nothing, say who may be that player.
    """

    @app.websocket("/play/<player>")
    async def play_seated(player: str) -> None:
        await _serve(current(), player)


def add_match_text(app: QuartTrio, current: CurrentCrossword, title_of: Callable[[], str]) -> None:
    """Add `GET /match.txt` to an `app` of lobbies of one match: the match as text, as everybody may see it.

    `title_of` returns the first line.
    """

    @app.get("/match.txt")
    async def match() -> Response:
        game = current().game
        view, names = await game.spectate(), await game.ask(ListNames())
        shown = view.match if view.result is None else view.result.match
        if isinstance(shown, MatchView):
            return Response(match_text(shown, view.result, title_of(), view.solution, names), 200, TEXT)
        return Response(f"{harmless(title_of())}\nThe match has not begun.\n", 200, TEXT)


def speaker_of(request: Request | Websocket) -> Speaker | None:
    """Return the player that the path names, if it names one."""
    player = (request.view_args or {}).get("player")
    return Speaker(player) if player and is_id(player) else None


async def _serve(front: CrosswordFront, player: str | None) -> None:
    """Serve the WebSocket at hand, for a player who is known, or says the ID in the session."""
    closer = WebSocketCloser(receive_frame, websocket.close)
    refused = await accept()
    try:
        if refused is not None:
            await closer.close(close_reason_of(refused))
            return
        await closer.close(await _converse(front, player))
    finally:
        await closer.say_farewell()


async def _converse(front: CrosswordFront, player: str | None) -> CloseReason:
    """Hold a dialogue; as soon as it has a player, that one is counted, and what is beside it begins."""
    client = websocket.scope["client"]  # behind a proxy, whom that names: see `guard`
    quota = quota_of(client[0] if client else "", front.limits)
    names = known_player(front.game.ask)
    async with trio.open_nursery() as nursery:
        session = _Session(nursery)
        with ExitStack() as beside:
            is_counted = False

            async def send(view: SessionView) -> None:
                nonlocal is_counted
                await session.send(view_frame(view).decode())
                if view.player is not None and not is_counted:
                    is_counted = True
                    beside.enter_context(front.attend(view.player))
                    for begin in front.beside(view.player):
                        leave = begin(session)
                        if leave is not None:
                            beside.callback(leave)

            await session.until_ended(
                partial(converse, front.game, _receive, send, front.dialogue_limits, names, quota, player=player)
            )
    return session.reasons[0]


class _Session:
    """The WebSocket at hand, as a link for what it has beside its dialogue."""

    # AF: a WebSocket whose tasks are in _nursery, and which is to be closed for the first of `reasons`.

    outlet = None  # views go the ordinary way

    def __init__(self, nursery: trio.Nursery) -> None:
        self.reasons: Final[list[CloseReason]] = []
        self._nursery: Final = nursery
        self._send: Final = websocket.send

    async def send(self, frame: str) -> None:
        """Send a frame."""
        await self._send(frame)

    def start_soon(self, task: BesideTask) -> None:
        """Run a task until the session ends."""
        self._nursery.start_soon(self.until_ended, task)

    async def until_ended(self, task: BesideTask) -> None:
        """Run a task; if it returns a reason, the session ends."""
        reason = await task()
        if reason is not None:
            self.reasons.append(reason)
            self._nursery.cancel_scope.cancel()


async def _receive() -> str | NoLine:
    frame = await receive_frame()
    if not isinstance(frame, str):
        return BINARY
    return frame if len(frame) <= MAX_LINE else OVERLONG
