"""`scramble replay`: real SQLite files, of all three games.

Testing strategy.

- output to a pipe: the whole game, the board after a command, the table; for each game: test_a_pipe_*, test_at_*,
  test_summary_*
- on a terminal: played at the original speed, shortened, ended by Ctrl-C: test_a_terminal_*, test_ctrl_c_*
- the page: served, stopped: test_http_port_*
- files: several games, another program's, damaged, none; invalid places; contradicting options:
  test_a_file_*, test_errors_*
- text from players that could move the cursor: test_what_would_move_*
"""

from __future__ import annotations

import os
import pty
import re
import signal
import sqlite3
import subprocess
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scramble.cli.main import main
from scramble.journal.recorder import first_checksum
from scramble.memory.messages import Flip
from tests.support import HANG_S
from tests.support.process import SCRAMBLE, ServerProcess
from tests.support.replay.files import write
from tests.support.replay.tape import Talk, Tape, memory, random_minesweeper

BOARD = "2x2\nA\nB\nB\nA\n"
NEVER = rb"\Anothing prints this\Z"


def short() -> Tape:
    tape = memory(BOARD)
    for flip in (("ann", 0, 0), ("bob", 0, 1), ("ann", 1, 1), ("bob", 1, 1), ("ann", 1, 0)):
        tape.do(Flip(*flip))
    return tape


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(short(), tmp_path / "game.db")


def replay(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["replay", *map(str, arguments)], catch_exceptions=False)


def test_a_pipe_gets_every_command_in_a_line_at_once(file: Path) -> None:
    result = replay(file)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert re.fullmatch(r"memory \(game\), begun 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d \S+, 5 commands", lines[0])
    shown = [re.sub(r"\d\d:\d\d:\d\d ", "", line).strip() for line in lines[1:]]
    assert shown == [
        "1 ann turns up A at row 1, column 1 (1-B)",
        "2 bob turns up B at row 1, column 2 (1-B)",
        "3 ann turns up A at row 2, column 2: a pair (2-D)",
        "4 bob cannot have the A at row 2, column 2, which ann controls, and gives up B at row 1, column 2 (2-B)",
        "5 ann turns up B at row 2, column 1 (1-B)",
        "ann's pair of A leaves the board",
        "pairs: ann 1, bob 0",
    ]


def test_at_shows_the_board_as_it_was_and_what_happened_around_it(file: Path) -> None:
    result = replay(file, "--at", 3)
    assert result.exit_code == 0
    assert "after command 3 of 5:" in result.output
    assert re.search(r"^1 +A\(ann\) +B\(bob\)$\n^2 +- +A\(ann\)$", result.output, re.MULTILINE)
    assert re.search(r"^> +3 .*a pair", result.output, re.MULTILINE)
    assert re.search(r"^ +4 .*bob cannot", result.output, re.MULTILINE)
    assert "before the first of 5 commands" in replay(file, "--at", 0).output


def test_summary_is_a_table_with_a_row_for_each_player(file: Path) -> None:
    result = replay(file, "--summary")
    assert result.exit_code == 0
    rows = [re.findall(r"[\w.-]+", line) for line in result.output.splitlines() if re.search(r"ann|bob", line)]
    assert rows[0] == ["ann", "3", "1", "0", "0", "0", "0", "-", "-", "1", "1", "1", "0"]
    assert rows[1] == ["bob", "2", "0", "0", "0", "1", "0", "-", "-", "0", "0", "0", "0"]


def test_all_three_games_are_replayed(tmp_path: Path) -> None:
    mines = write(random_minesweeper(60), tmp_path / "mines.db")
    talk = Talk()
    talk.begin()
    talk.say("ann", "TRY 1 cot")
    words = write(talk.tape, tmp_path / "words.db")
    for path, shown, title in ((mines, "digs", "squares opened"), (words, "ann enters cot for word 1", "tries")):
        assert shown in replay(path).output
        assert title in replay(path, "--summary").output
    at = replay(words, "--at", 7).output
    assert re.search(r"^1 +c *$\n^2 +_ o _ *$\n^3 +t *$", at, re.MULTILINE)


def test_a_file_with_several_games_wants_a_name(tmp_path: Path) -> None:
    path = write(short(), tmp_path / "games.db", "one")
    write(memory("1x2\nA\nA\n"), path, "two")
    result = replay(path)
    assert result.exit_code == 1
    assert "one, two" in result.output
    assert replay(path, "--name", "one").output.startswith("memory (one)")
    assert "0 commands" in replay(path, "--name", "two").output
    assert replay(path, "--name", "three").exit_code == 1


def test_errors_are_one_line(tmp_path: Path, file: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("these are notes, and no game at all\n" * 100)
    damaged = tmp_path / "damaged.db"
    data = bytearray(file.read_bytes())
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    damaged.write_bytes(data)
    for path in (text, damaged, tmp_path / "none.db", tmp_path):
        result = replay(path)
        assert result.exit_code == 1, path
        assert result.output.startswith("Error: ")
        assert result.output.count("\n") == 1
    for arguments in (["--at", "6"], ["--at", "1", "--summary"], ["--speed", "0"]):
        result = replay(file, *arguments)
        assert result.exit_code == 2, arguments
        assert result.output.count("\n") == 1


def test_a_game_that_nobody_knows_is_one_line(tmp_path: Path, file: Path) -> None:
    with sqlite3.connect(file) as database:
        ((name, began, first),) = database.execute("SELECT name, began, first FROM games")
        checksum = first_checksum(name, "chess", began, first.encode())
        database.execute("UPDATE games SET kind = 'chess', checksum = ?", (checksum,))
        database.execute("DELETE FROM commands")
    database.close()
    for mark in file.parent.glob("*.mark"):  # the mark belongs to another game
        mark.unlink()
    result = replay(file)
    assert result.exit_code == 1
    assert "'chess'" in result.output
    assert result.output.count("\n") == 1


def test_what_would_move_the_cursor_is_not_printed(tmp_path: Path) -> None:
    tape = memory("1x2\n\x1b[2J\n\x9b31m👩\u200d💻\n")
    tape.do(Flip("ann", 0, 0))
    tape.do(Flip("ann", 0, 1))
    path = write(tape, tmp_path / "game.db")
    for arguments in ([], ["--at", "1"], ["--at", "2"], ["--summary"]):
        output = replay(path, *arguments).output
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", output)
        if arguments != ["--summary"]:
            assert r"\x1b[2J" in output
            assert r"\x9b31m👩" in output


def on_a_terminal(*arguments: object) -> tuple[subprocess.Popen[bytes], int]:
    """Run the command with a terminal as its output. Return the other end of the terminal."""
    ours, theirs = pty.openpty()
    env = dict(os.environ, TERM="xterm-256color", COLUMNS="100", LINES="40")
    command = [*SCRAMBLE, "replay", *map(str, arguments)]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    return process, ours


def read_until(terminal: int, pattern: bytes) -> bytes:
    """Read bytes up to the pattern, or to the end."""
    seen = b""
    while not re.search(pattern, seen):
        try:
            data = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        seen += data
    return seen


def test_a_terminal_shows_the_board_while_it_is_played(file: Path) -> None:
    process, terminal = on_a_terminal(file, "--speed", "1000")
    seen = read_until(terminal, NEVER)
    os.close(terminal)
    assert process.wait(HANG_S) == 0
    assert b"pauses longer than 3 s are shortened" in seen
    assert b"command 5; the end" in seen


def test_ctrl_c_ends_it_without_a_word(file: Path) -> None:
    process, terminal = on_a_terminal(file, "--speed", "0.001")
    seen = read_until(terminal, rb"Ctrl-C ends it")
    process.send_signal(signal.SIGINT)
    seen += read_until(terminal, NEVER)
    os.close(terminal)
    assert process.wait(HANG_S) == 130
    assert b"Traceback" not in seen
    assert b"Aborted" not in seen


def test_http_port_serves_the_page_until_it_is_told_to_stop(file: Path) -> None:
    with ServerProcess("replay", file, "--http-port", "0", "--host-name", "game") as server:
        match = re.fullmatch(r"Replay: (http://127\.0\.0\.1:\d+/)\n", server.line())
        assert match is not None
        for path in ("", "replay"):
            request = urllib.request.Request(match[1] + path, headers={"Host": "game"})
            with urllib.request.urlopen(request, timeout=HANG_S) as answer:
                assert b"<title>Replay</title>" in answer.read()
        assert server.stop()[0] == 0
