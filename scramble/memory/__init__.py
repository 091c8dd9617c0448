"""Memory Scramble, playable in a plain REPL: the rules, their vocabulary, and what can go wrong."""

from scramble.memory.board import Board
from scramble.memory.boardfile import BoardFileError
from scramble.memory.messages import AlreadyWaiting, FlipFailed, GameRestarted, Snapshot, View

__all__ = [
    "AlreadyWaiting",
    "Board",
    "BoardFileError",
    "FlipFailed",
    "GameRestarted",
    "Snapshot",
    "View",
]
