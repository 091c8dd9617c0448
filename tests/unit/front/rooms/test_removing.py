"""A removal in the company of a real room, whose request may end at each point in time.

Partitions:
- the request is cancelled: before the removal is recorded, between that and its note by the gathering, after both
- who is removed: plays over HTTP; plays over a connection, and holds a card; watches after that
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, cast

import pytest
import trio
from hypercorn.typing import WebsocketScope
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.front.rooms import members
from scramble.front.rooms.company import REMOVED, RoomCompany
from scramble.front.rooms.opening import Doorkeeper
from scramble.front.rooms.visit import visit
from scramble.front.web.client import Client
from scramble.memory.messages import Flip
from scramble.players.seats import ClaimSeat
from scramble.rooms import LocalRooms, open_rooms
from scramble.rooms.protocol import Room, RoomOrder
from tests.support.links import TestLink
from tests.support.rooms.served import BOARD

STEPS: Final = 40
"""Checkpoints of another task, in which a player is removed completely."""

NEVER_S: Final = 1e6  # no test lasts as long


class Removing:
    """A room that Ann has opened, and its company."""

    def __init__(self, room: Room, rooms: LocalRooms, company: RoomCompany, nursery: trio.Nursery) -> None:
        self.room: Final = room
        self.rooms: Final = rooms
        self.company: Final = company
        self._nursery: Final = nursery

    async def request(self, holder: str) -> trio.Event:
        """Begin a request of a player that waits; returns what is set when it ends."""
        await self.room.game.ask(ClaimSeat(holder, holder))
        ended = trio.Event()

        async def play() -> None:
            try:
                with self.company.playing(holder, at_once=True):
                    await trio.sleep_forever()
            finally:
                ended.set()

        self._nursery.start_soon(play)
        await wait_all_tasks_blocked()
        return ended

    def connect(self, holder: str, *, plays: bool) -> TestLink:
        """Begin a connection, of a player whose name is its holder, or one that watches."""
        link = TestLink(self._nursery, _nothing)
        client = Client(cast(WebsocketScope, {"type": "websocket", "client": ("127.0.0.1", 1), "headers": []}))
        client.holder = holder

        async def run() -> None:
            with visit(self.room, "", "127.0.0.1"):
                leaves = [begin(link) for begin in self.company.beside(holder if plays else None, client)]
            await link.closed()
            for leave in leaves:
                leave()

        async def play() -> None:
            with self.company.playing(holder, at_once=False):
                await run()

        self._nursery.start_soon(play if plays else run)
        return link

    async def is_expelled(self, holder: str) -> bool:
        return holder in (await self.rooms.find(self.room.record.name)).expelled


async def _nothing(_: str) -> None:
    await trio.lowlevel.checkpoint()


@asynccontextmanager
async def removing() -> AsyncIterator[Removing]:
    """A room in which nothing is free by the time alone."""
    async with open_rooms(away_s=NEVER_S) as rooms:
        record = await rooms.create("memory", {"board": BOARD}, RoomOrder(host="ann", turn_s=None))
        async with rooms.enter(record.name) as room, trio.open_nursery() as nursery:
            company = room.attached(lambda room: RoomCompany(room, rooms, Doorkeeper()), while_visited=True)
            yield Removing(room, rooms, company, nursery)
            nursery.cancel_scope.cancel()


async def test_who_is_removed_on_record_plays_no_longer_whenever_the_request_is_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(members, "REMOVAL_S", 0.0)
    recorded = set[bool]()
    async with removing() as here:
        for steps in range(STEPS):
            bob = f"bob{steps}"
            ended = await here.request(bob)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(here.company.remove, "ann", bob)
                for _ in range(steps):
                    await trio.lowlevel.checkpoint()
                nursery.cancel_scope.cancel()
            recorded.add(await here.is_expelled(bob))
            if await here.is_expelled(bob):
                await ended.wait()
            else:
                assert not ended.is_set()
    assert recorded == {True, False}


async def test_a_removal_that_is_only_recorded_ends_a_connection_and_frees_what_its_player_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(members, "REMOVAL_S", 0.0)
    async with removing() as here:
        for player in ("bob", "carl"):
            await here.room.game.ask(ClaimSeat(player, player))
        bob, carl = here.connect("bob", plays=True), here.connect("carl", plays=True)
        await wait_all_tasks_blocked()
        await here.room.game.ask(Flip("bob", 0, 0))
        await here.rooms.expel(here.room.record.name, "bob")
        assert await bob.closed() == REMOVED
        await here.room.game.ask(Flip("carl", 0, 0))  # waits until the card is free
        assert carl.reason is None


async def test_who_was_removed_may_watch_from_then_on(autojump_clock: MockClock) -> None:
    async with removing() as here:
        await here.request("bob")
        await here.company.remove("ann", "bob")
        watching = here.connect("bob", plays=False)
        await trio.sleep(2 * members.REMOVAL_S)
        assert watching.reason is None
