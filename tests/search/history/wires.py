"""The ways of recording players to a real server beside the WebSocket: lines, and HTTP with keep-alive.

They are as thin as can be, and any failure of the connection is `Cut`: see `tests.support.websocket`.
"""

from __future__ import annotations

from typing import NamedTuple

import trio

from tests.support.websocket import Wire, connect, cutting


class Answer(NamedTuple):
    """An HTTP answer."""

    status: int
    etag: str | None
    body: str


class Lines(Wire):
    """Lines of text, as telnet has them."""

    def __init__(self, stream: trio.SocketStream) -> None:
        super().__init__(stream)
        self._buffer = b""

    @classmethod
    async def connect(cls, host: str, port: int) -> Lines:
        """Raises Cut if nobody listens."""
        return cls(await connect(host, port))

    async def send(self, line: str) -> None:
        """Send a line. Once this has begun it may have come to the server, whatever happens."""
        with cutting():
            await self.stream.send_all(f"{line}\r\n".encode())

    async def line(self) -> str:
        """The next line, with one newline character. If cancelled, nothing is lost. Raises Cut at the end."""
        while b"\n" not in self._buffer:
            self._buffer += await self.chunk()
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
        return cls(await connect(host, port))

    async def send(self, method: str, path: str) -> None:
        """Send a request. Once this has begun it may have come to the server, whatever happens."""
        with cutting():
            await self.stream.send_all(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

    async def receive(self) -> Answer:
        """The answer. If cancelled, nothing of it is lost. Raises Cut if the server closes before all of it."""
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            self._buffer += await self.chunk()
        line, *fields = self._buffer[:end].decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (field.partition(": ") for field in fields)}
        begin, length = end + 4, int(headers["content-length"])
        while len(self._buffer) < begin + length:
            self._buffer += await self.chunk()
        body, self._buffer = self._buffer[begin : begin + length], self._buffer[begin + length :]
        return Answer(int(line.split()[1]), headers.get("etag"), body.decode())
