"""The browser pages: the files of client/. The server reads them once at start-up, and serves them from memory.

No request reaches the file system, so no request can read a file outside client/.

If there are bundles of these files (scramble/bundling.py), a page loads its bundle: one script and one style sheet
instead of many. Their addresses contain a hash of their content, so browsers keep them for ever. The HTML contains the
icons that the page shows, so the page needs no requests for them.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import quote

from quart import Response, request
from quart_trio import QuartTrio

from scramble.bundling import WORKER, are_current
from scramble.resources import BUNDLES, CLIENT
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

ANEW = "no-cache"  # a browser asks each time, and mostly gets 304
A_DAY = "max-age=86400"
FOR_EVER = "public, max-age=31536000, immutable"

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
    """A file of client/ with its headers, plain and compressed."""

    def __init__(self, file: Path, body: bytes | None = None, *, replay: bool = False, kept: str | None = None) -> None:
        """Use `body` as the content. If `body` is None, read the file; this blocks.

        `kept` says how long browsers keep the file. If it is None, they keep a picture for a day, and ask for others.
        """
        self.body = file.read_bytes() if body is None else body
        if replay:
            self.body = self.body.replace(REPLAY_LINK + b" hidden", REPLAY_LINK)
        kind = TYPES[file.suffix]
        is_text = file.suffix not in (".png", ".woff2")
        self.headers = {
            **SECURITY,
            "Content-Type": f"{kind}; charset=utf-8" if kind.startswith(("text/", "image/svg")) else kind,
            "Cache-Control": kept or (A_DAY if kind.startswith("image/") else ANEW),
            **({"Vary": "Accept-Encoding"} if is_text else {}),
        }
        if file == CLIENT / WORKER:
            self.headers["Service-Worker-Allowed"] = "../../"
        self._packed = packed(self.body) if is_text else None

    async def response(self) -> Response:
        """Answer the current request: 200, or 304 if the browser has the file already (RFC 9110, 13.1.2)."""
        return await answer(self.body, self._packed, self.headers)


def packed(body: bytes, level: int = 9) -> bytes:
    """Return `body`, compressed. `level` is from 1, quick, to 9, short."""
    return gzip.compress(body, level, mtime=0)


async def answer(body: bytes, compressed: bytes | None, headers: Mapping[str, str]) -> Response:
    """Answer the current request with `body`, or with its `compressed` form if there is one and the client takes it."""
    more = {}
    if compressed is not None and request.accept_encodings.quality("gzip") > 0:
        body, more = compressed, {"Content-Encoding": "gzip"}
    tag = {"ETag": f'"{short_hash(body)}"'}
    return await Response(body, 200, {**headers, **more, **tag}).make_conditional(request)


def short_hash(body: bytes) -> str:
    """Return a hash of the content of a file, for its address and its ETag."""
    return hashlib.sha256(body).hexdigest()[:16]


HEAD_END: Final = b"  </head>\n"

ICON: Final = re.compile(rb'(?<=<img src=")client/([\w-]+)/icon\.svg(?=")')
"""The address of an icon that a page shows. Addresses in the page's head are different: browsers load them later."""


def with_icons(html: bytes, folders: Mapping[str, Path]) -> bytes:
    """Return the HTML of a page with its icons in place of their addresses. Blocks."""
    return ICON.sub(lambda found: icons([found[1].decode()], folders).get(found[1].decode(), "").encode(), html)


def icons(games: Iterable[str], folders: Mapping[str, Path]) -> dict[str, str]:
    """Return the icons of games as data URLs, by game. Games without an icon are not in the result. Blocks."""
    files = {game: page_file(f"{game}/icon.svg", folders) for game in games}
    return {game: _data_url(file.read_text(encoding="utf-8")) for game, file in files.items() if file.is_file()}


def _data_url(svg: str) -> str:
    return "data:image/svg+xml," + quote(" ".join(svg.split()), safe=" /:;=(),'")


HEAD_FILES: Final = re.compile(
    rb' *(?:<link rel="(?:stylesheet|modulepreload)"|<script type="module"|<!-- (?:Load|game\.js))[^\n]*\n'
)
"""A line of a page's head that the page does not need if it has a bundle."""

LOADING: Final = "shared/loading.js"

HASHED: Final = re.compile(r"\.[0-9a-f]{16}(?=\.(js|css)$)")
"""The hash of the content in an address. For a hash of another version of the server, this version is the answer."""


@cache
def bundles() -> Mapping[str, bytes]:
    """Return the bundles by their names, such as lobby.js. Empty if they are not of the files of client/. Blocks.

    With SCRAMBLE_BUNDLES=off a server has none: then a debugger shows the files of client/.
    """
    if os.environ.get("SCRAMBLE_BUNDLES") == "off" or not are_current():
        return {}
    return {file.name: file.read_bytes() for file in BUNDLES.iterdir() if file.suffix in TYPES}


ALL_GAMES: Final = ("classroom", "lobby", "replay")
"""Pages that load modules of any game."""


def with_bundle(html: bytes, page: str, folders: Mapping[str, Path]) -> bytes:
    """Return the HTML of a page with its bundle in place of its files, if it has one. Blocks.

    A module of a game in `folders` imports modules of client/. In a page with a bundle it would get second copies of
    them. So a page that may load such a module has no bundle: the game's own page, and the pages in `ALL_GAMES`.
    """
    found = bundles()
    if f"{page}.js" not in found or page in folders or (folders and page in ALL_GAMES):
        return html
    script, sheet = (f"client/bundles/{page}.{short_hash(found[f'{page}.{kind}'])}.{kind}" for kind in ("js", "css"))
    lines = f"""    <link rel="stylesheet" href="{sheet}" />
    <script type="module" src="{script}" blocking="render"></script>
"""
    before, _, after = html.partition(HEAD_END)
    return HEAD_FILES.sub(b"", before).replace(*_loading()) + lines.encode() + HEAD_END + after


@cache
def _loading() -> tuple[bytes, bytes]:
    """Return the address of the script that all pages load first, and its address with a hash. Blocks."""
    found = short_hash((CLIENT / LOADING).read_bytes())
    return f"client/{LOADING}".encode(), f"client/{LOADING.replace('.', f'.{found}.')}".encode()


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
    if own.is_file():
        return with_icons(with_bundle(own.read_bytes(), game, folders), folders)
    return with_icons((CLIENT / PLAIN_PAGE).read_bytes().replace(GAME, game.encode()), folders)


def add_pages(app: QuartTrio, game: str, *, replay: bool = False, folders: Mapping[str, Path] = NO_FOLDERS) -> None:
    """Serve the page of the game at `/`, and all files of client/ and of `folders` at `/client/...`.

    `replay`: the server has the game's replay, too, and the page links to it. Blocks while it reads the files.
    """
    index = Page(page_file(f"{game}/index.html", folders), game_page(game, folders), replay=replay)
    add_files(app, folders)

    @app.get("/")
    async def root() -> Response:
        return await index.response()


def add_files(app: QuartTrio, folders: Mapping[str, Path] = NO_FOLDERS) -> None:
    """Serve all files of client/ and of `folders` at `/client/...`. Blocks while it reads the files."""
    pages = _files("", CLIENT)
    for name, folder in folders.items():
        pages |= _files(f"{name}/", folder)
    pages[_loading()[1].decode().removeprefix("client/")] = Page(CLIENT / LOADING, kept=FOR_EVER)
    for name, body in bundles().items():
        stem, _, kind = name.partition(".")
        pages[f"bundles/{stem}.{short_hash(body)}.{kind}"] = Page(BUNDLES / name, body, kept=FOR_EVER)
        pages[f"bundles/{name}"] = Page(BUNDLES / name, body, kept=FOR_EVER if kind == "woff2" else None)
    if "offline.js" in bundles():
        pages[WORKER] = Page(CLIENT / WORKER, bundles()["offline.js"])

    @app.get("/client/<path:name>")
    async def asset(name: str) -> Response:
        page = pages.get(name) or pages.get(HASHED.sub("", name))
        return await page.response() if page else Response("no such page\n", 404, TEXT)


def _files(prefix: str, folder: Path) -> dict[str, Page]:
    return {
        prefix + file.relative_to(folder).as_posix(): Page(file)
        for file in folder.rglob("*")
        if file.is_file() and file.suffix in TYPES
    }
