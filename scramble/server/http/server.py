"""HTTP server for an ASGI application with hypercorn, inside a trio program.

It differs from hypercorn's own `serve` in two points:

- The port is bound before anything starts. So `port=0` is possible, a port in use raises CannotListen, and the
  address is returned; hypercorn returns a line of text. Upstream: hypercorn #323, "how to get the chosen port when
  port is 0?", open. Stays, because hypercorn raises no CannotListen.
- hypercorn logs to a logger of the program and adds no handler. Upstream: hypercorn #120, open. Stays, because
  hypercorn documents this option.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Awaitable, Callable
from functools import partial

import trio
from hypercorn.config import Config
from hypercorn.typing import ASGIFramework

from scramble.server.http import worker
from scramble.server.listening import Address, SecureAddress, bind
from scramble.server.protection.middleware import Protection, guard, open_paths_of
from scramble.server.traffic import Traffic, observed

SHUTDOWN_GRACE_S = 0.4  # for unfinished answers at a shutdown; the whole shutdown must fit into a second
MESSAGE_FACTOR = 2  # a message longer than this factor times the limit is refused before it has arrived completely


def guarded(app: ASGIFramework, protection: Protection) -> ASGIFramework:
    """Wrap the application of a game in its protection. Every server needs the protection, even hypercorn's worker."""
    return guard(app, protection, open_paths_of(app))


async def serve_app(
    app: ASGIFramework,
    *,
    host: str,
    port: int,
    listener: socket.socket | None = None,
    protection: Protection | None = None,
    traffic: Traffic | None = None,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve an ASGI `app` until `stop()` returns or the call is cancelled.

    For `nursery.start`; it returns the `Address`. When `stop` returns, no new connection is accepted, unfinished
    answers have `SHUTDOWN_GRACE_S` seconds, then all connections are closed. `traffic` counts requests and WebSockets.
    A `listener` is a socket that already listens on `host`: it is used instead of binding a port.
    Raises CannotListen if the address cannot be bound.
    """
    settings = protection or Protection()
    limits = settings.limits
    listener = listener or bind(host, port)
    address = (Address if settings.tls is None else SecureAddress)(host, listener.getsockname()[1])
    config = Config()
    config.graceful_timeout = SHUTDOWN_GRACE_S
    config.include_server_header = False
    config.errorlog = logging.getLogger("hypercorn.error")  # otherwise hypercorn adds its own handler: #120
    config.websocket_max_message_size = MESSAGE_FACTOR * limits.frame_bytes
    config.h11_max_incomplete_size = limits.header_bytes
    counted = traffic or Traffic()
    serve = partial(worker.serve, limits=limits, traffic=counted, tls=settings.tls, stop=stop)
    serve = partial(serve, by_address=not settings.behind_proxy)
    async with trio.open_nursery() as nursery:
        accepting = trio.SocketListener(trio.socket.from_stdlib_socket(listener))
        await nursery.start(serve, observed(guarded(app, settings), counted), config, accepting)
        task_status.started(address)
