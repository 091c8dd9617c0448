"""Rules of one match: two players race to complete one puzzle, or one player completes it alone.

This module does not depend on sessions or lobbies.

The handout does not decide some points. These decisions apply:

- A guess must agree with every letter of every confirmed word, and of every word that the other player entered.
- TRY on the player's own word replaces the word. The same word again is accepted and changes nothing.
- The proposal of a CHALLENGE may conflict with words on the board.
- A letter stays on the board while a standing word has this letter.
- The match ends when every cell shows its correct letter, even if some words have not been entered.
- Points are the correct words under a player's name, confirmed or not, plus the challenge points. If a player forfeits
  the match, the other player wins, even with fewer points. If the match times out without moves, the points decide.

The handout has no matches of one player. These rules apply:

- A TRY is judged at once: a right word stands, confirmed; a wrong word costs a point and does not stand.
- A player who completes the puzzle wins, even without points. A match without completion has no winner.

The board alone decides whether a move is *valid*. The solution decides only the effect of a valid challenge, the effect
of a TRY by a player who plays alone, and whether all cells are right. The count of right cells takes the same time for
right and wrong letters. So the time of an answer does not reveal the solution, either.
"""

from __future__ import annotations

import re
from typing import Literal, Self

import msgspec

from scramble.crossword.grid import CellPosition
from scramble.crossword.messages import CellView, EndReason, MatchView, Result, WordView
from scramble.crossword.puzzle import Puzzle
from scramble.crossword.solve_time import SolveTime
from scramble.errors import Refusal
from scramble.kernel.checks import CHECK_REP

CHALLENGE_WON = 2  # "The challenger also gets two bonus points for a correct challenge."
CHALLENGE_LOST = -1  # "The challenger loses one point for an incorrect challenge."
MISTAKE = -1  # for a player who plays alone; the same as for a lost challenge


class MoveRefused(Refusal):
    """Refusal of a TRY or CHALLENGE by the rules, with the reason for the player. The match has not changed."""

    def __init__(self, reason: str, code: str = "move-refused", **params: str | int) -> None:
        self.code = code
        self.params = params
        super().__init__(reason)


class Report(msgspec.Struct, frozen=True):
    """Effect of a move on the word with id `word`, and the ids of the other words that the move cleared, lowest first.

    entered    a TRY entered its guess
    unchanged  a TRY repeated the player's own word
    was right  a CHALLENGE of a correct word: the word is confirmed, the challenger loses a point
    won        a CHALLENGE with the correct word: the challenger has it, confirmed, and gains two points
    cleared    a CHALLENGE of a wrong word with a wrong word: the word is cleared, the challenger loses a point
    found      a TRY of the right word by a player who plays alone: it stands, confirmed
    mistaken   a TRY of a wrong word by a player who plays alone: it does not stand, the player loses a point
    """

    does: Literal["entered", "unchanged", "was right", "won", "cleared", "found", "mistaken"]
    word: int
    cleared: tuple[int, ...] = ()


class MatchStanding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """State of an entered word for a journal: its id, the text, its player, and whether it is confirmed."""

    id: int
    entered: str
    by: str
    confirmed: bool


class MatchState(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """State of a match that is not over, for a journal.

    `points` are the challenge points of `players`; `words` are in the order of their ids. `clock` is set in a match of
    one player; `Match` does not use it.

    Two matches on the same puzzle have equal states if and only if no command can distinguish them.
    """

    id: str
    puzzle: str
    description: str
    players: tuple[str, ...]
    points: tuple[int, ...]
    words: tuple[MatchStanding, ...]
    clock: SolveTime | None = None


class Match:
    """State of one match. Mutable; only one task at a time may use it."""

    # AF = the match of `_players` on the puzzle. The words of `_entered` stand, each under the name in `_owner`; the
    #     words in `_confirmed` are confirmed. `_points` are the challenge points. The match is over if every cell shows
    #     its letter, if `_forfeited_by` has given it up, or for the reason `_ended`.
    # RI: _entered and _owner have the same keys: ids of the shape. Each entered word has the word's length, and each
    #     owner is a player
    #     _confirmed is a subset of the keys, and its words are right; in a match of one player all words are confirmed
    #     standing words agree at their crossings
    #     _letters has exactly the letters of standing words; _right counts the cells with the letter of the solution
    #     if _right is the number of cells, every entered word is confirmed
    #     _view is None or the result of _draw()
    # Safety from rep exposure: methods never return containers; views are immutable except their dicts of points, and
    #     each view has new dicts.

    def __init__(self, id: str, puzzle: Puzzle, description: str, players: tuple[str, ...]) -> None:
        """Begin a match of two players, or of one player. Raises `ValueError` if two players have the same name."""
        if not 1 <= len(players) <= 2 or len(set(players)) < len(players):
            raise ValueError("a match has two different players, or one")
        self._id = id
        self._puzzle = puzzle
        self._shape = puzzle.shape
        self._description = description
        self._players = players
        self._solution = {
            cell: letter for entry in puzzle.entries for cell, letter in zip(entry.cells(), entry.word, strict=True)
        }
        self._entered: dict[int, str] = {}
        self._owner: dict[int, str] = {}
        self._confirmed: set[int] = set()
        self._points = dict.fromkeys(players, 0)
        self._letters: dict[CellPosition, str] = {}
        self._right = 0
        self._ended: EndReason | None = None
        self._forfeited_by: str | None = None
        self._view: MatchView | None = None
        self._check_rep()

    def state(self) -> MatchState:
        """Return the whole state, without the contents of the puzzle. Requires a match that is not over."""
        words = (
            MatchStanding(id, self._entered[id], self._owner[id], id in self._confirmed) for id in sorted(self._entered)
        )
        points = tuple(self._points[player] for player in self._players)
        return MatchState(self._id, self._puzzle.id, self._description, self._players, points, tuple(words))

    @classmethod
    def restore(cls, state: MatchState, puzzle: Puzzle) -> Self:
        """Restore a match on this puzzle. Raises `ValueError` for an impossible state."""
        match = cls(state.id, puzzle, state.description, state.players)
        for word in state.words:
            if not match._can_stand(word):
                raise ValueError(f"word {word.id} of the match {state.id} cannot stand on the board")
            match._put(word.id, word.entered, word.by)
            if word.confirmed:
                match._confirmed.add(word.id)
        if match.over:
            raise ValueError(f"the match {state.id} is over")
        if len(state.points) != len(state.players):
            raise ValueError(f"the match {state.id} has not as many points as players")
        match._points = dict(zip(state.players, state.points, strict=True))
        match._check_rep()
        return match

    def _can_stand(self, word: MatchStanding) -> bool:
        return (
            1 <= word.id <= len(self._shape.words)
            and word.id not in self._entered
            and word.by in self._players
            and re.fullmatch(r"[a-z-]+", word.entered) is not None
            and len(word.entered) == self._shape.words[word.id - 1].length
            and (word.confirmed or not self.alone)
            and (not word.confirmed or word.entered == self._puzzle.entries[word.id - 1].word)
            and not self._conflicts(word.id, word.entered)
        )

    def _check_rep(self) -> None:
        if not CHECK_REP:
            return
        words = {word.id: word for word in self._shape.words}
        assert self._entered.keys() == self._owner.keys() <= words.keys()
        assert self._confirmed <= self._entered.keys()
        letters: dict[CellPosition, str] = {}
        for id, text in self._entered.items():
            assert len(text) == words[id].length
            assert self._owner[id] in self._players
            assert id not in self._confirmed or text == self._puzzle.entries[id - 1].word
            for cell, letter in zip(self._shape.cells_of(id), text, strict=True):
                assert letters.setdefault(cell, letter) == letter
        assert letters == self._letters
        assert not self.alone or self._confirmed == self._entered.keys()
        assert self._right == sum(self._solution[cell] == letter for cell, letter in letters.items())
        assert self._right < len(self._solution) or self._confirmed == self._entered.keys()
        assert self._view is None or self._view == self._draw()

    @property
    def players(self) -> tuple[str, ...]:
        """The player who made the match, and the player who joined it; or the only player."""
        return self._players

    @property
    def alone(self) -> bool:
        """True if the match has one player."""
        return len(self._players) == 1

    @property
    def over(self) -> bool:
        """True if all cells show their correct letters, a player has forfeited the match, or the match timed out."""
        return self._ended is not None or self._forfeited_by is not None or self._right == len(self._solution)

    def other(self, player: str) -> str | None:
        """Return the other player; None in a match of one player."""
        return next((other for other in self._players if other != player), None)

    def try_word(self, player: str, word: int, guess: str) -> Report:
        """TRY: enter a guess for an empty word, or for the player's own unconfirmed word.

        The player's other unconfirmed words that conflict with the guess are cleared. In a match of one player, a wrong
        guess is not entered, and costs a point. Raises `MoveRefused`.
        """
        standing = self._find(word)
        if word in self._confirmed:
            raise MoveRefused("That word is already confirmed.", "word-confirmed")
        if standing is not None and self._owner[word] != player:
            raise MoveRefused(
                "That word was entered by the other player and can only be changed through a challenge:"
                f" CHALLENGE {word} and the word that you believe to be right.",
                "word-of-other",
            )
        guess = self._fold(word, guess)
        if guess == standing:
            return Report("unchanged", word)
        conflicts = self._conflicts(word, guess)
        for other in conflicts:
            if other in self._confirmed:
                raise MoveRefused(
                    f"{guess} does not agree with word {other}, which is confirmed, where they cross.",
                    "crosses-confirmed",
                    guess=guess,
                    word=other,
                )
            if self._owner[other] != player:
                raise MoveRefused(
                    f"{guess} does not agree with word {other}, which {self._owner[other]} entered, where they cross."
                    f" You may challenge word {other} if you think that it is wrong.",
                    "crosses-other",
                    guess=guess,
                    word=other,
                    player=self._owner[other],
                )
        if self.alone:
            return self._judge(player, word, guess)
        self._clear(conflicts)
        self._put(word, guess, player)
        self._changed()
        return Report("entered", word, conflicts)

    def _judge(self, player: str, word: int, guess: str) -> Report:
        """Enter a right guess, or count a mistake. Requires a guess that agrees with the board."""
        is_right = guess == self._puzzle.entries[word - 1].word
        if is_right:
            self._put(word, guess, player)
            self._confirmed.add(word)
        else:
            self._points[player] += MISTAKE
        self._changed()
        return Report("found" if is_right else "mistaken", word)

    def challenge(self, player: str, word: int, proposal: str) -> Report:
        """CHALLENGE: propose a different word for an unconfirmed word of the other player.

        Raises `MoveRefused`.
        """
        standing = self._find(word)
        if standing is None:
            raise MoveRefused(
                f"Nobody has entered word {word} yet, so there is nothing to challenge. TRY it instead.", "word-empty"
            )
        if word in self._confirmed:
            raise MoveRefused("That word is already confirmed.", "word-confirmed")
        if self._owner[word] == player:
            raise MoveRefused(
                "You entered that word yourself, so you cannot challenge it. TRY it again to change it.", "word-own"
            )
        proposal = self._fold(word, proposal)
        if proposal == standing:
            raise MoveRefused(
                f"{proposal} is the word that stands there. A challenge needs a different one,"
                " which you believe to be right.",
                "word-same",
                guess=proposal,
            )
        right = self._puzzle.entries[word - 1].word
        if standing == right:
            report = Report("was right", word)
            self._points[player] += CHALLENGE_LOST
            self._confirmed.add(word)
        elif proposal == right:
            report = Report("won", word, self._conflicts(word, proposal))
            self._points[player] += CHALLENGE_WON
            self._clear(report.cleared)
            self._put(word, proposal, player)
            self._confirmed.add(word)
        else:
            report = Report("cleared", word)
            self._points[player] += CHALLENGE_LOST
            self._clear((word,))
        self._changed()
        return report

    def forfeit(self, player: str, *, left: bool = False) -> None:
        """Forfeit the match for a player who gives it up, or has `left` it by a lost connection.

        Does nothing if the match is over.
        """
        if not self.over:
            self._ended, self._forfeited_by = "left" if left else None, player
            self._changed()

    def time_out(self) -> None:
        """End a match without a move for too long, with its current points.

        Does nothing if the match is over.
        """
        if not self.over:
            self._ended = "timed out"
            self._changed()

    def view(self) -> MatchView:
        """Return the view of the match for its players."""
        if self._view is None:
            self._view = self._draw()
        return self._view

    def result(self) -> Result:
        """Return the result of the match. Raises `ValueError` if it is not over."""
        if not self.over:
            raise ValueError("the match is not over")
        points = dict(self._points)
        for word, text in self._entered.items():
            points[self._owner[word]] += text == self._puzzle.entries[word - 1].word
        winner: str | None
        if self._forfeited_by is not None:
            winner = self.other(self._forfeited_by)
        elif self.alone:
            winner = None if self._ended else self._players[0]
        elif points[self._players[0]] == points[self._players[1]]:
            winner = None
        else:
            winner = max(self._players, key=points.__getitem__)
        return Result(winner, points, self._forfeited_by, self.view(), self._ended)

    def __str__(self) -> str:
        rows = (
            "".join(
                self._letters.get((row, column), "_" if self._shape.words_at((row, column)) else " ")
                for column in range(self._shape.columns)
            ).rstrip()
            for row in range(self._shape.rows)
        )
        return "\n".join((f"Match {self._id} of {' and '.join(self._players)}", *rows))

    def _find(self, word: int) -> str | None:
        """Return the standing text of the word with this id; None if no text stands. Raises `MoveRefused`."""
        if self.over:
            raise MoveRefused("The match is over.", "match-over")
        count = len(self._shape.words)
        if not 1 <= word <= count:
            raise MoveRefused(
                f"There is no word with that id: the words of this puzzle have the ids 1 to {count}.",
                "no-such-word",
                most=count,
            )
        return self._entered.get(word)

    def _fold(self, word: int, text: str) -> str:
        """Return the text in lower case. Raises `MoveRefused` if it cannot be an answer to this word."""
        if not re.fullmatch(r"[A-Za-z-]+", text):
            raise MoveRefused("A word consists of the letters a to z and hyphens only.", "word-letters")
        length = self._shape.words[word - 1].length
        if len(text) != length:
            raise MoveRefused(
                f"Word {word} has {length} letters, and yours has {len(text)}.",
                "word-length",
                word=word,
                length=length,
                given=len(text),
            )
        return text.lower()

    def _conflicts(self, word: int, text: str) -> tuple[int, ...]:
        """Return the ids of the standing words that conflict with `text` in the place of this word, lowest first."""
        return tuple(
            sorted(
                other
                for cell, letter in zip(self._shape.cells_of(word), text, strict=True)
                for other in self._shape.words_at(cell)
                if other != word and other in self._entered and self._letters[cell] != letter
            )
        )

    def _clear(self, words: tuple[int, ...]) -> None:
        for word in words:
            del self._entered[word], self._owner[word]
            self._show(word)

    def _put(self, word: int, text: str, player: str) -> None:
        self._entered[word], self._owner[word] = text, player
        self._show(word)

    def _show(self, word: int) -> None:
        """Update the letters of a word's cells from the standing words. Standing words agree at all crossings."""
        for cell in self._shape.cells_of(word):
            self._right -= self._letters.pop(cell, None) == self._solution[cell]
            for through in self._shape.words_at(cell):
                if through in self._entered:
                    place = self._shape.words[through - 1]
                    self._letters[cell] = self._entered[through][cell[0] - place.row + cell[1] - place.column]
            self._right += self._letters.get(cell) == self._solution[cell]

    def _changed(self) -> None:
        if self._right == len(self._solution):
            self._confirmed.update(self._entered)
        self._view = None
        self._check_rep()

    def _draw(self) -> MatchView:
        shape = self._shape
        return MatchView(
            id=self._id,
            puzzle=self._puzzle.id,
            description=self._description,
            rows=shape.rows,
            columns=shape.columns,
            players=self._players,
            cells=tuple(
                tuple(
                    CellView(self._letters.get((row, column)), through)
                    if (through := shape.words_at((row, column)))
                    else None
                    for column in range(shape.columns)
                )
                for row in range(shape.rows)
            ),
            words=tuple(
                WordView(
                    id=word.id,
                    clue=word.clue,
                    direction=word.direction,
                    row=word.row,
                    column=word.column,
                    length=word.length,
                    entered=self._entered.get(word.id),
                    by=self._owner.get(word.id),
                    confirmed=word.id in self._confirmed,
                )
                for word in shape.words
            ),
            challenge_points=dict(self._points),
        )
