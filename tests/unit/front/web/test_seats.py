"""Seats that the front end caches.

Partitions: a seat changes hands before, while, and after the front end asks for its holder; the cache gets notified of
the change, or not yet.
"""

from __future__ import annotations

from typing import TypeVar

import trio
import trio.testing

from scramble.front.web.seats import Seats
from scramble.kernel.protocol import Command
from scramble.memory import Board, open_game
from scramble.memory.messages import Flip
from scramble.players.seats import ClaimSeat, FindSeat, HandOverSeat

R = TypeVar("R")

BOARD = Board.parse("1x2\nA\nA\n")


async def test_an_answer_from_before_a_seat_has_changed_is_not_kept() -> None:
    async with open_game(BOARD) as game, trio.open_nursery() as nursery:
        slow = trio.Event()

        async def ask(command: Command[R]) -> R:
            answer = await game.ask(command)
            if isinstance(command, FindSeat):
                await slow.wait()  # like a task that runs later than others
            return answer

        seats = Seats(ask)
        await game.ask(ClaimSeat("bob", "old"))
        await game.ask(Flip("bob", 0, 0))
        nursery.start_soon(seats.holder_of, "bob")
        await trio.testing.wait_all_tasks_blocked()
        await game.ask(HandOverSeat("bob", "old", "new"))
        seats.forget("bob")
        slow.set()
        await trio.testing.wait_all_tasks_blocked()
        assert await seats.holder_of("bob") == "new"
        assert str(seats).startswith("1 ")
        await game.ask(HandOverSeat("bob", "new", "newest"))
        seats.forget("bob")
        assert await seats.holder_of("bob") == "newest"


async def test_an_answer_from_before_changes_were_told_is_not_kept() -> None:
    async with open_game(BOARD) as game, trio.open_nursery() as nursery:
        slow, told = trio.Event(), list[bool]()

        async def ask(command: Command[R]) -> R:
            answer = await game.ask(command)
            if isinstance(command, FindSeat):
                await slow.wait()
            return answer

        seats = Seats(ask, keeping=lambda: told.append(True))
        await game.ask(ClaimSeat("bob", "old"))
        await game.ask(Flip("bob", 0, 0))
        nursery.start_soon(seats.holder_of, "bob")
        await trio.testing.wait_all_tasks_blocked()
        await game.ask(HandOverSeat("bob", "old", "new"))
        assert told == [], "the cache is not notified yet"
        slow.set()
        await trio.testing.wait_all_tasks_blocked()
        assert told == [True]
        assert [await seats.holder_of("bob") for _ in range(2)] == ["new", "new"]
        assert str(seats).startswith("1 ")
