"""The rules of a flip, one by one: turned cards, control, failures and events.

Strategy, by the handout's rules and by common mistakes:

- first card: no card (removed before the flip | removed while the player waited) x face down x up and free x up and
  controlled
- second card: no card | controlled by another | controlled by oneself | down | up and free; like | unlike the first
- finishing: a pair | two leftovers | one leftover; each leftover untouched | taken | removed | turned down |
  turned down and up again since; the flip that finishes then succeeds | fails | waits
- relinquishing with 0, 1, many waiters; waiters who withdrew; removal with 0, 1, many

test_board_game.py tests commands that are no moves, commands on a whole game, and the handout's example.

Boards are written as rows separated by "/". Spots are in reading order.
"""

from __future__ import annotations

import pytest

from scramble.kernel.protocol import Ticket, Withdraw
from scramble.memory.messages import (
    FaceDown,
    FaceUp,
    Joined,
    NoCard,
    Relinquished,
    Removed,
    Scored,
    Took,
    TurnedDown,
    TurnedUp,
    Waiting,
    Withdrawn,
)
from tests.unit.memory.driver import Driver, removed_pair

# --- first card ---------------------------------------------------------------------------------


def test_1a_a_first_card_fails_where_there_is_no_card() -> None:
    game = removed_pair("A A B")
    flip = game.flip("alice", 0, 1)
    assert flip.rule == "1-A failed"
    assert flip.view.text == "1x3\nnone\nnone\ndown\n"
    assert str(flip.error) == "there is no card there (rule 1-A)"
    assert game.events == [Joined("alice")]


def test_1a_the_player_may_try_another_first_card_after_it_failed() -> None:
    game = removed_pair("A A B")
    game.flip("alice", 0, 0)
    assert game.flip("alice", 0, 2).rule == "1-B ok"


def test_1b_a_face_down_card_turns_up_for_all_and_is_controlled_by_the_player() -> None:
    game = Driver("A B")
    flip = game.flip("alice", 0, 0)
    assert flip.rule == "1-B ok"
    assert flip.view.text == "1x2\nmy A\ndown\n"
    assert game.events == [Joined("alice"), TurnedUp(0, 0, "A"), Took(0, 0, "alice", "A")]
    assert game.look("bob") == ["up A", "down"]


def test_1c_a_face_up_card_that_nobody_controls_is_taken_without_a_change() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    version = game.board.version
    assert game.flip("bob", 0, 0).rule == "1-C ok"
    assert game.events == [Joined("bob"), Took(0, 0, "bob", "A")]
    assert game.look("bob") == ["my A", "up B", "down"]
    assert game.board.version == version


def test_1d_waits_while_another_player_controls_the_card() -> None:
    game = Driver("A B")
    game.flip("alice", 0, 0)
    version = game.board.version
    assert game.flip("bob", 0, 0).waits
    assert game.events == [Joined("bob"), Waiting(0, 0, "bob")]
    assert game.board.version == version
    assert game.snapshot().waiting == {"bob": (0, 0)}


def test_1d_waits_for_a_card_of_a_pair_that_its_finder_still_controls() -> None:
    game = Driver("A A B")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    assert game.flip("bob", 0, 1).waits


def test_1d_others_play_on_while_a_player_waits() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    assert game.flip("bob", 0, 0).waits
    assert game.flip("carol", 0, 2).rule == "1-B ok"
    assert game.look("bob") == ["up A", "down", "up C"]


def test_1d_the_longest_waiting_player_gets_the_card_and_the_others_wait_on() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    waiters = [game.flip(player, 0, 0) for player in ("bob", "carol", "dave")]
    assert game.flip("alice", 0, 1).rule == "2-E ok"
    assert [waiter.rule for waiter in waiters] == ["1-C ok", "waits", "waits"]
    assert waiters[0].view.text == "1x3\nmy A\nup B\ndown\n"
    assert game.flip("bob", 0, 0).rule == "2-B failed"
    assert [waiter.rule for waiter in waiters] == ["1-C ok", "1-C ok", "waits"]


def test_1d_a_waiter_for_one_card_is_not_granted_another() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    game.flip("bob", 0, 1)
    carol = game.flip("carol", 0, 1)
    game.flip("alice", 0, 2)
    assert carol.waits


# --- second card --------------------------------------------------------------------------------


def test_2a_fails_where_there_is_no_card_and_gives_up_the_first_which_stays_up() -> None:
    game = removed_pair("A A B")
    game.flip("alice", 0, 2)
    flip = game.flip("alice", 0, 0)
    assert flip.rule == "2-A failed"
    assert flip.view.text == "1x3\nnone\nnone\nup B\n"
    assert game.events == [Relinquished(0, 2, "alice", "B")]


def test_2b_fails_on_a_card_that_another_player_controls_without_waiting() -> None:
    game = Driver("A B")
    game.flip("alice", 0, 0)
    game.flip("bob", 0, 1)
    flip = game.flip("alice", 0, 1)
    assert flip.rule == "2-B failed"
    assert "another player" in str(flip.error)
    assert flip.view.text == "1x2\nup A\nup B\n"
    assert game.look("bob") == ["up A", "my B"]


def test_2b_fails_even_if_the_controlled_card_would_match() -> None:
    game = Driver("A A")
    game.flip("alice", 0, 0)
    game.flip("bob", 0, 1)
    assert game.flip("alice", 0, 1).rule == "2-B failed"


def test_2b_a_card_that_is_both_first_and_second_choice_fails() -> None:
    game = Driver("A B")
    game.flip("alice", 0, 0)
    flip = game.flip("alice", 0, 0)
    assert flip.rule == "2-B failed"
    assert "first card itself" in str(flip.error)
    assert game.look("alice") == ["up A", "down"]


def test_2b_a_player_who_flips_one_card_thrice_gets_it_back_at_the_third() -> None:
    game = Driver("A B")
    assert [game.flip("alice", 0, 0).rule for _ in range(3)] == ["1-B ok", "2-B failed", "1-B ok"]


def test_2c_2d_a_face_down_second_card_turns_up_and_a_match_is_kept() -> None:
    game = Driver("A B A")
    game.flip("alice", 0, 0)
    flip = game.flip("alice", 0, 2)
    assert flip.rule == "2-D ok"
    assert flip.view.text == "1x3\nmy A\ndown\nmy A\n"
    assert game.events == [TurnedUp(0, 2, "A"), Took(0, 2, "alice", "A")]


def test_2d_a_match_with_a_free_face_up_card_is_no_change() -> None:
    game = Driver("A B A")
    game.flip("bob", 0, 2)
    game.flip("bob", 0, 1)
    game.flip("alice", 0, 0)
    version = game.board.version
    assert game.flip("alice", 0, 2).rule == "2-D ok"
    assert game.board.version == version
    assert game.look("alice") == ["my A", "up B", "my A"]


def test_2d_strings_match_only_code_point_for_code_point() -> None:
    game = Driver("é e\u0301 ☕ ☕\ufe0f")
    game.flip("alice", 0, 0)
    assert game.flip("alice", 0, 1).rule == "2-E ok"
    game.flip("alice", 0, 2)
    assert game.flip("alice", 0, 3).rule == "2-E ok"


def test_2c_2e_an_unlike_face_down_card_turns_up_and_both_are_given_up() -> None:
    game = Driver("A B")
    game.flip("alice", 0, 0)
    flip = game.flip("alice", 0, 1)
    assert flip.rule == "2-E ok"
    assert flip.view.text == "1x2\nup A\nup B\n"
    assert game.events == [TurnedUp(0, 1, "B"), Relinquished(0, 0, "alice", "A")]


def test_2e_an_unlike_free_face_up_card_is_no_change() -> None:
    game = Driver("A B C")
    game.flip("bob", 0, 1)
    game.flip("bob", 0, 2)
    game.flip("alice", 0, 0)
    version = game.board.version
    assert game.flip("alice", 0, 1).rule == "2-E ok"
    assert game.board.version == version


# --- relinquishing ------------------------------------------------------------------------------


@pytest.mark.parametrize(("second", "rule"), [((0, 1), "2-A failed"), ((0, 2), "2-B failed"), ((0, 3), "2-E ok")])
def test_a_relinquished_card_goes_at_once_to_the_waiter_and_is_never_seen_free(
    second: tuple[int, int], rule: str
) -> None:
    game = removed_pair("A A B C")
    game.flip("alice", 0, 2)
    bob = game.flip("bob", 0, 2)
    watch = game.watch("bob")
    last = game.flip("alice", *second)
    assert last.rule == rule
    assert bob.rule == "1-C ok"
    relinquished = game.events.index(Relinquished(0, 2, "alice", "B"))
    assert game.events[relinquished + 1] == Took(0, 2, "bob", "B")
    for answer in (bob, *([] if watch.waits else [watch])):
        assert answer.view.text.splitlines()[3] == "my B"
    assert last.view.text.splitlines()[3] == "up B"
    assert game.snapshot().cells[2] == FaceUp("B", "bob")


def test_a_waiting_player_gets_the_card_as_a_first_card() -> None:
    game = Driver("A B A")
    game.flip("alice", 0, 0)
    game.flip("bob", 0, 0)
    game.flip("alice", 0, 1)
    assert game.flip("bob", 0, 2).rule == "2-D ok"


def test_a_waiter_who_withdrew_is_passed_over() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    bob, carol = game.flip("bob", 0, 0), game.flip("carol", 0, 0)
    game.withdraw(bob)
    assert game.events == [Withdrawn(0, 0, "bob")]
    game.flip("alice", 0, 1)
    assert bob.waits
    assert carol.rule == "1-C ok"


def test_a_player_whose_flip_was_withdrawn_may_flip_another_first_card() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    game.withdraw(game.flip("bob", 0, 0))
    assert game.flip("bob", 0, 1).rule == "1-B ok"


def test_withdrawing_an_answered_or_unknown_request_does_nothing() -> None:
    game = Driver("A B")
    flip = game.flip("alice", 0, 0)
    game.apply(flip.ticket, Withdraw())
    assert game.events == []
    assert game.look("alice") == ["my A", "down"]
    assert game.board.apply(Ticket(999), Withdraw()) == []


def test_withdrawing_is_no_change() -> None:
    game = Driver("A B")
    game.flip("alice", 0, 0)
    bob = game.flip("bob", 0, 0)
    watch = game.watch("carol")
    version = game.board.version
    game.withdraw(bob)
    assert game.board.version == version
    assert watch.waits


# --- finishing the previous play ----------------------------------------------------------------


def test_3a_a_pair_is_removed_at_the_next_first_flip_and_scored() -> None:
    game = Driver("A A B B")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    assert game.look("alice") == ["my A", "my A", "down", "down"]
    assert game.flip("alice", 0, 2).view.text == "1x4\nnone\nnone\nmy B\ndown\n"
    assert game.events == [
        Removed(0, 0, "alice", "A"),
        Removed(0, 1, "alice", "A"),
        Scored("alice", 1, 1),
        TurnedUp(0, 2, "B"),
        Took(0, 2, "alice", "B"),
    ]
    snapshot = game.snapshot()
    assert (snapshot.scores, snapshot.pairs_left) == ({"alice": 1}, 1)
    assert snapshot.cells == (NoCard("alice"), NoCard("alice"), FaceUp("B", "alice"), FaceDown())


def test_3a_a_pair_is_not_removed_as_long_as_its_finder_does_not_flip_again() -> None:
    game = Driver("A A B B")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.flip("bob", 0, 2)
    game.flip("bob", 0, 3)
    game.flip("bob", 0, 2)
    assert game.look("alice") == ["my A", "my A", "none", "none"]
    assert game.snapshot().pairs_left == 1


@pytest.mark.parametrize("spot", [0, 1])
def test_3a_flipping_a_card_of_the_own_pair_removes_it_first_and_then_fails(spot: int) -> None:
    game = Driver("A A B")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    flip = game.flip("alice", 0, spot)
    assert flip.rule == "1-A failed"
    assert flip.view.text == "1x3\nnone\nnone\ndown\n"
    assert game.snapshot().scores == {"alice": 1}


def test_3a_removal_fails_every_waiter_of_both_cards_with_1a_in_one_step() -> None:
    game = Driver("A A B")
    game.flip("alice", 0, 0)
    waiting = [game.flip("bob", 0, 0), game.flip("carol", 0, 0)]
    game.flip("alice", 0, 1)
    waiting += [game.flip("dave", 0, 1), game.flip("erin", 0, 0)]
    assert [reply.rule for reply in waiting] == ["waits"] * 4
    game.flip("alice", 0, 2)
    assert [reply.rule for reply in waiting] == ["1-A failed"] * 4
    assert {reply.view.text for reply in waiting} == {"1x3\nnone\nnone\nup B\n"}
    assert "was removed while you were waiting" in str(waiting[0].error)
    assert game.events[:6] == [
        Removed(0, 0, "alice", "A"),
        Withdrawn(0, 0, "bob"),
        Withdrawn(0, 0, "carol"),
        Withdrawn(0, 0, "erin"),
        Removed(0, 1, "alice", "A"),
        Withdrawn(0, 1, "dave"),
    ]
    assert game.snapshot().waiting == {}
    assert game.flip("bob", 0, 2).waits


def test_3b_both_leftover_cards_turn_down_at_the_next_first_flip() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    assert game.flip("alice", 0, 2).view.text == "1x3\ndown\ndown\nmy C\n"
    assert game.events[:2] == [TurnedDown(0, 0), TurnedDown(0, 1)]


def test_3b_after_2a_the_relinquished_first_card_turns_down_at_the_next_first_flip() -> None:
    game = removed_pair("A A B C")
    game.flip("alice", 0, 2)
    assert game.flip("alice", 0, 0).rule == "2-A failed"
    assert game.flip("alice", 0, 3).view.text == "1x4\nnone\nnone\ndown\nmy C\n"


def test_3b_after_2b_the_relinquished_first_card_turns_down_at_the_next_first_flip() -> None:
    game = Driver("A B C")
    game.flip("bob", 0, 1)
    game.flip("alice", 0, 0)
    assert game.flip("alice", 0, 1).rule == "2-B failed"
    assert game.flip("alice", 0, 2).view.text == "1x3\ndown\nup B\nmy C\n"
    assert game.look("bob")[1] == "my B"


def test_3b_after_2b_the_second_card_is_not_turned_down() -> None:
    game = Driver("A B C D")
    game.flip("bob", 0, 1)
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.flip("bob", 0, 2)
    assert game.look("bob") == ["up A", "up B", "up C", "down"]
    game.flip("alice", 0, 3)
    assert game.look("alice") == ["down", "up B", "up C", "my D"]


def test_3b_a_leftover_card_that_another_player_controls_stays_up() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.flip("bob", 0, 0)
    assert game.flip("alice", 0, 2).view.text == "1x3\nup A\ndown\nmy C\n"


def test_3b_a_leftover_card_that_was_removed_stays_removed() -> None:
    game = Driver("A B A C")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.flip("bob", 0, 2)
    game.flip("bob", 0, 0)
    game.flip("bob", 0, 0)
    assert game.flip("alice", 0, 3).view.text == "1x4\nnone\ndown\nnone\nmy C\n"


def test_3b_a_leftover_card_that_was_turned_down_by_another_is_not_turned_down_again() -> None:
    game = Driver("A B C D")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.flip("bob", 0, 0)
    game.flip("bob", 0, 2)
    game.flip("bob", 0, 3)
    assert game.look("alice") == ["down", "up B", "down", "up D"]
    assert game.flip("alice", 0, 3).waits
    assert game.events == [TurnedDown(0, 1), Waiting(0, 3, "alice")]


def test_3b_a_leftover_card_that_others_turned_down_and_up_again_is_turned_down_now() -> None:
    game = Driver("A B C D")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)  # alice's leftovers: A, B
    game.flip("bob", 0, 0)
    game.flip("bob", 0, 2)  # bob's: A, C
    game.flip("bob", 0, 3)
    assert game.look("erin") == ["down", "up B", "down", "up D"]
    game.flip("carol", 0, 0)
    game.flip("carol", 0, 1)  # A is up again, and free
    assert game.look("erin") == ["up A", "up B", "down", "up D"]
    game.flip("alice", 0, 2)
    assert game.look("erin") == ["down", "down", "up C", "up D"]


def test_3b_the_own_leftover_card_turns_down_and_up_again_if_it_is_the_next_first_card() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    watch = game.watch("bob")
    assert game.flip("alice", 0, 0).rule == "1-B ok"
    assert game.events == [TurnedDown(0, 0), TurnedDown(0, 1), TurnedUp(0, 0, "A"), Took(0, 0, "alice", "A")]
    assert watch.view.text == "1x3\nup A\ndown\ndown\n"


def test_3b_a_play_is_finished_only_once() -> None:
    game = removed_pair("A A B C D")
    game.flip("alice", 0, 2)
    game.flip("alice", 0, 3)
    game.flip("alice", 0, 0)  # 1-A, and B and C turn down
    game.flip("bob", 0, 2)
    game.flip("bob", 0, 3)
    game.flip("alice", 0, 4)
    assert game.look("alice") == ["none", "none", "up B", "up C", "my D"]


def test_3_is_done_before_a_first_flip_that_then_fails() -> None:
    game = removed_pair("A A B C")
    game.flip("alice", 0, 2)
    game.flip("alice", 0, 3)
    flip = game.flip("alice", 0, 0)
    assert flip.rule == "1-A failed"
    assert flip.view.text == "1x4\nnone\nnone\ndown\ndown\n"


def test_3a_is_done_before_a_first_flip_that_then_waits() -> None:
    game = Driver("A A B")
    game.flip("bob", 0, 2)
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    assert game.flip("alice", 0, 2).waits
    assert game.look("alice") == ["none", "none", "up B"]
    assert game.snapshot().scores == {"bob": 0, "alice": 1}


def test_3b_is_done_before_a_first_flip_that_then_waits() -> None:
    game = Driver("A B C")
    game.flip("bob", 0, 2)
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    version = game.board.version
    assert game.flip("alice", 0, 2).waits
    assert game.look("alice") == ["down", "down", "up C"]
    assert game.board.version == version + 1


def test_two_players_who_flip_each_others_pairs_do_not_wait_for_ever() -> None:
    game = Driver("A A B B")
    for player, spots in (("alice", (0, 1)), ("bob", (2, 3))):
        for spot in spots:
            game.flip(player, 0, spot)
    alice = game.flip("alice", 0, 2)
    assert alice.waits
    assert game.flip("bob", 0, 0).rule == "1-A failed"
    assert alice.rule == "1-A failed"
