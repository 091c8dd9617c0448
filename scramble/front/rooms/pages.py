"""Pages of rooms: a game's page at `/g/NAME`, and the refusal page for wrong links and rooms that cannot be entered.

The pages of all rooms of one kind differ only in their head. All rooms share the site's stylesheets and modules, so a
browser loads each file once. All addresses are relative, because a proxy may serve the site below a path.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from typing import Final

from quart import Response, has_request_context, request
from quart_trio import QuartTrio
from werkzeug.exceptions import NotFound

from scramble.errors import Refusal
from scramble.front.web.page_data import answer_with
from scramble.front.web.pages import ANEW, NO_FOLDERS, REPLAY_LINK, SECURITY, answer, packed, with_bundle, with_icons
from scramble.resources import CLIENT
from scramble.server.http.errors import NOT_KEPT, TEXT

HEAD: Final = b"<head>\n"
ASSETS: Final = b'="client/'

MANIFEST: Final = re.compile(rb'"client/\w+/manifest\.webmanifest"')
"""A page's link to the manifest of an installable app. A room's page has the lobby's manifest: so the browser installs
the whole site, with the lobby as its start page."""

WEB: Final = re.compile(r"\s*text/html\s*(;|$)", re.IGNORECASE)

PAGE_HEADERS: Final = {
    **SECURITY,
    "Content-Security-Policy": SECURITY["Content-Security-Policy"].replace("base-uri 'none'", "base-uri 'self'"),
    "Content-Type": "text/html; charset=utf-8",
}

TITLES: Final = {
    "no-such-page": "There is nothing here",
    "no-replay": "There is no replay",
    "no-replay-yet": "The replay comes later",
    "no-such-room": "There is no such game",
    "room-lost": "This game may be lost",
    "room-removed": "This game is over and gone",
    "room-closed": "This game was closed",
    "room-broken": "This game has failed",
    "memory-full": "This server is full",
    "awake-full": "This server is full",
    "room-damaged": "This game cannot be opened",
    "moved": "One moment",
    "stopped": "This game has stopped",
    "closed": "The server is stopping",
}


NEXT: Final = 'href="next" hidden'
"""The link of the refusal page to the room of the next game."""


class RoomPage:
    """An HTML page for all rooms of a kind."""

    # AF: the page _body, and the page _with_replay: the same page with a visible link to the replay. Both pages are
    #     without the room's head.

    def __init__(self, page: bytes) -> None:
        """`page` is the page of a game on a server of one game."""
        page = MANIFEST.sub(b'"client/lobby/manifest.webmanifest"', page)
        self._body: Final = page.replace(ASSETS, b'="../../client/')
        self._with_replay: Final = self._body.replace(REPLAY_LINK + b" hidden", REPLAY_LINK)

    async def response(
        self, room: str, base: str, *, replay: bool, answers: Mapping[str, object] | None = None
    ) -> Response:
        """Return the answer to the current request. The page contains `answers`, and then no cache keeps it.

        With None, the page is the same for all clients. The answer is 200, or 304 if the browser has the page already.
        `base` is the room's address, for a browser that resolves relative addresses from another address. Otherwise
        `base` is empty. With `replay` the page has a link between the game and its replay.
        """
        own = f'{HEAD.decode()}    <meta name="room" content="{html.escape(room)}" />\n'
        if base:
            own += f'    <base href="{html.escape(base)}" />\n'
        body = (self._with_replay if replay else self._body).replace(HEAD, own.encode(), 1)
        if answers is not None:
            return await answer_with(body, answers, PAGE_HEADERS)
        return await answer(body, packed(body), {**PAGE_HEADERS, "Cache-Control": ANEW, "Vary": "Accept-Encoding"})


class RefusalPage:
    """The page for people with a wrong link, or with a link to a room that cannot be entered."""

    # AF: the page with the template _text.

    def __init__(self) -> None:
        """Read the page's file. Blocks."""
        page = (CLIENT / "rooms" / "refused.html").read_bytes()
        self._text: Final = with_icons(with_bundle(page, "rooms", NO_FOLDERS), NO_FOLDERS).decode()

    def body(self, code: str, words: str, path: str, successor: str | None = None) -> bytes:
        """Return the page with the text `words` for the address `path` and the refusal `code`.

        The page has a link to the room `successor`, the room of the next game.
        """
        words = words[:1].upper() + words[1:]
        root = "../" * (path.count("/") - 1)
        text = self._text.replace('="client/', f'="{root}client/').replace('href="./"', f'href="{root or "./"}"')
        if successor is not None:
            text = text.replace(NEXT, f'href="{root}g/{html.escape(successor)}"')
        title = TITLES.get(code, "This game cannot be entered")
        home = "button button-primary" if successor is None else "button"
        for name, value in {"title": title, "words": words, "code": code, "home": home}.items():
            text = text.replace(f"{{{name}}}", html.escape(value))
        return text.encode()


def wants_page(accept: str) -> bool:
    """Return True if a client with this `Accept` header is a browser that displays the answer as a page."""
    return any(WEB.match(item) for item in accept.split(","))


def add_refusal_page(app: QuartTrio, *refusals: type[Refusal], root: Callable[[], str] = lambda: "") -> None:
    """Add error handlers to `app`: browsers get a refusal page, and programs get a line of text.

    The handlers answer requests for unknown addresses, and the errors `refusals`. `root` returns the path of the
    application for the current request. Blocks while it reads the page.
    """
    page = RefusalPage()

    def answer(code: str, words: str, status: int) -> Response:
        if has_request_context() and wants_page(request.headers.get("Accept", "")):  # a WebSocket has no request
            return Response(page.body(code, words, root() + request.path), status, {**PAGE_HEADERS, **NOT_KEPT})
        return Response(f"{words}\n", status, TEXT)

    async def nothing_there(_: NotFound) -> Response:
        return answer("no-such-page", "no such page", 404)

    async def refused(error: Refusal) -> Response:
        return answer(error.code, str(error), error.status)

    app.register_error_handler(NotFound, nothing_there)
    for kind in refusals:
        app.register_error_handler(kind, refused)
