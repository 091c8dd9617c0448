"""Refusals: answers in a line of text, with headers that tell a browser not to cache it and not to guess its type.

`refusal` is for servers below ASGI and for ASGI middleware, `add_refusals` for a Quart application.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

import msgspec
from quart import Response, request
from quart_trio import QuartTrio
from werkzeug.exceptions import HTTPException

from scramble.errors import CallerError, GameMoved, ScrambleError

NOSNIFF: Final = {"X-Content-Type-Options": "nosniff"}

NOT_KEPT: Final = {"Cache-Control": "no-store", **NOSNIFF}

TEXT: Final = {"Content-Type": "text/plain; charset=utf-8", **NOT_KEPT}
"""The headers of a line of text."""

MOVING_S: Final = 1
"""Seconds after which another process has nearly always taken over a game."""

Headers = list[tuple[bytes, bytes]]


def encoded(headers: Mapping[str, str]) -> Headers:
    """Return headers in ASGI's form."""
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


_HEADERS: Final = encoded(TEXT | {"Access-Control-Allow-Origin": "*"})  # so pages of other origins can show the reason


def refusal(
    words: str, *, retry_after_s: int | None = None, close: bool = False, more: Headers | None = None
) -> tuple[Headers, bytes]:
    """Return the headers and the body of a refusal. With `close`, the answer ends the connection."""
    body = f"{words}\n".encode()
    headers = [*_HEADERS, (b"content-length", str(len(body)).encode()), *(more or [])]
    if retry_after_s is not None:
        headers.append((b"retry-after", str(retry_after_s).encode()))
    if close:
        headers.append((b"connection", b"close"))
    return headers, body


def json_refusal(error: ScrambleError, *, close: bool = False) -> tuple[Headers, bytes]:
    """Return the headers and the body of a refusal in JSON. With `close`, the answer ends the connection."""
    body = msgspec.json.encode(frame_of(error)) + b"\n"
    headers = encoded(NOT_KEPT | {"Content-Type": "application/json", "Content-Length": str(len(body))})
    return headers + [(b"connection", b"close")] * close, body


def frame_of(error: ScrambleError) -> dict[str, object]:
    """Return the fields of an error for programs and pages."""
    return {"error": str(error), "code": error.code, "params": dict(error.params)}


def refusal_bytes(status: int, words: str, *, retry_after_s: int | None = None) -> bytes:
    """Return a refusal as the bytes of a complete HTTP/1.1 answer that ends the connection."""
    headers, body = refusal(words, retry_after_s=retry_after_s, close=True)
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode(), *(b": ".join(header) for header in headers)]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def retry_after(error: ScrambleError) -> dict[str, str]:
    """Return the Retry-After header, if the error has a waiting time."""
    wait_s = MOVING_S if isinstance(error, GameMoved) else error.params.get("wait_s")
    return {} if wait_s is None else {"Retry-After": str(wait_s)}


def add_refusals(app: QuartTrio) -> None:
    """Make `app` answer errors of the caller with a line of text instead of werkzeug's HTML page."""

    @app.errorhandler(CallerError)
    @app.errorhandler(GameMoved)
    async def refused(error: ScrambleError) -> Response:
        return Response(f"{error}\n", error.status, TEXT | retry_after(error))

    @app.errorhandler(HTTPException)
    async def not_understood(error: HTTPException) -> Response:
        status = error.code or 500
        reason = error.name.lower()
        if status == 404:
            reason = "no such page"
        elif status == 405:
            reason = f"{request.method} is not possible here"
        allow = [value for name, value in error.get_headers() if name == "Allow"]
        return Response(f"{reason}\n", status, TEXT | ({"Allow": allow[0]} if allow else {}))
