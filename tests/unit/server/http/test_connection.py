"""Limits of connections, over loopback sockets, on a clock that only the test advances.

Partitions:
- a request's head: a byte at a time, for longer than its time limit
- connections beyond the limit: one after another, more than get a reason at once
tests/system/http/test_connection.py tests connections in real time.
"""

from __future__ import annotations

import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.server.http.worker import MAX_TURNING_AWAY
from scramble.server.protection.limits import ServerLimits
from tests.support.asking import asked, status, until, words

GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


async def test_headers_that_come_a_byte_at_a_time_get_no_more_time_for_that(mock_clock: MockClock) -> None:
    async with asked(ServerLimits(request_s=5)) as server, await server.connect() as stream:
        began = trio.current_time()
        for byte in range(5):
            await stream.send_all(GET[byte : byte + 1])
            await wait_all_tasks_blocked(0.005)
            mock_clock.jump(1)
        mock_clock.autojump_threshold = 0.02
        assert status(await until(stream, b"\r\n\r\n")) == 408
        assert trio.current_time() < began + 6


async def test_each_connection_beyond_the_limit_gets_a_reason_however_many_came_before(mock_clock: MockClock) -> None:
    async with asked(ServerLimits(connections=1)) as server, await server.connect() as stream:
        await stream.send_all(GET)
        assert status(await until(stream, b" http 0")) == 200
        for _ in range(MAX_TURNING_AWAY + 1):
            answer = await server.exchange(GET)
            assert words(answer) == "this server takes no more connections"
        assert server.traffic.turned_away["http"] == MAX_TURNING_AWAY + 1
