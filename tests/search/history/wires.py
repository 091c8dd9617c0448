"""The connections of recording players to a real server beside the WebSocket: lines, and HTTP with keep-alive.

They are minimal. Every failure of the connection raises `Cut`: see `tests.support.websocket`.
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
    """Lines of text, as in telnet."""

    def __init__(self, stream: trio.SocketStream) -> None:
        super().__init__(stream)
        self._buffer = b""

    @classmethod
    async def connect(cls, host: str, port: int) -> Lines:
        """Raises Cut if the server does not listen."""
        return cls(await connect(host, port))

    async def send(self, line: str) -> None:
        """Send a line. The server may have got the line even if this call fails."""
        with cutting():
            await self.stream.send_all(f"{line}\r\n".encode())

    async def line(self) -> str:
        """Read the next line, with one newline character. A cancellation loses nothing. Raises Cut at the end."""
        while b"\n" not in self._buffer:
            self._buffer += await self.chunk()
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode().removesuffix("\r") + "\n"


class Http(Wire):
    """One connection for several requests, one after another."""

    def __init__(self, stream: trio.SocketStream) -> None:
        super().__init__(stream)
        self._buffer = b""

    @classmethod
    async def connect(cls, host: str, port: int) -> Http:
        """Raises Cut if the server does not listen."""
        return cls(await connect(host, port))

    async def send(self, method: str, path: str) -> None:
        """Send a request. The server may have got the request even if this call fails."""
        with cutting():
            await self.stream.send_all(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

    async def receive(self) -> Answer:
        """Read the answer. A cancellation loses nothing. Raises Cut if the server closes before the answer's end."""
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            self._buffer += await self.chunk()
        line, *fields = self._buffer[:end].decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (field.partition(": ") for field in fields)}
        begin, length = end + 4, int(headers["content-length"])
        while len(self._buffer) < begin + length:
            self._buffer += await self.chunk()
        body, self._buffer = self._buffer[begin : begin + length], self._buffer[begin + length :]
        return Answer(int(line.split()[1]), headers.get("etag"), body.decode())
