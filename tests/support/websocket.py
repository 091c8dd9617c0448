"""The WebSocket client of all tests, and what they share that talk to a server over it.

It is the tests' own, because tests must know what an ordinary client hides: that a message was sent but not answered,
and that the server has closed the connection, which it does when it has finished with all that came over it.
Nothing is read that nobody asks for, and pings and closing frames are answered only while somebody reads.
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
from tests.support import HANG_S

CHUNK_BYTES = 65536
LOST = 1006  # the code of an end without a closing frame

Frame = dict[str, object]


class Cut(Exception):
    """There is no connection any more."""


class Closed(Cut):
    """The connection has ended, with the code and the reason of the server's closing frame if there was one."""

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
    """A connection; `receive_buffer` (bytes) sizes that of its kernel. Raises Cut if nobody listens."""
    sock = trio.socket.socket()
    if receive_buffer is not None:  # before it connects, or the window is already open
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
        """Tell the server that nothing more will come; an answer may still."""
        with cutting():
            self.stream.socket.shutdown(socket.SHUT_WR)

    async def reset(self) -> None:
        """Be gone as a crashed machine is, by an RST."""
        with suppress(OSError):  # the server may have closed it
            self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await self.aclose()

    async def aclose(self) -> None:
        """Close it, without a closing frame or the like."""
        await trio.aclose_forcefully(self.stream)

    async def chunk(self) -> bytes:
        """The next bytes. Raises Cut once the server has closed."""
        with cutting():
            chunk = await self.stream.receive_some(CHUNK_BYTES)
        if not chunk:
            raise Cut
        return bytes(chunk)


class WebSocket(Wire):
    """Messages out and in."""

    def __init__(self, stream: trio.SocketStream) -> None:
        super().__init__(stream)
        self.headers: dict[str, str] = {}  # of the server's answer to the handshake
        self._accepted = False
        self.closed: Closed | None = None  # once its closing frame, or its end, has been read
        self._protocol = WSConnection(ConnectionType.CLIENT)
        self._messages: deque[str] = deque()
        self._part = ""
        self._sending = trio.Lock()  # answers to pings are sent by the reading task
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
        """A WebSocket that the server has accepted; `name` is what the Host header says.

        Raises Cut if nobody listens, or the server does not accept it.
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
        """Send a message, a mapping as JSON. Once this has begun it may have come to the server, whatever happens."""
        if isinstance(message, bytes):
            await self._send(BytesMessage(message))
        else:
            await self._send(TextMessage(message if isinstance(message, str) else json.dumps(message)))

    async def receive_text(self) -> str:
        """The next message, a text. Raises Closed once the server has closed the connection, and not before."""
        while not self._messages:
            async with self._reading:
                if not self._messages:
                    await self._read()
        return self._messages.popleft()

    async def receive(self) -> Frame:
        """The next message, an object of JSON."""
        return cast(Frame, json.loads(await self.receive_text()))

    async def leave(self, code: int = 1000) -> None:
        """Go away as a browser does: send a closing frame, and wait until the server has closed."""
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
                        with suppress(Cut):  # nobody is left to hear it if this end has sent one before
                            await self._send(event.response())
                    case AcceptConnection():
                        self.headers = {name.decode(): value.decode() for name, value in event.extra_headers}
                        self._accepted = True
                    case _:
                        raise Cut(str(event))


class Tab:
    """A WebSocket of which everything is kept that it was sent, as a browser tab has it."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.frames: list[Frame] = []
        self.closed: int | None = None  # the code, once it is
        self._ids = itertools.count(1)
        self._news = trio.lowlevel.ParkingLot()

    def see(self, frame: Frame) -> None:
        """Take in a frame of any type."""

    async def read(self) -> None:
        """Take in one more frame, or that the connection is closed."""
        try:
            frame = await self.socket.receive()
            self.frames.append(frame)
            self.see(frame)
        except Closed as closed:
            self.closed = closed.code
        self._news.unpark_all()

    async def read_all(self) -> None:
        """Take in frames until the connection is closed."""
        while self.closed is None:
            await self.read()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until what came in makes this true. A background task must be reading."""
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
        """The number of frames of this type that have come in."""
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
        """A new connection that nobody reads from yet."""
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
    """Clients of a server that runs somewhere; they vanish with the block, which must not take for ever."""
    with trio.fail_after(HANG_S):
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
    """Clients of `serve`, which runs in this process and tells its address once it listens; all ends with the block."""
    with trio.fail_after(HANG_S):
        async with trio.open_nursery() as nursery:
            address: Address = await nursery.start(serve)
            async with clients_of(address, make) as clients:
                yield clients
            nursery.cancel_scope.cancel()
