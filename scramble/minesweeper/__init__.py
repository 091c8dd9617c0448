"""Multiplayer Minesweeper: one field that everybody digs at once. The rules, the file format and the wire text."""

from __future__ import annotations

from scramble.minesweeper.field import Field
from scramble.minesweeper.fieldfile import FieldFileError
from scramble.minesweeper.messages import BoardView, Player, Snapshot, Welcome

__all__ = ["BoardView", "Field", "FieldFileError", "Player", "Snapshot", "Welcome"]
