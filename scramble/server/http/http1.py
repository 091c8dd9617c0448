"""HTTP/1.1 on one connection: extends hypercorn's `protocol/h11.py`; refusals have a reason in words.

hypercorn answers an invalid request with a status only; here each refusal has a line of text, and ends the
connection. Some requests that hypercorn 0.18 accepts are refused here: code behind hypercorn fails at them, or a proxy
and the server may parse them differently. Each entry names the upstream report, and the condition for the removal of
the check; docs/explanation/what-we-change-in-hypercorn.md has reproductions:

- A head (the first line and the headers) longer than the limit, even if it arrives in one piece: 431. Upstream: h11
  #182, open, with pull requests #185 and #206. Can go when h11 checks complete heads.
- A version other than 1.0 or 1.1: 505. Not reported upstream as far as found. Can go when h11 refuses it.
- The method `head`: 501. h11 expects an answer with a body, hypercorn an answer without a body. Upstream: hypercorn
  #278, open. Can go when hypercorn passes on the method unchanged.
- A target that is not a path: 400. Not reported upstream as far as found. Can go when Quart answers 400.
- A Host that cannot be a host name: 400. werkzeug raises BadHost since its #2700, but before Quart's error
  handlers run. Not reported upstream as far as found. Can go when Quart answers 400.
- Both Content-Length and Transfer-Encoding: 400 (RFC 9112, 6.1). Upstream: hypercorn #279, open. Can go when h11 or
  hypercorn refuses it.
- An invalid handshake of a WebSocket: 400, and the connection ends. hypercorn leaves the connection open, and a
  handshake that is not ASCII ends the server. Not reported upstream as far as found. Can go when hypercorn refuses both
  and closes.

The server removes a client's offer of permessage-deflate: hypercorn always accepts the offer, and wsproto inflates a
frame before its size can be checked, so 64 kB of input become 64 MB. Upstream: hypercorn #307, open. Can go when
hypercorn has an option to disable permessage-deflate. A connection never switches to HTTP/2, because these limits do
not apply to HTTP/2. Not reported upstream as far as found (#317 is about an error of the switch). Can go when hypercorn
has an option to disable HTTP/2.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, cast
from urllib.parse import urlsplit

import h11
import trio
from hypercorn.config import Config
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol.events import Event as StreamEvent
from hypercorn.protocol.events import Request, Response
from hypercorn.protocol.h11 import STREAM_ID, H11Protocol, H11WSConnection
from hypercorn.protocol.ws_stream import Handshake, WSStream
from hypercorn.trio.task_group import TaskGroup
from hypercorn.typing import AppWrapper, ConnectionState, WorkerContext

from scramble.kernel.token_bucket import TokenBucket
from scramble.server.http.direct_write import OUTLET, Outlet
from scramble.server.http.errors import refusal
from scramble.server.http.quick import KnownHead, KnownHeads, QuickStream, QuickTasks
from scramble.server.http.websocket import FRAMES_LEFT, GONE, WebSocketStream
from scramble.server.protection.hosts import MOST_HOST
from scramble.server.protection.limits import ServerLimits

# Bytes of a head without method, target and headers: two spaces, HTTP/1.1 and two CRLF, but not the last byte. h11
# counts the same bytes if a head arrives in pieces.
FRAME_OF_HEAD_BYTES = 13
HEADER_LINE_BYTES = 4  # of each header without name and value: colon, space and CRLF

STATUS_WORDS = {
    400: "this is not valid HTTP/1.1",
    408: "the request took too long to come",
    431: "the request's headers are too long: {} bytes at most, its first line included",
    501: "a body is either chunked or has a length: nothing else is understood here",
    505: "this server speaks HTTP/1.1",
}
NO_PATH = "the target of a request is a path, for example /look/alice"
NO_HOST = "the Host header is not the name of a host"
LOWER_HEAD = "a method is written in upper case: HEAD"
TWO_LENGTHS = "a body is either chunked or has a length: this one claims to be both"
NO_HANDSHAKE = "this is not the handshake of a WebSocket of version 13"


class HeadAwareConnection(h11.Connection):
    """An h11 connection that also records if the latest request is a HEAD request. The request may be invalid."""

    head_only = False

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return the next event, like h11."""
        if self.their_state is h11.IDLE:
            self.head_only = self.trailing_data[0].startswith(b"HEAD ")
        return super().next_event()


class HttpProtocol(H11Protocol):
    """HTTP/1.1 on one connection."""

    refused = False  # True after a request was refused before the application saw it; the connection ends then

    def __init__(
        self,
        app: AppWrapper,
        config: Config,
        context: WorkerContext,
        task_group: TaskGroup,
        connection_state: ConnectionState,
        ssl: bool,
        client: tuple[str, int] | None,
        server: tuple[str, int] | None,
        send: Callable[[Event], Awaitable[None]],
        limits: ServerLimits,
        outlet: Outlet | None,
        heads: KnownHeads,
    ) -> None:
        """`outlet` writes directly to the socket, without hypercorn, if the connection becomes a WebSocket.

        All connections of the server share `heads`.
        """
        super().__init__(app, config, context, task_group, connection_state, ssl, client, server, send)
        self.connection = HeadAwareConnection(h11.SERVER, max_incomplete_event_size=config.h11_max_incomplete_size)
        self._limits: Final = limits
        self._outlet: Final = outlet
        self._heads: Final = heads
        self._chunk = b""  # the input that h11 is reading, if it began with a request
        self._quick = False  # True while the current request is quick; its head is _head, and is not passed to h11
        self._head = b""
        self._ended = False  # True after the last request of the connection, if it was quick

    @property
    def unfinished(self) -> bool:
        """True if the client may still be sending an already answered request."""
        return self.refused or self.connection.their_state is h11.SEND_BODY

    async def handle(self, event: Event) -> None:
        """Handle an event like hypercorn, and end the connection after hypercorn has refused a WebSocket."""
        if isinstance(event, RawData):
            if self.refused:  # h11 fails if it reads a request after its own answer
                return
            if self._quick:  # do not parse the input yet; hypercorn waits in the same way while h11 is paused
                await self.can_read.clear()
                await self.can_read.wait()
                if self._ended:
                    return
            elif self.stream is None and self._is_free():
                known = self._heads.find(event.data)
                if known is not None and await self._begin(known, event.data):
                    return
                self._chunk = event.data
        await super().handle(event)
        self._chunk = b""
        if isinstance(self.stream, WSStream) and self.stream.closed and not self.refused:
            self.refused = True
            await self.send(Closed())

    async def refuse(self, status: int, words: str | None = None) -> None:
        """Refuse a request; the application does not get it. The answer to HEAD has no body."""
        self.refused = True
        sentence = words or STATUS_WORDS.get(status, STATUS_WORDS[400]).format(self.config.h11_max_incomplete_size)
        more = self.config.response_headers("h11")
        if status == 400 and words == NO_HANDSHAKE:
            more = [*more, (b"sec-websocket-version", b"13")]
        headers, body = refusal(sentence, close=True, more=more)
        await self._send_h11_event(h11.Response(status_code=status, headers=headers))
        if not (isinstance(self.connection, HeadAwareConnection) and self.connection.head_only):
            await self._send_h11_event(h11.Data(data=body))
        await self._send_h11_event(h11.EndOfMessage())

    async def _send_error_response(self, status_code: int) -> None:
        await self.refuse(status_code)

    async def _check_protocol(self, event: h11.Request) -> None:
        pass  # hypercorn's method looks for HTTP/2

    async def _create_stream(self, request: h11.Request) -> None:
        head_bytes = len(request.method) + len(request.target) + FRAME_OF_HEAD_BYTES
        for name, value in request.headers:
            head_bytes += len(name) + len(value) + HEADER_LINE_BYTES
        status, words = None, None
        if head_bytes > self.config.h11_max_incomplete_size:
            status = 431  # h11 #182
        elif request.http_version not in (b"1.0", b"1.1"):
            status = 505
        elif request.method != b"HEAD" == request.method.upper():
            status, words = 501, LOWER_HEAD  # hypercorn #278
        elif not _asks_for_a_path(request):
            status, words = 400, NO_PATH
        elif not _names_a_host(request):
            status, words = 400, NO_HOST
        elif _has_two_lengths(request):
            status, words = 400, TWO_LENGTHS  # hypercorn #279
        elif _asks_for_a_websocket(request):
            if _is_valid_handshake(request):
                await self._create_websocket(request)
                return
            status, words = 400, NO_HANDSHAKE
        if status is None:
            if self._chunk:
                self._heads.learn(self._chunk, request, head_bytes - len(request.method) - len(request.target))
            await super()._create_stream(request)
        else:
            await self.refuse(status, words)
            await self.send(Closed())

    def _is_free(self) -> bool:
        """Return True if h11 has read all input, and waits for a request."""
        connection = self.connection
        return (
            isinstance(connection, HeadAwareConnection)
            and connection.their_state is h11.IDLE is connection.our_state
            and not connection.trailing_data[0]
            and not self.refused
        )

    async def _begin(self, known: KnownHead, head: bytes) -> bool:
        """Begin a request with a known head. Return False if h11 must parse it: it is too long, or the last request."""
        size = known.size + len(known.method) + len(known.target)
        last = self.keep_alive_requests + 1 >= self.config.keep_alive_max_requests
        if last or size > self.config.h11_max_incomplete_size:
            return False
        self._quick, self._head = True, head
        await self.send(Updated(idle=False))
        tasks = QuickTasks(cast(TaskGroup, self.task_group))
        stream = QuickStream(
            self.app, self.config, self.context, tasks, self.ssl, self.client, self.server, self.stream_send, STREAM_ID
        )
        stream.serve(self, self._heads.answers)
        self.stream = stream
        self.keep_alive_requests += 1
        await stream.handle(
            Request(
                stream_id=STREAM_ID,
                headers=known.headers.copy(),
                http_version="1.1",
                method=known.method.decode(),
                raw_path=known.target,
                state=self.connection_state,
            )
        )
        await self.context.mark_request()
        return True

    async def write(self, answer: bytes) -> None:
        """Send the whole answer of a quick request."""
        await self.send(RawData(data=answer))

    def catch_up(self) -> None:
        """Pass the head of a quick request to h11; the request becomes an ordinary request."""
        head, self._quick, self._head = self._head, False, b""
        self.connection.receive_data(head)
        while self.connection.next_event() is not h11.NEED_DATA and self.connection.their_state is not h11.DONE:
            pass

    async def end(self, *, well: bool) -> None:
        """End a quick request, and continue with the next one, like hypercorn; close the connection unless `well`."""
        self._quick, self._head = False, b""
        await self._close_stream()
        self._ended = not well or self.context.terminated.is_set()
        await self.can_read.set()
        await self.send(Closed() if self._ended else Updated(idle=True))

    async def stream_send(self, event: StreamEvent) -> None:
        """Send an event of the stream. After the handshake of a WebSocket, drop h11, because only wsproto is used."""
        await super().stream_send(event)
        if isinstance(self.connection, H11WSConnection) and isinstance(event, Response) and event.status_code == 101:
            del self.connection.h11_connection

    async def _create_websocket(self, request: h11.Request) -> None:
        """Begin a WebSocket like hypercorn, but without extensions (hypercorn #307), with one bucket for all frames."""
        frames, gone = TokenBucket(self._limits.frames, self._limits.frames_per_s), trio.CancelScope()
        self.stream = WebSocketStream(
            self.app,
            self.config,
            self.context,
            self.task_group,
            self.ssl,
            self.client,
            self.server,
            self.stream_send,
            STREAM_ID,
            frames,
            gone,
            self._outlet,
        )
        self.connection = H11WSConnection(cast(h11.Connection, self.connection))
        state = ConnectionState({**self.connection_state, FRAMES_LEFT: frames, GONE: gone})
        if self._outlet is not None:
            state[OUTLET] = self._outlet
        await self.stream.handle(
            Request(
                stream_id=STREAM_ID,
                headers=[header for header in request.headers if header[0] != b"sec-websocket-extensions"],
                http_version=request.http_version.decode(),
                method="GET",
                raw_path=request.target,
                state=state,
            )
        )
        self.keep_alive_requests += 1
        await self.context.mark_request()


def _asks_for_a_path(request: h11.Request) -> bool:
    """Return True if the target is a path, a complete URL or an asterisk (RFC 9112, 3.2).

    Quart fails at other targets.
    """
    if request.target.startswith(b"/") or request.target == b"*":
        return True
    try:
        return urlsplit(request.target.decode("ascii")).path.startswith("/")
    except ValueError:  # an invalid address
        return False


def _names_a_host(request: h11.Request) -> bool:
    """Return True if the Host header is missing or can be a host name: werkzeug's router fails at other values."""
    try:
        for name, value in request.headers:
            if name == b"host":
                if len(value) > MOST_HOST:
                    return False
                value.decode("latin-1").partition(":")[0].encode("idna")
    except UnicodeError:
        return False
    return True


def _has_two_lengths(request: h11.Request) -> bool:
    names = {name for name, _ in request.headers}
    return b"transfer-encoding" in names and b"content-length" in names


def _asks_for_a_websocket(request: h11.Request) -> bool:
    if request.method != b"GET" or not any(name == b"upgrade" for name, _ in request.headers):
        return False
    upgrades = [value.lower() for name, value in request.headers if name == b"upgrade"]
    tokens = [t.strip() for name, value in request.headers if name == b"connection" for t in value.lower().split(b",")]
    return b"websocket" in upgrades and b"upgrade" in tokens


def _is_valid_handshake(request: h11.Request) -> bool:
    try:
        return Handshake(list(request.headers), request.http_version.decode()).is_valid()
    except UnicodeDecodeError:  # not ASCII; in hypercorn this ends the server
        return False
