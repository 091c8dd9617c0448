"""Players in rooms with pages from two processes of a cluster, while Redis and the processes stop and restart.

Testing strategy. There is a room of each game. In each room, ann is at the first process, which owns the rooms, and bob
is at the second process. A page of the lobby is at the first process, too. HAProxy is between the first process and its
pages. One journey: Redis is paused and continues; the owner is killed; the next owner is terminated; Redis is killed;
each is started again. Then the first process is killed without a restart, and HAProxy connects its pages to the second
process. Meanwhile all pages show one quiet line; there is no toast during the pause and after the kills of the first
process. After that both play on in all rooms and see each other's moves. At the end, Redis loses all rooms.
shared/test_moving.py checks the messages about a lost connection.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.cluster.fleet import Fleet
from tests.support.cluster.frontends import HaProxy, needs_haproxy
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.system.browser.cluster.tables import Tables
from tests.system.browser.conftest import EXPECT_MS, NewContext

pytestmark = [pytest.mark.browser, needs_redis, needs_haproxy]

DURABLE = {"appendonly": "yes", "appendfsync": "always"}


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path, DURABLE) as redis:
        yield redis


@pytest.fixture
def fleet(redis: RedisServer) -> Iterator[Fleet]:
    with Fleet(2, lambda _: ("serve", "--cluster", redis.url, "--behind-proxy")) as fleet:
        yield fleet


@pytest.fixture
def balancer(tmp_path: Path, fleet: Fleet) -> Iterator[HaProxy]:
    """HAProxy in front of the first process; `send_to("b")` adds the second."""
    with HaProxy(tmp_path / "haproxy", fleet.ports) as balancer:
        balancer.send_nothing_to("b")
        yield balancer


def test_pages_say_one_quiet_line_and_play_on_when_processes_and_redis_fail_and_read_that_rooms_were_lost(
    redis: RedisServer, fleet: Fleet, balancer: HaProxy, new_context: NewContext
) -> None:
    first, second = fleet.members
    tables = Tables(balancer.url, f"http://127.0.0.1:{second.port}", new_context)
    tables.play(tables.bob, tables.ann, EXPECT_MS)  # a reconnection would change the lines of a player with moves

    tables.begin()
    redis.pause()
    try:
        for one in tables.at_first:
            one.await_moment()
    finally:
        redis.resume()
    for one in tables.at_first:
        one.expect_one_quiet_line()

    tables.begin()
    first.kill()  # the owner of the rooms
    first.start()
    for one in tables.at_first:  # their own process has died
        one.await_moment()
        one.expect_one_quiet_line()
    tables.all_play()
    assert all(one.said_to_wait for one in tables.bob.with_a_line)

    tables.begin()
    assert second.terminate() == 0  # the next owner
    second.start()
    tables.all_play()
    assert all(one.said_to_wait for one in tables.ann.with_a_line)

    tables.begin()
    redis.kill()
    redis.start()
    tables.all_play()
    for pair in zip(tables.ann.with_a_line, tables.bob.with_a_line, strict=True):
        assert any(one.said_to_wait for one in pair)  # at the owner, only a move may be slow

    balancer.send_to("b")
    tables.begin()
    first.kill()  # without a restart: its pages go on at the second process
    for one in tables.at_first:
        one.await_moment()
        one.expect_quiet()
    tables.all_play()
    assert [hand.flipper.name for hand in (tables.ann, tables.bob)] == ["ann", "bob"]
    expect(tables.bob.flipper.page.locator("#players > [data-player]")).to_have_count(2)
    assert [hand.digger.complaints for hand in (tables.ann, tables.bob)] == [[], []]

    redis.ask("FLUSHALL")
    lost = "This server has lost games, and it may have been one of them."
    expect(tables.ann.flipper.next).to_contain_text(lost)
