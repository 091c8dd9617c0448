"""Mangled journals: bytes of a database or its write-ahead log are changed, removed, or replaced by other bytes."""

from __future__ import annotations

import random
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Final

import trio

from scramble.errors import JournalError
from scramble.journal import Journal, read_recording, recorded
from scramble.memory import Board, open_game
from scramble.players.seats import Seated
from tests.search.fuzz.mutations import Mutator

BOARD: Final = "2x2\nA\nB\nA\nB\n"
WAL: Final = "-wal"

Files = dict[str, bytes]
"""Suffix of a journal's name -> content of that file."""


@cache
def _examples() -> tuple[Files, ...]:
    """A closed journal, and the same journal after a kill of its process."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "game.db"

        async def play() -> Files:
            async with open_game(Board.parse(BOARD), journal=Journal(path)) as game:
                for number in range(30):
                    await game.replace("alice", "A" if number % 2 else "C", "C" if number % 2 else "A")
                return _files(path)

        killed = trio.run(play)
        return killed, _files(path)


def _files(path: Path) -> Files:
    files = {suffix: Path(f"{path}{suffix}") for suffix in ("", WAL)}
    return {suffix: file.read_bytes() for suffix, file in files.items() if file.exists()}


def journal(rng: random.Random) -> None:
    """Read a mangled journal, and sometimes play on with it.

    The server reads the journal, or rejects it in one line. It plays on, or rejects the journal and leaves the file
    unchanged. SQLite salts its logs, so the same seed does not make the same bytes again. So the test keeps the files
    of a failure.
    """
    files = dict(rng.choice(_examples()))
    which = rng.choice(list(files))
    files[which] = _mangled(files[which], rng)
    play_on = rng.random() < 0.3
    try:
        _try_out(files, play_on=play_on)
    except Exception as error:
        folder = Path(mkdtemp(prefix="mangled-journal-"))
        _write(files, folder / "game.db")
        error.add_note(f"kept in {folder}")
        raise


def _write(files: Files, path: Path) -> None:
    for suffix, data in files.items():
        Path(f"{path}{suffix}").write_bytes(data)


def _try_out(files: Files, *, play_on: bool) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "game.db"
        _write(files, path)
        try:
            recording = read_recording(path)
            assert [record.seq for record in recording.records] == list(range(1, len(recording.records) + 1))
        except JournalError as error:
            told_in_a_line(error)
        if play_on:
            copy = Path(folder) / "copy"
            shutil.copytree(folder, copy)
            path = copy / "game.db"
            try:
                trio.run(_play_on, path)
            except JournalError as error:
                told_in_a_line(error)
                changed = path.read_bytes() != files[""]
                assert not changed


async def _play_on(path: Path) -> None:
    async with recorded(Seated(Board.parse(BOARD)), Journal(path)) as kept:
        assert kept.rules.game.rows >= 1


def told_in_a_line(error: JournalError) -> None:
    """Check that the message for people is one line."""
    assert len(str(error).splitlines()) == 1


def _mangled(data: bytes, rng: random.Random) -> bytes:
    """Mangle a few places of a large file, or remove its end."""
    whole = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        start = rng.randrange(len(whole))
        page = whole[start : start + 64]
        mangled = Mutator(rng).mangled((bytes(page),))
        whole[start : start + 64] = (mangled + bytes(64))[: len(page)]
    if rng.random() < 0.2:
        del whole[rng.randrange(len(whole)) :]
    return bytes(whole)
