"""The rules of a match of Crossword Extravaganza as a naive specification, written from the handout alone.

`Match` keeps no derived state, and computes all results again at each call: slow, short, and easy to compare with the
text. Where the handout leaves a rule open, the comment begins with "Decision": see docs/reference/crossword.md.
The model of this project's own tests (tests/support/crossword/model.py) is made from this class.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

Place: TypeAlias = tuple[int, int]
"""Row and column, from 0 at the top left."""

EntryData: TypeAlias = tuple[str, str, str, int, int]
"""The word, clue, direction, row and column of an entry."""

LOWER: Final = "abcdefghijklmnopqrstuvwxyz"


class PuzzleData(NamedTuple):
    """A puzzle, as plain data."""

    id: str
    name: str
    description: str
    entries: Sequence[EntryData]


SIMPLE_DATA: Final = PuzzleData(
    "simple",
    "Simple Puzzle",
    "A trivial puzzle designed to show how puzzles work",
    [("cat", "feline companion", "DOWN", 0, 1), ("mat", "lounging place for feline companion", "ACROSS", 1, 0)],
)
"""The example of the handout."""

EXTENDED_DATA: Final = PuzzleData(
    "extended",
    "Extended",
    "cat and mat, and words that overlap with cat",
    [
        ("cat", "feline companion", "DOWN", 0, 1),
        ("mat", "lounging place for feline companion", "ACROSS", 1, 0),
        ("car", "takes you to the cat", "ACROSS", 0, 1),
        ("tax", "the state's part", "ACROSS", 2, 1),
    ],
)
"""The handout's extension of its example: each letter of `cat` belongs to another word, too."""


class No(Exception):
    """The rules refuse the move."""


class Standing(NamedTuple):
    """An entered word."""

    text: str
    owner: str
    confirmed: bool


class Match:
    """A match of two players."""

    def __init__(self, puzzle: PuzzleData, players: tuple[str, ...]) -> None:
        """`players`: the player who made the match, then the player who joined it."""
        self.puzzle = puzzle
        self.players = players
        self.standing: dict[int, Standing] = {}
        """The entered words by their ids."""

        self.bonus = dict.fromkeys(players, 0)
        """The points that each player has won or lost by challenges."""

        self.gave_up: str | None = None

    def copy_to(self, other: Match) -> None:
        """Make the state of `other`, a match with the same puzzle and players, equal to this state."""
        other.standing, other.bonus, other.gave_up = dict(self.standing), dict(self.bonus), self.gave_up

    def key(self) -> Hashable:
        """Return a value that is equal for states with the same future."""
        return frozenset(self.standing.items()), frozenset(self.bonus.items()), self.gave_up

    def solution(self, word: int) -> str:
        """Return the correct word."""
        return self.puzzle.entries[word - 1][0]

    def spots(self, word: int) -> list[Place]:
        """Return the cells of a word."""
        return spots_of(self.puzzle, word)

    def ids(self) -> range:
        """Return the ids of the words: 1, 2, 3 ... in the order of the file."""
        return range(1, len(self.puzzle.entries) + 1)

    def seen(self) -> dict[Place, str]:
        """Return the letters on the board. A letter stays while any entered word has it."""
        return letters_of(self.puzzle, {word: there.text for word, there in self.standing.items()})

    def complete(self) -> bool:
        """Return True if all cells have their correct letters."""
        seen = self.seen()
        return all(
            seen.get(spot) == letter
            for word in self.ids()
            for spot, letter in zip(self.spots(word), self.solution(word), strict=True)
        )

    def at_odds(self, word: int, text: str) -> list[int]:
        """Return the other entered words that conflict with `text`."""
        mine = dict(zip(self.spots(word), text, strict=True))
        return [
            other
            for other, there in self.standing.items()
            if other != word
            and any(
                mine.get(spot, letter) != letter for spot, letter in zip(self.spots(other), there.text, strict=True)
            )
        ]

    def proposal(self, word: int, text: str) -> str:
        """Return the text of a guess or a challenge in lower case. Raises No without such a word or length."""
        if word not in self.ids() or len(text) != len(self.solution(word)):
            raise No
        if not all(letter in LOWER + LOWER.upper() + "-" for letter in text):
            raise No
        return text.lower()  # Decision: upper case is read as lower case

    def guess(self, player: str, word: int, text: str) -> None:
        """Enter a guess. Raises No if the rules refuse it; then nothing changes."""
        text = self.proposal(word, text)
        if word in self.standing and (self.standing[word].confirmed or self.standing[word].owner != player):
            raise No
        conflicts = self.at_odds(word, text)
        if any(self.standing[other].confirmed or self.standing[other].owner != player for other in conflicts):
            raise No
        self.enter(player, word, text, conflicts)

    def enter(self, player: str, word: int, text: str, conflicts: Sequence[int]) -> None:
        """Enter a guess that the rules allow; `conflicts` are the player's words that it clears."""
        for other in conflicts:
            del self.standing[other]
        self.standing[word] = Standing(text, player, False)
        self.settle()

    def challenge(self, player: str, word: int, text: str) -> None:
        """Challenge a word. Raises No if the challenge is not valid; then nothing changes."""
        text = self.proposal(word, text)
        if word not in self.standing:
            raise No
        there = self.standing[word]
        if there.owner == player or there.confirmed or text == there.text:
            raise No
        if there.text == self.solution(word):
            self.standing[word] = Standing(there.text, there.owner, True)
            self.bonus[player] -= 1
        elif text == self.solution(word):
            for other in self.at_odds(word, text):
                del self.standing[other]
            self.standing[word] = Standing(text, player, True)
            self.bonus[player] += 2
        else:
            del self.standing[word]
            self.bonus[player] -= 1
        self.settle()

    def settle(self) -> None:
        """Confirm all entered words if all cells are correct."""
        if self.complete():
            self.standing = {word: Standing(there.text, there.owner, True) for word, there in self.standing.items()}

    def points(self) -> dict[str, int]:
        """Return the points: the correct words under the player's name, and the challenges."""
        return {
            player: self.bonus[player]
            + sum(there.owner == player and there.text == self.solution(word) for word, there in self.standing.items())
            for player in self.players
        }

    def winner(self) -> str | None:
        """Return the winner; None for a draw. Decision: the other player wins a forfeited match."""
        first, second = self.players
        if self.gave_up is not None:
            return second if self.gave_up == first else first
        points = self.points()
        if points[first] == points[second]:
            return None
        return first if points[first] > points[second] else second


def spots_of(puzzle: PuzzleData, word: int) -> list[Place]:
    """Return the cells of a word."""
    text, _, direction, row, column = puzzle.entries[word - 1]
    return [(row + i, column) if direction == "DOWN" else (row, column + i) for i in range(len(text))]


def letters_of(puzzle: PuzzleData, words: Mapping[int, str]) -> dict[Place, str]:
    """Return the letters of the words, cell by cell."""
    return {
        spot: letter for word, text in words.items() for spot, letter in zip(spots_of(puzzle, word), text, strict=True)
    }
