"""A line server for people with telnet: each connection is a session that is given lines and sends bytes, any time.

    async def session(connection: Connection) -> None:
        connection.send(b"Hello\r\n")
        async for line in connection:
            connection.send(b"You said something\r\n")

    address = await nursery.start(partial(serve_lines, session, host="127.0.0.1", port=4444))

A session ends the connection by returning: what it has sent is delivered first. If its client goes away, or takes too
little of what waits for it, it is cancelled wherever it is; a half-closed connection runs out of lines instead.

What is waiting for a client stays bounded, and never holds up anybody but the client itself:

- `send` never waits. A client that has more than `MAX_WAITING` bytes still to take when more is sent is dropped.
- No client is dropped for its own commands as long as it reads: it gets no next line while more than `MAX_WAITING`
  bytes wait for it, and is dropped only if it takes none of them for `STALL_S`. (So a field whose BOARD alone has
  2 MB can be looked at twice in a row, and somebody who sends commands without end and reads nothing gets nowhere.)
- The lines of at most one segment of `RECEIVE_BYTES` are held; the rest waits in the client's own TCP window.

Why this is safe under concurrency: everything here runs in one thread, and what two tasks share changes only between
their awaits. A connection has two tasks. Its session's task alone reads from the socket, and alone touches the
splitter, the telnet filter and the lines that are due, so lines are handed over one after another and in order. The
writer alone writes to the socket. They share the outbox, a queue of bytes whose length is `_waiting`: `send` appends
to it and the writer takes from its front, both without an await in the middle, so what is sent arrives whole and in the
order of the calls, whichever task makes them. Connections share nothing but how many of them there are, which is
counted up and down in the same way.
"""

from __future__ import annotations

import logging
import socket
import struct
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Final

import trio

from scramble.front.bucket import Bucket
from scramble.front.crowd import FULL, FULL_BY_ADDRESS, Crowd
from scramble.front.limits import Limits
from scramble.front.lines import MAX_LINE, Line, LineSplitter
from scramble.front.server import Address, bind
from scramble.front.telnet import TelnetFilter
from scramble.front.traffic import DOES_NOT_READ, Traffic
from scramble.logs import Entry

MAX_CONNECTIONS: Final = 1000
MAX_WAITING: Final = 1024 * 1024  # bytes; minutes of play, or one board that is larger than any screen
STALL_S: Final = 3.0  # longer than a retransmission or two takes on a bad wireless network
LINGER_S: Final = 5.0  # for a client to notice that we have closed; telnet does so in milliseconds
RECEIVE_BYTES: Final = 16 * 1024
SEND_BYTES: Final = 32 * 1024  # written at a time, so that a client that reads slowly is seen to read
SEND_BUFFER_BYTES: Final = 64 * 1024  # the kernel's own choice is up to 4 MB for a client that reads nothing
LINES_IN_A_ROW: Final = 32  # for a session that never waits; then the others get their turn
FULL_LINE: Final = f"Sorry, {FULL_BY_ADDRESS}.\r\n".encode()
MAX_TURNING_AWAY: Final = 20  # connections beyond the limit that are seen to their end; more get the line, and a close

logger = logging.getLogger(__name__)

Session = Callable[["Connection"], Awaitable[None]]


class Connection:
    """A client as its session sees it: an asynchronous iterator of lines, and something to `send` to.

    To be iterated by one task at a time; anybody may send.
    """

    # AF: a client who has been sent all that was ever passed to `send` but for the last _waiting bytes: what is in
    #     _outbox, but for the first _sent bytes of its first item, and what the writer has in hand. The lines in _due
    #     have been received, but not handed over.
    # RI: _sent is 0 or less than the length of the first item of _outbox; once _dropped, nothing is added to _outbox
    # Safety from exposure: lines and what is sent are immutable bytes.

    def __init__(
        self,
        stream: trio.abc.HalfCloseableStream,
        *,
        cr_ends: bool,
        max_line: int = MAX_LINE,
        name: str = "client",
        limits: Limits | None = None,
        traffic: Traffic | None = None,
    ) -> None:
        self.name: Final = name
        lines_per_s = (limits or Limits()).lines_per_s
        self._lines: Final = Bucket(max(1.0, lines_per_s), lines_per_s)
        self._stream: Final = stream
        self._traffic: Final = traffic or Traffic()
        self._telnet: Final = TelnetFilter()
        self._splitter: Final = LineSplitter(cr_ends=cr_ends, max_line=max_line)
        self._due: Final[deque[Line]] = deque()
        self._in_a_row = 0
        self._outbox: Final[deque[bytes]] = deque()
        self._sent = 0
        self._waiting = 0
        self._scope: Final = trio.CancelScope()
        self._dropped = False
        self._something_to_write: Final = trio.lowlevel.ParkingLot()
        self._progress: Final = trio.lowlevel.ParkingLot()

    def __str__(self) -> str:
        return f"{self.name}, {self._waiting} bytes waiting"

    # for the session

    def send(self, data: bytes) -> None:
        """Send `data`, which goes out whole, after all that was sent before. Never waits, never raises.

        Drops the client, and cancels its session, if more than `MAX_WAITING` bytes are already waiting for it.
        To a client that is gone nothing is sent.
        """
        if self._dropped or not data:
            return
        if self._waiting > MAX_WAITING:
            self._drop()
            return
        self._outbox.append(data)
        self._waiting += len(data)
        self._something_to_write.unpark_all()

    async def drained(self) -> None:
        """Wait until the kernel has taken all that was sent. For sessions that send without having been asked to.

        Not always a checkpoint. Waits as long as the client takes; the kernel gives up one that never does.
        """
        while self._waiting:
            await self._progress.park()

    def __aiter__(self) -> Connection:
        return self

    async def __anext__(self) -> Line:
        """The next line. Waits for one, and until no more than `MAX_WAITING` bytes wait for the client; and until its
        time has come, if they come faster than the limits have it.

        Ends when the client has closed its side, or all of it; what it has not ended by then is no line. If cancelled,
        no line is lost. Not always a checkpoint, but for every `LINES_IN_A_ROW` lines.
        """
        self._in_a_row += 1
        if self._in_a_row >= LINES_IN_A_ROW:
            self._in_a_row = 0
            await trio.lowlevel.checkpoint()
        await self._room()
        while not self._due:
            self._in_a_row = 0
            try:
                data = await self._stream.receive_some(RECEIVE_BYTES)
            except trio.BrokenResourceError:
                raise StopAsyncIteration from None
            if not data:
                raise StopAsyncIteration
            text, answer = self._telnet.receive(bytes(data))
            self.send(answer)
            self._due.extend(self._splitter.receive(text))
        if not self._lines.take():
            await trio.sleep(self._lines.wait_s)
            self._lines.take()
        return self._due.popleft()

    # for the server

    async def run(self, session: Session) -> None:
        """Serve this connection to its end, and close it. If cancelled, it is closed at once."""
        async with self._stream:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._write)
                    await session(self)
                    await self._room(0)
                    nursery.cancel_scope.cancel()
                await self._say_goodbye()
            if self._dropped:
                _reset_when_closed(self._stream)

    async def _write(self) -> None:
        try:
            while True:
                while not self._outbox:
                    await self._something_to_write.park()
                chunk = self._chunk()
                await self._stream.send_all(chunk)
                self._waiting -= len(chunk)
                self._progress.unpark_all()
        except trio.BrokenResourceError:  # it is gone
            self._dropped = True
            self._scope.cancel()

    def _chunk(self) -> bytes:
        """Take at most SEND_BYTES out of the outbox. They count as waiting until the kernel has them."""
        first = self._outbox[0]
        if len(first) - self._sent > SEND_BYTES:
            chunk = first[self._sent : self._sent + SEND_BYTES]
            self._sent += SEND_BYTES
            return chunk
        chunks = [first[self._sent :]]
        size = len(chunks[0])
        self._outbox.popleft()
        self._sent = 0
        while self._outbox and size + len(self._outbox[0]) <= SEND_BYTES:
            size += len(self._outbox[0])
            chunks.append(self._outbox.popleft())
        return b"".join(chunks)

    async def _room(self, most: int = MAX_WAITING) -> None:
        """Wait until at most `most` bytes wait for the client. Drop it if it takes none for STALL_S."""
        while self._waiting > most:
            with trio.move_on_after(STALL_S) as patience:
                await self._progress.park()
            if patience.cancelled_caught:
                self._drop()
                await trio.lowlevel.checkpoint()

    async def _say_goodbye(self) -> None:
        """Close our side, then take what the client is still sending, until it has closed its own.

        If the socket were closed with anything unread in it, the kernel would reset the connection, and the client
        could lose what it has not read of our last words.
        """
        with trio.move_on_after(LINGER_S):
            try:
                await self._stream.send_eof()
                while await self._stream.receive_some(RECEIVE_BYTES):
                    pass
            except trio.BrokenResourceError:
                pass  # it has closed all at once, or not taken what we sent; either way it is gone

    def _drop(self) -> None:
        """Give up a client that does not read."""
        if not self._dropped:
            self._traffic.fallen_behind["telnet"] += 1
            logger.warning(Entry("client-dropped", client=self.name, reason=DOES_NOT_READ, bytes_waiting=self._waiting))
            self._dropped = True
            self._scope.cancel()


class _LineServer:
    """Counts connections, and serves or turns away each of them."""

    # AF: a server of the connections in _crowd, with _turning_away more that are seen to their end.
    # RI: 0 <= _turning_away <= MAX_TURNING_AWAY

    def __init__(
        self,
        session: Session,
        traffic: Traffic,
        *,
        cr_ends: bool,
        max_line: int,
        max_connections: int,
        limits: Limits,
        full: bytes,
    ) -> None:
        self._session = session
        self._traffic = traffic
        self._cr_ends = cr_ends
        self._max_line = max_line
        self._limits = limits
        self._full = full
        self._crowd = Crowd(min(max_connections, limits.connections), limits.connections_by_address)
        self._turning_away = 0

    async def handle(self, stream: trio.SocketStream) -> None:
        _configure(stream)
        name = _peer(stream)
        connection = Connection(
            stream,
            cr_ends=self._cr_ends,
            max_line=self._max_line,
            name=name,
            limits=self._limits,
            traffic=self._traffic,
        )
        host = _host(stream)
        refusal = self._crowd.refusal(host)
        if refusal is None:
            logger.debug(Entry("client-connected", client=name))
            try:
                with self._crowd.here(host), self._traffic.connection("telnet"):
                    await connection.run(self._session)
            finally:
                logger.debug(Entry("client-disconnected", client=name))
            return
        self._traffic.turned_away["telnet"] += 1
        logger.info(Entry("client-turned-away", client=name, reason=refusal))
        words = self._full if refusal is FULL else FULL_LINE
        if self._turning_away < MAX_TURNING_AWAY:
            self._turning_away += 1
            try:
                await connection.run(partial(_turn_away, words))
            finally:
                self._turning_away -= 1
        else:
            async with stream:
                with suppress(trio.BrokenResourceError):
                    await stream.send_all(words)  # does not wait: nothing else is in the kernel's buffer


async def _turn_away(words: bytes, connection: Connection) -> None:
    connection.send(words)


async def serve_lines(
    session: Session,
    *,
    host: str,
    port: int,
    cr_ends: bool = True,
    max_line: int = MAX_LINE,
    max_connections: int = MAX_CONNECTIONS,
    full: bytes = b"There are too many players here. Please try again later.\r\n",
    limits: Limits | None = None,
    traffic: Traffic | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve `session` to everybody who connects, until cancelled; then all connections close at once.

    For `nursery.start`, which hands back the `Address`; port 0 is any free one. A lone CR ends a line if `cr_ends`; a
    line of more than `max_line` bytes comes as `OVERLONG`. A connection beyond `max_connections`, or beyond those of
    `limits`, is sent the line `full`, or that there are too many from its address, and closed. Connections are counted
    in `traffic`. An exception that leaves a session is a bug, and ends the server.

    Raises:
        CannotListen: the address cannot be bound.
    """
    server = _LineServer(
        session,
        traffic or Traffic(),
        cr_ends=cr_ends,
        max_line=max_line,
        max_connections=max_connections,
        limits=limits or Limits(),
        full=full,
    )
    listener = trio.SocketListener(trio.socket.from_stdlib_socket(bind(host, port)))
    address = Address(host, listener.socket.getsockname()[1])
    async with trio.open_nursery() as nursery:
        await nursery.start(trio.serve_listeners, server.handle, [listener])
        task_status.started(address)


def _configure(stream: trio.SocketStream) -> None:
    """Have the kernel buffer little for those who do not read."""
    with suppress(OSError):  # the client is gone already, which will be noticed soon enough
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)


def _reset_when_closed(stream: trio.abc.HalfCloseableStream) -> None:
    """Have the kernel forget at once what a client did not take, instead of offering it for minutes."""
    if isinstance(stream, trio.SocketStream):
        with suppress(OSError):
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _host(stream: trio.SocketStream) -> str:
    try:
        return str(stream.socket.getpeername()[0])
    except OSError:
        return ""  # it has gone


def _peer(stream: trio.SocketStream) -> str:
    try:
        host, port = stream.socket.getpeername()[:2]
    except OSError:
        return "a client that is gone"
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
