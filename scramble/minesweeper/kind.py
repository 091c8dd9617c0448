"""Multiplayer Minesweeper as a kind of game."""

from __future__ import annotations

from functools import partial
from typing import Final

from scramble.games.kind import Demo, GameKind
from scramble.minesweeper import room
from scramble.minesweeper.bot import BOTS
from scramble.minesweeper.field import Field
from scramble.minesweeper.narrator import MinesweeperNarrator
from scramble.minesweeper.relay import EVENTS, REQUESTS


def minesweeper_kind(
    most_squares: int = room.MOST_SQUARES, *, pause_ms: int = room.PAUSE_MS, search_s: float = room.SEARCH_S
) -> GameKind:
    """Return the kind. A field in a new room has at most `most_squares` squares, and a boom costs `pause_ms`.

    The search for a field that needs no guess stops after `search_s` seconds.
    """
    return GameKind(
        name="minesweeper",
        title="Minesweeper",
        restore=Field.restore,
        narrator=MinesweeperNarrator,
        settle=partial(room.settle, most_squares=most_squares),
        set_up=partial(room.set_up, pause_ms=pause_ms),
        again=room.again,
        choices=partial(room.choices, most_squares=most_squares),
        search=partial(room.search, search_s=search_s),
        memory=room.room_bytes,
        bot_memory=room.bot_bytes,
        requests=REQUESTS,
        events=EVENTS,
        secret_settings=frozenset({"seed", "field"}),
        bots=BOTS,
        demo=Demo({"preset": "intermediate"}, ("medium", "hard")),
        daily=room.daily,
        place=2,
    )


MINESWEEPER: Final = minesweeper_kind()
