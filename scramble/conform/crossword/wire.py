"""One TCP connection to a server: a task reads all that comes, and the transcript gets it.

For each line the transcript has a shell command that sends the same again: a FIFO holds the input of `nc` open, so that
the commands of several clients can be repeated in their order.
"""

from __future__ import annotations

import shlex
import socket
import struct
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import trio

from scramble.conform.cases import Broken, Silent
from scramble.conform.crossword.screens import Screen, Splitter
from scramble.conform.transcript import Exchange, Transcript, shortened

READ_BYTES: Final = 65_536
MOST_KEPT_BYTES: Final = 1_000_000
"""Bytes that are kept of what a server has sent."""

CLOSES_BY_RESET: Final = struct.pack("ii", 1, 0)


class Connection:
    """A connection with everything that has come over it."""

    def __init__(self, stream: trio.SocketStream, client: str, number: int, transcript: Transcript) -> None:
        """`number`: of the connection in its case, for the shell's file descriptors."""
        self.client: Final = client
        self.received: Final = bytearray()
        self.screens: Final[deque[Screen]] = deque()
        self.has_ended = False
        """True as soon as the server has closed the connection."""

        self._is_dropped = False
        self._stream: Final = stream
        self._splitter: Final = Splitter()
        self._descriptor: Final = number + 3
        self._transcript: Final = transcript
        self._open: Exchange | None = None
        self._news = trio.Event()

    @classmethod
    async def open(
        cls, host: str, port: int, client: str, number: int, transcript: Transcript, nursery: trio.Nursery
    ) -> Connection:
        """Connect, and begin to read. Raises Broken if the server accepts no connection."""
        fifo = shlex.quote(client)
        again = f"mkfifo {fifo}; nc {host} {port} <{fifo} & exec {number + 3}>{fifo}; sleep 1"
        exchange = transcript.begin(client, "(connects)", again)
        try:
            stream = await trio.open_tcp_stream(host, port)
        except OSError as error:
            transcript.end(exchange, str(error))
            raise Broken(f"the server accepts no connection: {error}") from None
        connection = cls(stream, client, number, transcript)
        transcript.end(exchange, "connected")
        nursery.start_soon(connection._read)
        return connection

    @property
    def has_begun(self) -> bool:
        """True as soon as the title line of a screen has come."""
        return self._splitter.has_begun

    async def _read(self) -> None:
        try:
            async for data in self._stream:
                self.received.extend(data[: MOST_KEPT_BYTES - len(self.received)])
                for screen in self._splitter.feed(bytes(data)):
                    self._came(screen)
                self._wake()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        for screen in self._splitter.end():
            self._came(screen)
        self.has_ended = True
        if not self._is_dropped:
            self._answered("the server closed the connection")
        self._wake()

    def _came(self, screen: Screen) -> None:
        self.screens.append(screen)
        if self._open is None:
            self._open = self._transcript.begin(self.client, "(a screen comes)", "sleep 1")
        self._answered(screen.text)

    def _answered(self, came: str) -> None:
        """End the exchange that has no answer yet, if there is one."""
        if self._open is not None:
            self._transcript.end(self._open, came)
            self._open = None

    def _wake(self) -> None:
        self._news.set()
        self._news = trio.Event()

    async def wait(self, is_there: Callable[[], bool], seconds: float) -> bool:
        """Wait until something has come. Return False if it has not come in time, or if the connection has ended."""
        with trio.move_on_after(seconds):
            while not is_there() and not self.has_ended:
                await self._news.wait()
        return is_there()

    async def hears(self, seconds: float) -> bool:
        """Wait until the first bytes have come. Return False if none come in time."""
        return await self.wait(lambda: bool(self.received), seconds)

    async def send(self, data: bytes, *, told: str = "") -> None:
        """Send bytes. `told`: the same in the transcript. A lost connection is no error: a later wait finds it."""
        text = data.decode(errors="backslashreplace")
        again = f"printf {_quoted(data)} >&{self._descriptor}; sleep 1"
        self._open = self._transcript.begin(self.client, told or shortened(text.rstrip("\r\n"), 200), again)
        try:
            await self._stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self._answered("the connection is closed")

    def heard(self) -> None:
        """Note in the transcript all that has come, for a server that sends no screens."""
        self._answered(self.received.decode(errors="replace"))

    async def next_screen(self, patience_s: float, why: str) -> Screen:
        """Return the next screen. Raises Silent if it does not come in time, and Broken if the connection has ended."""
        if not await self.wait(lambda: bool(self.screens), patience_s):
            if self.has_ended:
                raise Broken(f"the server closed {self.client}'s connection, but {why}")
            begun = self._splitter.begun()
            half = f" (this screen is not complete: {shortened(begun, 300)!r})" if begun else ""
            raise Silent(f"{self.client} got no screen within {patience_s:.3g} s, but {why}{half}")
        return self.screens.popleft()

    async def half_close(self) -> None:
        """Close the sending half."""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await self._stream.send_eof()

    def close(self, *, reset: bool = False) -> None:
        """Close the connection. `reset`: with a reset, as a client that crashes."""
        again = f"exec {self._descriptor}>&-"
        self._transcript.end(self._transcript.begin(self.client, "(leaves)", again), "")
        if reset:
            self._stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, CLOSES_BY_RESET)
        self.drop()

    def drop(self) -> None:
        """Close the connection at the end of its case. A closed connection stays closed."""
        self._is_dropped = True
        self._stream.socket.close()


def _quoted(data: bytes) -> str:
    """Return the bytes as an argument of the shell's printf. Long data becomes the beginning and a comment."""
    shown = "".join(
        _ESCAPES.get(byte, chr(byte)) if 32 <= byte < 127 or byte in _ESCAPES else f"\\{byte:03o}"
        for byte in data[:400]
    )
    return shlex.quote(shown) + (f" `# {len(data) - 400} more bytes`" if len(data) > 400 else "")


_ESCAPES: Final = {10: "\\n", 13: "\\r", 9: "\\t", 92: "\\\\", 37: "%%"}
