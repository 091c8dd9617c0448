"""What the teller of Crossword Extravaganza remembers of the lobby's past: who sat where, which matches there were."""

from __future__ import annotations

import msgspec

from scramble.crossword.entry import Cell, cells_from
from scramble.crossword.messages import Direction, MatchView, SessionId, WordView


class Tally(msgspec.Struct):
    """What one player has done; `matches` has (the match's ID, points) of those that are over."""

    tries: int = 0
    refused: int = 0
    won: int = 0
    lost: int = 0
    matches: list[tuple[str, int]] = []


class Seat(msgspec.Struct):
    """A session: whose it is, and the number of the match that it was in last."""

    player: str | None = None
    match: int | None = None


class Word(msgspec.Struct, frozen=True):
    """A word of a puzzle without its letters."""

    id: int
    clue: str
    direction: Direction
    row: int
    column: int
    length: int

    def cells(self) -> tuple[Cell, ...]:
        """Its cells, from its first letter to its last."""
        return cells_from(self.row, self.column, self.direction, self.length)


class Shape(msgspec.Struct, frozen=True):
    """A puzzle as its players see it before they have entered anything."""

    rows: int
    columns: int
    words: list[Word]

    @classmethod
    def of(cls, view: MatchView) -> Shape:
        """That of the puzzle of a match."""
        words = [Word(w.id, w.clue, w.direction, w.row, w.column, w.length) for w in view.words]
        return cls(view.rows, view.columns, words)


class WordState(msgspec.Struct, frozen=True, array_like=True):
    """A word as it stands: (id, text, by, confirmed). Text and name are None if it was cleared."""

    id: int
    text: str | None
    by: str | None
    confirmed: bool

    @classmethod
    def of(cls, word: WordView) -> WordState:
        """As a match shows it."""
        return cls(word.id, word.entered, word.by, word.confirmed)


class MatchNote(msgspec.Struct):
    """A match, numbered from 1: when it began and ended (numbers of commands), how it stands or ended, moves a word."""

    number: int
    id: str
    puzzle: str
    description: str
    players: tuple[str, str]
    since: int
    until: int | None = None
    points: dict[str, int] = {}
    winner: str | None = None
    forfeited_by: str | None = None
    words: list[WordState] = []
    heat: dict[int, int] = {}

    @property
    def ending(self) -> str | None:
        """How it ended, in a word or two; None while it goes on."""
        if self.until is None:
            return None
        return "a draw" if self.winner is None else f"{self.winner} won"


class Notes(msgspec.Struct):
    """All of it. `latest` is the number of the match that moved last."""

    seats: dict[SessionId, Seat] = {}
    tallies: dict[str, Tally] = {}
    matches: list[MatchNote] = []
    puzzles: dict[str, Shape] = {}
    latest: int | None = None
