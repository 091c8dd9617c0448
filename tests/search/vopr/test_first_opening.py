"""The first opening of a journal under power cuts, kills and a failing disk: nothing acknowledged is lost.

Strategy. A server opens a journal for the first time, and something interrupts it there, or just after. The next one is
interrupted on its way, too. The third has a sound disk: it must open the journal, without an operator, and have all
that the others acknowledged.

Partitions:
- the file is: new; a restored backup, which has no log
- the end of the first two: a power cut, a kill, a failure of the disk; at any operation
- a failed sync: what it was to write stays dirty, is dropped, is forgotten
"""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
import trio

from scramble.errors import GameStopped, leaves
from scramble.journal import Journal, JournalError, JournalFailed
from scramble.memory import Board, open_game
from tests.search.vopr.disk import SECTOR_BYTES, LostSync, Medium, reseed_sqlite
from tests.search.vopr.process import Died, Process, ProcessDisk
from tests.search.vopr.world import PATH

ENDS = ("power cut", "kill", "disk failure")
OPERATIONS = 30  # of an opening and a few commits
EXPECTED = {Died, trio.Cancelled, JournalError, JournalFailed}  # errors of a life that is interrupted


def live(medium: Medium, flips: int) -> int:
    """Open the journal and flip some cards; the number of flips that the journal has or that were acknowledged."""
    process = Process(0, medium.mount())
    acknowledged = 0

    async def serve() -> None:
        nonlocal acknowledged
        disk = ProcessDisk(process, lambda: 1e9, lambda: 0.0)
        async with open_game(Board.parse("2x2\nA\nA\nB\nB\n"), journal=Journal(PATH, disk=disk)) as game:
            acknowledged = (await game.snapshot()).version
            for _ in range(flips):
                with suppress(GameStopped):
                    await game.flip("ann", acknowledged % 2, 0)
                    acknowledged += 1

    try:
        trio.run(serve)
    except BaseException as error:
        interrupted = not process.alive or process.disk_failed
        if not interrupted or not {type(leaf) for leaf in leaves(error)} <= EXPECTED:
            raise
    finally:
        process.close()
    return acknowledged


def restore_backup(medium: Medium) -> int:
    """Leave a journal without a log, as a backup is; the number of flips in it."""
    flips = live(medium, 3)
    process = medium.mount()
    connection = process.connect(PATH, read_only=False)
    assert list(connection.execute("PRAGMA journal_mode = DELETE")) == [("delete",)]
    connection.close()
    process.kill()
    medium.sync_directory()
    return flips


def interrupt(medium: Medium, rng: random.Random) -> int:
    """A life that ends early; what it acknowledged."""
    end, at = rng.choice(ENDS), medium.operations + rng.randrange(1, OPERATIONS)
    if end == "power cut":
        medium.cut_at = at
    elif end == "kill":
        medium.kill_at = at
    else:
        medium.fail_rate = rng.choice((0.03, 0.1))
    flips = live(medium, 3)
    if end == "power cut":
        medium.cut_power()
    medium.fail_rate, medium.cut_at, medium.kill_at = 0.0, None, None
    return flips


@pytest.mark.parametrize("restored", [False, True])
def test_after_an_interrupted_first_opening_the_next_start_has_all_that_was_acknowledged(restored: bool) -> None:
    for seed in range(400):
        rng = random.Random(f"first opening {seed}")
        reseed_sqlite(seed)
        medium = Medium(random.Random(seed), sector=rng.choice(SECTOR_BYTES))
        medium.lost_sync = rng.choice(tuple(LostSync))
        acknowledged = restore_backup(medium) if restored else 0
        for _ in range(2):
            acknowledged = max(acknowledged, interrupt(medium, rng))
        assert live(medium, 0) >= acknowledged, f"seed {seed}"
        medium.unmount()
