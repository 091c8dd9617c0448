"""Presence: who is connected.

Partitions:
- names: as many as are sent, more; short, as long as may be
- a name: one connection, several; the first comes, the last goes; it goes by an exception
- who has left: nobody, one, more than are named; comes back; when their cards come free, sent to late comers too
- another browser under the same name: none, the same one twice, another one, unknown ones; it has gone
- a receiver: is there before, comes later; is quick, is slow; nothing changes; many changes at once; there
  are many receivers
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.front.web.notices import BYTES_PER_S, FRAMES_PER_S, PAUSE_S
from scramble.front.web.presence import MOST_LEFT, Presence
from scramble.kernel.nursery import StartSoon
from tests.support.links import connected, no_task


def presence(start_soon: StartSoon) -> Presence:
    return Presence(start_soon, lambda names, others, _: ",".join([*names, *([f"+{others}"] if others else [])]))


def test_names_are_sorted_and_counted_once() -> None:
    here = presence(no_task)
    assert here.frame() == ""
    with here.here("bob"), here.here("alice"), here.here("bob"):
        assert here.frame() == "alice,bob"
        assert str(here) == "here: alice, bob"
    assert str(here) == "here: nobody"


def test_a_player_is_here_until_the_last_connection_goes() -> None:
    here = presence(no_task)
    with here.here("bob"):
        with here.here("bob"):
            pass
        assert here.frame() == "bob"
    assert here.frame() == ""


def test_a_connection_that_fails_is_gone_as_well() -> None:
    here = presence(no_task)
    with pytest.raises(ValueError, match="lost"), here.here("bob"):
        raise ValueError("lost")
    assert here.frame() == ""


async def test_everybody_is_told_at_first_and_after_each_change_but_not_of_second_connections(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    here = presence(start_soon)
    told: list[str] = []

    async def send(frame: str) -> None:
        told.append(frame)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(connected, send, here.follow)
        await wait_all_tasks_blocked()
        with here.here("bob"):
            await trio.sleep(2 * PAUSE_S)
            with here.here("bob"):
                await trio.sleep(2 * PAUSE_S)
                with here.here("alice"):
                    await trio.sleep(2 * PAUSE_S)
                await trio.sleep(2 * PAUSE_S)
        await trio.sleep(2 * PAUSE_S)
        assert told == ["", "bob", "alice,bob", "bob", ""]
        nursery.cancel_scope.cancel()


async def test_a_hundred_who_come_at_once_are_told_of_in_three_frames_each_at_most(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    here = presence(start_soon)
    told = [0] * 100
    last = [""] * 100

    async def come(i: int) -> None:
        async def send(frame: str) -> None:
            told[i] += 1
            last[i] = frame

        with here.here(f"{i:02}"):
            await connected(send, here.follow)

    async with trio.open_nursery() as nursery:
        for i in range(100):
            nursery.start_soon(come, i)
        await trio.sleep(10 * PAUSE_S)
        assert max(told) <= 3
        assert last == [",".join(f"{i:02}" for i in range(100))] * 100
        nursery.cancel_scope.cancel()


async def test_a_thousand_who_come_one_after_another_are_told_of_in_a_thousand_frames_a_second(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    here = presence(start_soon)
    told: Counter[int] = Counter()

    async def come(i: int) -> None:
        async def send(frame: str) -> None:
            told[int(trio.current_time())] += 1

        with here.here(f"{i}"):
            await connected(send, here.follow)

    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        for i in range(1000):
            nursery.start_soon(come, i)
            await trio.sleep(0.01)
        await trio.sleep(3)
        assert here.frame().endswith(",+800")
        nursery.cancel_scope.cancel()
    assert sum(told.values()) <= 1.3 * FRAMES_PER_S * len(told)  # and each is sent once as it comes
    assert max(told) - began < 13


def test_of_very_many_those_who_have_been_here_longest_are_named_and_the_others_counted() -> None:
    here = presence(no_task)
    with ExitStack() as stack:
        first = stack.enter_context(ExitStack())
        first.enter_context(here.here("zoe"))
        for number in range(200):
            stack.enter_context(here.here(f"p{number:03}"))
        named = [*(f"p{number:03}" for number in range(199)), "zoe"]
        assert here.frame() == ",".join([*named, "+1"])
        first.close()
        assert here.frame() == ",".join(f"p{number:03}" for number in range(200))


async def test_long_names_are_told_the_more_seldom_the_more_bytes_that_is(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    here = presence(start_soon)
    sent: Counter[int] = Counter()

    async def come(i: int) -> None:
        async def send(frame: str) -> None:
            sent[int(trio.current_time())] += len(frame)

        with here.here(f"{i:0255}"):
            await connected(send, here.follow)

    async with trio.open_nursery() as nursery:
        for i in range(300):
            nursery.start_soon(come, i)
        await trio.sleep(1)
        began = int(trio.current_time())
        for i in range(2000):
            with here.here(f"visitor{i}"):
                await trio.sleep(0.01)
        nursery.cancel_scope.cancel()
    spent = sum(bytes_sent for second, bytes_sent in sent.items() if second > began) / 20
    assert spent <= 1.2 * BYTES_PER_S


async def test_one_who_is_slow_is_told_of_the_latest_only_and_delays_nobody(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    here = presence(start_soon)
    slow: list[str] = []
    quick: list[str] = []
    stalled = trio.Event()

    async def send_slowly(frame: str) -> None:
        slow.append(frame)
        await stalled.wait()

    async def send(frame: str) -> None:
        quick.append(frame)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(connected, send_slowly, here.follow)
        nursery.start_soon(connected, send, here.follow)
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


# --- who has left, and who is here twice ---


def test_those_who_have_left_are_named_with_when_their_cards_come_free_until_they_are_back() -> None:
    free = {"bob": 12.5}
    here = Presence(no_task, lambda names, _, left: f"{','.join(names)} {left}", free.get)
    with here.here("alice"):
        for player in ("bob", "carol"):
            with here.here(player):
                pass
        assert here.frame() == "alice {'bob': 12.5, 'carol': None}"
        with here.here("bob"), here.here("bob"):
            assert here.frame() == "alice,bob {'carol': None}"


def test_of_many_who_have_left_the_last_ones_are_named() -> None:
    here = Presence(no_task, lambda _, __, left: ",".join(left))
    for number in range(MOST_LEFT + 2):
        with here.here(f"p{number}"):
            pass
    assert here.frame() == ",".join(f"p{number}" for number in range(2, MOST_LEFT + 2))


def test_a_connection_knows_whether_another_browser_plays_under_its_name() -> None:
    here = presence(no_task)
    with here.here("bob", "first") as elsewhere, here.here("bob", "first") as again, here.here("bob") as unknown:
        assert (elsewhere, again, unknown) == (False, False, False), "tabs of one browser, and a program"
        with here.here("bob", "second") as second, here.here("alice", "second") as other:
            assert (second, other) == (True, False)
        with here.here("bob") as program:
            assert program is False
    with here.here("bob"), here.here("bob", "second") as later:
        assert later is False, "the first browser has gone"
