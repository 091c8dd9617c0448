"""A TCP proxy that can cut its connections, refuse others, and stall them in either direction.

async with open_proxy(redis.port) as proxy:
    async with open_link(parse_address(proxy.url)) as link:
        proxy.answers.stall()  # requests arrive, and their answers do not
        proxy.cut()  # both ends see a broken connection
"""

from __future__ import annotations

import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import trio

from scramble.kernel.nursery import cancel, open_side_nursery

READ_BYTES: Final = 65536
RESET: Final = struct.pack("ii", 1, 0)  # SO_LINGER of 0 s: closing sends an RST


class Direction:
    """One direction of all connections of a proxy."""

    def __init__(self) -> None:
        self._flows = trio.Event()
        self._flows.set()

    def stall(self) -> None:
        """Hold all data back until `resume`. The connections stay open."""
        if self._flows.is_set():
            self._flows = trio.Event()

    def resume(self) -> None:
        """Pass all data on again, first the held data."""
        self._flows.set()

    async def until_it_flows(self) -> None:
        while not self._flows.is_set():
            await self._flows.wait()


class Proxy:
    """A proxy in front of a port of this machine. Made by `open_proxy`."""

    def __init__(self, target: int, listener: trio.SocketListener, buffer_bytes: int | None) -> None:
        self.requests: Final = Direction()
        self.answers: Final = Direction()
        self.port: Final = int(listener.socket.getsockname()[1])
        self.connections = 0  # the number of connections so far
        self.ports: Final[set[int]] = set()  # the local ports of its connections to the target
        self._target: Final = target
        self._buffer_bytes: Final = buffer_bytes
        self._refuses = False
        self._open: Final[set[trio.CancelScope]] = set()

    @property
    def url(self) -> str:
        """The URL of database 0 of the Redis behind the proxy."""
        return f"redis://127.0.0.1:{self.port}/0"

    def stall(self) -> None:
        """Hold all data back in both directions, as in a partition, until `resume`."""
        self.requests.stall()
        self.answers.stall()

    def resume(self) -> None:
        """Pass all data on again, and accept new connections."""
        self._refuses = False
        self.requests.resume()
        self.answers.resume()

    def cut(self, *, refuse: bool = False) -> None:
        """Reset all connections; held data is lost. With `refuse`, new connections end at once until `resume`."""
        self._refuses = refuse
        for scope in list(self._open):
            scope.cancel()

    async def serve(self, client: trio.SocketStream) -> None:
        with trio.CancelScope() as scope:
            self._open.add(scope)
            self.connections += 1
            try:
                if not self._refuses:
                    await self._pass_on(client)
            finally:
                self._open.remove(scope)
                with trio.CancelScope(shield=True):
                    await reset(client)

    async def _pass_on(self, client: trio.SocketStream) -> None:
        try:
            server = await _connect(self._target, self._buffer_bytes)
        except OSError:
            return
        self.ports.add(int(server.socket.getsockname()[1]))
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._copy, client, server, self.requests, nursery.cancel_scope)
                nursery.start_soon(self._copy, server, client, self.answers, nursery.cancel_scope)
        finally:
            await reset(server)

    async def _copy(
        self, source: trio.SocketStream, sink: trio.SocketStream, direction: Direction, both: trio.CancelScope
    ) -> None:
        try:
            while data := await source.receive_some(READ_BYTES):
                await direction.until_it_flows()
                await sink.send_all(data)
            await direction.until_it_flows()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        both.cancel()


async def _connect(port: int, buffer_bytes: int | None) -> trio.SocketStream:
    sock = trio.socket.socket()
    try:
        if buffer_bytes is not None:  # set before the connection, because the window is chosen there
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        await sock.connect(("127.0.0.1", port))
    except BaseException:
        sock.close()
        raise
    return trio.SocketStream(sock)


async def reset(stream: trio.SocketStream) -> None:
    """Close a stream with an RST."""
    with suppress(OSError):
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    await trio.aclose_forcefully(stream)


@asynccontextmanager
async def open_proxy(target: int, *, buffer_bytes: int | None = None) -> AsyncIterator[Proxy]:
    """Run a proxy in front of that port during the block.

    While it stalls, buffers take about `buffer_bytes` of the target's data. With None, the system chooses their size.
    """
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    proxy = Proxy(target, listener, buffer_bytes)
    async with open_side_nursery(cancel) as nursery:
        nursery.start_soon(trio.serve_listeners, proxy.serve, [listener])
        yield proxy
