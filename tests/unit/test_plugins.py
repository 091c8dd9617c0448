"""Games from the entry points of installed distributions, with a distribution in a temporary folder.

Partitions: another distribution has a game with a new name, with the name of one of this distribution's games; a value
that cannot be loaded, a value of another type.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scramble.games.kind import GameKind
from scramble.memory.kind import MEMORY
from scramble.minesweeper.kind import MINESWEEPER
from scramble.plugins import KINDS_GROUP, Plugins, load


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for installed distributions. It is the first in the path, so its distributions are found first."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def loaded(folder: Path, point: str) -> Plugins[GameKind]:
    """Return the games after the installation of a distribution with this entry point."""
    described = folder / "more_games-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: more-games\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text(f"[{KINDS_GROUP}]\n{point}\n")
    return load(KINDS_GROUP, GameKind)


def test_a_game_of_another_distribution_is_found_beside_the_games_of_this_one(folder: Path) -> None:
    games = loaded(folder, "mines = scramble.minesweeper.kind:MINESWEEPER")
    assert (games.found["mines"], games.found["memory"], games.failed) == (MINESWEEPER, MEMORY, ())


def test_no_other_distribution_replaces_a_game_of_this_one(folder: Path) -> None:
    games = loaded(folder, "memory = scramble.minesweeper.kind:MINESWEEPER")
    assert games.found["memory"] is MEMORY
    (line,) = games.failed
    assert line == "the game 'memory' of the distribution 'more-games' is ignored: another game has the same name"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("scramble.nowhere:GAME", "ModuleNotFoundError: No module named 'scramble.nowhere'"),
        ("scramble.minesweeper.kind:__name__", "scramble.minesweeper.kind:__name__ is not a GameKind"),
    ],
)
def test_a_game_that_cannot_be_loaded_is_a_line_and_all_others_are_found(value: str, reason: str, folder: Path) -> None:
    games = loaded(folder, f"chess = {value}")
    assert games.failed == (f"the game 'chess' of the distribution 'more-games' cannot be loaded: {reason}",)
    assert {"memory", "minesweeper", "crossword"} <= games.found.keys()
