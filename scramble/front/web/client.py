"""The client that makes a request, as its secret shows: a browser by a cookie, a program by a bearer token.

    client = Client(scope, origins)
    client.found()                  # the holder that its secret stands for; None if it has brought none
    client.take_holder()            # ... and a new one in a cookie, if it has brought none
    client.cookie                   # the header Set-Cookie for the answer, if it needs one

With its first request a browser gets a random secret in a cookie, which no script can read and no other site can use; a
program may choose a secret and send it as `Authorization: Bearer SECRET`. A holder is the SHA-256 of a secret.

A cookie authorises what the server's own page asks for, or one of `origins`, or a program. Other pages that make a
browser send something with its cookie, by a link, a form or a script, are told from them by `Origin`, which browsers
send with every POST and DELETE, or where a browser sends none by `Sec-Fetch-Site`. A form, and a script without leave
to send anything else, cannot send JSON; so what is posted with a cookie is JSON or nothing. WebSockets have an
`Origin`, and the allowed ones are an option: see `server.protection.middleware`.

Safe under concurrency: a client belongs to one request.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection
from typing import Final

from hypercorn.typing import HTTPScope, WebsocketScope
from quart import Response, g, request
from quart_trio import QuartTrio
from werkzeug.http import dump_cookie, parse_cookie

from scramble.errors import CallerError
from scramble.players.seats import hash_of
from scramble.server.protection.bodies import has_body
from scramble.server.protection.origins import FromElsewhere, NotJson, header, is_foreign, is_json

COOKIE: Final = "scramble_seat"
COOKIE_S: Final = 400 * 24 * 3600  # browsers keep no cookie for longer
SECRET_BYTES: Final = 24  # of randomness
LEAST_SECRET: Final = 16  # characters of a secret that the client has chosen


class BadSecret(CallerError):
    """A bearer token that is malformed or too short to be a secret."""

    code = "bad-secret"
    status = 401

    def __init__(self, least: int) -> None:
        self.params = {"least": least}
        super().__init__(f"to keep a seat bring Authorization: Bearer and a secret of {least} or more characters")


class Client:
    """The client that makes one request, or opens one WebSocket. Mutable."""

    # AF: the client of the request `scope`, of a server whose pages may be at _origins, too. `holder` is its holder,
    #     once that was needed; `cookie` is the header that gives it a secret, if it needs one. `has_seats`: the door
    #     that let it in has seats.

    __slots__ = ("_origins", "cookie", "has_seats", "holder", "scope")

    def __init__(self, scope: HTTPScope | WebsocketScope, origins: Collection[str] = ()) -> None:
        self.scope: Final = scope
        self._origins: Final = origins
        self.holder: str | None = None
        self.cookie: str | None = None
        self.has_seats = False

    @property
    def host(self) -> str:
        """The address of the client; behind a proxy, which that names (see `guard`); empty if it is not known."""
        client = self.scope.get("client")
        return client[0] if client else ""

    def found(self) -> str | None:
        """Return the holder that the client's secret stands for; None if it has brought none. Raises BadSecret."""
        secret = self._secret()
        return None if secret is None else hash_of(secret)

    def take_holder(self) -> str:
        """Return the client's holder, and give it a secret in a cookie if it has brought none.

        Raises BadSecret; FromElsewhere or NotJson for a request that a cookie must not authorise.
        """
        if self.holder is None:
            self.require_own_page()
            self.give_secret()
        assert self.holder is not None
        return self.holder

    def give_secret(self) -> None:
        """Give the client a secret in a cookie if it has brought none. Raises BadSecret."""
        found = self._secret()
        secret = found or secrets.token_urlsafe(SECRET_BYTES)
        if found is None:
            self.cookie = _cookie(secret, secure=self._is_secure)
        self.holder = hash_of(secret)

    def require_own_page(self) -> None:
        """Raise FromElsewhere or NotJson for a request that a cookie must not authorise, if it has no bearer token."""
        scope = self.scope
        if scope["type"] != "http" or self.bearer:
            return
        by_browser = None if header(scope, b"origin") else self._first(b"sec-fetch-site")
        if is_foreign(scope, self._origins) or by_browser in (b"cross-site", b"same-site"):
            raise FromElsewhere("a page from elsewhere must bring Authorization: Bearer and a secret of its own")
        may_have_body = header(scope, b"content-type") is not None or has_body(scope)
        if scope["method"] not in ("GET", "HEAD") and may_have_body and not is_json(scope):
            raise NotJson

    @property
    def bearer(self) -> str:
        """The Authorization header if it is a bearer token, else "": other credentials are for a proxy."""
        authorization = self._first(b"authorization") or b""
        return authorization.decode("latin1") if authorization[:6].lower() == b"bearer" else ""

    def _first(self, wanted: bytes) -> bytes | None:
        return next((value for name, value in self.scope["headers"] if name == wanted), None)

    def _secret(self) -> str | None:
        bearer = self.bearer
        if not bearer:
            cookie = self._cookie()
            return cookie if cookie is not None and len(cookie) >= LEAST_SECRET else None
        match = re.fullmatch(rf"Bearer +([A-Za-z0-9._~+/=-]{{{LEAST_SECRET},}})", bearer, re.IGNORECASE)
        if match is None:
            raise BadSecret(LEAST_SECRET)
        return match[1]

    def _cookie(self) -> str | None:
        lines = [value.decode("latin1") for name, value in self.scope["headers"] if name == b"cookie"]
        return parse_cookie(";".join(lines)).get(_name(secure=self._is_secure)) if lines else None

    @property
    def _is_secure(self) -> bool:
        return self.scope["scheme"] in ("https", "wss")

    def __str__(self) -> str:
        return f"{self.host}, {'not known' if self.holder is None else 'known'} by a secret"


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


# --- what Quart serves ---


def add_secrets(app: QuartTrio, origins: Collection[str]) -> None:
    """Add `client_at_hand` to `app`, and give each browser a secret with its page."""

    @app.before_request
    async def meet() -> None:
        g.client = Client(request.scope, origins)
        if request.path == "/" and request.method != "OPTIONS":
            g.client.give_secret()  # before it needs a seat: so two tabs that open at once have the same one

    @app.after_request
    async def send_cookie(response: Response) -> Response:
        cookie = None if "client" not in g else client_at_hand().cookie
        if cookie is not None:
            response.headers["Set-Cookie"] = cookie
            response.headers["Cache-Control"] = "no-store"  # a cache must not give one browser's secret to another
        return response


def client_at_hand() -> Client:
    """Return the client of the request at hand that Quart serves, of an application with `add_secrets`."""
    client = g.client
    assert isinstance(client, Client)
    return client
