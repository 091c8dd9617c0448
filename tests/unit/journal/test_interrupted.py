# ruff: noqa: ASYNC240 - nothing else runs while these tests look at files
"""Journals whose first opening a crash has interrupted: SQLite's rollback journal is beside them, and the game goes on.

The files are as a kill or a power cut leaves them. tests/search/vopr/test_first_opening.py interrupts that opening at
any operation, on a simulated disk; here SQLite itself decides what the files mean.

Partitions:
- the file is: new; a restored backup, with its mark and without
- the rollback journal is: whole; torn in its magic number; of a smaller database; of a database with a log
- the file is: free; locked by another process
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from scramble.journal import Journal, JournalError, back_up, read_recording
from scramble.journal.disk import FILES, ROLLBACK, ROLLBACK_MAGIC
from scramble.memory import Board, open_game
from tests.unit.journal.test_lost import flips, killed, mark_of
from tests.unit.journal.test_recording import BOARD, play, refused

PAGE_BYTES, SECTOR_BYTES, NONCE = 4096, 512, 1


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    return tmp_path / "a game.db"


def rollback_of(file: Path) -> Path:
    return Path(f"{file}-journal")


def write_rollback(file: Path, pages: int, first_page: bytes = b"", *, magic: bytes = ROLLBACK_MAGIC) -> None:
    """Write the rollback journal of a database of so many pages, of which the first is to be written.

    Source: https://www.sqlite.org/fileformat2.html#the_rollback_journal
    """
    records = 1 if first_page else 0
    header = ROLLBACK.pack(magic, records, NONCE, pages, SECTOR_BYTES, PAGE_BYTES).ljust(SECTOR_BYTES, b"\0")
    check = NONCE + sum(first_page[at] for at in range(PAGE_BYTES - 200, 0, -200)) if first_page else 0
    record = (1).to_bytes(4, "big") + first_page + check.to_bytes(4, "big") if first_page else b""
    rollback_of(file).write_bytes(header + record)


def switch(file: Path) -> None:
    """Make it a database with a write-ahead log, as the first opening does before all else."""
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)


def interrupt_new(file: Path) -> None:
    switch(file)
    assert os.path.getsize(file) == PAGE_BYTES
    write_rollback(file, 0)


async def interrupt_restored(file: Path, *, magic: bytes = ROLLBACK_MAGIC) -> None:
    """Interrupt the first opening of a backup that has five commands."""
    await play(file.with_name("played.db"), *flips(5))
    back_up(file.with_name("played.db"), file)
    before = file.read_bytes()
    if magic == ROLLBACK_MAGIC:
        switch(file)
    write_rollback(file, len(before) // PAGE_BYTES, before[:PAGE_BYTES], magic=magic)


def assert_hot(file: Path) -> None:
    """Require that SQLite cannot read the file as it is."""
    with pytest.raises(JournalError, match="attempt to write a readonly database"):
        read_recording(file)


async def test_a_new_journal_whose_first_opening_was_interrupted_can_be_opened(file: Path) -> None:
    interrupt_new(file)
    assert_hot(file)
    await play(file, *flips(2))
    assert len(read_recording(file).records) == 2
    assert not rollback_of(file).exists()


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize("magic", [ROLLBACK_MAGIC, ROLLBACK_MAGIC[:3].ljust(8, b"\0")], ids=["whole", "torn"])
async def test_a_restored_backup_whose_first_opening_was_interrupted_has_all_its_commands(
    magic: bytes, marked: bool, file: Path
) -> None:
    await interrupt_restored(file, magic=magic)
    if not marked:
        mark_of(file).unlink()
    assert_hot(file)
    await play(file, *flips(1))
    recording = read_recording(file)
    assert recording.records[:5] == read_recording(file.with_name("played.db")).records
    assert len(recording.records) == 6


async def test_a_rollback_journal_of_a_smaller_database_cuts_no_game(file: Path) -> None:
    interrupt_new(file)
    file.unlink()  # but not what is beside it, as somebody may do who restores a backup
    played = file.with_name("played.db")
    await play(played, *flips(5))
    back_up(played, file)
    assert "attempt to write a readonly database" in await refused(file)
    rollback_of(file).unlink()
    assert len(read_recording(file).records) == 5


async def test_a_rollback_journal_beside_a_log_deletes_no_log(file: Path) -> None:
    await killed(file, 5)
    assert os.path.getsize(file) == PAGE_BYTES  # the game is in the log
    write_rollback(file, 0)
    assert "attempt to write a readonly database" in await refused(file)
    rollback_of(file).unlink()
    assert len(read_recording(file).records) == 5


async def test_a_journal_that_another_process_is_opening_is_not_undone(file: Path) -> None:
    interrupt_new(file)
    with closing(FILES.lock(file)):
        assert "another process is playing" in await refused(file)
    await play(file)


async def test_a_link_to_an_interrupted_journal_is_followed(file: Path, tmp_path: Path) -> None:
    interrupt_new(file)
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "link.db"
    link.symlink_to(file)
    async with open_game(Board.parse(BOARD), journal=Journal(link)):
        pass
    assert not rollback_of(file).exists()


async def test_a_rollback_journal_that_sqlite_ignores_is_not_in_the_way(file: Path) -> None:
    await play(file, *flips(1))
    rollback_of(file).write_bytes(bytes(SECTOR_BYTES))
    await play(file, *flips(1))
    assert len(read_recording(file).records) == 2
