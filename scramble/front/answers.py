"""Answers that are the same whoever asks: refusals in words, and the headers that say what a browser must not do."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

NOSNIFF: Final = {"X-Content-Type-Options": "nosniff"}

NOT_KEPT: Final = {"Cache-Control": "no-store", **NOSNIFF}

TEXT: Final = {"Content-Type": "text/plain; charset=utf-8", **NOT_KEPT}
"""The headers of a line of text."""

_HEADERS: Final = [(name.lower().encode(), value.encode()) for name, value in TEXT.items()] + [
    (b"access-control-allow-origin", b"*")  # so that a page from elsewhere can tell its reader why
]

Headers = list[tuple[bytes, bytes]]


def refusal(
    words: str, *, retry_after_s: int | None = None, close: bool = False, more: Headers | None = None
) -> tuple[Headers, bytes]:
    """The headers and the body of an answer that says why there is no other; `close`: nor will there be, here."""
    body = f"{words}\n".encode()
    headers = [*_HEADERS, (b"content-length", str(len(body)).encode()), *(more or [])]
    if retry_after_s is not None:
        headers.append((b"retry-after", str(retry_after_s).encode()))
    if close:
        headers.append((b"connection", b"close"))
    return headers, body


def in_full(status: int, words: str, *, retry_after_s: int | None = None) -> bytes:
    """A refusal as the bytes of an HTTP/1.1 answer after which the connection is closed."""
    headers, body = refusal(words, retry_after_s=retry_after_s, close=True)
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode(), *(b": ".join(header) for header in headers)]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body
