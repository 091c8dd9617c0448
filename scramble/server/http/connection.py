"""One HTTP connection: requests one after another, or a WebSocket. Replaces hypercorn's `trio/tcp_server.py`.

Each step that a client can delay has a time limit (`ServerLimits` has the numbers): a TLS handshake, the head of a
request (answered with 408), the pause before the next request, and reading an answer. The unread bytes of all
connections together are limited (see `send_budget`).

Differences from hypercorn 0.18, each with its upstream report and the condition under which it can go;
docs/explanation/what-we-change-in-hypercorn.md has reproductions:

- An error in protocol code is logged and ends its own connection. In hypercorn it ends the whole server. Upstream:
  hypercorn #225 and #203, both open. Can go when hypercorn's trio worker catches the errors of a connection.
- Tasks that still run 5 s after a disconnect are cancelled. Not reported upstream as far as found. Can go
  when hypercorn cancels the tasks of a closed connection.
- While one request waits for its answer and the next request is queued, the server reads a few chunks ahead.
  hypercorn stops reading then, and does not notice a disconnect. Not reported upstream as far as found (#210 has
  another cause). Can go when hypercorn reads while h11 is paused.
- A request whose head does not arrive in time is answered with 408; hypercorn closes the connection after its
  keep-alive time. Not reported upstream as far as found. Can go when hypercorn has this limit.
- An answer must be read within a time limit. Upstream: hypercorn pull request #262, "Add write_timeout option", closed
  without a merge. Can go when hypercorn has that option.
- Before a close, input is read and discarded until the client has closed its side or a second is over. A close with
  unread input resets the connection, and the client may lose the last answer. Not reported upstream as far as found
  (#314 is similar). Can go when hypercorn closes in two steps (RFC 9112, 9.6).

Safe under concurrency: one task reads the connection, one task handles the input, and the tasks of the requests send.
They share flags, and these change between two awaits. Only one task sends at a time.
"""

from __future__ import annotations

import logging
import os
import socket
import struct
from contextlib import suppress
from functools import partial
from math import inf
from typing import Final

import trio
from hypercorn.config import Config
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.trio.task_group import TaskGroup
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import AppWrapper, ConnectionState
from hypercorn.utils import parse_socket_addr

from scramble.logs import LogEntry
from scramble.server.http.direct_write import SOCKETS_ARE_FILES, Outlet
from scramble.server.http.errors import refusal_bytes
from scramble.server.http.http1 import HttpProtocol
from scramble.server.http.quick import KnownHeads
from scramble.server.protection.by_address import account
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.send_budget import TOO_MUCH_UNREAD, Unread
from scramble.server.traffic import DOES_NOT_READ, Traffic

LEFT_OVER_S: Final = 5.0  # after a disconnect, until the handlers that still run are cancelled
CHUNK_BYTES: Final = 65536  # read, or sent, at a time
CHUNKS_AHEAD: Final = 4  # read before hypercorn needs them; then the client has to wait
BEHIND_S: Final = 0.02  # after a disconnect, for queued requests: only quick requests are still executed
HTTP_LINGER_S: Final = 1.0  # for a client to read the last answer and close its side
TURNED_AWAY_RETRY_S: Final = 10  # Retry-After of a refused connection

logger = logging.getLogger(__name__)

Stream = trio.SocketStream | trio.SSLStream[trio.SocketStream]


class HttpConnection:
    """One connection from a client."""

    # AF: a client on _stream. _read_timeout limits the time for the rest of a request's head if _in_head, and for a new
    #     request if _idle; otherwise the input has no time limit. _write_timeout limits the time in which the client
    #     reads the current chunk. _dropped: nothing more is sent. _closing: input is discarded.
    #     _disconnected: no more input will come. _reads: a task still reads. _chunks have been read but not handled; a
    #     task handles them in the scope _handling, if it is set. The reader waits for _room, and after the last input
    #     until all chunks are _handled.
    # RI: _in_head implies _idle. If there are _chunks, _handling is set.

    def __init__(
        self,
        app: AppWrapper,
        config: Config,
        context: WorkerContext,
        state: ConnectionState,
        limits: ServerLimits,
        traffic: Traffic,
        unread: Unread,
        heads: KnownHeads,
        stream: Stream,
    ) -> None:
        self._app: Final = app
        self._config: Final = config
        self._context: Final = context
        self._state: Final = state
        self._limits: Final = limits
        self._traffic: Final = traffic
        self._unread: Final = unread
        self._heads: Final = heads
        self._stream: Final = stream
        self._host = ""
        self._sending: Final = trio.Semaphore(1)
        self._outlet: Final = Outlet(transport(stream).socket.fileno, self._send_rest)
        self._scope: Final = trio.CancelScope()
        self._read_timeout = trio.CancelScope()
        self._write_timeout = trio.CancelScope()
        self._dropped = False
        self._idle = True
        self._in_head = False
        self._closing = False
        self._disconnected = False
        self._reads = True
        self._read_all: trio.Event | None = None
        self._chunks: Final[list[bytes]] = []
        self._handling: trio.CancelScope | None = None
        self._handled: trio.Event | None = None
        self._room: trio.Event | None = None

    async def run(self) -> None:
        """Serve the connection until it is closed. Raises only the cancellation of the server."""
        try:
            with self._scope:
                if await complete_handshake(self._stream, self._limits.request_s):
                    await self._serve()
        except* Exception:  # hypercorn #225, #203: without this an error here ends the server
            await self._config.log.exception("Error in a connection; the connection is closed")
        finally:
            self._outlet.close()
            vars(self).pop("_protocol", None)  # the protocol refers to this object: a reference cycle
            await trio.aclose_forcefully(self._stream)

    def close_if_idle(self) -> None:
        """Close the connection if it has no unfinished request. Does not wait."""
        if self._idle:
            self._in_head = False
            self._read_timeout.cancel()

    async def _serve(self) -> None:
        sock = transport(self._stream).socket
        try:
            client, server = (parse_socket_addr(sock.family, name()) for name in (sock.getpeername, sock.getsockname))
        except OSError:
            return  # disconnected already
        self._host = client[0] if client else ""
        async with TaskGroup() as tasks:
            self._tasks = tasks
            self._protocol = HttpProtocol(
                self._app,
                self._config,
                self._context,
                tasks,
                self._state,
                isinstance(self._stream, trio.SSLStream),
                client,
                server,
                self._send,
                self._limits,
                self._outlet if SOCKETS_ARE_FILES and isinstance(self._stream, trio.SocketStream) else None,
                self._heads,
            )
            await self._read()
        await self._close()

    async def _read(self) -> None:
        """Read until the client disconnects or a time limit is over, then notify the current request."""
        timed_out = await self._read_in_time()
        self._reads = False
        if self._read_all is not None:
            self._read_all.set()
        if timed_out and not self._closing:
            if self._in_head and not self._protocol.refused:
                await self._protocol.refuse(408)
            await self._close()
        if self._handling is not None:
            self._handling.deadline = trio.current_time() + BEHIND_S
            self._handled = trio.Event()
            await self._handled.wait()
        self._scope.deadline = min(self._scope.deadline, trio.current_time() + LEFT_OVER_S)
        await self._protocol.handle(Closed())

    async def _read_in_time(self) -> bool:
        """Read to the end of the input. Return True if a time limit has stopped the read."""
        self._begin_idle()
        while True:
            with self._read_timeout:
                try:
                    while data := await receive_some(self._stream):
                        if self._idle and not self._in_head:
                            self._in_head = True
                            self._read_timeout.deadline = trio.current_time() + self._limits.request_s
                        if not self._closing:
                            self._chunks.append(data)
                            if self._handling is None:
                                self._handling = trio.CancelScope()
                                self._tasks.spawn(self._handle, self._handling)
                            elif len(self._chunks) > CHUNKS_AHEAD:
                                self._room = trio.Event()
                                await self._room.wait()
                except (trio.ClosedResourceError, trio.BrokenResourceError, OSError):
                    pass  # disconnected, or closed
                self._disconnected = True
                return False
            if not self._idle:  # a request arrived in the same moment
                self._read_timeout = trio.CancelScope()
            elif self._chunks:  # input arrived in the same moment, maybe only a part of a request: wait for the rest
                self._read_timeout = trio.CancelScope(deadline=trio.current_time() + self._limits.request_s)
            else:
                return True

    async def _handle(self, scope: trio.CancelScope) -> None:
        """Handle all chunks, as a task. It ends when no chunk is left, because a connection is mostly idle."""
        with scope:
            while self._chunks:
                data = self._chunks.pop(0)
                self._make_room()
                await self._protocol.handle(RawData(data))
        self._handling = None
        if self._handled is not None:
            self._handled.set()

    def _make_room(self) -> None:
        if self._room is not None:
            self._room.set()
            self._room = None

    def _begin_idle(self) -> None:
        """Begin to wait for a request."""
        self._idle = True
        self._read_timeout.deadline = trio.current_time() + self._limits.keep_alive_s

    async def _send(self, event: Event) -> None:
        """Execute an event of the protocol: send bytes, close, or record whether the connection is idle."""
        if isinstance(event, RawData):
            if event.data:  # h11 sends empty data at the end of an answer with a known length
                await self._send_bytes(event.data)
        elif isinstance(event, Closed):
            await self._close()
            await self._protocol.handle(Closed())
        elif isinstance(event, Updated):
            if event.idle:
                self._begin_idle()
            else:
                self._idle = self._in_head = False
                self._read_timeout.deadline = inf

    async def _send_bytes(self, data: bytes) -> None:
        """Send all of the data, even if cancelled: half a frame would break the stream. Waits until the client reads.

        Not a checkpoint if the kernel takes the data at once: the usual send takes several rounds of trio's scheduler,
        for the lock, the time limit and the send. With a thousand connections these rounds would cost twice as much as
        everything else.
        """
        sent = 0
        if self._sending.value:
            sent = write_at_once(self._stream, data)
            if sent == len(data):
                return
        if sent:
            self._begin()
        await self._finish(memoryview(data)[sent:], begun=sent > 0)  # no copy: the data may have megabytes

    def _send_rest(self, rest: memoryview) -> None:
        """Send the rest of an outlet's partial write in a task, before all other data."""
        self._begin()
        self._tasks.spawn(partial(self._finish, rest, begun=True))

    def _begin(self) -> None:
        """Note a partial write: no other data is sent until `_finish` has sent the rest."""
        self._sending.acquire_nowait()
        self._outlet.busy = True

    async def _finish(self, rest: memoryview, *, begun: bool) -> None:
        """Send the rest of the data; `begun`: a part is already written. Waits until the client reads."""
        self._unread.add(self, len(rest))
        self._outlet.busy = True
        try:
            if not begun:
                await self._sending.acquire()
            try:
                while rest:
                    await self._send_chunk(rest[:CHUNK_BYTES])
                    self._unread.taken(self, min(CHUNK_BYTES, len(rest)))
                    rest = rest[CHUNK_BYTES:]
            finally:
                self._sending.release()
        except DISCONNECTED:  # or closed by another task
            if not self._closing:
                self._scope.cancel()  # notifying the tasks is not enough: with full queues they may deadlock
            await self._protocol.handle(Closed())
        finally:
            self._outlet.busy = not self._sending.value
            self._unread.left_behind(self, len(rest))

    async def _send_chunk(self, chunk: memoryview) -> None:
        if not self._dropped:
            # hypercorn pull request #262: hypercorn's own send has no time limit
            with trio.move_on_after(self._limits.unread_s, shield=True) as self._write_timeout:
                await self._stream.send_all(chunk)
                return
        self._drop(DOES_NOT_READ)
        await reset(self._stream)
        raise trio.ClosedResourceError

    @property
    def account(self) -> str:
        """The address or network whose limits apply to the connection."""
        return account(self._host)

    def drop(self) -> None:
        """Disconnect the client because the unread bytes of all clients exceed the limit. Does not wait."""
        self._drop(TOO_MUCH_UNREAD)

    def _drop(self, reason: str) -> None:
        if not self._dropped:
            self._dropped = True
            self._outlet.close()
            self._write_timeout.cancel()
            self._traffic.fallen_behind["http"] += 1
            logger.warning(LogEntry("client-dropped", client=self._host, reason=reason))

    async def _close(self) -> None:
        """Close the connection in two steps, so the client can read the last data. Idempotent."""
        if self._closing:
            return
        self._closing = True
        self._outlet.close()
        self._chunks.clear()
        self._make_room()
        plain = isinstance(self._stream, trio.SocketStream)
        with trio.move_on_after(HTTP_LINGER_S), suppress(*DISCONNECTED, OSError):
            if isinstance(self._stream, trio.SocketStream):
                await self._stream.send_eof()
            if plain or self._protocol.unfinished:  # TLS cannot close one side: wait only for a client that still sends
                await self._until_closed()
        with trio.move_on_after(HTTP_LINGER_S):
            await self._stream.aclose()

    async def _until_closed(self) -> None:
        if self._reads:
            self._read_all = trio.Event()
            await self._read_all.wait()
        else:  # a time limit has ended the reading, so no other task reads
            while not self._disconnected and await receive_some(self._stream):
                pass


DISCONNECTED: Final = (trio.BrokenResourceError, trio.ClosedResourceError, trio.BusyResourceError)


def transport(stream: Stream) -> trio.SocketStream:
    """Return the TCP connection below TLS, or the connection itself."""
    return stream.transport_stream if isinstance(stream, trio.SSLStream) else stream


def write_at_once(stream: Stream, data: bytes) -> int:
    """Write as many bytes as the kernel takes without a wait, and return their number.

    Always 0 over TLS, and on systems where sockets are not files. Ignores errors: the ordinary send follows, and
    reports them. Not a replacement of faulty code: hypercorn's send does the same with more work. Can go when
    measurements show no gain.
    """
    if SOCKETS_ARE_FILES and isinstance(stream, trio.SocketStream) and not stream.socket.did_shutdown_SHUT_WR:
        with suppress(OSError):  # full, or disconnected
            return os.write(stream.socket.fileno(), data[:CHUNK_BYTES])
    return 0


async def receive_some(stream: Stream) -> bytes:
    """Return the next input; empty at its end. Waits for input.

    Raises BrokenResourceError or ClosedResourceError; over plain TCP it may raise an OSError instead. Not a replacement
    of faulty code: trio's own function takes 2 kB more memory while it waits. Can go when measurements show no gain.
    """
    if SOCKETS_ARE_FILES and isinstance(stream, trio.SocketStream):
        while True:
            if stream.socket.fileno() < 0:  # closed by another task; trio would raise a ValueError
                raise trio.ClosedResourceError
            await trio.lowlevel.wait_readable(stream.socket)
            with suppress(BlockingIOError):
                return os.read(stream.socket.fileno(), CHUNK_BYTES)
    return bytes(await stream.receive_some(CHUNK_BYTES))


async def complete_handshake(stream: Stream, timeout_s: float) -> bool:
    """Complete a TLS handshake and return True; return False if it fails or takes longer than `timeout_s`.

    Returns True at once without TLS.
    """
    if isinstance(stream, trio.SSLStream):
        with trio.move_on_after(timeout_s):
            with suppress(trio.BrokenResourceError):
                await stream.do_handshake()
                return True
        return False
    return True


async def reset(stream: Stream) -> None:
    """Close the connection to a client that does not read; the kernel discards its unsent data."""
    with suppress(OSError):
        transport(stream).setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    await trio.aclose_forcefully(stream)


async def turn_away(stream: Stream, words: str, limits: ServerLimits) -> None:
    """Answer 503 to a connection beyond the limits, and close the connection. Takes a few seconds at most."""
    async with stream:
        with trio.move_on_after(HTTP_LINGER_S), suppress(*DISCONNECTED):
            if await complete_handshake(stream, limits.request_s):
                await stream.send_all(refusal_bytes(503, words, retry_after_s=TURNED_AWAY_RETRY_S))
                if isinstance(stream, trio.SocketStream):
                    await stream.send_eof()
                while await stream.receive_some(CHUNK_BYTES):
                    pass
