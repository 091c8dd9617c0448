"""Crossword Extravaganza: two players race to fill in a puzzle. The rules, and `open_lobby` for trio programs."""

from scramble.crossword.game import Game, Session, open_lobby
from scramble.crossword.grid import Entry, Shape
from scramble.crossword.limits import LobbyLimits as Limits
from scramble.crossword.lobby import Lobby
from scramble.crossword.match import Match, MoveRefused, Report
from scramble.crossword.messages import (
    LobbyFull,
    MatchHeader,
    MatchView,
    Quota,
    Result,
    SessionEnded,
    SessionId,
    SessionView,
)
from scramble.crossword.puzzle import InconsistentPuzzle, Puzzle, PuzzleError, load_puzzles
from scramble.crossword.puzzlefile import PuzzleFileError

__all__ = [
    "Entry",
    "Game",
    "InconsistentPuzzle",
    "Limits",
    "Lobby",
    "LobbyFull",
    "Match",
    "MatchHeader",
    "MatchView",
    "MoveRefused",
    "Puzzle",
    "PuzzleError",
    "PuzzleFileError",
    "Quota",
    "Report",
    "Result",
    "Session",
    "SessionEnded",
    "SessionId",
    "SessionView",
    "Shape",
    "load_puzzles",
    "open_lobby",
]
