"""The ASGI scope of a request or a WebSocket, as hypercorn makes it, for applications without a server."""

from __future__ import annotations

from typing import Literal, cast, overload
from urllib.parse import unquote

from hypercorn.typing import HTTPScope, WebsocketScope

from scramble.front.web.client import Client

Headers = list[tuple[bytes, bytes]]


@overload
def scope_of(kind: Literal["http"], target: bytes, headers: Headers = ..., method: str = ...) -> HTTPScope: ...


@overload
def scope_of(
    kind: Literal["websocket"], target: bytes, headers: Headers = ..., method: str = ...
) -> WebsocketScope: ...


def scope_of(
    kind: Literal["http", "websocket"], target: bytes, headers: Headers | None = None, method: str = "GET"
) -> HTTPScope | WebsocketScope:
    """Return the scope of a request for that target, on a connection from this machine."""
    path, _, query = target.partition(b"?")
    scope = {
        "type": kind,
        "asgi": {"spec_version": "2.3", "version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http" if kind == "http" else "ws",
        "path": unquote(path.decode("ascii")),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": [(b"host", b"x"), *(headers or [])],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
        "subprotocols": [],
        "state": {},
        "extensions": {},
    }
    return cast("HTTPScope | WebsocketScope", scope)


def anybody() -> Client:
    """Return a client without a secret, at a WebSocket."""
    return Client(scope_of("websocket", b"/"))
