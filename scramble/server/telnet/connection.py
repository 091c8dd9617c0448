"""One telnet connection: receives lines, sends bytes at any time, and has limited buffers in both directions.

The unread bytes of a client are limited, and delay no other client:

- `send` never waits. It drops a client with more than `MAX_WAITING` unread bytes.
- A client that reads is never dropped for its own commands. While it has more than `MAX_WAITING` unread bytes, the
  session gets no next line, and the client is dropped only if it reads nothing for `STALL_S`. (So a player can look
  twice in a row at a field with a BOARD of 2 MB. A client that sends endless commands and reads nothing fills no
  memory.)
- The buffer has the lines of at most one segment of `RECEIVE_BYTES`; the rest waits in the client's own TCP window.

Safe under concurrency: everything runs in one thread, and shared data changes only between two awaits. A connection
has two tasks. Only the session's task reads from the socket and uses the splitter, the telnet filter and the received
lines, so the session gets the lines in order. Only the writer writes to the socket. Both tasks share the outbox:
`send` appends data, the writer takes data from the front, and neither step has an await in the middle. So data arrives
complete and in the order of the calls, even if several tasks send.
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
from scramble.server.protection.by_address import Pace, account
from scramble.server.protection.limits import LINES_PER_S_BY_ADDRESS, ServerLimits
from scramble.server.protection.send_budget import TOO_MUCH_UNREAD, Unread
from scramble.server.telnet.lines import MAX_LINE_BYTES, LineSplitter, TelnetLine
from scramble.server.telnet.options import IAC, TelnetFilter
from scramble.server.traffic import DOES_NOT_READ, Traffic

MAX_WAITING: Final = 1024 * 1024  # bytes; the output of minutes of play, or a board that is larger than any screen
STALL_S: Final = 3.0  # longer than two retransmissions on a bad wireless network take
TELNET_LINGER_S: Final = 5.0  # for a client to close its side after the server; telnet takes milliseconds
RECEIVE_BYTES: Final = 16 * 1024
SEND_BYTES: Final = 32 * 1024  # written at a time: so small that even a slow client takes some data within STALL_S
LINES_IN_A_ROW: Final = 32  # lines for a session that never waits, before other tasks run

logger = logging.getLogger(__name__)

LineSession = Callable[["LineConnection"], Awaitable[None]]


class LineConnection:
    """The session's view of a client connection: an asynchronous iterator of lines, with `send`.

    Only one task at a time may iterate; any task may send.
    """

    # AF: all bytes of all `send` calls were sent to the client, except the last _waiting bytes. The writer is sending
    #     the first of these bytes, and the rest is in _outbox. The lines in _due were received, but not returned.
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
        """All connections of a server share `pace`, `unread` and `traffic`."""
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
        """Send `data` completely, after all earlier data. Never waits, never raises.

        Drops the client, and cancels its session, if it already has more than `MAX_WAITING` unread bytes. Does
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
        """Wait until the kernel has taken all sent data. For sessions that send without a command.

        Not always a checkpoint. Has no time limit, because the kernel closes a connection if its client does not read.
        """
        while self._waiting:
            await self._progress.park()

    def __aiter__(self) -> LineConnection:
        return self

    async def __anext__(self) -> TelnetLine:
        """Return the next line.

        Waits for a line, and until the client has at most `MAX_WAITING` unread bytes. If lines arrive faster than
        the limits of the connection and of its address, also waits until the next line is allowed. A telnet command
        counts as a line.

        Ends when the client has closed its side or the connection; input without a line end is then discarded. A
        cancellation loses no line. Not always a checkpoint, but at least once in `LINES_IN_A_ROW` lines.
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
            # Count commands, too: they add no line, but they cost the server more than any other input.
            commands = data.count(IAC)
            self._lines.owe(commands)
            wait_s = self._pace.spend(self.host, commands or not self._due)  # input without a line counts as a line
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
        """Serve the connection to its end, and close it. A cancellation closes it at once."""
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
        """Wait until the client has at most `most` unread bytes. Drop the client if it reads nothing for STALL_S."""
        while self._waiting > most:
            with trio.move_on_after(STALL_S) as timeout:
                await self._progress.park()
            if timeout.cancelled_caught:
                self._drop(DOES_NOT_READ)
                await trio.lowlevel.checkpoint()

    async def _linger(self) -> None:
        """Close the server's side, then read and discard input until the client has closed its side.

        A close with unread input makes the kernel reset the connection, and the client could lose the last lines.
        """
        with trio.move_on_after(TELNET_LINGER_S):
            try:
                await self._stream.send_eof()
                while await self._stream.receive_some(RECEIVE_BYTES):
                    pass
            except trio.BrokenResourceError:
                pass  # disconnected: the client has closed both sides, or has not read the sent data

    @property
    def account(self) -> str:
        """The address or network whose limits apply to the connection."""
        return account(self.host)

    def drop(self) -> None:
        """Disconnect the client because the unread bytes of all clients exceed the limit. Does not wait."""
        self._drop(TOO_MUCH_UNREAD)

    def _drop(self, reason: str) -> None:
        """Disconnect a client that does not read."""
        if not self._dropped:
            self._traffic.fallen_behind["telnet"] += 1
            logger.warning(LogEntry("client-dropped", client=self.name, reason=reason, bytes_waiting=self._waiting))
            self._dropped = True
            self._scope.cancel()


def _reset_when_closed(stream: trio.abc.HalfCloseableStream) -> None:
    """Make the kernel discard unread data at once at the close. Otherwise it would retry the data for minutes."""
    if isinstance(stream, trio.SocketStream):
        with suppress(OSError):
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
