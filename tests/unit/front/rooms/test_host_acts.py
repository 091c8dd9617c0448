"""Acts of the host in the front of a real room. A request may be cancelled at each checkpoint.

Partitions:
- a close: in a room that ends before the answer arrives; in a room that was removed
- a removal: cancelled before it takes effect, during it, after it; only in the record; twice; before the player's seat
  goes to another device, during that, after that
- the removed player: plays over HTTP, over a connection; waits for a card, holds one, gets one while its request ends;
  watches afterwards; would be the next host; asks for a ticket
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final, cast

import pytest
import trio
from hypercorn.typing import WebsocketScope
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.errors import GameStopped
from scramble.front.rooms.current_room import visit
from scramble.front.rooms.gathering import REMOVED, GatheringFront
from scramble.front.rooms.room_orders import Doorkeeper
from scramble.front.web.client import Client
from scramble.memory.messages import Flip, Look
from scramble.players.seats import ClaimSeat, FindSeat
from scramble.rooms import LocalRooms, open_rooms, steward
from scramble.rooms.gathering import people
from scramble.rooms.gathering.messages import Attend, OfferSeat, Rename, TakeGathering
from scramble.rooms.gathering.refusals import PlayerRemoved
from scramble.rooms.protocol import Room, RoomOrder, RoomRemoved
from tests.support.links import TestLink
from tests.support.rooms.served import BOARD

STEPS: Final = 40
"""After this number of checkpoints, another task has removed a player completely."""

NEVER_S: Final = 1e6  # longer than every test


class Hosting:
    """A room that Ann has opened, with its front."""

    def __init__(self, room: Room, rooms: LocalRooms, front: GatheringFront, nursery: trio.Nursery) -> None:
        self.room: Final = room
        self.rooms: Final = rooms
        self.front: Final = front
        self.nursery: Final = nursery

    async def seat(self, holder: str) -> None:
        """Give the holder the seat of the player with the same name."""
        await self.room.game.ask(ClaimSeat(holder, holder))

    async def request(self, holder: str) -> trio.Event:
        """Seat the player, and begin a request that waits. Return an event that is set when the request ends."""
        await self.seat(holder)
        ended = trio.Event()

        async def play() -> None:
            try:
                with self.front.playing(holder, at_once=True):
                    await trio.sleep_forever()
            finally:
                ended.set()

        self.nursery.start_soon(play)
        await wait_all_tasks_blocked()
        return ended

    async def connect(self, holder: str, *, plays: bool = True) -> TestLink:
        """Connect the player with the holder's name, or a spectator."""
        link = TestLink(self.nursery, _nothing)
        scope = {"type": "websocket", "client": ("127.0.0.1", 1), "headers": [], "query_string": b""}
        client = Client(cast(WebsocketScope, scope))
        client.holder = holder

        async def run() -> None:
            with visit(self.room, "", "127.0.0.1"):
                leaves = [begin(link) for begin in self.front.beside(holder if plays else None, client)]
            await link.closed()
            for leave in leaves:
                leave()

        async def play() -> None:
            with self.front.playing(holder, at_once=False):
                await run()

        self.nursery.start_soon(play if plays else run)
        await wait_all_tasks_blocked()
        return link

    async def is_expelled(self, holder: str) -> bool:
        return holder in (await self.rooms.find(self.room.record.name)).expelled


async def _nothing(_: str) -> None:
    await trio.lowlevel.checkpoint()


@asynccontextmanager
async def hosting() -> AsyncIterator[Hosting]:
    """A room that frees no card after a time limit."""
    async with open_rooms(away_s=NEVER_S) as rooms:
        record = await rooms.create("memory", {"board": BOARD}, RoomOrder(host="ann", turn_s=None))
        async with rooms.enter(record.name) as room, trio.open_nursery() as nursery:
            front = room.attached(lambda room: GatheringFront(room, rooms, Doorkeeper()), while_visited=True)
            yield Hosting(room, rooms, front, nursery)
            nursery.cancel_scope.cancel()


async def _wait_elsewhere(room: Room) -> None:
    """Attend from another place, which never confirms the delivery of an act."""
    with pytest.raises(GameStopped):
        await room.gathering.ask(Attend("elsewhere", "bob", "bob"))


async def test_a_close_whose_answer_is_lost_with_the_room_has_closed_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steward, "DELIVERY_S", NEVER_S)
    async with hosting() as here, trio.open_nursery() as nursery:
        nursery.start_soon(_wait_elsewhere, here.room)
        nursery.start_soon(here.front.close, "ann")
        await wait_all_tasks_blocked()
        await here.rooms.close(here.room.record.name)  # as the steward does after DELIVERY_S


async def test_a_close_in_a_room_that_is_removed_meanwhile_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steward, "DELIVERY_S", NEVER_S)
    async with hosting() as here:

        async def close() -> None:
            with pytest.raises(RoomRemoved):
                await here.front.close("ann")
            here.nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(_wait_elsewhere, here.room)
            nursery.start_soon(close)
            await wait_all_tasks_blocked()
            await here.rooms.remove(here.room.record.name)


async def test_a_player_is_removed_completely_or_not_at_all_whenever_the_request_is_cancelled() -> None:
    removed = set[bool]()
    async with hosting() as here:
        for steps in range(STEPS):
            bob = f"bob{steps}"
            ended = await here.request(bob)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(here.front.remove, "ann", bob)
                for _ in range(steps):
                    await trio.lowlevel.checkpoint()
                nursery.cancel_scope.cancel()
            await here.room.gathering.ask(Rename("ann", bob))  # the gathering answers this request after the removal
            assert ended.is_set() == await here.is_expelled(bob), steps
            removed.add(ended.is_set())
    assert removed == {True, False}


async def test_a_removal_that_is_only_recorded_ends_a_connection_and_frees_what_its_player_holds() -> None:
    async with hosting() as here:
        for player in ("bob", "carl"):
            await here.seat(player)
        bob, carl = await here.connect("bob"), await here.connect("carl")
        await here.room.game.ask(Flip("bob", 0, 0))
        await here.rooms.expel(here.room.record.name, "bob")
        assert await bob.closed() == REMOVED
        await here.room.game.ask(Flip("carl", 0, 0))  # waits until the card is free
        assert carl.reason is None
        with pytest.raises(PlayerRemoved):
            here.front.require_welcome("bob")


async def test_a_removal_that_is_only_recorded_frees_what_a_player_holds_who_has_no_request() -> None:
    async with hosting() as here:
        for player in ("bob", "carl"):
            await here.seat(player)
        await here.front.note_player("bob", "bob")
        await here.room.game.ask(Flip("bob", 0, 0))
        await here.rooms.expel(here.room.record.name, "bob")
        await here.room.game.ask(Flip("carl", 0, 0))  # waits until the card is free


async def test_a_flip_that_waits_for_a_card_does_not_get_it_after_the_removal() -> None:
    async with hosting() as here:
        for player in ("ann", "bob", "carl"):
            await here.seat(player)
        await here.room.game.ask(Flip("ann", 0, 0))

        async def flip() -> None:
            with here.front.playing("bob", at_once=True):
                await here.room.game.ask(Flip("bob", 0, 0))

        here.nursery.start_soon(flip)
        await wait_all_tasks_blocked()
        await here.front.remove("ann", "bob")
        await here.room.release("ann")
        await here.room.game.ask(Flip("carl", 0, 0))


async def test_a_card_that_a_flip_gets_after_the_removal_of_its_player_is_free_again(
    monkeypatch: pytest.MonkeyPatch, mock_clock: MockClock
) -> None:
    monkeypatch.setattr(steward, "LEAVING_S", 0.0)  # the steward does not wait for this process
    async with hosting() as here:
        for player in ("ann", "bob"):
            await here.seat(player)
        await here.front.note_player("bob", "bob")
        await here.room.game.ask(Flip("ann", 0, 0))

        async def flip() -> None:
            with here.front.playing("bob", at_once=False):
                await here.room.game.ask(Flip("bob", 0, 0))
                await trio.sleep_forever()

        here.nursery.start_soon(flip)
        await wait_all_tasks_blocked()
        await here.front.remove("ann", "bob")
        await here.room.release("ann")
        assert (await here.room.game.ask(Look("bob"))).text.startswith("2x2\nmy A\n")
        mock_clock.jump(steward.DELIVERY_S)
        await wait_all_tasks_blocked()
        assert (await here.room.game.ask(Look("bob"))).text.startswith("2x2\nup A\n")


async def test_a_removal_under_a_name_concerns_who_has_it_then_though_its_seat_goes_to_another_device() -> None:
    removed = set[str]()

    async def remove(here: Hosting, wait: int, player: str) -> None:
        for _ in range(wait):
            await trio.lowlevel.checkpoint()
        await here.front.remove("ann", player)

    async def use(here: Hosting, wait: int, phone: str, ticket: str) -> None:
        for _ in range(wait):
            await trio.lowlevel.checkpoint()
        with suppress(PlayerRemoved):
            await here.front.use_ticket(phone, ticket)

    async with hosting() as here:
        for steps in range(-STEPS, STEPS):
            laptop, phone = f"laptop{steps + STEPS}", f"phone{steps + STEPS}"
            await here.seat(laptop)
            ticket = await here.front.give_ticket(laptop, laptop)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(remove, here, steps, laptop)
                nursery.start_soon(use, here, -steps, phone, ticket)
            seat = await here.room.game.ask(FindSeat(laptop))
            assert seat is not None
            assert await here.is_expelled(seat.holder), steps
            assert await here.is_expelled(laptop) != await here.is_expelled(phone), steps
            with pytest.raises(PlayerRemoved):
                await here.front.use_ticket(laptop, ticket)
            removed.add(seat.holder.rstrip("0123456789"))
    assert removed == {"laptop", "phone"}


async def test_who_was_removed_may_watch_from_then_on_and_is_removed_again_without_harm() -> None:
    async with hosting() as here:
        await here.request("bob")
        await here.front.remove("ann", "bob")
        watching = await here.connect("bob", plays=False)
        await wait_all_tasks_blocked()
        assert watching.reason is None
        await here.front.remove("ann", "bob")
        assert await here.is_expelled("bob")


@pytest.mark.parametrize("on_record_alone", [False, True])
async def test_who_was_removed_and_watches_does_not_stand_in_for_the_host(
    on_record_alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people, "HOST_GONE_S", 0.0)
    async with hosting() as here:
        for player in ("bob", "carl"):
            await here.seat(player)
        bob, _ = await here.connect("bob"), await here.connect("carl")
        if on_record_alone:
            await here.rooms.expel(here.room.record.name, "bob")
        else:
            await here.front.remove("ann", "bob")
        await bob.closed()
        await here.connect("bob", plays=False)
        assert (await here.room.gathering.ask(TakeGathering())).state.host == "carl"


async def test_who_was_removed_gets_no_ticket_at_a_process_that_does_not_know_it_yet_either() -> None:
    async with hosting() as here:
        await here.seat("bob")
        await here.front.remove("ann", "bob")
        with pytest.raises(PlayerRemoved):
            await here.room.gathering.ask(OfferSeat("bob", "bob", "ticket"))
