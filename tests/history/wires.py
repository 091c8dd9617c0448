"""The ways to a real server, as thin as can be: lines, HTTP with keep-alive, and a WebSocket. No more than tests need.

They are the tests' own, because tests must know what an ordinary client hides: that a request was sent but not
answered, and that the server has closed the connection, which it does when it has finished with all that came over it.
Any failure of the connection is `Cut`.
"""

from __future__ import annotations

import json
import socket
import struct
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple, cast

import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Event, Ping, Request, TextMessage
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

CHUNK_BYTES = 65536

Frame = Mapping[str, object]


class Cut(Exception):
    """There is no connection any more."""


class Answer(NamedTuple):
    """An HTTP answer."""

    status: int
    etag: str | None
    body: str


@contextmanager
def _cutting() -> Iterator[None]:
    try:
        yield
    except (trio.BrokenResourceError, trio.ClosedResourceError, RemoteProtocolError, LocalProtocolError, OSError):
        raise Cut from None


async def _connect(host: str, port: int) -> trio.SocketStream:
    """Without happy eyeballs; raises Cut."""
    sock = trio.socket.socket()
    try:
        await sock.connect((host, port))
    except OSError:
        sock.close()
        raise Cut from None
    except trio.Cancelled:
        sock.close()
        raise
    return trio.SocketStream(sock)


class Wire:
    """What all connections have in common."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream

    async def finish(self) -> None:
        """Tell the server that nothing more will come; an answer may still."""
        with _cutting():
            self._stream.socket.shutdown(socket.SHUT_WR)

    async def reset(self) -> None:
        """Be gone, without a farewell."""
        with suppress(OSError):  # the server may have closed it
            self._stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await self.aclose()

    async def aclose(self) -> None:
        """Close it, without a farewell."""
        await trio.aclose_forcefully(self._stream)

    async def _chunk(self) -> bytes:
        """What comes next. Raises Cut once the server has closed."""
        with _cutting():
            chunk = await self._stream.receive_some(CHUNK_BYTES)
        if not chunk:
            raise Cut
        return bytes(chunk)


class Lines(Wire):
    """Lines of text, as telnet has them."""

    def __init__(self, stream: trio.SocketStream) -> None:
        super().__init__(stream)
        self._buffer = b""

    @classmethod
    async def connect(cls, host: str, port: int) -> Lines:
        """Raises Cut if nobody listens."""
        return cls(await _connect(host, port))

    async def send(self, line: str) -> None:
        """Send a line. Once this has begun it may have come to the server, whatever happens."""
        with _cutting():
            await self._stream.send_all(f"{line}\r\n".encode())

    async def line(self) -> str:
        """The next line, with one newline character. If cancelled, nothing is lost. Raises Cut at the end."""
        while b"\n" not in self._buffer:
            self._buffer += await self._chunk()
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode().removesuffix("\r") + "\n"


class Http(Wire):
    """One connection, over which one request after another is sent."""

    def __init__(self, stream: trio.SocketStream) -> None:
        super().__init__(stream)
        self._buffer = b""

    @classmethod
    async def connect(cls, host: str, port: int) -> Http:
        """Raises Cut if nobody listens."""
        return cls(await _connect(host, port))

    async def send(self, method: str, path: str) -> None:
        """Send a request. Once this has begun it may have come to the server, whatever happens."""
        with _cutting():
            await self._stream.send_all(f"{method} {path} HTTP/1.1\r\nHost: scramble\r\n\r\n".encode())

    async def receive(self) -> Answer:
        """The answer. If cancelled, nothing of it is lost. Raises Cut if the server closes before all of it."""
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            self._buffer += await self._chunk()
        line, *fields = self._buffer[:end].decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (field.partition(": ") for field in fields)}
        begin, length = end + 4, int(headers["content-length"])
        while len(self._buffer) < begin + length:
            self._buffer += await self._chunk()
        body, self._buffer = self._buffer[begin : begin + length], self._buffer[begin + length :]
        return Answer(int(line.split()[1]), headers.get("etag"), body.decode())


class Socket(Wire):
    """A WebSocket: frames of JSON out and in."""

    def __init__(self, stream: trio.SocketStream) -> None:
        super().__init__(stream)
        self._protocol = WSConnection(ConnectionType.CLIENT)
        self._frames: deque[Frame] = deque()
        self._text = ""
        self._ended = False
        self._sending = trio.Lock()  # answers to pings are sent by whoever reads

    @classmethod
    async def connect(cls, host: str, port: int, path: str) -> Socket:
        """Raises Cut if nobody listens."""
        opened = cls(await _connect(host, port))
        try:
            await opened._send(Request(host="scramble", target=path))
        except Cut:
            await opened.aclose()
            raise
        return opened

    async def send(self, frame: Frame) -> None:
        """Send a frame. Once this has begun it may have come to the server, whatever happens."""
        await self._send(TextMessage(json.dumps(frame)))

    async def receive(self) -> Frame:
        """The next frame. If cancelled, nothing is lost. Raises Cut once the server has closed, and not before."""
        while not self._frames:
            chunk = await self._chunk()
            if not self._ended:
                await self._take(chunk)
        return self._frames.popleft()

    async def _send(self, event: Event) -> None:
        with _cutting():
            async with self._sending:
                await self._stream.send_all(self._protocol.send(event))

    async def _take(self, chunk: bytes) -> None:
        with _cutting():
            self._protocol.receive_data(chunk)
            for event in self._protocol.events():
                match event:
                    case TextMessage():
                        self._text += event.data
                        if event.message_finished:
                            self._frames.append(cast(Frame, json.loads(self._text)))
                            self._text = ""
                    case Ping():
                        await self._send(event.response())
                    case CloseConnection():
                        self._ended = True  # what matters is when the server closes the connection below
                        await self._send(event.response())
                    case AcceptConnection():
                        pass
