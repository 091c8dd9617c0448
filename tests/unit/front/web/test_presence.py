"""Connected players, as frames.

Partitions:
- names: within the limit of a frame, over it; short, of maximum length
- a name: one connection, several; the first comes, the last leaves; a connection ends by an exception
- players who left: none, one, more than a frame names; a player comes back; the time when their cards come free, also
  sent to late newcomers
- hues: all players have the hue that they wish, one player does not
- a receiver: is there before, comes later; is quick, is slow; no change; many changes at once; many receivers
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count, islice

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.front.web.notices import BYTES_PER_S, FRAMES_PER_S, NOTICE_PAUSE_S
from scramble.front.web.presence import PLAYERS, PresenceFeed
from scramble.kernel.nursery import StartSoon
from scramble.players.hues import wish_of
from scramble.players.presence import MOST_LEFT, Presence
from tests.support.asgi import anybody
from tests.support.links import connected, no_task

FIRST, SECOND = islice((name for name in map("p{}".format, count()) if wish_of(name) == 0), 2)
"""Two players who wish for the same hue."""


def presence(start_soon: StartSoon) -> PresenceFeed:
    return PresenceFeed(start_soon, Presence(), _players)


def _players(names: list[str], others: int, _: dict[str, float | None]) -> str:
    return ",".join([*names, *([f"+{others}"] if others else [])])


def is_of_hues(frame: str) -> bool:
    return frame.startswith("{")


@contextmanager
def staying(feed: PresenceFeed, player: str) -> Iterator[None]:
    """Attend as `player` during the block."""
    feed.here.arrive(player)
    try:
        yield
    finally:
        feed.here.leave(player)


def test_names_are_sorted_and_counted_once() -> None:
    here = presence(no_task)
    assert here.frame(PLAYERS, None) == ""
    with staying(here, "bob"), staying(here, "alice"), staying(here, "bob"):
        assert here.frame(PLAYERS, None) == "alice,bob"
        assert str(here) == "here: alice, bob"
    assert str(here) == "here: nobody"


def test_a_player_is_here_until_the_last_connection_goes() -> None:
    here = presence(no_task)
    with staying(here, "bob"):
        with staying(here, "bob"):
            pass
        assert here.frame(PLAYERS, None) == "bob"
    assert here.frame(PLAYERS, None) == ""


def test_a_connection_that_fails_is_gone_as_well() -> None:
    here = presence(no_task)
    with pytest.raises(ValueError, match="lost"), staying(here, "bob"):
        raise ValueError("lost")
    assert here.frame(PLAYERS, None) == ""


async def test_everybody_is_told_at_first_and_after_each_change_but_not_of_second_connections(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    here = presence(start_soon)
    told: list[str] = []

    async def send(frame: str) -> None:
        if not is_of_hues(frame):
            told.append(frame)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(connected, send, here.follow)
        await wait_all_tasks_blocked()
        with staying(here, "bob"):
            await trio.sleep(2 * NOTICE_PAUSE_S)
            with staying(here, "bob"):
                await trio.sleep(2 * NOTICE_PAUSE_S)
                with staying(here, "alice"):
                    await trio.sleep(2 * NOTICE_PAUSE_S)
                await trio.sleep(2 * NOTICE_PAUSE_S)
        await trio.sleep(2 * NOTICE_PAUSE_S)
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
            if not is_of_hues(frame):
                told[i] += 1
                last[i] = frame

        with staying(here, f"{i:02}"):
            await connected(send, here.follow)

    async with trio.open_nursery() as nursery:
        for i in range(100):
            nursery.start_soon(come, i)
        await trio.sleep(10 * NOTICE_PAUSE_S)
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

        with staying(here, f"{i}"):
            await connected(send, here.follow)

    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        for i in range(1000):
            nursery.start_soon(come, i)
            await trio.sleep(0.01)
        await trio.sleep(3)
        assert here.frame(PLAYERS, None).endswith(",+800")
        nursery.cancel_scope.cancel()
    assert sum(told.values()) <= 1.3 * FRAMES_PER_S * len(told)  # each frame is sent once, in its turn
    assert max(told) - began < 13


def test_of_very_many_those_who_have_been_here_longest_are_named_and_the_others_counted() -> None:
    here = presence(no_task)
    with ExitStack() as stack:
        first = stack.enter_context(ExitStack())
        first.enter_context(staying(here, "zoe"))
        for number in range(200):
            stack.enter_context(staying(here, f"p{number:03}"))
        named = [*(f"p{number:03}" for number in range(199)), "zoe"]
        assert here.frame(PLAYERS, None) == ",".join([*named, "+1"])
        first.close()
        assert here.frame(PLAYERS, None) == ",".join(f"p{number:03}" for number in range(200))


async def test_long_names_are_told_the_more_seldom_the_more_bytes_that_is(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    here = presence(start_soon)
    sent: Counter[int] = Counter()

    async def come(i: int) -> None:
        async def send(frame: str) -> None:
            sent[int(trio.current_time())] += len(frame)

        with staying(here, f"{i:0255}"):
            await connected(send, here.follow)

    async with trio.open_nursery() as nursery:
        for i in range(300):
            nursery.start_soon(come, i)
        await trio.sleep(1)
        began = int(trio.current_time())
        for i in range(2000):
            with staying(here, f"visitor{i}"):
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
        if not is_of_hues(frame):
            slow.append(frame)
        await stalled.wait()

    async def send(frame: str) -> None:
        if not is_of_hues(frame):
            quick.append(frame)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(connected, send_slowly, here.follow)
        nursery.start_soon(connected, send, here.follow)
        for i in range(5):
            await trio.sleep(2 * NOTICE_PAUSE_S)
            nursery.start_soon(_stay, here, f"{i}")
        await trio.sleep(2 * NOTICE_PAUSE_S)
        assert (slow, len(quick)) == ([""], 6)
        stalled.set()
        await trio.sleep(2 * NOTICE_PAUSE_S)
        assert slow == ["", "0,1,2,3,4"]
        nursery.cancel_scope.cancel()


async def _stay(here: PresenceFeed, player: str) -> None:
    with staying(here, player):
        await trio.sleep_forever()


# --- players who left ---


def test_those_who_have_left_are_named_with_when_their_cards_come_free_until_they_are_back() -> None:
    free = {"bob": 12.5}
    here = PresenceFeed(no_task, Presence(), lambda names, _, left: f"{','.join(names)} {left}", free.get)
    with staying(here, "alice"):
        for player in ("bob", "carol"):
            with staying(here, player):
                pass
        assert here.frame(PLAYERS, None) == "alice {'bob': 12.5, 'carol': None}"
        with staying(here, "bob"), staying(here, "bob"):
            assert here.frame(PLAYERS, None) == "alice,bob {'carol': None}"


def test_of_many_who_have_left_the_last_ones_are_named() -> None:
    here = PresenceFeed(no_task, Presence(), lambda _, __, left: ",".join(left))
    for number in range(MOST_LEFT + 2):
        with staying(here, f"p{number}"):
            pass
    assert here.frame(PLAYERS, None) == ",".join(f"p{number}" for number in range(2, MOST_LEFT + 2))


# --- hues ---


async def test_everybody_gets_the_same_frame_and_none_as_long_as_all_have_their_wishes(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    feed, other = PresenceFeed(start_soon, Presence()), Presence()
    for player in (FIRST, SECOND):
        other.arrive(player)
    told: dict[str, list[object]] = {"first": [], "second": [], "watcher": []}

    async def connect(name: str, player: str | None, nursery: trio.Nursery) -> None:
        async def send(frame: str) -> None:
            told[name].append(msgspec.json.decode(frame))

        nursery.start_soon(connected, send, *feed.beside(player, anybody()))
        await wait_all_tasks_blocked()

    async with trio.open_nursery() as nursery:
        await connect("watcher", None, nursery)
        await connect("first", FIRST, nursery)
        assert told == {"first": [], "second": [], "watcher": []}
        await connect("second", SECOND, nursery)
        await trio.sleep(1)
        frame = {"type": "hues", "hues": {SECOND: other.hues.of(SECOND)}}
        assert told == {"first": [frame], "second": [frame], "watcher": [frame]}
        nursery.cancel_scope.cancel()


async def test_nobody_is_told_the_players_again_because_somebody_watches(
    start_soon: StartSoon, autojump_clock: MockClock
) -> None:
    here = presence(start_soon)
    told: list[str] = []

    async def send(frame: str) -> None:
        told.append(frame)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(connected, send, *here.beside("bob", anybody()))
        nursery.start_soon(connected, send, *here.beside(None, anybody()))
        await trio.sleep(1)
        assert here.here.watching == 1
        before = len(told)
        here.here.arrive(None)
        here.here.leave(None)
        await trio.sleep(1)
        assert len(told) == before
        nursery.cancel_scope.cancel()
    assert (here.here.watching, here.here.players) == (0, ())
