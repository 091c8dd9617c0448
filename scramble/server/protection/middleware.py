"""ASGI middleware that refuses requests before they reach a game: by rate, origin of the page, and size of the body.

    app = guard(app, Protection(limits, origins=("https://play.example.org",)))

A request that is refused here costs next to nothing, and is answered in words:

    400     under another hypercorn than ours, the handshake of a WebSocket with extensions that would make it fail
    403     the handshake of a WebSocket from a page of another origin
    408     a body that takes too long to arrive
    413     a body that is too long
    429     too many requests from that address; Retry-After says when the next may come
    503     behind a proxy: too many requests and WebSockets at once from that address; too many long bodies at once

Bodies are read before the request is passed on, so that no handler waits for a client to send one; none needs it.

Safe under concurrency: counts change between two awaits (see `by_address`).
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Final

import trio
from hypercorn.typing import ASGIFramework, ASGIReceiveCallable, ASGIReceiveEvent, ASGISendCallable, HTTPScope, Scope
from wsproto.extensions import PerMessageDeflate
from wsproto.handshake import server_extensions_handshake
from wsproto.utilities import split_comma_header

from scramble.server.http.errors import refusal
from scramble.server.protection.by_address import FULL_BY_ADDRESS, ConnectionCounter, RateLimiter
from scramble.server.protection.hosts import HostNames, name_of_origin, parse_origin
from scramble.server.protection.limits import ServerLimits

TOO_FAST: Final = "too many requests from your address: try again in {} s"
TOO_MUCH: Final = "the request's body is too long: {} bytes at most, and none is needed"
TOO_LONG: Final = "the request's body is too long: {} bytes at most"
MANY_LONG: Final = "many requests with long bodies come in just now: try again in 1 s"
TOO_SLOW: Final = "the request's body took too long to come"
BAD_LENGTH: Final = "the length of the request's body is not a number"
BAD_EXTENSIONS: Final = "these WebSocket extensions cannot be understood, and none is needed"
FOREIGN: Final = "pages from {} may not play here: this server takes WebSockets from {} only"


LONG_BODIES: Final = 64
LONG_BODIES_BY_ADDRESS: Final = 16
"""Requests at once with a body longer than `body_bytes` of the limits: each takes a mebibyte until it is handled."""


@dataclass(frozen=True)
class Protection:
    """The protection of a server. The defaults are those of the serving commands."""

    limits: ServerLimits = field(default_factory=ServerLimits)
    # Origins whose pages may open the WebSocket. If empty: all origins, or with seats the server's own.
    origins: tuple[str, ...] = ()
    host_names: tuple[str, ...] = ()  # names of this server, beside those of this machine and of `origins`
    seats: bool = False  # the first client that plays under a name keeps that name; see `front.web.seats`
    behind_proxy: bool = False  # the address of a client is in the X-Forwarded-For of a trusted proxy
    tls: ssl.SSLContext | None = None  # for HTTPS; see `tls.server_context`
    # Paths whose requests may have a longer body than `limits.body_bytes`, with its bytes at most.
    bodies: Mapping[str, int] = field(default_factory=dict)

    def longest_body(self, path: str) -> tuple[int, str]:
        """Return the bytes that the body of a request for that path may have, and the words for a longer one."""
        most = self.bodies.get(path)
        if most is None:
            return self.limits.body_bytes, TOO_MUCH.format(self.limits.body_bytes)
        return most, TOO_LONG.format(most)

    def hosts(self) -> HostNames:
        """Return the host names of the server, for answers that are not for every page."""
        return HostNames((*self.host_names, *filter(None, map(name_of_origin, self.origins))))


def own_origin(scope: Scope) -> str | None:
    """Return the origin of the server's own pages as its client sees it; None if the request has no valid Host."""
    host = header(scope, b"host")
    if host is None or scope["type"] == "lifespan":
        return None
    scheme = "https" if scope["scheme"] in ("https", "wss") else "http"
    try:
        return parse_origin(f"{scheme}://{host.decode('latin1')}")
    except ValueError:
        return None


def foreign_words(scope: Scope, protection: Protection) -> str | None:
    """Return the reason why the page that opens this WebSocket is refused; None if it is not, or if there is no page.

    With `origins`, pages of those may open it; with seats, which belong to a browser, also the server's own pages.
    Without both, all pages may.
    """
    value = header(scope, b"origin")
    if value is None or not (protection.origins or protection.seats):
        return None
    text = value.decode("ascii", "replace")
    if text in protection.origins:
        return None
    own = own_origin(scope) if protection.seats else None
    try:
        if own is not None and parse_origin(text) == own:
            return None
    except ValueError:
        pass  # such as "null"
    allowed = {*protection.origins, own or "its own pages"} if protection.seats else protection.origins
    return FOREIGN.format(text, " and ".join(sorted(allowed)))


def guard(app: ASGIFramework, protection: Protection) -> ASGIFramework:
    """Wrap `app` so that it gets only requests within the limits."""
    limits = protection.limits
    rate = RateLimiter(limits)
    counter = ConnectionCounter(limits.connections, limits.connections_by_address) if protection.behind_proxy else None
    long_bodies = ConnectionCounter(LONG_BODIES, LONG_BODIES_BY_ADDRESS)

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
        if counter is not None and counter.refusal(host) is not None:
            await refuse(scope, send, 503, FULL_BY_ADDRESS, retry_after_s=1)
            return
        with nullcontext() if counter is None else counter.counted(host):
            if scope["type"] == "websocket":
                foreign = foreign_words(scope, protection)
                if foreign is not None:
                    await refuse(scope, send, 403, foreign)
                    return
                if not extensions_are_sound(scope):
                    await refuse(scope, send, 400, BAD_EXTENSIONS)
                    return
                await app(scope, receive, send)
            elif scope["type"] == "http" and has_body(scope):
                is_long = may_be_long(scope, protection)
                if is_long and long_bodies.refusal(host) is not None:
                    await refuse(scope, send, 503, MANY_LONG, retry_after_s=1, close=True)
                    return
                with long_bodies.counted(host) if is_long else nullcontext():
                    receive_body = await with_body(scope, receive, send, protection)
                    if receive_body is not None:
                        await app(scope, receive_body, send)
            else:
                await app(scope, receive, send)

    return guarded


def header(scope: Scope, wanted: bytes) -> bytes | None:
    """Return the value of a header, the last one if there are several; None if there is none."""
    value = None
    if scope["type"] != "lifespan":
        for name, content in scope["headers"]:
            if name == wanted:
                value = content
    return value


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
    if scheme in (b"http", b"https", b"ws", b"wss"):  # some proxies say the latter of a WebSocket
        secure = scheme in (b"https", b"wss")
        if scope["type"] == "http":
            scope["scheme"] = "https" if secure else "http"
        else:
            scope["scheme"] = "wss" if secure else "ws"


def extensions_are_sound(scope: Scope) -> bool:
    """True if hypercorn can accept the extensions of a WebSocket; it tries that when it is too late to refuse them.

    Our own server has removed all extensions by now.
    """
    offer = header(scope, b"sec-websocket-extensions")
    try:
        server_extensions_handshake(split_comma_header(offer or b""), [PerMessageDeflate()])
    except ValueError:  # client_max_window_bits=abc
        return False
    return True


def has_body(scope: HTTPScope) -> bool:
    """True if the request announces a body."""
    for name, value in scope["headers"]:
        if name == b"transfer-encoding" or (name == b"content-length" and value != b"0"):
            return True
    return False


def may_be_long(scope: HTTPScope, protection: Protection) -> bool:
    """True if the request's body may be longer than those of most paths are allowed to be."""
    length = header(scope, b"content-length") or b""
    known_short = length.isdigit() and int(length) <= protection.limits.body_bytes
    return scope["path"] in protection.bodies and not known_short


async def with_body(
    scope: HTTPScope, receive: ASGIReceiveCallable, send: ASGISendCallable, protection: Protection
) -> ASGIReceiveCallable | None:
    """Read the whole body of a request, and return a `receive` that hands it to the application.

    Waits for the client, `request_s` of the limits at most. None if the request was refused, or its client has
    disconnected.
    """
    most, words = protection.longest_body(scope["path"])
    length = header(scope, b"content-length")
    if length is not None and not length.isdigit():
        await refuse(scope, send, 400, BAD_LENGTH, close=True)
        return None
    if length is not None and int(length) > most:
        await refuse(scope, send, 413, words, close=True)
        return None
    messages: list[ASGIReceiveEvent] = []
    size = 0
    with trio.move_on_after(protection.limits.request_s) as timeout:
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None  # disconnected
            messages.append(message)
            size += len(message["body"])
            if size > most:
                await refuse(scope, send, 413, words, close=True)
                return None
            if not message["more_body"]:
                break
    if timeout.cancelled_caught:
        await refuse(scope, send, 408, TOO_SLOW, close=True)
        return None
    messages.reverse()

    async def replay() -> ASGIReceiveEvent:
        return messages.pop() if messages else await receive()

    return replay


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
        await send({"type": "http.response.start", "status": status, "headers": headers, "trailers": False})
        await send({"type": "http.response.body", "body": body, "more_body": False})
