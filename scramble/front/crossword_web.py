"""Crossword Extravaganza in the browser: the page, and its WebSocket `/play`, where one connection is one session.

    address = await nursery.start(partial(serve_crossword_http, lobby, port=8080))

A frame that comes in is a command line as a player types it; a frame that goes out is a view as one JSON object, made
of the view and of nothing else. docs/reference/crossword.md has both. This module translates, and knows no rule; what
it shares with telnet stands in `crossword_dialogue`.

Safe under concurrency because it has no state: a connection's handler is a task of its own, which asks the lobby's
owner task. If the peer goes away, hypercorn cancels the handler, and that is what ends the session.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio
from quart import Response, jsonify, websocket
from quart_trio import QuartTrio

from scramble.crossword import OpenLobby, SessionView
from scramble.crossword.statetable import MAX_LINE
from scramble.crossword.wire import view_frame
from scramble.front.answers import NOT_KEPT
from scramble.front.around import Around, add_around
from scramble.front.connection import Closer
from scramble.front.crossword_dialogue import NOT_TEXT, OVERLONG, Limits, NoLine, converse
from scramble.front.inbox import receive_frame
from scramble.front.pages import add_refusals
from scramble.front.seats import accept, ending_of, visitor
from scramble.front.server import Address, serve_app

BINARY = NoLine("A command is a text frame, not a binary one.", NOT_TEXT)


def make_crossword_app(
    lobby: OpenLobby,
    *,
    telnet_port: int | None = None,
    limits: Limits | None = None,
    around: Around | None = None,
) -> QuartTrio:
    """An ASGI application with the page of an open lobby; any number may serve one lobby.

    `telnet_port` is where the same lobby is served to telnet: the page tells its readers. `limits` are those of a
    session, and `around` is as for `serve_http` of Memory Scramble.
    """
    app = QuartTrio("scramble", static_folder=None)
    add_sessions(app, lobby, limits=limits)
    add_refusals(app)
    add_around(app, "crossword", lobby, around or Around(), lambda _: None)  # players say who they are later on

    @app.get("/server")
    async def server() -> Response:
        response = jsonify(grace=lobby.grace, telnet=telnet_port)
        response.headers.update(NOT_KEPT)
        return response

    return app


async def serve_crossword_http(
    lobby: OpenLobby,
    host: str = "127.0.0.1",
    port: int = 8080,
    *,
    telnet_port: int | None = None,
    around: Around | None = None,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve the page of an open lobby: `address = await nursery.start(serve_crossword_http, lobby)`.

    Runs until cancelled, or until `stop()` returns; the lobby goes on without it. `port=0` is any free port. The other
    arguments are as for `make_crossword_app`.

    Raises CannotListen, an OSError, if the address cannot be bound.
    """
    around = around or Around()
    app = make_crossword_app(lobby, telnet_port=telnet_port, around=around)
    await serve_app(
        app,
        host=host,
        port=port,
        protection=around.protection,
        traffic=around.traffic,
        stop=stop,
        task_status=task_status,
    )


def add_sessions(app: QuartTrio, lobby: OpenLobby, *, limits: Limits | None = None) -> None:
    """Add `/play` to `app`. It needs no task of its own; connections are closed when the lobby is."""

    async def receive() -> str | NoLine:
        frame = await receive_frame()
        if not isinstance(frame, str):
            return BINARY
        return frame if len(frame) <= MAX_LINE else OVERLONG

    async def send(view: SessionView) -> None:
        await websocket.send(view_frame(view).decode())

    @app.websocket("/play")
    async def play() -> None:
        closer = Closer(receive_frame, websocket.close)
        refused = await accept()
        try:
            if refused is not None:
                await closer.close(ending_of(refused))
                return
            await closer.close(await converse(lobby, receive, send, limits, visitor(lobby.ask)))
        finally:
            await closer.say_farewell()
