"""Testing strategy: challenges, sentence by sentence of the handout.

- CHALLENGE of: an empty word · an own word · a confirmed word · the other's right word · the other's wrong word;
  by: the entered word · the right word · a wrong word · a word of wrong length; with and without conflicts
- effects of a challenge: cleared words, kept words, confirmed words, points
"""

from __future__ import annotations

import pytest

from scramble.crossword import Report
from tests.unit.crossword.matches import (
    CAR,
    CAT,
    MAT,
    TAX,
    grid,
    new_match,
    points,
    refusal_of_challenge,
    standing,
)

# "You can challenge any word you think is wrong by providing what you believe to be the correct word, but ...
# (a) the challenged word was entered by the other player (can't challenge your own words), (b) challenged word was
# not already confirmed, (c) your proposed word is different from the word already there, and (d) your proposed word
# must be of the correct length. An invalid challenge is simply rejected by the system"


def test_an_own_word_cannot_be_challenged() -> None:
    match = new_match()
    match.try_word("ann", CAT, "pet")
    assert "entered that word yourself" in refusal_of_challenge(match, "ann", CAT, "cat")


def test_a_word_that_nobody_entered_cannot_be_challenged_even_if_its_letters_are_there() -> None:
    match = new_match()
    assert "Nobody has entered" in refusal_of_challenge(match, "bob", CAT, "cat")
    for word, guess in ((CAR, "car"), (MAT, "man"), (TAX, "tax")):
        match.try_word("ann", word, guess)
    assert "Nobody has entered" in refusal_of_challenge(match, "bob", CAT, "pet")


def test_a_confirmed_word_cannot_be_challenged() -> None:
    match = new_match()
    match.try_word("ann", CAT, "cat")
    match.challenge("bob", CAT, "pet")
    assert "already confirmed" in refusal_of_challenge(match, "bob", CAT, "cut")
    assert "already confirmed" in refusal_of_challenge(match, "ann", CAT, "cut")


@pytest.mark.parametrize("proposal", ["pet", "PET"])
def test_a_challenge_by_the_word_that_stands_there_is_rejected(proposal: str) -> None:
    match = new_match()
    match.try_word("ann", CAT, "pet")
    assert "different" in refusal_of_challenge(match, "bob", CAT, proposal)


@pytest.mark.parametrize("proposal", ["ca", "cats"])
def test_a_challenge_by_a_word_of_another_length_is_rejected(proposal: str) -> None:
    match = new_match()
    match.try_word("ann", CAT, "pet")
    assert "3 letters" in refusal_of_challenge(match, "bob", CAT, proposal)


# "Word was originally correct, then it gets confirmed as correct and can no longer be challenged or changed. The
# challenger loses one point for an incorrect challenge."


def test_challenging_a_correct_word_confirms_it_for_its_owner_and_costs_the_challenger_a_point() -> None:
    match = new_match()
    match.try_word("ann", CAT, "cat")
    assert match.challenge("bob", CAT, "pet") == Report("was right", CAT)
    assert standing(match) == {CAT: ("cat", "ann", True)}
    assert points(match) == {"ann": 0, "bob": -1}


# "Word was originally incorrect, and the challenger was correct. In this case, the challenger gets the word and it gets
# confirmed. The challenger also gets two bonus points for a correct challenge."


def test_a_correct_challenge_gives_the_challenger_the_word_confirmed_and_two_points() -> None:
    match = new_match()
    match.try_word("ann", CAT, "pet")
    assert match.challenge("bob", CAT, "CAT") == Report("won", CAT)
    assert standing(match) == {CAT: ("cat", "bob", True)}
    assert points(match) == {"ann": 0, "bob": 2}


# "a challenge does not have to be consistent with any incorrect words already in the puzzle. Any word that is
# inconsistent with the correct challenge will be cleared without penalty regardless of who had entered it."


def test_a_correct_challenge_clears_conflicting_words_of_both_players_without_penalty() -> None:
    match = new_match()
    match.try_word("ann", CAT, "pot")
    match.try_word("ann", MAT, "mop")
    match.try_word("bob", CAR, "par")
    match.try_word("bob", TAX, "tip")
    assert match.challenge("bob", CAT, "cat") == Report("won", CAT, (MAT, CAR))
    assert standing(match) == {CAT: ("cat", "bob", True), TAX: ("tip", "bob", False)}
    assert grid(match) == " c..\n.a.\n tip"
    assert points(match) == {"ann": 0, "bob": 2}


def test_a_correct_challenge_spares_words_that_agree_right_or_wrong_confirmed_or_not() -> None:
    match = new_match()
    match.try_word("ann", MAT, "mat")
    match.challenge("bob", MAT, "met")
    match.try_word("ann", CAT, "car")
    match.try_word("bob", CAR, "can")
    assert match.challenge("bob", CAT, "cat") == Report("won", CAT)
    assert standing(match) == {MAT: ("mat", "ann", True), CAT: ("cat", "bob", True), CAR: ("can", "bob", False)}


# "Word was originally incorrect, but the challenger was also incorrect. In this case, the word is cleared from the
# board, and the challenger loses one point for an incorrect challenge."


def test_a_challenge_that_fails_both_ways_clears_the_word_and_costs_the_challenger_a_point() -> None:
    match = new_match()
    match.try_word("ann", CAT, "pet")
    assert match.challenge("bob", CAT, "set") == Report("cleared", CAT)
    assert standing(match) == {}
    assert grid(match) == " ...\n...\n ..."
    assert points(match) == {"ann": 0, "bob": -1}
    match.try_word("bob", CAT, "cat")


def test_letters_of_a_cleared_word_that_other_words_hold_up_stay() -> None:
    match = new_match()
    match.try_word("ann", CAT, "cut")
    match.try_word("bob", CAR, "cow")
    match.challenge("bob", CAT, "cot")
    assert standing(match) == {CAR: ("cow", "bob", False)}
    assert grid(match) == " cow\n...\n ..."


def test_the_owner_of_a_challenged_word_never_loses_a_point() -> None:
    match = new_match()
    match.try_word("ann", CAT, "pet")
    match.challenge("bob", CAT, "set")
    match.try_word("ann", CAT, "pet")
    match.challenge("bob", CAT, "cat")
    match.try_word("ann", CAR, "car")
    match.challenge("bob", CAR, "cod")
    assert points(match) == {"ann": 0, "bob": -1 + 2 - 1}


# "a word can get confirmed either 1) when all words in the puzzle have been entered correctly or 2) when an already
# correct word is challenged or 3) when an incorrect word is challenged and replaced with the correct word"


def test_no_word_is_confirmed_by_any_other_way() -> None:
    match = new_match()
    for word, guess in ((CAT, "cat"), (MAT, "mat"), (CAR, "car"), (TAX, "tap")):
        match.try_word("ann", word, guess)
    match.challenge("bob", TAX, "tar")
    assert not any(confirmed for _, _, confirmed in standing(match).values())
