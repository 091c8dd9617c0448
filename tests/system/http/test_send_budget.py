"""Limits on unsent bytes, over real sockets.

Partitions: clients do not read their answers; read them, beside slow readers; disconnect while an answer waits.
tests/unit/server/protection/test_send_budget.py tests the limits as values.
"""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest
import trio
from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, Scope

from scramble.server.protection.limits import ServerLimits
from tests.support.asking import Asked, asked, lifespan, status, until

ANSWER = bytes(32 * 1024 * 1024)  # more than a kernel buffers for a client that does not read
START = 128 * 1024  # a client reads at most this much of ANSWER together with the head


async def large(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """Answer with more than a kernel buffers for a client that does not read."""
    if scope["type"] != "http":
        return await lifespan(receive, send)
    length = (b"content-length", b"%d" % len(ANSWER))
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": ANSWER, "more_body": False})


async def ask(server: Asked, stack: AsyncExitStack) -> trio.abc.Stream:
    """A connection with the beginning of an answer. The client does not read the rest."""
    stream = await server.connect()
    await stack.enter_async_context(stream)
    await stream.send_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert status(await until(stream, b"\r\n\r\n")) == 200
    return stream


async def test_clients_that_do_not_read_are_dropped_and_those_that_read_get_their_answers(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with asked(ServerLimits(unread_bytes=2 * len(ANSWER)), app=large) as server, AsyncExitStack() as stack:
        streams = [await ask(server, stack) for _ in range(6)]
        while server.traffic.fallen_behind["http"] < 4:
            await trio.lowlevel.checkpoint()
        streams.append(await ask(server, stack))
        whole = 0
        for stream in reversed(streams):
            try:
                size = 0
                while size < len(ANSWER) - START:
                    size += len(await stream.receive_some())
                whole += 1
            except trio.BrokenResourceError:  # the kernel discards the unread data
                pass
        assert whole >= 2
        assert server.traffic.fallen_behind["http"] == len(streams) - whole
    reasons = {record.getMessage().partition(" reason=")[2] for record in caplog.records}
    assert reasons == {'"has read nothing for the longest time, and too many bytes wait for all clients"'}


async def test_what_waits_for_clients_that_go_does_not_wait_any_more() -> None:
    gone, noticed = 0, trio.lowlevel.ParkingLot()

    async def counting(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        nonlocal gone
        try:
            await large(scope, receive, send)
        finally:
            gone += 1
            noticed.unpark_all()

    async with asked(ServerLimits(unread_bytes=2 * len(ANSWER)), app=counting) as server:
        for number in range(4):
            async with AsyncExitStack() as stack:
                await trio.aclose_forcefully(await ask(server, stack))
            while gone <= number:
                await noticed.park()
        assert server.traffic.fallen_behind["http"] == 0
