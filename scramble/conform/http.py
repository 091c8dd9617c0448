"""One HTTP request over one connection, for servers that may break HTTP.

A case asks over a connection of its own for each request: so a server that loses a connection breaks one answer only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import h11
import trio

from scramble.conform.cases import Broken

READ_BYTES: Final = 65_536
MOST_BYTES: Final = 4_000_000
"""The longest body that is read. A board of 100 x 100 cards has a twentieth."""


@dataclass(frozen=True)
class Answer:
    """A complete response."""

    status: int
    headers: tuple[tuple[str, str], ...]
    """Names in lower case, with their values."""

    body: bytes

    def header(self, name: str) -> str | None:
        """Return the first value of a header; `name` is in lower case."""
        return next((value for key, value in self.headers if key == name), None)

    @property
    def text(self) -> str:
        """The body as text. Bytes that are not UTF-8 become U+FFFD."""
        return self.body.decode(errors="replace")

    def told(self) -> str:
        """Return the answer for people."""
        return f"{self.status} {self.text}"


def netloc(host: str, port: int) -> str:
    """Return host and port as in a URL (RFC 3986, 3.2.2)."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def ask(
    host: str, port: int, method: str, target: str, headers: tuple[tuple[str, str], ...] = (), body: bytes = b""
) -> Answer:
    """Send one request, and return the answer. It waits for the whole answer; cancelling closes the connection.

    Raises Broken if the server refuses or loses the connection, or if its answer is not HTTP.
    """
    wire = h11.Connection(h11.CLIENT)
    sent = [("Host", netloc(host, port)), ("Connection", "close"), *headers]
    if body:
        sent.append(("Content-Length", str(len(body))))
    data = wire.send(h11.Request(method=method, target=target, headers=sent)) or b""
    if body:
        data += wire.send(h11.Data(data=body)) or b""
    data += wire.send(h11.EndOfMessage()) or b""
    try:
        stream = await trio.open_tcp_stream(host, port)
    except OSError as error:
        raise Broken(f"the server accepts no connection: {error}") from None
    async with stream:
        try:
            await stream.send_all(data)
            return await _answer(wire, stream)
        except trio.BrokenResourceError:
            raise Broken("the server broke the connection before the answer was complete") from None
        except h11.RemoteProtocolError as error:
            raise Broken(f"the answer is not HTTP: {error}") from None


async def _answer(wire: h11.Connection, stream: trio.SocketStream) -> Answer:
    head: h11.Response | None = None
    body = bytearray()
    while True:
        event = wire.next_event()
        if event is h11.NEED_DATA:
            data = await stream.receive_some(READ_BYTES)
            if not data and head is None:
                raise Broken("the server closed the connection without an answer")
            if not data and wire.their_state is h11.SEND_BODY and _has_length(head):
                raise Broken("the server closed the connection before the answer was complete")
            wire.receive_data(data)
        elif isinstance(event, h11.Response):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
            if len(body) > MOST_BYTES:
                raise Broken(f"the answer is longer than {MOST_BYTES} bytes")
        elif isinstance(event, h11.EndOfMessage | h11.ConnectionClosed):
            assert head is not None
            names = tuple((name.decode("ascii"), value.decode("latin-1")) for name, value in head.headers)
            return Answer(head.status_code, names, bytes(body))


def _has_length(head: h11.Response | None) -> bool:
    """Return True if the end of the body does not need the end of the connection."""
    names = {name for name, _ in head.headers} if head is not None else set()
    return bool(names & {b"content-length", b"transfer-encoding"})
