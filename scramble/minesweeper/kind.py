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
    """Return the kind, with fields of at most `most_squares` squares in new rooms, on which a boom costs `pause_ms`.

    A search for a field that needs no guess is given up after `search_s`.
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
        place=2,
    )


MINESWEEPER: Final = minesweeper_kind()
