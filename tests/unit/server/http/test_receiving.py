"""Receiving bytes from a pair of sockets.

Partitions: bytes have arrived; bytes arrive later; the end; the socket is closed before the wait, during it.
"""

from __future__ import annotations

import socket

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.server.http.connection import receive_some


async def test_early_and_late_bytes_are_returned_and_nothing_at_the_end() -> None:
    ours, theirs = map(_stream, socket.socketpair())

    async def say() -> None:
        await wait_all_tasks_blocked()
        await theirs.send_all(b"b")

    async with ours, theirs:
        await theirs.send_all(b"a")
        assert await receive_some(ours) == b"a"
        async with trio.open_nursery() as nursery:
            nursery.start_soon(say)
            assert await receive_some(ours) == b"b"
        await theirs.send_eof()
        assert await receive_some(ours) == b""


@pytest.mark.parametrize("before", [True, False])
async def test_a_socket_that_is_closed_by_another_task_is_reported_as_such(before: bool) -> None:
    ours, theirs = map(_stream, socket.socketpair())

    async def close() -> None:
        await wait_all_tasks_blocked()
        await ours.aclose()

    async with theirs, trio.open_nursery() as nursery:
        if before:
            await ours.aclose()
        else:
            nursery.start_soon(close)
        with pytest.raises(trio.ClosedResourceError):
            await receive_some(ours)


def _stream(end: socket.socket) -> trio.SocketStream:
    return trio.SocketStream(trio.socket.from_stdlib_socket(end))
