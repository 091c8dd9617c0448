"""Testing strategy: the rules of one match, sentence by sentence.

Each section quotes the handout's sentences that its tests hold the rules to. Partitions:

- TRY on: an empty word · an own word · the other's word · a confirmed word · an id that does not exist
- the guess: right length or not · letters and hyphens or not · any case · agrees with / conflicts with a confirmed
  word, the other's word, an own word, several words
- CHALLENGE of: an empty word · an own word · a confirmed word · the other's right word · the other's wrong word;
  by: the word that stands there · the right word · a wrong word · a word of wrong length; with and without conflicts
- clearing: letters held up by another word or not
- the end: every word entered · a word covered but never entered · after a TRY · after a CHALLENGE · forfeit ·
  win, loss, draw · points of confirmed, unconfirmed, wrong words
- words: crossing none, one or several others; of one letter; with hyphens
"""

from __future__ import annotations

import pytest

from scramble.crossword import Match, MoveRefused, Puzzle, Report
from tests.crossword.driver import EXTENDED, SIMPLE

CAT, MAT, CAR, TAX = 1, 2, 3, 4


def new_match(text: str = EXTENDED) -> Match:
    return Match("m1", Puzzle.parse(text, id="p"), "a match", ("ann", "bob"))


def standing(match: Match) -> dict[int, tuple[str | None, str | None, bool]]:
    return {word.id: (word.entered, word.by, word.confirmed) for word in match.view().words if word.entered is not None}


def grid(match: Match) -> str:
    """The letters, a dot for an empty cell, a space for none."""
    return "\n".join(
        "".join(" " if cell is None else cell.letter or "." for cell in row).rstrip() for row in match.view().cells
    )


def points(match: Match) -> dict[str, int]:
    return match.view().challenge_points


def is_over(match: Match) -> bool:
    return match.over  # asked anew each time: a type checker believes that a property stays as it was


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
def test_an_id_that_no_word_has_is_rejected_with_those_that_there_are(word: int) -> None:
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


def test_a_guess_that_conflicts_with_a_confirmed_word_is_rejected_whoever_owns_that() -> None:
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
def test_who_has_more_points_wins_and_equal_points_are_a_draw(first: str, second: str, winner: str | None) -> None:
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


def test_the_match_may_end_with_a_word_that_nobody_claimed_and_that_counts_for_nobody() -> None:
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


# "the EXIT command forfeits the match"; decided: the other player wins whatever the points, which count as always


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


def test_str_draws_the_board_and_no_letter_that_is_not_on_it() -> None:
    match = new_match()
    match.try_word("ann", MAT, "met")
    assert str(match) == "Match m1 of ann and bob\n ___\nmet\n ___"
