"""Frames written directly to real sockets: the same numbers for all connections, and echoes for each connection.

The server has a small buffer for each connection, so the kernel takes only a part of many frames, or nothing.

Partitions:
- a client: reads at once; slowly, at random; not at all for a while; sends requests meanwhile; is reset, closes, sends
  too much and is closed, while all clients are sent changes
- changes: small, larger than the buffer; one at a time, several at once; while a client is behind
- frames in between: answers, pongs, closing frames; before the handshake
- the connection: plain, over TLS; under hypercorn's own worker
"""

from __future__ import annotations

import logging
import random
import re
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import hypercorn.trio
import pytest
import trio
from hypercorn.config import Config
from quart_trio import QuartTrio

from scramble.errors import InvalidCommand
from scramble.front.web.broadcast import Broadcast
from scramble.front.web.websocket import WebSocketConnection
from scramble.kernel.changes import Changes, History
from scramble.kernel.protocol import Change, Event
from scramble.server.asgi import Socket, quart_app, router_of
from scramble.server.http import worker
from scramble.server.http.direct_write import text_frame
from scramble.server.http.server import guarded
from scramble.server.http.tls import server_context
from scramble.server.listening import Address, bind
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.middleware import Protection
from scramble.server.traffic import Traffic
from tests.support.certificates import make_certificate
from tests.support.cutting import CLOSE, frame, handshake, reset_when_closed

BUFFER_BYTES = 4096  # the requested size; the kernel doubles it
LIMITS = ServerLimits(frames=1e9, connections_by_address=100, bad_frames=3)
PING, PONG, CLOSED = 9, 10, 8

Stream = trio.SocketStream | trio.SSLStream[trio.SocketStream]


class Numbered(Event, frozen=True):
    number: int
    size: int


class Numbers:
    """A history of numbers, and a WebSocket that sends them and echoes each message."""

    def __init__(self) -> None:
        self.history = History()
        self.traffic = Traffic()
        self.feed: Broadcast[int] = Broadcast(
            self, snapshot=lambda number: f"from {number} ", change=_change_frame, joined=True, traffic=self.traffic
        )

    async def follow(self) -> tuple[int, Changes]:
        await trio.lowlevel.checkpoint()
        return self.history.published, Changes(self.history)

    async def ping(self) -> None:
        await trio.lowlevel.checkpoint()

    def publish(self, *sizes: int) -> None:
        """Publish the next numbers, each in a frame of this size."""
        for size in sizes:
            number = self.history.published
            self.history.publish(Change(number, (Numbered(number, size),)))
        self.history.announce()

    def app(self) -> QuartTrio:
        app = quart_app()

        async def show(socket: Socket) -> None:
            await socket.accept()
            connection = WebSocketConnection(socket, _error_frame, LIMITS)

            async def answer(text: str) -> None:
                if text == "bad":
                    raise InvalidCommand("bad")
                await connection.send(f"echo {text} " + "e" * len(text))

            try:
                await connection.close(await connection.run(self.feed.follower, answer))
            finally:
                await connection.say_farewell()

        router_of(app).socket("/", show)
        return app


def _change_frame(change: Change) -> str:
    events = [event for event in change.events if isinstance(event, Numbered)]
    return f"numbers {','.join(str(event.number) for event in events)} " + "n" * sum(event.size for event in events)


def _error_frame(bad: InvalidCommand) -> str:
    return f"error {bad} "


class Client:
    """A connection that checks every frame on arrival."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.next = -1  # the next expected number
        self.froms = self.joined = self.echoed = self.asked = self.pongs = self.errors = 0
        self.close_code: int | None = None
        self._buffer = bytearray()

    async def shake_hands(self) -> None:
        await self.stream.send_all(handshake("/"))
        while b"\r\n\r\n" not in self._buffer:
            self._buffer += await self.stream.receive_some()
        head, _, rest = self._buffer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101")
        self._buffer = bytearray()
        self._take_in(rest)

    async def read(self, size: int = 65536) -> bool:
        """Read some bytes. Return False at the end."""
        data = await self.stream.receive_some(size)
        self._take_in(data)
        return bool(data)

    async def read_until(self, number: int) -> None:
        """Read until the change before `number` has come, and all echoes."""
        while self.next < number or self.echoed < self.asked:
            assert await self.read()

    async def ask(self, length: int = 5) -> None:
        self.asked += 1
        await self.stream.send_all(frame(f"{self.asked:0{length}}"))

    def _take_in(self, data: bytes | bytearray) -> None:
        self._buffer += data
        start = 0
        while len(self._buffer) - start >= 2:
            opcode, size = self._buffer[start : start + 2]
            head = start + 2
            if size >= 126:
                more = 2 if size == 126 else 8
                size, head = int.from_bytes(self._buffer[head : head + more], "big"), head + more
            if len(self._buffer) < head + size:
                break
            self._judge(opcode, bytes(self._buffer[head : head + size]))
            start = head + size
        del self._buffer[:start]
        assert self.close_code is None or not self._buffer

    def _judge(self, opcode: int, payload: bytes) -> None:
        assert self.close_code is None, "a frame after the closing frame"
        if opcode == 0x80 | CLOSED:
            self.close_code = int.from_bytes(payload[:2], "big")
            return
        if opcode == 0x80 | PONG:
            self.pongs += 1
            return
        assert opcode == 0x81
        found = re.fullmatch(r"(from|numbers|echo|error) ([^ ]+) (n*|e*)", payload.decode())
        assert found is not None, payload[:100]
        kind, value, _ = found.groups()
        match kind:
            case "from":
                assert int(value) >= self.next
                self.next = int(value)
                self.froms += 1
            case "numbers":
                numbers = [*map(int, value.split(","))]
                assert numbers == [*range(self.next, self.next + len(numbers))]
                self.next += len(numbers)
                self.joined += len(numbers) > 1
            case "echo":
                self.echoed += 1
                assert int(value) == self.echoed
            case _:
                self.errors += 1


@asynccontextmanager
async def serving(shown: QuartTrio, tls: ssl.SSLContext | None = None) -> AsyncIterator[Address]:
    """The address of a server whose connections have small buffers."""
    listener = bind("127.0.0.1", 0)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)  # accepted sockets inherit it
    address = Address("127.0.0.1", listener.getsockname()[1])
    accepting = trio.SocketListener(trio.socket.from_stdlib_socket(listener))
    app = guarded(shown, Protection(limits=LIMITS))
    serve = partial(worker.serve, limits=LIMITS, traffic=Traffic(), tls=tls)
    config = Config()
    config.errorlog = logging.getLogger("hypercorn.error")  # otherwise hypercorn adds its own handler permanently
    config.graceful_timeout = 0.1
    async with trio.open_nursery() as nursery:
        await nursery.start(serve, app, config, accepting)
        yield address
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def connected(address: Address, tls: ssl.SSLContext | None = None) -> AsyncIterator[Client]:
    """A client after its handshake and its first frame. Its own buffer is small, too."""
    sock = trio.socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
    await sock.connect((address.host, address.port))
    plain = trio.SocketStream(sock)
    client = Client(plain if tls is None else trio.SSLStream(plain, tls, server_hostname="localhost"))
    try:
        await client.shake_hands()
        while client.next < 0:
            assert await client.read()
        yield client
    finally:
        await trio.aclose_forcefully(client.stream)


async def settle() -> None:
    """Let the server's tasks run until they wait."""
    for _ in range(20):
        await trio.lowlevel.checkpoint()


Use = Callable[[Client], Awaitable[None]]


async def use(address: Address, clients: list[Client], do: Use) -> None:
    async with connected(address) as client:
        clients.append(client)
        await do(client)


@pytest.mark.parametrize("seed", range(3))
async def test_under_random_slowness_all_get_whole_frames_in_order_and_their_own_answers_in_theirs(
    seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    rng = random.Random(seed)
    numbers = Numbers()
    last, over = 600, trio.Event()

    async def live(client: Client) -> None:
        pauses = rng.choice([(0,), (0, 0, 0, 50), (0, 500), (2000,)])

        async def ask() -> None:
            while not over.is_set():
                await client.ask(rng.choice([5, 5, 50, 3000]))
                for _ in range(rng.choice([10, 100, 1000])):
                    await trio.lowlevel.checkpoint()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            while client.next < last:
                for _ in range(rng.choice(pauses)):
                    await trio.lowlevel.checkpoint()
                assert await client.read(rng.choice([100, 5000, 65536]))
            over.set()
        await client.read_until(last)

    clients: list[Client] = []
    async with serving(numbers.app()) as address, trio.open_nursery() as living:
        for _ in range(8):
            living.start_soon(use, address, clients, live)
        while len(clients) < 8:
            await settle()
        while numbers.history.published < last:
            most = last - numbers.history.published
            numbers.publish(
                *(rng.choice([5, 50, 100, 1000, 20_000]) for _ in range(min(most, rng.choice([1, 1, 1, 5]))))
            )
            for _ in range(rng.choice([1, 10, 40])):
                await trio.lowlevel.checkpoint()
    assert all(client.next == last and client.echoed == client.asked for client in clients)
    assert sum(client.joined for client in clients) > 0
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


async def test_an_answer_waits_for_the_rest_of_a_frame_of_which_a_part_is_written() -> None:
    numbers = Numbers()
    async with serving(numbers.app()) as address, connected(address) as client, connected(address) as other:
        await settle()
        numbers.publish(300_000)  # more than the buffers of both ends
        await client.ask()
        await client.stream.send_all(frame("", PING))
        await other.read_until(1)
        for number in (2, 3, 4):
            numbers.publish(5)
            await other.read_until(number)
        assert client.next == 0
        await client.read_until(4)
        # the client was behind, so it got the last two changes in one frame
        assert (client.joined, client.echoed) == (1, 1)
        while not client.pongs:
            assert await client.read()
        numbers.publish(5)
        await client.read_until(5)
        assert client.froms == 1


async def test_who_falls_far_behind_gets_a_whole_frame_and_is_up_to_date_again() -> None:
    numbers = Numbers()
    async with serving(numbers.app()) as address, connected(address) as client, connected(address) as other:
        for _ in range(100):
            numbers.publish(10_000)
            await other.read_until(numbers.history.published)
        await client.read_until(100)
        assert (client.froms, other.froms) == (2, 1)
        assert numbers.traffic.fallen_behind["websocket"] == 1
        numbers.publish(5)
        await client.read_until(101)
        await other.read_until(101)


async def test_clients_that_go_amid_a_broadcast_cost_the_others_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async with trio.open_nursery() as broadcasts:
        for seed in range(3):
            broadcasts.start_soon(broadcast_to_clients_that_go, seed)
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


async def broadcast_to_clients_that_go(seed: int) -> None:
    rng = random.Random(seed)
    numbers = Numbers()
    last = 400

    async def leave(client: Client) -> None:
        until = rng.randrange(last // 2)
        while client.next < until:
            assert await client.read()
        match rng.choice(["reset", "vanish", "close", "bad"]):
            case "reset":
                assert isinstance(client.stream, trio.SocketStream)
                reset_when_closed(client.stream)
            case "close":
                await client.stream.send_all(CLOSE)
                while await client.read():
                    pass
                assert client.close_code == 1000
            case "bad":
                for _ in range(4):
                    await client.stream.send_all(frame("bad"))
                while await client.read():
                    pass
                assert (client.close_code, client.errors) == (1008, 4)

    async def stay(client: Client) -> None:
        await client.read_until(last)

    staying: list[Client] = []
    leaving: list[Client] = []
    async with serving(numbers.app()) as address, trio.open_nursery() as living:
        for _ in range(4):
            living.start_soon(use, address, staying, stay)
            for _ in range(4):
                living.start_soon(use, address, leaving, leave)
        while len(staying) + len(leaving) < 20:
            await settle()
        while numbers.history.published < last:
            numbers.publish(rng.choice([5, 500, 5000]))
            await settle()
    assert [client.next for client in staying] == [last] * 4


async def test_an_outlet_takes_frames_after_the_handshake_and_none_after_the_closing_frame() -> None:
    app = quart_app()
    written = []

    async def close(socket: Socket) -> None:
        outlet = socket.outlet
        assert outlet is not None
        written.append(outlet.write(text_frame("from 0 ")))
        await socket.accept()
        written.append(outlet.write(text_frame("from 1 ")))
        await socket.close(1000, "")
        written.append(outlet.write(text_frame("from 2 ")))

    router_of(app).socket("/", close)
    async with serving(app) as address, connected(address) as client:
        while await client.read():
            pass
        assert (client.froms, client.next, client.close_code) == (1, 1, 1000)
    assert written == [False, True, False]


async def test_over_tls_changes_go_the_ordinary_way(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    numbers = Numbers()
    context = server_context(certificate.certfile, certificate.keyfile)
    async with (
        serving(numbers.app(), context) as address,
        connected(address, certificate.trusting) as client,
        connected(address, certificate.trusting) as other,
    ):
        for _ in range(50):
            numbers.publish(3000)
            await client.ask(500)
            await other.read_until(numbers.history.published)
        await client.read_until(50)


async def test_under_the_worker_of_hypercorn_changes_go_the_ordinary_way() -> None:
    numbers = Numbers()
    config = Config()
    config.bind = ["127.0.0.1:0"]
    config.errorlog = logging.getLogger("hypercorn.error")  # otherwise hypercorn adds its own handler permanently
    app = guarded(numbers.app(), Protection(limits=LIMITS))
    async with trio.open_nursery() as nursery:
        (url,) = await nursery.start(partial(hypercorn.trio.serve, app, config))
        address = Address("127.0.0.1", int(url.rpartition(":")[2]))
        async with connected(address) as client, connected(address) as other:
            for _ in range(50):
                numbers.publish(3000)
                await client.ask(500)
                await other.read_until(numbers.history.published)
            await client.read_until(50)
        nursery.cancel_scope.cancel()
