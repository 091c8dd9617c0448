"""The command line of Crossword Extravaganza, by click's own runner and as real processes.

Strategy:
- errors of use (exit 2): malformed port, grace, option, one argument too many
- errors of the world (exit 1, one line): no folder, a file, a folder without puzzles or with bad ones only; port in
  use, of either kind
- puzzles: good and bad ones together, files not called .puzzle, folders; file names with odd characters
- serving: the packaged puzzles; a folder; on the given ports, or on any free one; page, WebSocket and telnet of one
  lobby
- --grace: 0; the default
- the end: SIGINT, SIGTERM; with clients connected, in a match
"""

from __future__ import annotations

import re
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import trio
from click.testing import CliRunner, Result

from scramble.app import PACKAGED_PUZZLES
from scramble.cli.main import main
from scramble.crossword import load_puzzles
from tests.support import HANG_S
from tests.support.crossword.driver import SIMPLE
from tests.support.crossword.typists import clients_of
from tests.support.linewise import connected
from tests.support.process import ServerProcess

OVERLAP = """>> "Bad Overlap" "Puzzle should be rejected because of overlapping words"
 (there, "This word is fine", ACROSS, 0, 0)
 (real, "Illegal overlap with there", ACROSS, 0, 3)
"""


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, ("crossword", *arguments))


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    """A folder with one good puzzle."""
    (tmp_path / "simple.puzzle").write_text(SIMPLE)
    return tmp_path


# --- errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--port", "65536"), "65536 is not in the range"),
        (("--telnet-port", "telnet"), "'telnet' is not a valid integer"),
        (("--grace", "-1"), "'-1' is not a number of seconds"),
        (("--grace", "nan"), "'nan' is not a number of seconds"),
        (("--grace", "inf"), "'inf' is not a number of seconds"),
        (("--grace", "soon"), "'soon' is not a number of seconds"),
        (("--puzzles", "."), "No such option"),
        ((".", "."), "unexpected extra argument"),
    ],
)
def test_an_error_of_use_is_told_in_one_clear_line(arguments: tuple[str, ...], reason: str) -> None:
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert reason in line


def test_help_names_every_option() -> None:
    text = invoke("--help").stdout
    for word in ("PUZZLE_DIR", "--host", "--port", "--telnet-port", "--grace"):
        assert word in text


def test_a_folder_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    for path in (tmp_path / "no-such-folder", tmp_path / "file"):
        (tmp_path / "file").write_text("")
        result = invoke(str(path))
        assert (result.exit_code, result.stdout) == (1, "")
        reason = "Not a directory" if path.name == "file" else "No such file or directory"
        assert result.stderr == f"Error: {path}: {reason}\n"


def test_with_no_valid_puzzle_left_each_bad_one_has_its_line_with_file_line_and_reason(tmp_path: Path) -> None:
    assert invoke(str(tmp_path)).exit_code == 1
    (tmp_path / "overlap.puzzle").write_text(OVERLAP)
    (tmp_path / "empty.puzzle").write_text("")
    (tmp_path / "two\nlines.puzzle").write_bytes(b"\xff")
    result = invoke(str(tmp_path), "--port", "0", "--telnet-port", "0")
    assert (result.exit_code, result.stdout) == (1, "")
    empty, overlap, two_lines, nothing_left = result.stderr.splitlines()
    assert "empty.puzzle:1" in empty
    assert ">>" in empty
    assert "overlap.puzzle:3" in overlap
    assert "`there`" in overlap
    assert "`real`" in overlap
    assert "two lines.puzzle:1" in two_lines
    assert "no puzzle" in nothing_left


@pytest.mark.parametrize("option", ["--port", "--telnet-port"])
def test_a_port_in_use_is_one_line(option: str, folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ports = {"--port": "0", "--telnet-port": "0"} | {option: str(port)}
        result = invoke(str(folder), *(word for pair in ports.items() for word in pair))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: cannot listen on 127.0.0.1 port {port}: Address already in use\n"


def test_all_packaged_puzzles_are_good_and_one_has_forty_words_on_fifteen_by_fifteen() -> None:
    puzzles, errors = load_puzzles(PACKAGED_PUZZLES)
    assert errors == ()
    assert len(puzzles) >= 5
    sizes = [(puzzle.shape.rows, puzzle.shape.columns, len(puzzle.entries)) for puzzle in puzzles]
    assert any(rows == columns == 15 and words >= 40 for rows, columns, words in sizes)


# --- serving ----------------------------------------------------------------------------------------


@contextmanager
def serving(*arguments: str) -> Iterator[ServerProcess]:
    """A server that has announced only its page and its telnet."""
    with ServerProcess("crossword", "--port", "0", "--telnet-port", "0", *arguments) as server:
        assert re.fullmatch(r"Crossword Extravaganza: http://127\.0\.0\.1:\d+/\n", server.line())
        assert re.fullmatch(r"Crossword Extravaganza: telnet 127\.0\.0\.1 \d+\n", server.line())
        yield server


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_page_websocket_and_telnet_are_one_lobby_and_a_signal_ends_it_well(
    number: signal.Signals, folder: Path
) -> None:
    with serving(str(folder)) as server:
        async with httpx.AsyncClient(timeout=HANG_S) as browser:
            assert "Crossword Extravaganza" in (await browser.get(server.url)).text
            assert (await browser.get(f"{server.url}server")).json() == {"grace": 30, "telnet": server.telnet_port}
        async with clients_of(server.address) as clients, connected(server.addresses[1]) as bob:
            ann, idle = await clients.player("ann"), await clients.open()
            await ann.do('NEW m1 simple "so"')
            await bob.say(b"bob\nPLAY m1\n")
            assert (await ann.frame())["state"] == "PLAY"
            await bob.say(b"TRY 1 cat\r\n")
            await ann.frame()
            assert "bob has entered cat" in ann.texts[-1]
            assert await trio.to_thread.run_sync(server.stop, number) == (0, "", "")
            assert await ann.closed() == await idle.closed() == 1001
            assert (await bob.rest()).endswith((b"EXIT.\r\n", b"Closed: the server is shutting down.\r\n"))


async def test_without_a_folder_the_packaged_puzzles_can_be_played() -> None:
    with serving() as server:
        async with clients_of(server.address) as clients:
            ann = await clients.open()
            puzzles = (await ann.do("ann"))["puzzles"]
            assert isinstance(puzzles, list)
            assert [puzzle["id"] for puzzle in puzzles] == [puzzle.id for puzzle in load_puzzles(PACKAGED_PUZZLES)[0]]
        assert server.stop() == (0, "", "")


async def test_bad_puzzles_are_skipped_with_a_line_each_and_what_is_no_puzzle_file_without(folder: Path) -> None:
    (folder / "overlap.puzzle").write_text(OVERLAP)
    (folder / "ill-formed.puzzle").write_text('>> "a" "b"\n(cat, "c", DOWN, 0)\n')
    (folder / "make.py").write_text("raise SystemExit")
    (folder / "simple.puzzle.bak").write_text("")
    (folder / "folder.puzzle").mkdir()
    (folder / "more").mkdir()
    (folder / "more" / "other.puzzle").write_text(SIMPLE)
    with serving(str(folder)) as server:
        async with clients_of(server.address) as clients:
            ann = await clients.open()
            puzzles = (await ann.do("ann"))["puzzles"]
            assert isinstance(puzzles, list)
            assert [puzzle["id"] for puzzle in puzzles] == ["simple"]
        code, rest, complaints = server.stop()
        assert (code, rest) == (0, "")
        ill_formed, overlap = complaints.splitlines()
        assert "ill-formed.puzzle:2" in ill_formed
        assert "overlap.puzzle:3" in overlap


@pytest.mark.parametrize("arguments", [("--grace", "0"), ()])
async def test_a_lost_connection_forfeits_at_once_without_grace_only(arguments: tuple[str, ...], folder: Path) -> None:
    with serving(str(folder), *arguments) as server:
        async with clients_of(server.address) as clients:
            ann, bob = await clients.match()
            await ann.leave()
            assert (await bob.frame())["state"] == ("SHOW SCORE" if arguments else "PLAY")
        assert server.stop() == (0, "", "")
