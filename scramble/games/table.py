"""The games that are installed: found by entry points, so that a distribution can add a game.

    [project.entry-points."scramble.games"]
    memory = "scramble.memory.kind:MEMORY"

    game_kinds()["memory"].title

A game that cannot be loaded is left out: `failed_games` has one line for each.
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
    lines = (f"the game {name!r} is left out: its kind is called {plugins.found[name].name!r}" for name in misnamed)
    return Plugins(found, (*plugins.failed, *lines))


def game_kinds() -> Mapping[str, GameKind]:
    """Return all kinds of games by their names, in the order of lists. Blocks when it is called first."""
    return _kinds().found


def narrators() -> Mapping[str, NarratorFactory]:
    """Return the narrator of each kind of game, for `scramble.replay`. Blocks when it is called first."""
    return {name: kind.narrator for name, kind in game_kinds().items()}


def failed_games() -> tuple[str, ...]:
    """Return one line for each game that is installed and could not be loaded. Blocks when it is called first."""
    return _kinds().failed
