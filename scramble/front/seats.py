"""Seats over HTTP: whose browser, or client, a name belongs to. `scramble.seats` keeps them; here are the secrets.

A browser gets a random secret in a cookie, which no script can read and no other site can use, the first time that it
comes; a program may bring a secret of its own, as `Authorization: Bearer SECRET`. The first request that names a player
takes that seat for its secret; from then on requests of others that name the player are answered with 403. So are
requests that a page from elsewhere has the browser make: a link to a move would be followed with the browser's cookie.

Safe under concurrency: who has which seat is decided by the game's owner task. What is remembered here, so that not
every request has to ask, never changes once it is true.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol, TypeVar

from quart import Response, g, request, websocket
from quart.wrappers import Request, Websocket
from quart_trio import QuartTrio

from scramble.core import Command
from scramble.errors import CallerError, GameStopped
from scramble.front.connection import Ending
from scramble.seats import FindSeat, SeatTaken, TakeSeat, hash_of, somebody_elses

R = TypeVar("R")

COOKIE: Final = "scramble_seat"
COOKIE_S: Final = 400 * 24 * 3600  # as long as browsers keep any cookie
SECRET_BYTES: Final = 24  # of randomness
LEAST_SECRET: Final = 16  # characters, for those who bring their own
MAX_KNOWN: Final = 100_000  # seats remembered

CLOSE_CODE: Final = 4000
"""What is added to a status to make the code of a WebSocket that is closed for it: the range for applications."""


class BadSecret(CallerError):
    """A bearer token that is none, or too short to be a secret."""

    code = "bad-secret"
    status = 401


class FromElsewhere(CallerError):
    """A page of another server has the browser speak for a player. Nothing has changed."""

    code = "from-elsewhere"
    status = 403


class Ask(Protocol):
    """How the game is asked; raises what it raises."""

    async def __call__(self, command: Command[R], /) -> R:
        """The answer."""


def add_seats(app: QuartTrio, ask: Ask, player_of: Callable[[Request | Websocket], str | None]) -> None:
    """Let names belong to whoever takes them first, for all requests and WebSockets of `app`.

    `player_of` tells whom a request speaks for; None is nobody.
    """
    known: dict[str, str] = {}

    async def take_seat(request: Request | Websocket) -> None:
        """Raises SeatTaken, BadSecret or FromElsewhere."""
        player = player_of(request)
        if player is None and request.path != "/" and request.scheme not in ("ws", "wss"):
            return  # nobody's business
        if player is not None and _is_from_elsewhere(request):
            raise FromElsewhere("a page from elsewhere plays with Authorization: Bearer and a secret of its own")
        found = _secret_of(request)
        secret = found or secrets.token_urlsafe(SECRET_BYTES)
        g.seat_holder = holder = hash_of(secret)
        if player is not None and known.get(player) != holder:
            await _claim(ask, player, holder)
            if len(known) < MAX_KNOWN:
                known[player] = holder
        # A seat whose secret nobody has would be lost. And a page is given its secret before it needs it, so that two
        # of its tabs that open at once have the same.
        if found is None:
            g.seat_cookie = _cookie(secret, secure=_is_secure(request))

    @app.before_request
    async def before_request() -> None:
        if request.method != "OPTIONS":
            await take_seat(request)

    @app.after_request
    async def after_request(response: Response) -> Response:
        if "seat_cookie" in g:
            response.headers["Set-Cookie"] = g.seat_cookie
        return response

    @app.before_websocket
    async def before_websocket() -> None:
        # A page cannot see why a handshake is refused, so it is told afterwards: see `accept`.
        try:
            await take_seat(websocket)
        except CallerError as refused:
            g.seat_refused = refused
        except GameStopped:
            pass  # the connection hears of that by itself


class Guest:
    """Somebody without a secret, such as a telnet user: may be anybody whose name is nobody's seat."""

    def __init__(self, ask: Ask) -> None:
        self._ask: Final = ask

    async def objection(self, player: str) -> str | None:
        """Why not to be `player`: it is a seat."""
        return None if await self._ask(FindSeat(player)) is None else sentence(player)

    async def seated(self, player: str) -> bool:
        """Whether the name is still nobody's. Nothing is kept: it is free again when the guest has gone."""
        return await self.objection(player) is None


class Visitor:
    """Somebody at a WebSocket with a secret, for games in which a player says who it is later on."""

    def __init__(self, ask: Ask, holder: str) -> None:
        self._ask: Final = ask
        self._holder: Final = holder

    async def objection(self, player: str) -> str | None:
        """Why not to be `player`: it is somebody else's seat."""
        return None if await self._ask(FindSeat(player)) in (None, self._holder) else sentence(player)

    async def seated(self, player: str) -> bool:
        """Take the seat, if it is free and there are any left; whether it has not become somebody else's."""
        with suppress(SeatTaken):
            await _claim(self._ask, player, self._holder)
        return await self.objection(player) is None


def sentence(player: str) -> str:
    """That a name is somebody else's, for people."""
    words = somebody_elses(player)
    return f"{words[0].upper()}{words[1:]}."


async def accept() -> CallerError | None:
    """Accept the WebSocket at hand, with a cookie if it needs one; why it is nevertheless to be closed, if it is.

    For all handlers, whether there are seats or not.
    """
    cookie = g.get("seat_cookie")
    await websocket.accept(headers=None if cookie is None else {"Set-Cookie": cookie})
    refused = g.get("seat_refused")
    return refused if isinstance(refused, CallerError) else None


def visitor(ask: Ask) -> Visitor | None:
    """Who is at the WebSocket at hand; None if the application has no seats."""
    holder = g.get("seat_holder")
    return Visitor(ask, holder) if isinstance(holder, str) else None


def ending_of(refused: CallerError) -> Ending:
    """How a WebSocket is closed whose seat was refused."""
    return Ending(CLOSE_CODE + refused.status, refused.code)


async def _claim(ask: Ask, player: str, holder: str) -> None:
    """Take the seat for `holder`, unless it is theirs already. Raises SeatTaken."""
    found = await ask(FindSeat(player))  # a question, which unlike an attempt no journal has to hold
    if found is None:
        await ask(TakeSeat(player, holder))
    elif found != holder:
        raise SeatTaken(somebody_elses(player))


def _is_from_elsewhere(request: Request | Websocket) -> bool:
    """Whether a browser says that a page of another server makes it ask, without a token that this page must have.

    WebSockets come with an `Origin`, and which of those may is an option: see `guard`.
    """
    if request.scheme in ("ws", "wss") or _bearer_of(request):
        return False
    return request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")


def _bearer_of(request: Request | Websocket) -> str:
    """The bearer token with the word before it, or nothing: what credentials there may be else are a proxy's."""
    authorization = request.headers.get("Authorization", "")
    return authorization if authorization.lower().startswith("bearer") else ""


def _secret_of(request: Request | Websocket) -> str | None:
    """What the request shows to be who it is: its bearer token, else its cookie. Raises BadSecret."""
    bearer = _bearer_of(request)
    if not bearer:
        cookie = request.cookies.get(_name(secure=_is_secure(request)))
        return cookie if cookie is not None and len(cookie) >= LEAST_SECRET else None
    match = re.fullmatch(rf"Bearer +([A-Za-z0-9._~+/=-]{{{LEAST_SECRET},}})", bearer, re.IGNORECASE)
    if match is None:
        raise BadSecret(f"to keep a seat bring Authorization: Bearer and a secret of {LEAST_SECRET} or more characters")
    return match[1]


def _cookie(secret: str, *, secure: bool) -> str:
    # Lax: whoever follows a link to the game is still known, and no other site's requests are.
    rest = f"Path=/; Max-Age={COOKIE_S}; HttpOnly; SameSite=Lax"
    return f"{_name(secure=secure)}={secret}; {rest}{'; Secure' if secure else ''}"


def _name(*, secure: bool) -> str:
    # Over HTTPS a name that browsers keep for this very host: no other host of its domain can plant a secret.
    return f"__Host-{COOKIE}" if secure else COOKIE


def _is_secure(request: Request | Websocket) -> bool:
    return request.scheme in ("https", "wss")
