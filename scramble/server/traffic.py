"""Counters shared by all servers of one game: requests, connections, and slow clients.

    traffic = Traffic()          # one for all servers of a game
    app = observed(app, traffic)

Plain numbers: the servers increment them, and `metrics` reads them, in one thread, between two awaits. Nothing is
global, so the numbers of two games in one process do not mix.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import Final, Literal, TypeAlias

from hypercorn.typing import (
    ASGIFramework,
    ASGIReceiveCallable,
    ASGIReceiveEvent,
    ASGISendCallable,
    ASGISendEvent,
    HTTPScope,
    Scope,
    WebsocketScope,
)

from scramble.logs import LogEntry

ClientTransport: TypeAlias = Literal["websocket", "telnet"]

TRANSPORTS: Final[tuple[ClientTransport, ...]] = ("websocket", "telnet")

DOES_NOT_READ: Final = "does not read the sent data"

REFUSALS: Final = frozenset({403, 408, 413, 421, 429})
"""Statuses of requests that a limit, the page's origin or the host name forbids; logged at level info."""

BAD_ENDINGS: Final = frozenset({1002, 1003, 1007, 1008, 1009, 1011, 1013})
"""Codes of closed WebSockets that are logged at level info; other codes are usual: players come and go."""

ABNORMAL: Final = 1006  # even if the client has sent another code: hypercorn does not report it (#127, open)

logger = logging.getLogger(__name__)


class Traffic:
    """Counters of requests and connections. Mutable; shared by the servers of one game."""

    # AF: these counters have one number for each transport ("http" if the use of a connection is not known). `open`:
    #     connections that are open now. `accepted`: connections since the start. `turned_away`: connections beyond a
    #     limit. `fallen_behind`: clients that read too slowly and lost data. The others: `closed` WebSockets by code;
    #     `responses` by status.
    # RI: no count is negative; only the counts of `open` decrease.
    # Safety from exposure: none; every server increments them.

    def __init__(self) -> None:
        self.open: Final = Counter[str](dict.fromkeys(TRANSPORTS, 0))
        self.accepted: Final = Counter[str](dict.fromkeys(TRANSPORTS, 0))
        self.fallen_behind: Final = Counter[str](dict.fromkeys((*TRANSPORTS, "http"), 0))
        self.turned_away: Final = Counter[str](dict.fromkeys(("telnet", "http"), 0))
        self.closed: Final = Counter[int]()
        self.responses: Final = Counter[int]()

    @contextmanager
    def connection(self, transport: ClientTransport) -> Iterator[None]:
        """Count one more connection as accepted, and as open during the block."""
        self.accepted[transport] += 1
        self.open[transport] += 1
        try:
            yield
        finally:
            self.open[transport] -= 1

    def __str__(self) -> str:
        return f"{sum(self.responses.values())} responses, {sum(self.open.values())} connections open"


def observed(app: ASGIFramework, traffic: Traffic) -> ASGIFramework:
    """Wrap `app` to count and log its requests and WebSockets.

    Wrap the other middleware in this one, so that it sees every answer. The log has no headers and no query strings,
    because they may be secret.
    """

    def wrapped(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> Awaitable[None]:
        if scope["type"] == "http":
            return _observe_request(app, traffic, scope, receive, send)
        if scope["type"] == "websocket":
            return _observe_websocket(app, traffic, scope, receive, send)
        return app(scope, receive, send)

    return wrapped


async def _observe_request(
    app: ASGIFramework, traffic: Traffic, scope: HTTPScope, receive: ASGIReceiveCallable, send: ASGISendCallable
) -> None:
    async def counting_send(message: ASGISendEvent) -> None:
        if message["type"] == "http.response.start":
            _count_response(traffic, scope, message["status"])
        await send(message)

    await app(scope, receive, counting_send)


def _count_response(traffic: Traffic, scope: HTTPScope | WebsocketScope, status: int) -> None:
    traffic.responses[status] += 1
    level = logging.INFO if status in REFUSALS else logging.DEBUG
    if logger.isEnabledFor(level):
        event = "request-refused" if status in REFUSALS else "request"
        method = scope["method"] if scope["type"] == "http" else "WEBSOCKET"
        logger.log(level, LogEntry(event, client=_client(scope), method=method, path=scope["path"], status=status))


async def _observe_websocket(
    app: ASGIFramework, traffic: Traffic, scope: WebsocketScope, receive: ASGIReceiveCallable, send: ASGISendCallable
) -> None:
    accepted = False
    code: int | None = None  # of the first close, by the client or the server
    reason: str | None = None

    async def counting_send(message: ASGISendEvent) -> None:
        nonlocal accepted, code, reason
        match message["type"]:
            case "websocket.accept" if not accepted:
                accepted = True
                traffic.accepted["websocket"] += 1
                traffic.open["websocket"] += 1
            case "websocket.close" if accepted and code is None:
                code, reason = message["code"], message.get("reason")  # the reason is optional
            case "websocket.close" if not accepted:
                _count_response(traffic, scope, 403)  # ASGI prescribes this status
            case "websocket.http.response.start":
                _count_response(traffic, scope, message["status"])
        await send(message)

    async def counting_receive() -> ASGIReceiveEvent:
        nonlocal code
        message = await receive()
        if message["type"] == "websocket.disconnect" and code is None:
            code = message["code"]
        return message

    try:
        await app(scope, counting_receive, counting_send)
    finally:
        if accepted:
            traffic.open["websocket"] -= 1
            _count_closed(traffic, scope, code or ABNORMAL, reason or None)


def _count_closed(traffic: Traffic, scope: WebsocketScope, code: int, reason: str | None) -> None:
    traffic.closed[code] += 1
    level = logging.INFO if code in BAD_ENDINGS else logging.DEBUG
    logger.log(level, LogEntry("websocket-closed", client=_client(scope), path=scope["path"], code=code, reason=reason))


def _client(scope: HTTPScope | WebsocketScope) -> str | None:
    return scope["client"][0] if scope["client"] else None
