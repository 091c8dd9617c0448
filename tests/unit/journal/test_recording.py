# ruff: noqa: ASYNC220, ASYNC240 - nothing else runs while these tests look at files
"""Games in a journal: real SQLite files with games of Memory Scramble.

Partitions:
- a game is: begun; continued, once and several times; opened with the same start or another start
- waiting requests at the end: no request; flips and watches that were parked by a closed process, or by a killed
  process
- the number of commands is below and above DIGEST_EVERY
- the file: is new; empty; has other games; is of format 1, 2; is of another game's kind, name or format; belongs to
  another program; is no database; is a folder; is damaged in a page, a command, a state, a digest; is cut; is in use;
  is not writable; cannot be locked
- its path: is plain; is a link; begins with two slashes; has characters with a meaning in a URI; is not Unicode
- commands: of wrong types; not Unicode; with values that differ from their written form
- the clock: advances; is set back
- a recording is read: of a file at rest; during its writing; from a number on; by name
"""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.errors import GameClosed, GameStopped, InvalidCommand
from scramble.journal import Journal, JournalError, JournalFailed, commandlog, read_recording, recorded
from scramble.journal.commandlog import DIGEST_EVERY
from scramble.journal.disk import Files, SqlConnection
from scramble.journal.sqlite import JOURNAL_FORMAT
from scramble.kernel.protocol import Ticket
from scramble.memory import Board, FlipFailed, open_game
from scramble.memory.messages import CommitMap, Flip
from scramble.minesweeper import Field

BOARD = "2x2\nA\nB\nA\nB\n"
OTHER_BOARD = "2x2\nA\nA\nB\nB\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a game.db"  # with a space in the path


async def play(file: Path, *flips: tuple[str, int, int], name: str = "game", board: str = BOARD) -> str:
    """Make these flips, and ignore failures; return the last board, as a player without cards sees it."""
    async with open_game(Board.parse(board), journal=Journal(file, name)) as game:
        for flip in flips:
            with suppress(FlipFailed):
                await game.flip(*flip)
        return await game.look("nobody")


# --- continuing a game ---------------------------------------------------------------------------------------


async def test_a_game_continues_from_its_last_state_and_version(file: Path) -> None:
    before = await play(file, ("ann", 0, 0), ("ann", 1, 0), ("bob", 0, 1))
    async with open_game(Board.parse(BOARD), journal=Journal(file)) as game:
        assert await game.look("nobody") == before
        snapshot = await game.snapshot()
        assert (snapshot.version, snapshot.scores) == (3, {"ann": 0, "bob": 0})
        await game.flip("ann", 1, 1)  # removes the pair
        assert (await game.snapshot()).scores == {"ann": 1, "bob": 0}
    assert await play(file) == "2x2\nnone\nup B\nnone\nup B\n"


async def test_a_game_ignores_a_different_board_unless_the_start_must_be_the_same(file: Path) -> None:
    before = await play(file, ("ann", 0, 0))
    assert await play(file, board=OTHER_BOARD) == before
    async with open_game(Board.parse(BOARD), journal=Journal(file, same_start=True)) as game:
        assert await game.look("nobody") == before
    with pytest.raises(JournalError, match="began with other settings than the given ones"):
        async with open_game(Board.parse(OTHER_BOARD), journal=Journal(file, same_start=True)):
            pass


@pytest.mark.parametrize("commands", [DIGEST_EVERY - 1, DIGEST_EVERY, 2 * DIGEST_EVERY + 1])
async def test_a_long_game_goes_on(file: Path, commands: int) -> None:
    async with open_game(Board.parse(BOARD), journal=Journal(file)) as game, trio.open_nursery() as nursery:
        for number in range(commands):
            nursery.start_soon(game.new_game, "ann", number)
        # the requests may be recorded in any order
    recording = read_recording(file)
    assert [record.seq for record in recording.records] == list(range(1, commands + 1))
    assert list(recording.digests) == list(range(DIGEST_EVERY, commands + 1, DIGEST_EVERY))
    async with recorded(Board.parse(BOARD), Journal(file)) as kept:
        assert (kept.commands, kept.recovered) == (commands, True)


async def test_a_new_game_is_not_a_recovered_one(file: Path) -> None:
    async with recorded(Board.parse(BOARD), Journal(file)) as kept:
        assert (kept.commands, kept.recovered) == (0, False)
        assert kept.log is not None
    async with recorded(Board.parse(BOARD), None) as kept:
        assert (kept.log, kept.commands, kept.recovered) == (None, 0, False)


async def test_requests_that_waited_at_the_close_are_withdrawn_and_win_nothing(file: Path) -> None:
    async with trio.open_nursery() as nursery, open_game(Board.parse(BOARD), journal=Journal(file)) as game:
        await game.flip("ann", 0, 0)
        for ask in (game.flip, game.watch):
            nursery.start_soon(_until_closed, ask, "bob", *((0, 0) if ask == game.flip else ()))
        await wait_all_tasks_blocked()
        assert (await game.snapshot()).waiting == {"bob": (0, 0)}
    async with open_game(Board.parse(BOARD), journal=Journal(file)) as game:
        assert (await game.snapshot()).waiting == {}
        with pytest.raises(FlipFailed):
            await game.flip("ann", 0, 0)  # relinquishes the card
        assert "my" not in await game.look("bob")
    kinds = [record.command for record in read_recording(file).records]
    assert kinds.count(b'{"type":"Withdraw"}') == 1  # the watch was never written, so its withdrawal is not written


async def _until_closed(ask: Callable[..., Awaitable[str]], *arguments: object) -> None:
    with pytest.raises(GameClosed):
        await ask(*arguments)


KILLED = """
import sys, trio, os
from scramble.journal import Journal
from scramble.memory import Board, open_game

async def main():
    journal = Journal(sys.argv[1])
    async with open_game(Board.parse(sys.argv[2]), journal=journal) as game, trio.open_nursery() as nursery:
        await game.flip("ann", 0, 0)
        nursery.start_soon(game.flip, "bob", 0, 0)
        await trio.testing.wait_all_tasks_blocked()
        print((await game.look("ann")).replace("\\n", " "), flush=True)
        await trio.to_thread.run_sync(sys.stdin.read)

import trio.testing
trio.run(main)
"""


async def test_answered_commands_survive_a_kill_and_waiting_requests_are_withdrawn(file: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(file), BOARD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "2x2 my A down down down \n"
        with pytest.raises(JournalError, match="another process uses this file"):
            await play(file)
        assert len(read_recording(file).records) == 2
        process.kill()
    assert await play(file) == "2x2\nup A\ndown\ndown\ndown\n"
    assert len(read_recording(file).records) == 3


async def test_a_board_in_the_middle_of_a_game_is_a_valid_first_state(file: Path) -> None:
    board = Board.parse(BOARD)
    board.apply(Ticket(0), Flip("ann", 0, 0))
    async with open_game(board, journal=Journal(file)) as game:
        await game.flip("ann", 1, 0)
    assert await play(file, ("ann", 0, 1)) == "2x2\nnone\nup B\nnone\ndown\n"


# --- written commands ----------------------------------------------------------------------------------


async def test_queries_and_invalid_commands_are_not_written(file: Path) -> None:
    async with open_game(Board.parse(BOARD), journal=Journal(file)) as game:
        await game.look("ann")
        await game.snapshot()
        for nonsense in (
            game.flip("ann", 9, 9),
            game.flip("ann", 0, "0"),  # type: ignore[arg-type]
            game.flip("ann", True, 0),
            game.flip("\ud800", 0, 0),
            game.replace("ann", "A", "\ud800"),
            game.new_game("ann", 1.5),  # type: ignore[arg-type]
        ):
            with pytest.raises(InvalidCommand):
                await nonsense
        assert (await game.snapshot()).version == 0
        await game.new_game("ann", 2**64 - 1)
    (record,) = read_recording(file).records
    assert record.command == b'{"type":"NewGame","player":"ann","seed":18446744073709551615}'
    await play(file)


class Shouting(dict[str, str]):
    """A mapping whose lookups differ from its contents."""

    def __getitem__(self, key: str) -> str:
        return super().__getitem__(key).upper()


async def test_a_command_is_applied_in_its_written_form_whatever_a_program_has_given(file: Path) -> None:
    async with open_game(Board.parse(BOARD), journal=Journal(file)) as game:
        await game.ask(CommitMap("ann", Shouting(A="one", B="two")))
        before = await game.flip("ann", 0, 0)
    assert before == "2x2\nmy one\ndown\ndown\ndown\n"
    async with open_game(Board.parse(BOARD), journal=Journal(file)) as game:
        assert await game.look("ann") == before


class Clock(Files):
    """A disk with a clock that the test sets."""

    time = 5000.0

    def now(self) -> float:
        return self.time


async def test_times_never_go_back_though_the_clock_does_also_across_processes(file: Path) -> None:
    disk = Clock()
    for disk.time in (5000.0, 4000.0, 4500.0, 6000.0):
        async with open_game(Board.parse(BOARD), journal=Journal(file, disk=disk)) as game:
            await game.new_game("ann", 1)
    assert [record.time for record in read_recording(file).records] == [5000, 5000, 5000, 6000]
    assert read_recording(file).began == 5000


async def test_a_journal_is_for_its_owner_alone_to_read(file: Path) -> None:
    await play(file, ("ann", 0, 0))
    assert file.stat().st_mode & 0o777 == 0o600


async def test_games_share_a_file_by_different_names_even_of_different_kinds_one_at_a_time(file: Path) -> None:
    await play(file, ("ann", 0, 0), name="one")
    await play(file, ("bob", 0, 1), name="two", board=OTHER_BOARD)
    async with recorded(Field.random(2, 2, 1), Journal(file, "mines")):
        with pytest.raises(JournalError, match="another process uses this file: stop it, or choose another file"):
            await play(file, name="one")
    assert await play(file, name="one") == "2x2\nup A\ndown\ndown\ndown\n"
    assert await play(file, name="two") == "2x2\ndown\nup A\ndown\ndown\n"
    assert read_recording(file, "mines").kind == "minesweeper"
    with pytest.raises(JournalError, match="several games in it; say which: mines, one, two"):
        read_recording(file)
    with pytest.raises(JournalError, match="no game 'three'"):
        read_recording(file, "three")


@pytest.mark.parametrize("name", ["", "a b", "../x", "ä", "x" * 65, "a\n"])
def test_other_characters_in_a_name_are_refused(file: Path, name: str) -> None:
    with pytest.raises(JournalError, match="is no name for a game"):
        Journal(file, name)


# --- files that cannot be used ------------------------------------------------------------------------


def fingerprint(folder: Path) -> dict[str, str]:
    """Return each file's hash, without empty files, lock files, and files that SQLite makes to read a database."""
    return {
        path.name: sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.is_file() and not path.name.endswith(("-shm", "-lock")) and path.stat().st_size
    }


async def refused(file: Path) -> str:
    """Check that the journal can be neither played nor read, and is not changed; return the reason."""
    before = fingerprint(file.parent)
    with pytest.raises(JournalError) as playing:
        await play(file)
    assert fingerprint(file.parent) == before
    assert "\n" not in str(playing.value)
    assert str(file) in str(playing.value)
    return str(playing.value)


async def test_another_games_journal_is_refused(file: Path) -> None:
    async with recorded(Field.random(2, 2, 1), Journal(file)):
        pass
    assert "'game' is a game of minesweeper, not of memory: choose another name or file" in await refused(file)


async def test_a_file_that_is_no_journal_is_refused(file: Path) -> None:
    file.write_text("dear diary\n" * 100)
    assert f"{file} is damaged, or is not a journal of scramble: file is not a database. Restore" in await refused(file)
    file.unlink()
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE games (name)")
        database.commit()
    assert "not a journal of scramble" in await refused(file)


async def test_a_folder_a_missing_folder_and_a_missing_file_are_refused(tmp_path: Path, file: Path) -> None:
    assert "not a file that can keep a game" in await refused(tmp_path)
    with pytest.raises(JournalError, match="No such file or directory"):
        await play(tmp_path / "nowhere" / "x.db")
    with pytest.raises(JournalError, match="there is no such file"):
        read_recording(file)


async def test_a_pipe_is_refused_and_no_file_is_made_beside_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "not a file that can keep a game" in await refused(tmp_path / "pipe")
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
    with pytest.raises(JournalError, match="not a file"):
        read_recording(tmp_path / "pipe")


async def test_an_empty_file_is_a_new_journal(file: Path) -> None:
    file.touch()
    assert await play(file, ("ann", 0, 0)) == "2x2\nup A\ndown\ndown\ndown\n"


async def test_a_newer_format_is_refused(file: Path) -> None:
    await play(file, ("ann", 0, 0))
    change(file, f"PRAGMA user_version = {JOURNAL_FORMAT + 1}")
    assert "install a newer version" in await refused(file)


@pytest.mark.parametrize("older", [1, 2])
async def test_an_older_format_is_read_unchanged_and_becomes_3_when_opened_for_writing(file: Path, older: int) -> None:
    before = await play(file, ("ann", 0, 0), ("ann", 1, 0))
    recording = read_recording(file)
    change(file, "DROP TABLE snapshots", f"PRAGMA user_version = {older}")
    content = fingerprint(file.parent)
    assert read_recording(file) == recording
    with pytest.raises(JournalError, match="not authorized"):
        async with open_game(Board.parse(BOARD), journal=Journal(file, disk=NoCommit())):
            pass
    assert fingerprint(file.parent) == content
    assert format_of(file) == older
    assert await play(file) == before
    assert format_of(file) == JOURNAL_FORMAT == 3
    assert read_recording(file) == recording


def format_of(file: Path) -> object:
    with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)) as database:
        ((number,),) = database.execute("PRAGMA user_version")
        return number


class NoCommit(Files):
    """A disk that refuses all commits."""

    def connect(self, path: Path, *, read_only: bool) -> SqlConnection:
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        connection.set_authorizer(lambda _, statement, *__: int(statement == "COMMIT"))  # 1 denies it
        return connection


def change(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


FEW = 20  # commands before a digest, in a short game


@pytest.mark.parametrize(
    ("statement", "complaint"),
    [
        ("UPDATE commands SET command = replace(command, 'ann', 'bob') WHERE seq = 5", "damaged at command 5"),
        ("UPDATE commands SET ticket = 9 WHERE seq = 5", "damaged at command 5"),
        ("UPDATE commands SET time = time + 1 WHERE seq = 5", "damaged at command 5"),
        ("DELETE FROM commands WHERE seq = 5", "damaged at command 5"),
        ("DELETE FROM commands WHERE seq = 1", "damaged at command 1"),
        ("UPDATE games SET first = replace(first, 'A', 'C')", "damaged where 'game' begins"),
        ("UPDATE games SET name = 'gane'", "damaged where 'gane' begins"),
        ("UPDATE games SET began = began + 1", "damaged where 'game' begins"),
        ("UPDATE games SET kind = 'minesweeper'", "damaged where 'game' begins"),
        ("DELETE FROM digests", f"command {FEW} leads to another state"),
        ("UPDATE digests SET digest = 'x'", f"command {FEW} leads to another state"),
        ("DROP TABLE digests", "no such table"),
    ],
)
async def test_a_journal_that_leads_to_another_state_than_before_is_refused(
    file: Path, statement: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commandlog, "DIGEST_EVERY", FEW)
    await play(file, *[("ann", 0, number % 2) for number in range(FEW + 1)])
    change(file, statement)
    complained = await refused(file)
    assert complaint in complained
    assert "estore a backup" in complained


async def test_a_damaged_byte_is_noticed_or_does_not_matter(file: Path) -> None:
    whole = await play(file, *[("ann", 0, number % 2) for number in range(50)])
    data = file.read_bytes()
    complaints = 0
    for position in range(0, len(data), len(data) // 47):
        file.write_bytes(data[:position] + bytes([data[position] ^ 0x55]) + data[position + 1 :])
        try:
            assert await play(file) == whole
        except JournalError:
            complaints += 1
    assert complaints  # most bytes of a small database are unused, so not every change is noticed


async def test_a_file_cut_short_is_refused(file: Path) -> None:
    await play(file, ("ann", 0, 0))
    data = file.read_bytes()
    for size in (50, 100, 4096, len(data) - 4096):
        file.write_bytes(data[:size])
        await refused(file)


async def test_a_read_only_journal_is_refused(file: Path) -> None:
    class ReadOnly(Files):
        def connect(self, path: Path, *, read_only: bool) -> SqlConnection:
            return super().connect(path, read_only=True)

    await play(file, ("ann", 0, 0))
    before = fingerprint(file.parent)
    with pytest.raises(JournalError, match="readonly"):
        async with open_game(Board.parse(BOARD), journal=Journal(file, disk=ReadOnly())):
            pass
    assert fingerprint(file.parent) == before


async def test_two_games_of_one_process_cannot_have_the_same_journal(file: Path) -> None:
    async with open_game(Board.parse(BOARD), journal=Journal(file)) as game:
        with pytest.raises(JournalError, match="another process"):
            await play(file)
        await game.flip("ann", 0, 0)


async def test_a_journal_that_is_reached_by_a_link_is_the_same_journal(file: Path) -> None:
    link = file.with_name("link.db")
    link.symlink_to(file)
    async with open_game(Board.parse(BOARD), journal=Journal(file)) as game:
        with pytest.raises(JournalError, match="another process"):
            await play(link)
        await game.flip("ann", 0, 0)
    assert await play(link) == "2x2\nup A\ndown\ndown\ndown\n"


async def test_a_disk_without_locks_is_not_mistaken_for_a_locked_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(_: object, __: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", flock)
    with pytest.raises(JournalError, match="No locks available"):
        await play(file)


@pytest.mark.parametrize("name", ["a?b#c%41&d.db", "-x.db", "x\udcff.db"])
async def test_a_path_may_have_any_letters_and_begin_with_two_slashes(tmp_path: Path, name: str) -> None:
    before = await play(Path(f"/{tmp_path}/{name}"), ("ann", 0, 0))
    assert (tmp_path / name).exists()
    assert await play(tmp_path / name) == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows deletes no file that is open")
async def test_a_journal_that_is_deleted_while_it_is_played_stops_the_game(file: Path) -> None:
    with pytest.raises(ExceptionGroup) as group:
        async with open_game(Board.parse(BOARD), journal=Journal(file)) as game:
            await game.flip("ann", 0, 0)
            file.unlink()
            with pytest.raises(GameStopped, match="its journal is gone"):
                await game.flip("ann", 1, 0)
            await trio.sleep_forever()
    assert group.group_contains(JournalFailed)


# --- reading ------------------------------------------------------------------------------------------


async def test_a_recording_can_be_read_during_its_writing_and_from_a_number_on(file: Path) -> None:
    async with open_game(Board.parse(BOARD), journal=Journal(file)) as game:
        await game.flip("ann", 0, 0)
        first = read_recording(file)
        await game.flip("ann", 0, 1)
        await game.flip("ann", 1, 1)
        rest = read_recording(file, "game", after=1)
    assert [record.seq for record in first.records] == [1]
    assert [record.seq for record in rest.records] == [2, 3]
    assert read_recording(file).records == first.records + rest.records
    assert read_recording(file, after=3).records == ()
    assert (first.kind, first.name, first.first) == ("memory", "game", Board.parse(BOARD).state())
