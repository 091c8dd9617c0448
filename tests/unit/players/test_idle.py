"""`ReleaseTimers` alone, on a clock that jumps: the commands for each player, their times and their number.

Partitions:
- a holder of cards is: present; away before and after the card was taken; present and away again; without cards (again)
- the number of commands: one for each absence with cards; no command for players without cards
- another player waits for the card: before and after it was taken; no longer; again; the holder is present, or away for
  a shorter or longer time than the wait
- the time left: without a waiting player; from the start of the wait; after a new card; unlimited; with a notice and
  without
- several players, each at the right moment; a time ends while the timer sleeps until another time
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
    """The commands of the timers, each as (seconds since the start, player)."""

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


async def test_an_absent_holder_of_a_card_is_released_once_per_absence(autojump_clock: MockClock) -> None:
    async with opened() as (timers, given):
        for _ in range(3):
            timers.hold("alice")
            await trio.sleep(PATIENCE_S + 1)
            timers.let_go("alice")
            await trio.sleep(9)
        assert given.all == [(10, "alice"), (30, "alice"), (50, "alice")]


async def test_a_released_player_gets_no_more_commands_at_later_absences(
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


async def test_the_time_begins_when_the_players_last_presence_ends(autojump_clock: MockClock) -> None:
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
        assert timers.free_in("alice") is None, "the command was given"


async def test_the_time_of_a_new_card_begins_now(autojump_clock: MockClock) -> None:
    async with opened() as (timers, given):
        timers.hold("alice")
        await trio.sleep(6)
        timers.hold("bob")
        timers.hold("alice")
        await trio.sleep(20)
        assert given.all == [(16, "bob"), (16, "alice")]


async def test_each_player_gets_the_command_at_the_right_moment(autojump_clock: MockClock) -> None:
    async with opened() as (timers, given):
        for player in ("alice", "bob", "carol"):
            timers.hold(player)
            await trio.sleep(2)
        await trio.sleep(50)
        assert given.all == [(10, "alice"), (12, "bob"), (14, "carol")]


async def test_a_present_player_is_released_only_while_another_waits(autojump_clock: MockClock) -> None:
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
            assert given.awaited[1:] == [(120, "alice")], "at once, because the holding time has passed"
            timers.set_awaited("bob", True)
            timers.set_awaited("bob", False)
            await trio.sleep(100)
            assert len(given.awaited) == 2
        assert given.all == []


async def test_several_awaited_players_are_released_one_by_one(autojump_clock: MockClock) -> None:
    async with opened() as (timers, given):
        for player in ("alice", "bob", "carol"):
            timers.hold(player)
            await trio.sleep(1)
        for player in ("carol", "alice", "bob"):
            timers.set_awaited(player, True)
        with timers.present("alice"), timers.present("bob"), timers.present("carol"):
            await trio.sleep(100)
        assert given.awaited == [(50, "alice"), (51, "bob"), (52, "carol")]


async def test_a_new_card_restarts_the_holding_time_and_presence_does_not(autojump_clock: MockClock) -> None:
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


async def test_the_timer_does_not_sleep_past_a_shorter_holding_time(autojump_clock: MockClock) -> None:
    async with opened(holding_s=3) as (timers, given):
        timers.hold("bob")  # the timer sleeps until the end of bob's time
        with timers.present("alice"):
            timers.hold("alice")
            await trio.sleep(1)
            timers.set_awaited("alice", True)
            await trio.sleep(5)
        assert given.awaited == [(3, "alice")]
        await trio.sleep(50)
        assert given.all == [(10, "bob"), (16, "alice")]


async def test_an_awaited_player_who_only_polls_is_released_too(autojump_clock: MockClock) -> None:
    async with opened() as (timers, given):
        timers.hold("alice")
        timers.set_awaited("alice", True)
        for _ in range(20):
            await trio.sleep(5)
            with timers.present("alice"):
                pass
        assert (given.all, given.awaited) == ([], [(50, "alice")])


async def test_a_player_without_cards_is_never_awaited(autojump_clock: MockClock) -> None:
    async with opened() as (timers, given):
        with timers.present("alice"):
            timers.set_awaited("alice", True)
            await trio.sleep(100)
            timers.hold("alice")
            await trio.sleep(100)
        assert given.awaited == []


async def test_a_long_time_holder_is_warned_before_the_release(autojump_clock: MockClock) -> None:
    async with opened(notice_s=8) as (timers, given):
        with timers.present("alice"):
            timers.hold("alice")
            await trio.sleep(100)
            assert (await timers.due()).seconds == {}
            timers.set_awaited("alice", True)
            await trio.sleep(5)
            timers.set_awaited("alice", True)  # a second player waits
            assert (await timers.due()).seconds == {"alice": 3}
            await trio.sleep(100)
        assert given.awaited == [(108, "alice")]


async def test_a_changed_time_left_is_published(autojump_clock: MockClock) -> None:
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


async def test_an_endless_holding_time_is_never_due(autojump_clock: MockClock) -> None:
    async with opened(holding_s=math.inf) as (timers, given):
        with timers.present("alice"):
            timers.hold("alice")
            timers.set_awaited("alice", True)
            await trio.sleep(5e4)
            assert (await timers.due()).seconds == {}
        await trio.sleep(100)
        assert (given.all, given.awaited) == ([(5e4 + 10, "alice")], [])
