"""One connection from a client, over which requests come one after another, or a WebSocket: hypercorn's, made robust.

Time is limited for whatever a client can draw out: a TLS handshake, a request's headers (408), the pause before the
next request, and the taking of an answer. What the limits are is said in `limits`.

In hypercorn's own connection an error that its protocol code makes ends the whole server, and there is such an error:
a client that sends WebSocket frames along with the handshake, before that is answered, makes hypercorn 0.18 refuse and
accept it at once. And an application whose handshake was refused over its head is not told when that client goes.
Here the first is logged and costs that connection only, and whatever a connection has left running some time after its
client has gone is cancelled.

When a WebSocket's frame is too long hypercorn closes it, but tells the application nothing until the client answers,
and does not hear an answer that comes along with the rest of the frame. Here the application is told at once, and
the connection ends a little later.

Nor does hypercorn read on while a request waits for its answer and another one stands behind it, so it does not see
such a client go. Here reading goes on, some way ahead.

And it closes a socket that still has something to read in it, which resets the connection: the client may then never
see why. Here what comes is read, and thrown away, until the client has closed its side or a second is over.

Safe under concurrency: the two tasks of a connection, which read and handle, and those of its requests, which send,
share flags that they change between two awaits; sending is done by one at a time.
"""

from __future__ import annotations

import logging
import os
import socket
import struct
from contextlib import suppress
from math import inf
from typing import Final

import trio
from hypercorn.config import Config
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.trio.task_group import TaskGroup
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import AppWrapper, ConnectionState
from hypercorn.utils import parse_socket_addr

from scramble.front.answers import in_full
from scramble.front.http1 import Protocol
from scramble.front.limits import Limits
from scramble.front.traffic import DOES_NOT_READ, Traffic
from scramble.logs import Entry

LEFT_OVER_S: Final = 5.0  # handlers are told at once that their client has gone; this is for those who are not
TOO_LONG: Final = b"\x88\x02" + (1009).to_bytes(2, "big")  # by which hypercorn closes a WebSocket; ours have reasons
TOO_LONG_S: Final = 1.0  # for its client to read that
CHUNK_BYTES: Final = 65536  # as much as is read, or sent, at once
CHUNKS_AHEAD: Final = 4  # read before hypercorn has use for them; a client that sends still more is not read any more
BEHIND_S: Final = 0.02  # for requests behind others when their client goes: at once, but for those that are quick
LINGER_S: Final = 1.0  # for a client to read our last words and close its side
TURNED_AWAY_S: Final = 10  # when to come back

logger = logging.getLogger(__name__)

Stream = trio.SocketStream | trio.SSLStream[trio.SocketStream]


class Peer:
    """One connection."""

    # AF: a client on _stream that has so long as _patience says for what it has to send next; which is the rest of a
    #     request's head if _begun, a request if _idle, and whatever it likes otherwise. _closing: nothing that comes
    #     is of use any more. _gone: nothing will come.
    # RI: _begun implies _idle.

    def __init__(
        self,
        app: AppWrapper,
        config: Config,
        context: WorkerContext,
        state: ConnectionState,
        limits: Limits,
        traffic: Traffic,
        stream: Stream,
    ) -> None:
        self._app: Final = app
        self._config: Final = config
        self._context: Final = context
        self._state: Final = state
        self._limits: Final = limits
        self._traffic: Final = traffic
        self._stream: Final = stream
        self._sending: Final = trio.Lock()
        self._life: Final = trio.CancelScope()
        self._patience = trio.CancelScope()
        self._idle = True
        self._begun = False
        self._closing = False
        self._gone = False
        self._read_all: Final = trio.Event()
        self._into, self._chunks = trio.open_memory_channel[bytes](CHUNKS_AHEAD)

    async def run(self) -> None:
        """Serve it until it is closed. Raises nothing but the cancellation of the server."""
        try:
            with self._life:
                if await shake_hands(self._stream, self._limits.request_s):
                    await self._serve()
        except* Exception:
            await self._config.log.exception("Error in a connection, which is closed")
        finally:
            await trio.aclose_forcefully(self._stream)

    def hang_up(self) -> None:
        """Close it if no request is under way."""
        if self._idle:
            self._begun = False
            self._patience.cancel()

    async def _serve(self) -> None:
        sock = transport(self._stream).socket
        try:
            client, server = (parse_socket_addr(sock.family, name()) for name in (sock.getpeername, sock.getsockname))
        except OSError:
            return  # it has gone already
        async with TaskGroup() as tasks:
            self._protocol = Protocol(
                self._app,
                self._config,
                self._context,
                tasks,
                self._state,
                isinstance(self._stream, trio.SSLStream),
                client,
                server,
                self._send,
            )
            await self._read()
        await self._close()

    async def _read(self) -> None:
        """Read until the client has gone or tries our patience, and tell the request under way."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._handle)
            late = await self._read_in_time()
            self._read_all.set()
            if late and not self._closing:
                if self._begun:
                    await self._protocol.refuse(408)
                await self._close()
            self._into.close()
            nursery.cancel_scope.deadline = trio.current_time() + BEHIND_S
        self._life.deadline = min(self._life.deadline, trio.current_time() + LEFT_OVER_S)
        await self._protocol.handle(Closed())

    async def _read_in_time(self) -> bool:
        """Read to the end. True if that is the end of our patience."""
        self._rest()
        while True:
            with self._patience:
                with suppress(trio.ClosedResourceError, trio.BrokenResourceError):
                    while data := await self._stream.receive_some(CHUNK_BYTES):
                        if self._idle and not self._begun:
                            self._begun = True
                            self._patience.deadline = trio.current_time() + self._limits.request_s
                        if not self._closing:
                            with suppress(trio.BrokenResourceError):  # closing, while this waited
                                await self._into.send(bytes(data))
                self._gone = True
                return False
            if self._idle:
                return True
            self._patience = trio.CancelScope()  # a request has come just in time

    async def _handle(self) -> None:
        with suppress(trio.ClosedResourceError):  # closing
            async for data in self._chunks:
                await self._protocol.handle(RawData(data))

    def _rest(self) -> None:
        """Wait for a request."""
        self._idle = True
        self._patience.deadline = trio.current_time() + self._limits.keep_alive_s

    async def _send(self, event: Event) -> None:
        """Do what the protocol asks for: send, close, or take notice."""
        if isinstance(event, RawData):
            await self._send_bytes(event.data)
            if event.data == TOO_LONG:
                self._life.deadline = min(self._life.deadline, trio.current_time() + TOO_LONG_S)
                await self._protocol.handle(Closed())
        elif isinstance(event, Closed):
            await self._close()
            await self._protocol.handle(Closed())
        elif isinstance(event, Updated):
            if event.idle:
                self._rest()
            else:
                self._idle = self._begun = False
                self._patience.deadline = inf

    async def _send_bytes(self, data: bytes) -> None:
        """Send all of it, cancelled or not: half a frame would be worse than none. Waits while the client reads.

        Not a checkpoint if the kernel takes it at once: with a thousand connections the rounds of trio's scheduler that
        a send takes otherwise, for the lock, for the time limit and for itself, cost twice as much as all the rest.
        """
        begun = 0
        if not self._sending.locked():
            begun = write_at_once(self._stream, data)
            data = data[begun:]
            if not data:
                return
        try:
            with trio.CancelScope(shield=begun > 0):
                await self._sending.acquire()
            try:
                for start in range(0, len(data), CHUNK_BYTES):
                    with trio.move_on_after(self._limits.unread_s, shield=True) as patience:
                        await self._stream.send_all(data[start : start + CHUNK_BYTES])
                    if patience.cancelled_caught:
                        self._count_dropped()
                        await drop(self._stream)
            finally:
                self._sending.release()
        except GONE:  # or busy, with being closed
            if not self._closing:
                self._life.cancel()  # to tell its tasks would not do: those may wait for each other, all queues full
            await self._protocol.handle(Closed())

    def _count_dropped(self) -> None:
        self._traffic.fallen_behind["http"] += 1
        with suppress(OSError):
            host = str(transport(self._stream).socket.getpeername()[0])
            logger.warning(Entry("client-dropped", client=host, reason=DOES_NOT_READ))

    async def _close(self) -> None:
        """Close it, and let the client see what it was sent last. Closing twice is closing once."""
        if self._closing:
            return
        self._closing = True
        self._chunks.close()
        plain = isinstance(self._stream, trio.SocketStream)
        with trio.move_on_after(LINGER_S), suppress(*GONE):
            if isinstance(self._stream, trio.SocketStream):
                await self._stream.send_eof()
            if plain or self._protocol.unfinished:  # over TLS there is no half of a close: it is for those who must
                await self._until_closed()
        with trio.move_on_after(LINGER_S):
            await self._stream.aclose()

    async def _until_closed(self) -> None:
        if self._read_all.is_set():  # by patience: nobody else reads
            while not self._gone and await self._stream.receive_some(CHUNK_BYTES):
                pass
        else:
            await self._read_all.wait()


GONE: Final = (trio.BrokenResourceError, trio.ClosedResourceError, trio.BusyResourceError)


def transport(stream: Stream) -> trio.SocketStream:
    """The connection beneath."""
    return stream.transport_stream if isinstance(stream, trio.SSLStream) else stream


def write_at_once(stream: Stream, data: bytes) -> int:
    """How many bytes of it the kernel has taken without anybody waiting; none if there is more to be said of it."""
    if isinstance(stream, trio.SocketStream) and not stream.socket.did_shutdown_SHUT_WR:
        with suppress(OSError):  # it is full, or gone, or this is a system where a socket is not a file
            return os.write(stream.socket.fileno(), data[:CHUNK_BYTES])
    return 0


async def shake_hands(stream: Stream, patience_s: float) -> bool:
    """Whether the connection can be spoken on: over TLS only if the client makes its handshake in that time."""
    if isinstance(stream, trio.SSLStream):
        with trio.move_on_after(patience_s):
            with suppress(trio.BrokenResourceError):
                await stream.do_handshake()
                return True
        return False
    return True


async def drop(stream: Stream) -> None:
    """Close a connection whose client does not read, and have the kernel forget what it was to read."""
    with suppress(OSError):
        transport(stream).setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    await trio.aclose_forcefully(stream)


async def turn_away(stream: Stream, words: str, limits: Limits) -> None:
    """Tell a client for whom there is no room, and close. Takes some seconds at most."""
    async with stream:
        with trio.move_on_after(LINGER_S), suppress(*GONE):
            if await shake_hands(stream, limits.request_s):
                await stream.send_all(in_full(503, words, retry_after_s=TURNED_AWAY_S))
                if isinstance(stream, trio.SocketStream):
                    await stream.send_eof()
                while await stream.receive_some(CHUNK_BYTES):
                    pass
