"""Askers take fair turns for work in threads.

Partitions:
- one asker: its places one after another; several turns of a place; other askers between them
- askers: each waits for at most one turn of each other asker; the server itself is no asker
- refusals: above the places of one asker, and of all askers; a refused, failed or cancelled place leaves nothing behind
"""

from __future__ import annotations

import threading
from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.rooms.turns import Busy, FairTurns

ASKED = 6


class Work:
    """Work that notes its order. The first piece blocks its thread until `go`."""

    def __init__(self, turns: FairTurns) -> None:
        self.turns = turns
        self.done: list[str] = []
        self.go = threading.Event()

    async def ask(self, asker: str | None, name: str, pieces: int = 1) -> None:
        async with self.turns.place(asker) as run:
            for piece in range(pieces):
                await run(partial(self._do, f"{name}{piece or ''}"))

    async def hold(self, asker: str | None = None) -> None:
        async with self.turns.place(asker) as run:
            await run(self.go.wait)

    def _do(self, name: str) -> None:
        self.done.append(name)


async def test_askers_take_turns_however_many_places_each_of_them_has() -> None:
    work = Work(FairTurns(1, most=100, most_of_one=100))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(work.hold)
        await wait_all_tasks_blocked()
        for number in range(ASKED):
            nursery.start_soon(work.ask, "many", f"many{number}.")
            await wait_all_tasks_blocked()
        nursery.start_soon(work.ask, "one", "one.")
        await wait_all_tasks_blocked()
        nursery.start_soon(work.ask, None, "server.")
        await wait_all_tasks_blocked()
        work.go.set()
    assert work.done == ["many0.", "one.", "server.", *[f"many{number}." for number in range(1, ASKED)]]


async def test_work_that_lasts_lets_others_have_a_turn_after_each_of_its_own() -> None:
    work = Work(FairTurns(1, most=100, most_of_one=100))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(work.hold)
        await wait_all_tasks_blocked()
        nursery.start_soon(work.ask, "long", "long", 3)
        await wait_all_tasks_blocked()
        nursery.start_soon(work.ask, "long", "next")
        await wait_all_tasks_blocked()
        nursery.start_soon(work.ask, "short", "short")
        await wait_all_tasks_blocked()
        work.go.set()
    assert work.done == ["long", "short", "long1", "long2", "next"]


async def test_beyond_its_places_an_asker_is_refused_and_others_are_not() -> None:
    work = Work(FairTurns(1, most=3, most_of_one=2, wait_s=7))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(work.hold, "a")
        await wait_all_tasks_blocked()
        nursery.start_soon(work.ask, "a", "waits")
        await wait_all_tasks_blocked()
        with pytest.raises(Busy) as refused:
            await work.ask("a", "refused")
        assert (refused.value.status, refused.value.params) == (503, {"wait_s": 7})
        nursery.start_soon(work.ask, "b", "other")
        await wait_all_tasks_blocked()
        with pytest.raises(Busy):  # the limit is three places in total
            await work.ask("c", "refused")
        nursery.start_soon(work.ask, None, "server")
        await wait_all_tasks_blocked()
        work.go.set()
    assert sorted(work.done) == ["other", "server", "waits"]
    assert str(work.turns) == "0 places of 0 askers, and 0 turns"


async def test_a_cancelled_asker_leaves_the_queue() -> None:
    work = Work(FairTurns(1, most=2, most_of_one=2))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(work.hold, "a")
        await wait_all_tasks_blocked()
        async with trio.open_nursery() as leaving:
            leaving.start_soon(work.ask, "a", "left")
            await wait_all_tasks_blocked()
            leaving.cancel_scope.cancel()
        nursery.start_soon(work.ask, "a", "came")
        await wait_all_tasks_blocked()
        work.go.set()
    assert work.done == ["came"]


async def test_work_that_fails_gives_its_place_back() -> None:
    turns = FairTurns(1, most=1, most_of_one=1)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            async with turns.place("a") as run:
                await run(lambda: 1 // 0)
    async with turns.place("a") as run:
        assert await run(lambda: 2) == 2
