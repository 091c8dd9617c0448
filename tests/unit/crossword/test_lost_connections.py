"""Testing strategy: lost connections and returns.

- a connection is lost in each state, with and without a grace period; the grace period ends before and after the
  return; both players are missing
- return: with the right token · a wrong token · no session for the ID · in each state · while the old connection still
  seems open · to a score · after another player took the ID
"""

from __future__ import annotations

import pytest

from scramble.crossword import SessionEnded
from scramble.crossword.messages import (
    State,
)
from tests.support.crossword.driver import STATES, Table, in_state, state_of

# a lost connection: "in START, CHOOSE and SHOW SCORE the session ends and the ID is free at once; in WAIT the match is
# withdrawn and the ID is free at once; in PLAY it forfeits like EXIT after --grace seconds"


@pytest.mark.parametrize("state", ["START", "CHOOSE", "WAIT", "SHOW SCORE"])
def test_outside_play_a_lost_connection_ends_the_session_and_frees_the_id_at_once(state: State) -> None:
    table = Table()
    session = in_state(table, state)
    assert table.lose(session) is False
    assert state_of(table, session) == "END"
    assert table.look(table.player("ann")).matches == ()
    assert table.lose(session) is False, "a second loss is no error"


def test_in_play_a_lost_connection_keeps_id_and_match_until_the_grace_is_over() -> None:
    table = Table()
    ann, bob = table.match()
    assert table.lose(ann) is True
    assert "ann has lost the connection" in table.pushed[bob][-1].message
    table.refused(table.open(), "ann")
    assert table.do(bob, "TRY 1 cat").state == "PLAY", "the other player can continue"
    table.expire(ann)
    result = table.pushed[bob][-1].result
    assert result is not None
    assert (result.winner, result.forfeited_by) == ("bob", "ann")
    assert table.look(table.player("ann")).state == "CHOOSE"


def test_without_grace_a_lost_connection_forfeits_at_once_with_one_push() -> None:
    table = Table()
    ann, bob = table.match()
    told = len(table.pushed[bob])
    assert table.lose(ann, may_return=False) is False
    assert [view.state for view in table.pushed[bob][told:]] == ["SHOW SCORE"]
    assert table.look(table.player("ann")).state == "CHOOSE"


def test_a_player_who_returns_with_the_token_continues_the_match() -> None:
    table = Table()
    ann, bob = table.match()
    table.do(ann, "TRY 1 pet")
    table.lose(ann)
    table.do(bob, "TRY 4 tip")
    again = table.open("other-token")
    view = table.do(again, "ann ann-token")
    assert (view.state, view.player, view.token) == ("PLAY", "ann", None)
    assert view.match == table.look(bob).match
    assert "ann is back" in table.pushed[bob][-1].message
    table.expire(ann)
    assert table.look(bob).state == "PLAY", "a late expiry has no effect"
    table.do(again, "TRY 1 pot")
    assert "ann has entered pot" in table.pushed[bob][-1].message


def test_the_token_stays_the_same_at_every_return() -> None:
    table = Table()
    ann, bob = table.match()
    for _ in range(3):
        table.lose(ann)
        ann = table.open("unused")
        assert table.do(ann, "ann ann-token").state == "PLAY"
    table.expire(ann)
    assert table.look(bob).state == "PLAY", "a connected player has no grace period that could expire"


@pytest.mark.parametrize(
    "line", ["ann wrong", "ann bob-token", "ann ", "ann unused", "Ann ann-token", "ann ann-token "]
)
def test_a_return_needs_the_right_token(line: str) -> None:
    table = Table()
    ann, _ = table.match()
    table.lose(ann)
    stranger = table.open("unused")
    table.refused(stranger, line)
    assert table.do(stranger, "cyd").state == "CHOOSE"


def test_a_token_without_a_missing_player_is_refused() -> None:
    table = Table()
    assert "no session" in table.refused(table.open("t"), "ann t")
    ann = table.player("ann", "t")
    table.do(ann, "EXIT")
    assert "no session" in table.refused(table.open("t"), "ann t")


@pytest.mark.parametrize("state", STATES[1:])
def test_the_newest_connection_wins_while_the_old_one_still_seems_open(state: State) -> None:
    table = Table()
    old = in_state(table, state)
    before = table.look(old)
    new = table.open("unused")
    view = table.do(new, "ann ann-token")
    assert (view.state, view.player, view.match, view.result) == (state, "ann", before.match, before.result)
    assert (view.puzzles, view.matches) == (before.puzzles, before.matches)
    assert view.message.startswith("Welcome back, ann.")
    assert table.ended[old] == "taken-over"
    with pytest.raises(SessionEnded):
        table.say(old, "EXIT")
    assert table.lose(old) is False, "a later loss of the old connection has no effect"
    assert table.look(new).state == state
    assert table.do(table.open("unused"), "ann ann-token").message.count("Welcome back") == 1


def test_a_waiting_match_that_was_taken_over_is_joined_by_its_new_connection() -> None:
    table = Table()
    in_state(table, "WAIT")
    new = table.open("unused")
    table.do(new, "ann ann-token")
    bob = table.player("bob")
    table.do(bob, "PLAY m1")
    assert table.look(new).state == "PLAY"
    table.do(bob, "TRY 1 cat")
    assert "bob has entered cat" in table.pushed[new][-1].message


def test_a_player_who_is_missing_at_the_end_may_return_to_the_score() -> None:
    table = Table()
    ann, bob = table.match()
    table.lose(ann)
    table.do(bob, "EXIT")
    view = table.do(table.open("unused"), "ann ann-token")
    assert view.state == "SHOW SCORE"
    assert view.result is not None
    assert view.result.winner == "ann"


def test_the_id_of_a_player_missing_at_the_score_goes_to_the_first_who_enters_it() -> None:
    table = Table()
    ann, bob = table.match()
    table.lose(ann)
    table.do(bob, "EXIT")
    assert table.look(table.player("ann", "new-token")).state == "CHOOSE"
    table.refused(table.open("unused"), "ann ann-token")
    table.expire(ann)


def test_if_both_players_are_missing_the_first_whose_grace_is_over_forfeits() -> None:
    table = Table()
    ann, bob = table.match()
    table.lose(ann)
    table.lose(bob)
    table.expire(bob)
    view = table.do(table.open("unused"), "ann ann-token")
    assert view.result is not None
    assert (view.result.winner, view.result.forfeited_by) == ("ann", "bob")


def test_if_nobody_returns_nothing_is_left() -> None:
    table = Table()
    ann, bob = table.match()
    table.lose(ann)
    table.lose(bob)
    table.expire(bob)
    table.expire(ann)
    assert str(table.lobby) == "Lobby: 0 sessions, 0 missing players, 0 matches waiting, 0 running"
