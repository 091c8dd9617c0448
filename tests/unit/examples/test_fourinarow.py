"""docs/examples/fourinarow, a game as its own distribution: its tests, its size, and the tutorial about it.

Its own tests, and the tests of every kind of game, run in processes that find the example as an installed package.
tests/system/browser/test_fourinarow.py installs and plays the example.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

import pytest

from tests.support import PROGRAM_S
from tests.support.process import ROOT
from tests.system.cli.shell import FENCE

EXAMPLE: Final = ROOT / "docs" / "examples" / "fourinarow"
TUTORIAL: Final = ROOT / "docs" / "tutorial" / "your-own-game.md"
MOST_LINES: Final = 700  # of all files except the tests
WRITTEN: Final = frozenset({".py", ".toml", ".js", ".css", ".html", ".svg", ".md", ".json"})


def files() -> list[Path]:
    """Return the files of the example, without its tests."""
    tests = EXAMPLE / "tests"
    return [file for file in sorted(EXAMPLE.rglob("*")) if file.suffix in WRITTEN and tests not in file.parents]


@pytest.fixture
def beside(tmp_path: Path) -> dict[str, str]:
    """An environment that finds the example as an installed package."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    described = tmp_path / "fourinarow-0.1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 0.1.0\n")
    points = [
        f"[{group}]\n{name} = {value}\n"
        for group, values in project["entry-points"].items()
        for name, value in values.items()
    ]
    (described / "entry_points.txt").write_text("".join(points))
    path = os.pathsep.join(map(str, (tmp_path, EXAMPLE, ROOT)))
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def pytest_of(*arguments: str | Path, environment: dict[str, str]) -> str:
    """Run tests that pass, in a new process; return the output of pytest."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PROGRAM_S)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_tests_of_the_example_pass(beside: dict[str, str]) -> None:
    pytest_of("-c", os.devnull, "-W", "error", "--rootdir", EXAMPLE, EXAMPLE / "tests", environment=beside)


def test_the_game_keeps_what_the_house_expects_of_every_kind(beside: dict[str, str]) -> None:
    tests = ("tests/search/kinds", "tests/system/rooms/test_mount.py")
    printed = pytest_of("-rp", "-k", "fourinarow", *tests, environment=beside)
    assert printed.count("[fourinarow") >= 7


def test_a_game_with_its_page_takes_at_most_700_lines() -> None:
    lines = {str(file.relative_to(EXAMPLE)): len(file.read_text().splitlines()) for file in files()}
    assert sum(lines.values()) <= MOST_LINES, lines


@pytest.mark.parametrize("folder", ["scramble", "client"])
def test_nothing_in_the_house_knows_of_the_game(folder: str) -> None:
    names = re.compile("four.?in.?a.?row", re.IGNORECASE)
    known = [file for file in (ROOT / folder).rglob("*") if file.suffix in WRITTEN and names.search(file.read_text())]
    assert known == []


def shown() -> list[str]:
    """Return the pieces of code in the tutorial."""
    return [match[2] for match in FENCE.finditer(TUTORIAL.read_text()) if match[1] in ("py", "js", "toml", "css")]


@pytest.mark.parametrize("piece", shown(), ids=lambda piece: piece.splitlines()[0].strip()[:40])
def test_the_tutorial_shows_the_code_as_it_is(piece: str) -> None:
    written = [*files(), *(EXAMPLE / "tests").glob("*.py")]
    assert [file.name for file in written if piece in file.read_text()] != []
