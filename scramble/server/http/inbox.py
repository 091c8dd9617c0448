"""A bounded inbox for the frames of a WebSocket, in place of Quart's queue; a disconnect cancels the handler.

Quart's queue of frames has no bound since 0.23, so a client that sends without end and reads nothing would fill the
memory. And since then a receive after a disconnect raises an error in the task that happens to receive, and a traceback
is logged; before, the handler was cancelled. With every version of Quart, here

- some frames wait for the handler; then reading stops, and the client's own TCP window fills up;
- a disconnect cancels the handler, and the handler notices nothing else.

Where the connection itself cancels the handler (`GONE`), as it does on our server, the frames are taken out of
hypercorn's own queue, and a WebSocket needs neither a task nor a queue for this: that saves 7 kB. quart-trio has two
tasks and a queue for each WebSocket, which have nothing to do then and take 8 kB: an application that is a `LeanQuart`
has none of them here.

Upstream: Quart pull request #427, "Implement backpressure for HTTP request body and WebSocket messages", closed without
a merge; quart-trio pull request #23, "Update to support Quart 0.23", merged. Can go when Quart has a bound, and one
meaning of a disconnect in all versions that are supported.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, cast

import trio
from hypercorn.typing import (
    ASGIFramework,
    ASGIReceiveCallable,
    ASGIReceiveEvent,
    ASGISendCallable,
    ASGISendEvent,
    Scope,
    WebsocketReceiveEvent,
    WebsocketScope,
)
from quart import websocket
from quart.asgi import ASGIWebsocketConnection
from quart.typing import ResponseTypes
from quart_trio import QuartTrio
from quart_trio.asgi import TrioASGIWebsocketConnection

from scramble.kernel.nursery import is_cancellation
from scramble.kernel.token_bucket import TokenBucket
from scramble.server.http.closing import BUG
from scramble.server.http.leaving import LEAVING, LeavingSocket, Socket, say_bug
from scramble.server.http.leaving import socket_at_hand as leaving_socket
from scramble.server.http.outlet import OUTLET, outlet_beyond
from scramble.server.http.shortway import ShortHttp, ShortWay

FRAMES_AHEAD: Final = 10  # where the connection does not cancel the handler; hypercorn holds as many more

FRAMES_LEFT: Final = "scramble.frames"  # the key of a bucket in the state of a WebSocket; `protocol` puts it there
PACE: Final = "scramble.pace"  # of a function there that counts a frame of its address; `middleware` puts it there
GONE: Final = "scramble.gone"  # of the scope there that a disconnect cancels; `protocol` puts it there, too
_INBOX: Final = "scramble.inbox"  # of a function there that waits for the next frame
_HAS_BUG: Final = "scramble.has-bug"  # there if an error was raised in the handler that nothing handles


def hold_frames(app: ASGIFramework) -> ASGIFramework:
    """Wrap `app` so that handlers get the frames of their WebSocket from `receive_frame`."""

    async def wrapped(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        if scope["type"] != "websocket":
            await app(scope, receive, send)
            return
        connect = await receive()
        connected = False

        async def receive_no_frames() -> ASGIReceiveEvent:
            nonlocal connected
            if connected:
                await trio.sleep_forever()
            connected = True
            return connect

        gone = scope["state"].get(GONE)
        if isinstance(gone, trio.CancelScope):
            scope["state"][_INBOX] = partial(_next_frame, receive)
            with gone:
                await app(scope, receive_no_frames, partial(_send_unless, gone, send))
            if gone.cancelled_caught:  # those around this, which count disconnects, are to see it
                while (await receive())["type"] == "websocket.receive":
                    pass
            return
        inbox, frames = trio.open_memory_channel[str | bytes](FRAMES_AHEAD)
        scope["state"][_INBOX] = frames.receive
        async with trio.open_nursery() as nursery:

            async def pass_on() -> None:
                while (message := await receive())["type"] == "websocket.receive":
                    await inbox.send(_content(message))
                nursery.cancel_scope.cancel()

            nursery.start_soon(pass_on)
            await app(scope, receive_no_frames, send)
            nursery.cancel_scope.cancel()

    return wrapped


async def _next_frame(receive: ASGIReceiveCallable) -> str | bytes:
    message = await receive()
    if message["type"] != "websocket.receive":
        await trio.sleep_forever()  # disconnected: the handler is being cancelled
    return _content(message)


async def _send_unless(gone: trio.CancelScope, send: ASGISendCallable, message: ASGISendEvent) -> None:
    if not gone.cancel_called:  # nobody is there to read a farewell, and it would count as the end
        await send(message)


def _content(message: WebsocketReceiveEvent) -> str | bytes:
    text = message["text"]
    return message["bytes"] or b"" if text is None else text


class _Frames:
    """In the place of a channel of frames: takes them where they are."""

    def __init__(self, receive: Callable[[], Awaitable[str | bytes]]) -> None:
        self.receive: Final = receive


class LeanWebSocket(TrioASGIWebsocketConnection):
    """A WebSocket as quart-trio has it, without the two tasks and the queue for frames that come from `hold_frames`."""

    def __init__(self, app: QuartTrio, scope: WebsocketScope) -> None:
        inbox = scope.get("state", {}).get(_INBOX)
        if inbox is None:
            super().__init__(app, scope)
        else:
            self.app = app
            self.scope = scope
            self._accepted = self._closed = self._disconnected = False
            self.receive_channel = cast("trio.MemoryReceiveChannel[str | bytes]", _Frames(inbox))

    async def __call__(self, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        """Run the handler, and what it has left to be run after it."""
        state = self.scope.get("state", {})
        if _INBOX not in state:
            await super().__call__(receive, send)
            return
        socket = LeavingSocket(state[_INBOX], send)
        if type(self.app) is LeanQuart and GONE in state:  # of our own server
            state[LEAVING] = socket
        try:
            await ASGIWebsocketConnection.handle_websocket(
                self, self._create_websocket_from_scope(send), partial(self._send_unless_left, socket, send)
            )
        finally:
            state.pop(LEAVING, None)  # its `send` refers to the state
        if socket.rest is not None:
            token = outlet_beyond.set(state.get(OUTLET))
            try:
                await self._run(socket.rest, send)
            finally:
                outlet_beyond.reset(token)
            if not socket.closed:
                await send(self._close_after())

    async def _run(self, rest: Callable[[], Awaitable[None]], send: ASGISendCallable) -> None:
        """Run the rest of a handler. Beside a cancellation errors are dropped, as quart-trio does."""
        is_cancelled = False
        try:
            await rest()
        except BaseExceptionGroup as errors:
            if not is_cancellation(errors):
                cancelled = errors.split(trio.Cancelled)[0]
                if cancelled is not None or not isinstance(errors, ExceptionGroup):
                    raise (cancelled or errors) from None
                await say_bug(self.app, self._create_websocket_from_scope(send), errors)
                return
            is_cancelled = True
        except Exception as error:
            await say_bug(self.app, self._create_websocket_from_scope(send), error)
        if is_cancelled:
            await trio.lowlevel.checkpoint_if_cancelled()

    async def _send_unless_left(self, socket: LeavingSocket, send: ASGISendCallable, message: ASGISendEvent) -> None:
        if socket.rest is None:  # else this is the close after a handler
            await send(self._close_after() if message["type"] == "websocket.close" else message)

    def _close_after(self) -> ASGISendEvent:
        """The close after a handler that has not closed: Quart's, to the letter, unless the handler has a bug."""
        code = BUG.code if _HAS_BUG in self.scope["state"] else 1000
        return cast("ASGISendEvent", {"type": "websocket.close", "code": code})


class LeanQuart(QuartTrio):
    """An application of quart-trio whose WebSockets take less memory, and some of its requests less time.

    That needs `hold_frames` around it, and a `short_way`; without them all is as with quart-trio.
    """

    asgi_websocket_class = LeanWebSocket
    asgi_http_class = ShortHttp
    short_way: ShortWay | None = None
    open_paths: tuple[str, ...] = ()
    """The beginnings of paths that clients may ask for by every host name, not only by one of the server's."""

    async def handle_websocket_exception(self, *about: Any) -> ResponseTypes | None:
        """Do with a bug in a handler what Quart does; where `hold_frames` is, the WebSocket is closed with 1011.

        `about` is the error, since Quart 0.23 after its context.
        """
        websocket.scope.get("state", {})[_HAS_BUG] = True
        return await super().handle_websocket_exception(*about)


async def receive_frame() -> str | bytes:
    """Return the next frame, in the handler of a WebSocket. Waits for one.

    If the application is served without `hold_frames`, this is Quart's own `receive`.
    """
    inbox = websocket.scope.get("state", {}).get(_INBOX)
    if inbox is None:
        return await websocket.receive()
    return await cast("Callable[[], Awaitable[str | bytes]]", inbox)()


class _QuartSocket:
    """The WebSocket at hand, whose handler stays in Quart."""

    def __init__(self) -> None:
        self.send: Final = websocket.send
        self.close: Final = websocket.close

    async def receive(self) -> str | bytes:
        """Return the next frame. Waits for it."""
        return await receive_frame()

    async def go_on(self, rest: Callable[[], Awaitable[None]]) -> None:
        """Run the rest of the handler."""
        await rest()


def socket_at_hand() -> Socket:
    """Return the WebSocket at hand, in its handler: it may leave Quart, or stays (see `leaving`)."""
    return leaving_socket(websocket.scope) or _QuartSocket()


def frames_left() -> TokenBucket | None:
    """Return the bucket that limits control frames and fragments too, in the handler of a WebSocket.

    None on another server, which does not limit them.
    """
    bucket = websocket.scope.get("state", {}).get(FRAMES_LEFT)
    return bucket if isinstance(bucket, TokenBucket) else None
