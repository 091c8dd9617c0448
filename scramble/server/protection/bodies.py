"""Bodies of requests: read before a request is passed on, so no handler waits for a client's body.

    bodies = Bodies(limits, {"/rooms": LongBodies(1024 * 1024, admit)})
    bodies.admit(scope)                             # raises CallerError
    with bodies.reading(scope, host) as reading:
        receive = await reading.read(receive)       # raises BodyRefused

Only requests to a few paths need bodies of more than some kilobytes. For these paths, the headers of a request are
checked before its body is read. A body that exceeds the ordinary limit takes one of a few places for long bodies. A
client gets a place only after it has sent as many bytes as the ordinary limit, so it cannot hold a place for free.
From then on the body must arrive at a minimum rate. The number of long bodies per minute from one address is limited,
too, because each body takes time to parse.

Safe under concurrency: counts change between two awaits (see `by_address`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final, Self

import trio
from hypercorn.typing import ASGIReceiveCallable, ASGIReceiveEvent, HTTPScope

from scramble.server.protection.by_address import ConnectionCounter, RateLimiter, account, is_local
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.origins import header

TOO_MUCH: Final = "the request's body is too long: {} bytes at most, and none is needed"
TOO_LONG: Final = "the request's body is too long: {} bytes at most"
MANY_LONG: Final = "many requests with long bodies come in just now: try again in {} s"
MANY_PIECES: Final = "the request's body comes in too many small pieces"
TOO_SLOW: Final = "the request's body took too long to come"
BAD_LENGTH: Final = "the length of the request's body is not a number"

LONG_BODIES: Final = 64
LONG_BODIES_BY_ADDRESS: Final = 16
"""Concurrent requests with a body longer than `body_bytes` of the limits: each takes a mebibyte until it is handled."""

LONG_BODIES_PER_MINUTE: Final = 60  # from one address: enough if each pupil of a class opens two rooms with a puzzle

LEAST_BYTES_PER_S: Final = 32 * 1024  # of a long body; to arrive in time, a mebibyte needs three times this rate
LEAST_AFTER_S: Final = 1.0  # until the minimum rate applies: every connection may pause for a moment

MOST_PIECES: Final = 100
LEAST_PIECE: Final = 64
"""A body may have `MOST_PIECES` pieces, plus one for each `LEAST_PIECE` bytes: a piece takes as long as a request."""


@dataclass(frozen=True)
class LongBodies:
    """The rules for POST requests with long bodies to one path."""

    most: int  # bytes
    admit: Callable[[HTTPScope], None]  # called before the body is read; raises CallerError for a forbidden request


class BodyRefused(Exception):
    """The body of a request is refused. Its connection must be closed, because the body was not read to its end."""

    def __init__(self, status: int, words: str, retry_after_s: int | None = None) -> None:
        self.status = status
        self.retry_after_s = retry_after_s
        super().__init__(words)


class Bodies:
    """The limits on the bodies of a server's requests. Mutable; all requests share it."""

    # AF: `limits` and _long have the maximum sizes of bodies. _places counts the long bodies that are not handled yet;
    #     _rate limits the new long bodies of each address.

    def __init__(self, limits: ServerLimits, long: Mapping[str, LongBodies]) -> None:
        """`long` has, by path, the rules for POST requests with long bodies."""
        self.limits: Final = limits
        self._long: Final = long
        self._places: Final = ConnectionCounter(LONG_BODIES, LONG_BODIES_BY_ADDRESS)
        most = LONG_BODIES_PER_MINUTE
        self._rate: Final = RateLimiter(ServerLimits(requests_per_s=most / 60, requests=most))

    def admit(self, scope: HTTPScope) -> None:
        """Raise CallerError if the client may not make this request, independent of its body."""
        long = self._find(scope)
        if long is not None:
            long.admit(scope)

    def reading(self, scope: HTTPScope, host: str) -> Reading:
        """Return the body of a request from the address `host`. A long body keeps its place during the block."""
        long = self._find(scope)
        return Reading(self, scope, host, None if long is None else long.most)

    def _find(self, scope: HTTPScope) -> LongBodies | None:
        return self._long.get(scope["path"]) if scope["method"] == "POST" else None

    def take_place(self, host: str) -> ExitStack:
        """Return a place for a long body; close it at the end of the request. Raises BodyRefused if all are taken."""
        wait_s = 0 if is_local(account(host)) else self._rate.wait_s(host)
        if wait_s:
            raise BodyRefused(429, MANY_LONG.format(wait_s), wait_s)
        if self._places.refusal(host) is not None:
            raise BodyRefused(503, MANY_LONG.format(1), 1)
        place = ExitStack()
        place.enter_context(self._places.counted(host))
        return place

    def __str__(self) -> str:
        return f"long bodies: {self._places}, {self._rate}"


class Reading:
    """The body of one request, during a block."""

    # AF: the body of _scope, from the address _host, with at most _most bytes. A long body holds _place.

    def __init__(self, bodies: Bodies, scope: HTTPScope, host: str, most: int | None) -> None:
        """`most` is the maximum size of a long body, in bytes; None: a long body is not allowed."""
        self._bodies: Final = bodies
        self._scope: Final = scope
        self._host: Final = host
        self._short: Final = bodies.limits.body_bytes
        self._most: Final = self._short if most is None else most
        self._words: Final = (TOO_MUCH if most is None else TOO_LONG).format(self._most)
        self._place: ExitStack | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._place is not None:
            self._place.close()

    async def read(self, receive: ASGIReceiveCallable) -> ASGIReceiveCallable | None:
        """Read the body, and return a `receive` with the body for the application; None if the client is gone.

        Waits for the client, at most `request_s` of the limits. Raises BodyRefused.
        """
        length = header(self._scope, b"content-length")
        if length is not None and not length.isdigit():
            raise BodyRefused(400, BAD_LENGTH)
        if length is not None and int(length) > self._most:
            raise BodyRefused(413, self._words)
        body, pieces, begun = bytearray(), 0, 0.0
        with trio.move_on_after(self._bodies.limits.request_s) as timeout:
            latest = timeout.deadline
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None  # disconnected
                body += message["body"]
                pieces += 1
                if len(body) > self._most:
                    raise BodyRefused(413, self._words)
                if pieces > MOST_PIECES + len(body) // LEAST_PIECE:
                    raise BodyRefused(413, MANY_PIECES)
                if len(body) > self._short and self._place is None:
                    self._place = self._bodies.take_place(self._host)
                    begun = trio.current_time() + LEAST_AFTER_S
                if not message["more_body"]:
                    break
                if self._place is not None:
                    timeout.deadline = min(latest, begun + (len(body) - self._short) / LEAST_BYTES_PER_S)
        if timeout.cancelled_caught:
            raise BodyRefused(408, TOO_SLOW)
        whole: list[ASGIReceiveEvent] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def replay() -> ASGIReceiveEvent:
            return whole.pop() if whole else await receive()

        return replay


def has_body(scope: HTTPScope) -> bool:
    """Return True if the request announces a body."""
    for name, value in scope["headers"]:
        if name == b"transfer-encoding" or (name == b"content-length" and value != b"0"):
            return True
    return False
