"""Memory Scramble's text protocol of the handouts.

    GET /look/PLAYER                  the board
    GET /flip/PLAYER/ROW,COLUMN       the board after the flip; waits while another player controls the card
    GET /replace/PLAYER/OLD/NEW       the board with every OLD card replaced by NEW
    GET /watch/PLAYER[?since=VERSION] the board after the next change
    POST /flip/..., /replace/...      the same answers, for clients that use GET only for reading
    POST /new/PLAYER                  the board of a new game with the same cards, shuffled

The module translates requests into commands, and answers into responses. It knows no rules of the game. Browsers
prefetch some addresses, and mark these requests with a header. The server refuses a prefetch, so it turns no card.

Safe under concurrency because it has no state: every request is a separate task that sends commands to the game's owner
task. If a client disconnects while its request waits, the server cancels the handler (see `scramble.server.asgi`). That
withdraws the request.

Handouts: the HTTP protocol of the 2022 edition (look, flip, watch), and the commands of the 2025 edition with the same
names. Replace is a special case of the 2025 edition's map.
"""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable
from functools import partial
from math import inf
from typing import Final, TypeAlias
from urllib.parse import unquote_to_bytes

import trio

from scramble.errors import CallerError, InvalidCommand, Refusal
from scramble.front.memory.front import MemoryFront
from scramble.front.web.client import Client
from scramble.front.web.door import Door
from scramble.memory.messages import Flip, FlipFailed, Look, NewGame, Replace, View, Watch
from scramble.memory.text import parse_card, parse_player, parse_spot, parse_version
from scramble.server.asgi import Answer, Request, Router
from scramble.server.http.errors import TEXT

MOVES: Final = ("/flip/", "/replace/", "/watch/", "/new/")
"""Paths that a browser must not prefetch: each request makes a move, or waits for a change."""

OPEN: Final = ("/look/", *MOVES)
"""Paths of the handouts. Pages of every origin may request these paths. Without seats, any host name is harmless."""

PURPOSES: Final = frozenset({b"sec-purpose", b"purpose", b"x-purpose", b"x-moz"})
"""Headers that mark a browser's prefetch."""

PREFETCH: Final = re.compile(b"prefetch|prerender|preview", re.IGNORECASE)
"""The values of the headers for a prefetch."""

ENCODED: Final = re.compile(rb"(?:[^%]|%[0-9A-Fa-f]{2})*")

TEXT_HEADERS: Final = TEXT | {
    "Access-Control-Allow-Origin": "*",  # another server serves the handout's page
    "Access-Control-Expose-Headers": "ETag, Retry-After",
}

CANNOT_FLIP: Final = "cannot flip this card"


class Prefetched(CallerError):
    """Refusal of a browser's prefetch. It changes nothing."""

    code = "prefetched"
    status = 503

    def __init__(self) -> None:
        super().__init__("this is not for prefetching")


def add_protocol(router: Router, door: Door[MemoryFront]) -> None:
    """Add the routes of the protocol. `door` admits clients, and finds the game."""
    protocol = TextProtocol(door)
    text = partial(router.text, headers=TEXT_HEADERS)
    text("/look/{player}", protocol.look)
    text("/flip/{player}/{spot}", protocol.flip, methods=("GET", "POST"), parks=True)  # HEAD would also turn a card
    text("/watch/{player}", protocol.watch, methods=("GET",), parks=True)
    text("/replace/{rest:path}", protocol.replace, methods=("GET", "POST"))
    text("/new/{player}", protocol.new, methods=("POST",))


class TextProtocol:
    """The answers to requests. For a refusal, a method raises a ScrambleError. The error's words are the answer."""

    # AF: the protocol of the game that _door finds.

    def __init__(self, door: Door[MemoryFront]) -> None:
        self._door: Final = door

    async def look(self, request: Request) -> Answer:
        """Return the board."""
        return await self._ask(request, request.parts["player"], _look, plays=False)

    async def flip(self, request: Request) -> Answer:
        """Return the board after the flip. Waits while another player controls the card."""
        return await self._move(request, request.parts["player"], partial(_flip, request))

    async def watch(self, request: Request) -> Answer:
        """Return the board after the next change, or the unchanged board after the time limit."""
        return await self._move(request, request.parts["player"], partial(_watch, request), plays=False)

    async def replace(self, request: Request) -> Answer:
        """Return the board with every card of one kind replaced."""
        # Split the raw path: in the decoded path, a slash between two cards looks like a %2F in a card. The decoded
        # parts must match the decoded path: otherwise a proxy may have read another player from the path.
        raw = bytes(request.scope["raw_path"]).partition(b"/replace/")[2]
        parts = [_decode(part) for part in raw.split(b"/")]
        if len(parts) != 3 or "/".join(parts) != request.parts["rest"]:
            raise InvalidCommand("to replace cards ask for /replace/PLAYER/OLD/NEW, each percent-encoded")
        player, old, new = parts
        self._door.front().permissions.require_on("replace")  # check before the door takes a seat
        return await self._move(request, player, partial(_replace, old, new))

    async def new(self, request: Request) -> Answer:
        """Return the board of a new game."""
        self._door.front().permissions.require_on("new")
        return await self._move(request, request.parts["player"], _new)

    async def _move(self, request: Request, name: str, answer: PlayerAnswer, *, plays: bool = True) -> Answer:
        """Return the answer to a request. Raises Prefetched for a browser's prefetch."""
        for header, value in request.scope["headers"]:
            if header in PURPOSES and PREFETCH.search(value):
                raise Prefetched
        return await self._ask(request, name, answer, plays=plays)

    async def _ask(self, request: Request, name: str, answer: PlayerAnswer, *, plays: bool) -> Answer:
        """Return the answer for the player `name`. First the door must admit the client."""
        front = self._door.front()
        player = front.limits.checked_name(parse_player(name))
        return await self._door.answer(request, player, partial(answer, front, player), plays=plays)


PlayerAnswer: TypeAlias = Callable[[MemoryFront, str, Client], Awaitable[Answer]]
"""Function that answers a player's request from a client. Raises a ScrambleError for a refusal."""


async def _look(front: MemoryFront, player: str, _: Client) -> Answer:
    return board(await front.game.ask(Look(player)))


async def _flip(request: Request, front: MemoryFront, player: str, _: Client) -> Answer:
    try:
        return board(await front.game.ask(Flip(player, *parse_spot(request.parts["spot"])), parked=request.parked))
    except FlipFailed as failure:
        if front.edition == "2022":
            return board(failure.view)
        return Answer(failure.status, f"{CANNOT_FLIP}: {failure}\n", _etag(failure.view))
    except Refusal as refusal:
        return Answer(refusal.status, f"{CANNOT_FLIP}: {refusal}\n")


async def _watch(request: Request, front: MemoryFront, player: str, _: Client) -> Answer:
    since = request.query("since")
    command = Watch(player, None if since is None else parse_version(since))
    timeout = inf if front.watch_timeout is None else front.watch_timeout
    with front.watches.place(player), trio.move_on_after(timeout):
        return board(await front.game.ask(command, parked=request.parked))
    return board(await front.game.ask(Look(player)))


async def _replace(old: str, new: str, front: MemoryFront, player: str, client: Client) -> Answer:
    await front.permissions.require("replace", client)
    card = front.limits.checked_card(parse_card(new))
    return board(await front.game.ask(Replace(player, parse_card(old), card)))


async def _new(front: MemoryFront, player: str, _: Client) -> Answer:
    front.permissions.new_games.begin()
    return board(await front.game.ask(NewGame(player, random.SystemRandom().getrandbits(64))))


def board(view: View) -> Answer:
    """Return an answer with a board."""
    return Answer(200, view.text, _etag(view))


def _etag(view: View) -> dict[str, str]:
    return {"ETag": f'"{view.version}"'}


def _decode(part: bytes) -> str:
    try:
        if ENCODED.fullmatch(part):
            return unquote_to_bytes(part).decode()
    except UnicodeDecodeError:
        pass
    raise InvalidCommand(f"not percent-encoded UTF-8: {part.decode('ascii', 'replace')}")
