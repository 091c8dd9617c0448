"""Mangled journals: a database, or its write-ahead log, in which bytes have changed, gone, or come from elsewhere."""

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
    """A journal that was closed, and the same as a killed process leaves it."""
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
    """A mangled journal is read, or refused in one line; it is played on, or refused and left as it is.

    SQLite salts its logs, so the same seed does not make quite the same files again: those that fail are kept.
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
    """A few places of a large file mangled, or its end missing."""
    whole = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        start = rng.randrange(len(whole))
        page = whole[start : start + 64]
        mangled = Mutator(rng).mangled((bytes(page),))
        whole[start : start + 64] = (mangled + bytes(64))[: len(page)]
    if rng.random() < 0.2:
        del whole[rng.randrange(len(whole)) :]
    return bytes(whole)
