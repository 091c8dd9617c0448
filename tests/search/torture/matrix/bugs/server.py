"""Bugs in the servers: HTTP, telnet, monitoring, and the protection against clients."""

from __future__ import annotations

from typing import Final

from tests.search.torture.matrix.bug import Bug

BUGS: Final = (
    # --- HTTP ---
    Bug(
        "server-slow-head-unlimited",
        "a client that sends a byte of its request every few seconds keeps its connection for ever",
        "scramble/server/http/connection.py",
        "if self._idle and not self._in_head:",
        "if self._idle:",
    ),
    Bug(
        "server-queued-requests-after-disconnect",
        "requests that are queued behind a long one are all executed after their client has disconnected",
        "scramble/server/http/connection.py",
        "            self._handling.deadline = trio.current_time() + BEHIND_S\n",
        "",
    ),
    Bug(
        "server-keep-alive-ignored-at-stop",
        "a quick request that is in progress at a shutdown leaves its connection open for the next one",
        "scramble/server/http/http1.py",
        "self._ended = not well or self.context.terminated.is_set()",
        "self._ended = not well",
    ),
    Bug(
        "server-repeated-post-as-get",
        "a POST that repeats the headers of an earlier POST is answered as a GET",
        "scramble/server/http/quick.py",
        "return None if known is None else KnownHead(method, target, known.headers, known.size)",
        'return None if known is None else KnownHead(b"GET", target, known.headers, known.size)',
    ),
    Bug(
        "server-fragments-not-counted",
        "a client can send fragments of messages without limit, although other frames are limited",
        "scramble/server/http/websocket.py",
        "if event.frame_finished and not event.message_finished:",
        "if event.message_finished and not event.frame_finished:",
    ),
    Bug(
        "server-close-does-not-linger",
        "a client that still sends when the server closes its WebSocket often does not get the reason",
        "scramble/server/http/closing.py",
        """        with trio.move_on_after(WEBSOCKET_LINGER_S):
            while True:
                await self._receive()""",
        "        await trio.lowlevel.checkpoint()",
    ),
    Bug(
        "server-farewell-not-shielded",
        "at a shutdown, WebSockets break off without the code that lets pages reconnect quickly",
        "scramble/server/http/closing.py",
        "with trio.move_on_after(FAREWELL_S, shield=True):",
        "with trio.move_on_after(FAREWELL_S):",
    ),
    Bug(
        "server-long-frame-header",
        "a direct frame of exactly 65536 bytes breaks the connections that it is written to",
        "scramble/server/http/direct_write.py",
        "if size < 1 << 16:",
        "if size <= 1 << 16:",
    ),
    Bug(
        "server-refused-connection-place-kept",
        "after fifty refused connections, a full server gives no client a reason any more",
        "scramble/server/http/worker.py",
        "self._turning_away -= 1",
        "pass",
    ),
    Bug(
        "server-parked-request-not-cancelled",
        "a watch whose client has disconnected goes on waiting, and takes one of the player's places",
        "scramble/server/asgi.py",
        """            nursery.cancel_scope.cancel()

        nursery.start_soon(watch)""",
        """            parked.set()

        nursery.start_soon(watch)""",
    ),
    # --- protection ---
    Bug(
        "server-short-body-takes-place",
        "clients that have sent a single byte of their bodies keep all others from sending long bodies",
        "scramble/server/protection/bodies.py",
        "if len(body) > self._short and self._place is None:",
        "if self._place is None:",
    ),
    Bug(
        "server-ipv6-not-grouped",
        "a client with an IPv6 network passes the limits by address with another address for each connection",
        "scramble/server/protection/by_address.py",
        'f"{IPv6Address(int(address) >> 64 << 64)}/64"',
        'f"{address}/64"',
    ),
    Bug(
        "server-proxy-first-address",
        "a client behind a proxy can pretend to have any address, and so pass the limits",
        "scramble/server/protection/middleware.py",
        'host = forwarded.rpartition(b",")[2].strip().decode("latin1")',
        'host = forwarded.partition(b",")[0].strip().decode("latin1")',
    ),
    Bug(
        "server-default-port-foreign",
        "an origin's port that is the default for its scheme counts as another origin",
        "scramble/server/protection/hosts.py",
        'if port in (None, PORTS[parts.scheme]) else f"{parts.scheme}://{host}:{port}"',
        'if port is None else f"{parts.scheme}://{host}:{port}"',
    ),
    Bug(
        "server-null-origin-allowed",
        "a page in a sandbox, whose origin is null, may act for a user with the user's cookie",
        "scramble/server/protection/origins.py",
        '        return True  # for example "null"',
        '        return False  # for example "null"',
    ),
    Bug(
        "server-wrong-client-dropped",
        "when too many bytes are unread, the clients of the address with the fewest are disconnected",
        "scramble/server/protection/send_budget.py",
        "readers = max(self._by_account.values(), key=lambda readers: sum(readers.values()))",
        "readers = min(self._by_account.values(), key=lambda readers: sum(readers.values()))",
    ),
    # --- telnet ---
    Bug(
        "server-telnet-last-lines-lost",
        "a telnet client does not get all of the last lines before the server closes the connection",
        "scramble/server/telnet/connection.py",
        "                    await self._room(0)\n",
        "",
    ),
    Bug(
        "server-telnet-cr-lf-in-two-pieces",
        "a telnet line whose CR and LF arrive apart is followed by an empty line",
        "scramble/server/telnet/lines.py",
        'elif data[0] in b"\\n\\0":',
        'elif data[0] in b"\\0":',
    ),
    # --- monitoring ---
    Bug(
        "server-degraded-not-ready",
        "a server whose disk is full counts as not ready, and a load balancer takes all players away from it",
        "scramble/server/monitoring/health.py",
        "return next((problem.words for problem in problems if problem.down), None)",
        "return next((problem.words for problem in problems), None)",
    ),
    Bug(
        "server-websockets-stay-counted",
        "the metric of open connections grows for ever with each WebSocket that a browser drops",
        "scramble/server/traffic.py",
        """    try:
        await app(scope, counting_receive, counting_send)
    finally:
        if accepted:
            traffic.open["websocket"] -= 1
""",
        """    try:
        await app(scope, counting_receive, counting_send)
    finally:
        if accepted:
            if code is not None and code != ABNORMAL:
                traffic.open["websocket"] -= 1
""",
    ),
)
