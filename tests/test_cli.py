"""The command line: Memory Scramble's commands, within this process by click's own runner, and as real processes.

Strategy:
- help: of each command, with sections for a server's; version; of the whole
- errors of use (exit 2, nothing on standard output): unknown command or option, value out of range or malformed,
  missing file, contradicting options, a board that cannot be
- errors of the world (exit 1, one line): bad board file; directory or unreadable file; port in use; unknown host
- serving (real processes): the address is printed and flushed, with --port 0 too; SIGINT and SIGTERM end it, exit 0;
  who has gone lets go of cards
- simulate: table, watching, stuck, seeds, interrupted (exit 130), a reader who leaves
- new-board: themes, seeds, sizes
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scramble.cli import main
from scramble.memory import Board
from scramble.sections import SECTIONS

ROOT = Path(__file__).parent.parent
HANG_S = 60  # to end a test that hangs, not to judge a slow one


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.fixture(name="board_file")
def _board_file(tmp_path: Path) -> Path:
    path = tmp_path / "board.txt"
    path.write_text("2x2\nA\nA\nB\nB\n")
    return path


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


def test_the_help_of_the_whole_says_in_a_whole_sentence_what_each_command_does() -> None:
    commands = invoke("--help").stdout.partition("Commands:")[2].splitlines()[1:]
    assert commands
    assert all(line.endswith(".") and not line.endswith("...") for line in commands)


@pytest.mark.parametrize("command", ["memory", "minesweeper", "crossword"])
def test_the_help_of_a_server_has_its_options_in_sections_and_the_games_own_first(command: str) -> None:
    lines = invoke(command, "--help").stdout.splitlines()
    titles = [line[:-1] for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == list(SECTIONS)
    positions = [
        next(number for number, line in enumerate(lines) if line.strip().startswith(start))
        for start in ("Options:", "--port", "--host", "Keeping", "--journal ", "Who", "--seats", "--max-connections")
    ]
    assert positions == sorted(positions)


def test_every_option_that_a_section_names_is_one_of_a_servers() -> None:
    parameters = {parameter.name for command in main.commands.values() for parameter in command.params}
    assert {name for names in SECTIONS.values() for name in names} <= parameters


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("chess",), "No such command 'chess'"),
        (("--color",), "No such option"),
        (("memory", "no-such-file.txt"), "does not exist"),
        (("memory", "."), "is a directory"),
        (("memory", "--port", "65536"), "65536 is not in the range"),
        (("memory", "--port", "http"), "'http' is not a valid integer"),
        (("memory", "--edition", "2023"), "'2023' is not one of"),
        (("memory", "--watch-timeout", "0"), "'0' is not a number of seconds above 0"),
        (("memory", "--watch-timeout", "soon"), "'soon' is not a number of seconds"),
        (("memory", "--watch-timeout", "nan"), "'nan' is not a number of seconds"),
        (("memory", "--watch-timeout", "inf"), "'inf' is not a number of seconds"),
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


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A running `scramble`, gone at the end."""
    command = [sys.executable, "-m", "scramble.cli", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            yield running
        finally:
            running.kill()


def first_line(running: subprocess.Popen[str]) -> str:
    assert running.stdout is not None
    return running.stdout.readline()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_prints_its_address_at_once_and_a_signal_ends_it_well(
    number: signal.Signals, board_file: Path
) -> None:
    with process("memory", str(board_file), "--port", "0") as server:
        line = first_line(server)
        assert line.startswith("Memory Scramble: http://127.0.0.1:")
        with urllib.request.urlopen(line.split()[-1] + "look/alice", timeout=HANG_S) as answer:
            assert answer.read() == b"2x2\n" + b"down\n" * 4
        server.send_signal(number)
        rest, complaints = server.communicate(timeout=HANG_S)
    assert (server.returncode, rest, complaints) == (0, "", "")


def test_with_release_idle_a_server_frees_the_cards_of_players_who_have_gone(board_file: Path) -> None:
    with process("memory", str(board_file), "--port", "0", "--release-idle", "0.01") as server:
        url = first_line(server).split()[-1]
        for player in ("alice", "bob"):
            with urllib.request.urlopen(f"{url}flip/{player}/0,0", timeout=HANG_S) as answer:
                assert answer.read() == b"2x2\nmy A\n" + b"down\n" * 3
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=HANG_S)


def test_without_a_command_the_packaged_board_is_served_on_port_8080_or_the_error_says_so() -> None:
    with process() as server:
        line = first_line(server)
        if line:
            assert line == "Memory Scramble: http://127.0.0.1:8080/\n"
            server.send_signal(signal.SIGINT)
        _, complaints = server.communicate(timeout=HANG_S)
    if line:
        assert (server.returncode, complaints) == (0, "")
    else:  # somebody else has that port on this machine
        assert server.returncode == 1
        assert "port 8080" in complaints


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
    with process(*SLOWLY) as simulation:
        assert first_line(simulation).endswith("joins\n")
        simulation.send_signal(signal.SIGINT)
        _, complaints = simulation.communicate(timeout=HANG_S)
    assert (simulation.returncode, complaints) == (130, "interrupted\n")


def test_a_simulation_ends_quietly_when_nobody_reads_it_any_more() -> None:
    with process(*SLOWLY) as simulation:
        assert first_line(simulation)
        assert simulation.stdout is not None
        simulation.stdout.close()
        assert simulation.wait(timeout=HANG_S) == 1
        assert simulation.stderr is not None
        assert simulation.stderr.read() == ""


# --- new-board --------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["emoji", "letters"])
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
