"""Disks that fill up and fail under a real server with a real SQLite; signals that come in the middle of a commit.

Partitions:
- the disk: full (a small tmpfs, or a limit on the size of files if it cannot be mounted); fsync fails (a shim in the
  process; needs a C compiler); a statement of a commit fails (each statement)
- callers: a command is queued, is in the failing batch, is parked; a WebSocket
- the clock: ahead and back by an hour and by a decade, before 1970, while players play and between two starts
- SIGTERM: at any moment under load, with commits in progress; several times on the same journal

Expected: the journal has every acknowledged command. Clients without an answer get 503, or 1011 on a WebSocket. The
process ends with exit code 1 and one line with the reason (after a signal: exit code 0 and no line). The game
continues when the disk works again. Changes of the clock have no effect on players.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
import trio

from scramble.errors import GameStopped, JournalFailed
from scramble.journal import Journal, read_recording
from scramble.journal.disk import Cursor, Files, SqlConnection, SqlValue
from scramble.memory import Board, open_game
from scramble.memory.game import Game
from scramble.memory.messages import Flip
from tests.support.figures import report
from tests.support.process import ROOT
from tests.system.faults.disks import BOARD, FILE_BYTES, Place, clock_jumps, failing_fsync, full_disk, told_to_stop

TMPFS_BYTES = 1024 * 1024
BALLAST_BYTES = 256 * 1024
SEED = 1
ROUNDS = 3


@pytest.fixture(name="small_disk")
def _small_disk(tmp_path: Path) -> Iterator[Path | None]:
    """A file system of a megabyte, with a quarter taken by the file `ballast`; None if it cannot be mounted."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={TMPFS_BYTES}", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        (place / "ballast").write_bytes(b"x" * BALLAST_BYTES)
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


async def test_a_server_whose_disk_is_full_stops_loudly_and_goes_on_when_there_is_room(
    small_disk: Path | None, tmp_path: Path
) -> None:
    if small_disk is not None:
        place = Place(tmp_path, small_disk / "game.db")
        count = await full_disk(place, "full", (small_disk / "ballast").unlink)
    else:
        count = await full_disk(Place(tmp_path), "journal", lambda: None, FILE_BYTES)
    how = "file system" if small_disk is not None else "file"
    report("faults", {f"acknowledged before the {how} was full, all kept": str(count)})


@pytest.fixture(name="shim")
def _shim(tmp_path: Path) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler: a commit that fails, and a clock that is set, within the process stand for these")
    shim, source = tmp_path / "shim.so", ROOT / "tests" / "system" / "faults" / "shim.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(shim), str(source), "-ldl"], check=True)
    return shim


async def test_a_server_whose_fsync_fails_stops_loudly_and_goes_on_with_a_disk_that_is_well(
    shim: Path, tmp_path: Path
) -> None:
    await failing_fsync(Place(tmp_path), shim)


async def test_a_clock_that_is_set_ahead_and_back_disturbs_no_game_and_no_time_goes_back(
    shim: Path, tmp_path: Path
) -> None:
    await clock_jumps(Place(tmp_path), shim)


async def test_a_server_told_to_stop_in_the_middle_of_a_commit_ends_well_and_loses_nothing(tmp_path: Path) -> None:
    report("faults", await told_to_stop(Place(tmp_path), SEED, ROUNDS))


class Failing(Files):
    """A disk on which all statements that begin with `statement` fail."""

    def __init__(self) -> None:
        self.statement = "none"

    def connect(self, path: Path, *, read_only: bool) -> SqlConnection:
        return _FailingConnection(self, super().connect(path, read_only=read_only))


class _FailingConnection:
    def __init__(self, disk: Failing, connection: SqlConnection) -> None:
        self._disk = disk
        self._connection = connection

    def execute(self, sql: str, parameters: Sequence[SqlValue] = (), /) -> Cursor:
        self._fail(sql)
        return self._connection.execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Sequence[SqlValue]], /) -> object:
        self._fail(sql)
        return self._connection.executemany(sql, parameters)

    def close(self) -> None:
        self._connection.close()

    def _fail(self, sql: str) -> None:
        if sql.startswith(self._disk.statement):
            raise sqlite3.OperationalError("disk I/O error")


@pytest.mark.parametrize("statement", ["BEGIN", "INSERT INTO commands", "COMMIT"])
async def test_whichever_statement_fails_everybody_is_told_and_nothing_is_half_there(
    statement: str, tmp_path: Path
) -> None:
    disk, path = Failing(), tmp_path / "game.db"
    stopped: list[str] = []

    async def flip(game: Game, player: str, *, parked: trio.Event | None = None) -> None:
        with pytest.raises(GameStopped, match="disk I/O error"):
            await game.ask(Flip(player, 0, 0), parked=parked)
        stopped.append(player)

    with pytest.raises(ExceptionGroup) as failed:
        async with open_game(Board.parse(BOARD), journal=Journal(path, disk=disk)) as game:
            await game.flip("alice", 0, 0)
            async with trio.open_nursery() as nursery:
                waits = trio.Event()
                nursery.start_soon(partial(flip, game, "bob", parked=waits))
                await waits.wait()
                disk.statement = statement
                nursery.start_soon(flip, game, "carol")
                nursery.start_soon(flip, game, "dave")
    assert failed.group_contains(JournalFailed, match="disk I/O error")
    assert sorted(stopped) == ["bob", "carol", "dave"]
    commands = [record.command for record in read_recording(path).records]
    assert [b"alice" in commands[0], b"bob" in commands[1], len(commands)] == [True, True, 2]
    async with open_game(Board.parse(BOARD), journal=Journal(path)) as game:
        assert (await game.snapshot()).waiting == {}
        await game.flip("alice", 0, 1)
        await game.flip("bob", 0, 0)
