"""Clients and servers for testing line servers over real loopback sockets."""

from __future__ import annotations

import shutil
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from subprocess import PIPE, STDOUT

import pytest
import trio

from scramble.server.listening import Address
from scramble.server.telnet.connection import LineConnection, LineSession
from scramble.server.telnet.lines import OVERLONG
from scramble.server.telnet.server import serve_lines


class Client:
    """The client's end of a connection, as a program uses it."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self._buffer = bytearray()

    async def say(self, data: bytes) -> None:
        await self.stream.send_all(data)

    async def line(self) -> bytes:
        """Return the next line, with its end. Raises EOFError if the server closes before the end of the line."""
        while b"\n" not in self._buffer:
            data = await self.stream.receive_some()
            if not data:
                raise EOFError(f"closed after {bytes(self._buffer)!r}")
            self._buffer += data
        end = self._buffer.index(b"\n") + 1
        line = bytes(self._buffer[:end])
        del self._buffer[:end]
        return line

    async def lines(self, count: int) -> bytes:
        return b"".join([await self.line() for _ in range(count)])

    async def rest(self) -> bytes:
        """Return all data until the server closes in good order, without a reset."""
        async for data in self.stream:
            self._buffer += data
        rest = bytes(self._buffer)
        self._buffer.clear()
        return rest

    async def until_gone(self) -> None:
        """Wait until the server has closed the connection in any way; ignore data before that."""
        with suppress(trio.BrokenResourceError):
            await self.rest()

    async def reset(self) -> None:
        """Disconnect like a crashed machine: with an RST."""
        self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await self.stream.aclose()


@asynccontextmanager
async def connected(address: Address, *, receive_buffer: int | None = None) -> AsyncIterator[Client]:
    """Connect a client. With `receive_buffer` (bytes, approximately), its kernel buffers little unread data."""
    with trio.socket.socket() as sock:
        if receive_buffer is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        await sock.connect((address.host, address.port))
        async with trio.SocketStream(sock) as stream:
            yield Client(stream)


class TelnetProgram:
    """The real telnet program with the test as its user. Its carriage returns are left out."""

    def __init__(self, process: trio.Process) -> None:
        self._process = process
        self.shown = b""
        self._seen = 0

    async def enter(self, line: bytes) -> None:
        """Type a line."""
        assert self._process.stdin is not None
        await self._process.stdin.send_all(line + b"\n")

    async def until(self, text: bytes) -> None:
        """Wait until the program shows this text after the last awaited text. Raises EOFError if it ends before."""
        assert self._process.stdout is not None
        while (at := self.shown.find(text, self._seen)) < 0:
            data = await self._process.stdout.receive_some()
            if not data:
                raise EOFError(self.shown)
            self.shown += data.replace(b"\r", b"")
        self._seen = at + len(text)

    async def ended(self) -> int:
        """Wait for the end of the program; return its exit code."""
        return await self._process.wait()


@asynccontextmanager
async def telnet_program(*arguments: str) -> AsyncIterator[TelnetProgram]:
    """Run a telnet program until the end of the block; skip the test if it is not installed."""
    program = shutil.which("telnet")
    if program is None:
        pytest.skip("there is no telnet program here; CI installs it")
    async with trio.open_nursery() as nursery:
        run = partial(
            trio.run_process, [program, "--", *arguments], stdin=PIPE, stdout=PIPE, stderr=STDOUT, check=False
        )
        yield TelnetProgram(await nursery.start(run))
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def serving(
    session: LineSession, *, cr_ends: bool = True, max_connections: int = 1000, full: bytes = b"full\n"
) -> AsyncIterator[Address]:
    """Run a line server during the block."""
    async with trio.open_nursery() as nursery:
        serve = partial(serve_lines, session, cr_ends=cr_ends, max_connections=max_connections, full=full)
        yield await nursery.start(partial(serve, host="127.0.0.1", port=0))
        nursery.cancel_scope.cancel()


async def echo(connection: LineConnection) -> None:
    """Answer each line with itself; "bye" ends the session, "twice" is answered twice."""
    async for line in connection:
        if line is OVERLONG:
            connection.send(b"too long\n")
        elif line == b"bye":
            connection.send(b"farewell\n")
            return
        else:
            connection.send(line + b"\n")
            if line == b"twice":
                connection.send(b"twice\n")
