"""Maker of the journal of format 2 beside this file: run by scramble as of commit c700366, which wrote that format.

To make the journal again, copy this folder to the same place in a checkout of that commit and run there:

    python -m tests.unit.journal.old.make2

This script plays like `make.py`, with another file name: a game of Memory Scramble with more than a thousand commands
and one waiting request at the end, and a game of Minesweeper.
"""

from __future__ import annotations

import gzip
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import msgspec
import trio

from tests.unit.journal.old.facts import Facts, facts_of
from tests.unit.journal.old.make import HERE, play_memory, play_minesweeper

STEM = "format-2"


async def make(file: Path) -> None:
    """Play both games."""
    await play_memory(file, "cards", players=150, flips=360, size=4)
    await play_minesweeper(file, "mines", moves=40, size=6)


def main() -> None:
    """Write the journal, and add its facts."""
    expected = msgspec.json.decode((HERE / "expected.json").read_bytes(), type=dict[str, Facts])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"{STEM}.db")
        trio.run(make, file)
        with closing(sqlite3.connect(file)) as database:
            database.execute("VACUUM")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for game in ("cards", "mines"):
            expected[f"{STEM} {game}"] = facts_of(file, game)
        (HERE / f"{STEM}.db.gz").write_bytes(gzip.compress(file.read_bytes(), mtime=0))
    (HERE / "expected.json").write_bytes(msgspec.json.format(msgspec.json.encode(expected), indent=1) + b"\n")


if __name__ == "__main__":
    main()
