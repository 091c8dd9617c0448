"""A load balancer of TCP in a thread: it tries ports of this machine in order, for each connection.

with Balancer(ports) as balancer:
    page.goto(balancer.url)

If either end of a connection ends, the balancer resets both.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Self

import trio

from scramble.kernel.nursery import cancel, open_side_nursery
from tests.support.cluster.proxy import READ_BYTES, reset


class Balancer:
    """A balancer that runs during its `with` block. `ports` may change during the block."""

    def __init__(self, ports: Sequence[int]) -> None:
        self.ports = ports
        self.port = 0
        self._listens: Final = threading.Event()
        self._end: Final = trio.Event()
        self._token: trio.lowlevel.TrioToken | None = None
        self._thread: Final = threading.Thread(target=trio.run, args=(self._run,))

    @property
    def url(self) -> str:
        """The balancer's address for browsers."""
        return f"http://127.0.0.1:{self.port}"

    async def _run(self) -> None:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = int(listener.socket.getsockname()[1])
        self._token = trio.lowlevel.current_trio_token()
        async with open_side_nursery(cancel) as nursery:
            nursery.start_soon(trio.serve_listeners, self._serve, [listener])
            self._listens.set()
            await self._end.wait()

    async def _serve(self, client: trio.SocketStream) -> None:
        try:
            for port in self.ports:
                with suppress(OSError):
                    server = await trio.open_tcp_stream("127.0.0.1", port)
                    await self._pass_on(client, server)
                    return
        finally:
            with trio.CancelScope(shield=True):
                await reset(client)

    async def _pass_on(self, client: trio.SocketStream, server: trio.SocketStream) -> None:
        async def copy(source: trio.SocketStream, sink: trio.SocketStream) -> None:
            with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                while data := await source.receive_some(READ_BYTES):
                    await sink.send_all(data)
            nursery.cancel_scope.cancel()

        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(copy, client, server)
                nursery.start_soon(copy, server, client)
        finally:
            with trio.CancelScope(shield=True):
                await reset(server)

    def __enter__(self) -> Self:
        self._thread.start()
        self._listens.wait()
        return self

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            self._token.run_sync_soon(self._end.set)
        self._thread.join()
