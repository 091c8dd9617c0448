"""A real Redis for the tests of this folder, and two links to it. One link goes through a proxy."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest
import trio

from scramble.cluster import link as links
from scramble.cluster import liveness, ownership
from scramble.cluster.address import parse_address
from scramble.cluster.link import RedisLink, open_link
from scramble.cluster.protocol import ALIVE_S, BEAT_S
from tests.support import HANG_S
from tests.support.cluster.proxy import Proxy, open_proxy
from tests.support.cluster.redis import RedisServer


@pytest.fixture(scope="module")
def shared_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A server for one test. The test may stop it."""
    with RedisServer(tmp_path / "redis") as server:
        yield server


QUICKER: Final = 4
"""Factor on the rate of heartbeats in tests that wait for the death of a process."""


class Heartbeats(NamedTuple):
    """The times of heartbeats, in seconds."""

    alive_s: float
    beat_s: float


@pytest.fixture
def quick_heartbeats(monkeypatch: pytest.MonkeyPatch) -> Heartbeats:
    """Divide the pause between heartbeats by `QUICKER`, and the time after which a process without them counts as dead.

    A process still has as long as ever to answer and to reconnect.
    """
    times = {
        links: ("ALIVE_S", "BEAT_S"),
        liveness: ("ALIVE_S", "BEAT_S"),
        ownership: ("BEAT_S", "UNCONFIRMED_S"),
    }
    for module, names in times.items():
        for name in names:
            monkeypatch.setattr(module, name, getattr(module, name) / QUICKER)
    return Heartbeats(ALIVE_S / QUICKER, BEAT_S / QUICKER)


@pytest.fixture
async def redis(shared_redis: RedisServer) -> RedisServer:
    async with open_link(parse_address(shared_redis.url)) as link:
        await link.call("FLUSHALL")
    return shared_redis


@pytest.fixture
def exact(shared_redis: RedisServer) -> Iterator[None]:
    """Make Redis drop entries of streams one by one, not by the hundred."""
    assert shared_redis.ask("CONFIG SET stream-node-max-entries 1") == "+OK\n"
    yield
    shared_redis.ask("CONFIG SET stream-node-max-entries 100")


@pytest.fixture
async def proxy(redis: RedisServer) -> AsyncIterator[Proxy]:
    async with open_proxy(redis.port) as proxy:
        yield proxy


@pytest.fixture
async def link(proxy: Proxy) -> AsyncIterator[RedisLink]:
    with trio.fail_after(HANG_S):
        async with open_link(parse_address(proxy.url)) as link:
            yield link


@pytest.fixture
async def other(redis: RedisServer) -> AsyncIterator[RedisLink]:
    async with open_link(parse_address(redis.url)) as link:
        yield link
