"""The WebSocket client of all tests, with shared helpers.

The tests have their own client, because an ordinary client hides two facts: whether a sent message has no answer yet,
and whether the server processed all messages before it closed the connection. The client reads only when a test asks
for a message, and answers pings and close frames only during a read.
"""

from __future__ import annotations

import itertools
import json
import socket
import struct
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TypeVar, cast

import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, BytesMessage, CloseConnection, Event, Ping, Request, TextMessage
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from scramble.server.listening import Address

CHUNK_BYTES = 65536
LOST = 1006  # the code of an end without a close frame

Frame = dict[str, object]


class Cut(Exception):
    """The connection is lost."""


class Closed(Cut):
    """The connection has ended, with the code and the reason of the server's close frame, if there was one."""

    def __init__(self, code: int, reason: str | None) -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason


@contextmanager
def cutting() -> Iterator[None]:
    """Raise Cut for any failure of the connection."""
    try:
        yield
    except (trio.BrokenResourceError, trio.ClosedResourceError, RemoteProtocolError, LocalProtocolError, OSError):
        raise Cut from None


async def connect(host: str, port: int, receive_buffer: int | None = None) -> trio.SocketStream:
    """Connect; `receive_buffer` (bytes) is the size of the kernel's buffer. Raises Cut if no server listens."""
    sock = trio.socket.socket()
    if receive_buffer is not None:  # set before connecting: the handshake chooses the window
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    try:
        await sock.connect((host, port))
    except OSError:
        sock.close()
        raise Cut from None
    except trio.Cancelled:
        sock.close()
        raise
    return trio.SocketStream(sock)


class Wire(trio.abc.AsyncResource):
    """A connection of any protocol."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream

    async def finish(self) -> None:
        """Tell the server that no more data follows; an answer may still arrive."""
        with cutting():
            self.stream.socket.shutdown(socket.SHUT_WR)

    async def reset(self) -> None:
        """Disconnect like a crashed machine: with an RST."""
        with suppress(OSError):  # the server may have closed it
            self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connection without a close frame."""
        await trio.aclose_forcefully(self.stream)

    async def chunk(self) -> bytes:
        """Return the next bytes. Raises Cut if the server has closed the connection."""
        with cutting():
            chunk = await self.stream.receive_some(CHUNK_BYTES)
        if not chunk:
            raise Cut
        return bytes(chunk)


class WebSocket(Wire):
    """A WebSocket that sends and receives messages."""

    def __init__(self, stream: trio.SocketStream) -> None:
        super().__init__(stream)
        self.headers: dict[str, str] = {}  # the headers of the server's answer to the handshake
        self._accepted = False
        self.closed: Closed | None = None  # set when the close frame, or the end, was read
        self._protocol = WSConnection(ConnectionType.CLIENT)
        self._messages: deque[str] = deque()
        self._part = ""
        self._sending = trio.Lock()  # the reading task sends, too: it answers pings
        self._reading = trio.Lock()

    @classmethod
    async def connect(
        cls,
        host: str,
        port: int,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        receive_buffer: int | None = None,
        name: str = "127.0.0.1",
    ) -> WebSocket:
        """Return a WebSocket that the server has accepted; `name` is the value of the Host header.

        Raises Cut if no server listens, or the server does not accept the WebSocket.
        """
        opened = cls(await connect(host, port, receive_buffer))
        more = [(key.lower().encode(), value.encode()) for key, value in (headers or {}).items()]
        try:
            await opened._send(Request(host=name, target=path, extra_headers=more))
            while not opened._accepted:
                await opened._take(await opened.chunk())
        except BaseException:
            await opened.aclose()
            raise
        return opened

    async def send(self, message: Mapping[str, object] | str | bytes) -> None:
        """Send a message; a mapping is sent as JSON. The server may get it even if this call fails or is cancelled."""
        if isinstance(message, bytes):
            await self._send(BytesMessage(message))
        else:
            await self._send(TextMessage(message if isinstance(message, str) else json.dumps(message)))

    async def receive_text(self) -> str:
        """Return the next message, a text. Raises Closed only after the server has closed the connection."""
        while not self._messages:
            async with self._reading:
                if not self._messages:
                    await self._read()
        return self._messages.popleft()

    async def receive(self) -> Frame:
        """Return the next message, a JSON object."""
        return cast(Frame, json.loads(await self.receive_text()))

    async def leave(self, code: int = 1000) -> None:
        """Disconnect like a browser: send a close frame, and wait until the server has closed the connection."""
        with suppress(Cut):
            await self._send(CloseConnection(code))
            while True:
                async with self._reading:
                    await self._read()
        await self.aclose()

    async def _read(self) -> None:
        try:
            chunk = await self.chunk()
        except Cut:
            self.closed = self.closed or Closed(LOST, None)
            raise self.closed from None
        if self.closed is None:
            await self._take(chunk)

    async def _send(self, event: Event) -> None:
        with cutting():
            async with self._sending:
                await self.stream.send_all(self._protocol.send(event))

    async def _take(self, chunk: bytes) -> None:
        with cutting():
            self._protocol.receive_data(chunk)
            for event in self._protocol.events():
                match event:
                    case TextMessage():
                        self._part += event.data
                        if event.message_finished:
                            self._messages.append(self._part)
                            self._part = ""
                    case Ping():
                        await self._send(event.response())
                    case CloseConnection():
                        self.closed = Closed(event.code, event.reason)
                        with suppress(Cut):  # the server may be gone if this end has sent a close frame before
                            await self._send(event.response())
                    case AcceptConnection():
                        self.headers = {name.decode(): value.decode() for name, value in event.extra_headers}
                        self._accepted = True
                    case _:
                        raise Cut(str(event))


class Tab:
    """A WebSocket that stores all received frames, like a browser tab."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.frames: list[Frame] = []
        self.closed: int | None = None  # the code, after the end
        self._ids = itertools.count(1)
        self._news = trio.lowlevel.ParkingLot()

    def see(self, frame: Frame) -> None:
        """Process a frame of any type. Does nothing here; subclasses override it."""

    async def read(self) -> None:
        """Read one more frame, or the end of the connection."""
        try:
            frame = await self.socket.receive()
            self.frames.append(frame)
            self.see(frame)
        except Closed as closed:
            self.closed = closed.code
        self._news.unpark_all()

    async def read_all(self) -> None:
        """Read frames until the connection is closed."""
        while self.closed is None:
            await self.read()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the received frames make the condition true. A background task must be reading."""
        while not condition():
            if self.closed is not None:
                raise AssertionError(f"closed with {self.closed} before that, after {self.frames[-3:]}")
            await self._news.park()

    async def until_closed(self) -> int:
        """Wait for the end, and return its code."""
        while self.closed is None:
            await self._news.park()
        return self.closed

    async def say(self, frame: Frame | str | bytes) -> None:
        """Send a frame."""
        await self.socket.send(frame)

    def count(self, kind: str) -> int:
        """Return the number of received frames of this type."""
        return sum(frame["type"] == kind for frame in self.frames)


class Clients:
    """WebSockets to one server. `nursery` is for tasks that read from them."""

    def __init__(self, address: Address, nursery: trio.Nursery) -> None:
        self.address = address
        self.nursery = nursery
        self._sockets: list[WebSocket] = []

    async def connect_to(
        self, path: str, *, receive_buffer: int | None = None, headers: Mapping[str, str] | None = None
    ) -> WebSocket:
        """Return a new connection without a reader."""
        opened = await WebSocket.connect(*self.address, path, receive_buffer=receive_buffer, headers=headers)
        self._sockets.append(opened)
        return opened

    async def aclose(self) -> None:
        """Drop all connections."""
        for opened in self._sockets:
            await opened.aclose()


C = TypeVar("C", bound=Clients)


@asynccontextmanager
async def clients_of(address: Address, make: Callable[[Address, trio.Nursery], C]) -> AsyncIterator[C]:
    """Yield clients of a running server. They end with the block."""
    async with trio.open_nursery() as nursery:
        clients = make(address, nursery)
        try:
            yield clients
        finally:
            with trio.CancelScope(shield=True):
                await clients.aclose()
            nursery.cancel_scope.cancel()


@asynccontextmanager
async def serving_to(
    serve: Callable[..., Awaitable[object]], make: Callable[[Address, trio.Nursery], C]
) -> AsyncIterator[C]:
    """Run `serve` in this process until the end of the block; yield clients as soon as it has reported its address."""
    async with trio.open_nursery() as nursery:
        address: Address = await nursery.start(serve)
        async with clients_of(address, make) as clients:
            yield clients
        nursery.cancel_scope.cancel()
