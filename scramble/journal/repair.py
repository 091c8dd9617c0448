"""Repair of a damaged journal: writes the sound part of each game into a new file, which replaces the old file.

It first copies the file with its log and its marks. The sound part of a game ends before the first damaged command.
Commands behind a damaged frame of the log are saved if their running checksums are right.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from scramble.errors import JournalError
from scramble.journal import sqlite
from scramble.journal.check import CheckReport, Restorers, SoundGame, as_journal_error, examine, find
from scramble.journal.disk import FILES, PRIVATE, mark_path, sync_folder


class RepairReport(NamedTuple):
    """The result of a repair: the path of the copy of the old file, and the findings of the check."""

    copy: Path
    check: CheckReport


def repair(path: Path, restorers: Restorers) -> RepairReport | None:
    """Make a journal playable from its sound parts; return None if it has no problem. Blocks.

    Raises:
        JournalError: the file has no sound game, is not a journal, or is in use. The file has not been changed.
    """
    with as_journal_error(path):
        find(path)  # raises before the lock creates a file
    with as_journal_error(path), closing(FILES.lock(path)):
        report = examine(path, restorers)
        if not report.problems:
            return None
        if not report.saved:
            raise JournalError(
                f"{path}: no game in it is sound; restore a backup, or move it away together with its log and marks"
            )
        real = Path(os.path.realpath(path))
        rebuilt = real.with_name(f"{real.name}-repaired")
        _write(rebuilt, report.saved.values())
        copy = _copy(real)
        for suffix in ("-wal", "-shm", "-journal"):  # SQLite would apply these old files to the new file
            Path(f"{real}{suffix}").unlink(missing_ok=True)
        rebuilt.replace(real)
        sync_folder(real.parent)
        for name in report.marks.keys() - report.saved.keys():
            mark_path(real, name).unlink()
        for name, game in report.saved.items():
            with closing(FILES.open_mark(path, name)) as mark:
                mark.write(game.mark.encode())
        return RepairReport(copy, report)


def _write(path: Path, games: Iterable[SoundGame]) -> None:
    """Write a new journal with these games, synced."""
    path.unlink(missing_ok=True)  # an interrupted repair may have left it
    with closing(FILES.connect(path, read_only=False)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("BEGIN IMMEDIATE")
        for statement in sqlite.SCHEMA:
            connection.execute(statement)
        for number, game in enumerate(games, start=1):
            row = (number, game.name, game.kind, game.began, game.first, game.start)
            connection.execute("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?)", row)
            rows = ((number, *row) for row in game.rows)
            connection.executemany("INSERT INTO commands VALUES (?, ?, ?, ?, ?, ?)", rows)
            connection.executemany("INSERT INTO digests VALUES (?, ?, ?)", ((number, *row) for row in game.digests))
        connection.execute("COMMIT")


def _copy(real: Path) -> Path:
    """Copy a journal, its log and its marks to the same folder, synced; return the path of the copy."""
    number, copy = 1, real.with_name(f"{real.name}.before-repair")
    while copy.exists():
        number += 1
        copy = real.with_name(f"{real.name}.before-repair-{number}")
    for name in (real.name, *FILES.beside(real)):
        source, target = real.with_name(name), copy.with_name(copy.name + name.removeprefix(real.name))
        with os.fdopen(os.open(target, PRIVATE | os.O_EXCL, 0o600), "wb") as file:
            if source.exists():
                with source.open("rb") as content:
                    shutil.copyfileobj(content, file)
            file.flush()
            os.fsync(file.fileno())
    sync_folder(real.parent)
    return copy
