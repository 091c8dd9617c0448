"""Acceptor of connections, up to the limits; `connection` serves each of them. Replaces hypercorn's `trio/run.py`.

A connection beyond the limits is answered with 503 and closed. If an address opens too many connections per second,
they are reset before a TLS handshake takes processor time. hypercorn accepts any number. Upstream: hypercorn #81,
"Limit the number of currently open sockets", open. Can go when hypercorn asks its caller before it serves a connection,
and when its own connection has the additions of `connection`.

Safe under concurrency: connections are counted between two awaits.
"""

from __future__ import annotations

import logging
import ssl
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.trio.lifespan import Lifespan
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import AppWrapper, ASGIFramework, ConnectionState, LifespanState

from scramble.logs import LogEntry
from scramble.server.http.connection import HttpConnection, Stream, reset, transport, turn_away
from scramble.server.http.quick import KnownHeads
from scramble.server.protection.by_address import ConnectionCounter, RateLimiter
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.send_budget import Unread
from scramble.server.traffic import Traffic

CONNECTIONS_A_REQUEST: Final = 2
"""Ratio of the limit on new connections to the limit on requests: most clients reach the request limit first."""

SPARE_CONNECTIONS: Final = 500
"""Additional connections for a proxy: for its idle connections and its health checks.

Without them, a proxy would consider a full server as failed, and disconnect all clients of the server. `guard` limits
the proxy's concurrent requests and WebSockets.
"""

MAX_TURNING_AWAY: Final = 50  # concurrent refused connections that get a reason; all others are only closed

logger = logging.getLogger(__name__)


class ConnectionAcceptor:
    """Serves connections up to the limits, and turns away the others."""

    # AF: a server of _connections; _counter counts them by address. It is refusing _turning_away other connections.
    #     _traffic counts all connections since the start. _rate limits the new connections of each address; None: no
    #     limit.

    def __init__(
        self, serve: Callable[[Stream], HttpConnection], limits: ServerLimits, traffic: Traffic, *, by_address: bool
    ) -> None:
        """`serve` makes a connection. Without `by_address`, all connections come from a proxy."""
        self._serve: Final = serve
        self._limits: Final = limits
        self._traffic: Final = traffic
        most = limits.connections if by_address else limits.connections + SPARE_CONNECTIONS
        self._counter: Final = ConnectionCounter(most, limits.connections_by_address if by_address else most)
        self._rate: Final = RateLimiter(limits, times=CONNECTIONS_A_REQUEST) if by_address else None
        self._connections: Final = set[HttpConnection]()
        self._turning_away = 0

    async def receive(self, stream: Stream) -> None:
        """Serve a connection to its end, or turn it away."""
        try:
            host = str(transport(stream).socket.getpeername()[0])
        except OSError:
            return  # disconnected already
        if self._rate is not None and self._rate.wait_s(host):
            self._traffic.turned_away["http"] += 1
            await reset(stream)
            return
        refusal = self._counter.refusal(host)
        if refusal is None:
            connection = self._serve(stream)
            self._connections.add(connection)
            with self._counter.counted(host):
                try:
                    await connection.run()
                finally:
                    self._connections.remove(connection)
            return
        self._traffic.turned_away["http"] += 1
        logger.info(LogEntry("client-turned-away", client=host, reason=refusal))
        if self._turning_away < MAX_TURNING_AWAY:
            self._turning_away += 1
            await turn_away(stream, refusal, self._limits)
            self._turning_away -= 1  # not needed after a cancellation, because a cancellation ends the whole server

    def close_idle(self) -> None:
        """Close the connections that wait for a request. Does not wait."""
        for connection in self._connections:
            connection.close_if_idle()


async def serve(
    app: ASGIFramework,
    config: Config,
    listener: trio.SocketListener,
    *,
    limits: ServerLimits,
    traffic: Traffic,
    tls: ssl.SSLContext | None = None,
    by_address: bool = True,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve `app` on `listener` until `stop()` returns or the call is cancelled. `task_status` reports the start.

    When `stop` returns, the server accepts no new connections and closes idle connections. Unfinished requests have
    `config.graceful_timeout` seconds. Connections are limited by client address only if `by_address`. `traffic` counts
    refused and dropped connections.
    """
    wrapped: AppWrapper = ASGIWrapper(app)
    state: LifespanState = {}
    context = WorkerContext(None)
    lifespan = Lifespan(wrapped, config, state)
    listeners = [listener if tls is None else trio.SSLListener(listener, tls)]
    async with trio.open_nursery() as lifespan_nursery:
        await lifespan_nursery.start(lifespan.handle_lifespan)
        await lifespan.wait_for_startup()
        async with trio.open_nursery() as connections, trio.open_nursery() as accepting:
            unread = Unread(limits.unread_bytes)
            connection = partial(
                HttpConnection,
                wrapped,
                config,
                context,
                ConnectionState(state.copy()),
                limits,
                traffic,
                unread,
                KnownHeads(),
            )
            acceptor = ConnectionAcceptor(connection, limits, traffic, by_address=by_address)
            handler = acceptor.receive
            accepting.start_soon(partial(trio.serve_listeners, handler, listeners, handler_nursery=connections))
            task_status.started()
            try:
                await (stop or trio.sleep_forever)()
            finally:
                await context.terminated.set()
                acceptor.close_idle()
                connections.cancel_scope.deadline = trio.current_time() + config.graceful_timeout
                accepting.cancel_scope.cancel()
        await lifespan.wait_for_shutdown()
        lifespan_nursery.cancel_scope.cancel()
