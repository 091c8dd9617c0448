"""hypercorn's trio worker, but connections fail each by itself.

In hypercorn's own worker an error that its protocol code makes in one connection ends the whole server, and there is
such an error: a client that sends WebSocket frames along with the handshake, before that is answered, makes hypercorn
0.18 refuse and accept it at once. And an application whose handshake was refused over its head is not told when that
client goes. Here the first is logged and costs that connection only, and whatever a connection has left running some
time after its client has gone is cancelled.

When a WebSocket's frame is too long hypercorn closes it, but tells the application nothing until the client answers,
and does not hear an answer that comes along with the rest of the frame. Here the application is told at once, and
the connection ends a little later.

Nor does hypercorn read on while a request waits for its answer and another one stands behind it, so it does not see
such a client go. Here reading goes on, some way ahead.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.trio.lifespan import Lifespan
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import AppWrapper, ASGIFramework, ConnectionState, LifespanState

LEFT_OVER_S = 5.0  # handlers are told at once that their client has gone; this is for those who are not
TOO_LONG = b"\x88\x02" + (1009).to_bytes(2, "big")  # the frame by which hypercorn closes a WebSocket; ours have reasons
TOO_LONG_S = 1.0  # for its client to read that
CHUNK_BYTES = 65536  # as much as is read at once
CHUNKS_AHEAD = 4  # read before hypercorn has use for them; a client that sends still more at once is not read any more
BEHIND_S = 0.02  # for requests that stand behind others when their client goes: at once, but for those that are quick


class Connection(TCPServer):
    """One connection from a client, over which any number of requests come, or a WebSocket."""

    async def run(self) -> None:
        """Serve it until it is closed. Raises nothing but the cancellation of the server."""
        self._life = trio.CancelScope()
        self._gone = False
        try:
            with self._life:
                await super().run()
        except* Exception:
            await self.config.log.exception("Error in a connection, which is closed")

    async def _read_data(self) -> None:
        """Read until the client has gone, and tell the request under way."""
        into, chunks = trio.open_memory_channel[bytes](CHUNKS_AHEAD)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._handle, chunks)
            async with into:
                with suppress(trio.ClosedResourceError, trio.BrokenResourceError):
                    while data := await self.stream.receive_some(CHUNK_BYTES):
                        await into.send(bytes(data))
            nursery.cancel_scope.deadline = trio.current_time() + BEHIND_S
        self._life.deadline = trio.current_time() + LEFT_OVER_S
        self._gone = True
        await self.idle_task.stop()
        await self.protocol.handle(Closed())

    async def protocol_send(self, event: Event) -> None:
        """Send, or close; but do not wait for the next request of a client that has gone."""
        if not (self._gone and isinstance(event, Updated)):
            await super().protocol_send(event)
        if isinstance(event, RawData) and event.data == TOO_LONG:
            self._life.deadline = min(self._life.deadline, trio.current_time() + TOO_LONG_S)
            await self.protocol.handle(Closed())

    async def _handle(self, chunks: trio.MemoryReceiveChannel[bytes]) -> None:
        async for data in chunks:
            await self.protocol.handle(RawData(data))


async def serve(
    app: ASGIFramework,
    config: Config,
    listener: trio.SocketListener,
    *,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve `app` on `listener` until `stop()` returns or the call is cancelled; `task_status` tells that it does.

    When `stop` returns nobody new is accepted, and what is under way has `config.graceful_timeout` seconds.
    """
    wrapped: AppWrapper = ASGIWrapper(app)
    state: LifespanState = {}
    context = WorkerContext(None)
    lifespan = Lifespan(wrapped, config, state)
    async with trio.open_nursery() as lifespan_nursery:
        await lifespan_nursery.start(lifespan.handle_lifespan)
        await lifespan.wait_for_startup()
        async with trio.open_nursery() as connections, trio.open_nursery() as accepting:
            handler = partial(Connection, wrapped, config, context, ConnectionState(state.copy()))
            accepting.start_soon(partial(trio.serve_listeners, handler, [listener], handler_nursery=connections))
            task_status.started()
            try:
                await (stop or trio.sleep_forever)()
            finally:
                await context.terminated.set()
                connections.cancel_scope.deadline = trio.current_time() + config.graceful_timeout
                accepting.cancel_scope.cancel()
        await lifespan.wait_for_shutdown()
        lifespan_nursery.cancel_scope.cancel()
