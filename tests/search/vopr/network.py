"""Simulated connections: bytes arrive late and in pieces, and connections break.

    ours, theirs = wire(rng, latency)      # two ends; each end receives the other end's bytes
    ours.reset()                           # ends with a reset

An end is a `HalfCloseableStream`, like a TCP connection in trio. In each direction bytes arrive in order. Each piece
arrives some time after it was sent, and the receiver gets pieces of any size, often one byte. A sender waits while a
window is full. Closing an end sends a FIN, or a reset if the end has unread data, as in TCP.
"""

from __future__ import annotations

import random
from collections import deque
from enum import Enum
from typing import Final

import trio

WINDOW_BYTES: Final = 64 * 1024  # under way in one direction; a sender waits at this limit


class End(Enum):
    """The end of a direction."""

    FIN = "fin"
    RESET = "reset"


class Pipe:
    """One direction of a connection."""

    # AF: the data sent but not yet received: each piece of _under_way with its time of arrival, in order.
    # RI: the times never decrease; nothing follows an End.

    def __init__(self, rng: random.Random, latency: float, whole: bool) -> None:
        self._rng: Final = rng
        self._latency: Final = latency
        self._whole: Final = whole
        self._under_way: Final[deque[tuple[float, bytes | End]]] = deque()
        self._bytes = 0
        self._last = 0.0
        self.ended = False
        self.broken = False  # True if the receiver itself broke the direction
        self._news: Final = trio.lowlevel.ParkingLot()
        self._room: Final = trio.lowlevel.ParkingLot()

    def put(self, item: bytes | End) -> None:
        if self.ended:
            return
        self._last = max(self._last, trio.current_time() + self._rng.random() * self._latency)
        self.ended = isinstance(item, End)
        self._under_way.append((self._last, item))
        if isinstance(item, bytes):
            self._bytes += len(item)
        self._news.unpark_all()
        self._room.unpark_all()

    async def room(self) -> None:
        while self._bytes >= WINDOW_BYTES and not self.ended and not self.broken:
            await self._room.park()

    def destroy(self) -> None:
        """End the receiver: it receives nothing more, and nothing more fits in."""
        self.broken = self.ended = True
        self._under_way.clear()
        self._bytes = 0
        self._news.unpark_all()
        self._room.unpark_all()

    async def get(self, most: int) -> bytes:
        """Return some bytes, or b"" if the sender has ended. Raises BrokenResourceError after a reset."""
        while not self.broken:
            if not self._under_way:
                await self._news.park()
                continue
            when, item = self._under_way[0]
            if when > trio.current_time():
                await trio.sleep_until(when)
                continue
            if item is End.FIN:
                return b""
            if item is End.RESET:
                break
            assert isinstance(item, bytes)
            size = min(len(item), most)
            if not self._whole:
                size = min(size, self._rng.choice((1, 7, 50, size, size)))
            if size == len(item):
                self._under_way.popleft()
            else:
                self._under_way[0] = (when, item[size:])
            self._bytes -= size
            self._room.unpark_all()
            return item[:size]
        raise trio.BrokenResourceError("the connection is gone")

    @property
    def unread(self) -> bool:
        return any(isinstance(item, bytes) for _, item in self._under_way)


class WireEnd(trio.abc.HalfCloseableStream):
    """One end of a connection. One task may send while another task receives, but no more."""

    def __init__(self, incoming: Pipe, outgoing: Pipe) -> None:
        self._incoming: Final = incoming
        self._outgoing: Final = outgoing
        self._closed = False

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await trio.lowlevel.checkpoint()
        await self._outgoing.room()
        if self._closed:
            raise trio.ClosedResourceError
        if self._outgoing.ended or self._incoming.broken:
            raise trio.BrokenResourceError("the connection is gone")
        self._outgoing.put(bytes(data))

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()
        await self._outgoing.room()

    async def send_eof(self) -> None:
        await trio.lowlevel.checkpoint()
        self._outgoing.put(End.FIN)

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        await trio.lowlevel.checkpoint()
        if self._closed:
            raise trio.ClosedResourceError
        return await self._incoming.get(max_bytes or 65536)

    async def aclose(self) -> None:
        self.close()
        await trio.lowlevel.checkpoint()

    def close(self) -> None:
        """Close at once, without waiting."""
        if not self._closed:
            self._closed = True
            self._outgoing.put(End.RESET if self._incoming.unread else End.FIN)
            self._incoming.destroy()

    def reset(self) -> None:
        """End with a reset: the other end gets an error, and this end receives nothing more."""
        self._outgoing.put(End.RESET)
        self._incoming.destroy()

    def silence(self) -> None:
        """End silently, as in a power cut: the other end does not notice."""
        self._outgoing.ended = True
        self._incoming.destroy()


def wire(rng: random.Random, latency: float, *, whole: bool = False) -> tuple[WireEnd, WireEnd]:
    """A new connection. Each piece takes up to `latency` seconds. `whole`: pieces are not split."""
    one, other = Pipe(rng, latency, whole), Pipe(rng, latency, whole)
    return WireEnd(one, other), WireEnd(other, one)
