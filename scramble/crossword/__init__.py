"""Crossword Extravaganza: two players race to fill in one crossword puzzle. Importing this imports no front end."""

from scramble.crossword.entry import Entry
from scramble.crossword.game import OpenLobby, Session, open_lobby
from scramble.crossword.lobby import Lobby
from scramble.crossword.lobbystate import Limits
from scramble.crossword.match import Match, MoveRefused, Report
from scramble.crossword.messages import LobbyFull, MatchHeader, MatchView, Result, SessionEnded, SessionId, SessionView
from scramble.crossword.puzzle import InconsistentPuzzle, Puzzle, PuzzleError, load_puzzles
from scramble.crossword.puzzlefile import PuzzleFileError
from scramble.crossword.shape import Shape

__all__ = [
    "Entry",
    "InconsistentPuzzle",
    "Limits",
    "Lobby",
    "LobbyFull",
    "Match",
    "MatchHeader",
    "MatchView",
    "MoveRefused",
    "OpenLobby",
    "Puzzle",
    "PuzzleError",
    "PuzzleFileError",
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
