"""An awake room, and the objects that are attached to it.

Partitions:
- the room: is visited; was left a moment ago; was left longer ago, and a visitor returns; falls asleep
- an attached object: lives while the room is awake; lives while the room is visited; is a task of the game
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
from trio.testing import MockClock

from scramble.games.room import GameResult, OpenedRoom
from scramble.minesweeper import Field, open_game
from scramble.rooms.gathering.opening import open_gathering
from scramble.rooms.live_room import ALONE_S, LiveRoom
from scramble.rooms.protocol import Room
from scramble.rooms.store import RunningRoom

SLEEP_S = 60.0


def lasting(_room: Room) -> object:
    return object()


def passing(_room: Room) -> object:
    return object()


@asynccontextmanager
async def awake(fell_asleep: list[float]) -> AsyncIterator[LiveRoom]:
    """Run an awake room; append the time when it falls asleep to the list."""

    async def finished() -> GameResult:
        await trio.sleep_forever()
        raise AssertionError

    async def supervise() -> None:
        await room.unwanted(SLEEP_S)
        fell_asleep.append(trio.current_time())

    async with (
        open_game(Field.parse("1 1\n0\n")) as game,
        open_gathering("", None) as gathering,
        trio.open_nursery() as nursery,
    ):
        room = LiveRoom("name", None, lambda _: None)
        with room.begin(RunningRoom(OpenedRoom(game, finished), gathering), nursery, runs_here=True):
            nursery.start_soon(supervise)
            yield room
            nursery.cancel_scope.cancel()


async def test_objects_for_visitors_end_some_seconds_after_the_last_visitor(autojump_clock: MockClock) -> None:
    async with awake([]) as room:
        with room.wanted():
            await trio.sleep(2 * ALONE_S)
            first, last = room.attached(passing, while_visited=True), room.attached(lasting)
        await trio.sleep(ALONE_S - 1)
        assert room.attached(passing, while_visited=True) is first
        await trio.sleep(2)
        assert room.attached(passing, while_visited=True) is not first
        assert room.attached(lasting) is last


class Kept:
    """An attached object that notes its end."""

    def __init__(self, _room: Room) -> None:
        self.gone = False

    def let_go(self) -> None:
        self.gone = True


async def test_an_attached_object_is_notified_of_its_end(autojump_clock: MockClock) -> None:
    async with awake([]) as room:
        passing, lasting = room.attached(Kept, while_visited=True), room.attached(Kept)
        await trio.sleep(ALONE_S + 1)
        assert (passing.gone, lasting.gone) == (True, False)


async def test_a_visitor_who_returns_in_time_finds_the_same_objects(autojump_clock: MockClock) -> None:
    async with awake([]) as room:
        first = room.attached(passing, while_visited=True)
        for _ in range(3):
            with room.wanted():
                await trio.sleep(1)
            await trio.sleep(ALONE_S - 1)
        assert room.attached(passing, while_visited=True) is first


async def test_tasks_for_visitors_end_when_the_visitors_are_gone_and_may_start_again(autojump_clock: MockClock) -> None:
    ended: list[float] = []

    async def work() -> None:
        try:
            await trio.sleep_forever()
        finally:
            ended.append(trio.current_time())

    async with awake([]) as room:
        began = trio.current_time()
        for _ in range(2):
            with room.wanted():
                room.start_soon(work)
                await trio.sleep(ALONE_S)
            await trio.sleep(2 * ALONE_S)
        assert [time - began for time in ended] == [2 * ALONE_S, 5 * ALONE_S]


async def test_a_room_sleeps_as_long_after_its_last_visitor_as_before(autojump_clock: MockClock) -> None:
    fell_asleep: list[float] = []
    async with awake(fell_asleep) as room:
        await trio.sleep(SLEEP_S - 1)
        with room.wanted():
            await trio.sleep(1)
        left = trio.current_time()
        await trio.sleep(2 * SLEEP_S)
        assert fell_asleep == [left + SLEEP_S]
