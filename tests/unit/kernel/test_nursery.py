"""Background tasks of a block, and of a game.

Partitions:
- a task begins: before the block, in the block, after the block
- a task: ends by itself, waits, has a bug
- the block: ends, raises an exception
- the game: of each kind; its block ends
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Protocol

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.crossword import Puzzle, open_lobby
from scramble.kernel.nursery import SideTasks
from scramble.memory import Board
from scramble.memory import open_game as open_memory
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_minesweeper
from tests.support.crossword.driver import SIMPLE


class Task:
    """A task that waits, and its state."""

    def __init__(self) -> None:
        self.became: list[str] = []

    async def wait(self) -> None:
        self.became.append("begun")
        try:
            await trio.sleep_forever()
        except trio.Cancelled:
            self.became.append("cancelled")
            raise

    async def fail(self) -> None:
        raise ZeroDivisionError


async def test_a_task_runs_until_the_block_is_left_and_none_begins_outside_of_it() -> None:
    beside, before, during, after = SideTasks(), Task(), Task(), Task()
    beside.start_soon(before.wait)
    async with beside:
        beside.start_soon(during.wait)
        await wait_all_tasks_blocked()
        assert during.became == ["begun"]
    beside.start_soon(after.wait)
    await wait_all_tasks_blocked()
    assert (before.became, during.became, after.became) == ([], ["begun", "cancelled"], [])


async def test_an_exception_of_the_block_is_raised_unchanged() -> None:
    task = Task()
    with pytest.raises(ValueError, match="mine"):
        async with SideTasks() as beside:
            beside.start_soon(task.wait)
            await wait_all_tasks_blocked()
            raise ValueError("mine")
    assert task.became == ["begun", "cancelled"]


async def test_a_bug_in_a_task_cancels_the_block_and_surfaces_in_a_group() -> None:
    with pytest.raises(ExceptionGroup) as raised:
        async with SideTasks() as beside:
            beside.start_soon(Task().fail)
            await trio.sleep_forever()
    assert raised.group_contains(ZeroDivisionError)


class Opened(Protocol):
    """A game."""

    def start_soon(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run a task."""


@pytest.mark.parametrize(
    "opened",
    [
        partial(open_memory, Board.parse("1x2\nA\nA\n")),
        partial(open_memory, Board.parse("1x2\nA\nA\n"), release_idle=1.0),
        partial(open_minesweeper, Field(3, 3, bombs=[])),
        partial(open_lobby, [Puzzle.parse(SIMPLE, id="simple")]),
    ],
)
async def test_a_task_beside_a_game_runs_until_its_block_is_left(
    opened: Callable[[], AbstractAsyncContextManager[Opened]],
) -> None:
    during, after = Task(), Task()
    async with opened() as game:
        game.start_soon(during.wait)
        await wait_all_tasks_blocked()
        assert during.became == ["begun"]
    game.start_soon(after.wait)
    await wait_all_tasks_blocked()
    assert (during.became, after.became) == (["begun", "cancelled"], [])
