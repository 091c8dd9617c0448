"""A router over plain ASGI, in front of a Quart application: the requests of a text protocol, and all WebSockets.

    app = quart_app()
    router = router_of(app)                                  # in front; Quart serves all other paths
    router.text("/look/{player}", look)                      # async def look(request: Request) -> Answer
    router.text("/replace/{rest:path}", replace)             # the rest of the path, with slashes
    router.socket("/play/{player}", play)                    # async def play(socket: Socket) -> None

The router is at Quart's documented place for middleware, `app.asgi_app`, so any ASGI server can still serve the
application. Quart would take half of a request's time, and a third of a WebSocket's memory: for two contexts, three
tasks, a router, a request and a response object. Quart's hooks (before and after requests and WebSockets, for errors)
get only the requests that Quart serves. A program that needs all requests wraps `app.asgi_app`.

- If a handler of text raises a ScrambleError, the answer has its words. Any other error is a bug: it is logged and
  answered with 500, or closes the WebSocket with 1011.
- A request that waits for other players sets `Request.parked`. From then on a disconnect cancels its handler.
- A disconnect cancels the handler of a WebSocket: at once on our server, on other servers at the next receive. The
  handler gets no other notice, and frames that it sends after the disconnect are discarded.

Safe under concurrency: routes are added before the first request; a request belongs to one task.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import parse_qs, urlsplit

import trio
from hypercorn.typing import (
    ASGIFramework,
    ASGIReceiveCallable,
    ASGISendCallable,
    HTTPScope,
    Scope,
    WebsocketScope,
)
from quart_trio import QuartTrio

from scramble.errors import ScrambleError
from scramble.kernel.token_bucket import TokenBucket
from scramble.logs import LogEntry
from scramble.server.http.closing import FAILED_CLOSE
from scramble.server.http.direct_write import OUTLET, Outlet
from scramble.server.http.errors import TEXT, Headers, encoded, retry_after
from scramble.server.http.finish import finish_answers
from scramble.server.http.websocket import FRAMES_LEFT, GONE
from scramble.server.protection.bodies import has_body

_PART: Final = re.compile(r"{(\w+)(:path)?}")

logger = logging.getLogger(__name__)


class Answer(NamedTuple):
    """An answer in text; `more` has headers in addition to the headers of its route."""

    status: int
    text: str
    more: Mapping[str, str] = {}

    def with_header(self, name: str, value: str) -> Answer:
        """Return the answer with one additional header."""
        return self._replace(more={**self.more, name: value})


class Request:
    """A request for a route: its ASGI scope, and the values in its path."""

    # AF: the request of `scope`; `parts` has the text between slashes for each name of the route's pattern. The handler
    #     sets `parked` when the request has to wait for other players.

    __slots__ = ("parked", "parts", "scope")

    def __init__(self, scope: HTTPScope | WebsocketScope, parts: Mapping[str, str]) -> None:
        self.scope: Final = scope
        self.parts: Final = parts
        self.parked: trio.Event | None = None  # only for a route with `parks`

    def query(self, name: str) -> str | None:
        """Return the first value with the name in the query, or None."""
        values = parse_qs(self.scope["query_string"].decode("latin1"), keep_blank_values=True).get(name)
        return None if values is None else values[0]

    def __str__(self) -> str:
        return f"{self.scope['path']}"


class Socket(Request):
    """A WebSocket. Do not share it: only one task receives."""

    # AF: the WebSocket of the functions _receive and _send. `accepted`: its handshake has been answered. Its handler
    #     runs in _gone; a disconnect cancels _gone. _has_left: the handler's task has received the disconnect.

    __slots__ = ("_gone", "_has_left", "_receive", "_send", "accepted")

    def __init__(
        self, scope: WebsocketScope, parts: Mapping[str, str], receive: ASGIReceiveCallable, send: ASGISendCallable
    ) -> None:
        super().__init__(scope, parts)
        self.accepted = False
        self._has_left = False
        self._receive: Final = receive
        self._send: Final = send
        gone = scope.get("state", {}).get(GONE)
        self._gone: Final = gone if isinstance(gone, trio.CancelScope) else trio.CancelScope()

    @property
    def outlet(self) -> Outlet | None:
        """The direct way to the connection (see `server.http.direct_write`); None on other servers."""
        outlet = self.scope.get("state", {}).get(OUTLET)
        return outlet if isinstance(outlet, Outlet) else None

    @property
    def frames_left(self) -> TokenBucket | None:
        """The bucket that limits all frames, with control frames and fragments; None on other servers."""
        bucket = self.scope.get("state", {}).get(FRAMES_LEFT)
        return bucket if isinstance(bucket, TokenBucket) else None

    async def accept(self, headers: Mapping[str, str] = {}) -> None:
        """Answer the handshake with these headers."""
        self.accepted = True
        await self._send({"type": "websocket.accept", "subprotocol": None, "headers": encoded(headers)})

    async def receive(self) -> str | bytes:
        """Return the next message. Waits for it. A disconnect cancels the handler."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            self._has_left = True
            self._gone.cancel()
            await trio.sleep_forever()
            raise AssertionError
        text = message.get("text")
        return message.get("bytes") or b"" if text is None else text

    async def send(self, frame: str) -> None:
        """Send a text frame. Waits until the kernel has accepted it."""
        await self._send({"type": "websocket.send", "bytes": None, "text": frame})

    async def close(self, code: int, reason: str) -> None:
        """Send a closing frame. Does nothing after a disconnect: otherwise `Traffic` would count this code."""
        if not self._gone.cancel_called:
            await self._send({"type": "websocket.close", "code": code, "reason": reason})

    async def run(self, serve: Serve) -> None:
        """Run the handler, for the router. Returns when the handler ends, or the client has disconnected."""
        await self._receive()  # the handshake
        with self._gone:
            try:
                await serve(self)
                return
            except Exception as error:
                await self._fail(error)
            except BaseExceptionGroup as group:
                bug = group.split(trio.Cancelled)[1]
                try:
                    if isinstance(bug, ExceptionGroup):
                        await self._fail(bug)
                    elif bug is not None:
                        raise
                finally:
                    del bug  # its traceback has this frame: a reference cycle
            # Raise a plain exception instead of the group, because stack frames would keep the group in memory.
            await trio.lowlevel.checkpoint_if_cancelled()
        if self._gone.cancelled_caught:  # receive the disconnect, for middleware that counts disconnects
            while not self._has_left:
                self._has_left = (await self._receive())["type"] != "websocket.receive"

    async def _fail(self, bug: Exception) -> None:
        """Log a bug in the handler, and close the WebSocket. Before the handshake, the server refuses the WebSocket."""
        logger.error(_failed(self), exc_info=bug)
        if self.accepted:
            await self.close(FAILED_CLOSE.code, FAILED_CLOSE.reason)


Handler: TypeAlias = Callable[[Request], Awaitable[Answer]]

Serve: TypeAlias = Callable[[Socket], Awaitable[None]]


class _Route(NamedTuple):
    path: re.Pattern[str]
    methods: tuple[str, ...]
    headers: Headers
    handler: Handler
    parks: bool
    serve: Serve | None  # only for WebSockets


class Router:
    """The routes in front of one application. An ASGI application itself. Mutable."""

    # AF: the routes in _routes, by the first part of their paths; the application _app serves all other requests.

    def __init__(self, app: ASGIFramework) -> None:
        """`app` gets all requests without a route, and the lifespan."""
        self._app: Final = app
        self._routes: Final[dict[str, list[_Route]]] = {}

    def text(
        self,
        pattern: str,
        handler: Handler,
        *,
        methods: tuple[str, ...] = ("GET", "HEAD"),
        headers: Mapping[str, str] = TEXT,
        parks: bool = False,
    ) -> None:
        """Let `handler` answer requests for paths of the pattern in text, with these headers.

        The application answers OPTIONS; methods not in `methods` are answered with 405. `parks`: the request may wait
        for other players, and a disconnect then cancels the handler.
        """
        self._add(pattern, _Route(_compiled(pattern), methods, encoded(headers), handler, parks, None))

    def socket(self, pattern: str, serve: Serve) -> None:
        """Serve WebSockets at paths of the pattern. `serve` answers the handshake, and closes the WebSocket."""
        self._add(pattern, _Route(_compiled(pattern), ("GET", "HEAD"), encoded(TEXT), _only_sockets, False, serve))

    def _add(self, pattern: str, route: _Route) -> None:
        first = pattern.split("/")[1]
        assert "{" not in first, "the first part of a pattern is fixed: it is the key of the route"
        self._routes.setdefault(first, []).append(route)

    def __call__(self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> Awaitable[None]:
        """Serve a request or a WebSocket. Not async, so its stack frame takes no memory while a WebSocket is open."""
        if scope["type"] == "lifespan":
            return self._app(scope, receive, send)
        path = _path(scope)
        for route in () if path is None else self._routes.get(path.split("/", 2)[1], ()):
            match = route.path.fullmatch(path or "")
            if match is None:
                continue
            if scope["type"] == "websocket" and route.serve is not None:
                return Socket(scope, match.groupdict(), receive, send).run(route.serve)
            if scope["type"] == "http" and scope["method"] != "OPTIONS":
                return _answer(route, scope, match.groupdict(), receive, send)
        return self._app(scope, receive, send)

    def __str__(self) -> str:
        return f"routes for {', '.join(self._routes)}"


def quart_app() -> QuartTrio:
    """Return a Quart application with a router in front, and without static files."""
    app = QuartTrio("scramble", static_folder=None)
    app.config["RESPONSE_TIMEOUT"] = app.config["BODY_TIMEOUT"] = None  # the connection has its own limits
    app.asgi_app = Router(finish_answers(app.asgi_app))  # type: ignore[assignment, method-assign]  # Quart's own way
    return app


def router_of(app: QuartTrio) -> Router:
    """Return the router in front of an application of `quart_app`."""
    router: object = app.asgi_app
    assert isinstance(router, Router)
    return router


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(_PART.sub(lambda part: f"(?P<{part[1]}>{'.+' if part[2] else '[^/]+'})", pattern), re.DOTALL)


def _path(scope: HTTPScope | WebsocketScope) -> str | None:
    """Return the decoded path below the server's root path, like Quart; None if it is not below the root path.

    The target may be a complete URL (RFC 9112, 3.2.2).
    """
    path, root = scope["path"], scope.get("root_path", "")
    if not path.startswith("/"):
        path = urlsplit(path).path
    return f"/{path.removeprefix(root).lstrip('/')}" if not root or path.startswith(f"{root}/") else None


async def _answer(
    route: _Route, scope: HTTPScope, parts: Mapping[str, str], receive: ASGIReceiveCallable, send: ASGISendCallable
) -> None:
    method = scope["method"]
    if has_body(scope):  # no handler reads a body, and the server would otherwise store a part and wait for the rest
        await _discard_body(receive)
    if method in route.methods:
        request = Request(scope, parts)
        handled = _handled(route.handler, request)
        answer = await (_unless_gone(handled, request, receive) if route.parks else handled)
    else:
        answer = Answer(405, f"{method} is not possible here\n", {"Allow": ", ".join((*route.methods, "OPTIONS"))})
    if answer is None:
        return
    body = answer.text.encode()
    headers = [*route.headers, *encoded(answer.more), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers, "trailers": False})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body, "more_body": False})


async def _discard_body(receive: ASGIReceiveCallable) -> None:
    while (message := await receive())["type"] == "http.request" and message.get("more_body", False):
        pass


async def _handled(handler: Handler, request: Request) -> Answer:
    try:
        return await handler(request)
    except ScrambleError as error:
        return refusal_answer(error)
    except Exception:
        logger.exception(_failed(request))
        return Answer(500, "this has failed because of a bug in the server\n")


def _failed(request: Request) -> LogEntry:
    client = request.scope["client"]
    return LogEntry("request-failed", client=client[0] if client else None, path=request.scope["path"])


def refusal_answer(error: ScrambleError) -> Answer:
    """Return the answer for a refused request."""
    return Answer(error.status, f"{error}\n", retry_after(error))


async def _unless_gone(
    handled: Coroutine[object, object, Answer], request: Request, receive: ASGIReceiveCallable
) -> Answer | None:
    """Return the answer; None after a disconnect, because a disconnect cancels the handler of a parked request."""
    answer, parked = None, trio.Event()
    request.parked = parked
    async with trio.open_nursery() as nursery:

        async def watch() -> None:
            await parked.wait()
            while (await receive())["type"] != "http.disconnect":
                pass
            nursery.cancel_scope.cancel()

        nursery.start_soon(watch)
        answer = await handled
        nursery.cancel_scope.cancel()
    return answer


async def _only_sockets(_: Request) -> Answer:
    return Answer(400, "this address is for WebSockets\n", {"Access-Control-Allow-Origin": "*"})
