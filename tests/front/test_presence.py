"""Who is here.

Partitions:
- a name: one connection, several; the first comes, the last goes; it goes by an exception
- somebody who is told: is there before, comes later; is quick, is slow; nothing changes; many changes at once; many
  are told
"""

from __future__ import annotations

from collections import Counter

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.front.presence import FRAMES_PER_S, PAUSE_S, Presence


def presence() -> Presence:
    return Presence(",".join)


def test_names_are_sorted_and_counted_once() -> None:
    here = presence()
    assert here.frame() == ""
    with here.here("bob"), here.here("alice"), here.here("bob"):
        assert here.frame() == "alice,bob"
        assert str(here) == "here: alice, bob"
    assert str(here) == "here: nobody"


def test_a_player_is_here_until_the_last_connection_goes() -> None:
    here = presence()
    with here.here("bob"):
        with here.here("bob"):
            pass
        assert here.frame() == "bob"
    assert here.frame() == ""


def test_a_connection_that_fails_is_gone_as_well() -> None:
    here = presence()
    with pytest.raises(ValueError, match="lost"), here.here("bob"):
        raise ValueError("lost")
    assert here.frame() == ""


async def test_everybody_is_told_at_first_and_after_each_change_but_not_of_second_connections(
    autojump_clock: MockClock,
) -> None:
    here = presence()
    told: list[str] = []

    async def send(frame: str) -> None:
        told.append(frame)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(here.send_to, send)
        await wait_all_tasks_blocked()
        with here.here("bob"):
            await trio.sleep(2 * PAUSE_S)
            with here.here("bob"):
                await trio.sleep(2 * PAUSE_S)
                with here.here("alice"):
                    await trio.sleep(2 * PAUSE_S)
        await trio.sleep(2 * PAUSE_S)
        assert told == ["", "bob", "alice,bob", ""]
        nursery.cancel_scope.cancel()


async def test_a_hundred_who_come_at_once_are_told_of_in_two_frames_each(autojump_clock: MockClock) -> None:
    here = presence()
    told = [0] * 100
    last = [""] * 100

    async def come(i: int) -> None:
        async def send(frame: str) -> None:
            told[i] += 1
            last[i] = frame

        with here.here(f"{i:02}"):
            await here.send_to(send)

    async with trio.open_nursery() as nursery:
        for i in range(100):
            nursery.start_soon(come, i)
        await trio.sleep(10 * PAUSE_S)
        assert max(told) <= 2
        assert last == [",".join(f"{i:02}" for i in range(100))] * 100
        nursery.cancel_scope.cancel()


async def test_a_thousand_who_come_one_after_another_are_told_of_in_a_thousand_frames_a_second(
    autojump_clock: MockClock,
) -> None:
    here = presence()
    told: Counter[int] = Counter()

    async def come(i: int) -> None:
        async def send(frame: str) -> None:
            told[int(trio.current_time())] += 1

        with here.here(f"{i}"):
            await here.send_to(send)

    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        for i in range(1000):
            nursery.start_soon(come, i)
            await trio.sleep(0.01)
        await trio.sleep(3)
        assert here.frame().count(",") == 999
        nursery.cancel_scope.cancel()
    assert max(told.values()) <= 1.3 * FRAMES_PER_S  # and each is told once as it comes
    assert max(told) - began < 13


async def test_one_who_is_slow_is_told_of_the_latest_only_and_delays_nobody(autojump_clock: MockClock) -> None:
    here = presence()
    slow: list[str] = []
    quick: list[str] = []
    stalled = trio.Event()

    async def send_slowly(frame: str) -> None:
        slow.append(frame)
        await stalled.wait()

    async def send(frame: str) -> None:
        quick.append(frame)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(here.send_to, send_slowly)
        nursery.start_soon(here.send_to, send)
        for i in range(5):
            await trio.sleep(2 * PAUSE_S)
            nursery.start_soon(_stay, here, f"{i}")
        await trio.sleep(2 * PAUSE_S)
        assert (slow, len(quick)) == ([""], 6)
        stalled.set()
        await trio.sleep(2 * PAUSE_S)
        assert slow == ["", "0,1,2,3,4"]
        nursery.cancel_scope.cancel()


async def _stay(here: Presence, player: str) -> None:
    with here.here(player):
        await trio.sleep_forever()
