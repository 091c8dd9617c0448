"""Frames to connections while Redis does not answer, over real sockets.

Partitions:
- a connection: of a player, of a spectator, the lobby's, at the process that owns the game and the register; of a
  player at another process, which is closed while requests to the register wait for Redis
- Redis answers again
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
import trio

from scramble.cluster.address import parse_address
from scramble.cluster.link import open_link
from scramble.cluster.rooms import open_cluster_rooms
from scramble.front.rooms.app import rooms_site
from scramble.front.site import SiteConfig
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.rooms.local import LocalRooms
from scramble.server.http.closing import MOVED
from tests.support import HANG_S
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.rooms.served import ANN, BOARD, BOB, ServedRooms, served
from tests.support.rooms.table import CARL, Table
from tests.support.websocket import Tab

pytestmark = needs_redis


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path / "redis") as server:
        yield server


@asynccontextmanager
async def process(redis: RedisServer) -> AsyncIterator[ServedRooms]:
    """Serve the rooms of the cluster."""
    site = rooms_site(SiteConfig())
    async with (
        open_link(parse_address(redis.url)) as link,
        open_cluster_rooms(link) as rooms,
        open_side_nursery(cancel) as nursery,
        served(cast(LocalRooms, rooms), site, nursery) as server,
    ):
        yield server


def held(tab: Tab) -> list[object]:
    """Return the values of all `held` frames of that tab."""
    return [frame["held"] for frame in tab.frames if frame.get("type") == "held"]


async def test_each_connection_gets_held_frames_or_is_closed_at_once_while_redis_does_not_answer(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.cluster.register.ASK_S", HANG_S)
    async with process(own_redis) as owner, process(own_redis) as other, trio.open_nursery() as nursery:
        record = await owner.rooms.create("memory", {"board": BOARD})
        async with owner.rooms.enter(record.name) as room:
            assert room.runs_here
            table, lobby = Table(owner, record.name, nursery), Tab(await owner.socket("/lobby"))
            nursery.start_soon(lobby.read_all)
            tabs = [await table.tab("play/ann", ANN), await table.tab("view", BOB), lobby]
            await lobby.until(lambda: len(lobby.frames) > 0)
            elsewhere = await Table(other, record.name, nursery).tab("play/carl", CARL)
            own_redis.pause()
            try:
                for tab in tabs:
                    await tab.until(lambda tab=tab: held(tab) == [True])  # type: ignore[misc]
                assert await elsewhere.until_closed() == MOVED.code
            finally:
                own_redis.resume()
            for tab in tabs:
                await tab.until(lambda tab=tab: held(tab) == [True, False])  # type: ignore[misc]
        nursery.cancel_scope.cancel()
