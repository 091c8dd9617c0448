r"""Connections that break at a given byte, and a count of the server's tasks that remain for them.

script = Script(Part(handshake("/play/ann"), b"\r\n\r\n", must=True), Part(frame('{"type":"withdraw"}')))
await cut(address, script, 17, Break.RESET)
await census.back_to(before)
"""

from __future__ import annotations

import socket
import struct
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from enum import Enum
from typing import Final

import msgspec
import trio

from scramble.server.listening import Address

AT_ONCE = 40  # connections that are open at the same time
READ_BYTES = 65536


class Break(Enum):
    """The way of ending a connection."""

    CLOSE = "FIN"  # both directions: later data from the server is answered by an RST
    RESET = "RST"  # like a crashed machine, or a killed process with unread input
    HALF_CLOSE = "half-close"  # the client sends no more data, and continues to read


class Part(msgspec.Struct, frozen=True):
    """Bytes from a client, and a part of their answer. `must`: the client waits for the answer before the next part."""

    data: bytes
    answer: bytes = b""
    must: bool = False


class Script:
    """All data that a client would send over a connection that does not break."""

    def __init__(self, *parts: Part) -> None:
        self.parts: Final = parts

    def __len__(self) -> int:
        return sum(len(part.data) for part in self.parts)

    def until(self, offset: int) -> Iterator[Part]:
        """Yield the parts before the byte at `offset`. The last part is cut off there, and has no answer."""
        for part in self.parts:
            if offset < len(part.data):
                yield Part(part.data[:offset])
                return
            yield part
            offset -= len(part.data)

    def ends(self) -> Sequence[int]:
        """Return the offsets after each part with a known answer."""
        ends, offset = [], 0
        for part in self.parts:
            offset += len(part.data)
            if part.answer:
                ends.append(offset)
        return ends


def handshake(path: str, host: str = "localhost") -> bytes:
    """Return a browser's request for a WebSocket, without optional headers."""
    return (
        f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    ).encode()


def frame(payload: str | bytes, opcode: int = 1, *, fin: bool = True) -> bytes:
    """Return a client's WebSocket frame, masked with zeros; opcode 1 is text, 2 binary, 8 close, 9 ping."""
    data = payload.encode() if isinstance(payload, str) else payload
    if len(data) < 126:
        size = bytes((128 | len(data),))
    elif len(data) < 1 << 16:
        size = b"\xfe" + struct.pack(">H", len(data))
    else:
        size = b"\xff" + struct.pack(">Q", len(data))
    return bytes((fin << 7 | opcode,)) + size + b"\0\0\0\0" + data


CLOSE: Final = frame((1000).to_bytes(2, "big"), 8)


@asynccontextmanager
async def connect(address: Address) -> AsyncIterator[trio.SocketStream]:
    """Open a plain connection, which ends with the block."""
    with trio.socket.socket() as sock:
        await sock.connect((address.host, address.port))
        async with trio.SocketStream(sock) as stream:
            yield stream


async def hear(stream: trio.SocketStream, what: bytes) -> bytes:
    """Read until `what` is received; return all received data. Raises EOFError if the connection ends before that."""
    heard = b""
    while what not in heard:
        data = await stream.receive_some(READ_BYTES)
        if not data:
            raise EOFError(f"closed before {what!r}, after {heard[-200:]!r}")
        heard += data
    return heard


async def rest(stream: trio.SocketStream) -> bytes:
    """Read until the connection ends in any way; return the data."""
    heard = b""
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        async for data in stream:
            heard += data
    return heard


def reset_when_closed(stream: trio.SocketStream) -> None:
    """Let the connection end with an RST."""
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def cut(address: Address, script: Script, offset: int, how: Break, *, settled: bool = False) -> None:
    """Play the script up to a byte, and break the connection there: at once, or with `settled` after all answers.

    A client that half-closes also waits until the server closes.
    """
    async with connect(address) as stream:
        for part in script.until(offset):
            if part.data:
                await stream.send_all(part.data)
            if part.answer and (settled or part.must):
                await hear(stream, part.answer)
        await break_off(stream, how)


async def break_off(stream: trio.SocketStream, how: Break) -> None:
    """Break the connection; the caller must close it. A half-close waits for the server."""
    if how is Break.RESET:
        reset_when_closed(stream)
    elif how is Break.HALF_CLOSE:
        await stream.send_eof()
        await rest(stream)


class Census(trio.abc.Instrument):
    """Counts the tasks below a nursery, and waits for their number to fall."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self._changed = trio.lowlevel.ParkingLot()

    def task_exited(self, task: trio.lowlevel.Task) -> None:
        """Called by trio."""
        self._changed.unpark_all()

    def count(self) -> int:
        """The number of tasks."""
        return _count(self._nursery)

    async def back_to(self, number: int) -> None:
        """Wait until at most `number` tasks are left. Never returns if more tasks remain."""
        while self.count() > number:
            await self._changed.park()


def _count(nursery: trio.Nursery) -> int:
    return sum(1 + sum(map(_count, task.child_nurseries)) for task in nursery.child_tasks)


@contextmanager
def census_of(nursery: trio.Nursery) -> Iterator[Census]:
    """Count the tasks during the block."""
    census = Census(nursery)
    trio.lowlevel.add_instrument(census)
    try:
        yield census
    finally:
        trio.lowlevel.remove_instrument(census)
