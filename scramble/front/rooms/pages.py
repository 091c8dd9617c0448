"""Pages of rooms: the page of a game at `/g/NAME`, and the page that says why a room cannot be entered.

The pages of all rooms of one kind differ in their head only. Their stylesheets and modules are those of the whole site,
so that a browser loads them once. All addresses are relative, for servers behind a proxy that has them below a path.
"""

from __future__ import annotations

import hashlib
import html
import re
from typing import Final

from quart import Response, request

from scramble.front.web.pages import REPLAY_LINK, SECURITY
from scramble.resources import CLIENT

HEAD: Final = b"<head>\n"
ASSETS: Final = b'="client/'

MANIFEST: Final = re.compile(rb'"client/\w+/manifest\.webmanifest"')
"""What installs a page as an app. From a room one installs the whole site, whose page is the lobby."""

HEADERS: Final = {
    **SECURITY,
    "Content-Security-Policy": SECURITY["Content-Security-Policy"].replace("base-uri 'none'", "base-uri 'self'"),
    "Content-Type": "text/html; charset=utf-8",
}

TITLES: Final = {
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
    """An HTML file of client/, as it is served in every room of a kind."""

    # AF: the page _body, and _with_replay, in which the link to the replay is visible; both without what is the room's.

    def __init__(self, name: str) -> None:
        """`name` is the file's path in client/. Blocks while it is read."""
        page = MANIFEST.sub(b'"client/lobby/manifest.webmanifest"', (CLIENT / name).read_bytes())
        self._body: Final = page.replace(ASSETS, b'="../../client/')
        self._with_replay: Final = self._body.replace(REPLAY_LINK + b" hidden", REPLAY_LINK)

    async def response(self, room: str, base: str, *, replay: bool) -> Response:
        """Return the answer to the request at hand: 200, or 304 if the browser has the page already.

        `base` is the room's address, if relative addresses begin elsewhere. With `replay` the game, or its replay, has
        a link to the other.
        """
        own = f'{HEAD.decode()}    <meta name="room" content="{html.escape(room)}" />\n'
        if base:
            own += f'    <base href="{html.escape(base)}" />\n'
        body = (self._with_replay if replay else self._body).replace(HEAD, own.encode(), 1)
        headers = {
            **HEADERS,
            "Cache-Control": "no-cache",
            "ETag": f'"{hashlib.sha256(body).hexdigest()[:16]}"',
        }
        return await Response(body, 200, headers).make_conditional(request)


class RefusalPage:
    """The page for people who follow a link to a room that cannot be entered."""

    # AF: the page that _text makes of its words.

    def __init__(self) -> None:
        """Read the page's file. Blocks."""
        self._text: Final = (CLIENT / "rooms" / "refused.html").read_text(encoding="utf-8")

    def body(self, code: str, words: str, path: str, successor: str | None = None) -> bytes:
        """Return the page that says these `words` at the address `path`, for a refusal with that `code`.

        It has a link to the room `successor`, in which the players are now.
        """
        words = words[:1].upper() + words[1:]
        root = "../" * (path.count("/") - 1)
        text = self._text.replace('="client/', f'="{root}client/').replace('href="./"', f'href="{root or "./"}"')
        if successor is not None:
            text = text.replace(NEXT, f'href="{root}g/{html.escape(successor)}"')
        title = TITLES.get(code, "This game cannot be entered")
        for name, value in {"title": title, "words": words, "code": code}.items():
            text = text.replace(f"{{{name}}}", html.escape(value))
        return text.encode()
