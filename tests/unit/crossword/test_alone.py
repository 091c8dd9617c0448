"""A solo match: the only match of a lobby, with one player, against a clock.

Every lobby here is `Twins`: after each step, the test checks a restored lobby and a replay, too.

Partitions:
- a TRY: right, wrong, wrong again, against a confirmed letter, of a confirmed word; a CHALLENGE
- the clock: during play; while the connection is lost, and after the death of a process; at refused lines
- the end: complete, with and without mistakes; given up; the views of player and spectators, with the solution at the
  end only
- a second player; a spectator before, during and after the match; impossible states
"""

from __future__ import annotations

import json
from functools import partial

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.crossword import Lobby, Match, MatchView, MoveRefused, Puzzle, SessionId, SessionView
from scramble.crossword.frames import view_frame
from scramble.crossword.messages import Disconnect, Enter, MatchFull, Result, Say, Spectate
from scramble.crossword.solve_time import SolveTime
from tests.support.crossword.driver import EXTENDED, SIMPLE, Table
from tests.support.crossword.model import EXTENDED_DATA, Game, No
from tests.support.crossword.twins import Twins

LINES = st.tuples(
    st.sampled_from(["TRY", "TRY", "TRY", "CHALLENGE"]),
    st.integers(0, 5),
    st.sampled_from(["cat", "mat", "car", "tax", "cot", "tab", "ca", "CAT"]),
)


def table(puzzle: str = SIMPLE) -> Table:
    return Table((Puzzle.parse(puzzle, id="simple"),), rules=partial(Twins, one_match=True, alone=True))


def enter(there: Table, player: str = "ann", at: float = 0.0) -> SessionView:
    view = there.ask(Enter(there.open(), player, at))
    assert isinstance(view, SessionView)
    return view


def say(there: Table, session: SessionId, line: str, at: float = 0.0) -> SessionView:
    view = there.ask(Say(session, line, at))
    assert isinstance(view, SessionView)
    return view


def board(view: SessionView) -> MatchView:
    assert isinstance(view.match, MatchView)
    return view.match


def score(view: SessionView) -> Result:
    assert view.result is not None
    return view.result


def watch(there: Table) -> SessionView:
    view = there.ask(Spectate(-1))
    assert isinstance(view, SessionView)
    return view


def test_the_first_player_begins_at_once_and_nobody_else_has_a_place() -> None:
    there = table()
    assert "Nobody plays" in watch(there).message
    view = enter(there)
    assert (view.state, board(view).players, view.clock) == ("PLAY", ("ann",), SolveTime(0.0, 0.0))
    with pytest.raises(MatchFull, match="plays this puzzle alone"):
        there.ask(Enter(there.open(), "bob"))
    assert "ann fills in the puzzle alone" in watch(there).message


def test_a_right_word_is_confirmed_and_a_wrong_one_costs_a_point_each_time() -> None:
    there = table(EXTENDED)
    ann = enter(there).session
    wrong = say(there, ann, "TRY 1 cot")
    assert wrong.error is None
    assert "mistake" in wrong.message
    assert (board(wrong).words[0].entered, board(wrong).challenge_points) == (None, {"ann": -1})
    assert board(say(there, ann, "TRY 1 cot")).challenge_points == {"ann": -2}
    right = board(say(there, ann, "TRY 1 CAT"))
    assert (right.words[0].entered, right.words[0].by, right.words[0].confirmed) == ("cat", "ann", True)
    assert right.challenge_points == {"ann": -2}


@pytest.mark.parametrize(
    "line", ["TRY 1 cat", "TRY 2 met", "TRY 2 ma", "CHALLENGE 1 cot", "CHALLENGE 2 mat", "NEW MATCH"]
)
def test_a_refused_line_is_no_mistake_and_moves_no_clock(line: str) -> None:
    there = table()
    ann = enter(there).session
    say(there, ann, "TRY 1 cat", 5.0)
    before = there.look(ann)
    view = say(there, ann, line, 9.0)
    assert view.error is not None
    assert (there.look(ann).match, there.look(ann).clock) == (before.match, before.clock)


@given(st.lists(LINES, max_size=25))
def test_any_moves_have_the_same_result_as_in_the_naive_model(lines: list[tuple[str, int, str]]) -> None:
    match = Match("one", Puzzle.parse(EXTENDED, id="extended"), "", ("ann",))
    model = Game("one", EXTENDED_DATA, "", ("ann",))
    for command, word, text in lines:
        real = match.try_word if command == "TRY" else match.challenge
        naive = model.guess if command == "TRY" else model.challenge
        if model.complete():
            break
        try:
            naive("ann", word, text)
        except No:
            with pytest.raises(MoveRefused):
                real("ann", word, text)
        else:
            real("ann", word, text)
        assert json.loads(msgspec.json.encode(match.view())) == model.frame()
        assert match.over == model.complete()
    if not match.over:
        match.forfeit("ann")
    assert (match.result().points, match.result().winner) == (model.points(), model.winner())


def test_a_complete_puzzle_is_won_with_its_time_and_its_mistakes() -> None:
    there = table()
    ann = enter(there, at=100.0).session
    say(there, ann, "TRY 2 met", 110.0)
    say(there, ann, "TRY 1 cat", 130.0)
    view = say(there, ann, "TRY 2 mat", 165.5)
    assert view.state == "SHOW SCORE"
    assert (score(view).winner, score(view).points, score(view).seconds) == ("ann", {"ann": 1}, 65.5)
    assert "1:05, with 1 mistake: 1 point." in view.message
    assert watch(there).result == score(view)


def test_giving_up_is_no_win_and_first_shows_the_solution() -> None:
    there = table()
    ann = enter(there).session
    for view in (say(there, ann, "TRY 1 cat"), watch(there)):
        assert b'"mat"' not in view_frame(view)
    view = say(there, ann, "EXIT", 8.0)
    assert (score(view).winner, score(view).forfeited_by, score(view).seconds) == (None, "ann", 8.0)
    assert view.solution == watch(there).solution == ("cat", "mat")
    assert enter(there).solution == ("cat", "mat")


def test_the_clock_stands_still_while_the_player_is_away() -> None:
    there = table()
    first = enter(there, at=10.0)
    assert there.ask(Disconnect(first.session, left=True, at=25.0)) is True
    missing = watch(there).missing
    assert missing is not None
    assert (missing.session, watch(there).clock) == (0, SolveTime(15.0))
    again = enter(there, at=1000.0)
    assert again.clock == SolveTime(15.0, 1000.0)
    say(there, again.session, "TRY 1 cat", 1005.0)
    # a process has died: the next process has another clock, and knows only the time of the last command
    assert there.ask(Disconnect(again.session, left=True)) is True
    assert watch(there).clock == SolveTime(20.0)
    last = enter(there, at=3.0)
    assert score(say(there, last.session, "TRY 2 mat", 4.0)).seconds == 21.0


def test_a_player_on_another_connection_continues_against_the_same_clock() -> None:
    there = table()
    enter(there, at=10.0)
    assert enter(there, at=25.0).clock == SolveTime(15.0, 25.0)


def test_a_clock_that_goes_back_does_not_reduce_the_time() -> None:
    assert SolveTime(5.0, 100.0).at(90.0) == SolveTime(5.0, 90.0)


def test_frames_have_the_clock_and_at_the_end_the_solution_and_the_time() -> None:
    there = table()
    ann = enter(there).session
    frame = msgspec.json.decode(view_frame(say(there, ann, "TRY 1 cat", 1.25)))
    assert frame["clock"] == {"seconds": 1.2, "running": True}
    assert frame["match"]["players"] == ["ann"]
    end = msgspec.json.decode(view_frame(say(there, ann, "TRY 2 mat", 2.0)))
    assert (end["solution"], end["result"]["seconds"]) == (["cat", "mat"], 2.0)
    assert "clock" not in end


def test_only_one_match_is_played_alone() -> None:
    with pytest.raises(ValueError, match="one match"):
        Lobby((Puzzle.parse(SIMPLE, id="simple"),), alone=True)


@pytest.mark.parametrize(
    ("was", "becomes", "words"),
    [
        (b',"alone":true', b"", "too few players, or too many"),
        (b',"clock":{"seconds":0.0,"since":0.0}', b"", "too few players, or too many"),
        (b'"players":["ann"]', b'"players":[]', "too few players, or too many"),
        (b'"points":[0]', b'"points":[0,1]', "not as many points"),
        (b'"confirmed":true', b'"confirmed":false', "cannot stand"),
        (b'"one_match":true,"alone":true', b'"alone":true', "in a lobby of many matches|only a lobby of one match"),
    ],
)
def test_garbage_is_no_state_of_a_solo_lobby(was: bytes, becomes: bytes, words: str) -> None:
    there = table()
    say(there, enter(there).session, "TRY 1 cat")
    state = there.lobby.state()
    assert was in state
    with pytest.raises(ValueError, match=words):
        Lobby.restore(state.replace(was, becomes))
