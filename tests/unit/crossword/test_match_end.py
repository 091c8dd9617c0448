"""Testing strategy: the handout's examples, the end of a match and its score, sentence by sentence.

- the examples: pet/set; car, mat and tax around cat; bob
- the end: every word entered · a word covered but never entered · after a TRY · after a CHALLENGE · forfeit ·
  win, loss, draw · points of confirmed, unconfirmed, wrong words
- words: crossing no other word, one, several; of one letter; with hyphens
"""

from __future__ import annotations

import pytest

from scramble.crossword import Report
from tests.support.crossword.driver import SIMPLE
from tests.unit.crossword.matches import (
    CAR,
    CAT,
    MAT,
    TAX,
    grid,
    is_over,
    new_match,
    refusal_of_challenge,
    refusal_of_try,
    standing,
)

# "For example, consider the cat/mat puzzle ... Suppose Player 1 incorrectly enters 'pet' for word 1. Player 2 may then
# enter 'set' as an incorrect guess for word 2. Player 1 may now realize the first guess was wrong, and want to change
# it to 'cat', but that is no longer possible ... Player 2 also cannot change it to 'mat' ... If Player 1 challenges
# word 2 correctly, word 1 will be automatically cleared so either player will be able to enter a new guess."


@pytest.mark.parametrize("next_player", ["ann", "bob"])
def test_the_handouts_example_of_pet_and_set_step_by_step(next_player: str) -> None:
    match = new_match(SIMPLE)
    match.try_word("ann", CAT, "pet")
    match.try_word("bob", MAT, "set")
    refusal_of_try(match, "ann", CAT, "cat")
    refusal_of_try(match, "bob", MAT, "mat")
    assert match.challenge("ann", MAT, "mat") == Report("won", MAT, (CAT,))
    assert standing(match) == {MAT: ("mat", "ann", True)}
    match.try_word(next_player, CAT, "cat")
    assert is_over(match)


# "In contrast, suppose Player 1 enters both 'pet' and 'set'. Player 2 can challenge any of the two words, but Player 1
# can simply decide to change 'pet' to 'cat' and that will now automatically clear word 2."


@pytest.mark.parametrize(("word", "right"), [(CAT, "cat"), (MAT, "mat")])
def test_if_one_player_entered_pet_and_set_the_other_can_challenge_either(word: int, right: str) -> None:
    match = new_match(SIMPLE)
    match.try_word("ann", CAT, "pet")
    match.try_word("ann", MAT, "set")
    match.challenge("bob", word, right)
    assert standing(match) == {word: (right, "bob", True)}


def test_if_one_player_entered_pet_and_set_changing_pet_to_cat_clears_set() -> None:
    match = new_match(SIMPLE)
    match.try_word("ann", CAT, "pet")
    match.try_word("ann", MAT, "set")
    match.try_word("ann", CAT, "cat")
    assert standing(match) == {CAT: ("cat", "ann", False)}


# "The game ends when all the cells have their correct letters, and at the end of the match, your score will be the
# number of correct words under your name plus any points that were added or lost through your challenges."
# "The match terminates when all the words in the puzzle are correct, so at that point, all words are automatically
# confirmed."


def test_the_match_ends_with_the_last_correct_letter_and_confirms_every_entered_word() -> None:
    match = new_match(SIMPLE)
    match.try_word("ann", CAT, "cat")
    assert not is_over(match)
    match.try_word("bob", MAT, "mat")
    assert is_over(match)
    assert standing(match) == {CAT: ("cat", "ann", True), MAT: ("mat", "bob", True)}
    result = match.result()
    assert (result.winner, result.points, result.forfeited_by) == (None, {"ann": 1, "bob": 1}, None)
    assert result.match == match.view()


def test_a_full_board_with_a_wrong_letter_is_not_the_end() -> None:
    match = new_match(SIMPLE)
    match.try_word("ann", CAT, "cat")
    match.try_word("bob", MAT, "map")
    assert not is_over(match)
    match.try_word("bob", MAT, "mat")
    assert is_over(match)


def test_a_correct_challenge_can_end_the_match() -> None:
    match = new_match(SIMPLE)
    match.try_word("ann", CAT, "cat")
    match.try_word("ann", MAT, "map")
    assert match.challenge("bob", MAT, "mat") == Report("won", MAT)
    assert is_over(match)
    assert match.result().points == {"ann": 1, "bob": 1 + 2}
    assert match.result().winner == "bob"


def test_points_are_correct_words_confirmed_or_not_plus_challenge_points() -> None:
    match = new_match()
    match.try_word("ann", CAR, "car")
    match.challenge("bob", CAR, "cow")
    match.try_word("bob", MAT, "mat")
    match.challenge("ann", MAT, "met")
    match.try_word("ann", TAX, "tax")
    assert is_over(match)
    assert match.result().points == {"ann": 2 - 1, "bob": 1 - 1}
    assert match.result().winner == "ann"


def test_points_may_be_negative() -> None:
    match = new_match(SIMPLE)
    match.try_word("ann", CAT, "cat")
    match.challenge("bob", CAT, "cot")
    match.try_word("ann", MAT, "mat")
    assert match.result().points == {"ann": 2, "bob": -1}
    assert match.result().winner == "ann"


@pytest.mark.parametrize(
    ("first", "second", "winner"), [("ann", "ann", "ann"), ("bob", "bob", "bob"), ("ann", "bob", None)]
)
def test_more_points_win_and_equal_points_are_a_draw(first: str, second: str, winner: str | None) -> None:
    match = new_match(SIMPLE)
    match.try_word(first, CAT, "cat")
    match.try_word(second, MAT, "mat")
    assert match.result().winner == winner


def test_nothing_can_be_entered_or_challenged_after_the_end() -> None:
    match = new_match(SIMPLE)
    match.try_word("ann", CAT, "cat")
    match.try_word("ann", MAT, "mat")
    assert "over" in refusal_of_try(match, "ann", CAT, "cat")
    assert "over" in refusal_of_challenge(match, "bob", CAT, "pet")


# "After the words 'car', 'mat' and 'tax', all the letters for the word 'cat' will be in place, but the word will not be
# considered as entered until a player actually enters it, at which point, that player will own the word. Note, however,
# that the game might end without anybody having claimed the word cat"


def test_a_word_whose_letters_are_all_in_place_is_not_entered_until_a_player_enters_it() -> None:
    match = new_match()
    match.try_word("ann", CAR, "car")
    match.try_word("ann", MAT, "man")
    match.try_word("ann", TAX, "tax")
    assert grid(match) == " car\nman\n tax"
    assert CAT not in standing(match)
    match.try_word("bob", CAT, "cat")
    assert standing(match)[CAT] == ("cat", "bob", False)


def test_the_match_may_end_with_an_unclaimed_word_that_counts_for_nobody() -> None:
    match = new_match()
    match.try_word("ann", CAR, "car")
    match.try_word("bob", MAT, "mat")
    match.try_word("ann", TAX, "tax")
    assert is_over(match)
    assert standing(match) == {3: ("car", "ann", True), 2: ("mat", "bob", True), 4: ("tax", "ann", True)}
    assert match.result().points == {"ann": 2, "bob": 1}


# "if the same player enters 'car' and 'tax', for example, but then the same player incorrectly enters 'bob' for word 1,
# the word 'bob' will clear the conflicting two words even though they were correct"


def test_the_handouts_example_of_bob_clearing_the_players_own_car_and_tax() -> None:
    match = new_match()
    match.try_word("ann", CAR, "car")
    match.try_word("ann", TAX, "tax")
    assert match.try_word("ann", CAT, "bob") == Report("entered", CAT, (CAR, TAX))
    assert standing(match) == {CAT: ("bob", "ann", False)}
    assert grid(match) == " b..\n.o.\n b.."


# "If at least one of 'car', 'mat' and 'tax' was entered by another player (or had already been confirmed), however, the
# inconsistency with that word would prevent you from entering 'bob'."


@pytest.mark.parametrize(("word", "guess"), [(CAR, "car"), (MAT, "mat"), (TAX, "tax")])
def test_one_word_of_the_other_player_prevents_bob(word: int, guess: str) -> None:
    match = new_match()
    match.try_word("bob", word, guess)
    refusal_of_try(match, "ann", CAT, "bob")


@pytest.mark.parametrize(("word", "guess"), [(CAR, "car"), (MAT, "mat"), (TAX, "tax")])
def test_one_own_word_that_is_confirmed_prevents_bob(word: int, guess: str) -> None:
    match = new_match()
    match.try_word("ann", word, guess)
    match.challenge("bob", word, "zzz")
    refusal_of_try(match, "ann", CAT, "bob")


# "suppose Player 1 had entered 'car', 'mat' and 'cat' for words 3, 2 and 1. Now, suppose Player 1 enters 'bob' for word
# '4'; that will clear the word 'cat', because it conflicts with 'bob', but the letters 'c' and 'a' will remain, because
# they also belong to 'car' and 'mat' which do not conflict with 'bob'."


def test_the_handouts_example_of_bob_clearing_cat_but_not_its_letters_c_and_a() -> None:
    match = new_match()
    match.try_word("ann", CAR, "car")
    match.try_word("ann", MAT, "mat")
    match.try_word("ann", CAT, "cat")
    assert match.try_word("ann", TAX, "bob") == Report("entered", TAX, (CAT,))
    assert set(standing(match)) == {CAR, MAT, TAX}
    assert grid(match) == " car\nmat\n bob"


# "the EXIT command forfeits the match"; decided: the other player wins with any points, and points count as always


def test_a_forfeited_match_is_won_by_the_other_player_whatever_the_points() -> None:
    match = new_match()
    match.try_word("ann", CAT, "pet")
    match.challenge("bob", CAT, "cat")
    match.try_word("bob", MAT, "mat")
    match.try_word("ann", CAR, "cow")
    match.forfeit("bob")
    assert is_over(match)
    result = match.result()
    assert (result.winner, result.forfeited_by) == ("ann", "bob")
    assert result.points == {"ann": 0, "bob": 2 + 2}, "right words count, confirmed or not, and wrong ones do not"
    assert standing(match)[MAT] == ("mat", "bob", False), "a forfeit confirms nothing"


def test_forfeiting_a_match_that_is_over_does_nothing() -> None:
    match = new_match()
    match.forfeit("ann")
    match.forfeit("bob")
    assert match.result().forfeited_by == "ann"


def test_a_match_that_is_not_over_has_no_result() -> None:
    with pytest.raises(ValueError, match="not over"):
        new_match().result()


# shapes


def test_words_of_one_letter_may_cross_at_their_only_cell() -> None:
    match = new_match('>> "Tiny" ""\n(a, "", DOWN, 0, 0)(ab, "", ACROSS, 0, 0)')
    match.try_word("ann", 1, "a")
    assert match.try_word("ann", 2, "xb") == Report("entered", 2, (1,))
    match.try_word("ann", 2, "ab")
    assert is_over(match)


def test_words_that_cross_at_several_cells_are_each_cleared_once() -> None:
    across = '(abc, "", ACROSS, 0, 0)(def, "", ACROSS, 1, 0)'
    match = new_match(f'>> "Block" ""\n{across}(ad, "", DOWN, 0, 0)(be, "", DOWN, 0, 1)(cf, "", DOWN, 0, 2)')
    for word, guess in ((1, "xyz"), (3, "xd"), (4, "ye"), (5, "zf")):
        match.try_word("ann", word, guess)
    assert match.try_word("ann", 1, "abc") == Report("entered", 1, (3, 4, 5))
    match.try_word("bob", 2, "def")
    assert is_over(match)
    assert match.result().points == {"ann": 1, "bob": 1}


def test_str_draws_the_board_and_no_hidden_letter() -> None:
    match = new_match()
    match.try_word("ann", MAT, "met")
    assert str(match) == "Match m1 of ann and bob\n ___\nmet\n ___"
