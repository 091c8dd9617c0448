"""A connection over a real socket with a small buffer, without a server. Tests read the written frames at any time."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Final

import trio

from scramble.server.http.direct_write import Outlet, text_frame
from tests.support.links import TestLink

BUFFER_BYTES: Final = 8192  # the requested size; the kernel doubles it


class Line(TestLink):
    """A link, and the frames at its other end. Its outlet is busy while another frame is sent."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.ours, self.theirs = socket.socketpair()
        self.ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
        self.ours.setblocking(False)
        self.theirs.setblocking(False)
        self.short: Final = Outlet(self.ours.fileno, self._send_rest)
        self.short.open()
        super().__init__(nursery, self._send_slowly, self.short)
        self.sent = 0  # frames that went through `send`
        self._rest = b""
        self._turn: Final = trio.Lock()
        self._room: Final = trio.lowlevel.ParkingLot()
        self._received = b""
        self._frames: Final[list[str]] = []

    def _send_rest(self, rest: memoryview) -> None:
        assert not self.short.busy
        self._rest = bytes(rest)
        self.short.busy = True

    async def _send_slowly(self, frame: str) -> None:
        async with self._turn:
            while self.short.busy:
                await self._room.park()
            self.sent += 1
            self._send_rest(memoryview(text_frame(frame)))
            self._push()
            while self._rest:
                await self._room.park()

    def _push(self) -> None:
        with suppress(BlockingIOError):
            while self._rest:
                self._rest = self._rest[self.ours.send(self._rest) :]
        if not self._rest:
            self.short.busy = False
            self._room.unpark_all()

    def fill(self) -> None:
        """Fill the kernel's buffers."""
        with suppress(BlockingIOError):
            while True:
                self.ours.send(b"\x81\x00" * 100)  # empty frames

    def read(self) -> list[str]:
        """Return all frames so far, with the frames that are being sent."""
        while True:
            with suppress(BlockingIOError):
                while data := self.theirs.recv(1 << 20):
                    self._received += data
            if not self._rest:
                break
            self._push()
        self.short.busy = False
        self._room.unpark_all()
        start = 0
        while start < len(self._received):
            size, head = self._received[start + 1], start + 2
            assert size < 127, "no frame is that long"
            if size == 126:
                size, head = int.from_bytes(self._received[head : head + 2], "big"), head + 2
            assert head + size <= len(self._received), "a frame is cut"
            if size:
                self._frames.append(self._received[head : head + size].decode())
            start = head + size
        self._received = b""
        return self._frames

    def close(self) -> None:
        """Close both ends."""
        self.ours.close()
        self.theirs.close()
