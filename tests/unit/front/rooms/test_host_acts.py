"""Acts of the host in the company of a real room, whose requests may end at each point in time.

Partitions:
- a close: whose answer gets lost with the room; in a room that was removed, or has died
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.errors import GameStopped
from scramble.front.rooms.company import RoomCompany
from scramble.front.rooms.opening import Doorkeeper
from scramble.rooms import LocalRooms, open_rooms, steward
from scramble.rooms.gathering.messages import Attend
from scramble.rooms.protocol import Room, RoomOrder, RoomRemoved
from tests.support import HANG_S
from tests.support.rooms.served import BOARD

NEVER_S: Final = 1e6  # no test lasts as long


class Hosting:
    """A room that Ann has opened, and its company."""

    def __init__(self, room: Room, rooms: LocalRooms, company: RoomCompany, nursery: trio.Nursery) -> None:
        self.room: Final = room
        self.rooms: Final = rooms
        self.company: Final = company
        self.nursery: Final = nursery


@asynccontextmanager
async def hosting() -> AsyncIterator[Hosting]:
    """A room in which nothing is free by the time alone."""
    with trio.fail_after(HANG_S):
        async with open_rooms(away_s=NEVER_S) as rooms:
            record = await rooms.create("memory", {"board": BOARD}, RoomOrder(host="ann", turn_s=None))
            async with rooms.enter(record.name) as room, trio.open_nursery() as nursery:
                company = room.attached(lambda room: RoomCompany(room, rooms, Doorkeeper()), while_visited=True)
                yield Hosting(room, rooms, company, nursery)
                nursery.cancel_scope.cancel()


async def _wait_elsewhere(room: Room) -> None:
    """Be at a place that never says that its connections know of something."""
    with pytest.raises(GameStopped):
        await room.gathering.ask(Attend("elsewhere", "bob", "bob"))


async def test_a_close_whose_answer_is_lost_with_the_room_has_closed_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steward, "DELIVERY_S", NEVER_S)
    async with hosting() as here, trio.open_nursery() as nursery:
        nursery.start_soon(_wait_elsewhere, here.room)
        nursery.start_soon(here.company.close, "ann")
        await wait_all_tasks_blocked()
        await here.rooms.close(here.room.record.name)  # as the steward does a second later


async def test_a_close_in_a_room_that_is_removed_meanwhile_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steward, "DELIVERY_S", NEVER_S)
    async with hosting() as here:

        async def close() -> None:
            with pytest.raises(RoomRemoved):
                await here.company.close("ann")
            here.nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(_wait_elsewhere, here.room)
            nursery.start_soon(close)
            await wait_all_tasks_blocked()
            await here.rooms.remove(here.room.record.name)
