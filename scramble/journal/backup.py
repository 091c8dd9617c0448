"""Backup of a journal: a consistent copy of the file, even while another process plays its games.

SQLite copies the file in one read transaction. A reader does not wait for the writer, and the writer does not wait for
a reader. The marks are read before the transaction, so the copy has at least the commands up to the marks. The copy
needs no log beside it. Before the copy gets its final name, its structure and the checksums of all commands of all
games are verified.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from scramble.errors import JournalError
from scramble.journal import sqlite
from scramble.journal.check import as_journal_error
from scramble.journal.disk import FILES, PRIVATE, mark_path, sync_folder
from scramble.journal.mark import Mark


def back_up(path: str | Path, to: str | Path) -> None:
    """Copy the journal `path`, with the marks of its games, to the new file `to`. Its games may run. Blocks.

    The copy has all commands that were acknowledged before this call. To restore the journal, stop its games, delete
    the old journal and its marks, and copy the backup back, together with its marks (`TO.NAME.mark`).

    Raises:
        JournalError: there is no journal at `path`, or it is damaged; `to` already exists, or cannot be written. No
            partial copy remains then.
    """
    path, to = Path(path), Path(to)
    with as_journal_error(path):
        if not FILES.exists(path):
            raise JournalError(f"{path}: there is no such file, or nothing in it")
        prefix, suffix = f"{os.path.basename(os.path.realpath(path))}.", ".mark"
        names = [name[len(prefix) : -len(suffix)] for name in FILES.beside(path) if name.endswith(suffix)]
        found = {name: FILES.read_mark(path, name) for name in names}
    marks = {name: mark for name, mark in found.items() if Mark.decode(mark) is not None}
    with as_journal_error(to):
        if os.path.lexists(to) or FILES.beside(to):
            raise JournalError(f"{to}: this file, its log or one of its marks already exists: choose another name")
        partial = to.with_name(f"{to.name}.partial")
        try:
            _copy(path, partial)
            _verify(partial, path, marks)
            partial.replace(to)
        except BaseException:
            with suppress(OSError):
                partial.unlink()
            raise
        for name, mark in marks.items():  # after the copy: marks without the copy would report missing commands
            _write(mark_path(to, name), mark)
        sync_folder(to.resolve().parent)


def _copy(path: Path, to: Path) -> None:
    to.unlink(missing_ok=True)  # an interrupted backup may have left it
    os.close(os.open(to, PRIVATE | os.O_EXCL, 0o600))
    with closing(_connect(path, "ro")) as source, closing(_connect(to, "rw")) as target:
        with as_journal_error(path):
            source.backup(target)  # also syncs
        target.execute("PRAGMA journal_mode = DELETE")  # no log; the next opening for writing creates one


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{quote(os.fsencode(os.path.realpath(path)))}?mode={mode}", uri=True, isolation_level=None
    )


def _verify(copy: Path, path: Path, marks: dict[str, bytes]) -> None:
    """Raise JournalError unless the copy is a sound journal with a game for each mark."""
    with closing(_connect(copy, "ro")) as connection:
        try:
            names = sqlite.names_of(connection, path) | marks.keys()
            for name in names:
                sqlite.read(connection, path, lambda game: Mark.decode(marks.get(game, b"")), name)
        except sqlite.Malformed as error:
            raise JournalError(f"{path} is damaged: {error}. {sqlite.REPAIR}") from error


def _write(path: Path, content: bytes) -> None:
    file = os.open(path, PRIVATE | os.O_EXCL, 0o600)
    try:
        os.write(file, content)
        os.fsync(file)
    finally:
        os.close(file)
