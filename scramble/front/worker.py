"""hypercorn's trio worker, for connections that look after themselves (`peer`), and for so many of them.

A connection beyond the limits is told so, with 503, and closed. Safe under concurrency: who is here is counted between
two awaits.
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

from scramble.front.crowd import Crowd
from scramble.front.limits import Limits
from scramble.front.peer import Peer, Stream, transport, turn_away
from scramble.front.traffic import Traffic
from scramble.logs import Entry

MAX_TURNING_AWAY: Final = 50  # that are told why; more are only closed

logger = logging.getLogger(__name__)


class Reception:
    """Takes in who connects."""

    # AF: a server of the connections in _peers, whose clients are in _crowd, and of _turning_away that cannot stay, as
    #     many before them could not, says _traffic.

    def __init__(self, serve: Callable[[Stream], Peer], limits: Limits, traffic: Traffic, *, by_address: bool) -> None:
        """`serve` makes a connection. Unless `by_address`, any number may come from one address."""
        self._serve: Final = serve
        self._limits: Final = limits
        self._traffic: Final = traffic
        self._crowd: Final = Crowd(
            limits.connections, limits.connections_by_address if by_address else limits.connections
        )
        self._peers: Final = set[Peer]()
        self._turning_away = 0

    async def receive(self, stream: Stream) -> None:
        """Serve a connection to its end, or turn it away."""
        try:
            host = str(transport(stream).socket.getpeername()[0])
        except OSError:
            return  # it has gone already
        refusal = self._crowd.refusal(host)
        if refusal is None:
            peer = self._serve(stream)
            self._peers.add(peer)
            with self._crowd.here(host):
                try:
                    await peer.run()
                finally:
                    self._peers.remove(peer)
            return
        self._traffic.turned_away["http"] += 1
        logger.info(Entry("client-turned-away", client=host, reason=refusal))
        if self._turning_away < MAX_TURNING_AWAY:
            self._turning_away += 1
            try:
                await turn_away(stream, refusal, self._limits)
            finally:
                self._turning_away -= 1

    def hang_up(self) -> None:
        """Close the connections that wait for a request."""
        for peer in self._peers:
            peer.hang_up()


async def serve(
    app: ASGIFramework,
    config: Config,
    listener: trio.SocketListener,
    *,
    limits: Limits,
    traffic: Traffic,
    tls: ssl.SSLContext | None = None,
    by_address: bool = True,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve `app` on `listener` until `stop()` returns or the call is cancelled; `task_status` tells that it does.

    When `stop` returns nobody new is accepted, and what is under way has `config.graceful_timeout` seconds. Connections
    are limited by the address that they come from only if `by_address`. Who is turned away, or cut off, is counted in
    `traffic`.
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
            peer = partial(Peer, wrapped, config, context, ConnectionState(state.copy()), limits, traffic)
            reception = Reception(peer, limits, traffic, by_address=by_address)
            handler = reception.receive
            accepting.start_soon(partial(trio.serve_listeners, handler, listeners, handler_nursery=connections))
            task_status.started()
            try:
                await (stop or trio.sleep_forever)()
            finally:
                await context.terminated.set()
                reception.hang_up()
                connections.cancel_scope.deadline = trio.current_time() + config.graceful_timeout
                accepting.cancel_scope.cancel()
        await lifespan.wait_for_shutdown()
        lifespan_nursery.cancel_scope.cancel()
