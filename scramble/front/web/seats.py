"""Seats over HTTP: the browser, or client, that a name belongs to. `scramble.kernel.seats` keeps them.

With its first request a browser gets a random secret in a cookie, which no script can read and no other site can use; a
program may choose a secret and send it as `Authorization: Bearer SECRET`. The first request that plays as a player
takes that seat for its secret; from then on requests with another secret that name the player are answered with 403. So
are requests that a page of another origin makes the browser send, which carry the browser's cookie: by `Origin`, which
browsers send with every POST and DELETE, else by `Sec-Fetch-Site`. And what is posted with a cookie is JSON or nothing,
so a form posts nothing. A request that only looks takes no seat, and may name any player whose seat is free.

Safe under concurrency: the game's owner task assigns the seats. The seats cached here, so that not every request asks
the owner, are those that are kept for good, and change only if they are handed over.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection
from typing import Final, TypeAlias

from quart import Response, g, request, websocket
from quart.wrappers import Request, Websocket
from quart_trio import QuartTrio
from werkzeug.http import dump_cookie

from scramble.errors import CallerError, GameStopped
from scramble.front.identity import Ask, KnownPlayer, Speaker
from scramble.kernel.displaynames import BotsName, is_bots_name, skeleton_of
from scramble.kernel.seats import ClaimSeat, FindSeat, SeatTaken, hash_of, seat_taken_words
from scramble.server.http.closing import CloseReason
from scramble.server.http.inbox import LeanQuart
from scramble.server.http.shortway import ShortRequest
from scramble.server.protection.bodies import has_body
from scramble.server.protection.origins import FromElsewhere, NotJson, is_foreign, is_json

COOKIE: Final = "scramble_seat"
COOKIE_S: Final = 400 * 24 * 3600  # browsers keep no cookie for longer
SECRET_BYTES: Final = 24  # of randomness
LEAST_SECRET: Final = 16  # characters of a secret that the client has chosen
MAX_KNOWN: Final = 100_000  # cached seats

CLOSE_CODE: Final = 4000
"""Added to a status, this is the code of a WebSocket that is closed for the same reason: the range for applications."""


Asking: TypeAlias = Request | Websocket | ShortRequest


class BadSecret(CallerError):
    """A bearer token that is malformed or too short to be a secret."""

    code = "bad-secret"
    status = 401

    def __init__(self, least: int) -> None:
        self.params = {"least": least}
        super().__init__(f"to keep a seat bring Authorization: Bearer and a secret of {least} or more characters")


SpeakerOf: TypeAlias = Callable[[Request | Websocket], Speaker | None]
"""Returns the player that a request names; None if it names none."""


class Seats:
    """The seats of one running game, of which those that are known to be kept for good are cached."""

    # AF: the seats that the owner behind `ask` assigns; _known has the holders of some that change only with `forget`,
    #     which was called _forgotten times.

    def __init__(self, ask: Ask, *, lookalikes: bool = False, keeping: Callable[[], None] = lambda: None) -> None:
        """With `lookalikes` a name that looks like the display name of another seat counts as taken.

        `keeping` is called before a holder is cached: from then on `forget` has to be called.
        """
        self.ask: Final = ask
        self._keeping: Final = keeping
        self.lookalikes: Final = lookalikes
        self._known: Final[dict[str, str]] = {}
        self._forgotten = 0

    async def claim(self, player: str, holder: str) -> None:
        """Take a free seat for `holder`. Raises SeatTaken."""
        await self.ask(ClaimSeat(player, holder, skeleton=skeleton_of(player) if self.lookalikes else ""))

    def forget(self, player: str) -> None:
        """Ask the owner again for the holder of that seat, which has changed."""
        self._forgotten += 1
        self._known.pop(player, None)

    async def holder_of(self, player: str) -> str | None:
        """Return the holder of the seat, if any. Asks by a query, which unlike a claim is not written to a journal."""
        if player in self._known:
            return self._known[player]
        forgotten = self._forgotten
        seat = await self.ask(FindSeat(player))
        is_news = forgotten == self._forgotten  # the answer may be from before a seat has changed
        if seat is not None and seat.permanent and is_news and len(self._known) < MAX_KNOWN:
            self._keeping()
            self._known[player] = seat.holder
        return None if seat is None else seat.holder

    def __str__(self) -> str:
        return f"{len(self._known)} seats are known to be kept for good"


CurrentSeats: TypeAlias = Callable[[], Seats | None]
"""Returns the seats of the game that the request at hand is for; None if in that game names belong to everybody."""


def add_seats(app: QuartTrio, current: CurrentSeats, speaker_of: SpeakerOf, origins: Collection[str]) -> None:
    """Reserve each name for the first client that plays under it, for all requests and WebSockets of `app`.

    Only the server's own pages, and those of `origins`, may use a cookie to play.
    """

    async def take_seat(request: Request | Websocket) -> None:
        """Take the seat that the request needs. Raises SeatTaken, BadSecret, FromElsewhere or NotJson."""
        seats = current()
        g.has_seats = seats is not None
        speaker = None if seats is None else speaker_of(request)
        if speaker is None and request.path != "/" and request.scheme not in ("ws", "wss"):
            return  # needs no seat
        found = _secret_of(request)
        taken = None if speaker is None or seats is None else await seats.holder_of(speaker.player)
        if speaker is not None and not speaker.plays and taken is None:
            return  # looking at a game needs no seat
        stranger = None if speaker is None else _stranger(request, origins)
        if stranger is not None:
            raise stranger
        secret = found or secrets.token_urlsafe(SECRET_BYTES)
        g.seat_holder = holder = hash_of(secret)
        if speaker is not None and seats is not None:
            if taken is None:
                if seats.lookalikes and not _bearer_of(request) and is_bots_name(speaker.player):
                    raise BotsName  # a program that brings a secret may be a bot
                await seats.claim(speaker.player, holder)
            elif taken != holder:
                raise SeatTaken(seat_taken_words(speaker.player), speaker.player)
        # Without the cookie the seat's secret would be lost. And a page gets its secret before it needs a seat, so that
        # two tabs that open at the same time have the same one.
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
            response.headers["Cache-Control"] = "no-store"  # a cache must not give one browser's secret to another
        return response

    async def finds_nothing_to_do(request: ShortRequest) -> bool:
        """True if `take_seat` would neither take a seat nor refuse the request, and it needs no cookie."""
        seats = current()
        if seats is None:
            return True
        try:
            found = _secret_of(request)
        except BadSecret:
            return False
        taken = await seats.holder_of(request.parts[0])
        if taken is None:
            return not request.plays
        return found is not None and hash_of(found) == taken and _stranger(request, origins) is None

    if isinstance(app, LeanQuart) and app.short_way is not None:
        app.short_way.know(before_request, after_request, guard=finds_nothing_to_do)

    @app.before_websocket
    async def before_websocket() -> None:
        # A page cannot read why a handshake is refused, so the refusal is sent after it: see `accept`.
        try:
            await take_seat(websocket)
        except CallerError as refused:
            g.seat_refused = refused
        except GameStopped:
            pass  # the connection finds out by itself


def take_holder(request: Request | Websocket, origins: Collection[str]) -> str:
    """Return the holder that makes the request at hand, and give its client a secret in a cookie if it has none.

    For requests that need a holder and no seat, of an application with `add_seats`. Only the server's own pages, and
    those of `origins`, may make them with a cookie. Raises BadSecret, FromElsewhere or NotJson.
    """
    known = holder_at_hand()
    if known is not None:
        return known
    stranger = _stranger(request, origins)
    if stranger is not None:
        raise stranger
    found = _secret_of(request)
    secret = found or secrets.token_urlsafe(SECRET_BYTES)
    if found is None:
        g.seat_cookie = _cookie(secret, secure=_is_secure(request))
    g.seat_holder = holder = hash_of(secret)
    return holder


def found_holder(request: Request | Websocket) -> str | None:
    """Return the holder that makes the request at hand; None if its client has no secret. Raises BadSecret."""
    found = _secret_of(request)
    return None if found is None else hash_of(found)


async def accept() -> CallerError | None:
    """Accept the WebSocket at hand, with a cookie if it needs one. Returns the refusal for which to close it, if any.

    For all handlers, with and without seats.
    """
    cookie = g.get("seat_cookie")
    await websocket.accept(headers=None if cookie is None else {"Set-Cookie": cookie})
    refused = g.get("seat_refused")
    return refused if isinstance(refused, CallerError) else None


def has_seats() -> bool:
    """Return True if the game of the WebSocket at hand has seats."""
    return bool(g.get("has_seats"))


def known_player(ask: Ask) -> KnownPlayer | None:
    """Return the player at the WebSocket at hand, known by a secret; None if the game has no seats."""
    holder = holder_at_hand()
    return KnownPlayer(ask, holder) if holder is not None and has_seats() else None


def holder_at_hand() -> str | None:
    """Return the holder at the WebSocket at hand, also where the game has no seats; None if the application has none.

    A request over HTTP has one only if it plays in a game with seats; see `take_holder`.
    """
    holder = g.get("seat_holder")
    return holder if isinstance(holder, str) else None


def close_reason_of(refused: CallerError) -> CloseReason:
    """Return the reason for closing a WebSocket whose seat was refused."""
    return CloseReason(CLOSE_CODE + refused.status, refused.code)


def _stranger(request: Asking, origins: Collection[str]) -> CallerError | None:
    """Return the refusal of a request that a cookie must not authorise; None if it may, or has a bearer token.

    A cookie authorises what the server's own page asks for, or one of `origins`, or a program. Other pages that make a
    browser send something with its cookie, by a link, a form or a script, are told from them by `Origin`, or where a
    browser sends none by `Sec-Fetch-Site`. A form, and a script without leave to send anything else, cannot send JSON.
    WebSockets have an `Origin`, and the allowed ones are an option: see `server.protection.middleware`.
    """
    scope = request.scope
    if scope["type"] != "http" or _bearer_of(request):
        return None
    by_browser = "Origin" not in request.headers and request.headers.get("Sec-Fetch-Site")
    if is_foreign(scope, origins) or by_browser in ("cross-site", "same-site"):
        return FromElsewhere("a page from elsewhere must bring Authorization: Bearer and a secret of its own")
    if scope["method"] not in ("GET", "HEAD") and ("Content-Type" in request.headers or has_body(scope)):
        return None if is_json(scope) else NotJson()
    return None


def _bearer_of(request: Asking) -> str:
    """Return the Authorization header if it is a bearer token, else "": other credentials are for a proxy."""
    authorization = request.headers.get("Authorization", "")
    return authorization if authorization.lower().startswith("bearer") else ""


def _secret_of(request: Asking) -> str | None:
    """Return the secret of the request: its bearer token, else its cookie. Raises BadSecret."""
    bearer = _bearer_of(request)
    if not bearer:
        cookie = request.cookies.get(_name(secure=_is_secure(request)))
        return cookie if cookie is not None and len(cookie) >= LEAST_SECRET else None
    match = re.fullmatch(rf"Bearer +([A-Za-z0-9._~+/=-]{{{LEAST_SECRET},}})", bearer, re.IGNORECASE)
    if match is None:
        raise BadSecret(LEAST_SECRET)
    return match[1]


def _cookie(secret: str, *, secure: bool) -> str:
    return dump_cookie(
        _name(secure=secure),
        secret,
        max_age=COOKIE_S,
        secure=secure,
        httponly=True,
        sync_expires=False,  # browsers that need Expires beside Max-Age do not run the pages
        samesite="Lax",  # a link from another site to the game carries the cookie, that site's requests do not
    )


def _name(*, secure: bool) -> str:
    # Over HTTPS a name with a prefix for which browsers accept no cookie that another host of the domain has set.
    return f"__Host-{COOKIE}" if secure else COOKIE


def _is_secure(request: Asking) -> bool:
    return request.scheme in ("https", "wss")
