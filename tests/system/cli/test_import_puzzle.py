"""`scramble import-puzzle`, by click's runner, and a server in another process that offers the imported puzzle.

Partitions:
- to: the folder of the server, before its start and while it runs; a folder, a file, standard output; --data, too
- the file: .ipuz, .puz; with a name that is hard to type; rejected; missing
- a puzzle of that name exists: rejected, --overwrite
"""

from __future__ import annotations

import stat
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from scramble.cli.main import main
from scramble.crossword import Puzzle
from tests.support.crossword.foreign import ipuz_file, puz_file
from tests.support.process import ServerProcess


def run(*arguments: str | Path) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of the command."""
    done = CliRunner().invoke(main, ["import-puzzle", *map(str, arguments)])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def saturday(tmp_path: Path) -> Path:
    file = tmp_path / "Été, Saturday.puz"
    file.write_bytes(puz_file())
    return file


def offered(server: ServerProcess) -> dict[str, str]:
    """The names and titles of the crosswords that a server offers."""
    kinds = httpx.get(f"{server.url}rooms/kinds").json()["kinds"]
    (crossword,) = (kind for kind in kinds if kind["game"] == "crossword")
    return {puzzle["name"]: puzzle["title"] for puzzle in crossword["puzzles"]}


def test_a_server_offers_what_was_imported_before_and_while_it_runs(tmp_path: Path, saturday: Path) -> None:
    data = tmp_path / "data"
    place = data / "puzzles" / "ete-saturday.puzzle"
    assert run(saturday, "--data", data) == (0, f"Pets, 3 x 4, 6 words: {place}\n", "")
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    sunday = tmp_path / "sunday.ipuz"
    sunday.write_bytes(ipuz_file(title="Sunday"))
    with ServerProcess("serve", "--data", data, "--port", "0", lines=1) as server:
        assert offered(server)["ete-saturday"] == "Pets"
        assert "sunday" not in offered(server)
        assert run(sunday, "--data", data)[0] == 0
        assert offered(server)["sunday"] == "Sunday"
        asked = {"game": "crossword", "settings": {"puzzle": "sunday"}}
        room = httpx.post(f"{server.url}rooms", json=asked).json()["room"]
        assert httpx.get(f"{server.url}g/{room}").status_code == 200


def test_a_puzzle_is_written_to_a_folder_a_file_or_standard_output(tmp_path: Path, saturday: Path) -> None:
    file = tmp_path / "mine.puzzle"
    assert run(saturday, "--to", tmp_path)[0] == run(saturday, "--to", file)[0] == 0
    assert Puzzle.parse_from_file(tmp_path / "ete-saturday.puzzle").entries == Puzzle.parse_from_file(file).entries
    assert run(saturday, "--to", "-") == (0, file.read_text(), "")


def test_a_puzzle_of_that_name_is_replaced_only_if_it_is_asked_for(tmp_path: Path, saturday: Path) -> None:
    file = tmp_path / "mine.puzzle"
    file.write_text("mine")
    code, _, words = run(saturday, "--to", file)
    assert (code, words, file.read_text()) == (
        1,
        f"Error: {file}: this file exists; --overwrite replaces it\n",
        "mine",
    )
    assert run(saturday, "--to", file, "--overwrite")[0] == 0
    assert Puzzle.parse_from_file(file).name == "Pets"


def test_a_file_that_cannot_be_imported_says_why_in_one_line_and_writes_nothing(tmp_path: Path) -> None:
    file, place = tmp_path / "x.puz", tmp_path / "x.puzzle"
    file.write_bytes(puz_file(extensions={b"GRBS": bytes(5) + b"\x01" + bytes(6)}))
    words = "row 2, column 2: several letters in one square (a rebus) cannot be played here"
    assert run(file, "--to", place) == (1, "", f"Error: {file}: {words}\n")
    assert not place.exists()
    assert run(tmp_path / "none.puz")[0] == 2
    assert run(file, "--to", place, "--data", tmp_path)[0] == 2
    file.write_bytes(puz_file())
    code, _, words = run(file, "--to", tmp_path / "no folder" / "x.puzzle")
    assert (code, "No such file or directory" in words) == (1, True)
