# ruff: noqa: ASYNC220, ASYNC240 - nothing else runs while these tests look at files
"""Backups of journals: the copies contain all acknowledged commands and can be continued, also during a game.

Partitions:
- the journal is: at rest; played in this process, with moves in progress; played by another process; left by a killed
  process; of several games; without a mark, with a torn mark; damaged; behind its mark; missing
- the target path: is free; is taken, by a file or by another file of a journal; has no folder
- the backup is: read; continued; copied back
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner

from scramble.cli.main import main
from scramble.journal import Journal, JournalError, back_up, read_recording
from scramble.memory import Board, open_game
from tests.unit.journal.test_lost import flips, killed, log_of, mark_of
from tests.unit.journal.test_recording import BOARD, KILLED, change, fingerprint, play


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    return tmp_path / "a game.db"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups" / "copy.db"


def is_sound(file: Path) -> bool:
    return CliRunner().invoke(main, ["journal", "check", str(file)]).exit_code == 0


async def test_a_backup_during_a_game_has_all_acknowledged_commands_and_can_be_continued(
    file: Path, copy: Path
) -> None:
    acknowledged = 0
    async with open_game(Board.parse(BOARD), journal=Journal(file)) as game, trio.open_nursery() as nursery:

        async def play_on() -> None:
            nonlocal acknowledged
            while True:
                await game.new_game("ann", acknowledged)
                acknowledged += 1

        nursery.start_soon(play_on)
        while acknowledged < 20:
            await trio.lowlevel.checkpoint()
        before = acknowledged
        await trio.to_thread.run_sync(back_up, file, copy)
        after = acknowledged
        nursery.cancel_scope.cancel()
    records = read_recording(copy).records
    assert before <= len(records) <= after + 1
    assert records == read_recording(file).records[: len(records)]
    assert {path.name for path in copy.parent.iterdir()} == {"copy.db", "copy.db.game.mark"}
    assert {path.stat().st_mode & 0o777 for path in copy.parent.iterdir()} == {0o600}
    assert is_sound(copy)
    await play(copy, ("ann", 0, 0))


async def test_a_backup_of_a_game_that_another_process_plays_restores_it_after_a_kill(file: Path, copy: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(file), BOARD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        back_up(file, copy)
        process.kill()
    for path in (file, log_of(file), mark_of(file)):
        path.unlink()
    shutil.copy(copy, file)
    shutil.copy(mark_of(copy), mark_of(file))
    assert await play(file) == "2x2\nup A\ndown\ndown\ndown\n"


async def test_a_backup_has_commands_that_are_only_in_the_log_and_changes_nothing(file: Path, copy: Path) -> None:
    await killed(file, 5)
    before = fingerprint(file.parent)
    back_up(file, copy)
    assert fingerprint(file.parent) == before
    assert read_recording(copy) == read_recording(file)


@pytest.mark.parametrize("mark", [None, b"torn"])
async def test_all_games_of_a_file_and_all_sound_marks_are_copied(file: Path, copy: Path, mark: bytes | None) -> None:
    await play(file, *flips(3), name="one")
    await play(file, *flips(4), name="two")
    if mark is None:
        mark_of(file, "two").unlink()
    else:
        mark_of(file, "two").write_bytes(mark)
    back_up(file, copy)
    assert [len(read_recording(copy, name).records) for name in ("one", "two")] == [3, 4]
    assert mark_of(copy, "one").read_bytes() == mark_of(file, "one").read_bytes()
    assert not mark_of(copy, "two").exists()


async def test_a_damaged_or_missing_journal_is_not_backed_up_and_nothing_is_left(file: Path, copy: Path) -> None:
    with pytest.raises(JournalError, match="there is no such file"):
        back_up(file, copy)
    await play(file, *flips(5))
    shutil.copytree(file.parent, file.parent / "sound", ignore=shutil.ignore_patterns("backups"))
    change(file, "UPDATE commands SET time = time + 1 WHERE seq = 2")
    with pytest.raises(JournalError, match=r"is damaged at command 2 of 'game'\. Restore a backup"):
        back_up(file, copy)
    shutil.copy(file.parent / "sound" / file.name, file)
    change(file, "DELETE FROM commands WHERE seq > 3")
    with pytest.raises(JournalError, match="ends at command 3, but 5 were acknowledged"):
        back_up(file, copy)
    file.write_text("dear diary\n" * 100)
    with pytest.raises(JournalError, match="not a database"):
        back_up(file, copy)
    assert list(copy.parent.iterdir()) == []


async def test_nothing_is_overwritten_and_the_folder_must_exist(file: Path, copy: Path) -> None:
    await play(file, *flips(2))
    for there in (copy, log_of(copy), mark_of(copy)):
        there.write_text("something")
        before = fingerprint(copy.parent)
        with pytest.raises(JournalError, match="choose another name"):
            back_up(file, copy)
        assert fingerprint(copy.parent) == before
        there.unlink()
    with pytest.raises(JournalError, match="No such file or directory"):
        back_up(file, copy.parent / "nowhere" / "copy.db")
