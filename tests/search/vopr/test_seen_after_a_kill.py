"""A restarted server's visible state must survive a power cut, even if a dead process wrote it and did not sync it.

A process can be killed after it wrote a commit but before the sync. No client knows this commit, so it may be lost. But
the next process finds it in the system's cache and shows it. From then on it must be safe. The same is true of a commit
after a failed sync.

Partitions: the operation of the disk at which the process ends; by a kill, by a failed sync; the next process writes
before its first answer, or does not.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable

import pytest
import trio

from scramble.errors import GameStopped, JournalError, JournalFailed, leaves
from scramble.journal import Journal
from scramble.memory import Board, Game, open_game
from tests.search.vopr.disk import LostSync, Medium
from tests.search.vopr.process import Died, Process, ProcessDisk
from tests.search.vopr.world import PATH

BOARD = "2x2\nA\nB\nA\nB\n"


async def live(medium: Medium, number: int, play: Callable[[Game, Process], Awaitable[None]]) -> None:
    """Run a process that opens the game and plays. It ends normally, or it dies, or its disk fails."""
    process = Process(number, medium.mount())
    disk = ProcessDisk(process, lambda: 1e9, lambda: 0.0)
    try:
        with process.scope:
            async with open_game(Board.parse(BOARD), journal=Journal(PATH, disk=disk)) as game:
                await play(game, process)
    except BaseException as error:
        if not all(isinstance(leaf, Died | JournalFailed | JournalError | GameStopped) for leaf in leaves(error)):
            raise


async def seen_after(medium: Medium) -> tuple[str, str]:
    """The state that the next process shows, and the state of the following process after a power cut."""
    seen: list[str] = []

    async def look(game: Game, process: Process) -> None:
        seen.append(await game.look("judge"))
        process.die(silently=True)
        await trio.lowlevel.checkpoint()

    await live(medium, 1, look)
    medium.cut_power()
    await live(medium, 2, look)
    return seen[0], seen[1]


@pytest.mark.parametrize("operation", range(1, 8))
async def test_what_a_killed_process_had_written(operation: int) -> None:
    for seed in range(10):
        medium = Medium(random.Random(seed))

        async def play(game: Game, process: Process, medium: Medium = medium) -> None:
            await game.flip("ann", 0, 0)
            medium.kill_at = medium.operations + operation
            await game.flip("bob", 0, 1)
            process.die(silently=True)
            await trio.lowlevel.checkpoint()

        await live(medium, 0, play)
        medium.kill_at = None
        shown, kept = await seen_after(medium)
        medium.unmount()
        assert shown == kept


@pytest.mark.parametrize("lost_sync", LostSync)
async def test_what_a_failed_sync_was_to_write(lost_sync: LostSync) -> None:
    for seed in range(40):
        medium = Medium(random.Random(seed))
        medium.lost_sync = lost_sync

        async def play(game: Game, process: Process, medium: Medium = medium) -> None:
            await game.flip("ann", 0, 0)
            medium.fail_rate = 0.5
            try:
                await game.flip("bob", 0, 1)
            finally:
                process.die(silently=True)
            await trio.lowlevel.checkpoint()

        await live(medium, 0, play)
        medium.fail_rate = 0.0
        shown, kept = await seen_after(medium)
        medium.unmount()
        assert shown == kept
