"""Timeouts of one connection, and the last answers before the server closes it, over real sockets.

Partitions:
- a request's head: whole; never begun; begun and not ended, at once or after an answer; too long, in
  one piece or several, by its line or its headers; not HTTP; another version; after another request; HEAD; with two
  lengths of the body
- a WebSocket's handshake: valid; without a key, of another version, not ASCII, of HTTP/1.0; frames along with it
- the process is paused while a request arrives, until after the timeout; the client waits, or has disconnected
- an answer: read; not read
- connections: below the limit, at it, at the limit of an address, too many a second, again after one has closed
- the server: gets a stop signal while connections have sent nothing, a whole request, or the start of the next one
- limits belong to a server: time, size and number of one server do not affect another
(Over TLS: test_tls. Disconnects: test_worker, test_memory_waiting. A byte at a time: tests/unit/server/http.)
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

import pytest
import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.events import Event, RawData
from hypercorn.trio.task_group import TaskGroup
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, ConnectionState, Scope
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.server.http.http1 import HttpProtocol
from scramble.server.http.quick import KnownHeads
from scramble.server.http.server import serve_app
from scramble.server.protection.limits import ServerLimits
from tests.support import HANG_S
from tests.support.asking import UPGRADE, asked, hello, lifespan, rest, status, until, words

GET = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
HASTE = ServerLimits(request_s=0.05, keep_alive_s=HANG_S)
IMPATIENCE = ServerLimits(request_s=HANG_S, keep_alive_s=0.05)

TOO_SLOW = "the request took too long to come"
TOO_LONG = "the request's headers are too long: 300 bytes at most, its first line included"
NO_HANDSHAKE = "this is not the handshake of a WebSocket of version 13"


# --- time ---


@pytest.mark.parametrize("begun", ["G", "GET / HTTP/1.1\r\n", GET[:-2]])
async def test_headers_that_take_too_long_are_refused_with_408(begun: str) -> None:
    async with asked(HASTE) as server:
        answer = await server.exchange(begun)
        assert status(answer) == 408
        assert words(answer) == TOO_SLOW


async def test_the_time_for_headers_is_that_of_each_request() -> None:
    async with asked(HASTE) as server, await server.connect() as stream:
        for _ in range(3):
            await stream.send_all(GET.encode())
            assert status(await until(stream, b" http 0")) == 200
        await stream.send_all(GET[:9].encode())
        assert status(await rest(stream)) == 408


AT_ONCE = 10  # connections: several, because trio runs their tasks in a random order


@asynccontextmanager
async def paused(begun: str, before: int, clock: MockClock) -> AsyncIterator[list[trio.SocketStream]]:
    """Connections have sent `before` and have begun the next request. The server is paused during the block.

    The pause is longer than every time limit of the server.
    """
    async with asked(ServerLimits(request_s=5, keep_alive_s=5)) as server, AsyncExitStack() as stack:
        streams: list[trio.SocketStream] = []
        for _ in range(AT_ONCE):
            stream = await stack.enter_async_context(await server.connect())
            assert isinstance(stream, trio.SocketStream)
            streams.append(stream)
            for _ in range(before):
                await stream.send_all(GET.encode())
                assert status(await until(stream, b" http 0")) == 200
            await stream.send_all(begun.encode())
        await wait_all_tasks_blocked()
        yield streams
        clock.jump(6)
        assert status(await server.ask()) == 200


@pytest.mark.parametrize("begun", ["", GET[:9]])
@pytest.mark.parametrize("before", [0, 1])
async def test_a_request_that_comes_while_the_process_stands_still_is_not_late(
    begun: str, before: int, mock_clock: MockClock
) -> None:
    async with paused(begun, before, mock_clock) as streams, trio.open_nursery() as nursery:

        async def read(stream: trio.SocketStream) -> None:
            assert status(await until(stream, b"\r\n\r\n")) == 200

        for stream in streams:
            os.write(stream.socket.fileno(), GET[len(begun) :].encode())
            nursery.start_soon(read, stream)
        mock_clock.jump(6)


@pytest.mark.parametrize("begun", ["", GET[:9]])
@pytest.mark.parametrize("before", [0, 1])
async def test_a_client_that_goes_while_the_process_stands_still_leaves_no_error(
    begun: str, before: int, mock_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with paused(begun, before, mock_clock) as streams:
        for stream in streams:
            os.write(stream.socket.fileno(), GET[len(begun) :].encode())
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            stream.socket.close()
    assert not [record for record in caplog.records if record.exc_info]


async def test_what_comes_behind_a_refusal_for_its_time_is_not_read() -> None:
    sent: list[Event] = []

    async def send(event: Event) -> None:
        sent.append(event)

    async with TaskGroup() as tasks:
        context, state = WorkerContext(None), ConnectionState({})
        protocol = HttpProtocol(
            ASGIWrapper(hello), Config(), context, tasks, state, False, None, None, send, HASTE, None, KnownHeads()
        )
        await protocol.handle(RawData(GET[:9].encode()))
        await protocol.refuse(408)
        answer = list(sent)
        await protocol.handle(RawData(GET[9:].encode()))
        assert sent == answer


async def test_a_connection_that_never_asks_is_closed_without_a_word() -> None:
    async with asked(IMPATIENCE) as server:
        assert await server.exchange("") == ""


async def test_a_connection_that_asks_no_more_is_closed_without_a_word() -> None:
    async with asked(IMPATIENCE) as server:
        answer = await server.exchange(GET)
        assert answer.endswith(" http 0")
        assert answer.count("HTTP/1.1") == 1


async def test_a_websocket_may_be_silent_for_as_long_as_it_likes() -> None:
    async with asked(ServerLimits(request_s=0.01, keep_alive_s=0.01)) as server, await server.connect() as stream:
        await stream.send_all(f"GET / HTTP/1.1\r\nHost: localhost\r\n{UPGRADE}\r\n".encode())
        assert status(await until(stream, b"\r\n\r\n")) == 101
        with trio.move_on_after(0.2) as silence:
            await rest(stream)
        assert silence.cancelled_caught


async def test_a_client_that_does_not_take_its_answer_is_cut_off() -> None:
    sent = trio.Event()

    async def large(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        if scope["type"] != "http":
            return await lifespan(receive, send)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        try:
            await send({"type": "http.response.body", "body": bytes(32 * 1024 * 1024), "more_body": True})
        finally:  # the server may cancel `send` when it cuts off the client
            sent.set()

    async with asked(ServerLimits(unread_s=0.05), app=large) as server, await server.connect() as stream:
        await stream.send_all(GET.encode())
        await sent.wait()
        assert server.traffic.fallen_behind["http"] == 1


# --- requests ---


@pytest.mark.parametrize(
    "request_text",
    [
        f"GET /{'x' * 300} HTTP/1.1\r\nHost: localhost\r\n\r\n",
        f"GET / HTTP/1.1\r\nHost: localhost\r\nX: {'x' * 300}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\n" + 100 * "X: y\r\n" + "\r\n",
        "GET / HTTP/1.1\r\n" + 100 * "X: y\r\n",
        "x" * 400,
    ],
    ids=["line", "header", "headers", "without an end", "a line without an end"],
)
@pytest.mark.parametrize("pieces", [1, 3])
async def test_headers_that_are_too_long_are_refused_with_431(request_text: str, pieces: int) -> None:
    async with asked(ServerLimits(header_bytes=300)) as server, await server.connect() as stream:
        size = -(-len(request_text) // pieces)
        for start in range(0, len(request_text), size):
            await stream.send_all(request_text[start : start + size].encode())
        answer = await rest(stream)
        assert status(answer) == 431
        assert words(answer) == TOO_LONG


async def test_headers_as_long_as_they_may_be_are_answered() -> None:
    async with asked(ServerLimits(header_bytes=300)) as server:
        size = 300 - len("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: \r\n\r\n")
        assert status(await server.ask(f"X: {'x' * size}")) == 200


@pytest.mark.parametrize(
    ("request_text", "expected", "why"),
    [
        ("hello\r\n\r\n", 400, "this is not valid HTTP/1.1"),
        ("GET / HTTP/1.1\r\n\r\n", 400, "this is not valid HTTP/1.1"),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nno header\r\n\r\n", 400, "this is not valid HTTP/1.1"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "this server speaks HTTP/1.1"),
        (
            "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
            501,
            "a body is either chunked or has a length: nothing else is understood here",
        ),
    ],
)
async def test_what_is_no_request_is_refused_in_words(request_text: str, expected: int, why: str) -> None:
    async with asked() as server:
        answer = await server.exchange(request_text)
        assert status(answer) == expected
        assert words(answer) == why


@pytest.mark.parametrize("host", ["x" * 301, "\xe9." * 4000, "x" * 8000 + "\xe9"])
async def test_a_host_longer_than_names_are_is_refused_before_it_is_read_as_one(host: str) -> None:
    async with asked() as server:
        answer = await server.exchange(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode("latin-1"))
        assert (status(answer), words(answer)) == (400, "the Host header is not the name of a host")


@pytest.mark.parametrize("lengths", [("gzip, chunked", "5"), ("chunked", "5"), ("chunked", "0")])
@pytest.mark.parametrize("swapped", [False, True])
async def test_a_body_with_two_lengths_is_refused_and_what_stands_behind_it_is_not_read(
    lengths: tuple[str, str], swapped: bool
) -> None:
    headers = [f"Transfer-Encoding: {lengths[0]}", f"Content-Length: {lengths[1]}"]
    head = "\r\n".join(["POST / HTTP/1.1", "Host: localhost", *(reversed(headers) if swapped else headers)])
    async with asked() as server:
        answer = await server.exchange(f"{head}\r\n\r\n0\r\n\r\n{GET}")
        assert status(answer) == (400 if lengths[0] == "chunked" else 501)
        assert answer.count("HTTP/1.1 ") == 1
        if lengths[0] == "chunked":
            assert words(answer) == "a body is either chunked or has a length: this one claims to be both"


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("HEAD x HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("HEAD / HTTP/1.1\r\nHost: \xff..x\r\n\r\n", 400),
        ("HEAD / HTTP/1.1\r\n\r\n", 400),
        ("HEAD / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("HEAD / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n", 400),
        (f"HEAD /{'x' * 300} HTTP/1.1\r\nHost: localhost\r\n\r\n", 431),
        ("HEAD / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        ("HEAD / HTTP/2.0\r\nHost: localhost\r\n\r\n", 505),
        ("HEAD / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\n", 413),
    ],
)
@pytest.mark.parametrize("behind", ["", "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n"])
async def test_the_refusal_of_a_head_request_has_no_body(
    request_text: str, expected: int, behind: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with asked(ServerLimits(header_bytes=300)) as server:
        answer = await server.exchange(behind + request_text)
        assert status(answer) == 200 if behind else expected
        answer = answer[answer.rindex(f"HTTP/1.1 {expected}") :]
        head, _, body = answer.partition("\r\n\r\n")
        assert "content-length: " in head
        assert body == ""
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("method", ["head", "HEAd"])
async def test_head_is_written_in_upper_case(method: str, caplog: pytest.LogCaptureFixture) -> None:
    async with asked() as server:
        answer = await server.exchange(f"{method} / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert status(answer) == 501
        assert words(answer) == "a method is written in upper case: HEAD"
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_refusal_behind_the_answer_to_a_head_request_has_its_words() -> None:
    async with asked() as server:
        answer = await server.exchange("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\njunk\r\n\r\n")
        assert words(answer[answer.rindex("HTTP/1.1 400") :]) == "this is not valid HTTP/1.1"


async def test_a_connection_is_never_taken_over_by_http_2() -> None:
    async with asked() as server:
        answer = await server.ask("Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__")
        assert status(answer) == 200


async def test_what_is_no_request_behind_one_that_is_comes_after_its_answer() -> None:
    async with asked() as server:
        answer = await server.exchange(GET + "junk\r\n\r\n")
        assert status(answer) == 200
        assert status(answer[answer.index(" http 0") + len(" http 0") :]) == 400


# --- handshakes ---


@pytest.mark.parametrize(
    "handshake",
    [
        "GET / HTTP/1.1\r\nHost: localhost\r\n" + UPGRADE.replace("13", "12"),
        "GET / HTTP/1.1\r\nHost: localhost\r\n" + UPGRADE.replace("Sec-WebSocket-Key", "X"),
        "GET / HTTP/1.0\r\nHost: localhost\r\n" + UPGRADE,
        "GET / HTTP/1.1\r\nHost: localhost\r\nSec-WebSocket-Protocol: \u00fc\r\n" + UPGRADE,
    ],
    ids=["version", "no key", "HTTP/1.0", "not ASCII"],
)
async def test_a_handshake_that_is_none_is_refused_and_the_connection_ends(handshake: str) -> None:
    async with asked() as server:
        answer = await server.exchange(f"{handshake}\r\n".encode("latin1"))
        assert status(answer) == 400
        assert words(answer) == NO_HANDSHAKE
        assert "\r\nsec-websocket-version: 13\r\n" in answer


async def test_a_client_that_does_not_wait_for_the_end_of_the_handshake_does_not_stay() -> None:
    async with asked() as server:
        for _ in range(10):  # a race decides: it is rejected or accepted
            answer = await server.exchange(
                f"GET / HTTP/1.1\r\nHost: localhost\r\n{UPGRADE}\r\n".encode() + 9 * b"\x81\x80abcd"
            )
            assert answer.startswith("HTTP/1.1 ")


async def turning_away(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """An application that rejects every WebSocket, and runs until the client has left."""
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
        return
    assert (await receive())["type"] == "websocket.connect"
    await send({"type": "websocket.http.response.start", "status": 404, "headers": []})
    await send({"type": "websocket.http.response.body", "body": b"no", "more_body": False})
    while (await receive())["type"] != "websocket.disconnect":
        pass


async def test_frames_behind_a_refused_handshake_are_not_answered(caplog: pytest.LogCaptureFixture) -> None:
    async with asked(app=turning_away) as server, await server.connect() as stream:
        assert isinstance(stream, trio.SocketStream)
        await stream.send_all(f"GET / HTTP/1.1\r\nHost: localhost\r\n{UPGRADE}\r\n".encode())
        assert status(await until(stream, b"no")) == 404
        await stream.send_all(9 * b"\x89\x80abcd")
        await stream.send_eof()
        assert "HTTP/1.1" not in await rest(stream)
    assert not [record for record in caplog.records if record.exc_info]


# --- the number of connections ---


async def test_a_connection_beyond_the_limit_is_told_so_with_503() -> None:
    async with asked(ServerLimits(connections=2)) as server, AsyncExitStack() as stack:
        for _ in range(2):
            stream = await server.connect()
            await stack.enter_async_context(stream)
            await stream.send_all(GET.encode())
            assert status(await until(stream, b" http 0")) == 200
        for _ in range(3):
            answer = await server.exchange(GET)
            assert status(answer) == 503
            assert words(answer) == "this server takes no more connections"
            assert "\r\nretry-after: 10\r\n" in answer
        assert server.traffic.turned_away["http"] == 3


async def test_a_connection_beyond_the_limit_by_address_is_told_so_with_503() -> None:
    async with asked(ServerLimits(connections_by_address=1)) as server, await server.connect() as stream:
        await stream.send_all(GET.encode())
        assert status(await until(stream, b" http 0")) == 200
        answer = await server.exchange(GET)
        assert status(answer) == 503
        assert words(answer) == "this server takes no more connections from your address"


async def test_connections_that_an_address_opens_too_fast_are_reset_and_cost_no_answer() -> None:
    async with asked(ServerLimits(requests_per_s=0.001, requests=2)) as server:
        once = GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
        assert [status(await server.exchange(once)) for _ in range(4)] == [200, 200, 429, 429]
        async with await server.connect() as stream:
            with pytest.raises((trio.BrokenResourceError, OSError)):
                await stream.receive_some(1)
        assert server.traffic.turned_away["http"] == 1


async def test_there_is_room_again_when_somebody_has_left() -> None:
    async with asked(ServerLimits(connections=1)) as server:
        for _ in range(5):
            # the server may not have noticed yet that the last client has left
            while status(await server.ask()) == 503:
                pass


# --- the end of the server ---


async def test_idle_connections_are_closed_at_once_when_the_server_is_told_to_stop() -> None:
    stop = trio.Event()
    async with trio.open_nursery() as nursery:
        serve = partial(serve_app, hello, host="127.0.0.1", port=0, stop=stop.wait)
        address = await nursery.start(serve)
        async with AsyncExitStack() as stack:
            streams: list[trio.SocketStream] = []
            for text in ("", GET, GET + GET[:7]):
                stream = await stack.enter_async_context(await trio.open_tcp_stream(*address))
                await stream.send_all(text.encode())
                if text:
                    await until(stream, b" http 0")
                streams.append(stream)
            stop.set()
            for stream in streams:
                assert await rest(stream) in ("", "<reset>")
