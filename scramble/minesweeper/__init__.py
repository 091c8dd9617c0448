"""Multiplayer Minesweeper: one field that everybody digs at once.

The rules, which can be played with in a plain REPL, and `open_game`, the door for trio programs.
"""

from __future__ import annotations

from scramble.minesweeper.field import Field
from scramble.minesweeper.fieldfile import FieldFileError
from scramble.minesweeper.game import Game, open_game
from scramble.minesweeper.messages import BoardView, Player, Snapshot, Welcome

__all__ = ["BoardView", "Field", "FieldFileError", "Game", "Player", "Snapshot", "Welcome", "open_game"]
