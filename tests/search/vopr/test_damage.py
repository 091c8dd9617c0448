"""A flipped bit in the file: the journal is reported as damaged, or it has exactly the same content as before.

Partitions, every bit of each: a command in the journal; the game's first state in the journal; the name of the game, in
its row and in the index of names for finding the row. Some bits of the whole log of a killed process are flipped, too.
(The simulator itself flips bits anywhere in the file.)
"""

from __future__ import annotations

import random

import pytest

from scramble.errors import JournalError
from scramble.journal import Journal, Recording, read_recording
from scramble.memory import Board, open_game
from tests.search.vopr.disk import Medium
from tests.search.vopr.process import Process, ProcessDisk
from tests.search.vopr.world import PATH


def reading(medium: Medium) -> Recording:
    return read_recording(PATH, disk=disk_of(medium, observer=True))


def disk_of(medium: Medium, *, observer: bool = False) -> ProcessDisk:
    return ProcessDisk(Process(0, medium.mount(observer=observer)), lambda: 1e9, lambda: 0.0)


async def played() -> Medium:
    """A disk with a journal of a few commands, closed properly."""
    medium = Medium(random.Random(1))
    async with open_game(Board.parse("2x2\nA\nB\nA\nB\n"), journal=Journal(PATH, disk=disk_of(medium))) as game:
        for column in range(2):
            await game.flip("ann", 0, column)
            await game.flip("bob", 1, column)
    return medium


def unnoticed(medium: Medium, text: bytes) -> list[int]:
    """The bits of this part of the file whose flips change the content without an error."""
    content = medium.files[PATH].seen
    start = bytes(content).index(text)
    before = reading(medium)
    found: list[int] = []
    for bit in range(8 * len(text)):
        content[start + bit // 8] ^= 1 << bit % 8
        try:
            if reading(medium) != before:
                found.append(bit)
        except JournalError:
            pass
        content[start + bit // 8] ^= 1 << bit % 8
    medium.unmount()
    return found


async def test_in_a_command() -> None:
    medium = await played()
    assert unnoticed(medium, reading(medium).records[2].command) == []


async def test_in_the_beginning() -> None:
    medium = await played()
    assert unnoticed(medium, reading(medium).first) == []


@pytest.mark.parametrize("text", [b"gamememory", b"\x15\tgame"], ids=["row", "index"])  # SQLite's layout
async def test_in_the_name_of_the_game(text: bytes) -> None:
    assert unnoticed(await played(), text) == []


async def test_in_the_log_of_a_process_that_was_killed() -> None:
    medium = Medium(random.Random(2))
    disk = disk_of(medium)
    async with open_game(Board.parse("2x2\nA\nB\nA\nB\n"), journal=Journal(PATH, disk=disk)) as game:
        for column in range(2):
            await game.flip("ann", 0, column)
            await game.flip("bob", 1, column)
        killed = {name: file.copy() for name, file in medium.files.items()}
    medium.files = killed
    log, before = medium.files[f"{PATH}-wal"].seen, reading(medium)
    assert len(before.records) == 4
    complaints = 0
    for at in range(0, len(log), 97):
        log[at] ^= 1 << at % 8
        try:
            assert reading(medium) == before
        except JournalError:
            complaints += 1
        log[at] ^= 1 << at % 8
    assert complaints > len(log) // 97 // 2
    medium.unmount()
