# ruff: noqa: ASYNC221, ASYNC230, ASYNC240 - nothing else runs while these tests look at files
"""Journals without some acknowledged commands: the loss is detected and reported.

Partitions:
- during a game, its database or its log is: replaced by a copy; deleted; reached by a changed link; read by another
  program; replaced during the opening
- the log of a killed process: has a flipped bit, anywhere; is gone
- the mark is: correct; older; missing; torn; of a game with more commands; of another command; of another game; of a
  game that is not in the file; not writable
- the database is: empty; of one byte; gone; beside a log and a mark, or only a mark, of this game or another
- the lock: of the file, for all of its games; of a version with one lock for each game
- between reading and locking, another process has continued or begun the game
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.errors import GameClosed, GameStopped
from scramble.journal import Journal, JournalError, JournalFailed, read_recording
from scramble.journal.disk import FileGuard, Files, Lock, MarkFile
from scramble.journal.mark import Mark
from scramble.memory import Board, FlipFailed, open_game
from tests.unit.journal.test_recording import BOARD, change, play, refused


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    return tmp_path / "a game.db"


def log_of(file: Path) -> Path:
    return Path(f"{file}-wal")


def mark_of(file: Path, name: str = "game") -> Path:
    return Path(f"{file}.{name}.mark")


def flips(count: int) -> list[tuple[str, int, int]]:
    return [("ann", 0, number % 2) for number in range(count)]  # no pair: each flip is a change


async def killed(file: Path, count: int) -> None:
    """Make the files of a process that was killed after `count` commands: the log has not been merged."""
    other = file.parent / "other"
    other.mkdir()
    async with open_game(Board.parse(BOARD), journal=Journal(other / file.name)) as game:
        for flip in flips(count):
            with suppress(FlipFailed):
                await game.flip(*flip)
        for path in (other / file.name, log_of(other / file.name), mark_of(other / file.name)):
            shutil.copy(path, file.parent)
    shutil.rmtree(other)


# --- while a game is played -----------------------------------------------------------------------------


def replace(path: Path) -> None:
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").replace(path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows neither replaces nor deletes a file that is open")
@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (replace, "its journal is gone: somebody has moved, replaced or deleted it"),
        (Path.unlink, "its journal is gone"),
        (lambda file: replace(log_of(file)), "the log of its journal is gone"),
        (lambda file: log_of(file).unlink(), "the log of its journal is gone"),
    ],
)
async def test_a_journal_that_is_replaced_or_deleted_while_it_is_played_stops_the_game(
    harm: Callable[[Path], None], why: str, file: Path
) -> None:
    with pytest.raises(ExceptionGroup) as group:
        async with open_game(Board.parse(BOARD), journal=Journal(file)) as game:
            await game.flip("ann", 0, 0)
            harm(file)
            for _ in range(2):
                with pytest.raises(GameStopped, match=why):
                    await game.flip("ann", 1, 0)
            await trio.sleep_forever()
    assert group.group_contains(JournalFailed, match=why)
    if harm is not Path.unlink:
        assert len(read_recording(file).records) == 2  # no command is lost; the second command was never acknowledged
        await play(file)


async def test_a_link_that_is_changed_while_a_game_is_played_stops_it(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(file)
    await play(tmp_path / "other.db")
    with pytest.raises(ExceptionGroup):
        async with open_game(Board.parse(BOARD), journal=Journal(link)) as game:
            await game.flip("ann", 0, 0)
            link.unlink()
            link.symlink_to(tmp_path / "other.db")
            with pytest.raises(GameStopped, match="its journal is gone"):
                await game.flip("ann", 1, 0)
            await trio.sleep_forever()


READ = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM commands').fetchone()[0])"


async def test_another_program_that_reads_and_closes_leaves_the_log_where_it_is(file: Path) -> None:
    async with open_game(Board.parse(BOARD), journal=Journal(file)) as game:
        for flip in flips(4):
            before = len(read_recording(file).records)
            assert subprocess.check_output([sys.executable, "-c", READ, file], text=True) == f"{before}\n"
            with suppress(FlipFailed):
                await game.flip(*flip)
    assert len(read_recording(file).records) == 4


@pytest.mark.parametrize("path", [Path, log_of])
async def test_a_journal_that_is_replaced_while_it_is_being_opened_is_refused(
    path: Callable[[Path], Path], file: Path
) -> None:
    class Restless(Files):
        def guard(self, opened: Path) -> FileGuard:
            replace(path(opened))
            return super().guard(opened)

    await play(file, *flips(2))
    with pytest.raises(JournalError, match="while it was being opened"):
        async with open_game(Board.parse(BOARD), journal=Journal(file, disk=Restless())):
            pass


# --- the log ----------------------------------------------------------------------------------------------


async def test_a_flipped_bit_in_the_log_is_noticed_or_does_not_matter(file: Path) -> None:
    await killed(file, 30)
    whole, log = read_recording(file), log_of(file).read_bytes()
    complaints: list[str] = []
    for position in range(0, len(log), len(log) // 47):
        log_of(file).write_bytes(log[:position] + bytes([log[position] ^ 0x10]) + log[position + 1 :])
        Path(f"{file}-shm").unlink(missing_ok=True)
        try:
            assert read_recording(file) == whole
        except JournalError:
            complaints.append(await refused(file))
    assert len(complaints) > 44
    assert all("scramble journal repair" in complaint for complaint in complaints)
    log_of(file).write_bytes(log)
    await play(file)
    assert read_recording(file) == whole


async def test_a_missing_log_is_noticed(file: Path) -> None:
    await killed(file, 30)
    log_of(file).unlink()
    assert "game 'game' is missing: this is an older copy" in await refused(file)


# --- the mark ---------------------------------------------------------------------------------------------


async def test_the_mark_has_the_number_of_each_command_before_its_answer(file: Path) -> None:
    async with open_game(Board.parse(BOARD), journal=Journal(file)) as game:
        for number, flip in enumerate([None, *flips(3)]):
            if flip is not None:
                with suppress(FlipFailed):
                    await game.flip(*flip)
            mark = Mark.decode(mark_of(file).read_bytes())
            assert mark is not None
            assert mark.seq == number
            checks = [record.check for record in read_recording(file).records]
            assert mark.check == (checks[-1] if checks else mark.start)
    assert mark_of(file).stat().st_mode & 0o777 == 0o600


async def test_an_old_missing_or_torn_mark_is_ignored(file: Path) -> None:
    await play(file, *flips(1))
    older = mark_of(file).read_bytes()
    await play(file, *flips(5))
    latest = mark_of(file).read_bytes()
    torn = [older[:size] + latest[size:] for size in range(1, len(latest)) if older[:size] + latest[size:] != latest]
    for mark in (older, b"", bytes(len(latest)), latest[:-1], latest + b"\n", *torn[::5]):
        mark_of(file).write_bytes(mark)
        assert len(read_recording(file).records) == 6
        await play(file)
        assert mark_of(file).read_bytes()[: len(latest)] == latest
    mark_of(file).unlink()
    await play(file)
    assert mark_of(file).read_bytes() == latest


async def test_a_journal_that_is_behind_its_mark_or_beside_it_is_refused(file: Path, tmp_path: Path) -> None:
    await play(file, *flips(5))
    latest = Mark.decode(mark_of(file).read_bytes())
    assert latest is not None
    for mark, why in (
        (latest._replace(seq=6), "'game' ends at command 5, but 6 were acknowledged"),
        (latest._replace(check=latest.check ^ 1), "command 5 of 'game' differs from the acknowledged command"),
        (latest._replace(seq=4), "command 4 of 'game' differs from the acknowledged command"),
        (latest._replace(start=latest.start ^ 1), "'game' is not the game that was last played there"),
    ):
        mark_of(file).write_bytes(mark.encode())
        complaint = await refused(file)
        assert why in complaint
        assert "Restore a backup, or run `scramble journal repair` to continue from the sound part" in complaint
        with pytest.raises(JournalError, match=why):
            read_recording(file)
    mark_of(file).write_bytes(latest.encode())
    await play(file)


async def test_each_game_of_a_file_has_a_mark_of_its_own(file: Path, tmp_path: Path) -> None:
    await play(file, *flips(2), name="one")
    shutil.copy(file, tmp_path / "backup")
    await play(file, *flips(3), name="two")
    await play(file, *flips(4), name="one")
    shutil.copy(tmp_path / "backup", file)
    with pytest.raises(JournalError, match="'one' ends at command 2, but 6 were acknowledged"):
        await play(file, name="one")
    with pytest.raises(JournalError, match="game 'two' is missing"):
        await play(file, name="two")
    await play(file, *flips(1), name="three")


async def test_a_failed_write_of_the_mark_stops_the_game_but_keeps_the_command(file: Path) -> None:
    class Unmarked(Files):
        def open_mark(self, path: Path, name: str) -> MarkFile:
            return Reluctant(super().open_mark(path, name))

    class Reluctant:
        def __init__(self, file: MarkFile) -> None:
            self.file = file

        def write(self, mark: bytes) -> None:
            if full:
                raise OSError(28, "No space left on device")
            self.file.write(mark)

        def close(self) -> None:
            self.file.close()

    full = False
    with pytest.raises(ExceptionGroup) as group:
        async with open_game(Board.parse(BOARD), journal=Journal(file, disk=Unmarked())) as game:
            await game.flip("ann", 0, 0)
            full = True
            with pytest.raises(GameStopped, match="its mark cannot be written: No space left on device"):
                await game.flip("ann", 1, 0)
            await trio.sleep_forever()
    assert group.group_contains(JournalFailed)
    with pytest.raises(JournalError, match="its mark cannot be written"):
        async with open_game(Board.parse(BOARD), journal=Journal(file, disk=Unmarked())):
            pass
    assert len(read_recording(file).records) == 2
    await play(file)


# --- a file that is cut -----------------------------------------------------------------------------------


def cut(size: int, file: Path) -> None:
    os.truncate(file, size)


@pytest.mark.parametrize("harm", [partial(cut, 0), partial(cut, 1), Path.unlink])
@pytest.mark.parametrize("begin", [killed, lambda file, count: play(file, *flips(count))])
async def test_a_cut_or_missing_file_does_not_count_as_a_new_game(
    begin: Callable[[Path, int], object], harm: Callable[[Path], None], file: Path
) -> None:
    await begin(file, 5)  # type: ignore[misc]
    harm(file)
    assert "is empty or gone, but games were kept in it" in await refused(file)
    with pytest.raises(JournalError, match="is empty or gone"):
        await play(file, name="another")
    for path in (log_of(file), mark_of(file)):
        path.unlink(missing_ok=True)
    await play(file, *flips(1))  # a new game, as the message says
    assert len(read_recording(file).records) == 1


async def test_a_cut_file_with_only_a_log_beside_it_does_not_count_as_a_new_game(file: Path) -> None:
    await killed(file, 5)
    cut(0, file)
    mark_of(file).unlink()
    assert "as a game.db-wal beside it shows" in await refused(file)


# --- the lock ---------------------------------------------------------------------------------------------


async def test_a_file_in_use_by_an_older_version_is_refused(file: Path) -> None:
    await play(file)
    for name in ("game", "another"):
        with open(f"{file}-{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            assert "another process uses this file" in await refused(file)
    await play(file)


class Late(Files):
    """A disk that calls `happens` just before a journal is locked."""

    def __init__(self, happens: Callable[[], object]) -> None:
        self._happens = happens

    def lock(self, path: Path) -> Lock:
        self._happens()
        return super().lock(path)


async def test_a_game_that_another_process_plays_or_begins_before_it_is_locked_is_refused(file: Path) -> None:
    for before in ((), flips(3)):
        late = Late(lambda: trio.run(partial(play, file, *flips(2))))
        with pytest.raises(JournalError, match="another process has just changed 'game': try again"):
            async with open_game(Board.parse(BOARD), journal=Journal(file, disk=late)):
                pass
        await play(file, *before)
    late = Late(lambda: change(file, "DELETE FROM commands WHERE seq > 4"))
    with pytest.raises(JournalError, match="another process has just changed"):
        async with open_game(Board.parse(BOARD), journal=Journal(file, disk=late)):
            pass


# --- recovery ---------------------------------------------------------------------------------------------


async def test_waiting_requests_are_withdrawn_in_the_journal_before_any_other_command(file: Path) -> None:
    async def wait() -> None:
        with pytest.raises(GameClosed):
            await game.flip("bob", 0, 0)

    async with trio.open_nursery() as nursery, open_game(Board.parse(BOARD), journal=Journal(file)) as game:
        await game.flip("ann", 0, 0)
        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
    assert b'"Withdraw"' not in read_recording(file).records[-1].command
    async with open_game(Board.parse(BOARD), journal=Journal(file)):
        assert b'"Withdraw"' in read_recording(file).records[-1].command


async def test_damage_that_no_query_reads_is_found_by_reading_from_the_beginning(
    file: Path,
) -> None:
    await play(file, *flips(2))
    data = bytearray(file.read_bytes())
    data[39] = 1  # the number of free pages, which no query reads
    file.write_bytes(data)
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT count(*) FROM commands").fetchone() == (2,)
    assert "is damaged: " in await refused(file)
    with pytest.raises(JournalError, match="is damaged: "):
        read_recording(file)
    assert len(read_recording(file, after=1).records) == 1
