"""`ReleaseTimers` by itself, on a clock that jumps: who is given which command, when, and how often.

Partitions:
- who holds cards: present, away before and after it was taken, there and away again, holding nothing (any more)
- how often: once for each time that somebody has been away with cards, and never for who has none
- who is waited for: before and after the card was taken, no longer, again; present, and away sooner or later than that
- how long there is: nobody is waited for, from then on, after a card was taken; for ever; with a notice and without
- several at a time, each at the right moment; a time that comes up while another one is slept for
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
from trio.testing import MockClock

from scramble.kernel.nursery import SideTasks
from scramble.players.idle import ReleaseTimers

PATIENCE_S = 10.0
HOLDING_S = 50.0


class Given:
    """The commands that were given: (seconds since the start, player) of each."""

    def __init__(self) -> None:
        self.began = trio.current_time()
        self.all: list[tuple[float, str]] = []
        self.awaited: list[tuple[float, str]] = []

    def now(self) -> float:
        return round(trio.current_time() - self.began, 3)


@asynccontextmanager
async def opened(*, holding_s: float = HOLDING_S, notice_s: float = 0.0) -> AsyncIterator[tuple[ReleaseTimers, Given]]:
    given = Given()
    async with SideTasks() as beside:
        timers = ReleaseTimers(
            beside.start_soon,
            PATIENCE_S,
            holding_s,
            lambda player: given.all.append((given.now(), player)),
            lambda player: given.awaited.append((given.now(), player)),
            notice_s,
        )
        yield timers, given


async def test_who_holds_a_card_and_has_gone_lets_go_each_time_that_happens(autojump_clock: MockClock) -> None:
    async with opened() as (timers, given):
        for _ in range(3):
            timers.hold("alice")
            await trio.sleep(PATIENCE_S + 1)
            timers.let_go("alice")
            await trio.sleep(9)
        assert given.all == [(10, "alice"), (30, "alice"), (50, "alice")]


async def test_who_has_let_go_is_given_no_more_commands_however_often_they_come_and_go(
    autojump_clock: MockClock,
) -> None:
    async with opened() as (timers, given):
        timers.hold("alice")
        await trio.sleep(PATIENCE_S + 1)
        timers.let_go("alice")
        timers.set_awaited("alice", True)
        for _ in range(3):
            with timers.present("alice"):
                await trio.sleep(1)
            await trio.sleep(100)
        assert given.all == [(10, "alice")]
        assert given.awaited == []


async def test_the_time_begins_when_the_last_of_all_that_shows_them_there_has_ended(autojump_clock: MockClock) -> None:
    async with opened() as (timers, given):
        with timers.present("alice"):
            with timers.present("alice"):
                timers.hold("alice")
                await trio.sleep(100)
            await trio.sleep(100)
            assert timers.free_in("alice") is None
        await trio.sleep(4)
        assert timers.free_in("alice") == PATIENCE_S - 4
        with timers.present("alice"):
            assert timers.free_in("alice") is None
        await trio.sleep(PATIENCE_S + 1)
        assert given.all == [(214, "alice")]
        assert timers.free_in("alice") is None, "it has been given"


async def test_a_card_that_was_taken_just_now_counts_from_now_on(autojump_clock: MockClock) -> None:
    async with opened() as (timers, given):
        timers.hold("alice")
        await trio.sleep(6)
        timers.hold("bob")
        timers.hold("alice")
        await trio.sleep(20)
        assert given.all == [(16, "bob"), (16, "alice")]


async def test_each_is_given_the_command_at_the_right_moment(autojump_clock: MockClock) -> None:
    async with opened() as (timers, given):
        for player in ("alice", "bob", "carol"):
            timers.hold(player)
            await trio.sleep(2)
        await trio.sleep(50)
        assert given.all == [(10, "alice"), (12, "bob"), (14, "carol")]


async def test_who_is_there_lets_go_of_what_is_waited_for_and_only_then(autojump_clock: MockClock) -> None:
    async with opened() as (timers, given):
        with timers.present("alice"), timers.present("bob"):
            timers.hold("alice")
            timers.hold("bob")
            await trio.sleep(20)
            timers.set_awaited("alice", True)
            await trio.sleep(100)
            assert given.awaited == [(50, "alice")], "at the end of the holding time"
            timers.set_awaited("alice", True)
            await trio.sleep(1)
            assert given.awaited[1:] == [(120, "alice")], "at once, for that is long over"
            timers.set_awaited("bob", True)
            timers.set_awaited("bob", False)
            await trio.sleep(100)
            assert len(given.awaited) == 2
        assert given.all == []


async def test_several_who_are_waited_for_let_go_one_by_one(autojump_clock: MockClock) -> None:
    async with opened() as (timers, given):
        for player in ("alice", "bob", "carol"):
            timers.hold(player)
            await trio.sleep(1)
        for player in ("carol", "alice", "bob"):
            timers.set_awaited(player, True)
        with timers.present("alice"), timers.present("bob"), timers.present("carol"):
            await trio.sleep(100)
        assert given.awaited == [(50, "alice"), (51, "bob"), (52, "carol")]


async def test_taking_a_card_begins_the_holding_time_anew_and_being_there_does_not(autojump_clock: MockClock) -> None:
    async with opened() as (timers, given):
        with timers.present("alice"):
            timers.hold("alice")
            timers.set_awaited("alice", True)
            await trio.sleep(40)
            timers.hold("alice")
            for _ in range(9):
                with timers.present("alice"):
                    await trio.sleep(5)
            assert given.awaited == []
            await trio.sleep(10)
            assert given.awaited == [(90, "alice")]


async def test_a_shorter_holding_time_is_not_slept_over(autojump_clock: MockClock) -> None:
    async with opened(holding_s=3) as (timers, given):
        timers.hold("bob")  # a time to sleep for
        with timers.present("alice"):
            timers.hold("alice")
            await trio.sleep(1)
            timers.set_awaited("alice", True)
            await trio.sleep(5)
        assert given.awaited == [(3, "alice")]
        await trio.sleep(50)
        assert given.all == [(10, "bob"), (16, "alice")]


async def test_who_polls_without_being_there_lets_go_of_what_is_waited_for_too(autojump_clock: MockClock) -> None:
    async with opened() as (timers, given):
        timers.hold("alice")
        timers.set_awaited("alice", True)
        for _ in range(20):
            await trio.sleep(5)
            with timers.present("alice"):
                pass
        assert (given.all, given.awaited) == ([], [(50, "alice")])


async def test_nobody_is_waited_for_who_holds_nothing(autojump_clock: MockClock) -> None:
    async with opened() as (timers, given):
        with timers.present("alice"):
            timers.set_awaited("alice", True)
            await trio.sleep(100)
            timers.hold("alice")
            await trio.sleep(100)
        assert given.awaited == []


async def test_who_has_held_for_long_is_warned_before_letting_go(autojump_clock: MockClock) -> None:
    async with opened(notice_s=8) as (timers, given):
        with timers.present("alice"):
            timers.hold("alice")
            await trio.sleep(100)
            assert (await timers.due()).seconds == {}
            timers.set_awaited("alice", True)
            await trio.sleep(5)
            timers.set_awaited("alice", True)  # another one waits, too
            assert (await timers.due()).seconds == {"alice": 3}
            await trio.sleep(100)
        assert given.awaited == [(108, "alice")]


async def test_the_time_that_is_left_is_told_whenever_it_is_another(autojump_clock: MockClock) -> None:
    async with opened(notice_s=8) as (timers, _):
        told: list[tuple[float, dict[str, float]]] = []

        async def follow() -> None:
            number = (await timers.due()).number
            while True:
                number, seconds = await timers.due(after=number)
                told.append((trio.current_time() - began, seconds))

        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(follow)
            with timers.present("alice"):
                timers.hold("alice")
                await trio.sleep(10)
                timers.set_awaited("alice", True)
                await trio.sleep(10)
                timers.hold("alice")
                await trio.sleep(10)
                timers.set_awaited("alice", False)
                await trio.sleep(10)
                timers.set_awaited("alice", True)
                await trio.sleep(10)
                timers.let_go("alice")
                await trio.sleep(10)
            nursery.cancel_scope.cancel()
        alice = [40.0, 50.0, None, 30.0, None]
        assert told == [(10 * at, {} if left is None else {"alice": left}) for at, left in enumerate(alice, 1)]


async def test_what_may_be_held_for_ever_is_never_due(autojump_clock: MockClock) -> None:
    async with opened(holding_s=math.inf) as (timers, given):
        with timers.present("alice"):
            timers.hold("alice")
            timers.set_awaited("alice", True)
            await trio.sleep(5e4)
            assert (await timers.due()).seconds == {}
        await trio.sleep(100)
        assert (given.all, given.awaited) == ([(5e4 + 10, "alice")], [])
