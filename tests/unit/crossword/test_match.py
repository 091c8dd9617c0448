"""Testing strategy: entering words, sentence by sentence of the handout.

test_match_challenges.py and test_match_end.py test challenges and the end.

Each section quotes the sentences of the handout that it tests. Partitions:

- TRY on: an empty word · an own word · the other's word · a confirmed word · an id that does not exist
- the guess: right length or not · letters and hyphens or not · any case · agrees with / conflicts with a confirmed
  word, the other's word, an own word, several words
- clearing: letters that another word keeps, or not
- before the first move: the view, the players
"""

from __future__ import annotations

import pytest

from scramble.crossword import Match, Puzzle, Report
from tests.support.crossword.driver import SIMPLE
from tests.unit.crossword.matches import (
    CAR,
    CAT,
    MAT,
    TAX,
    grid,
    is_over,
    new_match,
    points,
    refusal_of_challenge,
    refusal_of_try,
    standing,
)

# "A match will involve exactly two players"; "Each match contains ... a puzzle ... a set of users ... the state"


def test_a_match_begins_empty_with_two_players_and_no_points() -> None:
    view = new_match().view()
    assert (view.id, view.puzzle, view.description, view.players) == ("m1", "p", "a match", ("ann", "bob"))
    assert (view.rows, view.columns) == (3, 4)
    assert standing(new_match()) == {}
    assert view.challenge_points == {"ann": 0, "bob": 0}
    assert grid(new_match()) == " ...\n...\n ..."
    assert not new_match().over


def test_a_match_with_oneself_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="two different players"):
        Match("m1", Puzzle.parse(SIMPLE), "", ("ann", "ann"))


def test_the_view_gives_each_word_its_place_and_length_and_each_cell_its_words() -> None:
    view = new_match().view()
    assert [(word.id, word.direction, word.row, word.column, word.length) for word in view.words] == [
        (1, "DOWN", 0, 1, 3),
        (2, "ACROSS", 1, 0, 3),
        (3, "ACROSS", 0, 1, 3),
        (4, "ACROSS", 2, 1, 3),
    ]
    assert [[cell and cell.words for cell in row] for row in view.cells] == [
        [None, (1, 3), (3,), (3,)],
        [(2,), (1, 2), (2,), None],
        [None, (1, 4), (4,), (4,)],
    ]


# "At any time, each player is free to enter guesses for any incomplete word in the crossword puzzle."


def test_each_player_may_enter_guesses_for_any_word_in_any_order_without_turns() -> None:
    match = new_match()
    assert match.try_word("ann", TAX, "tax") == Report("entered", TAX)
    assert match.try_word("ann", CAR, "car") == Report("entered", CAR)
    assert match.try_word("bob", MAT, "mop") == Report("entered", MAT)
    assert standing(match) == {3: ("car", "ann", False), 4: ("tax", "ann", False), 2: ("mop", "bob", False)}
    assert grid(match) == " car\nmop\n tax"


def test_a_guess_is_compared_in_lower_case() -> None:
    match = new_match()
    match.try_word("ann", CAT, "CaT")
    assert standing(match) == {1: ("cat", "ann", False)}


# "its length must be of the length required by the puzzle ... If a guess does not satisfy these requirements, it is
# simply rejected by the server."


@pytest.mark.parametrize("guess", ["c", "ca", "cats", "c" * 5000])
def test_a_guess_of_another_length_is_rejected(guess: str) -> None:
    reason = refusal_of_try(new_match(), "ann", CAT, guess)
    assert "3 letters" in reason
    assert len(reason) < 100


@pytest.mark.parametrize("guess", ["", "c t", "c4t", "çat", "ca.", "сat", "ca\n", "ca\u212a"])
def test_a_guess_of_anything_but_letters_and_hyphens_is_rejected(guess: str) -> None:
    assert "letters a to z and hyphens" in refusal_of_try(new_match(), "ann", CAT, guess)
    match = new_match()
    match.try_word("bob", CAT, "pet")
    assert "letters a to z and hyphens" in refusal_of_challenge(match, "ann", CAT, guess)


def test_hyphens_are_letters() -> None:
    match = new_match('>> "Hyphen" ""\n(a-b, "", DOWN, 0, 0)\n(--y, "", ACROSS, 1, 0)')
    match.try_word("ann", 1, "a-b")
    match.try_word("ann", 2, "--Y")
    assert is_over(match)
    assert standing(match) == {1: ("a-b", "ann", True), 2: ("--y", "ann", True)}


@pytest.mark.parametrize("word", [0, 5, -1, 10**9])
def test_an_unknown_word_id_is_rejected_with_the_valid_ids(word: int) -> None:
    match = new_match()
    assert "ids 1 to 4" in refusal_of_try(match, "ann", word, "cat")
    assert "ids 1 to 4" in refusal_of_challenge(match, "ann", word, "cat")


# "it must be consistent with any confirmed words and any words entered by others in the puzzle"


def test_a_guess_that_conflicts_with_a_word_of_the_other_player_is_rejected_right_or_wrong() -> None:
    match = new_match()
    match.try_word("ann", CAT, "pet")
    assert "word 1, which ann entered" in refusal_of_try(match, "bob", MAT, "mat")
    assert "word 1, which ann entered" in refusal_of_try(match, "bob", MAT, "mop")
    match.try_word("bob", MAT, "set")
    assert standing(match) == {1: ("pet", "ann", False), 2: ("set", "bob", False)}


def test_a_guess_that_conflicts_with_any_players_confirmed_word_is_rejected() -> None:
    match = new_match()
    match.try_word("ann", CAT, "cat")
    match.challenge("bob", CAT, "pet")
    assert standing(match) == {1: ("cat", "ann", True)}
    for player in ("ann", "bob"):
        assert "word 1, which is confirmed" in refusal_of_try(match, player, MAT, "set")
    match.try_word("ann", MAT, "mat")


def test_a_guess_must_agree_with_the_crossing_letter_only_not_with_the_solution() -> None:
    match = new_match()
    match.try_word("ann", CAT, "cat")
    match.try_word("bob", MAT, "xaz")
    match.try_word("bob", TAX, "tip")
    assert grid(match) == " c..\nxaz\n tip"


def test_a_word_that_conflicts_with_own_and_others_words_is_rejected_and_clears_none() -> None:
    match = new_match()
    match.try_word("ann", CAR, "car")
    match.try_word("bob", TAX, "tax")
    assert "word 4, which bob entered" in refusal_of_try(match, "ann", CAT, "bob")
    assert set(standing(match)) == {CAR, TAX}


# "If a word you enter conflicts with a previous unconfirmed word you entered, the previous word is automatically
# cleared."


def test_entering_a_word_clears_the_own_unconfirmed_words_that_it_conflicts_with_and_no_others() -> None:
    match = new_match()
    match.try_word("ann", CAR, "car")
    match.try_word("ann", MAT, "man")
    match.try_word("ann", TAX, "tax")
    assert match.try_word("ann", CAT, "cob") == Report("entered", CAT, (MAT, TAX))
    assert standing(match) == {CAR: ("car", "ann", False), CAT: ("cob", "ann", False)}
    assert grid(match) == " car\n.o.\n b.."


# "For any word that you yourself entered, you are free to change the word at any time without penalty before it gets
# challenged by the other player, but your change must be consistent with any new words entered by others in the
# puzzle. As with fresh words, existing unconfirmed words entered by you will be cleared if they conflict with the
# updated word you entered."


def test_an_own_word_may_be_changed_without_penalty() -> None:
    match = new_match()
    match.try_word("ann", CAT, "pet")
    match.try_word("ann", CAT, "cat")
    match.try_word("ann", CAT, "cob")
    assert standing(match) == {CAT: ("cob", "ann", False)}
    assert grid(match) == " c..\n.o.\n b.."
    assert points(match) == {"ann": 0, "bob": 0}


def test_a_changed_word_must_agree_with_words_that_others_entered_since() -> None:
    match = new_match()
    match.try_word("ann", CAT, "pet")
    match.try_word("bob", MAT, "set")
    assert "word 2, which bob entered" in refusal_of_try(match, "ann", CAT, "cat")
    match.try_word("ann", CAT, "get")


def test_a_changed_word_clears_own_words_that_conflict_with_it() -> None:
    match = new_match()
    match.try_word("ann", CAT, "pet")
    match.try_word("ann", MAT, "set")
    assert match.try_word("ann", CAT, "cat") == Report("entered", CAT, (MAT,))
    assert standing(match) == {CAT: ("cat", "ann", False)}


def test_the_same_own_word_again_is_accepted_and_changes_nothing() -> None:
    match = new_match()
    match.try_word("ann", CAT, "pet")
    before = match.view()
    assert match.try_word("ann", CAT, "PET") == Report("unchanged", CAT)
    assert match.view() == before


# "If the id does not correspond to either an empty word or an un-confirmed word entered by the same user, the command
# is rejected and an error message is displayed explaining the reason for rejection"


def test_trying_a_word_of_the_other_player_is_rejected_with_the_handouts_words() -> None:
    match = new_match()
    match.try_word("ann", CAT, "cat")
    reason = refusal_of_try(match, "bob", CAT, "cat")
    assert "That word was entered by the other player and can only be changed through a challenge" in reason


def test_trying_a_confirmed_word_is_rejected_with_the_handouts_words_also_for_its_owner() -> None:
    match = new_match()
    match.try_word("ann", CAT, "cat")
    match.challenge("bob", CAT, "pet")
    for player in ("ann", "bob"):
        assert "That word is already confirmed" in refusal_of_try(match, player, CAT, "cat")


# "When you enter a consistent word, you will not know for sure whether the word was correct or not until the word is
# confirmed."


def test_right_and_wrong_guesses_look_alike_until_they_are_confirmed() -> None:
    right, wrong = new_match(), new_match()
    assert right.try_word("ann", CAT, "cat") == wrong.try_word("ann", CAT, "cut")
    assert standing(right)[CAT][1:] == standing(wrong)[CAT][1:] == ("ann", False)
