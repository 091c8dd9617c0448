"""The latest frame of a state for all connections, on a clock that jumps: sockets with small buffers, or none.

Partitions:
- a connection: comes alone, in a pause, with others; goes; has an outlet, or none; its socket takes the frame, or not
- the one whose nursery makes the rounds: goes in a pause, is cancelled with all, is cancelled and cannot go at once
- a change: before anybody is there, in a pause, several at once; none to be seen at first
- whatever happens: all who are there in the end have the latest frame, and none gets it faster than the pauses allow
"""

from __future__ import annotations

import random
import socket
from contextlib import suppress
from itertools import pairwise
from typing import Final

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.front.web.rounds import Rounds
from scramble.server.http.outlet import Outlet, text_frame
from tests.support.links import TestLink, connected

PAUSE_S: Final = 1.0


class State:
    """A number, and its rounds."""

    def __init__(self, known: str | None = None) -> None:
        self.number = 0
        self.rounds: Final = Rounds(lambda: f"{self.number}", lambda *_: PAUSE_S, known=known)

    def change(self) -> None:
        self.number += 1
        self.rounds.tell()


class Page:
    """A connection without an outlet, and what it got when."""

    def __init__(self, state: State) -> None:
        self.got: Final[list[str]] = []
        self.times: Final[list[float]] = []
        self.scope: Final = trio.CancelScope()
        self.slow_s = 0.0
        self._state: Final = state

    async def send(self, frame: str) -> None:
        self.got.append(frame)
        self.times.append(trio.current_time())
        await trio.sleep(self.slow_s)

    async def run(self) -> None:
        with self.scope:
            await connected(self.send, self._state.rounds.join)


async def test_a_connection_gets_the_state_at_once_and_changes_in_a_pause_together(autojump_clock: MockClock) -> None:
    state = State()
    first, second = Page(state), Page(state)
    state.change()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(first.run)
        await wait_all_tasks_blocked()
        assert first.got == ["1"]
        nursery.start_soon(second.run)
        await wait_all_tasks_blocked()
        assert (first.got, second.got) == (["1"], ["1"])
        state.change()
        state.change()
        await wait_all_tasks_blocked()
        assert first.got == ["1"], "in the pause"
        await trio.sleep(2.5 * PAUSE_S)
        assert (first.got, second.got) == (["1", "3"], ["1", "3"])
        state.change()
        await wait_all_tasks_blocked()
        assert (first.got, second.got) == (["1", "3", "4"], ["1", "3", "4"]), "the pause is over"
        assert str(state.rounds) == "2 connections"
        nursery.cancel_scope.cancel()
    assert str(state.rounds) == "0 connections"


async def test_what_a_connection_knows_it_is_not_sent_at_first_but_later(autojump_clock: MockClock) -> None:
    state, page = State(known="0"), None
    page = Page(state)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(page.run)
        await trio.sleep(2 * PAUSE_S)
        assert page.got == []
        state.change()
        await trio.sleep(2 * PAUSE_S)
        state.number = -1
        state.change()
        await trio.sleep(2 * PAUSE_S)
        assert page.got == ["1", "0"]
        nursery.cancel_scope.cancel()


async def test_who_makes_the_rounds_may_go_in_a_pause(autojump_clock: MockClock) -> None:
    state = State()
    first, second = Page(state), Page(state)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(first.run)
        await wait_all_tasks_blocked()
        nursery.start_soon(second.run)
        await wait_all_tasks_blocked()
        state.change()
        first.scope.cancel()
        await wait_all_tasks_blocked()
        assert second.got == ["0"], "the pause is not shorter for that"
        await trio.sleep(1.5 * PAUSE_S)
        assert second.got == ["0", "1"]
        nursery.cancel_scope.cancel()


async def test_a_cancelled_connection_that_cannot_go_yet_does_not_hold_up_the_others(autojump_clock: MockClock) -> None:
    state = State()
    page = Page(state)

    async def send(_: str) -> None:
        """Send nothing."""

    async def go_slowly() -> None:
        async with trio.open_nursery() as nursery:
            leave = state.rounds.join(TestLink(nursery, send))
            try:
                await wait_all_tasks_blocked()
                nursery.cancel_scope.cancel()
                with trio.CancelScope(shield=True):
                    await trio.sleep(10 * PAUSE_S)
            finally:
                leave()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(go_slowly)
        await wait_all_tasks_blocked()
        nursery.start_soon(page.run)
        for number in range(1, 4):
            state.change()
            await trio.sleep(1.5 * PAUSE_S)
            assert page.got[-1] == f"{number}"
        nursery.cancel_scope.cancel()


async def test_a_frame_is_written_to_the_sockets_and_by_a_task_to_one_that_is_full(autojump_clock: MockClock) -> None:
    state = State()
    slow: list[str] = []
    taken = trio.Event()

    async def not_needed(frame: str) -> None:
        raise AssertionError(frame)

    async def send_slowly(frame: str) -> None:
        slow.append(frame)
        await taken.wait()

    ours, theirs = socket.socketpair()
    full, unread = socket.socketpair()
    with ours, theirs, full, unread:
        full.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                full.send(bytes(65536))
        free, stuck = (Outlet(sock.fileno, lambda _: pytest.fail("a part")) for sock in (ours, full))
        free.open()
        stuck.open()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: connected(not_needed, state.rounds.join, outlet=free))
            nursery.start_soon(lambda: connected(send_slowly, state.rounds.join, outlet=stuck))
            for _ in range(6):
                await trio.sleep(1.5 * PAUSE_S)
                state.change()
            await trio.sleep(1.5 * PAUSE_S)
            assert slow == ["0"]
            taken.set()
            await trio.sleep(1.5 * PAUSE_S)
            nursery.cancel_scope.cancel()
        assert slow == ["0", "6"], "the latest, when it has taken the one before"
        assert theirs.recv(1000) == b"".join(text_frame(f"{number}") for number in range(7))


@pytest.mark.parametrize("seed", range(20))
async def test_whatever_happens_all_have_the_latest_in_the_end(seed: int, autojump_clock: MockClock) -> None:
    choose = random.Random(seed)
    state = State()
    pages: list[Page] = []
    async with trio.open_nursery() as nursery:
        for _ in range(150):
            match choose.randrange(5):
                case 0:
                    state.change()
                case 1 if pages:
                    pages.pop(choose.randrange(len(pages))).scope.cancel()
                case 2:
                    await trio.sleep(choose.uniform(0, 1.5) * PAUSE_S)
                case _:
                    pages.append(Page(state))
                    pages[-1].slow_s = choose.choice((0.0, 0.0, 3 * PAUSE_S))
                    nursery.start_soon(pages[-1].run)
        await trio.sleep(10 * PAUSE_S)
        for page in pages:
            assert page.got[-1] == f"{state.number}"
            rounds = page.times[1:]  # the first comes when it comes
            assert all(later - sooner >= 0.999 * PAUSE_S for sooner, later in pairwise(rounds))
        nursery.cancel_scope.cancel()
    assert str(state.rounds) == "0 connections"
