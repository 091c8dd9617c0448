"""Multiplayer Minesweeper, with one field for all players: the rules, and `open_game` for trio programs."""

from __future__ import annotations

from scramble.minesweeper.field import Field
from scramble.minesweeper.fieldfile import FieldFileError
from scramble.minesweeper.game import Game, open_game
from scramble.minesweeper.messages import BoardView, Player, Snapshot, Welcome

__all__ = ["BoardView", "Field", "FieldFileError", "Game", "Player", "Snapshot", "Welcome", "open_game"]
