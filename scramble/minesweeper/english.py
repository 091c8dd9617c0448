"""English sentences about a game of Minesweeper, for the terminal. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from scramble.games.told import English


def _opened(does: str, squares: int) -> str:
    return f"{does}, and opens {squares} {'square' if squares == 1 else 'squares'}"


def _boom(player: str, row: int, column: int, squares: int) -> str:
    does = f"BOOM! {player} digs up a bomb at {place(row, column)}"
    return _opened(does, squares) if squares > 1 else does


def _chord_boom(player: str, row: int, column: int, squares: int, bombs: int) -> str:
    dug_up = "a bomb" if bombs == 1 else f"{bombs} bombs"
    return _opened(f"BOOM! {player} digs up {dug_up} by a chord at {place(row, column)}", squares)


ENGLISH: Final = English(
    {
        "dug": lambda player, row, column, squares: _opened(f"{player} digs {place(row, column)}", squares),
        "boom": _boom,
        "flagged": "{player} flags column {column}, row {row}",
        "deflagged": "{player} takes the flag at column {column}, row {row} away",
        "chorded": lambda player, row, column, squares: _opened(f"{player} chords at {place(row, column)}", squares),
        "chord-boom": _chord_boom,
        "dig-in-vain": "{player} digs column {column}, row {row}, where there is nothing to dig",
        "flag-in-vain": "{player} flags column {column}, row {row}, where there is nothing to flag",
        "deflag-in-vain": "{player} deflags column {column}, row {row}, where there is nothing to deflag",
        "chord-in-vain": "{player} chords column {column}, row {row}, where there is nothing to chord",
        "left-already": "{player} has left already",
    },
    suffixes={"cleared": ", and the last square without a bomb is open"},
    columns={
        "digs": "digs",
        "opened": "squares opened",
        "booms": "booms",
        "flags": "flags",
        "deflags": "flags taken away",
        "chords": "chords",
        "idle": "without effect",
    },
)


def caption(scores: Mapping[str, int], left: int) -> str:
    """Return the scores and the number of squares left, in one line."""
    opened = ", ".join(f"{player} {squares}" for player, squares in scores.items())
    return f"squares opened: {opened or 'none'}; {left} left"


def place(row: int, column: int) -> str:
    """Return a place in words, counted from 1. The column is first, as on the game's page."""
    return f"column {column}, row {row}"
