"""What stands between the connections and a game's handlers: who may ask, how fast, from which page, and how much.

    app = guard(app, Protection(limits, origins=("https://play.example.org",)))

A request that is refused here costs next to nothing, and is answered in words:

    403     the handshake of a WebSocket from a page of another origin
    408     a body that takes too long to come
    413     a body that is too long
    429     too many requests from that address; Retry-After says when the next may come
    503     behind a proxy: too many requests and WebSockets at once from that address

Bodies are read before the request is handed on, so that no handler waits for a client to send one; none needs it.

Safe under concurrency: what is counted changes between two awaits (see `crowd`).
"""

from __future__ import annotations

import ssl
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

import trio
from hypercorn.typing import ASGIFramework, ASGIReceiveCallable, ASGIReceiveEvent, ASGISendCallable, Scope

from scramble.front.answers import refusal
from scramble.front.crowd import FULL_BY_ADDRESS, Crowd, Pace
from scramble.front.limits import Limits

TOO_FAST: Final = "too many requests from your address: try again in {} s"
TOO_MUCH: Final = "the request's body is too long: {} bytes at most, and none is needed"
TOO_SLOW: Final = "the request's body took too long to come"
BAD_LENGTH: Final = "the length of the request's body is not a number"
FOREIGN: Final = "pages from {} may not play here: this server takes WebSockets from {} only"

PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Protection:
    """What a server does for its safety. The defaults are those of the serving commands."""

    limits: Limits = field(default_factory=Limits)
    origins: tuple[str, ...] = ()  # whose pages may open the WebSocket; none: all may
    seats: bool = False  # whether a player's name belongs to whoever took it first; see `seats`
    behind_proxy: bool = False  # clients are whom the X-Forwarded-For of a trusted proxy names
    tls: ssl.SSLContext | None = None  # for HTTPS; see `tls.server_context`


def parse_origin(text: str) -> str:
    """An origin such as `https://play.example.org`, as browsers write it. Raises ValueError if it is none."""
    parts = urlsplit(text.strip())
    try:
        port = parts.port
    except ValueError:
        port = -1
    if (
        parts.scheme not in PORTS
        or not parts.hostname
        or port == -1
        or parts.path not in ("", "/")
        or any((parts.query, parts.fragment, parts.username))
    ):
        raise ValueError(f"{text!r} is not an origin such as https://play.example.org or http://192.168.1.5:8080")
    host = parts.hostname if parts.hostname.isascii() else parts.hostname.encode("idna").decode()
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}" if port in (None, PORTS[parts.scheme]) else f"{parts.scheme}://{host}:{port}"


def guard(app: ASGIFramework, protection: Protection) -> ASGIFramework:
    """The same application, for requests that keep within the limits."""
    limits = protection.limits
    origins = frozenset(origin.encode() for origin in protection.origins)
    pace = Pace(limits)
    crowd = Crowd(limits.connections, limits.connections_by_address) if protection.behind_proxy else None

    async def guarded(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        if protection.behind_proxy:
            believe_proxy(scope)
        host = scope["client"][0] if scope["client"] else ""
        wait_s = pace.wait_s(host)
        if wait_s:
            await refuse(scope, send, 429, TOO_FAST.format(wait_s), retry_after_s=wait_s)
            return
        if crowd is not None and crowd.refusal(host) is not None:
            await refuse(scope, send, 503, FULL_BY_ADDRESS, retry_after_s=1)
            return
        with nullcontext() if crowd is None else crowd.here(host):
            if scope["type"] == "websocket":
                origin = header(scope, b"origin")
                if origins and origin is not None and origin not in origins:
                    allowed = " and ".join(sorted(protection.origins))
                    await refuse(scope, send, 403, FOREIGN.format(origin.decode("ascii", "replace"), allowed))
                    return
                await app(scope, receive, send)
            elif has_body(scope):
                whole = await with_body(scope, receive, send, limits)
                if whole is not None:
                    await app(scope, whole, send)
            else:
                await app(scope, receive, send)

    return guarded


def header(scope: Scope, wanted: bytes) -> bytes | None:
    """A header's value, the last one; None if there is none."""
    value = None
    if scope["type"] != "lifespan":
        for name, content in scope["headers"]:
            if name == wanted:
                value = content
    return value


def believe_proxy(scope: Scope) -> None:
    """Put into `scope` what the nearest proxy says of the client: its address, and by which scheme it asks."""
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
    if scheme in (b"http", b"https"):
        secure = scheme == b"https"
        if scope["type"] == "http":
            scope["scheme"] = "https" if secure else "http"
        else:
            scope["scheme"] = "wss" if secure else "ws"


def has_body(scope: Scope) -> bool:
    """Whether the client has announced a body."""
    if scope["type"] != "http":
        return False
    for name, value in scope["headers"]:
        if name == b"transfer-encoding" or (name == b"content-length" and value != b"0"):
            return True
    return False


async def with_body(
    scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable, limits: Limits
) -> ASGIReceiveCallable | None:
    """Take a request's body in, whole; what then gives it to the application. None if it was refused, or never came."""
    length = header(scope, b"content-length")
    if length is not None and not length.isdigit():
        await refuse(scope, send, 400, BAD_LENGTH, close=True)
        return None
    if length is not None and int(length) > limits.body_bytes:
        await refuse(scope, send, 413, TOO_MUCH.format(limits.body_bytes), close=True)
        return None
    came: list[ASGIReceiveEvent] = []
    size = 0
    with trio.move_on_after(limits.request_s) as patience:
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None  # it has gone
            came.append(message)
            size += len(message["body"])
            if size > limits.body_bytes:
                await refuse(scope, send, 413, TOO_MUCH.format(limits.body_bytes), close=True)
                return None
            if not message["more_body"]:
                break
    if patience.cancelled_caught:
        await refuse(scope, send, 408, TOO_SLOW, close=True)
        return None
    came.reverse()

    async def replay() -> ASGIReceiveEvent:
        return came.pop() if came else await receive()

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
    """Answer a request, or the handshake of a WebSocket."""
    headers, body = refusal(words, retry_after_s=retry_after_s, close=close or scope["type"] == "websocket")
    if scope["type"] == "websocket":
        await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": body, "more_body": False})
    else:
        await send({"type": "http.response.start", "status": status, "headers": headers, "trailers": False})
        await send({"type": "http.response.body", "body": body, "more_body": False})
