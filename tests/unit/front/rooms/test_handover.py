"""A handover of a seat to another device, in the front of a real room, at each checkpoint.

Partitions:
- the ticket is used: once; again by the new device; by the old device, before or after that
- the request is cancelled: before the handover, between the handover and its note, after both
- another ticket is given: before the handover, during it, after it
- tabs: of the seat, of another seat of the same device; connected before the handover, or only after it
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final, cast

import trio
from hypercorn.typing import WebsocketScope
from trio.testing import wait_all_tasks_blocked

from scramble.front.rooms.current_room import visit
from scramble.front.rooms.gathering import SEAT_TAKEN, GatheringFront
from scramble.front.rooms.room_orders import Doorkeeper
from scramble.front.web.client import Client
from scramble.front.web.names import NamedPlayer
from scramble.players.seats import ClaimSeat, FindSeat, HandOverSeat, SeatTaken
from scramble.rooms import open_rooms
from scramble.rooms.gathering.refusals import NoSuchTicket
from scramble.rooms.protocol import Room
from tests.support.links import TestLink
from tests.support.rooms.served import BOARD

STEPS: Final = 40
"""After this number of checkpoints, another task has handed a seat over completely."""

ZOE: Final = NamedPlayer("Zoe", "Zoe")


class Devices:
    """A laptop that has a seat, and a phone that wants it."""

    def __init__(self, room: Room, front: GatheringFront) -> None:
        self.room: Final = room
        self.game: Final = room.game
        self.front: Final = front

    async def holder(self) -> str:
        seat = await self.game.ask(FindSeat("Zoe"))
        assert seat is not None
        return seat.holder

    def tab(self, holder: str, player: str, nursery: trio.Nursery) -> TestLink:
        """Connect a tab of the device `holder`."""
        link = TestLink(nursery, _nothing)
        scope = {"type": "websocket", "client": ("127.0.0.1", 1), "headers": [], "query_string": b""}
        client = Client(cast(WebsocketScope, scope))
        client.holder = holder
        with visit(self.room, "", "127.0.0.1"):
            for begin in self.front.beside(player, client):
                begin(link)
        return link


async def _nothing(_: str) -> None:
    await trio.lowlevel.checkpoint()


@asynccontextmanager
async def devices() -> AsyncIterator[Devices]:
    async with open_rooms() as rooms:
        record = await rooms.create("memory", {"board": BOARD})
        async with rooms.enter(record.name) as room:
            await room.game.ask(ClaimSeat("Zoe", "laptop"))
            front = room.attached(lambda room: GatheringFront(room, rooms, Doorkeeper()), while_visited=True)
            yield Devices(room, front)


async def test_who_has_the_seat_may_show_the_ticket_again_and_it_stays_the_way_back() -> None:
    async with devices() as two:
        use = two.front.use_ticket
        ticket = await two.front.give_ticket("laptop", "Zoe")
        for device in ("laptop", "phone", "phone", "laptop", "laptop", "phone"):
            assert await use(device, ticket) == ZOE
            assert await two.holder() == device


async def test_a_handover_closes_the_tabs_of_the_seat_and_no_other_tab_of_the_device() -> None:
    async with devices() as two, trio.open_nursery() as nursery:
        await two.game.ask(ClaimSeat("Max", "laptop"))
        zoe, max_ = (two.tab("laptop", player, nursery) for player in ("Zoe", "Max"))
        await wait_all_tasks_blocked()
        await two.front.use_ticket("phone", await two.front.give_ticket("laptop", "Zoe"))
        assert await zoe.closed() == SEAT_TAKEN
        await wait_all_tasks_blocked()
        assert max_.reason is None
        nursery.cancel_scope.cancel()


async def test_a_tab_that_took_its_seat_before_a_handover_and_connects_after_it_is_closed() -> None:
    async with devices() as two, trio.open_nursery() as nursery:
        await two.front.use_ticket("phone", await two.front.give_ticket("laptop", "Zoe"))
        assert await two.tab("laptop", "Zoe", nursery).closed() == SEAT_TAKEN
        other = two.tab("phone", "Zoe", nursery)
        await wait_all_tasks_blocked()
        assert other.reason is None
        nursery.cancel_scope.cancel()


async def test_a_handover_that_was_not_noted_is_completed_by_the_next_try() -> None:
    async with devices() as two:
        ticket = await two.front.give_ticket("laptop", "Zoe")
        await two.game.ask(HandOverSeat("Zoe", "laptop", "phone"))
        for device in ("phone", "laptop"):
            assert await two.front.use_ticket(device, ticket) == ZOE
            assert await two.holder() == device


async def test_a_handover_that_is_cancelled_has_a_way_back_if_the_seat_has_gone() -> None:
    gone = set[bool]()
    async with devices() as two:
        for steps in range(STEPS):
            ticket = await two.front.give_ticket("laptop", "Zoe")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(two.front.use_ticket, "phone", ticket)
                for _ in range(steps):
                    await trio.lowlevel.checkpoint()
                nursery.cancel_scope.cancel()
            gone.add(await two.holder() == "phone")
            assert await two.front.use_ticket("laptop", ticket) == ZOE, steps
            assert await two.holder() == "laptop"
    assert gone == {True, False}


async def test_another_ticket_is_given_as_long_as_the_seat_has_not_gone_and_else_the_older_one_is_the_way_back() -> (
    None
):
    outcomes = set[str]()

    async def give(two: Devices, wait: int, given: list[str]) -> None:
        for _ in range(wait):
            await trio.lowlevel.checkpoint()
        with suppress(SeatTaken):
            given.append(await two.front.give_ticket("laptop", "Zoe"))

    async def use(two: Devices, wait: int, ticket: str) -> None:
        for _ in range(wait):
            await trio.lowlevel.checkpoint()
        with suppress(NoSuchTicket):
            await two.front.use_ticket("phone", ticket)

    async with devices() as two:
        for steps in range(-STEPS, STEPS):
            given = [await two.front.give_ticket("laptop", "Zoe")]
            async with trio.open_nursery() as nursery:
                nursery.start_soon(use, two, -steps, given[0])
                nursery.start_soon(give, two, steps, given)
            outcomes.add(await two.holder())
            assert await two.holder() == ("phone" if len(given) == 1 else "laptop"), steps
            assert await two.front.use_ticket("laptop", given[-1]) == ZOE, steps
    assert outcomes == {"phone", "laptop"}
