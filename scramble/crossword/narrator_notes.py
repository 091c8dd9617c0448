"""Notes of the narrator of Crossword Extravaganza: sessions, matches, and the counts of each player."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from scramble.crossword.grid import Word
from scramble.crossword.messages import MatchView, SessionId, WordView

Outcome: TypeAlias = Literal["won", "drawn", "not-completed", "both-left"]
"""End of a match: with a winner; as a draw; given up by a player who plays alone; or left by both players."""


class WordCounts(msgspec.Struct):
    """Counts of one player's moves; `matches` has (ID, points) for each finished match."""

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
    """The public data of a puzzle: its size, and its words without letters."""

    rows: int
    columns: int
    words: list[Word]

    @classmethod
    def of(cls, view: MatchView) -> PuzzleShape:
        """Return the shape of the puzzle of a match."""
        words = [Word(w.id, w.clue, w.direction, w.row, w.column, w.length) for w in view.words]
        return cls(view.rows, view.columns, words)


class WordState(msgspec.Struct, frozen=True, array_like=True):
    """State of a word: (id, text, by, confirmed). `text` and `by` are None if the word was cleared."""

    id: int
    text: str | None
    by: str | None
    confirmed: bool

    @classmethod
    def of(cls, word: WordView) -> WordState:
        """Return the state of a word in a view."""
        return cls(word.id, word.entered, word.by, word.confirmed)


class MatchNote(msgspec.Struct):
    """A match, numbered from 1.

    `since` and `until` are the numbers of the commands that began and ended the match. `heat` has the number of moves
    on each word.
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
        """Outcome of the match; None while the match is running."""
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
