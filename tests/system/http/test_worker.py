"""hypercorn's worker over real sockets: a failure of one connection does not affect the others.

Partitions:
- a connection: is served; makes hypercorn's own code fail; is rejected before its handler runs, and its client
  disconnects; is closed because of a frame that is too long, and its client stays connected
- the other connections: continue
- the server: gets a stop signal, is cancelled; the tests of the front ends check what its clients then see
"""

from __future__ import annotations

from functools import partial

import trio
from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, Scope
from trio.testing import MockClock

from scramble.front.memory.http import serve_http
from scramble.memory import Board, open_game
from scramble.server.http.server import serve_app
from scramble.server.listening import Address
from tests.support import HANG_S
from tests.support.memory.tabs import serving

HANDSHAKE = (
    b"GET /play/rude HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
FRAME = bytes([0x81, 0x81, 0, 0, 0, 0]) + b"x"
TOO_LONG = bytes([0x81, 0xFE]) + (20_000).to_bytes(2, "big") + bytes(4) + b"x" * 20_000


async def read_to_the_end(stream: trio.SocketStream) -> bytes:
    data = b""
    try:
        async for part in stream:
            data += part
    except trio.BrokenResourceError:
        pass  # a reset is an end as well
    return data


async def test_frames_sent_along_with_the_handshake_cost_that_connection_only() -> None:
    async with open_game(Board.parse("1x2\nA\nA\n")) as game, serving(game) as server:
        alice = await server.open("alice")
        for _ in range(10):  # a race decides: hypercorn rejects, accepts or fails
            stream = await trio.open_tcp_stream(server.address.host, server.address.port)
            await stream.send_all(HANDSHAKE + 200 * FRAME)
            await stream.send_eof()
            assert (await read_to_the_end(stream)).startswith(b"HTTP/1.1 ")
            await stream.aclose()
        assert await alice.flip(0, 0) == ("ok", "1-B")
        bob = await server.open("bob")
        assert await bob.flip(0, 1) == ("ok", "1-B")


async def test_a_client_that_stays_after_too_long_a_frame_is_gone_for_the_handler_all_the_same(
    mock_clock: MockClock,
) -> None:
    mock_clock.rate = 1
    async with open_game(Board.parse("1x2\nA\nA\n")) as game, trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_http, game, port=0))
        async with await trio.open_tcp_stream(address.host, address.port) as stream:
            await stream.send_all(HANDSHAKE)
            received = b""
            while b'"players"' not in received:
                received += await stream.receive_some()
            # Nothing here is measured. At this point the server's patience with a slow client would be too short.
            mock_clock.rate = 1000
            await stream.send_all(TOO_LONG)
            with trio.fail_after(HANG_S * mock_clock.rate):  # the client neither answers the closing frame nor closes
                assert (await read_to_the_end(stream)).endswith(b"\x88\x10\x03\xf1frame too long")
        nursery.cancel_scope.cancel()


async def test_a_handler_that_is_not_told_that_its_client_has_gone_is_cancelled_after_a_while(
    mock_clock: MockClock,
) -> None:
    mock_clock.rate = 1
    handling, handled = trio.Event(), trio.Event()

    async def app(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        if scope["type"] != "http":
            raise NotImplementedError
        handling.set()
        try:
            await trio.sleep_forever()
        finally:
            handled.set()

    with trio.fail_after(1000 * HANG_S):
        async with trio.open_nursery() as nursery:
            address: Address = await nursery.start(partial(serve_app, app, host="127.0.0.1", port=0))
            stream = await trio.open_tcp_stream(address.host, address.port)
            await stream.send_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await handling.wait()
            # Nothing here is measured. At this point the server's patience with a slow client would be too short.
            mock_clock.rate = 1000
            await stream.aclose()
            await handled.wait()
            nursery.cancel_scope.cancel()
