"""Notes that the narrator of Crossword Extravaganza keeps of the past: sessions, matches, and counts of each player."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from scramble.crossword.grid import Word
from scramble.crossword.messages import MatchView, SessionId, WordView

Outcome: TypeAlias = Literal["won", "drawn", "not-completed", "both-left"]
"""End of a match: with a winner, as a draw, given up by a player alone, or left by all."""


class WordCounts(msgspec.Struct):
    """Counts of one player's moves; `matches` has (ID, points) of the matches that are over."""

    tries: int = 0
    refused: int = 0
    won: int = 0
    lost: int = 0
    matches: list[tuple[str, int]] = []


class NotedSeat(msgspec.Struct):
    """A session: its player, and the number of its latest match."""

    player: str | None = None
    match: int | None = None


class PuzzleShape(msgspec.Struct, frozen=True):
    """A puzzle as its players see it before they have entered anything."""

    rows: int
    columns: int
    words: list[Word]

    @classmethod
    def of(cls, view: MatchView) -> PuzzleShape:
        """Return the shape of the puzzle of a match."""
        words = [Word(w.id, w.clue, w.direction, w.row, w.column, w.length) for w in view.words]
        return cls(view.rows, view.columns, words)


class WordState(msgspec.Struct, frozen=True, array_like=True):
    """State of a word: (id, text, by, confirmed). Text and name are None if it was cleared."""

    id: int
    text: str | None
    by: str | None
    confirmed: bool

    @classmethod
    def of(cls, word: WordView) -> WordState:
        """Return the state that a match shows."""
        return cls(word.id, word.entered, word.by, word.confirmed)


class MatchNote(msgspec.Struct):
    """A match, numbered from 1.

    `since` and `until` are the commands that began and ended it; `heat` has the number of moves on each word.
    """

    number: int
    id: str
    puzzle: str
    description: str
    players: tuple[str, ...]
    since: int
    until: int | None = None
    points: dict[str, int] = {}
    winner: str | None = None
    forfeited_by: str | None = None
    words: list[WordState] = []
    heat: dict[int, int] = {}

    @property
    def outcome(self) -> Outcome | None:
        """Its outcome; None while it goes on."""
        if self.until is None:
            return None
        if self.winner is not None:
            return "won"
        return "drawn" if len(self.players) > 1 else "not-completed"


class Notes(msgspec.Struct):
    """All notes. `latest` is the number of the match with the latest move."""

    seats: dict[SessionId, NotedSeat] = {}
    tallies: dict[str, WordCounts] = {}
    matches: list[MatchNote] = []
    puzzles: dict[str, PuzzleShape] = {}
    latest: int | None = None
