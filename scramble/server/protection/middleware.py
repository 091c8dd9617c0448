"""ASGI middleware that refuses requests before they reach a game: by rate, host, origin of the page, and body.

    app = guard(app, Protection(limits, origins=("https://play.example.org",)))

The refusal of a request takes almost no time. The answer has a reason in words:

    400     with hypercorn's own worker: the handshake of a WebSocket with extensions at which hypercorn fails
    403     the handshake of a WebSocket from a page of another origin
    408     a body that takes too long to arrive
    413     a body that is too long, or in too many pieces
    421     a host name that is not the server's (see `hosts`), except on paths that are open to every host name
    429     too many requests, or long bodies, from one address; Retry-After has the waiting time
    503     too many long bodies at once; behind a proxy also too many requests and WebSockets at once from one address

Bodies are read before the request is passed on (see `bodies`). A request that may have a long body is first checked by
its headers; a refusal at this point is JSON, with the words and their code.

Safe under concurrency: counts change between two awaits (see `by_address`).
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from hypercorn.typing import ASGIFramework, ASGIReceiveCallable, ASGISendCallable, HTTPScope, Scope
from quart import Quart
from wsproto.extensions import PerMessageDeflate
from wsproto.handshake import server_extensions_handshake
from wsproto.utilities import split_comma_header

from scramble.errors import CallerError
from scramble.server.http.errors import Headers, json_refusal, refusal
from scramble.server.http.websocket import PACE
from scramble.server.protection.bodies import Bodies, BodyRefused, LongBodies, has_body
from scramble.server.protection.by_address import ConnectionCounter, Pace, RateLimiter
from scramble.server.protection.hosts import HostNames, UnknownHost, name_of_origin
from scramble.server.protection.limits import FRAMES_PER_S_BY_ADDRESS, ServerLimits
from scramble.server.protection.origins import foreign_words, header

TOO_FAST: Final = "too many requests from your address: try again in {} s"
HEALTH: Final = frozenset({"/health", "/health/live", "/health/ready"})
"""Paths of health checks. Proxies also check a full server. The answers come at once, so they are not counted."""

BAD_EXTENSIONS: Final = "these WebSocket extensions cannot be understood, and none is needed"


@dataclass(frozen=True)
class Protection:
    """The protection of a server. The defaults are also the defaults of the serving commands."""

    limits: ServerLimits = field(default_factory=ServerLimits)
    # Origins whose pages may open the WebSocket. If empty: all origins, or with seats only the server's own origin.
    origins: tuple[str, ...] = ()
    host_names: tuple[str, ...] = ()  # names of this server, in addition to this machine's names and `origins`
    seats: bool = False  # the first client that plays under a name keeps the name; see `front.web.seats`
    behind_proxy: bool = False  # the address of a client is in the X-Forwarded-For of a trusted proxy
    tls: ssl.SSLContext | None = None  # for HTTPS; see `tls.server_context`
    # By path, the POST requests that may have bodies longer than `limits.body_bytes`.
    bodies: Mapping[str, LongBodies] = field(default_factory=dict)

    def hosts(self) -> HostNames:
        """Return the host names of the server."""
        return HostNames((*self.host_names, *filter(None, map(name_of_origin, self.origins))))


_OPEN: Final = "scramble.open-paths"  # the key in the extensions of a Quart application


def open_to_every_name(app: Quart, *paths: str) -> None:
    """Let clients use any host name, not only the server's names, for paths that begin with one of `paths`."""
    app.extensions[_OPEN] = paths


def open_paths_of(app: ASGIFramework) -> tuple[str, ...]:
    """Return the paths of an application that are open to every host name."""
    return tuple(app.extensions.get(_OPEN, ())) if isinstance(app, Quart) else ()


def guard(app: ASGIFramework, protection: Protection, open_paths: tuple[str, ...] = ()) -> ASGIFramework:
    """Wrap `app`: it gets only requests within the limits that use a name of the server.

    Clients may use any host name for paths that begin with one of `open_paths`.
    """
    limits = protection.limits
    hosts = protection.hosts()
    rate = RateLimiter(limits)
    pace = Pace(limits.frames_per_s_by_address, FRAMES_PER_S_BY_ADDRESS)
    counter = ConnectionCounter(limits.connections, limits.connections_by_address) if protection.behind_proxy else None
    bodies = Bodies(limits, protection.bodies)

    async def guarded(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        if protection.behind_proxy:
            believe_proxy(scope)
        host = scope["client"][0] if scope["client"] else ""
        wait_s = rate.wait_s(host)
        if wait_s:
            await refuse(scope, send, 429, TOO_FAST.format(wait_s), retry_after_s=wait_s)
            return
        name = (header(scope, b"host") or b"").decode("latin1")
        if not (hosts.knows(name) or scope["path"].startswith(open_paths)):
            await refuse(scope, send, 421, str(UnknownHost(name)), close=True)
            return
        counted = None if is_probe(scope) else counter
        full = None if counted is None else counted.refusal(host)
        if full is not None:
            await refuse(scope, send, 503, full, retry_after_s=1)
            return
        with nullcontext() if counted is None else counted.counted(host):
            if scope["type"] == "websocket":
                foreign = foreign_words(scope, protection.origins, seats=protection.seats)
                if foreign is not None:
                    await refuse(scope, send, 403, foreign)
                    return
                if not extensions_are_sound(scope):
                    await refuse(scope, send, 400, BAD_EXTENSIONS)
                    return
                scope["state"][PACE] = partial(pace.spend, host)
                await app(scope, receive, send)
            else:
                await with_body(scope, receive, send, host)

    async def with_body(scope: HTTPScope, receive: ASGIReceiveCallable, send: ASGISendCallable, host: str) -> None:
        """Pass on a request with its complete body, or refuse it."""
        try:
            bodies.admit(scope)
        except CallerError as refused:
            await send_refusal(send, refused.status, *json_refusal(refused, close=has_body(scope)))
            return
        if not has_body(scope):
            await app(scope, receive, send)
            return
        with bodies.reading(scope, host) as reading:
            try:
                receive_body = await reading.read(receive)
            except BodyRefused as bad:
                await refuse(scope, send, bad.status, str(bad), retry_after_s=bad.retry_after_s, close=True)
                return
            if receive_body is not None:
                await app(scope, receive_body, send)

    return guarded


def is_probe(scope: Scope) -> bool:
    """Return True if the request is a health check."""
    return scope["type"] == "http" and scope["path"] in HEALTH and not has_body(scope)


def believe_proxy(scope: Scope) -> None:
    """Put the client's address and scheme into `scope`, from the headers of the nearest proxy."""
    if scope["type"] == "lifespan":
        return
    forwarded = header(scope, b"x-forwarded-for")
    if forwarded is not None:
        host = forwarded.rpartition(b",")[2].strip().decode("latin1")
        if host.startswith("["):  # an IPv6 address with a port
            host = host[1:].partition("]")[0]
        elif host.count(":") == 1:
            host = host.partition(":")[0]
        scope["client"] = (host, 0)
    scheme = (header(scope, b"x-forwarded-proto") or b"").rpartition(b",")[2].strip().lower()
    if scheme in (b"http", b"https", b"ws", b"wss"):  # some proxies send ws or wss for a WebSocket
        secure = scheme in (b"https", b"wss")
        if scope["type"] == "http":
            scope["scheme"] = "https" if secure else "http"
        else:
            scope["scheme"] = "wss" if secure else "ws"


def extensions_are_sound(scope: Scope) -> bool:
    """Return True if hypercorn can accept the extensions of a WebSocket: hypercorn fails too late to refuse them.

    Our own server has already removed all extensions.
    """
    offer = header(scope, b"sec-websocket-extensions")
    try:
        server_extensions_handshake(split_comma_header(offer or b""), [PerMessageDeflate()])
    except ValueError:  # client_max_window_bits=abc
        return False
    return True


async def refuse(
    scope: Scope,
    send: ASGISendCallable,
    status: int,
    words: str,
    *,
    retry_after_s: int | None = None,
    close: bool = False,
) -> None:
    """Answer a request, or the handshake of a WebSocket, with a refusal."""
    headers, body = refusal(words, retry_after_s=retry_after_s, close=close or scope["type"] == "websocket")
    if scope["type"] == "websocket":
        await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": body, "more_body": False})
    else:
        await send_refusal(send, status, headers, body)


async def send_refusal(send: ASGISendCallable, status: int, headers: Headers, body: bytes) -> None:
    """Send a refusal."""
    await send({"type": "http.response.start", "status": status, "headers": headers, "trailers": False})
    await send({"type": "http.response.body", "body": body, "more_body": False})
