"""The client of a request. A secret identifies the client: browsers have a cookie, and programs have a bearer token.

    client = Client(scope, origins)
    client.found()                  # the holder of the request's secret; None without a secret
    client.take_holder()            # the same; a request without a secret gets a new secret in a cookie
    client.cookie                   # the header Set-Cookie for the answer; None: the answer needs no cookie

The server answers a browser's first request with a random secret in a cookie. No script can read the cookie, and no
other site can use it. A program may choose a secret and send it as `Authorization: Bearer SECRET`. A holder is the
SHA-256 of a secret.

A cookie authorises requests of the server's own pages, of pages at `origins`, and of programs. Pages of other sites can
make a browser send requests with its cookie, by a link, a form or a script. The server recognises these requests by
`Origin`. Browsers send it with every POST and DELETE. Without `Origin`, the server uses `Sec-Fetch-Site`. A form, or a
script without CORS permission, cannot send JSON. So the body of a POST with a cookie must be JSON or empty. WebSockets
have an `Origin`, and an option lists the allowed origins: see `server.protection.middleware`.

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
COOKIE_S: Final = 400 * 24 * 3600  # the longest time that browsers keep a cookie
SECRET_BYTES: Final = 24  # random bytes in a secret of the server
GLANCE: Final = b"glance"  # the query of an address
LEAST_SECRET: Final = 16  # least characters in a secret of a program


class BadSecret(CallerError):
    """Refusal of a bearer token that is malformed or too short to be a secret."""

    code = "bad-secret"
    status = 401

    def __init__(self, least: int) -> None:
        self.params = {"least": least}
        super().__init__(f"to keep a seat bring Authorization: Bearer and a secret of {least} or more characters")


class Client:
    """The client that makes one request, or opens one WebSocket. Mutable."""

    # AF: the client of the request `scope`. Pages at _origins may play on this server, too. `holder` is the client's
    #     holder; None: not needed so far. `cookie` is the header that gives a secret to a client without one.
    #     `has_seats`: the door of this request has seats.

    __slots__ = ("_origins", "cookie", "has_seats", "holder", "scope")

    def __init__(self, scope: HTTPScope | WebsocketScope, origins: Collection[str] = ()) -> None:
        self.scope: Final = scope
        self._origins: Final = origins
        self.holder: str | None = None
        self.cookie: str | None = None
        self.has_seats = False

    @property
    def host(self) -> str:
        """The address of the client. Behind a proxy, it is the address in the proxy's header. Empty if unknown."""
        client = self.scope.get("client")
        return client[0] if client else ""

    def found(self) -> str | None:
        """Return the holder of the client's secret; None if the request has no secret. Raises BadSecret."""
        secret = self._secret()
        return None if secret is None else hash_of(secret)

    def take_holder(self) -> str:
        """Return the client's holder. A client without a secret gets one in a cookie.

        Raises BadSecret. Raises FromElsewhere or NotJson if a cookie must not authorise the request.
        """
        if self.holder is None:
            self.require_own_page()
            self.give_secret()
        assert self.holder is not None
        return self.holder

    def give_secret(self) -> None:
        """Give a client without a secret a new secret in a cookie. Raises BadSecret."""
        found = self._secret()
        secret = found or secrets.token_urlsafe(SECRET_BYTES)
        if found is None:
            self.cookie = _cookie(secret, secure=self._is_secure)
        self.holder = hash_of(secret)

    def require_own_page(self) -> None:
        """Raise FromElsewhere or NotJson if a cookie must not authorise the request. With a bearer token: no effect."""
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
    def glances(self) -> bool:
        """True if the client shows a game in passing, for instance as a small picture: it is not a spectator."""
        return self.scope["query_string"] == GLANCE

    @property
    def bearer(self) -> str:
        """The Authorization header with a bearer token; "" if it has other credentials, which are for a proxy."""
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
        sync_expires=False,  # all browsers that can run the pages support Max-Age
        samesite="Lax",  # a link on another site sends the cookie, but that site's requests do not
    )


def _name(*, secure: bool) -> str:
    # Over HTTPS the name has the prefix __Host-: so browsers reject cookies of other hosts of the domain.
    return f"__Host-{COOKIE}" if secure else COOKIE


# --- for applications of Quart ---


def add_secrets(app: QuartTrio, origins: Collection[str]) -> None:
    """Set up `client_at_hand` for the requests of `app`, and send each browser a secret with its page."""

    @app.before_request
    async def meet() -> None:
        g.client = Client(request.scope, origins)
        if request.path == "/" and request.method != "OPTIONS":
            g.client.give_secret()  # already with the page: so two tabs that open at once share a secret

    @app.after_request
    async def send_cookie(response: Response) -> Response:
        cookie = None if "client" not in g else client_at_hand().cookie
        if cookie is not None:
            response.headers["Set-Cookie"] = cookie
            response.headers["Cache-Control"] = "no-store"  # a cache must not give one browser's secret to another
        return response


def client_at_hand() -> Client:
    """Return the client of Quart's current request, in an application with `add_secrets`."""
    client = g.client
    assert isinstance(client, Client)
    return client
