"""The line server over real loopback sockets: behaviour that depends on the operating system's kernel.

Partitions:
- the client: closes its side; resets, while the session waits for a line or for something else, or before it is
  served; does not read pushed text, or answers to its own lines; sends without end after the end of the session
- connections: up to the limit; one beyond; many beyond; again after one has left
- the server: is cancelled with sessions in all these states; its port is in use
- socket options set in the kernel
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from functools import partial

import pytest
import trio

from scramble.errors import CannotListen
from scramble.server.telnet.connection import MAX_WAITING, LineConnection
from scramble.server.telnet.server import MAX_TURNING_AWAY, serve_lines
from scramble.server.traffic import Traffic
from tests.support.linewise import Client, connected, echo, serving

KIB = b"x" * 1023 + b"\n"


async def test_lines_are_answered_over_a_real_socket() -> None:
    async with serving(echo) as address, connected(address) as client:
        await client.say(b"a\nb\r\n")
        assert await client.lines(2) == b"a\nb\n"
        await client.say(b"c\r")
        assert await client.line() == b"c\n"


async def test_complete_lines_before_a_half_close_are_answered_and_then_the_connection_ends() -> None:
    async with serving(echo) as address, connected(address) as client:
        await client.say(b"a\nb\nunfinished")
        await client.stream.send_eof()
        assert await client.rest() == b"a\nb\n"


@pytest.mark.parametrize("size", [0, 5, 5_000_000])
async def test_the_farewell_reaches_a_client_whatever_it_still_sends(size: int) -> None:
    async with serving(echo) as address, connected(address) as client:

        async def flood() -> None:
            await client.say(b"a\nbye\n" + b"z" * size)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(flood)
            assert await client.rest() == b"a\nfarewell\n"


async def test_a_reset_ends_a_session_that_waits_for_a_line_and_no_other() -> None:
    ended = trio.Event()

    async def session(connection: LineConnection) -> None:
        connection.send(b"hello\n")
        async for line in connection:
            connection.send(str(line).encode() + b"\n")
        ended.set()

    async with serving(session) as address, connected(address) as other:
        async with connected(address) as client:
            await client.line()
            await client.reset()
        await other.line()
        await ended.wait()
        await other.say(b"\n")
        assert await other.line() == b"b''\n"


async def test_a_reset_cancels_a_session_that_sends_without_listening() -> None:
    ended = trio.Event()

    async def session(connection: LineConnection) -> None:
        try:
            while True:
                connection.send(b"tick\n")
                await trio.lowlevel.checkpoint()
        finally:
            ended.set()

    async with serving(session) as address, connected(address) as client:
        await client.line()
        await client.reset()
        await ended.wait()


async def test_a_real_client_that_does_not_read_is_dropped_while_others_play_on() -> None:
    everybody: set[LineConnection] = set()
    dropped = trio.Event()

    async def session(connection: LineConnection) -> None:
        everybody.add(connection)
        try:
            connection.send(b"hello\n")
            async for line in connection:
                for each in everybody:
                    each.send(str(line).encode() + b" " + KIB)
        except trio.Cancelled:
            dropped.set()
            raise
        finally:
            everybody.remove(connection)

    async with serving(session) as address, AsyncExitStack() as stack:
        slow = await stack.enter_async_context(connected(address, receive_buffer=4096))
        await slow.line()
        players = [await stack.enter_async_context(connected(address)) for _ in range(3)]
        for player in players:
            await player.line()
        sent = 0
        while not dropped.is_set():
            for player in players:
                await player.say(b"\n")
                answers = [await other.line() for other in players]
                assert len(set(answers)) == 1
                sent += len(answers[0])
        assert len(everybody) == 3
        assert MAX_WAITING < sent < 2 * MAX_WAITING
        await slow.until_gone()


async def test_the_kernel_forgets_what_a_client_that_is_dropped_has_not_read() -> None:
    dropped = trio.Event()

    async def session(connection: LineConnection) -> None:
        try:
            while True:
                connection.send(KIB)
                await trio.lowlevel.checkpoint()
        except trio.Cancelled:
            dropped.set()
            raise

    async with serving(session) as address, connected(address, receive_buffer=4096) as slow:
        await dropped.wait()
        with pytest.raises(trio.BrokenResourceError):  # a reset, which discards the unread data in the kernel
            await slow.rest()


async def test_connections_are_not_open_any_more_once_their_server_is_cancelled() -> None:
    traffic = Traffic()
    async with trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_lines, echo, host="127.0.0.1", port=0, traffic=traffic))
        async with connected(address) as client:
            await client.say(b"a\n")
            await client.line()
            assert traffic.open["telnet"] == 1
            nursery.cancel_scope.cancel()
    assert traffic.open["telnet"] == 0


async def test_a_real_client_that_floods_without_reading_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scramble.server.telnet.connection.STALL_S", 0.1)

    async def session(connection: LineConnection) -> None:
        async for _ in connection:
            connection.send(KIB)

    async with serving(session) as address, connected(address, receive_buffer=4096) as flooder:
        with pytest.raises(trio.BrokenResourceError):
            while True:
                await flooder.say(b"look\n" * 1000)
        async with connected(address) as other:
            await other.say(b"look\n")
            assert await other.line() == KIB


async def test_beyond_the_limit_there_is_one_line_and_the_connection_ends() -> None:
    async with (
        serving(echo, max_connections=2, full=b"full\n") as address,
        connected(address) as one,
        connected(address) as two,
    ):
        for client in (one, two):
            await client.say(b"a\n")
            assert await client.line() == b"a\n"
        for _ in range(3):
            async with connected(address) as three:
                assert await three.rest() == b"full\n"
        await one.say(b"bye\n")
        assert await one.rest() == b"farewell\n"
        await one.stream.aclose()
        answer = b"full\n"
        while answer == b"full\n":  # until the server has noticed that a connection is closed
            async with connected(address) as again:
                await again.say(b"bye\n")
                answer = await again.rest()
        assert answer == b"farewell\n"


async def test_however_many_are_beyond_the_limit_each_gets_the_line() -> None:
    async with serving(echo, max_connections=0) as address, AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connected(address)) for _ in range(MAX_TURNING_AWAY + 5)]
        assert {await client.rest() for client in clients} == {b"full\n"}


async def test_cancelling_the_server_ends_every_session_at_once() -> None:
    ended = 0

    async def session(connection: LineConnection) -> None:
        nonlocal ended
        try:
            connection.send(b"hello\n")
            async for line in connection:
                if line == b"wait":
                    await trio.sleep_forever()
                connection.send(KIB * 1000)
        finally:
            ended += 1

    async with AsyncExitStack() as stack:
        clients: list[Client] = []
        async with serving(session) as address:
            for command in (b"", b"wait\n", b"look\n" * 10, b"unfinished"):
                client = await stack.enter_async_context(connected(address))
                await client.line()
                await client.say(command)
                clients.append(client)
            ended_before = ended
        assert (ended_before, ended) == (0, len(clients))
        for client in clients:
            await client.until_gone()
        with pytest.raises(OSError, match="refused"):
            async with connected(address):
                pass


async def test_a_port_in_use_is_an_os_error_for_the_caller() -> None:
    async with serving(echo) as address:
        with pytest.raises(CannotListen, match=f"cannot listen on 127.0.0.1 port {address.port}"):
            await serve_lines(echo, host=address.host, port=address.port)


def server_side_of(client: Client) -> Iterator[socket.socket]:
    """Return the server's end of the client's connection, in this process."""
    name = client.stream.socket.getsockname()
    for entry in os.listdir("/proc/self/fd"):
        try:
            with socket.socket(fileno=os.dup(int(entry))) as candidate:
                if candidate.getpeername() == name:
                    yield candidate
        except OSError:
            pass  # no socket, not connected, or closed meanwhile


@pytest.mark.skipif(sys.platform != "linux", reason="finds the server's socket in /proc")
async def test_the_kernel_is_asked_to_find_dead_clients() -> None:
    async with serving(echo) as address, connected(address) as client:
        await client.say(b"a\n")
        await client.line()
        (alive,) = [
            [
                server_side.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE),
                server_side.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE),
                server_side.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY),
            ]
            for server_side in server_side_of(client)
        ]
        assert alive == [1, 60, 1]


async def test_a_client_that_is_gone_before_it_is_served_disturbs_nobody() -> None:
    async with serving(echo) as address:
        for _ in range(50):
            sock = socket.socket()
            sock.connect((address.host, address.port))
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.close()
        async with connected(address) as client:
            await client.say(b"a\n")
            assert await client.line() == b"a\n"
