"""The browser pages: the files of client/. The server reads them once at start-up, and serves them from memory.

No request reaches the file system, so no request can read a file outside client/.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from quart import Response, request
from quart_trio import QuartTrio

from scramble.resources import CLIENT
from scramble.server.http.errors import NOSNIFF, TEXT

# The operating system may not know these content types. Browsers reject a JavaScript module with another type.
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".html": "text/html",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
}

WORKER = "offline/worker.js"
"""The script of the site's service worker. It may control the whole site: the site's root is two folders above it."""

SECURITY = {
    # All parts come from this server: no inline script, no CDN. The policy lists ws: and wss: because in some browsers
    # 'self' does not include WebSockets.
    "Content-Security-Policy": "default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    "Referrer-Policy": "no-referrer",
    **NOSNIFF,
}


REPLAY_LINK = b'id="replay-link"'
"""The link between a game's page and its replay. It is hidden unless the server has both."""


class Page:
    """A file of client/ with its headers. Browsers request the file each time, and mostly get 304."""

    def __init__(self, file: Path, body: bytes | None = None, *, replay: bool = False) -> None:
        """Use `body` as the content. If `body` is None, read the file; this blocks."""
        self.body = file.read_bytes() if body is None else body
        if replay:
            self.body = self.body.replace(REPLAY_LINK + b" hidden", REPLAY_LINK)
        kind = TYPES[file.suffix]
        self.headers = {
            **SECURITY,
            "Content-Type": f"{kind}; charset=utf-8" if kind.startswith(("text/", "image/svg")) else kind,
            "Cache-Control": "no-cache",
            "ETag": f'"{hashlib.sha256(self.body).hexdigest()[:16]}"',
        }
        if file == CLIENT / WORKER:
            self.headers["Service-Worker-Allowed"] = "../../"

    async def response(self) -> Response:
        """Answer the current request: 200, or 304 if the browser has the file already (RFC 9110, 13.1.2)."""
        return await Response(self.body, 200, self.headers).make_conditional(request)


PLAIN_PAGE: Final = "shared/plain.html"
"""The page of a game that has only the files `GAME.js`, `GAME.css` and `icon.svg`."""

GAME: Final = b"{game}"
"""The place of the game's name in the plain page."""

NO_FOLDERS: Final[Mapping[str, Path]] = {}


def page_file(name: str, folders: Mapping[str, Path] = NO_FOLDERS) -> Path:
    """Return the file with the path `name` below client/. `folders` are the folders of plug-in games, by name."""
    game, _, rest = name.partition("/")
    return folders[game] / rest if game in folders else CLIENT / name


def game_page(game: str, folders: Mapping[str, Path] = NO_FOLDERS) -> bytes:
    """Return the HTML of a game's page: its index.html, or else the plain page with the game's files. Blocks."""
    own = page_file(f"{game}/index.html", folders)
    return own.read_bytes() if own.is_file() else (CLIENT / PLAIN_PAGE).read_bytes().replace(GAME, game.encode())


def page_of(name: str, *, replay: bool) -> Page:
    """Return the page with the path `name` below client/. `replay`: the server has both the game and its replay."""
    return Page(CLIENT / name, replay=replay)


def add_pages(app: QuartTrio, game: str, *, replay: bool = False, folders: Mapping[str, Path] = NO_FOLDERS) -> None:
    """Serve the page of the game at `/`, and all files of client/ and of `folders` at `/client/...`.

    `replay`: the server has the game's replay, too, and the page links to it. Blocks while it reads the files.
    """
    pages = _files("", CLIENT)
    for name, folder in folders.items():
        pages |= _files(f"{name}/", folder)
    index = Page(page_file(f"{game}/index.html", folders), game_page(game, folders), replay=replay)

    @app.get("/")
    async def root() -> Response:
        return await index.response()

    @app.get("/client/<path:name>")
    async def asset(name: str) -> Response:
        page = pages.get(name)
        return await page.response() if page else Response("no such page\n", 404, TEXT)


def _files(prefix: str, folder: Path) -> dict[str, Page]:
    return {
        prefix + file.relative_to(folder).as_posix(): Page(file)
        for file in folder.rglob("*")
        if file.is_file() and file.suffix in TYPES
    }
