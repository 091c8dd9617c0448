"""A one-line ASGI application behind the protection, and raw connections to it, for tests of the protection."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import trio
from hypercorn.typing import ASGIFramework, ASGIReceiveCallable, ASGISendCallable, Scope

from scramble.server.http.server import serve_app
from scramble.server.listening import Address
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.middleware import Protection
from scramble.server.traffic import Traffic

Stream = trio.SocketStream | trio.SSLStream[trio.SocketStream]

UPGRADE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


async def lifespan(receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """Answer the start and the shutdown; do nothing else."""
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await send({"type": "lifespan.shutdown.complete"})


async def hello(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """Answer a request with its client's address, its scheme and the length of its body; accept every WebSocket."""
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
        return
    client = scope["client"]
    assert client is not None
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept", "subprotocol": None, "headers": []})
        await trio.sleep_forever()
    size = 0
    while (message := await receive())["type"] == "http.request":
        size += len(message["body"])
        if not message["more_body"]:
            break
    body = f"{client[0]} {scope['scheme']} {size}".encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


class Asked:
    """A server, and connections to it."""

    def __init__(self, address: Address, traffic: Traffic, client_tls: ssl.SSLContext | None) -> None:
        self.address = address
        self.traffic = traffic
        self._tls = client_tls

    async def connect(self) -> Stream:
        """Open a connection, over TLS if the server uses it."""
        stream = await trio.open_tcp_stream(self.address.host, self.address.port)
        return stream if self._tls is None else trio.SSLStream(stream, self._tls, server_hostname="localhost")

    async def exchange(self, request: str | bytes, *, half_close: bool = False) -> str:
        """Send a request; return all data until the server closes the connection."""
        async with await self.connect() as stream:
            await stream.send_all(request if isinstance(request, bytes) else request.encode())
            if half_close and isinstance(stream, trio.SocketStream):
                await stream.send_eof()
            return await rest(stream)

    async def ask(self, *headers: str, method: str = "GET", body: str = "") -> str:
        """Send a request with `Connection: close` on a new connection; return the answer."""
        lines = [f"{method} / HTTP/1.1", "Host: localhost", "Connection: close", *headers, "", body]
        return await self.exchange("\r\n".join(lines))

    async def upgrade(self, *headers: str, host: str = "localhost") -> str:
        """Send a WebSocket's handshake; return the head of the answer, and also its body if it is a refusal."""
        more = "".join(f"{header}\r\n" for header in headers)
        async with await self.connect() as stream:
            await stream.send_all(f"GET /play HTTP/1.1\r\nHost: {host}\r\n{UPGRADE}{more}\r\n".encode())
            head = await until(stream, b"\r\n\r\n")
            return head if head.startswith("HTTP/1.1 101 ") else head + await rest(stream)


async def rest(stream: Stream) -> str:
    """Return all data until the end of the stream."""
    data = b""
    try:
        async for part in stream:
            data += part
    except (trio.BrokenResourceError, ssl.SSLError):
        data += b"<reset>"
    return data.decode()


async def until(stream: Stream, end: bytes) -> str:
    """Return the received text until these bytes, possibly with more text after them."""
    data = b""
    while end not in data:
        part = await stream.receive_some()
        assert part, f"closed after {data!r}"
        data += part
    return data.decode()


@asynccontextmanager
async def asked(
    limits: ServerLimits | None = None,
    *,
    app: ASGIFramework = hello,
    origins: tuple[str, ...] = (),
    host_names: tuple[str, ...] = (),
    seats: bool = False,
    behind_proxy: bool = False,
    tls: ssl.SSLContext | None = None,
    client_tls: ssl.SSLContext | None = None,
) -> AsyncIterator[Asked]:
    """Serve `app` on a free port until the end of the block."""
    protection = Protection(limits or ServerLimits(), origins, host_names, seats, behind_proxy, tls)
    traffic = Traffic()
    async with trio.open_nursery() as nursery:
        serve = partial(serve_app, app, host="127.0.0.1", port=0, protection=protection, traffic=traffic)
        yield Asked(await nursery.start(serve), traffic, client_tls)
        nursery.cancel_scope.cancel()


def status(answer: str) -> int:
    """Return the status of an answer."""
    assert answer.startswith("HTTP/1.1 "), answer
    return int(answer.split()[1])


def words(answer: str) -> str:
    """Return the body of an answer that is one line of text."""
    head, _, body = answer.partition("\r\n\r\n")
    fields = head.lower().split("\r\n")
    assert "content-type: text/plain; charset=utf-8" in fields, head
    assert "x-content-type-options: nosniff" in fields, head
    assert body.endswith("\n"), body
    assert body.count("\n") == 1, body
    return body[:-1]
