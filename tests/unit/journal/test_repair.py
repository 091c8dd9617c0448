# ruff: noqa: ASYNC240 - nothing else runs while these tests look at files
"""`scramble journal check` and `scramble journal repair`, called from the command line, on real files.

Partitions:
- the game is: Memory, Minesweeper, Crossword; one of several in the file
- the file is: sound (at rest, or left by a kill); being played; missing; another program's; of a newer format
- the fault: no fault; the log has a flipped bit (in a page, a header, its own header), ends in a torn transaction, is
  missing; the file is empty, of one byte, missing, with its log and without; a command, its number, a digest, a game's
  beginning is damaged, with a mark and without; pages are damaged; leftovers; an older copy or another game replaces
  the file
- the mark is: present; missing; torn
- after a repair: the copy has the old contents; the game opens and continues; a check finds no fault
"""

from __future__ import annotations

import os
import random
import re
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner, Result

from scramble.cli.main import main
from scramble.crossword import Puzzle, open_lobby
from scramble.journal import Journal, JournalError, commandlog, read_recording
from scramble.journal.mark import Mark
from scramble.journal.wal import read_log
from scramble.memory import Board, open_game
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from tests.support.crossword.driver import EXTENDED
from tests.unit.journal.test_lost import flips, killed, log_of, mark_of
from tests.unit.journal.test_recording import BOARD, change, play

SOUND, UNSOUND, LOST = 0, 1, 3
DIGEST_EVERY = 50  # in these tests, so that short games have digests and snapshots


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    return tmp_path / "a game.db"


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write digests and snapshots often."""
    monkeypatch.setattr(commandlog, "DIGEST_EVERY", DIGEST_EVERY)


def journal(command: str, file: Path) -> Result:
    return CliRunner().invoke(main, ["journal", command, str(file)])


def contents(folder: Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def checked(file: Path) -> str:
    """Return the faults that a check finds; verify that the check changes nothing."""
    before = contents(file.parent)
    result = journal("check", file)
    assert contents(file.parent) == before
    assert result.exit_code == UNSOUND, result.output
    assert "Traceback" not in result.output
    return result.output


async def repaired(file: Path, commands: int, code: int, *, name: str = "game") -> str:
    """Repair; verify that copies of the old files exist and the game continues after `commands`; return the output."""
    before = contents(file.parent)
    result = journal("repair", file)
    assert result.exit_code == code, result.output
    after = contents(file.parent)
    copy = next(
        path for path in after if path.startswith(f"{file.name}.before-repair") and path.endswith(("repair", "2"))
    )
    for path, content in before.items():
        if re.fullmatch(re.escape(file.name) + r"(-wal|\.[\w-]+\.mark)?", path):
            assert after.get(copy + path.removeprefix(file.name), b"") == content
    assert f"{name}: continues after command {commands}." in result.output
    assert "It is sound." in journal("check", file).output
    assert len(read_recording(file, name).records) == commands
    await play(file, *flips(2), name=name)
    assert "It is sound." in journal("check", file).output
    return result.output


# --- sound ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("often")
async def test_a_sound_journal_is_reported_as_sound_and_a_repair_does_not_change_it(file: Path) -> None:
    await play(file, *flips(DIGEST_EVERY + 1))
    await play(file, *flips(2), name="another")
    for suffix in ("", "-without"):
        before = contents(file.parent)
        for command in ("check", "repair"):
            result = journal(command, file)
            assert result.exit_code == SOUND
            assert "It is sound" in result.output
        assert contents(file.parent) == before
        for name in () if suffix else ("game", "another"):
            mark_of(file, name).unlink()


async def test_a_log_that_a_killed_process_left_is_sound_also_with_a_torn_transaction_at_its_end(file: Path) -> None:
    await killed(file, 20)
    log = log_of(file).read_bytes()
    for size in (len(log), len(log) - 3000, len(log) - 9000):
        log_of(file).write_bytes(log[:size])
        if size < len(log):
            mark_of(file).unlink(missing_ok=True)
        before = contents(file.parent)
        assert journal("check", file).exit_code == SOUND
        assert contents(file.parent) == before


async def test_without_a_mark_a_damaged_last_transaction_counts_as_never_synced(
    file: Path,
) -> None:
    await killed(file, 20)
    mark_of(file).unlink()
    log = bytearray(log_of(file).read_bytes())
    log[-10] ^= 1
    log_of(file).write_bytes(log)
    assert journal("check", file).exit_code == SOUND


@pytest.mark.parametrize(("at", "left"), [(None, 110), (3000, 109)])
def test_frames_from_before_a_restart_of_the_log_are_left_out(at: int | None, left: int, file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        for setting in ("journal_mode = WAL", "synchronous = OFF", "wal_autocheckpoint = 20"):
            database.execute(f"PRAGMA {setting}")
        database.execute("CREATE TABLE numbers (number, filling)")
        for number in range(110):
            database.execute("INSERT INTO numbers VALUES (?, ?)", (number, "x" * 300))
        data, content = bytearray(log_of(file).read_bytes()), file.read_bytes()
        if at is not None:
            data[at] ^= 1
        log = read_log(bytes(data))
    assert 0 < len(log.frames) < len(data) // 4120
    assert (log.damage, log.read) == ((None, len(log.frames)) if at is None else (1, 0))
    file.write_bytes(log.applied(content))
    with closing(sqlite3.connect(f"file:{quote(str(file))}?immutable=1", uri=True)) as database:
        assert database.execute("SELECT count(*), max(number) FROM numbers").fetchone() == (left, 109)


async def test_every_game_can_be_checked(tmp_path: Path) -> None:
    async with open_field(Field.random(5, 5, 1), journal=Journal(tmp_path / "mines.db")) as game:
        await game.flag(0, 0)
    async with open_lobby([Puzzle.parse(EXTENDED, id="p")], journal=Journal(tmp_path / "words.db")):
        pass
    games = (("mines.db", "minesweeper", "1 sound command"), ("words.db", "crossword", "0 sound commands"))
    for name, kind, commands in games:
        result = journal("check", tmp_path / name)
        assert result.exit_code == SOUND, result.output
        assert f"a game of {kind}: {commands}," in result.output


async def test_the_marks_of_a_file_with_a_similar_name_are_left_alone(file: Path) -> None:
    other = file.with_name(f"{file.name}-old")
    await play(other, *flips(3))
    await play(file, *flips(2))
    mark = mark_of(other).read_bytes()
    assert "It is sound." in journal("check", file).output
    shutil.copy(file, file.with_name("backup"))
    await play(file, *flips(3))
    file.with_name("backup").replace(file)
    assert file.name in await repaired(file, 2, LOST)
    assert mark_of(other).read_bytes() == mark


async def test_control_characters_of_a_damaged_name_are_escaped(file: Path) -> None:
    await play(file, *flips(2), name="one")
    await play(file, *flips(2), name="two")
    change(file, "UPDATE games SET name = 'o\x07e' WHERE name = 'one'")
    assert "\x07" not in checked(file)
    said = await repaired(file, 2, LOST, name="two")
    assert "at least 2 acknowledged commands are missing." in said
    assert "\x07" not in said


async def test_a_check_makes_no_lock_beside_a_journal_of_an_older_version(file: Path) -> None:
    await play(file, *flips(2))
    mark_of(file).unlink()
    file.with_name(f"{file.name}-lock").rename(f"{file}-game.lock")
    before = contents(file.parent)
    assert "It is sound." in journal("check", file).output
    assert contents(file.parent) == before


async def test_a_file_that_is_no_journal_or_is_in_use_is_refused_in_one_line(file: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("dear diary\n" * 1000)
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE games (name)")
        other.commit()
    await play(tmp_path / "newer.db")
    change(tmp_path / "newer.db", "PRAGMA user_version = 99")
    async with open_game(Board.parse(BOARD), journal=Journal(file)):
        for name, why in (
            ("none.db", "there is no such file"),
            ("other.db", "a database of another program, not a journal of scramble: choose another file"),
            ("newer.db", "has format 99, but this version of scramble reads formats up to 3: install a newer version"),
            (file.name, "another process uses this file"),
            (".", "not a file that can keep a game"),
        ):
            for command in ("check", "repair"):
                result = journal(command, tmp_path / name)
                assert result.exit_code == UNSOUND
                assert why in result.output
                assert result.output.count("\n") == 1
    assert not list(tmp_path.glob("none.db*")), "no file is made beside a missing file"
    assert "not a database" in checked(tmp_path / "text")
    assert "no game in it is sound" in journal("repair", tmp_path / "text").output


# --- the log ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["header", "first frame's header", "page"])
async def test_a_flipped_bit_in_the_log_costs_no_command_whose_page_was_written_again(place: str, file: Path) -> None:
    await killed(file, 30)
    whole = read_recording(file)
    log = bytearray(log_of(file).read_bytes())
    log[{"header": 17, "first frame's header": 40, "page": len(log) // 2}[place]] ^= 1
    log_of(file).write_bytes(log)
    said = checked(file)
    assert " of its log is damaged" in said
    assert "but 30 were acknowledged" in said or "but 30 of its commands were acknowledged" in said
    assert "No acknowledged command is missing." in await repaired(file, 30, SOUND)
    assert read_recording(file).records[:30] == whole.records


async def test_a_flipped_bit_in_the_last_page_costs_its_commands(file: Path) -> None:
    await killed(file, 30)
    log = bytearray(log_of(file).read_bytes())
    log[-10] ^= 1
    log_of(file).write_bytes(log)
    assert "game: it ends at command 29, but 30 were acknowledged" in checked(file)
    assert "game: at least 1 acknowledged command is missing." in await repaired(file, 29, LOST)


async def test_without_a_mark_a_flipped_bit_in_the_log_is_found_by_a_check(file: Path) -> None:
    await killed(file, 30)
    mark_of(file).unlink()
    log = bytearray(log_of(file).read_bytes())
    log[len(log) // 2] ^= 1
    log_of(file).write_bytes(log)
    assert " of its log is damaged" in checked(file)
    await repaired(file, 30, SOUND)


# --- the file ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("harm", [lambda file: os.truncate(file, 0), lambda file: os.truncate(file, 1), Path.unlink])
async def test_a_cut_file_is_repaired_from_a_complete_log(harm: Callable[[Path], None], file: Path) -> None:
    await killed(file, 30)
    harm(file)
    said = checked(file)
    assert "a game.db is empty or gone" in said
    assert "game: it is not there, but 30 of its commands were acknowledged" in said
    await repaired(file, 30, SOUND)


async def test_a_file_that_is_cut_and_has_no_log_cannot_be_repaired_and_stays_as_it_is(file: Path) -> None:
    await play(file, *flips(5))
    os.truncate(file, 0)
    checked(file)
    before = contents(file.parent)
    result = journal("repair", file)
    assert (result.exit_code, result.output.count("\n")) == (UNSOUND, 1)
    assert "no game in it is sound; restore a backup" in result.output
    assert contents(file.parent) == before


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize(
    ("statement", "complaint", "left"),
    [
        ("UPDATE commands SET command = replace(command, 'ann', 'bob') WHERE seq = 5", "game: command 5 is damaged", 4),
        ("UPDATE commands SET ticket = 9 WHERE seq = 7", "game: command 7 is damaged", 6),
        ("UPDATE commands SET time = time + 1 WHERE seq = 1", "game: command 1 is damaged", 0),
        ("DELETE FROM commands WHERE seq = 9", "game: command 9 is damaged", 8),
    ],
)
async def test_a_game_goes_on_from_the_last_command_before_a_damaged_one(
    statement: str, complaint: str, left: int, marked: bool, file: Path
) -> None:
    await play(file, *flips(12))
    await play(file, *flips(3), name="another")
    change(file, f"{statement} AND game = 1")
    if not marked:
        mark_of(file).unlink()
    assert complaint in checked(file)
    said = await repaired(file, left, LOST)
    missing = 12 - left if marked else 12 - left - statement.startswith("DELETE")
    assert f"game: at least {missing} acknowledged commands are missing." in said
    assert len(read_recording(file, "another").records) == 3


@pytest.mark.usefixtures("often")
async def test_a_damaged_digest_costs_nothing(file: Path) -> None:
    await play(file, *flips(DIGEST_EVERY + 1))
    change(file, "UPDATE digests SET digest = replace(digest, '1', 'x')")
    assert f"command {DIGEST_EVERY} leads to another state than its digest says" in checked(file)
    await repaired(file, DIGEST_EVERY + 1, SOUND)


@pytest.mark.parametrize("column", ["state", "parked", "ticket", "digest"])
@pytest.mark.usefixtures("often")
async def test_a_damaged_snapshot_costs_nothing(column: str, file: Path) -> None:
    await play(file, *flips(DIGEST_EVERY + 1))
    assert journal("check", file).exit_code == SOUND
    change(file, f"UPDATE snapshots SET {column} = {column} || '1'")
    assert f"the snapshot of command {DIGEST_EVERY} is not what the commands lead to" in checked(file)
    await repaired(file, DIGEST_EVERY + 1, SOUND)


@pytest.mark.usefixtures("often")
async def test_a_snapshot_of_a_missing_command_is_a_problem(file: Path) -> None:
    await play(file, *flips(DIGEST_EVERY))
    mark_of(file).unlink()
    change(file, f"DELETE FROM commands WHERE seq = {DIGEST_EVERY}")
    assert f"there is a snapshot of command {DIGEST_EVERY}, but not that command" in checked(file)
    said = await repaired(file, DIGEST_EVERY - 1, LOST)
    assert "game: at least 1 acknowledged command is missing." in said


@pytest.mark.parametrize("marked", [True, False])
async def test_a_game_whose_beginning_is_damaged_is_given_up_and_the_others_go_on(marked: bool, file: Path) -> None:
    await play(file, *flips(4))
    await play(file, *flips(3), name="another")
    change(file, "UPDATE games SET first = replace(first, 'A', 'C') WHERE name = 'game'")
    if not marked:
        mark_of(file).unlink()
    assert "'game': it is damaged where it begins" in checked(file)
    said = await repaired(file, 3, LOST, name="another")
    assert "game: at least 4 acknowledged commands are missing." in said
    await play(file, *flips(1))  # a new game with that name


async def test_damaged_pages_are_noticed_and_the_game_continues_from_earlier_commands(file: Path) -> None:
    await play(file, *flips(150))
    sound, rng = file.read_bytes(), random.Random(1)
    mark, ends = mark_of(file).read_bytes(), set()
    for page in range(1, len(sound) // 4096):
        data = bytearray(sound)
        data[page * 4096 : page * 4096 + 200] = rng.randbytes(200)
        file.write_bytes(data)
        mark_of(file).write_bytes(mark)
        result = journal("check", file)
        if result.exit_code == SOUND:
            continue
        result = journal("repair", file)
        assert result.exit_code in (SOUND, LOST, UNSOUND)
        ends.add(result.exit_code)
        if result.exit_code != UNSOUND:
            assert "It is sound." in journal("check", file).output
            await play(file)
    assert LOST in ends


async def test_a_game_that_is_missing_in_a_damaged_index_is_repaired(file: Path) -> None:
    await play(file, *flips(3))
    data = bytearray(file.read_bytes())
    data[data.index(b"\x15\tgame") + 2] ^= 4  # the entry in the index of names
    file.write_bytes(data)
    checked(file)
    await repaired(file, 3, SOUND)


async def test_a_repair_removes_leftovers_in_the_file(file: Path) -> None:
    await play(file, *flips(3))
    data = bytearray(file.read_bytes())
    data[39] = 1  # claim one free page, although the file has no free page
    file.write_bytes(data)
    checked(file)
    await repaired(file, 3, SOUND)


# --- the mark ---------------------------------------------------------------------------------------------


async def test_a_repair_accepts_a_restored_backup_and_reports_the_loss(file: Path, tmp_path: Path) -> None:
    await play(file, *flips(5))
    shutil.copy(file, tmp_path / "backup")
    await play(file, *flips(4), name="another")
    await play(file, *flips(3))
    shutil.copy(tmp_path / "backup", file)
    said = checked(file)
    assert "game: it ends at command 5, but 8 were acknowledged" in said
    assert "another: it is not there, but 4 of its commands were acknowledged" in said
    said = await repaired(file, 5, LOST)
    assert "game: at least 3 acknowledged commands are missing." in said
    assert "another: at least 4 acknowledged commands are missing." in said
    await play(file, *flips(1), name="another")


async def test_a_repair_accepts_another_game_in_its_place(file: Path, tmp_path: Path) -> None:
    await play(file, *flips(5))
    await play(tmp_path / "other.db", *flips(2))
    shutil.copy(tmp_path / "other.db", file)
    assert "game: it is not the game that was last played there" in checked(file)
    assert "game: at least 5 acknowledged commands are missing." in await repaired(file, 2, LOST)


async def test_a_command_that_differs_from_the_acknowledged_one_is_reported(file: Path) -> None:
    await play(file, *flips(5))
    mark = Mark.decode(mark_of(file).read_bytes())
    assert mark is not None
    mark_of(file).write_bytes(mark._replace(check=mark.check ^ 1).encode())
    assert "game: command 5 differs from the acknowledged command" in checked(file)
    await repaired(file, 5, LOST)


async def test_a_second_repair_keeps_the_copy_of_the_first(file: Path) -> None:
    for number in (5, 6):
        await play(file, *flips(number))
        change(file, "DELETE FROM commands WHERE seq = (SELECT max(seq) FROM commands)")
        with pytest.raises(JournalError, match="scramble journal repair"):
            await play(file)
        assert journal("repair", file).exit_code == LOST
    copies = [file.with_name(f"{file.name}.before-repair{suffix}") for suffix in ("", "-2")]
    assert [len(read_recording(copy, "game", after=1).records) for copy in copies] == [3, 8]
    assert all(copy.stat().st_mode & 0o777 == 0o600 for copy in (*copies, file))
