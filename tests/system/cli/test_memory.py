"""The command line: Memory Scramble's commands, in this process by click's own runner, and as real processes.

Strategy:
- help: of each command, in sections for a server; of `scramble` itself, without importing a command; the version
- errors of use (exit 2, nothing on standard output): unknown command or option, value out of range or malformed,
  missing file, contradicting options, an impossible board
- errors of the world (exit 1, one line): bad board file; directory or unreadable file; port in use; unknown host;
  a full disk under the output
- serving (real processes): the address is printed and flushed, with --port 0 too; SIGINT and SIGTERM end it, exit 0;
  absent players relinquish their cards
- simulate: table, watching, stuck, seeds, interrupted (exit 130), the reader closes the pipe
- new-board: themes, seeds, sizes
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner, Result

from scramble.cli.main import COMMANDS, main
from scramble.front.sections import Section
from scramble.journal import read_recording
from scramble.memory import Board
from tests.support import HANG_S, PROGRAM_S
from tests.support.process import ROOT, SCRAMBLE, ServerProcess


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.fixture(name="board_file")
def _board_file(tmp_path: Path) -> Path:
    path = tmp_path / "board.txt"
    path.write_text("2x2\nA\nA\nB\nB\n")
    return path


# --- a full disk ------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only some systems have a disk that is always full")
@pytest.mark.parametrize(
    "arguments",
    ["--version", "--help", "new-board 4x6", "simulate --moves 1", "memory --port 0", "minesweeper --port 0"],
)
def test_a_full_disk_under_the_output_is_told_in_one_line(arguments: str) -> None:
    command = [*SCRAMBLE, *arguments.split()]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=PROGRAM_S)
    assert done.stderr == "Error: the output cannot be written: No space left on device\n"
    assert done.returncode == 1


# --- help and errors of use -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [("--help",), ("-h",), ("memory", "--help"), ("simulate", "-h"), ("new-board", "-h")]
)
def test_help_says_what_a_command_is_for(arguments: tuple[str, ...]) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage: ")


def test_the_help_of_the_whole_names_the_commands() -> None:
    names = {line.split()[0] for line in invoke("--help").stdout.splitlines() if line.startswith("  ")}
    assert {"memory", "simulate", "new-board"} <= names


def test_the_version_comes_with_those_of_what_it_runs_on() -> None:
    said = invoke("--version").output
    for what in (f"Python {platform.python_version()}", f"SQLite {sqlite3.sqlite_version}", f"trio {trio.__version__}"):
        assert what in said
    assert said.startswith("scramble, version ")
    assert said.count("\n") == 1


def test_the_version_of_a_checkout_comes_with_its_commit() -> None:
    git = ("git", "-C", str(ROOT), "rev-parse", "--short=7", "HEAD")
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("this is no checkout")
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    assert re.match(rf"scramble, version \S+ \(commit {commit}\w*(-dirty)?\) ", invoke("--version").output)


def test_the_help_of_the_whole_says_in_a_whole_sentence_what_each_command_does() -> None:
    commands = invoke("--help").stdout.partition("Commands:")[2].splitlines()[1:]
    assert commands
    assert all(line.endswith(".") and not line.endswith("...") for line in commands)


@pytest.mark.parametrize("command", ["memory", "minesweeper", "crossword"])
def test_the_help_of_a_server_has_its_options_in_sections_and_the_games_own_first(command: str) -> None:
    lines = invoke(command, "--help").stdout.splitlines()
    titles = [line[:-1] for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == [one.value for one in Section if one not in (Section.KEEPING_ROOMS, Section.MANY_PROCESSES)]
    positions = [
        next(number for number, line in enumerate(lines) if line.strip().startswith(start))
        for start in (
            "Options:",
            "--port",
            "--host",
            "Keeping",
            "--journal ",
            "Permissions",
            "--seats",
            "--max-connections",
        )
    ]
    assert positions == sorted(positions)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_in_the_list_is_there_under_that_name(name: str) -> None:
    assert COMMANDS[name].load().name == name


def test_the_list_of_commands_is_shown_without_importing_what_they_need() -> None:
    program = "import sys; from scramble.cli.main import main; main(['-h'], standalone_mode=False); print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "new-board" in shown
    assert not {"trio", "quart", "hypercorn", "msgspec", "rich"} & set(shown.splitlines()[-1].split())


def test_the_help_of_a_server_of_rooms_has_the_options_of_the_games_in_its_sections() -> None:
    text = invoke("serve", "--help").stdout
    sections = dict(re.findall(r"^(\w[^\n]*):\n(.*?)(?:\n\n|\Z)", text, re.MULTILINE | re.DOTALL))
    assert list(sections) == [section.value for section in Section if section is not Section.KEEPING_GAME]
    assert "--max-cards" in sections["Options"]
    assert "--max-squares" in sections["Options"]
    assert "--puzzles" in sections["Keeping the rooms"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("chess",), "No such command 'chess'"),
        (("--color",), "No such option"),
        (("journal",), "Missing command"),
        (("journal", "mend"), "No such command 'mend'"),
        (("memory", "no-such-file.txt"), "does not exist"),
        (("memory", "."), "is a directory"),
        (("memory", "--port", "65536"), "65536 is not in the range"),
        (("memory", "--port", "http"), "'http' is not a valid integer"),
        (("memory", "--edition", "2023"), "'2023' is not one of"),
        (("memory", "--watch-timeout", "0"), "'0' is not a number of seconds above 0"),
        (("memory", "--watch-timeout", "soon"), "'soon' is not a number of seconds"),
        (("memory", "--watch-timeout", "nan"), "'nan' is not a number of seconds"),
        (("memory", "--watch-timeout", "inf"), "'inf' is not a number of seconds"),
        (("memory", "--new-every", "0"), "'0' is not a number of seconds above 0"),
        (("memory", "--release-holding", "0"), "'0' is not a number of seconds above 0"),
        (("memory", "--release-idle", "0"), "'0' is not a number of seconds above 0"),
        (("simulate", "--players", "0"), "0 is not in the range"),
        (("simulate", "--moves", "-1"), "-1 is not in the range"),
        (("simulate", "--min-delay", "-1"), "'-1' is not a number of milliseconds from 0"),
        (("simulate", "--max-delay", "soon"), "'soon' is not a number of milliseconds from 0"),
        (("simulate", "--max-delay", "inf"), "'inf' is not a number of milliseconds from 0"),
        (("simulate", "--max-delay", "nan"), "'nan' is not a number of milliseconds from 0"),
        (("simulate", "--min-delay", "3"), "--min-delay 3 is above --max-delay 2"),
        (("simulate", "--seed", "x"), "'x' is not a valid integer"),
        (("simulate", "--turbo"), "No such option"),
        (("new-board",), "Missing argument"),
        (("new-board", "4"), "'4' is not a size such as 4x6"),
        (("new-board", "4x-6"), "'4x-6' is not a size such as 4x6"),
        (("new-board", "٤x٦"), "is not a size such as 4x6"),
        (("new-board", "3x3"), "3x3 is an odd number of cards"),
        (("new-board", "0x4"), "at least 1 row"),
        (("new-board", "999999999x2"), "at most"),
        (("new-board", "2x2", "--theme", "cats"), "'cats' is not one of"),
    ],
)
def test_an_error_of_use_is_told_in_one_clear_line(arguments: tuple[str, ...], reason: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert reason in line


# --- errors of the world ----------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["memory", "simulate"])
def test_a_bad_board_file_is_told_with_file_line_and_reason(command: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("2x2\nA\nB B\nA\nB\n")
    result = invoke(command, str(path))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"Error: {path}:3:2: expected a card without white space")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
def test_a_board_file_that_may_not_be_read_is_told_in_one_line(board_file: Path) -> None:
    board_file.chmod(0)
    result = invoke("memory", str(board_file))
    assert result.exit_code != 0
    assert str(board_file) in result.stderr


def test_a_port_in_use_is_told_in_one_line(board_file: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = invoke("memory", str(board_file), "--port", str(port))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: cannot listen on 127.0.0.1 port {port}: Address already in use\n"


def test_a_host_that_is_not_ours_is_told_in_one_line() -> None:
    result = invoke("memory", "--host", "192.0.2.1", "--port", "0")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: cannot listen on 192.0.2.1 port 0: ")
    assert len(result.stderr.splitlines()) == 1


# --- serving ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_prints_its_address_at_once_and_a_signal_ends_it_well(
    number: signal.Signals, board_file: Path
) -> None:
    with ServerProcess("memory", str(board_file), "--port", "0") as server:
        line = server.line()
        assert line.startswith("Memory Scramble: http://127.0.0.1:")
        with urllib.request.urlopen(line.split()[-1] + "look/alice", timeout=HANG_S) as answer:
            assert answer.read() == b"2x2\n" + b"down\n" * 4
        assert server.stop(number) == (0, "", "")


def test_with_release_idle_a_server_frees_the_cards_of_players_who_have_gone(board_file: Path) -> None:
    with ServerProcess("memory", str(board_file), "--port", "0", "--release-idle", "0.01") as server:
        url = server.line().split()[-1]
        for player in ("alice", "bob"):
            with urllib.request.urlopen(f"{url}flip/{player}/0,0", timeout=HANG_S) as answer:
                assert answer.read() == b"2x2\nmy A\n" + b"down\n" * 3
        server.stop()


def served_board(server: ServerProcess) -> str:
    """The board that a server shows to alice."""
    with urllib.request.urlopen(f"{server.line().split()[-1]}look/alice", timeout=HANG_S) as answer:
        return str(answer.read().decode())


def test_without_a_board_sixteen_cards_in_pairs_are_served_and_others_each_time(tmp_path: Path) -> None:
    boards = []
    for number in range(2):
        journal = tmp_path / f"{number}.db"
        with ServerProcess("memory", "--port", "0", "--journal", str(journal)) as server:
            assert served_board(server) == "4x4\n" + "down\n" * 16
            server.stop()
        cards = json.loads(read_recording(journal).first)["deck"]
        assert all(cards.count(card) == 2 for card in cards)
        boards.append(cards)
    assert boards[0] != boards[1]


def test_without_a_board_a_journal_goes_on_with_the_game_that_it_has(tmp_path: Path, board_file: Path) -> None:
    journal = tmp_path / "game.db"
    for arguments in ((str(board_file),), ()):
        with ServerProcess("memory", *arguments, "--port", "0", "--journal", str(journal)) as server:
            assert served_board(server) == "2x2\n" + "down\n" * 4
            server.stop()


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_on_all_addresses_those_are_printed_that_others_can_open(host: str) -> None:
    with ServerProcess("memory", "--port", "0", "--host", host) as server:
        line = server.line()
        match = re.fullmatch(r"Memory Scramble: http://(\[[0-9a-f:]+\]|[0-9.]+):[0-9]+/\n", line)
        assert match is not None, line
        assert match[1] not in ("0.0.0.0", "[::]")
        with urllib.request.urlopen(f"{line.split()[-1]}health", timeout=HANG_S) as answer:
            assert answer.status == 200


# --- simulate ---------------------------------------------------------------------------------------


def test_a_simulation_ends_with_a_table_on_standard_output_and_nothing_else_anywhere(board_file: Path) -> None:
    result = invoke("simulate", str(board_file), "--players", "2", "--moves", "9", "--max-delay", "0.2", "--seed", "5")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "2 players, up to 9 flips each, seed 5" in result.stdout
    assert "player1" in result.stdout
    assert result.stdout.splitlines()[-1].partition(";")[0] == "everybody has finished" or "waits for" in result.stdout


def test_a_simulation_in_which_nobody_can_move_says_so_and_ends_well(tmp_path: Path) -> None:
    path = tmp_path / "single.txt"
    path.write_text("1x1\nA\n")
    result = invoke("simulate", str(path), "--players", "2", "--moves", "1")
    assert result.exit_code == 0
    end, who = result.stdout.splitlines()[-2:]
    assert end.startswith("nobody can move any more")
    assert "waits for A at 0,0, held by player" in who


def test_a_simulation_prints_no_character_that_moves_the_cursor(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("1x1\n\x1b[2J\x9b31m👩\u200d💻\n", encoding="utf-8")
    result = invoke("simulate", str(board), "--players", "2", "--moves", "1", "--watch", "--seed", "1")
    assert result.exit_code == 0
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", result.output)
    card = r"\x1b[2J\x9b31m👩‍💻"
    held = (f"{a} waits for {card} at 0,0, held by {b}" for a, b in (("player1", "player2"), ("player2", "player1")))
    assert any(told in result.output for told in held)
    assert "\\x1b[2J\\x9b31m👩\u200d💻 at 0,0 turns up" in result.output


def test_watching_a_simulation_prints_what_happens(board_file: Path) -> None:
    result = invoke("simulate", str(board_file), "--players", "1", "--moves", "1", "--watch")
    assert result.exit_code == 0
    joins, turns, takes = result.stdout.splitlines()[:3]
    assert joins == "     1 player1 joins"
    assert turns.endswith("turns up")
    assert takes.startswith("     1 player1 takes ")


def test_a_simulation_without_a_seed_says_which_one_it_drew() -> None:
    result = invoke("simulate", "--players", "1", "--moves", "0")
    assert result.exit_code == 0
    assert "seed " in result.stdout


SLOWLY = ("simulate", "--players", "2", "--moves", "1000000", "--min-delay", "20", "--max-delay", "40", "--watch")


def test_ctrl_c_ends_a_simulation_with_one_line_and_no_traceback() -> None:
    with ServerProcess(*SLOWLY) as simulation:
        assert simulation.line().endswith("joins\n")
        code, _, complaints = simulation.stop()
    assert (code, complaints) == (130, "interrupted\n")


def test_a_simulation_ends_quietly_when_nobody_reads_it_any_more() -> None:
    command = [*SCRAMBLE, *SLOWLY]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as simulation:
        assert simulation.stdout is not None
        assert simulation.stdout.readline()
        simulation.stdout.close()
        assert simulation.wait(timeout=HANG_S) == 1
        assert simulation.stderr is not None
        assert simulation.stderr.read() == ""


# --- new-board --------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["emoji", "letters", "flags"])
def test_a_new_board_is_a_board_file_of_pairs(theme: str) -> None:
    result = invoke("new-board", "4x6", "--theme", theme)
    assert (result.exit_code, result.stderr) == (0, "")
    board = Board.parse(result.stdout)
    assert (board.rows, board.columns) == (4, 6)
    cards = result.stdout.splitlines()[1:]
    assert all(cards.count(card) == 2 for card in cards)


def test_the_same_seed_makes_the_same_board_and_no_seed_another_one_each_time() -> None:
    assert invoke("new-board", "6x6", "--seed", "7").stdout == invoke("new-board", "6x6", "--seed", "7").stdout
    assert invoke("new-board", "6x6").stdout != invoke("new-board", "6x6").stdout
