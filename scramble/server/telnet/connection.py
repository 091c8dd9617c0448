"""One telnet connection: lines in, bytes out at any time, and bounded buffers in both directions.

The bytes that wait for a client are bounded, and delay no other client:

- `send` never waits. A client is dropped if more than `MAX_WAITING` bytes wait for it when more is sent.
- A client that reads is never dropped for its own commands: it gets no next line while more than `MAX_WAITING` bytes
  wait for it, and is dropped only if it reads none of them for `STALL_S`. (So a field whose BOARD alone has 2 MB can be
  looked at twice in a row, and a client that sends commands without end and reads nothing achieves nothing.)
- The lines of at most one segment of `RECEIVE_BYTES` are held; the rest waits in the client's own TCP window.

Safe under concurrency: everything here runs in one thread, and what two tasks share changes only between their awaits.
A connection has two tasks. Only its session's task reads from the socket and uses the splitter, the telnet filter and
the lines that are due, so lines are handed over one after another and in order. Only the writer writes to the socket.
They share the outbox: `send` appends to it and the writer takes from its front, both without an await in the middle, so
what is sent arrives complete and in the order of the calls, from whichever task.
"""

from __future__ import annotations

import logging
import socket
import struct
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import trio

from scramble.kernel.token_bucket import TokenBucket
from scramble.logs import LogEntry
from scramble.server.protection.by_address import ADDRESS_FULL, Pace, account
from scramble.server.protection.limits import LINES_PER_S_BY_ADDRESS, ServerLimits
from scramble.server.protection.send_budget import TOO_MUCH_UNREAD, Unread
from scramble.server.telnet.lines import MAX_LINE_BYTES, LineSplitter, TelnetLine
from scramble.server.telnet.options import IAC, TelnetFilter
from scramble.server.traffic import DOES_NOT_READ, Traffic

MAX_WAITING: Final = 1024 * 1024  # bytes; minutes of play, or one board that is larger than any screen
STALL_S: Final = 3.0  # longer than a retransmission or two takes on a bad wireless network
TELNET_LINGER_S: Final = 5.0  # for a client to close its side after the server; telnet does so in milliseconds
RECEIVE_BYTES: Final = 16 * 1024
SEND_BYTES: Final = 32 * 1024  # written at a time, so that a slow client makes visible progress
LINES_IN_A_ROW: Final = 32  # for a session that never waits; then other tasks get their turn
FULL_LINE: Final = f"Sorry, {ADDRESS_FULL}.\r\n".encode()
MAX_TURNING_AWAY: Final = 20  # connections beyond the limit that are seen to their end; more get the line, and a close

logger = logging.getLogger(__name__)

LineSession = Callable[["LineConnection"], Awaitable[None]]


class LineConnection:
    """The connection of a client as its session sees it: an asynchronous iterator of lines, with `send`.

    For iteration by one task at a time; any task may send.
    """

    # AF: a client that has been sent all bytes that were ever passed to `send` but for the last _waiting ones: those
    #     that the writer is sending, and then those in _outbox. The lines in _due were received, but not handed over.
    # RI: once _dropped, nothing is added to _outbox.
    # Safety from exposure: lines, and the bytes to send, are immutable.

    def __init__(
        self,
        stream: trio.abc.HalfCloseableStream,
        *,
        cr_ends: bool,
        max_line: int = MAX_LINE_BYTES,
        name: str = "client",
        host: str = "",
        limits: ServerLimits | None = None,
        traffic: Traffic | None = None,
        unread: Unread | None = None,
        pace: Pace | None = None,
    ) -> None:
        """`pace` is that of all connections of a server."""
        limits = limits or ServerLimits()
        self.name: Final = name
        self.host: Final = host  # the client's address
        self._lines: Final = TokenBucket(max(1.0, limits.lines_per_s), limits.lines_per_s)
        self._pace: Final = pace or Pace(limits.lines_per_s_by_address, LINES_PER_S_BY_ADDRESS)
        self._unread: Final = unread or Unread(limits.unread_bytes)
        self._stream: Final = stream
        self._traffic: Final = traffic or Traffic()
        self._telnet: Final = TelnetFilter()
        self._splitter: Final = LineSplitter(cr_ends=cr_ends, max_line=max_line)
        self._due: Final[deque[TelnetLine]] = deque()
        self._in_a_row = 0
        self._outbox: Final = bytearray()
        self._waiting = 0
        self._scope: Final = trio.CancelScope()
        self._dropped = False
        self._something_to_write: Final = trio.lowlevel.ParkingLot()
        self._progress: Final = trio.lowlevel.ParkingLot()

    def __str__(self) -> str:
        return f"{self.name}, {self._waiting} bytes waiting"

    # for the session

    def send(self, data: bytes) -> None:
        """Send `data`, complete and after all data that was sent before. Never waits, never raises.

        Drops the client, and cancels its session, if more than `MAX_WAITING` bytes are already waiting for it. Does
        nothing if the client has disconnected.
        """
        if self._dropped or not data:
            return
        if self._waiting > MAX_WAITING:
            self._drop(DOES_NOT_READ)
            return
        self._outbox.extend(data)
        self._waiting += len(data)
        self._unread.add(self, len(data))
        self._something_to_write.unpark_all()

    async def drained(self) -> None:
        """Wait until the kernel has taken all data that was sent. For sessions that send without a command.

        Not always a checkpoint. Has no time limit of its own; the kernel closes a connection that takes nothing.
        """
        while self._waiting:
            await self._progress.park()

    def __aiter__(self) -> LineConnection:
        return self

    async def __anext__(self) -> TelnetLine:
        """Return the next line.

        Waits for a line, until no more than `MAX_WAITING` bytes wait for the client, and, if lines arrive faster than
        the limits of the connection and of its address allow, until the next one may be handed over. A telnet command
        counts as a line.

        Ends when the client has closed its side or the connection; input without a line end is then discarded. If
        cancelled, no line is lost. Not always a checkpoint, but once in `LINES_IN_A_ROW` lines.
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
            # Commands make no line, and would cost the client nothing, though no other input costs the server as much.
            commands = data.count(IAC)
            self._lines.owe(commands)
            wait_s = self._pace.spend(self.host, commands or not self._due)  # a piece without a line costs, too
            if not self._due:
                wait_s = max(wait_s, self._lines.wait_s)
            if wait_s:
                await trio.sleep(wait_s)
        if not self._lines.take():
            await trio.sleep(self._lines.wait_s)
            self._lines.take()
        wait_s = self._pace.spend(self.host)
        if wait_s:
            await trio.sleep(wait_s)
        return self._due.popleft()

    # for the server

    async def run(self, session: LineSession) -> None:
        """Serve the connection to its end, and close it. If cancelled, it is closed at once."""
        try:
            await self._run(session)
        finally:
            self._dropped = True
            self._unread.left_behind(self, self._waiting)

    async def _run(self, session: LineSession) -> None:
        async with self._stream:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._write)
                    await session(self)
                    await self._room(0)
                    nursery.cancel_scope.cancel()
                await self._linger()
            if self._dropped:
                _reset_when_closed(self._stream)

    async def _write(self) -> None:
        try:
            while True:
                while not self._outbox:
                    await self._something_to_write.park()
                chunk = bytes(self._outbox[:SEND_BYTES])
                del self._outbox[:SEND_BYTES]
                await self._stream.send_all(chunk)
                self._waiting -= len(chunk)
                self._unread.taken(self, len(chunk))
                self._progress.unpark_all()
        except trio.BrokenResourceError:  # disconnected
            self._dropped = True
            self._scope.cancel()

    async def _room(self, most: int = MAX_WAITING) -> None:
        """Wait until at most `most` bytes wait for the client. Drop it if it reads none for STALL_S."""
        while self._waiting > most:
            with trio.move_on_after(STALL_S) as timeout:
                await self._progress.park()
            if timeout.cancelled_caught:
                self._drop(DOES_NOT_READ)
                await trio.lowlevel.checkpoint()

    async def _linger(self) -> None:
        """Close the server's side, then read and discard input until the client has closed its own.

        A close with unread input makes the kernel reset the connection, and the client could lose the last lines.
        """
        with trio.move_on_after(TELNET_LINGER_S):
            try:
                await self._stream.send_eof()
                while await self._stream.receive_some(RECEIVE_BYTES):
                    pass
            except trio.BrokenResourceError:
                pass  # the client has closed both sides, or has not read what was sent; it has disconnected

    @property
    def account(self) -> str:
        """The address or network that the connection is counted for."""
        return account(self.host)

    def drop(self) -> None:
        """Disconnect the client because too many bytes wait for all clients. Does not wait."""
        self._drop(TOO_MUCH_UNREAD)

    def _drop(self, reason: str) -> None:
        """Disconnect a client that does not read."""
        if not self._dropped:
            self._traffic.fallen_behind["telnet"] += 1
            logger.warning(LogEntry("client-dropped", client=self.name, reason=reason, bytes_waiting=self._waiting))
            self._dropped = True
            self._scope.cancel()


def _reset_when_closed(stream: trio.abc.HalfCloseableStream) -> None:
    """Have the kernel discard at once what a client has not read, instead of sending it again for minutes."""
    if isinstance(stream, trio.SocketStream):
        with suppress(OSError):
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
