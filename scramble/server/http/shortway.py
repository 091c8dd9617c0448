"""A short way for requests that need nothing of Quart: those of a text protocol, in which most requests are the same.

    app = LeanQuart("name")
    app.short_way = ShortWay(app, HEADERS)
    app.short_way.add("look", "([a-z]+)", look, plays=False, parks=False)      # beside app.get("/look/<player>")

Half of a request's time is Quart's: two contexts, three tasks, a router, a request and a response object. A request of
a route that is added here is matched by one regular expression and answered by `look`, in the task of the application,
with the same status, headers and body as by Quart's handler of the same path.

A request takes the short way only if Quart would do nothing else with it, and otherwise the ordinary way:

- its method and path are those of a route here; it has one plain Host, no body, and no query but that of the route;
- all functions that Quart would call, before it, for it and after it, are known here, and each that may do something
  has a *guard* here, which allows the request: then that function would do nothing. So a program may add functions of
  its own to the application, at any time, and then all requests take the ordinary way;
- nobody listens to the signals that Quart sends of a request, which are `SIGNALS`;
- the application has neither methods nor classes of its own in the place of Quart's (`PASSED`), no sessions and no
  name of its server, and none of its other routes may match the path.

It is below everything that works with ASGI: limits, counters, logs, rooms and `finish_answers` are as for any request,
and so is another server than ours. A handler that may park runs beside a task that notices the disconnect.

Safe under concurrency: it has no state but its routes, which are made before the first request.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

import trio
from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, HTTPScope
from quart import (
    Quart,
    appcontext_popped,
    appcontext_pushed,
    appcontext_tearing_down,
    got_request_exception,
    request_finished,
    request_started,
    request_tearing_down,
)
from quart_trio.asgi import TrioASGIHTTPConnection
from werkzeug.datastructures import Headers as RequestHeaders
from werkzeug.http import parse_cookie

from scramble.errors import ScrambleError
from scramble.server.http.errors import Headers, retry_after

PLAIN_HOST: Final = re.compile(
    rb"[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63}){0,9}(:[0-9]{1,5})?|\[[0-9a-f:]+\](:[0-9]{1,5})?"
)
"""A Host that no part of Quart can object to."""

SIGNALS: Final = (
    *(request_started, request_finished, request_tearing_down, got_request_exception),
    *(appcontext_pushed, appcontext_tearing_down, appcontext_popped),
)
"""The signals that Quart sends of a request which renders no template."""

PASSED: Final = frozenset(
    {
        *("handle_request", "full_dispatch_request", "preprocess_request", "dispatch_request", "finalize_request"),
        *("make_response", "process_response", "handle_exception", "handle_user_exception", "handle_http_exception"),
        *("log_exception", "raise_routing_exception", "do_teardown_request", "do_teardown_appcontext"),
        *("request_context", "app_context", "create_url_adapter", "ensure_async", "sync_to_async"),
        *("request_class", "response_class", "app_ctx_globals_class", "session_interface"),
    }
)
"""What a request passes of Quart's class, and a program may replace in its application."""


class Answer(NamedTuple):
    """An answer in text, whichever way its request came; `more` headers beside those of every answer."""

    status: int
    text: str
    more: Mapping[str, str] = {}


class ShortRequest:
    """A request on the short way. What it shares with Quart's `Request` means the same."""

    # AF: the request of `scope`, whose path matches a route in `parts`. `plays`: it is more than a look.

    def __init__(self, scope: HTTPScope, parts: tuple[str, ...], *, plays: bool) -> None:
        self.scope: Final = scope
        self.parts: Final = parts
        self.plays: Final = plays

    @property
    def path(self) -> str:
        """The decoded path."""
        return self.scope["path"]

    @property
    def scheme(self) -> str:
        """The scheme: http or https."""
        return self.scope["scheme"]

    @cached_property
    def headers(self) -> RequestHeaders:
        """The headers."""
        return RequestHeaders(
            [(name.decode("latin1"), value.decode("latin1")) for name, value in self.scope["headers"]]
        )

    @cached_property
    def cookies(self) -> Mapping[str, str]:
        """The cookies."""
        return parse_cookie(";".join(self.headers.getlist("Cookie")))


Guard: TypeAlias = Callable[[ShortRequest], Awaitable[bool]]
"""Returns True if a function of Quart's would do nothing with the request. May raise what that function would raise."""

Handler: TypeAlias = Callable[[ShortRequest], Awaitable[Answer]]


class Route(NamedTuple):
    """The requests for one first part of a path."""

    endpoint: str  # of Quart's handler for the same path
    path: re.Pattern[str]  # of the rest of the path
    query: re.Pattern[bytes]
    methods: frozenset[str]
    handler: Handler
    plays: bool
    parks: bool


class ShortWay:
    """The routes and the guards of one application."""

    # AF: _routes has the routes by the first part of their paths. _guards and _known together stand for all functions
    #     of _app that this may leave out: each of the functions in _known does nothing with a request that all of
    #     _guards allow. _headers are those of every answer. When _app had so many endpoints, _rivals were those of
    #     _routes for whose paths it had other routes, too.

    def __init__(self, app: Quart, headers: Mapping[str, str]) -> None:
        """For `app`, whose answers all have these headers."""
        self._app: Final = app
        self._headers: Final = _encoded(headers.items())
        self._routes: Final[dict[str, Route]] = {}
        self._guards: Final[list[Guard]] = []
        self._known: Final[set[object]] = set()
        self._endpoints = 0
        self._rivals: frozenset[str] = frozenset()

    def add(
        self,
        first: str,
        path: str,
        handler: Handler,
        *,
        query: bytes = b"",
        methods: Iterable[str] = ("GET",),
        plays: bool = True,
        parks: bool = True,
    ) -> None:
        """Answer requests for `/first/...`, whose rest matches `path`, by `handler`; Quart's endpoint is `first`, too.

        `plays`: such a request is more than a look. `parks`: it may wait for other players, and a disconnect then
        cancels it.
        """
        self._routes[first] = Route(
            first, re.compile(path), re.compile(query), frozenset(methods), handler, plays, parks
        )
        self._known.add(self._app.view_functions[first])

    def know(self, *functions: object, guard: Guard | None = None) -> None:
        """Leave out these functions of the application; with a `guard`, for requests that it allows."""
        self._known.update(functions)
        if guard is not None:
            self._guards.append(guard)

    async def answer(self, scope: HTTPScope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> bool:
        """Answer the request; False if it has to take the ordinary way, and nothing has been done. Waits as a handler.

        If the client disconnects while the request is parked nothing is sent.
        """
        before, _, path = scope["path"].partition("/")
        first, _, rest = path.partition("/")
        route = self._routes.get(first)
        if before or route is None or scope["method"] not in route.methods or scope.get("root_path"):
            return False
        match = route.path.fullmatch(rest)
        if match is None or not route.query.fullmatch(scope["query_string"]):
            return False
        if not _is_plain(scope) or not self._covers(route):
            return False
        request = ShortRequest(scope, match.groups(), plays=route.plays)
        try:
            for guard in self._guards:
                if not await guard(request):
                    return False
        except ScrambleError as error:
            answer: Answer | None = _refusal(error)
        else:
            handled = _handled(route.handler, request)
            answer = await (_unless_gone(handled, receive) if route.parks else handled)
        if answer is not None:
            body = answer.text.encode()
            headers = [*self._headers, *_encoded(answer.more.items()), (b"content-length", b"%d" % len(body))]
            await send({"type": "http.response.start", "status": answer.status, "headers": headers, "trailers": False})
            await send({"type": "http.response.body", "body": body, "more_body": False})
        return True

    def _covers(self, route: Route) -> bool:
        """True if this stands for all that Quart would do with a request of that route."""
        app, known = self._app, self._known
        for signal in SIGNALS:
            if signal.receivers:
                return False
        if app.view_functions[route.endpoint] not in known or not PASSED.isdisjoint(vars(app)):
            return False
        if app.config["SECRET_KEY"] is not None or app.config["SERVER_NAME"] is not None or self._has_rival(route):
            return False
        for functions in (
            app.url_value_preprocessors.get(None, ()),
            app.before_request_funcs.get(None, ()),
            app.after_request_funcs.get(None, ()),
            app.teardown_request_funcs.get(None, ()),
            app.teardown_appcontext_funcs,
        ):
            for function in functions:
                if function not in known:
                    return False
        for handlers in app.error_handler_spec.get(None, {}).values():
            for handler in handlers.values():
                if handler not in known:
                    return False
        return True

    def _has_rival(self, route: Route) -> bool:
        """True if another route of the application may match a path of this one: Quart decides between them."""
        if self._endpoints != len(self._app.view_functions):
            self._endpoints = len(self._app.view_functions)
            rules = [(rule.rule.split("/")[1], rule.endpoint) for rule in self._app.url_map.iter_rules()]
            self._rivals = frozenset(
                endpoint for endpoint in self._routes for first, other in rules if first == endpoint != other
            )
        return route.endpoint in self._rivals

    def __str__(self) -> str:
        return f"a short way for {', '.join(self._routes)}"


class ShortHttp(TrioASGIHTTPConnection):
    """A request as quart-trio has it, which takes the short way if it can."""

    async def __call__(self, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        """Answer the request."""
        way: ShortWay | None = getattr(self.app, "short_way", None)
        if way is None or not await way.answer(self.scope, receive, send):
            await super().__call__(receive, send)


async def _handled(handler: Handler, request: ShortRequest) -> Answer:
    try:
        return await handler(request)
    except ScrambleError as error:
        return _refusal(error)


async def _unless_gone(handled: Coroutine[object, object, Answer], receive: ASGIReceiveCallable) -> Answer | None:
    """Return the answer, or None if the client disconnects before; that cancels the handler."""
    answer = None
    async with trio.open_nursery() as nursery:

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            nursery.cancel_scope.cancel()

        nursery.start_soon(watch)
        answer = await handled
        nursery.cancel_scope.cancel()
    return answer


def _refusal(error: ScrambleError) -> Answer:
    return Answer(error.status, f"{error}\n", retry_after(error))


def _encoded(headers: Iterable[tuple[str, str]]) -> Headers:
    return [(name.lower().encode(), value.encode()) for name, value in headers]


def _is_plain(scope: HTTPScope) -> bool:
    """True if the request has one plain Host and no body."""
    hosts = 0
    for name, value in scope["headers"]:
        if name == b"host":
            hosts += 1
            if not PLAIN_HOST.fullmatch(value):
                return False
        elif name == b"transfer-encoding" or (name == b"content-length" and value != b"0"):
            return False
    return hosts == 1
