"""The browser pages: what lies in client/, read once at start-up and served from memory.

There is no path from a request to the file system, so nothing outside client/ can be asked for.
"""

from __future__ import annotations

import hashlib
import mimetypes
from pathlib import Path

from quart import Response, request
from quart_trio import QuartTrio
from werkzeug.exceptions import HTTPException
from werkzeug.routing import WebsocketMismatch

from scramble.front.answers import NOSNIFF, TEXT
from scramble.resources import CLIENT

# Said here because a machine's own table of types may lack them, and a module of another type does not run.
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}

SECURITY = {
    # Everything comes from this server: no inline script, no CDN. The sockets are named for browsers to whom
    # 'self' does not cover ws:.
    "Content-Security-Policy": "default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    "Referrer-Policy": "no-referrer",
    **NOSNIFF,
}


REPLAY_LINK = b'id="replay-link"'
"""The link from a game's page to its replay, and from there back; hidden, unless both are served."""


class Page:
    """A file of client/ as it goes over the wire; browsers ask again each time, and mostly hear 304."""

    def __init__(self, file: Path, *, replay: bool = False) -> None:
        self.body = file.read_bytes()
        if replay:
            self.body = self.body.replace(REPLAY_LINK + b" hidden", REPLAY_LINK)
        kind = TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        self.etag = f'"{hashlib.sha256(self.body).hexdigest()[:16]}"'
        self.headers = {
            **SECURITY,
            "Content-Type": f"{kind}; charset=utf-8" if kind.startswith(("text/", "image/svg")) else kind,
            "Cache-Control": "no-cache",
            "ETag": self.etag,
        }

    def response(self) -> Response:
        if self.etag in request.headers.get("If-None-Match", ""):
            return Response(b"", 304, self.headers)
        return Response(self.body, 200, self.headers)


def page_of(name: str, *, replay: bool) -> Page:
    """A file of client/, by its path there; `replay` is whether a game and its replay are served side by side."""
    return Page(CLIENT / name, replay=replay)


def add_pages(app: QuartTrio, game: str, *, replay: bool = False) -> None:
    """Serve client/<game>/index.html at `/` and every file of client/ at `/client/...`.

    `replay` is whether the game's replay is served as well: then its page says where.
    """
    pages = {
        file.relative_to(CLIENT).as_posix(): Page(file)
        for file in CLIENT.rglob("*")
        if file.is_file() and file.suffix in {*TYPES, ".png", ".ico", ".webmanifest"}
    }
    index = Page(CLIENT / game / "index.html", replay=replay)

    @app.get("/")
    async def root() -> Response:
        return index.response()

    @app.get("/client/<path:name>")
    async def asset(name: str) -> Response:
        page = pages.get(name)
        return page.response() if page else Response("no such page\n", 404, TEXT)


def add_refusals(app: QuartTrio) -> None:
    """Have `app` answer what it cannot in a line of text instead of a page of werkzeug's."""

    @app.errorhandler(HTTPException)
    async def not_understood(error: HTTPException) -> Response:
        status = error.code or 500
        reason = error.name.lower()
        if isinstance(error, WebsocketMismatch):
            reason = "this address is for WebSockets"
        elif status == 404:
            reason = "no such page"
        elif status == 405:
            reason = f"{request.method} is not possible here"
        allow = [value for name, value in error.get_headers() if name == "Allow"]
        return Response(f"{reason}\n", status, TEXT | ({"Allow": allow[0]} if allow else {}))
