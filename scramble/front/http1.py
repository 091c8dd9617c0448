"""hypercorn's HTTP/1.1 protocol, which says in words what it refuses.

hypercorn answers what is no HTTP, and what is too long, with a status and nothing else; here it is a line of text.
Two things that it would do are refused: a head (a request's line and headers) that is longer than the limit is refused
however it comes, not only if it comes in pieces; and a connection is never taken over by HTTP/2, which none of what
stands around this protocol is made for.

It leaves the connection open whose WebSocket it has refused by itself, and fails at a handshake that is not ASCII.
Here that is refused before it sees it, and such a connection ends. So is a request for what is no path, and a Host
header that names no host: what stands behind hypercorn would fail at them.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import h11
from hypercorn.events import Closed, Event
from hypercorn.protocol.h11 import H11Protocol
from hypercorn.protocol.ws_stream import Handshake, WSStream

from scramble.front.answers import refusal

LINE_BYTES = 4  # ": " and CRLF

WORDS = {
    400: "this is not HTTP/1.1 as it should be",
    408: "the request took too long to come",
    431: "the request's headers are too long: {} bytes at most, its first line included",
    501: "a body is either chunked or has a length: nothing else is understood here",
    505: "this server speaks HTTP/1.1",
}
NO_PATH = "what a request asks for is a path, such as /look/alice"
NO_HOST = "the Host header is not the name of a host"
NO_HANDSHAKE = "this is not the handshake of a WebSocket of version 13"


class Protocol(H11Protocol):
    """HTTP/1.1 on one connection."""

    refused = False  # an answer has been given over the application's head; the connection ends with it

    @property
    def unfinished(self) -> bool:
        """Whether the client may still be sending what has been answered."""
        return self.refused or self.connection.their_state is h11.SEND_BODY

    async def handle(self, event: Event) -> None:
        """As hypercorn's."""
        await super().handle(event)
        if isinstance(self.stream, WSStream) and self.stream.closed and not self.refused:
            self.refused = True
            await self.send(Closed())

    async def refuse(self, status: int, words: str | None = None) -> None:
        """Answer a request that is not handed on."""
        self.refused = True
        said = words or WORDS.get(status, WORDS[400]).format(self.config.h11_max_incomplete_size)
        more = self.config.response_headers("h11")
        if status == 400 and words == NO_HANDSHAKE:
            more = [*more, (b"sec-websocket-version", b"13")]
        headers, body = refusal(said, close=True, more=more)
        await self._send_h11_event(h11.Response(status_code=status, headers=headers))
        await self._send_h11_event(h11.Data(data=body))
        await self._send_h11_event(h11.EndOfMessage())

    async def _send_error_response(self, status_code: int) -> None:
        await self.refuse(status_code)

    async def _check_protocol(self, event: h11.Request) -> None:
        pass  # it would look for HTTP/2

    async def _create_stream(self, request: h11.Request) -> None:
        size = len(request.method) + len(request.target) + 13  # "GET / HTTP/1.1" has three of them, and CRLF
        for name, value in request.headers:
            size += len(name) + len(value) + LINE_BYTES
        status, words = None, None
        if size > self.config.h11_max_incomplete_size:
            status = 431
        elif request.http_version not in (b"1.0", b"1.1"):
            status = 505
        elif not _asks_for_a_path(request):
            status, words = 400, NO_PATH
        elif not _names_a_host(request):
            status, words = 400, NO_HOST
        elif not _sound(request):
            status, words = 400, NO_HANDSHAKE
        if status is None:
            await super()._create_stream(request)
        else:
            await self.refuse(status, words)
            await self.send(Closed())


def _asks_for_a_path(request: h11.Request) -> bool:
    """Whether the target is a path, a whole URL or an asterisk (RFC 9112, 3.2): Quart fails at others."""
    if request.target.startswith(b"/") or request.target == b"*":
        return True
    try:
        return urlsplit(request.target.decode("ascii")).path.startswith("/")
    except ValueError:  # an address that is none
        return False


def _names_a_host(request: h11.Request) -> bool:
    """Whether the Host header, if any, can be the name of a host: werkzeug's router fails at one that cannot."""
    try:
        for name, value in request.headers:
            if name == b"host":
                value.decode("latin-1").partition(":")[0].encode("idna")
    except UnicodeError:
        return False
    return True


def _sound(request: h11.Request) -> bool:
    """Whether a request asks for no WebSocket, or does so by a handshake that is one."""
    if not any(name == b"upgrade" for name, _ in request.headers):
        return True
    upgrades = [value.lower() for name, value in request.headers if name == b"upgrade"]
    tokens = [t.strip() for name, value in request.headers if name == b"connection" for t in value.lower().split(b",")]
    if b"websocket" not in upgrades or b"upgrade" not in tokens or request.method != b"GET":
        return True
    try:
        return Handshake(list(request.headers), request.http_version.decode()).is_valid()
    except UnicodeDecodeError:
        return False
