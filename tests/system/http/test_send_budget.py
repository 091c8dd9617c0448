"""Limits on unsent bytes, and clients beyond the limits: as values, and over real sockets.

Partitions:
- unsent bytes: within the limit, at it, beyond it; read in part, all, by a dropped client; never read
- readers: one, several of one address, of several addresses; a client that has read recently
- real clients: do not read their answers; read them, beside slow readers; disconnect while an answer waits
"""

from __future__ import annotations

import gc
import weakref
from contextlib import AsyncExitStack

import pytest
import trio
from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, Scope

from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.send_budget import Unread
from tests.support.asking import Asked, asked, lifespan, status, until

ANSWER = bytes(32 * 1024 * 1024)  # more than a kernel buffers for a client that does not read
START = 128 * 1024  # the most of it that a client reads along with the head


class Reader:
    """A connection that records if it was dropped."""

    def __init__(self, account: str = "a") -> None:
        self.account = account
        self.dropped = 0

    def drop(self) -> None:
        self.dropped += 1


def dropped(*readers: Reader) -> list[int]:
    return [reader.dropped for reader in readers]


def test_as_much_as_may_wait_for_all_waits() -> None:
    unread, one, two = Unread(100), Reader(), Reader()
    unread.add(one, 40)
    unread.add(two, 60)
    assert dropped(one, two) == [0, 0]
    assert str(unread) == "100 of 100 bytes wait, for 2 connections"


def test_a_single_reader_may_have_more() -> None:
    unread, one = Unread(100), Reader()
    unread.add(one, 1000)
    unread.add(one, 1000)
    assert dropped(one) == [0]


def test_beyond_the_bound_who_has_taken_nothing_for_the_longest_time_is_dropped() -> None:
    unread, one, two, three = Unread(100), Reader(), Reader(), Reader()
    for reader in (one, two, three):
        unread.add(reader, 33)
    unread.taken(one, 3)
    unread.add(three, 5)
    assert dropped(one, two, three) == [0, 1, 0]
    unread.add(three, 35)  # 30 for the first, 73 for the third: it has read nothing for the longest time
    assert dropped(one, two, three) == [0, 1, 1]
    assert str(unread) == "30 of 100 bytes wait, for 1 connections"


def test_as_many_are_dropped_as_it_takes() -> None:
    unread, readers = Unread(100), [Reader() for _ in range(5)]
    for reader in readers[:-1]:
        unread.add(reader, 25)
    unread.add(readers[-1], 60)
    assert dropped(*readers) == [1, 1, 1, 0, 0]


def test_those_of_the_address_with_the_most_are_dropped_first() -> None:
    unread, alone, others = Unread(100), Reader("alone"), [Reader("crowd") for _ in range(3)]
    unread.add(alone, 35)
    for reader in others:
        unread.add(reader, 25)
    assert dropped(alone, *others) == [0, 1, 0, 0]


def test_what_is_taken_makes_room_and_what_a_dropped_one_takes_does_not_count() -> None:
    unread, one, two = Unread(100), Reader(), Reader("b")
    for _ in range(50):
        unread.add(one, 60)
        unread.taken(one, 20)
        unread.taken(one, 40)
    assert str(unread) == "0 of 100 bytes wait, for 0 connections"
    unread.add(one, 60)
    unread.add(two, 50)
    assert dropped(one, two) == [1, 0]
    unread.taken(one, 60)
    assert str(unread) == "50 of 100 bytes wait, for 1 connections"


class Litter:
    """An object that only the garbage collector can find."""

    def __init__(self) -> None:
        self.me = self


def test_what_is_left_behind_is_collected_when_it_is_more_than_may_wait() -> None:
    unread, one = Unread(100), Reader()
    gc.disable()
    try:
        litter = weakref.ref(Litter())
        for _ in range(2):
            unread.add(one, 60)
            assert litter() is not None
            unread.left_behind(one, 60)
    finally:
        gc.enable()
    assert litter() is None
    assert str(unread) == "0 of 100 bytes wait, for 0 connections"


# --- over real sockets ---


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
