"""Messages without an answer from Redis, on a real server that may pretend to be another version.

Partitions:
- the version: a version that loses messages if some are unanswered; the first version that does not; later versions of
  Redis and Valkey; no version
- the answer after messages without an answer: a value; an error that they cannot cause; an error that they can cause
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from scramble.cluster.address import parse_address
from scramble.cluster.connection import open_connection
from scramble.cluster.link import RedisLink
from scramble.cluster.protocol import LinkLost, RedisRefused
from scramble.kernel.nursery import cancel, open_side_nursery
from tests.support.cluster.redis import RedisServer, needs_redis

pytestmark = needs_redis

VERSION = re.compile(rb"(\$7\r\nversion\r\n)\$[0-9]+\r\n[^\r]*")


@asynccontextmanager
async def saying(port: int, version: str) -> AsyncIterator[str]:
    """Serve a copy of the Redis at that port that answers HELLO with this version; yield its URL."""
    said = rb"\1$%d\r\n%s" % (len(version), version.encode())

    async def carry(source: trio.SocketStream, target: trio.SocketStream) -> None:
        async for data in source:
            await target.send_all(VERSION.sub(said, data))

    async def serve(client: trio.SocketStream) -> None:
        async with await trio.open_tcp_stream("127.0.0.1", port) as server, open_side_nursery(cancel) as nursery:
            nursery.start_soon(carry, client, server)
            await carry(server, client)

    async with open_side_nursery(cancel) as nursery:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, serve, [listener])
        yield f"redis://127.0.0.1:{listener.socket.getsockname()[1]}/0"


async def silences(link: RedisLink) -> int:
    """Return how many times Redis received the command to send no answer."""
    info = await link.call("INFO", "commandstats")
    assert isinstance(info, bytes)
    found = re.search(rb"cmdstat_client\|reply:calls=([0-9]+)", info)
    return int(found[1]) if found else 0


@pytest.mark.parametrize(
    ("version", "expected"),
    [("6.2.14", 0), ("7.0.9", 0), ("7.0.10", 1), ("7.0.15", 1), ("7.2.4", 1), ("8.1.0-rc1", 1), ("unstable", 0)],
)
async def test_redis_is_told_not_to_answer_only_if_it_then_loses_no_other_messages(
    link: RedisLink, redis: RedisServer, version: str, expected: int
) -> None:
    before = await silences(link)
    heard: list[bytes] = []
    async with (
        saying(redis.port, version) as url,
        open_connection(parse_address(url), None, lambda _, messages: heard.extend(messages), name="it") as connection,
    ):
        await connection.call("SUBSCRIBE", "channel")
        connection.publish("channel", b"message")
        await trio.testing.wait_all_tasks_blocked()  # the message has been sent
        assert await connection.call("ECHO", "answer") == b"answer"
    assert await silences(link) == before + expected
    assert heard == [b"message"]


@pytest.mark.parametrize(
    "error",
    [
        "ERR Error running script: -OOM command not allowed",
        "LOADING Redis is loading the dataset in memory",
        "MASTERDOWN Link with MASTER is down",
        "NOMASTERLINK no link",
        "NOREPLICAS Not enough good replicas to write.",
        "NOPERM User client has no permissions to run the 'hget' command",
        "UNKILLABLE or whatever comes",
    ],
)
async def test_an_error_that_cannot_be_about_the_silence_is_the_callers(link: RedisLink, error: str) -> None:
    async with open_connection(link.address, None, lambda channel, messages: None, name="it") as connection:
        connection.publish("channel", b"")
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(RedisRefused, match=re.escape(error[:12])):
            await connection.call("EVAL", "return redis.error_reply(ARGV[1])", 0, error)
        assert await connection.call("ECHO", "after") == b"after"


@pytest.mark.parametrize(
    "error",
    [
        "BUSY Redis is busy running a script.",  # rejects all commands, including CLIENT REPLY
        "NOAUTH Authentication required.",
        "NOPERM this user has no permissions to run the 'client|reply' command",
        "NOPERM this user has no permissions to run the 'client' command or its subcommand",
        "ERR unknown command `CLIENT`, with args beginning with: `REPLY`, `SKIP`",
        "ERR unknown subcommand 'REPLY'. Try CLIENT HELP.",
    ],
)
async def test_an_error_that_may_be_about_the_silence_ends_the_connection(link: RedisLink, error: str) -> None:
    async with open_connection(link.address, None, lambda channel, messages: None, name="it") as connection:
        connection.publish("channel", b"")
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(LinkLost, match="CLIENT REPLY SKIP"):
            await connection.call("EVAL", "return redis.error_reply(ARGV[1])", 0, error)
