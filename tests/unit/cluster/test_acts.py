"""Acts in a room if the steward and the caller are in different processes, on one real Redis.

Partitions:
- the owner's process: is cut off in the middle of an act; continues
- the request: is withdrawn after the steward has taken the act; waits for its answer
- the owner of the register: the caller's process; the steward's process
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
import trio

from scramble.cluster.address import parse_address
from scramble.cluster.link import open_link
from scramble.cluster.rooms import ClusterRooms, open_cluster_rooms
from scramble.errors import GameStopped
from scramble.kernel.changes import Changes
from scramble.rooms import steward
from scramble.rooms.gathering.messages import Acted, Attend, Close, NoteDelivery, Rename
from scramble.rooms.protocol import Room, RoomOrder
from tests.support.cluster.proxy import open_proxy
from tests.support.cluster.redis import RedisServer, needs_redis

pytestmark = needs_redis

NEVER_S = 1e6  # longer than every test


@asynccontextmanager
async def process(redis: RedisServer) -> AsyncIterator[ClusterRooms]:
    async with open_link(parse_address(redis.url)) as link, open_cluster_rooms(link) as rooms:
        yield rooms


async def run_process(url: str, *, task_status: trio.TaskStatus[ClusterRooms]) -> None:
    async with open_link(parse_address(url)) as link, open_cluster_rooms(link) as rooms:
        task_status.started(rooms)
        await trio.sleep_forever()


async def be_slow(room: Room) -> None:
    """Attend from a place that never confirms the delivery of the close to its connections."""
    try:
        await room.gathering.ask(Attend("slow", None, None))
    except GameStopped:
        return


async def until_acted(changes: Changes) -> None:
    async for change in changes:
        if any(isinstance(event, Acted) for event in change.events):
            return


async def is_closed(rooms: ClusterRooms, name: str) -> bool:
    return (await rooms.find(name)).state == "closed"


@pytest.mark.usefixtures("quick_heartbeats")
async def test_an_act_whose_owner_is_cut_off_is_answered_and_the_record_decides(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steward, "DELIVERY_S", NEVER_S)
    async with open_proxy(redis.port) as proxy, process(redis) as two, trio.open_nursery() as nursery:
        one = await nursery.start(run_process, proxy.url)
        name = (await two.create("memory", {"size": "4x4"}, RoomOrder(host="ann"))).name
        visit = AsyncExitStack()
        here = await visit.enter_async_context(one.enter(name))
        assert here.runs_here
        async with two.enter(name) as there, trio.open_nursery() as asking:
            changes, answers = there.gathering.subscribe(), list[str]()
            asking.start_soon(be_slow, there)

            async def close() -> None:
                with pytest.raises(GameStopped):
                    await there.gathering.ask(Close("ann"))
                answers.append("stopped")

            asking.start_soon(close)
            await until_acted(changes)
            proxy.stall()
        assert answers == ["stopped"]
        assert not await is_closed(two, name)
        async with two.enter(name) as there:
            assert there.runs_here
            assert await there.gathering.ask(Rename("ann", "Monday")) is None
            assert await there.gathering.ask(Close("ann")) is None
        assert await is_closed(two, name)
        proxy.resume()
        await visit.aclose()
        nursery.cancel_scope.cancel()


async def test_an_act_goes_on_at_the_owner_once_its_request_at_another_process_is_withdrawn(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steward, "DELIVERY_S", NEVER_S)
    async with process(redis) as one, process(redis) as two:
        name = (await one.create("memory", {"size": "4x4"}, RoomOrder(host="ann"))).name
        async with one.enter(name) as here, two.enter(name) as there, trio.open_nursery() as nursery:
            assert not there.runs_here
            nursery.start_soon(be_slow, here)
            changes = there.gathering.subscribe()
            async with trio.open_nursery() as asking:
                asking.start_soon(there.gathering.ask, Close("ann"))
                await until_acted(changes)
                asking.cancel_scope.cancel()  # ends as soon as the owner has answered that the act is withdrawn
            assert not await is_closed(two, name)
            seen = here.record
            await here.gathering.ask(NoteDelivery("slow"))
            assert (await here.next_record(seen)).state == "closed"
