"""The table of all kinds of games. Another game adds its entry here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from scramble.front.crossword.kind import CROSSWORD
from scramble.front.game_front import GameKind
from scramble.front.memory.kind import MEMORY
from scramble.front.minesweeper.kind import MINESWEEPER
from scramble.replay.games import Narrators

GAMES: Final[Mapping[str, GameKind]] = {kind.name: kind for kind in (MEMORY, MINESWEEPER, CROSSWORD)}

NARRATORS: Final[Narrators] = {name: kind.narrator for name, kind in GAMES.items()}
"""The narrator of each kind of game, for `scramble.replay`."""
