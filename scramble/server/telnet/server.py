r"""A line server for telnet clients: accepts connections up to the limits, and runs a session on each.

    async def session(connection: LineConnection) -> None:
        connection.send(b"Hello\r\n")
        async for line in connection:
            connection.send(b"You said something\r\n")

    address = await nursery.start(partial(serve_lines, session, host="127.0.0.1", port=4444))

A session ends its connection by returning; the sent data is delivered first. If its client disconnects, or reads too
slowly, the session is cancelled at its current await. If the client closes only its sending side, the lines end.

Safe under concurrency: connections share only counters, and these change between two awaits.
"""

from __future__ import annotations

import logging
import socket
from contextlib import suppress
from functools import partial
from typing import Final

import trio

from scramble.logs import LogEntry
from scramble.server.listening import Address, bind
from scramble.server.protection.by_address import ADDRESS_FULL, SERVER_FULL, ConnectionCounter, Pace
from scramble.server.protection.limits import LINES_PER_S_BY_ADDRESS, ServerLimits
from scramble.server.protection.send_budget import Unread
from scramble.server.telnet.connection import LineConnection, LineSession
from scramble.server.telnet.lines import MAX_LINE_BYTES
from scramble.server.traffic import Traffic

MAX_CONNECTIONS: Final = 1000
SEND_BUFFER_BYTES: Final = 64 * 1024  # the kernel's default is up to 4 MB for a client that reads nothing
FULL_LINE: Final = f"Sorry, {ADDRESS_FULL}.\r\n".encode()
MAX_TURNING_AWAY: Final = 20  # concurrent refused connections that close in two steps; others close after the line

logger = logging.getLogger(__name__)


class _LineServer:
    """Serves connections up to the limits, and turns away the others."""

    # AF: a server of the connections counted by _counter; it is refusing _turning_away connections.
    # RI: 0 <= _turning_away <= MAX_TURNING_AWAY.

    def __init__(
        self,
        session: LineSession,
        traffic: Traffic,
        *,
        cr_ends: bool,
        max_line: int,
        max_connections: int,
        limits: ServerLimits,
        full: bytes,
    ) -> None:
        self._session = session
        self._traffic = traffic
        self._cr_ends = cr_ends
        self._max_line = max_line
        self._limits = limits
        self._full = full
        self._counter = ConnectionCounter(min(max_connections, limits.connections), limits.connections_by_address)
        self._pace = Pace(limits.lines_per_s_by_address, LINES_PER_S_BY_ADDRESS)
        self._unread = Unread(limits.unread_bytes)
        self._turning_away = 0

    async def handle(self, stream: trio.SocketStream) -> None:
        """Serve a connection to its end, or turn it away."""
        _configure(stream)
        name, host = _peer(stream), _host(stream)
        connection = LineConnection(
            stream,
            cr_ends=self._cr_ends,
            max_line=self._max_line,
            name=name,
            host=host,
            limits=self._limits,
            traffic=self._traffic,
            unread=self._unread,
            pace=self._pace,
        )
        refusal = self._counter.refusal(host)
        if refusal is None:
            logger.debug(LogEntry("client-connected", client=name))
            try:
                with self._counter.counted(host), self._traffic.connection("telnet"):
                    await connection.run(self._session)
            finally:
                logger.debug(LogEntry("client-disconnected", client=name))
            return
        self._traffic.turned_away["telnet"] += 1
        logger.info(LogEntry("client-turned-away", client=name, reason=refusal))
        words = self._full if refusal is SERVER_FULL else FULL_LINE
        if self._turning_away < MAX_TURNING_AWAY:
            self._turning_away += 1
            await connection.run(partial(_turn_away, words))
            self._turning_away -= 1  # not needed after a cancellation, because a cancellation ends the whole server
        else:
            async with stream:
                with suppress(trio.BrokenResourceError):
                    await stream.send_all(words)  # does not wait: the kernel's buffer is empty


async def _turn_away(words: bytes, connection: LineConnection) -> None:
    connection.send(words)


async def serve_lines(
    session: LineSession,
    *,
    host: str,
    port: int,
    cr_ends: bool = True,
    max_line: int = MAX_LINE_BYTES,
    max_connections: int = MAX_CONNECTIONS,
    full: bytes = b"There are too many players here. Please try again later.\r\n",
    limits: ServerLimits | None = None,
    traffic: Traffic | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Run `session` on every connection, until cancelled; then all connections close at once.

    For `nursery.start`; it returns the `Address`. Port 0 is any free port. A lone CR ends a line if `cr_ends`; a line
    of more than `max_line` bytes is reported as `OVERLONG`. A connection beyond `max_connections` or `limits` gets the
    line `full`, or a line about too many connections from its address, and is closed. `traffic` counts the connections.
    An exception that leaves a session is a bug, and ends the server.

    Raises:
        CannotListen: the address cannot be bound.
    """
    server = _LineServer(
        session,
        traffic or Traffic(),
        cr_ends=cr_ends,
        max_line=max_line,
        max_connections=max_connections,
        limits=limits or ServerLimits(),
        full=full,
    )
    listener = trio.SocketListener(trio.socket.from_stdlib_socket(bind(host, port)))
    address = Address(host, listener.socket.getsockname()[1])
    async with trio.open_nursery() as nursery:
        await nursery.start(trio.serve_listeners, server.handle, [listener])
        task_status.started(address)


def _configure(stream: trio.SocketStream) -> None:
    """Limit the kernel's buffer for a client that does not read."""
    with suppress(OSError):  # already disconnected; the next read or write reports it
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)


def _host(stream: trio.SocketStream) -> str:
    try:
        return str(stream.socket.getpeername()[0])
    except OSError:
        return ""  # disconnected


def _peer(stream: trio.SocketStream) -> str:
    try:
        host, port = stream.socket.getpeername()[:2]
    except OSError:
        return "a disconnected client"
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
