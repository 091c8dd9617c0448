"""`Relinquish` and `RelinquishAwaited`, `Release` and `ReleaseAwaited`: players relinquish their cards.

Players relinquish cards because they have left, or because other players wait for the cards.

Partitions:
- the player controls: a first card; a pair; nothing (never flipped, waits, has leftover cards); a pair with a replaced
  card
- waiting players: no player; one or several for a card; for one or both cards of a pair, which are relinquished
- afterwards: the player's next flip (3-B) when the cards are still up, taken by others, gone; the player flips the same
  card again
- the game is finished: another pair is left, no other pair is left; one or several players have the last pairs; a card
  has no twin
- outcomes: the public events, the answer, watchers, the version
"""

from __future__ import annotations

import pytest

from scramble.errors import InvalidCommand
from scramble.memory.messages import (
    Release,
    ReleaseAwaited,
    Relinquish,
    RelinquishAwaited,
    Relinquished,
    Replace,
    Took,
    TurnedDown,
)
from tests.unit.memory.driver import Driver


def test_a_first_card_stays_face_up_and_is_free() -> None:
    game = Driver("A B A")
    game.flip("alice", 0, 0)
    answer = game.send(Relinquish("alice"))
    assert game.events == [Relinquished(0, 0, "alice", "A")]
    assert answer.view.text == "1x3\nup A\ndown\ndown\n"
    assert game.flip("bob", 0, 0).rule == "1-C ok"


def test_a_pair_is_given_up_without_a_score_and_stays_on_the_board() -> None:
    game = Driver("A A B")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.send(Relinquish("alice"))
    assert game.events == [Relinquished(0, 0, "alice", "A"), Relinquished(0, 1, "alice", "A")]
    assert game.look("alice") == ["up A", "up A", "down"]
    assert (game.snapshot().scores, game.snapshot().pairs_left) == ({"alice": 0}, 1)
    game.flip("bob", 0, 0)
    assert game.flip("bob", 0, 1).rule == "2-D ok"


def test_the_longest_waiting_player_gets_the_card_in_the_same_step() -> None:
    game = Driver("A B")
    game.flip("alice", 0, 0)
    bob, carol = game.flip("bob", 0, 0), game.flip("carol", 0, 0)
    answer = game.send(Relinquish("alice"))
    assert game.events == [Relinquished(0, 0, "alice", "A"), Took(0, 0, "bob", "A")]
    assert game.order == [bob.ticket, answer.ticket]
    assert (bob.rule, carol.rule) == ("1-C ok", "waits")
    assert game.look("bob") == ["my A", "down"]


def test_each_card_of_a_pair_goes_to_the_player_who_waits_for_it() -> None:
    game = Driver("A A")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    bob, carol, dave = game.flip("bob", 0, 1), game.flip("carol", 0, 0), game.flip("dave", 0, 1)
    game.send(Relinquish("alice"))
    assert (bob.rule, carol.rule, dave.rule) == ("1-C ok", "1-C ok", "waits")
    assert game.look("bob") == ["up A", "my A"]
    assert game.look("carol") == ["my A", "up A"]


def test_3b_turns_the_cards_down_at_the_players_next_first_flip() -> None:
    game = Driver("A A B C")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.send(Relinquish("alice"))
    assert game.flip("alice", 0, 2).rule == "1-B ok", "a first card, because nobody controls the pair"
    assert game.events[:2] == [TurnedDown(0, 0), TurnedDown(0, 1)]
    assert game.look("alice") == ["down", "down", "my B", "down"]


def test_3b_does_not_turn_down_cards_that_another_player_has_taken_or_removed() -> None:
    game = Driver("A A B C")
    for player, others in (("alice", 0), ("bob", 1)):
        game.flip(player, 0, others)
        game.send(Relinquish(player))
    game.flip("carol", 0, 0)
    game.flip("alice", 0, 2)
    assert game.look("carol") == ["my A", "up A", "up B", "down"]
    game.flip("carol", 0, 1)
    game.flip("carol", 0, 3)
    assert game.flip("bob", 0, 1).rule == "1-A failed"
    assert TurnedDown not in map(type, game.events)


def test_a_player_who_returns_to_the_same_card_turns_it_up_again() -> None:
    game = Driver("A B")
    game.flip("alice", 0, 0)
    game.send(Relinquish("alice"))
    assert game.flip("alice", 0, 0).rule == "1-B ok", "3-B has turned the card down before"


def test_cards_that_a_replacement_has_made_different_are_given_up_alike() -> None:
    game = Driver("A A B")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.send(Replace("bob", "A", "C"))
    game.send(Relinquish("alice"))
    assert game.events == [Relinquished(0, 0, "alice", "C"), Relinquished(0, 1, "alice", "C")]


def test_relinquishing_is_no_change_so_watchers_wait_and_the_version_stays() -> None:
    game = Driver("A B")
    game.flip("alice", 0, 0)
    watch, version = game.watch("bob"), game.board.version
    game.send(Relinquish("alice"))
    assert watch.waits
    assert game.board.version == version


@pytest.mark.parametrize("player", ["stranger", "waits", "left", "away"])
def test_a_player_without_cards_cannot_relinquish_and_nothing_changes(player: str) -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    game.flip("waits", 0, 0)
    game.flip("left", 0, 1)
    game.flip("left", 0, 1)
    game.flip("away", 0, 2)
    game.send(Relinquish("away"))
    before = game.board.state()
    assert type(game.send(Relinquish(player)).error) is InvalidCommand
    assert game.events == []
    assert game.board.state() == before


# --- awaited cards ------------------------------------------------------------------------


def test_an_awaited_first_card_goes_to_the_longest_waiting_player_and_turns_down_later() -> None:
    game = Driver("A B")
    game.flip("alice", 0, 0)
    bob, carol = game.flip("bob", 0, 0), game.flip("carol", 0, 0)
    answer = game.send(RelinquishAwaited("alice"))
    assert game.events == [Relinquished(0, 0, "alice", "A"), Took(0, 0, "bob", "A")]
    assert answer.view.text == "1x2\nup A\ndown\n"
    assert (bob.rule, carol.rule) == ("1-C ok", "waits")
    game.send(Relinquish("bob"))
    game.send(Relinquish("carol"))
    assert game.flip("alice", 0, 1).rule == "1-B ok", "a first card"
    assert game.look("alice") == ["down", "my B"], "3-B: it was alice's previous play, too"


def test_both_awaited_cards_of_a_pair_are_relinquished_without_a_score() -> None:
    game = Driver("A A B")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    bob, carol = game.flip("bob", 0, 1), game.flip("carol", 0, 0)
    game.send(RelinquishAwaited("alice"))
    assert (bob.rule, carol.rule) == ("1-C ok", "1-C ok")
    assert game.flip("alice", 0, 2).rule == "1-B ok"
    assert game.snapshot().scores["alice"] == 0


@pytest.mark.parametrize("awaited", [0, 1])
def test_only_the_awaited_card_of_a_pair_is_relinquished_and_the_other_is_a_first_card(awaited: int) -> None:
    game = Driver("A A B")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    bob = game.flip("bob", 0, awaited)
    game.send(RelinquishAwaited("alice"))
    assert game.events == [Relinquished(0, awaited, "alice", "A"), Took(0, awaited, "bob", "A")]
    assert bob.rule == "1-C ok"
    assert game.look("alice")[1 - awaited] == "my A"
    assert game.flip("alice", 0, 2).rule == "2-E ok", "a second card"
    assert game.look("alice")[:2] == ["up A", "up A"]
    assert game.snapshot().scores == {"alice": 0, "bob": 0}


@pytest.mark.parametrize("player", ["stranger", "alice", "bob"])
def test_cards_that_nobody_waits_for_are_kept_and_nothing_changes(player: str) -> None:
    game = Driver("A A B")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.flip("carol", 0, 2)
    game.flip("bob", 0, 2)
    before = game.board.state()
    assert type(game.send(RelinquishAwaited(player)).error) is InvalidCommand
    assert game.events == []
    assert game.board.state() == before


# --- a finished game --------------------------------------------------------------------------------


def test_the_pairs_of_a_finished_game_stay_with_their_players() -> None:
    game = Driver("A A B B C")
    for player, column in (("alice", 0), ("alice", 1), ("bob", 2), ("bob", 3)):
        game.flip(player, 0, column)
    waiting, before = game.flip("carol", 0, 0), game.snapshot()
    for command in (Release("alice"), ReleaseAwaited("alice"), Release("bob")):
        assert type(game.send(command).error) is InvalidCommand
        assert (game.events, waiting.rule) == ([], "waits")
    assert game.snapshot() == before
    game.flip("alice", 0, 4)
    assert waiting.rule == "1-A failed"
    game.send(Release("alice"))
    assert game.events == [Relinquished(0, 4, "alice", "C")], "the card without a twin"
    assert type(game.send(Release("bob")).error) is InvalidCommand


def test_a_pair_is_given_up_as_long_as_there_is_another_one_to_find() -> None:
    game = Driver("A A B B")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.flip("bob", 0, 2)
    game.send(Release("alice"))
    assert game.events == [Relinquished(0, 0, "alice", "A"), Relinquished(0, 1, "alice", "A")]


def test_a_journal_of_an_older_version_gives_up_the_last_pair_as_it_was_written() -> None:
    game = Driver("A A")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.send(Relinquish("alice"))
    assert game.events == [Relinquished(0, 0, "alice", "A"), Relinquished(0, 1, "alice", "A")]
