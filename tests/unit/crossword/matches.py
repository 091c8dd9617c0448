"""Matches on the handout's puzzles for tests, and short functions that return parts of them."""

from __future__ import annotations

import pytest

from scramble.crossword import Match, MoveRefused, Puzzle
from tests.support.crossword.driver import EXTENDED

CAT, MAT, CAR, TAX = 1, 2, 3, 4


def new_match(text: str = EXTENDED) -> Match:
    return Match("m1", Puzzle.parse(text, id="p"), "a match", ("ann", "bob"))


def standing(match: Match) -> dict[int, tuple[str | None, str | None, bool]]:
    return {word.id: (word.entered, word.by, word.confirmed) for word in match.view().words if word.entered is not None}


def grid(match: Match) -> str:
    """Return the letters, with a dot for an empty cell, and a space outside of the words."""
    return "\n".join(
        "".join(" " if cell is None else cell.letter or "." for cell in row).rstrip() for row in match.view().cells
    )


def points(match: Match) -> dict[str, int]:
    return match.view().challenge_points


def is_over(match: Match) -> bool:
    return match.over  # a function, because a type checker assumes that a property does not change


def refusal_of_try(match: Match, player: str, word: int, guess: str) -> str:
    before = match.view()
    with pytest.raises(MoveRefused) as refused:
        match.try_word(player, word, guess)
    assert match.view() == before, "a refused move changes nothing"
    return str(refused.value)


def refusal_of_challenge(match: Match, player: str, word: int, proposal: str) -> str:
    before = match.view()
    with pytest.raises(MoveRefused) as refused:
        match.challenge(player, word, proposal)
    assert match.view() == before, "a refused move changes nothing"
    return str(refused.value)
