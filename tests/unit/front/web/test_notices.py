"""Events and values for all followers, on an autojump clock. Sockets have small buffers, or links have no outlet.

Partitions:
- a follower: comes alone, in a pause, with others; leaves; has an outlet, has no outlet; its socket takes the frame, or
  not
- a value: put before the first follower, put at once, sent soon; changes in a pause, several times; two values; a value
  that depends on the follower's name
- events: without followers, for a follower who has missed more events than are kept, in a pause
- in every random order of steps, all followers have the latest frame at the end, and the pauses limit the rate of
  frames
"""

from __future__ import annotations

import random
from collections.abc import Collection
from contextlib import ExitStack
from itertools import pairwise
from typing import Final

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.front.web.notices import BYTES_PER_S, FRAMES_PER_S, MOST_EVENTS, NOTICE_PAUSE_S, Notices
from scramble.kernel.nursery import StartSoon
from tests.support.lines import Line
from tests.support.links import Page, TestLink

VALUE: Final = "value"
SIZES: Final = {"a": int(3 * NOTICE_PAUSE_S * BYTES_PER_S), "b": 1}  # "a" makes the pause three times as long


class State(Notices):
    """A number as a value."""

    def __init__(self, start_soon: StartSoon) -> None:
        super().__init__(start_soon)
        self.number = 0
        self.made = 0
        self.put(VALUE)

    def frame(self, key: str, name: str | None) -> str:
        self.made += 1
        return f"{self.number}" if name is None else f"{self.number} for {name}"

    def own(self, key: str) -> Collection[str]:
        return ("host",)

    def change(self) -> None:
        self.number += 1
        self.put_soon(VALUE)


# --- values ---


async def test_a_connection_gets_the_value_at_once_and_changes_in_a_pause_together(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    state = State(start_soon)
    first, second = Page(state), Page(state)
    state.change()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(first.run)
        await wait_all_tasks_blocked()
        assert first.got == ["1"]
        state.change()
        await wait_all_tasks_blocked()
        assert first.got == ["1", "2"]
        nursery.start_soon(second.run)
        await wait_all_tasks_blocked()
        assert (first.got, second.got) == (["1", "2"], ["2"])
        state.change()
        state.change()
        await wait_all_tasks_blocked()
        assert first.got == ["1", "2"], "in the pause"
        await trio.sleep(2.5 * NOTICE_PAUSE_S)
        assert (first.got, second.got) == (["1", "2", "4"], ["2", "4"])
        state.change()
        await wait_all_tasks_blocked()
        assert (first.got, second.got) == (["1", "2", "4", "5"], ["2", "4", "5"]), "the pause is over"
        assert state.connections == 2
        nursery.cancel_scope.cancel()
    assert state.connections == 0


async def test_who_comes_in_a_pause_gets_the_value_at_once_and_again_with_the_others(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    state = State(start_soon)
    with ExitStack() as stack:
        async with trio.open_nursery() as nursery:
            lines = [Line(nursery) for _ in range(3)]
            for line in lines:
                stack.callback(line.close)
            stack.callback(state.follow(lines[0]))
            state.change()
            state.change()
            leave = state.follow(lines[1])
            assert [line.read() for line in lines[:2]] == [["0", "1"], ["2"]]
            state.change()
            stack.callback(state.follow(lines[2]))
            leave()
            await trio.sleep(2 * NOTICE_PAUSE_S)
            assert [line.read() for line in lines] == [["0", "1", "3"], ["2"], ["3", "3"]]
            state.change()
            assert [line.read()[-1] for line in lines] == ["4", "2", "4"]
            nursery.cancel_scope.cancel()


async def test_values_have_pauses_of_their_own(start_soon: StartSoon, autojump_clock: MockClock) -> None:
    class Two(Notices):
        def frame(self, key: str, name: str | None) -> str:
            return key * SIZES[key]

    two = Two(start_soon)
    page = Page(two)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(page.run)
        await wait_all_tasks_blocked()
        began = trio.current_time()
        two.put_soon("a")
        two.put_soon("b")
        for _ in range(25):
            await trio.sleep(NOTICE_PAUSE_S / 10)
            two.put_soon("a")
            two.put_soon("b")
        await trio.sleep(1)
        turns = [
            (frame[0], round((time - began) / NOTICE_PAUSE_S)) for frame, time in zip(page.got, page.times, strict=True)
        ]
        assert sorted(turns) == [("a", 0), ("a", 3), ("b", 0), ("b", 1), ("b", 2), ("b", 3)]
        nursery.cancel_scope.cancel()


async def test_a_value_is_made_once_for_all_and_once_for_each_who_has_another_one(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    state = State(start_soon)
    with ExitStack() as stack:
        async with trio.open_nursery() as nursery:
            lines = [Line(nursery) for _ in range(12)]
            names = ["host", None, "host", *["somebody"] * 9]
            for line, name in zip(lines, names, strict=True):
                follower = state.follower(line, name)
                stack.callback(line.close)
                stack.callback(follower.leave)
                follower.begin_soon()
            state.made = 0
            state.change()
            await wait_all_tasks_blocked()
            assert [line.read()[-1] for line in lines] == ["1 for host", "1", "1 for host", *["1"] * 9]
            assert state.made == 3
            nursery.cancel_scope.cancel()


async def test_a_value_without_followers_is_not_made(
    start_soon: StartSoon,
    autojump_clock: MockClock,
) -> None:
    state = State(start_soon)
    for _ in range(10):
        state.change()
    await trio.sleep(10 * NOTICE_PAUSE_S)
    assert state.made == 0


async def test_a_slow_one_delays_nobody_and_gets_the_latest_value_when_it_has_taken_the_one_before(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    state = State(start_soon)
    with ExitStack() as stack:
        async with trio.open_nursery() as nursery:
            free, full = Line(nursery), Line(nursery)
            for line in (free, full):
                stack.callback(line.close)
                stack.callback(state.follow(line))
            full.fill()
            for _ in range(6):
                await trio.sleep(1.5 * NOTICE_PAUSE_S)
                state.change()
            await trio.sleep(1.5 * NOTICE_PAUSE_S)
            assert free.read() == [f"{number}" for number in range(7)]
            while full.read()[-1] != "6":
                await wait_all_tasks_blocked()
            assert full.read() == ["0", "1", "6"]
            nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("connections", "size", "pause_s"),
    [
        (1, 1, NOTICE_PAUSE_S),
        (2 * int(FRAMES_PER_S * NOTICE_PAUSE_S), 1, 2 * NOTICE_PAUSE_S),
        (50, BYTES_PER_S // 100, 0.5),
    ],
)
async def test_pauses_grow_with_the_connections_and_with_the_bytes(
    start_soon: StartSoon, connections: int, size: int, pause_s: float, autojump_clock: MockClock
) -> None:
    notices = Notices(start_soon)

    async def send(_: str) -> None:
        """Send nothing."""

    async with trio.open_nursery() as nursery:
        leaves = [notices.follow(TestLink(nursery, send)) for _ in range(connections)]
        await wait_all_tasks_blocked()
        notices.put(VALUE, "x" * size)
        assert notices.pause_s() == pytest.approx(pause_s, rel=0.01)
        await wait_all_tasks_blocked()
        for leave in leaves:
            leave()


@pytest.mark.parametrize("seed", range(8))
async def test_whatever_happens_all_have_the_latest_in_the_end(
    start_soon: StartSoon, seed: int, autojump_clock: MockClock
) -> None:
    choose = random.Random(seed)
    state = State(start_soon)
    pages: list[Page] = []
    async with trio.open_nursery() as nursery:
        for _ in range(150):
            match choose.randrange(5):
                case 0:
                    state.change()
                case 1 if pages:
                    pages.pop(choose.randrange(len(pages))).scope.cancel()
                case 2:
                    await trio.sleep(choose.uniform(0, 1.5) * NOTICE_PAUSE_S)
                case _:
                    pages.append(Page(state))
                    pages[-1].slow_s = choose.choice((0.0, 0.0, 3 * NOTICE_PAUSE_S))
                    nursery.start_soon(pages[-1].run)
        await trio.sleep(10 * NOTICE_PAUSE_S)
        for page in pages:
            assert page.got[-1] == f"{state.number}"
            turns = page.times[1:]  # the first frame may come at any time
            assert all(later - sooner >= 0.999 * NOTICE_PAUSE_S for sooner, later in pairwise(turns))
        nursery.cancel_scope.cancel()
    assert state.connections == 0


# --- events ---


async def test_events_come_at_once_in_order_and_not_to_who_comes_later(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    state = State(start_soon)
    first, second = Page(state), Page(state)
    state.publish("nobody")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(first.run)
        await wait_all_tasks_blocked()
        state.change()
        await wait_all_tasks_blocked()
        state.change()
        state.publish("a")
        state.publish("b")
        await wait_all_tasks_blocked()
        assert first.got == ["0", "1", "a", "b"], "in the pause of the value"
        nursery.start_soon(second.run)
        await trio.sleep(2 * NOTICE_PAUSE_S)
        assert (first.got, second.got) == (["0", "1", "a", "b", "2"], ["2", "2"])
        nursery.cancel_scope.cancel()


async def test_who_begins_later_gets_the_events_since_it_came_before_the_values_and_they_count_as_not_delivered(
    start_soon: StartSoon,
) -> None:
    state = State(start_soon)
    async with trio.open_nursery() as nursery:
        line = Line(nursery)
        state.publish("a")
        follower = state.follower(line)
        await state.delivered()
        state.publish("b")
        state.publish("c")
        delivered = trio.Event()

        async def wait() -> None:
            await state.delivered()
            delivered.set()

        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        assert not delivered.is_set()
        follower.begin_soon()
        await delivered.wait()
        assert line.read() == ["b", "c", "0"]
        follower.leave()
        line.close()


async def test_an_event_is_not_delivered_while_a_newcomer_still_gets_what_was_before(start_soon: StartSoon) -> None:
    state = State(start_soon)
    reads, delivered = trio.Event(), trio.Event()

    async def send(_: str) -> None:
        await reads.wait()

    async def wait() -> None:
        await state.delivered()
        delivered.set()

    async with trio.open_nursery() as nursery:
        follower = state.follower(TestLink(nursery, send))
        state.publish("a")
        follower.begin_soon()
        state.publish("b")
        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        assert not delivered.is_set()
        reads.set()
        await delivered.wait()
        follower.leave()


async def test_who_is_slow_gets_the_latest_events(
    start_soon: StartSoon,
    autojump_clock: MockClock,
) -> None:
    notices = Notices(start_soon)
    quick, slow = Page(notices), Page(notices)
    slow.slow_s = 100.0
    every = [f"{number}" for number in range(2 * MOST_EVENTS)]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(quick.run)
        nursery.start_soon(slow.run)
        await wait_all_tasks_blocked()
        for event in every:
            notices.publish(event)
            await wait_all_tasks_blocked()
        slow.slow_s = 0.0
        await trio.sleep(200)
        assert quick.got == every
        assert slow.got == [every[0], *every[-MOST_EVENTS:]]
        nursery.cancel_scope.cancel()
