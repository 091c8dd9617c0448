"""A value that the front end asks an owner for, on an autojump clock. The test plays the owner.

Partitions:
- a follower: comes alone, with others, while the owner is asked, in the pause after that, later; leaves
- the value: the same, a different one; changes without followers; the owner takes long to answer
- other values of the same feed, put before and after it
- the work: the last follower leaves; a follower comes again; it has a bug; the owner stops answering
- the game: ends; has already ended
"""

from __future__ import annotations

import logging
import random
from functools import partial
from typing import Final

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.errors import GameClosed, GameMoved, GameStopped
from scramble.front.web.asked import Asked
from scramble.front.web.notices import NOTICE_PAUSE_S
from scramble.kernel.changes import Changes, History
from scramble.kernel.nursery import StartSoon
from scramble.server.http.closing import BUG, FAILED_CLOSE, GOING_AWAY, MOVED, CloseReason
from tests.support.links import Page, TestLink


class Value(Asked[str]):
    """A value that the test sets. The work changes it, too. `game` is the history of its owner."""

    def __init__(self, start_soon: StartSoon) -> None:
        self.game: Final = History()
        super().__init__(start_soon, "value", partial(Changes, self.game), version="")
        self.value = "a"
        self.passes = ""
        self.takes_s = 0.0
        self.asked = 0
        self.runs = 0
        self.changes = 0
        self.error: Exception | None = None
        self._news: Final = trio.lowlevel.ParkingLot()

    def change(self, value: str) -> None:
        self.value = value
        self.changes += 1
        self._news.unpark_all()

    def break_by(self, error: Exception) -> None:
        self.error = error
        self.changes += 1
        self._news.unpark_all()

    async def ask(self) -> tuple[str, str]:
        self.asked += 1
        value = self.value
        await trio.sleep(self.takes_s)
        if self.error is not None:
            raise self.error
        return value, value + self.passes

    async def work(self) -> None:
        self.runs += 1
        try:
            while True:
                seen = self.changes
                await self.renew()
                while self.changes == seen:
                    await self._news.park()
        finally:
            self.runs -= 1


async def nothing(_: str) -> None:
    """Send nothing."""


async def test_who_comes_gets_the_frame_of_then_and_the_others_get_it_only_if_the_value_is_another_one(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    value = Value(start_soon)
    first, second = Page(value), Page(value)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(first.run)
        await trio.sleep(2 * NOTICE_PAUSE_S)
        value.change("b")
        await trio.sleep(2 * NOTICE_PAUSE_S)
        assert first.got == ["a", "b"]
        value.passes = " later"
        nursery.start_soon(second.run)
        await trio.sleep(2 * NOTICE_PAUSE_S)
        assert (first.got, second.got) == (["a", "b"], ["b later"])
        value.change("c")
        await trio.sleep(2 * NOTICE_PAUSE_S)
        assert (first.got, second.got) == (["a", "b", "c later"], ["b later", "c later"])
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("seed", range(20))
async def test_a_change_that_comes_while_the_owner_is_asked_is_not_lost(
    seed: int, start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    choose = random.Random(seed)
    value = Value(start_soon)
    value.takes_s = NOTICE_PAUSE_S / 3
    pages: list[Page] = []
    async with trio.open_nursery() as nursery:
        for number in range(60):
            match choose.randrange(4):
                case 0:
                    value.change(f"{number}")
                case 1:
                    pages.append(Page(value))
                    nursery.start_soon(pages[-1].run)
                case 2 if pages:
                    pages.pop(choose.randrange(len(pages))).scope.cancel()
                case _:
                    await trio.sleep(choose.uniform(0, 1) * NOTICE_PAUSE_S)
        await trio.sleep(10 * NOTICE_PAUSE_S)
        assert [page.got[-1] for page in pages] == [value.value] * len(pages)
        nursery.cancel_scope.cancel()


async def test_a_change_while_nobody_follows_is_not_lost_though_the_frame_before_is_still_new(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    value = Value(start_soon)
    first, second = Page(value), Page(value)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(first.run)
        await wait_all_tasks_blocked()
        first.scope.cancel()
        await wait_all_tasks_blocked()
        value.change("b")
        nursery.start_soon(second.run)
        await trio.sleep(2 * NOTICE_PAUSE_S)
        assert second.got[-1] == "b"
        nursery.cancel_scope.cancel()


async def test_the_owner_is_asked_once_in_a_pause_for_all_who_come(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    value = Value(start_soon)
    value.takes_s = NOTICE_PAUSE_S / 2
    pages = [Page(value) for _ in range(30)]
    async with trio.open_nursery() as nursery:
        for page in pages[:10]:
            nursery.start_soon(page.run)
        await wait_all_tasks_blocked()
        for page in pages[10:20]:
            nursery.start_soon(page.run)
        await trio.sleep(NOTICE_PAUSE_S)
        assert value.asked == 1
        for page in pages[20:]:
            nursery.start_soon(page.run)
            await wait_all_tasks_blocked()
            page.scope.cancel()
        assert value.asked == 1
        await wait_all_tasks_blocked()
        assert [page.got for page in pages] == [["a"]] * 30
        nursery.cancel_scope.cancel()


async def test_who_comes_and_goes_has_the_owner_asked_once_in_a_pause(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    value = Value(start_soon)
    for _ in range(100):
        page = Page(value)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(page.run)
            await trio.sleep(NOTICE_PAUSE_S / 10)
            assert page.got == ["a"]
            page.scope.cancel()
    assert value.asked <= 11


async def test_many_changes_are_asked_for_once_in_a_pause_and_no_change_is_sent_twice(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    value = Value(start_soon)
    page = Page(value)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(page.run)
        await wait_all_tasks_blocked()
        for number in range(20):
            value.change(f"{number // 5}")
            await trio.sleep(NOTICE_PAUSE_S / 10)
        await trio.sleep(2 * NOTICE_PAUSE_S)
        assert page.got[0] == "a"
        assert page.got[-1] == "3"
        assert sorted(set(page.got[1:])) == page.got[1:]
        assert value.asked <= 4
        nursery.cancel_scope.cancel()


async def test_the_value_comes_before_those_beside_it(start_soon: StartSoon, autojump_clock: MockClock) -> None:
    value = Value(start_soon)
    value.put("beside", "x")
    first, second = Page(value), Page(value)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(first.run)
        await trio.sleep(2 * NOTICE_PAUSE_S)
        value.put("beside", "y")
        value.change("b")
        await trio.sleep(2 * NOTICE_PAUSE_S)
        nursery.start_soon(second.run)
        await wait_all_tasks_blocked()
        assert (first.got, second.got) == (["a", "x", "y", "b"], ["b", "y"])
        nursery.cancel_scope.cancel()


async def test_work_runs_while_somebody_follows(start_soon: StartSoon, autojump_clock: MockClock) -> None:
    value = Value(start_soon)
    pages = [Page(value) for _ in range(3)]
    async with trio.open_nursery() as nursery:
        for page in pages[:2]:
            nursery.start_soon(page.run)
        await trio.sleep(2 * NOTICE_PAUSE_S)
        assert value.runs == 1
        pages[0].scope.cancel()
        await wait_all_tasks_blocked()
        assert value.runs == 1
        pages[1].scope.cancel()
        await wait_all_tasks_blocked()
        assert value.runs == 0
        value.change("b")
        nursery.start_soon(pages[2].run)
        await trio.sleep(2 * NOTICE_PAUSE_S)
        assert (value.runs, pages[2].got) == (1, ["b"])
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("error", "reason", "is_logged"),
    [
        (ZeroDivisionError(), FAILED_CLOSE, True),
        (GameMoved("elsewhere"), MOVED, False),
        (GameStopped("bug"), BUG, False),
    ],
)
async def test_if_work_cannot_go_on_all_are_closed_and_who_comes_begins_it_again(
    error: Exception,
    reason: CloseReason,
    is_logged: bool,
    start_soon: StartSoon,
    autojump_clock: MockClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    value = Value(start_soon)
    async with trio.open_nursery() as nursery:
        links = [TestLink(nursery, nothing) for _ in range(3)]
        leaves = [value.follow(link) for link in links]
        await wait_all_tasks_blocked()
        value.break_by(error)
        for link in links:
            assert await link.closed() == reason
        for leave in leaves:
            leave()
        value.error = None
        late = Page(value)
        nursery.start_soon(late.run)
        await trio.sleep(2 * NOTICE_PAUSE_S)
        assert (value.runs, late.got) == (1, ["a"])
        nursery.cancel_scope.cancel()
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * is_logged


@pytest.mark.parametrize(("error", "reason"), [(GameClosed, GOING_AWAY), (GameMoved, MOVED), (GameStopped, BUG)])
async def test_the_end_of_the_game_closes_all_also_who_comes_later_whether_work_notes_it_or_not(
    error: type[GameStopped], reason: CloseReason, start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    value = Value(start_soon)
    async with trio.open_nursery() as nursery:
        links = [TestLink(nursery, nothing) for _ in range(3)]
        leaves = [value.follow(link) for link in links]
        await wait_all_tasks_blocked()
        value.game.end(lambda: error("over"))
        for link in links:
            assert await link.closed() == reason
        late = TestLink(nursery, nothing)
        leaves.append(value.follow(late))
        assert await late.closed() == reason
        for leave in leaves:
            leave()
        await wait_all_tasks_blocked()
        assert value.runs == 0
