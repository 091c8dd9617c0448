"""The replay of a game in the browser: its page, `/replay`, and what the page is made of, `/replay/data`.

    GET /replay                the page
    GET /replay/data           the overview: how long, who, who had how much when
    GET /replay/data?from=SEQ  the piece with the command after number SEQ

A game that is kept in a journal serves this beside its own page; `serve_replay` serves it alone, from a file that
nobody need be playing. docs/reference/replay.md has the data. What is told was public when it happened, whoever asks.

Safe under concurrency because it has no state: what pages share is the `Archive`.
"""

from __future__ import annotations

import gzip
from collections.abc import Awaitable, Callable

import trio
from quart import Response, request
from quart_trio import QuartTrio

from scramble.errors import InvalidCommand, ScrambleError
from scramble.front.archive import Archive
from scramble.front.pages import SECURITY, add_pages, add_refusals, page_of
from scramble.front.server import Address, serve_app

MAX_DIGITS = 15  # of a number of a command; longer ones are no numbers that a page could have

HEADERS = {
    **SECURITY,
    "Content-Type": "application/json",
    "Cache-Control": "no-store",  # another game may be at this address tomorrow
}


def add_replay(app: QuartTrio, archive: Archive, *, beside: bool = True) -> None:
    """Add `/replay` and `/replay/data` to `app`; `beside` is whether it serves the game's own page, too."""
    page = page_of("replay/index.html", replay=beside)

    @app.get("/replay")
    async def replay() -> Response:
        return page.response()

    @app.get("/replay/data")
    async def data() -> Response:
        start = request.args.get("from")
        try:
            if start is None:
                return _json(await archive.overview())
            if not (start.isascii() and start.isdigit() and len(start) <= MAX_DIGITS):
                raise InvalidCommand("from must be the number of a command")
            piece = await archive.piece(int(start))
        except ScrambleError as error:
            return _text(str(error), error.status)
        return _text("there is no such command yet", 404) if piece is None else _json(piece)


def make_replay_app(archive: Archive) -> QuartTrio:
    """An ASGI application with the replay of a recording, and nothing else."""
    app = QuartTrio("scramble", static_folder=None)
    add_replay(app, archive, beside=False)
    add_refusals(app)
    add_pages(app, "replay")
    return app


async def serve_replay(
    archive: Archive,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve the replay of a recording: `address = await nursery.start(partial(serve_replay, archive))`.

    Runs until cancelled, or until `stop()` returns. `port=0` is any free port. Raises CannotListen, an OSError, if the
    address cannot be bound.
    """
    await serve_app(make_replay_app(archive), host=host, port=port, stop=stop, task_status=task_status)


def _json(zipped: bytes) -> Response:
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        return Response(zipped, 200, HEADERS | {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"})
    return Response(gzip.decompress(zipped), 200, HEADERS)


def _text(line: str, status: int) -> Response:
    return Response(f"{line}\n", status, HEADERS | {"Content-Type": "text/plain; charset=utf-8"})
