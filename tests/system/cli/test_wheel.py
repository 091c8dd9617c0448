"""The installed package: a wheel, in a clean virtual environment, run from another directory.

Strategy: build the wheel once, and install it with pip, as users do, without the bytecode that no test needs. Then:
- every game serves its page with its bundles, and the page's files, all equal to the checkout's; memory serves a
  packaged board
- the other commands work
- the wheel has no tests and no documentation
- the commands of each tutorial, run in a checkout, print the output that the tutorial shows. Only the ports differ.
  `make` finds this virtual environment, which has only the packages that scramble needs
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scramble.bundling import are_current
from scramble.front.web.pages import NO_FOLDERS, with_icons
from scramble.resources import BUNDLES
from tests.support import HANG_S, TEST_S
from tests.support.process import ROOT, ServerProcess
from tests.system.cli.shell import FENCE, Shell

ACTIVATE, RUN = ". .venv/bin/activate", ".venv/bin/python program.py"  # as in the tutorials


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT))
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def scramble(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The installed command."""
    folder = tmp_path_factory.mktemp("venv")
    run(sys.executable, "-m", "venv", "--without-pip", str(folder))  # pip would take longer than all the rest
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    pip = (sys.executable, "-m", "pip", "--python", str(programs / "python"), "--disable-pip-version-check")
    run(*pip, "install", "--quiet", "--no-compile", str(wheel))
    return programs / "scramble"


def run(*command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=TEST_S)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@contextmanager
def serving(command: Path, folder: Path, *arguments: str) -> Iterator[str]:
    """Start a server in another directory. Return the address of its page."""
    with ServerProcess(*arguments, program=(command,), folder=folder) as server:
        yield server.url
        assert server.stop()[0] == 0


def get(url: str) -> str:
    return load(url).decode()


def load(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=HANG_S) as answer:
        body: bytes = answer.read()
    return body


@pytest.mark.parametrize(
    ("game", "arguments"),
    [
        ("memory", ("--port", "0")),
        ("minesweeper", ("--port", "0", "--http-port", "0")),
        ("crossword", ("--port", "0", "--telnet-port", "0")),
    ],
)
def test_an_installed_game_serves_the_page_of_this_checkout(
    scramble: Path, tmp_path: Path, game: str, arguments: tuple[str, ...]
) -> None:
    with serving(scramble, tmp_path, game, *arguments) as url:
        page = get(url)
        own = (ROOT / "client" / game / "index.html").read_text()
        shown = with_icons(own.encode(), NO_FOLDERS).decode()
        assert page.partition("<body>")[2] == shown.partition("<body>")[2]
        for asset in re.findall(r'(?:src|href)="(client/[^"]+)"', own):
            assert load(url + asset) == (ROOT / asset).read_bytes()
        script, sheet = re.findall(r'"(client/bundles/[^"]+)"', page)[::-1] if are_current() else ("", "")
        for kind, bundle in (("js", script), ("css", sheet)):
            assert not bundle or load(url + bundle) == (BUNDLES / f"{game}.{kind}").read_bytes()
        if game == "memory":
            assert get(url + "look/alice") == "4x4\n" + "down\n" * 16  # a packaged board


def test_the_installed_simulation_and_new_board_work(scramble: Path, tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text(run(str(scramble), "new-board", "2x2", "--seed", "1", cwd=tmp_path))
    printed = run(str(scramble), "simulate", "board.txt", "--players", "2", "--moves", "5", "--seed", "1", cwd=tmp_path)
    assert "pairs" in printed


@pytest.fixture
def checkout(scramble: Path, tmp_path: Path) -> Path:
    """A checkout after one `make play`."""
    for entry in ROOT.iterdir():
        if not entry.name.startswith("."):
            (tmp_path / entry.name).symlink_to(entry)
    (tmp_path / ".venv").symlink_to(scramble.parent.parent)
    (tmp_path / ".venv" / ".installed").touch()
    (tmp_path / ".venv" / ".bundled").touch()
    return tmp_path


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "tutorial").glob("*.md")), ids=lambda page: page.stem)
def test_a_reader_who_follows_a_tutorial_gets_what_it_shows(page: Path, checkout: Path) -> None:
    found = [(match[1], match[2]) for match in FENCE.finditer(page.read_text())]
    said = [text.strip() for language, text in found if language == "text"]
    ours = Path(sys.executable).parent
    path = os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if Path(part) != ours)
    shell = Shell(checkout, os.environ | {"PATH": path}, before=ACTIVATE if ACTIVATE in said else "")
    try:
        for language, text in found:
            if language == "console":
                shell.play(text)
            elif language == "python":
                (checkout / "program.py").write_text(text)
                shell.run(RUN if RUN in said else "python program.py")
    finally:
        shell.close()


def test_the_wheel_tells_the_commit_that_it_was_built_from(wheel: Path, scramble: Path, tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    commit = zipfile.ZipFile(wheel).read("scramble/_commit").decode().strip()
    assert re.fullmatch("[0-9a-f]{7,}(-dirty)?", commit)
    assert f" (commit {commit}) " in run(str(scramble), "--version", cwd=tmp_path)


def test_the_wheel_has_the_package_its_pages_and_its_boards_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"scramble"}
    assert "scramble/_boards/memory/perfect.txt" in names
    assert "scramble/py.typed" in names
    assert not [name for name in names if re.search(r"(^|/)(conf)?tests?[_./]|__pycache__|\.md$", name)]
    assert not [name for name in names if name.startswith("scramble/_boards/") and name.endswith(".py")]
