"""Serve an ASGI application with hypercorn, from inside a trio program.

What hypercorn's own `serve` leaves to its caller is settled here, once for all games: the port is bound before
anything starts (so `port=0` is possible and a port in use is an ordinary OSError), the bound address is handed back,
logging is quiet, and connections whose peer has stopped reading are dropped by the kernel.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

import trio
from hypercorn.config import Config
from hypercorn.typing import (
    ASGIFramework,
    ASGIReceiveCallable,
    ASGIReceiveEvent,
    ASGISendCallable,
    ASGISendEvent,
    Scope,
)

from scramble.front import worker
from scramble.front.guard import Protection, guard
from scramble.front.inbox import hold_frames
from scramble.front.traffic import Traffic, observed

GRACE_S = 0.4  # for answers under way when the server is told to stop; all of shutdown must fit into a second
STALLED_PEER_S = (
    30  # how long sent data may stay unacknowledged, or a closed window closed; then the connection is dead
)
KEEPALIVE = (  # finds a dead client within two minutes; an idle one that lives may idle for ever
    ("TCP_KEEPIDLE", 60),  # seconds until the first probe
    ("TCP_KEEPINTVL", 15),  # seconds between probes
    ("TCP_KEEPCNT", 4),
)
BACKLOG = 1024  # connections that may wait to be accepted: a class that opens the page all at once
UNTOLD = 2  # frames so many times as long as allowed get hypercorn's 1009; below that, ours with a reason


class Address(NamedTuple):
    """Where a server listens: the host as it was asked for and the port that was bound, as sockets take them."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """The root of the server, such as `http://127.0.0.1:8080/`."""
        return f"http://{self._authority}/"

    @property
    def _authority(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class SecureAddress(Address):
    """The address of a server that speaks TLS."""

    @property
    def url(self) -> str:
        """The root of the server, such as `https://127.0.0.1:8080/`."""
        return f"https://{self._authority}/"


class CannotListen(OSError):
    """The address is taken, not ours, or unknown; `str(error)` is one line that says which."""


def bind(host: str, port: int) -> socket.socket:
    """A socket listening on `host`, on any free port if `port` is 0. Raises CannotListen if that cannot be had."""
    try:
        return _bind(host, port)
    except (OSError, UnicodeError) as error:  # UnicodeError: a host name that is none
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CannotListen(f"cannot listen on {host} port {port}: {reason}") from error


def _bind(host: str, port: int) -> socket.socket:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, protocol, _, address = min(found, key=lambda info: info[0] != socket.AF_INET)  # IPv4 if there is one
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # accepted sockets inherit all of these
        for option, seconds in KEEPALIVE:
            if hasattr(socket, option):
                listener.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), seconds)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_PEER_S * 1000)
        listener.bind(address)
        listener.listen(BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener


_PARKED = "scramble.parked"  # the key of an event in a request's state


def finish_answers(app: ASGIFramework) -> ASGIFramework:
    """The same application, whose answers are sent to their end.

    A client that has gone, or only says that it will send no more, has its request cancelled by quart-trio. That is
    what a request wants that waits for other players (see `parked`). Any other is answered in a moment, so that its
    client, if it still reads, gets the answer; which of the two comes first would be a race.

    And hypercorn reports a disconnection as soon as an answer's last byte is sent, before it has closed the
    connection; the request's tasks would be cancelled, and with them that very closing, so that the connection of a
    client that asked for `Connection: close`, or speaks HTTP/1.0, would stay open for ever.

    So a disconnection is kept back until the request is known to be parked, and once its answer is complete.
    """

    async def wrapped(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        complete = False
        parked: trio.Event = scope["state"].setdefault(_PARKED, trio.Event())

        async def watching_send(message: ASGISendEvent) -> None:
            nonlocal complete
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                complete = True
            await send(message)

        async def patient_receive() -> ASGIReceiveEvent:
            message = await receive()
            if message["type"] == "http.disconnect":
                await parked.wait()
                if complete:
                    await trio.sleep_forever()  # until the application has returned from sending
            return message

        await app(scope, patient_receive, watching_send)

    return wrapped


def parked(scope: Scope) -> trio.Event | None:
    """For the handler of a request that may have to wait for others: the event to be set as soon as it does.

    None if the application is served without `finish_answers`: then every disconnection cancels the handler.
    """
    if scope["type"] != "http":
        return None
    event = scope["state"].get(_PARKED)
    return event if isinstance(event, trio.Event) else None


def guarded(app: ASGIFramework, protection: Protection) -> ASGIFramework:
    """A game's application as it is to be served, whoever serves it."""
    return guard(finish_answers(hold_frames(app)), protection)


async def serve_app(
    app: ASGIFramework,
    *,
    host: str,
    port: int,
    protection: Protection | None = None,
    traffic: Traffic | None = None,
    stop: Callable[[], Awaitable[None]] | None = None,
    task_status: trio.TaskStatus[Address] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve an ASGI `app` until `stop()` returns or the call is cancelled.

    For `nursery.start`, which hands back the `Address`. When `stop` returns no new connection is accepted, answers
    under way have `GRACE_S` seconds, then all is closed. Requests and WebSockets are counted in `traffic`. Raises
    CannotListen if the address cannot be bound.
    """
    settings = protection or Protection()
    limits = settings.limits
    listener = bind(host, port)
    address = (Address if settings.tls is None else SecureAddress)(host, listener.getsockname()[1])
    config = Config()
    config.graceful_timeout = GRACE_S
    config.include_server_header = False
    config.errorlog = logging.getLogger("hypercorn.error")  # or hypercorn would add a handler of its own
    config.websocket_max_message_size = UNTOLD * limits.frame_bytes
    config.h11_max_incomplete_size = limits.header_bytes
    counted = traffic or Traffic()
    serve = partial(worker.serve, limits=limits, traffic=counted, tls=settings.tls, stop=stop)
    serve = partial(serve, by_address=not settings.behind_proxy)
    async with trio.open_nursery() as nursery:
        accepting = trio.SocketListener(trio.socket.from_stdlib_socket(listener))
        await nursery.start(serve, observed(guarded(app, settings), counted), config, accepting)
        task_status.started(address)
