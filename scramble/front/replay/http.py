"""Replay of a game in the browser: the page `/replay`, and the page's data `/replay/data`.

    GET /replay                the page
    GET /replay/data           the overview: the length, the players, and the scores over time
    GET /replay/data?from=SEQ  the piece with the command after number SEQ

The server of a game with a journal serves both the game's page and its replay. `serve_replay` serves only a replay,
from the file of a running or ended game. docs/reference/replay.md describes the data. All clients get the same data,
because the data was public during the game.

Safe under concurrency because it has no state: pages share the `Archive`.
"""

from __future__ import annotations

import gzip
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import trio
from quart import Response, request
from quart_trio import QuartTrio

from scramble.errors import InvalidCommand, ScrambleError
from scramble.front.replay.archive import Archive
from scramble.front.web.pages import NO_FOLDERS, SECURITY, Page, add_pages, game_page
from scramble.resources import CLIENT
from scramble.server.asgi import quart_app
from scramble.server.http.errors import add_refusals
from scramble.server.http.server import serve_app
from scramble.server.listening import Address
from scramble.server.protection.middleware import Protection

MAX_SEQ_DIGITS = 15  # limit for the number of a command; every recording has fewer commands

REPLAY_HEADERS = {
    **SECURITY,
    "Content-Type": "application/json",
    "Cache-Control": "no-store",  # another game may have this address later
}


def add_replay(
    app: QuartTrio, archive: Archive, *, beside: bool = True, pages: Mapping[str, Path] = NO_FOLDERS
) -> None:
    """Add `/replay` and `/replay/data` to `app`. Blocks while it reads the page.

    `beside`: `app` also serves the game's own page. `pages` are the folders of pages outside client/.
    """
    page = Page(CLIENT / "replay" / "index.html", game_page("replay", pages), replay=beside)

    @app.get("/replay")
    async def replay() -> Response:
        return await page.response()

    add_replay_data(app, lambda: archive)


def add_replay_data(app: QuartTrio, current: Callable[[], Archive]) -> None:
    """Add `/replay/data` to `app`.

    `current` returns the recording for the current request. If it raises a ScrambleError, the error is the answer.
    """

    @app.get("/replay/data")
    async def data() -> Response:
        start = request.args.get("from")
        try:
            archive = current()
            if start is None:
                return _json(await archive.overview())
            if not (start.isascii() and start.isdigit() and len(start) <= MAX_SEQ_DIGITS):
                raise InvalidCommand("from must be the number of a command")
            piece = await archive.piece(int(start))
        except ScrambleError as error:
            return _text(str(error), error.status)
        return _text("there is no such command yet", 404) if piece is None else _json(piece)


def make_replay_app(archive: Archive, pages: Mapping[str, Path] = NO_FOLDERS) -> QuartTrio:
    """Make an ASGI application with only the replay of a recording.

    `pages` are the folders of pages outside client/, by the names of their games.
    """
    app = quart_app()
    add_replay(app, archive, beside=False, pages=pages)
    add_refusals(app)
    add_pages(app, "replay", folders=pages)
    return app


async def serve_replay(
    archive: Archive,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    host_names: Sequence[str] = (),
    pages: Mapping[str, Path] = NO_FOLDERS,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve the replay of a recording: `address = await nursery.start(partial(serve_replay, archive))`.

    Runs until it is cancelled, or until `stop()` returns. `port=0` selects any free port. `pages` are the folders of
    pages outside client/, by the names of their games. `host_names` are names of this server in addition to this
    machine's names: the server refuses requests to other names. Raises CannotListen, an OSError, if the address cannot
    be bound.
    """
    protection = Protection(host_names=tuple(host_names))
    app = make_replay_app(archive, pages)
    await serve_app(app, host=host, port=port, protection=protection, stop=stop, task_status=task_status)


def _json(zipped: bytes) -> Response:
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        return Response(zipped, 200, REPLAY_HEADERS | {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"})
    return Response(gzip.decompress(zipped), 200, REPLAY_HEADERS)


def _text(line: str, status: int) -> Response:
    return Response(f"{line}\n", status, REPLAY_HEADERS | {"Content-Type": "text/plain; charset=utf-8"})
