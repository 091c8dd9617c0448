"""Quick requests: their headers are known, and their answers are complete at once. They bypass h11.

    heads = KnownHeads()                            # one for a server
    head = heads.find(chunk)                        # None: h11 reads it
    heads.learn(chunk, request, size)               # h11 has parsed `request` from the chunk

h11 parsing took 20 % of a request's time, and h11 writing with three system calls took 25 %. But a client sends the
same headers in every request, and most answers are complete at once. So this module has three shortcuts:

- A cache maps the bytes of a head after its first line, the *block*, to the headers that h11 has parsed from them. A
  block in the cache has the same parsed headers again, if the method and the version are the same. h11 parses all other
  heads.
- A complete answer with a Content-Length is written at once, head and body, in the same bytes as h11's.
- The application runs in a task, like in hypercorn, but gets the request by a call instead of a queue.

If the answer is not complete at once, `catch_up` passes the head to h11 before anything is written. hypercorn then
continues with an ordinary request.

Not a replacement of faulty code; docs/explanation/what-we-change-in-hypercorn.md has the conditions. Can go when
measurements show no gain.

Safe under concurrency: blocks are found and stored between two awaits; a request belongs to one connection.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, Protocol

import h11
import trio
from hypercorn.config import Config
from hypercorn.protocol.http_stream import ASGIHTTPState, HTTPStream
from hypercorn.trio.task_group import TaskGroup, _handle
from hypercorn.typing import (
    AppWrapper,
    ASGIReceiveCallable,
    ASGIReceiveEvent,
    ASGISendEvent,
    HTTPResponseBodyEvent,
    HTTPResponseStartEvent,
    Scope,
    WorkerContext,
)
from hypercorn.utils import UnexpectedMessageError

from scramble.server.http.errors import Headers

MOST_BLOCKS: Final = 500  # of a server; each client has its own block, and a class has fewer clients
LONGEST_BLOCK: Final = 2048  # bytes; a browser sends 1 kB
MOST_HEADER_LINES: Final = 2000  # cached header lines of answers; most answers have the same lines
LONGEST_LINE: Final = 500  # bytes

_FIRST_LINE: Final = re.compile(rb"(GET|POST) (/[!-~]*) HTTP/1\.1")
_END: Final = re.compile(rb"\n\r?\n")  # h11's pattern for the end of a head

_NAME: Final = re.compile(rb"[a-z0-9-]+")
_VALUE: Final = re.compile(rb"[!-~]+(?:[ \t]+[!-~]+)*")

_FRAMING: Final = frozenset({b"connection", b"upgrade", b"transfer-encoding", b"trailer", b"keep-alive"})
"""Headers that change the framing of an answer or the state of the connection."""

_LENGTH: Final = b"content-length"

_SECRET: Final = frozenset({b"set-cookie", b"location"})
"""Headers whose lines are not cached."""


class KnownHead(NamedTuple):
    """A request with a known head. The limit on heads counts the block as `size` bytes."""

    method: bytes
    target: bytes
    headers: Headers
    size: int


class _Block(NamedTuple):
    headers: Headers
    size: int


class KnownHeads:
    """The blocks of headers that h11 has parsed for a server. Mutable; all connections share it."""

    # AF: `answers` encodes answers; _blocks maps a method and the bytes of a block to the headers parsed by h11.
    # RI: at most MOST_BLOCKS blocks, each of at most LONGEST_BLOCK bytes. A request with any of these blocks has no
    #     body and keeps the connection open.

    def __init__(self) -> None:
        self.answers: Final = Answers()
        self._blocks: Final[dict[tuple[bytes, bytes], _Block]] = {}

    def find(self, chunk: bytes) -> KnownHead | None:
        """Return the request if `chunk` is exactly one head, with a known block."""
        line, _, block = chunk.partition(b"\r\n")
        first = _FIRST_LINE.fullmatch(line)
        if first is None:
            return None
        method, target = first.groups()
        known = self._blocks.get((method, block))
        return None if known is None else KnownHead(method, target, known.headers, known.size)

    def learn(self, chunk: bytes, request: h11.Request, size: int) -> None:
        """Store the block of `chunk`, if `request` is plain; h11 has parsed `request` from `chunk`.

        The limit on heads counts the headers as `size` bytes.
        """
        line, _, block = chunk.partition(b"\r\n")
        first = _FIRST_LINE.fullmatch(line)
        if first is None or first.groups() != (request.method, request.target) or len(block) > LONGEST_BLOCK:
            return
        end = _END.search(chunk)
        if end is None or end.end() != len(chunk) or not _is_plain(request):
            return
        if len(self._blocks) >= MOST_BLOCKS:
            self._blocks.clear()
        self._blocks[request.method, block] = _Block([(bytes(n), bytes(v)) for n, v in request.headers], size)

    def __len__(self) -> int:
        return len(self._blocks)

    def __str__(self) -> str:
        return f"{len(self)} known blocks of headers"


def _is_plain(request: h11.Request) -> bool:
    """Return True if the request has no body and no special header, and keeps the connection open."""
    for name, value in request.headers:
        if name in (b"upgrade", b"expect", b"transfer-encoding", b"http2-settings"):
            return False
        if (name == _LENGTH and value != b"0") or (name == b"connection" and value.lower() != b"keep-alive"):
            return False
    return True


class Answers:
    """Encoder of complete answers, with the same bytes as h11's. Mutable: it has a cache."""

    # AF: _lines has the bytes of some header lines.
    # RI: at most MOST_HEADER_LINES lines.

    def __init__(self) -> None:
        self._lines: Final[dict[tuple[bytes, bytes], bytes]] = {}

    def whole(self, start: HTTPResponseStartEvent, body: bytes, more: Headers) -> bytes | None:
        """Return the encoded answer with `more` headers; None if it is incomplete or unusual."""
        status, lengths = start["status"], 0
        if not 200 <= status <= 599 or status in (204, 304) or start.get("trailers"):
            return None
        parts = [b"HTTP/1.1 %d \r\n" % status]
        for headers in (start["headers"], more):
            for name, value in headers:
                if name == _LENGTH:
                    if value != b"%d" % len(body):
                        return None
                    lengths += 1
                    line: bytes | None = b"%s: %s\r\n" % (name, value)
                else:
                    line = self._lines.get((name, value)) or self._line(name, value)
                if line is None:
                    return None
                parts.append(line)
        if lengths != 1:
            return None
        parts += (b"\r\n", body)
        return b"".join(parts)

    def _line(self, name: bytes, value: bytes) -> bytes | None:
        if not (_NAME.fullmatch(name) and _VALUE.fullmatch(value)) or name in _FRAMING:
            return None
        if len(self._lines) >= MOST_HEADER_LINES:
            self._lines.clear()
        line = b"%s: %s\r\n" % (name, value)
        if len(line) <= LONGEST_LINE and name not in _SECRET:
            self._lines[name, value] = line
        return line


class _Inbox:
    """The input of the application: a request without a body, and later the disconnect."""

    def __init__(self) -> None:
        self._begun = False
        self._gone = False
        self._waiting: trio.Event | None = None

    async def receive(self) -> ASGIReceiveEvent:
        if not self._begun:
            self._begun = True
            return {"type": "http.request", "body": b"", "more_body": False}
        if not self._gone:
            self._waiting = self._waiting or trio.Event()
            await self._waiting.wait()
        return {"type": "http.disconnect"}

    async def put(self, message: ASGIReceiveEvent) -> None:
        if message["type"] == "http.disconnect":
            self._gone = True
            if self._waiting is not None:
                self._waiting.set()


class QuickTasks(TaskGroup):
    """The tasks of a connection; the application receives its input without a queue."""

    def __init__(self, tasks: TaskGroup) -> None:
        super().__init__()
        self._tasks: Final = tasks

    async def spawn_app(
        self,
        app: AppWrapper,
        config: Config,
        scope: Scope,
        send: Callable[[ASGISendEvent | None], Awaitable[None]],
    ) -> Callable[[ASGIReceiveEvent], Awaitable[None]]:
        """Start the application, like hypercorn. Does not wait."""
        inbox = _Inbox()
        receive: ASGIReceiveCallable = inbox.receive
        self._tasks.spawn(_handle, app, config, scope, receive, send, trio.to_thread.run_sync, trio.from_thread.run)
        return inbox.put


class QuickConnection(Protocol):
    """A connection with a current quick request."""

    config: Config
    context: WorkerContext

    async def write(self, answer: bytes) -> None:
        """Send a complete answer."""

    async def end(self, *, well: bool) -> None:
        """Continue with the next request; close the connection unless `well`."""

    def catch_up(self) -> None:
        """Pass the head of the request to h11. Call this only before anything is written."""


class QuickStream(HTTPStream):
    """One quick request. Unlike a stream of hypercorn, it writes a complete answer without h11."""

    # AF: a stream of hypercorn if _ordinary. Otherwise the quick request of _connection: _start begins its answer;
    #     None: no answer yet. _written: the whole answer is written, but the application may not have sent its last
    #     message yet.

    _connection: QuickConnection
    _answers: Answers
    _start: HTTPResponseStartEvent | None = None
    _written = False
    _ordinary = False

    def serve(self, connection: QuickConnection, answers: Answers) -> None:
        """Set the connection and the encoder. Call this first."""
        self._connection = connection
        self._answers = answers

    async def app_send(self, message: ASGISendEvent | None) -> None:
        """Handle a message of the application; None: the application has ended."""
        if self._ordinary or self.state is ASGIHTTPState.CLOSED:
            await super().app_send(message)
        elif message is not None and message["type"] == "http.response.start" and self._start is None:
            self._start = message
        elif message is not None and message["type"] == "http.response.body" and await self._is_answer(message):
            pass
        elif not self._written:
            self._ordinary = True
            self._connection.catch_up()
            if self._start is not None:
                await super().app_send(self._start)
            await super().app_send(message)
        elif message is not None:
            raise UnexpectedMessageError(self.state, message["type"])
        else:
            self.state = ASGIHTTPState.CLOSED
            await self._connection.end(well=False)

    async def _is_answer(self, message: HTTPResponseBodyEvent) -> bool:
        """Write the answer if this message completes it. Return False, and do nothing, if it does not."""
        body = message.get("body", b"")
        if self._start is None:
            return False
        if self._written:
            if body:
                raise h11.LocalProtocolError("Too much data for declared Content-Length")
        else:
            answer = self._answers.whole(self._start, body, self.config.response_headers("h11"))
            if answer is None:
                return False
            self.response = self._start
            self._written = True
            await self._connection.write(answer)
        if not message.get("more_body", False):
            self.state = ASGIHTTPState.CLOSED
            await self._connection.end(well=True)
        return True
