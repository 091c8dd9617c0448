"""The open rooms of an address: rooms that count, rooms that count no longer, and concurrent requests.

Partitions: rooms with a visitor in the last 24 hours, and without one; one request; several requests that find the same
room removed; an opening that succeeds, that fails, that is cancelled.
"""

from __future__ import annotations

from functools import partial

import msgspec
import pytest
import trio

from scramble.front.rooms.held import FORGET_AFTER_S, HeldRooms, TooManyHeld
from scramble.rooms.protocol import NoSuchRoom, RoomRecord

ADDRESS = "203.0.113.5"


class Place:
    """Rooms, and a clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1.7e9
        self.records: dict[str, RoomRecord] = {}

    async def find(self, name: str) -> RoomRecord:
        await trio.lowlevel.checkpoint()
        if name not in self.records:
            raise NoSuchRoom("there is no such room")
        return self.records[name]

    async def create(self, name: str) -> RoomRecord:
        await trio.lowlevel.checkpoint()
        self.records[name] = RoomRecord(name, "memory", "", msgspec.Raw(b"{}"), self.now)
        return self.records[name]


async def opens(held: HeldRooms, place: Place, *names: str) -> list[bool]:
    """Return for each name whether the address may open that room."""
    answers = list[bool]()
    for name in names:
        try:
            await held.open(ADDRESS, place.find, partial(place.create, name))
            answers.append(True)
        except TooManyHeld:
            answers.append(False)
    return answers


async def test_rooms_that_a_class_left_unfinished_yesterday_do_not_keep_it_from_opening_others() -> None:
    place = Place()
    held = HeldRooms(2, now=lambda: place.now)
    assert await opens(held, place, "a", "b", "c") == [True, True, False]
    place.now += FORGET_AFTER_S - 1
    place.records["b"] = msgspec.structs.replace(place.records["b"], visited=place.now)
    assert await opens(held, place, "c") == [False]
    place.now += 1
    assert await opens(held, place, "c", "d") == [True, False]


async def test_several_requests_at_once_that_find_one_room_gone_open_one() -> None:
    place, answers = Place(), list[bool]()
    held = HeldRooms(1, now=lambda: place.now)
    await opens(held, place, "a")
    del place.records["a"]

    async def ask(name: str) -> None:
        answers.extend(await opens(held, place, name))

    async with trio.open_nursery() as nursery:
        for name in "bcd":
            nursery.start_soon(ask, name)
    assert sorted(answers) == [False, False, True]


async def test_an_opening_that_fails_does_not_count() -> None:
    place = Place()
    held = HeldRooms(1, now=lambda: place.now)

    async def fail() -> RoomRecord:
        await trio.lowlevel.checkpoint()
        raise NoSuchRoom("the room before is gone")

    with pytest.raises(NoSuchRoom):
        await held.open(ADDRESS, place.find, fail)
    assert await opens(held, place, "a", "b") == [True, False]


async def test_an_opening_that_is_cancelled_does_not_count() -> None:
    place = Place()
    held = HeldRooms(1, now=lambda: place.now)
    with trio.CancelScope() as given_up:
        given_up.cancel()
        await held.open(ADDRESS, place.find, partial(place.create, "a"))
    assert given_up.cancelled_caught
    assert await opens(held, place, "b", "c") == [True, False]
