"""Memory Scramble: the rules, for use without trio, and `open_game` for trio programs."""

from scramble.memory.board import Board
from scramble.memory.boardfile import BoardFileError
from scramble.memory.game import Game, open_game
from scramble.memory.messages import AlreadyWaiting, FlipFailed, GameRestarted, PlayerFigures, Snapshot, View

__all__ = [
    "AlreadyWaiting",
    "Board",
    "BoardFileError",
    "FlipFailed",
    "Game",
    "GameRestarted",
    "PlayerFigures",
    "Snapshot",
    "View",
    "open_game",
]
