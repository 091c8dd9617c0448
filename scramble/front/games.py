"""The network sides of the installed games.

Each network side is an entry point, so that a distribution can add a game:

[project.entry-points."scramble.fronts"]
memory = "scramble.front.memory.game_front:MEMORY_FRONT"
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from scramble.front.game_front import GameFront
from scramble.games.table import failed_games, game_kinds
from scramble.plugins import FRONTS_GROUP, Plugins, load


@cache
def _fronts() -> Plugins[GameFront]:
    plugins = load(FRONTS_GROUP, GameFront)
    found = {name: plugins.found[name] for name in game_kinds() if name in plugins.found}
    return Plugins(found, plugins.failed)


def game_fronts() -> Mapping[str, GameFront]:
    """Return the network sides of all games by the games' names, ordered as in `game_kinds`. The first call blocks."""
    return _fronts().found


def failures() -> tuple[str, ...]:
    """Return one line for each game or network side that could not be loaded. The first call blocks."""
    return tuple(dict.fromkeys((*failed_games(), *_fronts().failed)))


def game_pages() -> Mapping[str, Path]:
    """Return the folders of pages of games from other distributions, by the games' names."""
    return {name: front.pages for name, front in game_fronts().items() if front.pages is not None}
