"""A WebSocket that leaves Quart after its handshake: it may last for hours, and needs nothing of Quart any more.

    @app.websocket("/play/<player>")
    @may_leave(app)
    async def play(player: str) -> None:
        socket = socket_at_hand()                       # of `inbox`, for either way: receive, send, close
        await accept()
        await socket.go_on(partial(serve, socket))      # returns when that is done, or when it can begin without Quart

Quart routes a WebSocket, calls what is to be called before it, and answers the handshake. For that it makes a context
of the application and one of the WebSocket, an object for it with another copy of all headers, a session and an
adapter for its routes: 6 kB, which are held until the handler returns. A handler that hands on the rest of its work by
`go_on` returns at once, Quart drops all of that, and the rest runs in the same task, within everything that is around
Quart: rooms, limits, counters and logs.

The rest runs while Quart is there, as part of the handler, unless Quart would do nothing after it:

- the application is a `LeanQuart`, with neither a session nor methods of its own, and our own server serves it;
- its handler is one that says so by `may_leave`, and not a function that a program has put around it;
- there are no functions after the WebSocket, or for the end of a context, and nobody listens to the signals for these,
  or for frames, which are `SIGNALS`;
- errors are not to be raised, which is so in tests and when debugging.

A bug in the rest is told to Quart, in new contexts, as a bug in the handler.

Safe under concurrency: a socket belongs to one handler.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol, TypeVar

import quart.globals
from hypercorn.typing import ASGISendCallable, Scope
from quart import (
    Quart,
    Websocket,
    appcontext_popped,
    appcontext_tearing_down,
    current_app,
    got_websocket_exception,
    websocket,
    websocket_finished,
    websocket_tearing_down,
)
from quart.signals import websocket_received, websocket_sent

F = TypeVar("F", bound=Callable[..., object])

SIGNALS: Final = (
    *(websocket_sent, websocket_received, websocket_finished, websocket_tearing_down),
    *(got_websocket_exception, appcontext_tearing_down, appcontext_popped),
)
"""The signals that Quart sends of a WebSocket after its handshake."""

PASSED: Final = frozenset(
    {
        *("handle_websocket", "full_dispatch_websocket", "dispatch_websocket", "finalize_websocket"),
        *("postprocess_websocket", "handle_user_exception", "handle_http_exception", "handle_websocket_exception"),
        *("log_exception", "do_teardown_websocket", "do_teardown_appcontext", "app_context", "websocket_context"),
        *("ensure_async", "sync_to_async", "websocket_class", "asgi_websocket_class", "session_interface"),
    }
)
"""What a WebSocket passes of Quart's class after its handshake, and a program may replace in its application."""


_contexts: Final[Any] = quart.globals  # what it has depends on the version
ONE_CONTEXT: Final = not hasattr(_contexts, "_cv_websocket")
"""Since Quart 0.23 a WebSocket has no context beside the application's, and methods take the context first."""

LEAVING: Final = "scramble.leaving"  # the key of a `LeavingSocket` in the state of a WebSocket; `inbox` puts it there
_MAY_LEAVE: Final = "scramble.may-leave"  # of the handlers among the extensions of an application


class Socket(Protocol):
    """The WebSocket at hand, for its handler."""

    async def receive(self) -> str | bytes:
        """Return the next frame. Waits for it."""

    async def send(self, frame: str, /) -> None:
        """Send a frame. Waits until the kernel has taken it."""

    async def close(self, code: int, reason: str, /) -> None:
        """Send a closing frame."""

    async def go_on(self, rest: Callable[[], Awaitable[None]], /) -> None:
        """Run the rest of the handler, now or after Quart. The handler has to return then."""


class LeavingSocket:
    """A WebSocket whose handler may leave Quart."""

    # AF: the WebSocket that _receive and _send belong to, and the `rest` of its handler, if there is one. `closed`: a
    #     closing frame has been sent past Quart.

    def __init__(self, receive: Callable[[], Awaitable[str | bytes]], send: ASGISendCallable) -> None:
        self.rest: Callable[[], Awaitable[None]] | None = None
        self.closed = False
        self._receive: Final = receive
        self._send: Final = send

    async def receive(self) -> str | bytes:
        """Return the next frame. Waits for it."""
        return await self._receive()

    async def send(self, frame: str) -> None:
        """Send a frame, as Quart does. Waits until the kernel has taken it."""
        await self._send({"type": "websocket.send", "bytes": None, "text": frame})

    async def close(self, code: int, reason: str) -> None:
        """Send a closing frame, as Quart does."""
        await self._send({"type": "websocket.close", "code": code, "reason": reason})
        self.closed = True

    async def go_on(self, rest: Callable[[], Awaitable[None]]) -> None:
        """Have the rest of the handler run when Quart has ended."""
        self.rest = rest


def may_leave(app: Quart) -> Callable[[F], F]:
    """Return a decorator for handlers of WebSockets that do nothing after `go_on`."""

    def note(handler: F) -> F:
        app.extensions.setdefault(_MAY_LEAVE, set()).add(handler)
        return handler

    return note


def socket_at_hand(scope: Scope) -> LeavingSocket | None:
    """Return the WebSocket at hand if its handler may leave Quart; None if it has to stay."""
    socket = scope.get("state", {}).get(LEAVING)
    return socket if isinstance(socket, LeavingSocket) and _nothing_follows(current_app) else None


def _nothing_follows(app: Quart) -> bool:
    """True if `app` would do nothing after the handler of the WebSocket at hand."""
    handlers = app.extensions.get(_MAY_LEAVE, ())
    if app.view_functions.get(websocket.endpoint or "") not in handlers or not PASSED.isdisjoint(vars(app)):
        return False
    config = app.config
    if any(config[name] for name in ("SECRET_KEY", "PROPAGATE_EXCEPTIONS", "PRESERVE_CONTEXT_ON_EXCEPTION")):
        return False
    if app.testing or app.debug or any(signal.receivers for signal in SIGNALS):
        return False
    return not (
        any(app.after_websocket_funcs.values())
        or any(app.teardown_websocket_funcs.values())
        or app.teardown_appcontext_funcs
        or (_contexts._cv_app if ONE_CONTEXT else _contexts._cv_websocket).get()._after_websocket_functions
    )


async def say_bug(app: Quart, opened: Websocket, error: Exception) -> None:
    """Have Quart do with an error in the rest of a handler what it does with one in a handler."""
    methods: Any = app  # whose parameters depend on the version
    async with app.websocket_context(opened) as context:
        first = (context,) if ONE_CONTEXT else ()
        try:
            result = await methods.handle_user_exception(*first, error)
            await methods.finalize_websocket(*((context, result) if ONE_CONTEXT else (result, context)))
        except Exception as unhandled:
            await methods.handle_websocket_exception(*first, unhandled)
