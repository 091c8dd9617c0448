"""The command line of Minesweeper, by click's own runner and as real processes.

Strategy:
- errors of use (exit 2): malformed or impossible size, port, seed; --size with --file; nothing to serve
- errors of the world (exit 1, one line): bad file, no file, a directory instead of a file; port in use, of either kind
- serving: telnet only; the page only; both; on the given ports, or on any free one
- the field: the default; of a size; of a seed, again; of a file, whatever the seed; of a preset, a number of bombs, or
  a density, by the set-up function; a safe start
- --debug, --no-debug, neither: the player stays connected after a BOOM!, or not
- the end: SIGINT, SIGTERM; with clients connected
"""

from __future__ import annotations

import json
import re
import signal
import socket
import urllib.request
from contextlib import suppress
from pathlib import Path

import click
import pytest
import trio
from click.testing import CliRunner, Result

from scramble.cli.main import main
from scramble.front.game_front import GameSetup
from scramble.front.minesweeper.game_front import MINESWEEPER_FRONT
from scramble.journal import Journal, read_recording
from scramble.minesweeper import Field
from tests.support import HANG_S
from tests.support.process import ServerProcess


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, ("minesweeper", *arguments))


@pytest.fixture(name="field_file")
def _field_file(tmp_path: Path) -> Path:
    """The handout's example, corrected: 4 columns and 3 rows with a bomb at x=2, y=1."""
    path = tmp_path / "field.txt"
    path.write_bytes(b"4 3\n0 0 0 0\r\n0 0 1 0\r0 0 0 0\n")
    return path


# --- errors of use ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--size", "10"), "'10' is not a size such as 30,16"),
        (("--size", "10x10x10"), "is not a size such as 30,16"),
        (("--size", "10, 10"), "is not a size such as 30,16"),
        (("--size", "-1,10"), "is not a size such as 30,16"),
        (("--size", "10,0"), "is not a size such as 30,16"),
        (("--size", "1,2,3"), "is not a size such as 30,16"),
        (("--size", "٣,٣"), "is not a size such as 30,16"),
        (("--size", "999999999,9"), "more than 100000000 squares"),
        (("--port", "65536"), "65536 is not in the range"),
        (("--port", "-1"), "-1 is not in the range"),
        (("--http-port", "web"), "'web' is not a valid integer"),
        (("--seed", "x"), "'x' is not a valid integer"),
        (("--preset", "easy"), "'easy' is not one of 'beginner', 'intermediate', 'expert'"),
        (("--bombs", "-1"), "-1 is not in the range"),
        (("--bombs", "many"), "'many' is not a valid integer"),
        (("--bombs", "101"), "--bombs 101 is more than the 100 squares of the field"),
        (("--bombs", "7", "--size", "2,3"), "--bombs 7 is more than the 6 squares of the field"),
        (("--bombs", "7", "--density", ".5"), "--bombs and --density cannot be combined: both set the number of bombs"),
        (("--density", "1.5"), "1.5 is not in the range 0<=x<=1"),
        (("--density", "nan"), "--density is from 0 to 1"),
        (("--preset", "expert", "--size", "9,9"), "--preset and --size cannot be combined: the preset has a size"),
        (
            ("--preset", "expert", "--bombs", "9"),
            "--preset and --bombs cannot be combined: the preset has its number of bombs",
        ),
        (
            ("--preset", "expert", "--density", ".1"),
            "--preset and --density cannot be combined: the preset has its number of bombs",
        ),
        (
            ("--bombs", "100", "--safe-start"),
            "--safe-start is not possible: no first dig can be safe, because every square has a bomb",
        ),
        (("--size", "3,3", "--file", "field.txt"), "--file and --size cannot be combined: the file has the field"),
        (("--no-telnet",), "nothing to serve"),
        (("--mines", "3"), "No such option"),
        (("field.txt",), "unexpected extra argument"),
    ],
)
def test_an_error_of_use_is_told_in_one_clear_line(arguments: tuple[str, ...], reason: str) -> None:
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert reason in line


def test_help_names_every_option() -> None:
    text = invoke("--help").stdout
    for option in ("--debug", "--no-debug", "--host", "--port", "--size", "--file", "--seed", "--http-port"):
        assert option in text


# --- errors of the world ----------------------------------------------------------------------------


def test_a_bad_file_is_told_with_file_line_and_reason(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("4 3\n0 0 0 0\n0 0 2 0\n0 0 0 0\n")
    result = invoke("--file", str(path))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"Error: {path}:3:5: expected exactly 4 values")
    assert len(result.stderr.splitlines()) == 1


def test_a_file_that_cannot_be_read_is_told_in_one_line(tmp_path: Path) -> None:
    missing = invoke("--file", str(tmp_path / "missing.txt"))
    assert (missing.exit_code, missing.stdout) == (1, "")
    assert missing.stderr == f"Error: {tmp_path / 'missing.txt'}: No such file or directory\n"
    assert invoke("--file", str(tmp_path)).exit_code == 1


@pytest.mark.parametrize("arguments", [("--port",), ("--port", "0", "--http-port")])
def test_a_port_in_use_is_told_in_one_line(arguments: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = invoke(*arguments, str(port))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: cannot listen on 127.0.0.1 port {port}: Address already in use\n"


# --- serving ----------------------------------------------------------------------------------------


def telnet(server: ServerProcess) -> int:
    """The port in the line about telnet, the next line of output."""
    match = re.fullmatch(r"Minesweeper: telnet 127\.0\.0\.1 (\d+)\n", line := server.line())
    assert match, line
    return int(match[1])


def page(server: ServerProcess) -> str:
    """The address in the line about the page, the next line of output."""
    match = re.fullmatch(r"Minesweeper: (http://127\.0\.0\.1:\d+/)\n", line := server.line())
    assert match, line
    return match[1]


class Player:
    """A telnet player on a plain socket."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=HANG_S)
        self._lines = self._socket.makefile("rb")
        self.hello = self._lines.readline()

    def ask(self, message: bytes, lines: int = 1) -> bytes:
        """Send a message. Return this number of lines."""
        self._socket.sendall(message + b"\n")
        return b"".join(self._lines.readline() for _ in range(lines))

    def is_connected(self) -> bool:
        """True if the server still answers and has not closed the connection."""
        with suppress(ConnectionError):
            self._socket.sendall(b"help\n")
        return self._lines.readline().startswith(b"Commands: ")

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


def test_telnet_and_page_are_announced_and_served_and_a_signal_ends_both_at_once(field_file: Path) -> None:
    with ServerProcess("minesweeper", "--port", "0", "--http-port", "0", "--file", str(field_file)) as server:
        port, url = telnet(server), page(server)
        player = Player(port)
        assert player.hello.startswith(b"Welcome to Minesweeper. Board: 4 columns by 3 rows. Players: 1 including you.")
        assert player.ask(b"dig 0 0", 3) == b"  1 - -\r\n  1 - -\r\n  1 - -\r\n"
        with urllib.request.urlopen(url + "server", timeout=HANG_S) as answer:
            assert json.load(answer) == {"debug": False, "telnet": port}
        assert server.stop(signal.SIGTERM) == (0, "", "")
        player.close()


def test_without_telnet_only_the_page_is_served() -> None:
    with ServerProcess("minesweeper", "--no-telnet", "--http-port", "0") as server:
        with urllib.request.urlopen(page(server) + "server", timeout=HANG_S) as answer:
            assert json.load(answer) == {"debug": False, "telnet": None}
        assert server.stop() == (0, "", "")


@pytest.mark.parametrize("size", ["7,2", "7x2"])
def test_a_seed_makes_the_same_field_each_time_and_a_size_its_size(size: str) -> None:
    field = Field.random(7, 2, seed=5)
    with ServerProcess("minesweeper", "--port", "0", "--size", size, "--seed", "5", "--debug") as server:
        player = Player(telnet(server))
        for x, y in field.bombs():
            assert player.ask(b"dig %d %d" % (x, y)) == b"BOOM!\r\n"
        player.close()
        server.stop()


def test_a_seed_changes_nothing_about_the_field_of_a_file(field_file: Path) -> None:
    with ServerProcess("minesweeper", "--port", "0", "--file", str(field_file), "--seed", "3") as server:
        player = Player(telnet(server))
        assert player.ask(b"dig 0 0", 3) == b"  1 - -\r\n" * 3
        player.close()
        server.stop()


@pytest.mark.parametrize(("arguments", "stays"), [((), False), (("--no-debug",), False), (("--debug",), True)])
def test_a_boom_ends_the_connection_unless_it_is_debugged(
    arguments: tuple[str, ...], stays: bool, field_file: Path
) -> None:
    with ServerProcess("minesweeper", "--port", "0", "--file", str(field_file), *arguments) as server:
        player = Player(telnet(server))
        assert player.ask(b"dig 2 1") == b"BOOM!\r\n"
        assert player.is_connected() is stays
        player.close()
        server.stop()


def test_by_default_a_random_field_of_ten_by_ten_is_served_on_port_4444_or_the_error_says_so() -> None:
    with ServerProcess("minesweeper") as server:
        line = server.line()
        if line:
            assert line == "Minesweeper: telnet 127.0.0.1 4444\n"
            player = Player(4444)
            assert b"10 columns by 10 rows" in player.hello
            player.close()
            assert server.stop() == (0, "", "")
        else:  # another program uses that port
            assert server.wait() == 1
            assert "port 4444" in server.complaints


@pytest.mark.parametrize(
    "option", [("--size", "4,3"), ("--preset", "expert"), ("--bombs", "3"), ("--density", ".5"), ("--safe-start",)]
)
def test_a_file_goes_with_no_option_that_makes_a_field(field_file: Path, option: tuple[str, ...]) -> None:
    result = invoke("--file", str(field_file), *option)
    assert result.exit_code == 2
    assert f"--file and {option[0]} cannot be combined: the file has the field" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("options", "columns", "rows", "bombs"),
    [
        (("--preset", "expert"), 30, 16, 99),
        (("--preset", "beginner", "--safe-start"), 9, 9, 10),
        (("--bombs", "7"), 10, 10, 7),
        (("--size", "6,5", "--density", "1"), 6, 5, 30),
        (("--size", "6x5", "--density", "0"), 6, 5, 0),
    ],
)
def test_the_options_say_how_many_bombs_there_are(
    options: tuple[str, ...], columns: int, rows: int, bombs: int, tmp_path: Path
) -> None:
    field = first_field(tmp_path / "game.db", *options)
    assert (field.columns, field.rows, len(field.bombs())) == (columns, rows, bombs)


def test_a_seed_makes_the_same_field_with_every_number_of_bombs(tmp_path: Path) -> None:
    for number, options in enumerate((("--bombs", "20"), ("--density", ".3"), ("--preset", "intermediate"))):
        fields = [first_field(tmp_path / f"{number}{again}.db", *options, "--seed", "3") for again in "ab"]
        assert fields[0].bombs() == fields[1].bombs()


def test_only_a_safe_start_moves_bombs_and_scores_are_kept_without_pauses(tmp_path: Path) -> None:
    for safe in (True, False):
        options = ("--bombs", "91", "--seed", "1", *(["--safe-start"] if safe else []))
        field = first_field(tmp_path / f"{safe}.db", *options)
        x, y = next((x, y) for x, y in field.bombs() if 0 < x < 9 and 0 < y < 9)
        contest = field.snapshot().contest
        assert contest is not None
        assert contest.pause_ms == 0
        assert field.dig(x, y).boom is not safe
        assert (field.snapshot().lines[y][x] == " ") is safe


def first_field(journal: Path, *options: str) -> Field:
    """The first field of a game with these options."""
    setup = set_up_from(*options)

    async def main() -> None:
        async with setup.open(Journal(journal)):
            pass

    trio.run(main)
    return Field.restore(read_recording(journal).first)


def set_up_from(*options: str) -> GameSetup:
    """Set up a game with these options, like the command."""
    context = click.Command("minesweeper", params=list(MINESWEEPER_FRONT.params)).make_context(
        "minesweeper", list(options)
    )
    return MINESWEEPER_FRONT.set_up(context.params)
