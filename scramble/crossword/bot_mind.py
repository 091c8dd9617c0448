"""Mind of a bot for Crossword Extravaganza: it knows some words, mistypes some, and doubts the other player's words.

The mind knows only words of its `answers`. These have the clue and the place as their key, because several words of a
puzzle may have the same clue, for example "-". The bot's level decides how many of these words it knows at the start.
The mind learns the other words one by one, so no match waits for a bot forever. It judges the board only by its own
words, because the game does not show the solution. Pure.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from scramble.crossword.grid import Entry, cells_from
from scramble.crossword.messages import Direction, MatchView, SessionId, SessionView, WordView
from scramble.crossword.puzzle import Puzzle
from scramble.games.bot import Level, Mind

WORD_S: Final[Mapping[Level, tuple[float, float]]] = {"easy": (12.0, 25.0), "medium": (8.0, 16.0), "hard": (4.0, 9.0)}
"""The shortest and the longest time for a word, in seconds: reading its clue, finding its place, typing."""

IDEA_S: Final = 40.0  # time without a move until the bot learns another word


class Learning(NamedTuple):
    """Shares of words from 0 to 1: known at the start, mistyped, and challenged if the bot knows another answer."""

    known: float
    mistyped: float
    challenged: float


LEARNING: Final[Mapping[Level, Learning]] = {
    "easy": Learning(0.35, 0.2, 0.4),
    "medium": Learning(0.6, 0.08, 0.75),
    "hard": Learning(0.9, 0.0, 1.0),
}


WordKey: TypeAlias = tuple[str, int, int, Direction]
"""Public data of a word: its clue, row, column and direction."""


def answers_of(puzzles: Iterable[Puzzle]) -> dict[WordKey, str]:
    """Return the words of these puzzles by their clues and places."""
    return {_key(entry): entry.word for puzzle in puzzles for entry in puzzle.entries}


def _key(word: Entry | WordView) -> WordKey:
    return word.clue, word.row, word.column, word.direction


class CrosswordMind(Mind):
    """One player's knowledge of a puzzle, and doubts about its board. Its moves are command lines. Mutable.

    In CHOOSE the bot joins the first waiting match. If no match waits, the bot makes a match. All bots use the same
    match IDs: bots_1, bots_2 and so on. So if two bots choose at the same time, only one bot makes a match. The game
    refuses the command of the other bot, which then sees the waiting match.
    """

    # AF: the player _name sees `view`, and _number - 1 lines were refused. _known maps ids to known words; None: the
    #     player has not seen a board. The player will learn the words (id, text) in _later, the last one first. _doubts
    #     maps each standing word (id, text) that differs from the player's answer to the decision to challenge it. The
    #     player has not yet noticed that the words with the ids in _slips are mistyped.

    seconds = WORD_S
    idea_s = IDEA_S

    def __init__(
        self, name: str, level: Level, choices: random.Random, answers: Mapping[WordKey, str] = MappingProxyType({})
    ) -> None:
        self.view = SessionView(session=SessionId(0), number=0, state="START", player=None, message="")
        self._name: Final = name
        self._learning: Final = LEARNING[level]
        self._answers: Final = answers
        self._choices: Final = choices
        self._number = 1
        self._known: dict[int, str] | None = None
        self._later: list[tuple[int, str]] = []
        self._doubts: dict[tuple[int, str], bool] = {}
        self._slips: set[int] = set()

    def begin(self, view: SessionView, /) -> None:
        """Take the current view. A view shows the whole game."""
        self.view = view
        self._number += view.error is not None

    @property
    def over(self) -> bool:
        """True after one match."""
        return self.view.state == "SHOW SCORE"

    @property
    def result(self) -> str:
        """The player's points; without a result, the message of the last view."""
        result = self.view.result
        return self.view.message if result is None else f"{result.points.get(self._name, 0)} points"

    def next_move(self) -> str | None:
        """Return the next command line; None if the bot knows no move."""
        if self.view.state == "CHOOSE":
            return self._entrance(self.view)
        return self._next_word(self.view.match) if isinstance(self.view.match, MatchView) else None

    def _entrance(self, view: SessionView) -> str:
        if view.matches:
            return f"PLAY {view.matches[0].id}"
        puzzle = self._choices.choice([listing.id for listing in view.puzzles or ()])
        return f'NEW bots_{self._number} {puzzle} "A match with a bot"'

    def _next_word(self, match: MatchView) -> str | None:
        known = self._know(match)
        for word in match.words:
            answer = known.get(word.id)
            if answer is None or word.confirmed or word.entered in (None, answer):
                continue
            if word.by == self._name and word.id not in self._slips and self._fits(match, word, answer):
                return f"TRY {word.id} {answer}"
            if word.by != self._name and word.entered is not None and self._doubt(word.id, word.entered):
                return f"CHALLENGE {word.id} {answer}"
        for id, answer in known.items():
            word = match.words[id - 1]
            if word.entered is None and self._fits(match, word, answer):
                return f"TRY {id} {self._typed(match, word, answer)}"
        return None

    def have_idea(self) -> bool:
        """Learn one more word, notice mistyped words, and reconsider challenges. Return False if nothing changes."""
        changed = bool(self._later or self._slips) or not all(self._doubts.values())
        self._slips.clear()
        for word, doubted in self._doubts.items():
            self._doubts[word] = doubted or self._choices.random() < max(0.5, self._learning.challenged)
        if self._later and self._known is not None:
            id, answer = self._later.pop()
            self._known[id] = answer
        return changed

    def _know(self, match: MatchView) -> dict[int, str]:
        """Return the known words by their ids. The first call chooses them."""
        if self._known is None:
            answers = [
                (word.id, answer)
                for word in match.words
                if len(answer := self._answers.get(_key(word), "")) == word.length
            ]
            self._choices.shuffle(answers)
            first = math.ceil(self._learning.known * len(answers))
            self._known, self._later = dict(answers[:first]), answers[first:]
        return self._known

    def _doubt(self, word: int, entered: str) -> bool:
        """Return True to challenge a standing word that differs from the bot's answer."""
        return self._doubts.setdefault((word, entered), self._choices.random() < self._learning.challenged)

    def _typed(self, match: MatchView, word: WordView, answer: str) -> str:
        """Return the word as the bot types it: sometimes with a wrong letter, if the rules allow that text."""
        if self._choices.random() >= self._learning.mistyped:
            return answer
        place = self._choices.randrange(len(answer))
        letter = self._choices.choice([other for other in "aeinorst" if other != answer[place]])
        mistyped = answer[:place] + letter + answer[place + 1 :]
        if not self._fits(match, word, mistyped):
            return answer
        self._slips.add(word.id)
        return mistyped

    def _fits(self, match: MatchView, word: WordView, text: str) -> bool:
        """Return True if the rules allow the text: it must agree with the other player's words and confirmed words."""
        for (row, column), letter in zip(
            cells_from(word.row, word.column, word.direction, word.length), text, strict=True
        ):
            cell = match.cells[row][column]
            if cell is None or cell.letter in (None, letter):
                continue
            crossing = (match.words[id - 1] for id in cell.words if id != word.id)
            if any(other.entered is not None and (other.confirmed or other.by != self._name) for other in crossing):
                return False
        return True
