"""Bodies of requests: admission, limits of length and time, and places for long bodies.

Strategy: the reader gets pieces at times of an autojump clock, so each limit is met exactly.
tests/system/http/test_middleware.py tests short bodies over sockets, and tests/system/rooms/test_api.py long ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import cast

import pytest
import trio
from hypercorn.typing import ASGIReceiveCallable, ASGIReceiveEvent, HTTPScope

from scramble.errors import Refusal
from scramble.server.protection.bodies import (
    LEAST_AFTER_S,
    LEAST_BYTES_PER_S,
    LONG_BODIES,
    LONG_BODIES_BY_ADDRESS,
    LONG_BODIES_PER_MINUTE,
    MANY_PIECES,
    MOST_PIECES,
    TOO_SLOW,
    Bodies,
    BodyRefused,
    LongBodies,
    Reading,
)
from scramble.server.protection.limits import ServerLimits

LIMITS = ServerLimits()
SHORT = LIMITS.body_bytes
LONGEST = 1024 * 1024


def scope_of(path: str = "/long", method: str = "POST") -> HTTPScope:
    headers = [(b"transfer-encoding", b"chunked")]
    return cast("HTTPScope", {"type": "http", "method": method, "path": path, "headers": headers})


def pieces(sizes: Iterable[int], pause_s: float = 0.0, *, ends: bool = True) -> ASGIReceiveCallable:
    """Return a client that sends these pieces, each after a pause; then the body ends, or the client waits."""
    rest = iter(sizes)

    async def receive() -> ASGIReceiveEvent:
        await trio.sleep(pause_s)
        size = next(rest, None)
        if size is None and not ends:
            await trio.sleep_forever()
        return {"type": "http.request", "body": b" " * (size or 0), "more_body": size is not None}

    return receive


def make_bodies() -> Bodies:
    return Bodies(LIMITS, {"/long": LongBodies(LONGEST, lambda scope: None)})


async def size_of(reading: Reading, receive: ASGIReceiveCallable) -> int:
    whole = await reading.read(receive)
    assert whole is not None
    message = await whole()
    assert message["type"] == "http.request"
    assert not message["more_body"]
    return len(message["body"])


async def refused(reading: Reading, receive: ASGIReceiveCallable) -> BodyRefused:
    with pytest.raises(BodyRefused) as bad:
        await reading.read(receive)
    return bad.value


@pytest.mark.parametrize(("path", "method"), [("/long", "GET"), ("/long", "DELETE"), ("/other", "POST")])
async def test_only_posts_to_the_paths_given_may_be_long(path: str, method: str) -> None:
    bodies = make_bodies()
    with bodies.reading(scope_of(path, method), "203.0.113.1") as reading:
        assert (await refused(reading, pieces([SHORT, 1]))).status == 413
    with bodies.reading(scope_of(), "203.0.113.1") as reading:
        assert await size_of(reading, pieces([SHORT] * 64)) == LONGEST
    with bodies.reading(scope_of(), "203.0.113.1") as reading:
        assert (await refused(reading, pieces([SHORT] * 64 + [1]))).status == 413


def test_a_forbidden_post_is_refused_after_its_headers_alone() -> None:
    def admit(scope: HTTPScope) -> None:
        raise Refusal("not you")

    bodies = Bodies(LIMITS, {"/long": LongBodies(LONGEST, admit)})
    bodies.admit(scope_of("/other"))
    bodies.admit(scope_of(method="GET"))
    with pytest.raises(Refusal):
        bodies.admit(scope_of())


async def test_a_body_takes_a_place_once_it_is_longer_than_a_short_one(
    autojump_clock: trio.testing.MockClock,
) -> None:
    bodies = make_bodies()
    with ExitStack() as stack:
        async with trio.open_nursery() as nursery:
            for number in range(2 * LONG_BODIES):
                dripping = stack.enter_context(bodies.reading(scope_of(), f"203.0.113.{number % 5}"))
                nursery.start_soon(dripping.read, pieces([SHORT], ends=False))
            await trio.testing.wait_all_tasks_blocked()
            with bodies.reading(scope_of(), "203.0.113.9") as reading:
                assert await size_of(reading, pieces([SHORT, SHORT])) == 2 * SHORT
            nursery.cancel_scope.cancel()


async def test_the_places_of_an_address_and_of_all_addresses_are_limited() -> None:
    bodies = make_bodies()
    with ExitStack() as stack:
        for number in range(LONG_BODIES):
            reading = stack.enter_context(bodies.reading(scope_of(), f"203.0.113.{number // LONG_BODIES_BY_ADDRESS}"))
            await reading.read(pieces([SHORT, 1]))
            if number == LONG_BODIES_BY_ADDRESS - 1:
                with bodies.reading(scope_of(), "203.0.113.0") as more:
                    assert (await refused(more, pieces([SHORT, 1]))).status == 503
        with bodies.reading(scope_of(), "203.0.113.9") as more:
            late = await refused(more, pieces([SHORT, 1]))
            assert (late.status, late.retry_after_s) == (503, 1)
        with bodies.reading(scope_of(), "203.0.113.9") as short:
            assert await size_of(short, pieces([SHORT])) == SHORT
    with bodies.reading(scope_of(), "203.0.113.9") as more:
        assert await size_of(more, pieces([SHORT, 1])) == SHORT + 1


async def test_a_long_body_has_to_keep_coming_and_leaves_its_place_if_it_does_not(
    autojump_clock: trio.testing.MockClock,
) -> None:
    bodies = make_bodies()
    begun = trio.current_time()
    with bodies.reading(scope_of(), "203.0.113.1") as reading:
        slow = await refused(reading, pieces([SHORT, *[1024] * 1000], 0.1))
        assert (slow.status, str(slow)) == (408, TOO_SLOW)
    assert trio.current_time() - begun < 2 * LEAST_AFTER_S
    with bodies.reading(scope_of(), "203.0.113.1") as reading:
        piece = LEAST_BYTES_PER_S // 10
        assert await size_of(reading, pieces([SHORT, *[piece] * 80], 0.1)) == SHORT + 80 * piece


async def test_no_body_may_take_longer_than_a_request_however_it_comes(autojump_clock: trio.testing.MockClock) -> None:
    bodies = make_bodies()
    for sizes in ([1] * 200, [SHORT, *[LEAST_BYTES_PER_S // 10] * 200]):
        begun = trio.current_time()
        with bodies.reading(scope_of(), "203.0.113.1") as reading:
            assert (await refused(reading, pieces(sizes, 0.2 if sizes[0] == 1 else 0.1))).status == 408
        assert trio.current_time() - begun == pytest.approx(LIMITS.request_s)


async def test_long_bodies_a_minute_are_limited_by_address_and_not_for_this_machine(
    autojump_clock: trio.testing.MockClock,
) -> None:
    bodies = make_bodies()

    async def send(host: str) -> None:
        with bodies.reading(scope_of(), host) as reading:
            await reading.read(pieces([SHORT, 1]))

    for _ in range(LONG_BODIES_PER_MINUTE):
        await send("203.0.113.1")
    with pytest.raises(BodyRefused) as early:
        await send("203.0.113.1")
    assert early.value.status == 429
    assert early.value.retry_after_s is not None
    await send("203.0.113.2")
    for _ in range(2 * LONG_BODIES_PER_MINUTE):
        await send("127.0.0.1")
    await trio.sleep(early.value.retry_after_s)
    await send("203.0.113.1")


async def test_a_body_in_too_small_pieces_is_refused() -> None:
    bodies = make_bodies()
    with bodies.reading(scope_of(), "203.0.113.1") as reading:
        assert await size_of(reading, pieces([1] * MOST_PIECES)) == MOST_PIECES
    with bodies.reading(scope_of(), "203.0.113.1") as reading:
        tiny = await refused(reading, pieces([1] * SHORT))
        assert (tiny.status, str(tiny)) == (413, MANY_PIECES)
    with bodies.reading(scope_of(), "203.0.113.1") as reading:
        assert await size_of(reading, pieces([500] * 2000)) == 1_000_000
