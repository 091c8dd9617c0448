"""What people get who install scramble: a wheel, in a clean virtual environment, run from another directory.

Strategy: build the wheel once, install it as pip does for everybody, and then
- every game serves its page and a packaged board, and they are those of this checkout
- the other commands work
- nothing of the tests or the documentation is in the wheel
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DEADLINE_S = 300  # to end a hanging installation, not to judge a slow one


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
    run(sys.executable, "-m", "venv", str(folder))
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    run(str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))
    return programs / "scramble"


def run(*command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@contextmanager
def serving(command: Path, folder: Path, *arguments: str) -> Iterator[str]:
    """A server started from another directory; gives the address of its page."""
    server = subprocess.Popen([command, *arguments], cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        addresses = (re.search(r"http://\S+/", line) for line in server.stdout)
        yield next(address[0] for address in addresses if address)
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=DEADLINE_S)
        assert server.returncode == 0
    finally:
        server.kill()
        server.communicate()


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=DEADLINE_S) as answer:
        return str(answer.read().decode())


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
        assert page == (ROOT / "client" / game / "index.html").read_text()
        for asset in re.findall(r'(?:src|href)="(client/[^"]+)"', page):
            assert get(url + asset) == (ROOT / asset).read_text()


def test_the_installed_command_alone_serves_the_packaged_board(scramble: Path, tmp_path: Path) -> None:
    with serving(scramble, tmp_path, "memory", "--port", "0") as url:
        assert get(url + "look/alice") == "3x3\n" + "down\n" * 9


def test_the_installed_simulation_and_new_board_work(scramble: Path, tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text(run(str(scramble), "new-board", "2x2", "--seed", "1", cwd=tmp_path))
    printed = run(str(scramble), "simulate", "board.txt", "--players", "2", "--moves", "5", "--seed", "1", cwd=tmp_path)
    assert "pairs" in printed


def test_the_wheel_has_the_package_its_pages_and_its_boards_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"scramble"}
    assert "scramble/_boards/memory/perfect.txt" in names
    assert "scramble/py.typed" in names
    assert not [name for name in names if "test" in name or "__pycache__" in name or name.endswith(".md")]
    assert not [name for name in names if name.startswith("scramble/_boards/") and name.endswith(".py")]
