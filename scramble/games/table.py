"""The installed games. Entry points name the games, so a distribution can add a game.

    [project.entry-points."scramble.games"]
    memory = "scramble.memory.kind:MEMORY"

    game_kinds()["memory"].title

Games that cannot be loaded are missing; `failed_games` has one line for each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from scramble.games.kind import GameKind
from scramble.games.narration import NarratorFactory
from scramble.plugins import KINDS_GROUP, Plugins, load


@cache
def _kinds() -> Plugins[GameKind]:
    plugins = load(KINDS_GROUP, GameKind)
    misnamed = [name for name, kind in plugins.found.items() if kind.name != name]
    ordered = sorted(plugins.found.values(), key=lambda kind: (kind.place, kind.name))
    found = {kind.name: kind for kind in ordered if plugins.found.get(kind.name) is kind}
    lines = (f"the game {name!r} is ignored: its kind is called {plugins.found[name].name!r}" for name in misnamed)
    return Plugins(found, (*plugins.failed, *lines))


def game_kinds() -> Mapping[str, GameKind]:
    """Return all kinds of games by their names, in the order for lists. The first call blocks."""
    return _kinds().found


def narrators() -> Mapping[str, NarratorFactory]:
    """Return the narrator of each kind of game, for `scramble.replay`. The first call blocks."""
    return {name: kind.narrator for name, kind in game_kinds().items()}


def failed_games() -> tuple[str, ...]:
    """Return one line for each installed game that could not be loaded. The first call blocks."""
    return _kinds().failed
