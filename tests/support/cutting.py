r"""Connections that break at a given byte, and a census of what a server still does for those who have gone.

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
    """The way in which a connection ends."""

    CLOSE = "FIN"  # both directions: a sender is answered by an RST
    RESET = "RST"  # as a machine that has crashed, or a process killed with input unread
    HALF_CLOSE = "half-close"  # the client will send no more, and goes on reading


class Part(msgspec.Struct, frozen=True):
    """Bytes that a client sends, and what an answer to them has in it; `must`: nothing is sent before that came."""

    data: bytes
    answer: bytes = b""
    must: bool = False


class Script:
    """All that a client would send over one connection, if it lived."""

    def __init__(self, *parts: Part) -> None:
        self.parts: Final = parts

    def __len__(self) -> int:
        return sum(len(part.data) for part in self.parts)

    def until(self, offset: int) -> Iterator[Part]:
        """The parts before the byte at `offset`, the last of them cut off there, which then has no answer."""
        for part in self.parts:
            if offset < len(part.data):
                yield Part(part.data[:offset])
                return
            yield part
            offset -= len(part.data)

    def ends(self) -> Sequence[int]:
        """The offsets at which a part is complete, and its answer known."""
        ends, offset = [], 0
        for part in self.parts:
            offset += len(part.data)
            if part.answer:
                ends.append(offset)
        return ends


def handshake(path: str, host: str = "localhost") -> bytes:
    """The request with which a browser opens a WebSocket, without its optional headers."""
    return (
        f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    ).encode()


def frame(payload: str | bytes, opcode: int = 1, *, fin: bool = True) -> bytes:
    """A client's WebSocket frame, masked with zeros; opcode 1 is text, 2 binary, 8 close, 9 ping."""
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
    """A plain connection, closed with the block."""
    with trio.socket.socket() as sock:
        await sock.connect((address.host, address.port))
        async with trio.SocketStream(sock) as stream:
            yield stream


async def hear(stream: trio.SocketStream, what: bytes) -> bytes:
    """Read until `what` has come; all that came. Raises EOFError if the connection ends before."""
    heard = b""
    while what not in heard:
        data = await stream.receive_some(READ_BYTES)
        if not data:
            raise EOFError(f"closed before {what!r}, after {heard[-200:]!r}")
        heard += data
    return heard


async def rest(stream: trio.SocketStream) -> bytes:
    """Read until the connection ends, in whatever way."""
    heard = b""
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        async for data in stream:
            heard += data
    return heard


def reset_when_closed(stream: trio.SocketStream) -> None:
    """Have the connection end with an RST."""
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def cut(address: Address, script: Script, offset: int, how: Break, *, settled: bool = False) -> None:
    """Play the script up to a byte, and break the connection there: `settled` once all answers have come, else at once.

    A client that half-closes then waits for the server to close, too.
    """
    async with connect(address) as stream:
        for part in script.until(offset):
            if part.data:
                await stream.send_all(part.data)
            if part.answer and (settled or part.must):
                await hear(stream, part.answer)
        await break_off(stream, how)


async def break_off(stream: trio.SocketStream, how: Break) -> None:
    """Break the connection; to close it is left to the caller. Waits for the server if it is only half closed."""
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
        """Wait until there are only so many tasks. Never returns if some are left behind."""
        while self.count() > number:
            await self._changed.park()


def _count(nursery: trio.Nursery) -> int:
    return sum(1 + sum(map(_count, task.child_nurseries)) for task in nursery.child_tasks)


@contextmanager
def census_of(nursery: trio.Nursery) -> Iterator[Census]:
    """A census that is kept during the block."""
    census = Census(nursery)
    trio.lowlevel.add_instrument(census)
    try:
        yield census
    finally:
        trio.lowlevel.remove_instrument(census)
