"""Testing strategy: sessions and matches, one rule after the other.

tests/search/models/test_crossword.py tests all rules together.

- the state table: a test case for each row; every line in every state: possible exactly in the states of the table
- ID: fresh · in use · differing in case · free after EXIT · malformed (test_statetable)
- NEW: fresh ID · used by a waiting, a running, an ended match · any puzzle, also one in use · unknown puzzle
- PLAY: waiting · running · ended · withdrawn · never made
- notifications: to sessions in CHOOSE when a match appears, is joined, is withdrawn, is lost; to the other player at
  every move, end, loss and return; no notification at a refusal, at a move without a change, or of a session's own
  actions
- limits: matches (sessions: test_limits)
- tickets: each is answered exactly once (the driver checks that in every test)
"""

from __future__ import annotations

import pytest

from scramble.crossword import Limits, Lobby, MatchHeader, MatchView, Puzzle, PuzzleError, SessionEnded, SessionId
from scramble.crossword.messages import (
    MatchListing,
    PuzzleListing,
    State,
)
from scramble.crossword.statetable import STATE_TABLE, SYNTAX
from tests.support.crossword.driver import SIMPLE, STATES, Table, in_state, state_of

# the state table

EXAMPLES = [
    ("START", "Player_ID", "ann", "CHOOSE"),
    ("START", "Player_ID token", "cyd cyd-token", "CHOOSE"),
    ("CHOOSE", "PLAY Match_ID", "PLAY other", "PLAY"),
    ("CHOOSE", 'NEW Match_ID Puzzle_ID "Description"', 'NEW m2 simple "so"', "WAIT"),
    ("CHOOSE", "EXIT", "EXIT", "END"),
    ("WAIT", "EXIT", "EXIT", "CHOOSE"),
    ("PLAY", "TRY id word", "TRY 1 pet", "PLAY"),
    ("PLAY", "CHALLENGE id word", "CHALLENGE 2 mut", "PLAY"),
    ("PLAY", "EXIT", "EXIT", "SHOW SCORE"),
    ("SHOW SCORE", "NEW MATCH", "NEW MATCH", "CHOOSE"),
    ("SHOW SCORE", "EXIT", "EXIT", "END"),
]


def prepared(state: State) -> tuple[Table, SessionId]:
    """Return a session in that state, in a lobby where every example is possible."""
    table = Table()
    cyd = table.player("cyd", "cyd-token")
    maker = table.player("dan", "dan-token")
    table.do(maker, 'NEW other simple "another"')
    session = in_state(table, state)
    if state == "PLAY":
        bob = next(other for other in table.pushed if other not in (session, cyd, maker))
        table.do(bob, "TRY 2 met")
    return table, session


@pytest.mark.parametrize(("state", "syntax", "line", "to"), EXAMPLES)
def test_every_row_of_the_state_table_leads_to_its_next_state(state: State, syntax: str, line: str, to: str) -> None:
    table, session = prepared(state)
    view = table.do(session, line)
    assert state_of(table, session) == to
    assert view.closed == (to == "END")
    row = next(row for row in STATE_TABLE if row.state == state and row.on == syntax)
    assert to in row.to


def test_every_row_that_a_player_types_has_an_example() -> None:
    typed = {(row.state, row.on) for row in STATE_TABLE if row.command}
    assert typed == {(state, syntax) for state, syntax, _, _ in EXAMPLES}
    assert {state: len(lines) for state, lines in SYNTAX.items()} == {
        "START": 2,
        "CHOOSE": 3,
        "WAIT": 1,
        "PLAY": 3,
        "SHOW SCORE": 2,
    }


@pytest.mark.parametrize("state", STATES[1:])
@pytest.mark.parametrize("line", sorted({line for state, _, line, _ in EXAMPLES if state != "START"}))
def test_a_line_is_refused_in_every_state_whose_rows_do_not_have_it(state: State, line: str) -> None:
    if any((state, line) == (own, typed) for own, _, typed, _ in EXAMPLES):
        return
    table, session = prepared(state)
    reason = table.refused(session, line)
    assert any(syntax in reason for syntax in SYNTAX[state]), "a refusal lists the possible commands"


@pytest.mark.parametrize("move", ["TRY 2 mat", "CHALLENGE 2 mat"])
def test_the_move_that_completes_the_puzzle_leads_both_players_to_the_score(move: str) -> None:
    table = Table()
    ann, bob = table.match("simple")
    table.do(ann, "TRY 1 cat")
    if move.startswith("CHALLENGE"):
        table.do(bob, "TRY 2 map")
    view = table.do(ann, move)
    assert view.state == "SHOW SCORE"
    assert view.result is not None
    assert view.result.winner == "ann"
    assert table.pushed[bob][-1].state == "SHOW SCORE"
    assert table.pushed[bob][-1].result == view.result


# START: "If the user provides an ID that is already in use, the user must be asked to provide a new one until a valid
# ID is provided."


@pytest.mark.parametrize("state", STATES[1:])
def test_an_id_is_in_use_in_every_state_of_its_session(state: State) -> None:
    table = Table()
    in_state(table, state)
    stranger = table.open()
    assert "ann is in use" in table.refused(stranger, "ann")
    assert table.do(stranger, "ann2").player == "ann2"


def test_ids_that_differ_in_case_are_different() -> None:
    table = Table()
    table.player("ann")
    assert table.look(table.player("Ann")).player == "Ann"


@pytest.mark.parametrize("state", ["CHOOSE", "SHOW SCORE"])
def test_an_id_is_free_again_after_exit(state: State) -> None:
    table = Table()
    session = in_state(table, state)
    view = table.do(session, "EXIT")
    assert (view.closed, view.state, view.player) == (True, "START", None)
    with pytest.raises(SessionEnded):
        table.say(session, "ann")
    assert table.look(table.player("ann")).player == "ann"


# CHOOSE: "the user is shown both the list of matches and the list of available puzzles"


def test_in_choose_all_puzzles_and_the_waiting_matches_are_shown_oldest_first() -> None:
    table = Table()
    for name, match in (("ann", "zeta"), ("bob", "alpha")):
        table.do(table.player(name), f'NEW {match} simple "by {name}"')
    view = table.look(table.player("cyd"))
    assert view.puzzles == (
        PuzzleListing("simple", "Simple Puzzle", "A trivial puzzle designed to show how puzzles work"),
        PuzzleListing("extended", "Extended", "cat and mat, and words that overlap with cat"),
    )
    assert view.matches == (
        MatchListing("zeta", "simple", "by ann", "ann"),
        MatchListing("alpha", "simple", "by bob", "bob"),
    )


def test_the_token_is_in_the_first_choose_view_of_a_session_only() -> None:
    table = Table()
    session = table.open("secret")
    assert table.look(session).token is None
    assert table.do(session, "ann").token == "secret"
    assert table.look(session).token is None
    assert table.say(session, "nonsense").token is None
    table.do(session, 'NEW m1 simple "so"')
    assert table.do(session, "EXIT").token is None


def test_any_puzzle_is_available_even_if_there_are_players_already_using_it() -> None:
    table = Table()
    for name in ("ann", "bob", "cyd"):
        assert table.do(table.player(name), f'NEW {name}s simple "so"').state == "WAIT"


def test_a_match_id_is_in_use_until_the_match_is_over() -> None:
    table = Table()
    ann, bob = table.player("ann"), table.player("bob")
    cyd = table.player("cyd")
    table.do(ann, 'NEW m1 simple "so"')
    assert "m1 is in use" in table.refused(cyd, 'NEW m1 extended "so"')
    table.do(bob, "PLAY m1")
    assert "m1 is in use" in table.refused(cyd, 'NEW m1 extended "so"')
    table.do(bob, "EXIT")
    assert table.do(cyd, 'NEW m1 extended "so"').match == MatchHeader("m1", "extended", "so")


def test_an_unknown_puzzle_is_refused() -> None:
    table = Table()
    assert "no puzzle" in table.refused(table.player("ann"), 'NEW m1 nosuch "so"')


def test_a_puzzle_id_may_have_spaces_and_quotes_as_file_names_do() -> None:
    odd = 'my "best"  puzzle'
    table = Table([Puzzle.parse(SIMPLE, id=odd)])
    view = table.do(table.player("ann"), f'NEW m1 {odd} "so"')
    assert view.match == MatchHeader("m1", odd, "so")


def test_play_needs_a_match_that_waits() -> None:
    table = Table()
    cyd = table.player("cyd")
    assert "No match m1" in table.refused(cyd, "PLAY m1")
    ann, bob = table.match()
    assert "has its two players already" in table.refused(cyd, "PLAY m1")
    table.do(ann, "EXIT")
    assert "No match m1" in table.refused(cyd, "PLAY m1")
    table.do(bob, "NEW MATCH")
    table.do(bob, 'NEW m2 simple ""')
    table.do(bob, "EXIT")
    assert "No match m2" in table.refused(cyd, "PLAY m2")


def test_play_brings_both_players_into_the_match_the_first_one_first() -> None:
    table = Table()
    ann, bob = table.match("simple", "m1")
    for session in (ann, bob):
        match = table.look(session).match
        assert isinstance(match, MatchView)
        assert (match.id, match.puzzle, match.description) == ("m1", "simple", "a match")
        assert match.players == ("ann", "bob")


# notifications


def test_only_sessions_in_choose_get_each_change_of_the_list_and_once() -> None:
    table = Table()
    cyd, start = table.player("cyd"), table.open()
    waiting = table.player("wim")
    table.do(waiting, 'NEW w simple ""')
    ann, bob = table.player("ann"), table.player("bob")
    expected = [1]
    for session, line, listed in (
        (ann, 'NEW m1 simple "so"', 2),
        (ann, "EXIT", 1),
        (ann, 'NEW m2 simple "so"', 2),
        (bob, "PLAY m2", 1),
        (bob, "TRY 1 cat", None),
        (bob, "EXIT", None),
        (bob, "NEW MATCH", None),
    ):
        table.do(session, line)
        if listed is not None:
            expected.append(listed)
        assert [len(view.matches or ()) for view in table.pushed[cyd]] == expected
    assert table.pushed[start] == table.pushed[waiting] == []
    table.lose(waiting)
    assert table.pushed[cyd][-1].matches == ()


def test_a_push_carries_no_error_of_a_command_before() -> None:
    table = Table()
    cyd = table.player("cyd")
    table.refused(cyd, "nonsense")
    table.do(table.player("ann"), 'NEW m1 simple "so"')
    assert table.pushed[cyd][-1].error is None


def test_a_player_sees_every_move_of_the_other_as_text_and_on_the_board() -> None:
    table = Table()
    ann, bob = table.match()
    told = len(table.pushed[bob])
    for line, words in (
        ("TRY 1 pet", "ann has entered pet for word 1."),
        ("TRY 2 set", "ann has entered set for word 2."),
        ("TRY 1 cat", "ann has entered cat for word 1. Cleared, because in conflict with it: word 2."),
    ):
        view = table.do(ann, line)
        told += 1
        assert len(table.pushed[bob]) == told
        assert words in table.pushed[bob][-1].message
        assert table.pushed[bob][-1].match == view.match
    assert table.pushed[ann][1:] == []


def test_both_players_get_the_effects_of_a_challenge_as_text() -> None:
    table = Table()
    ann, bob = table.match()
    table.do(ann, "TRY 1 pet")
    table.do(ann, "TRY 2 set")
    assert "costs you a point" in table.do(bob, "CHALLENGE 1 pot").message
    assert "bob loses a point" in table.pushed[ann][-1].message
    table.do(ann, "TRY 1 pet")
    assert "two points. Cleared, because in conflict with it: word 1." in table.do(bob, "CHALLENGE 2 mat").message
    assert "bob gets two points. Cleared" in table.pushed[ann][-1].message
    table.do(ann, "TRY 3 car")
    assert "car was right" in table.do(bob, "CHALLENGE 3 cow").message
    assert "It is right, so it is confirmed" in table.pushed[ann][-1].message


def test_refused_moves_and_moves_without_a_change_are_not_pushed() -> None:
    table = Table()
    ann, bob = table.match()
    table.do(ann, "TRY 1 pet")
    told = len(table.pushed[bob])
    table.refused(ann, "TRY 1 cats")
    view = table.do(ann, "TRY 1 PET")
    assert "already" in view.message
    assert len(table.pushed[bob]) == told


def test_a_move_concerns_its_two_players_only() -> None:
    table = Table()
    ann, _ = table.match()
    cyd, dan = table.player("cyd"), table.player("dan")
    table.do(cyd, 'NEW m2 extended "so"')
    table.do(dan, "PLAY m2")
    before = {session: len(views) for session, views in table.pushed.items()}
    numbers = {session: table.look(session).number for session in (cyd, dan)}
    table.do(ann, "TRY 1 cat")
    table.do(ann, "EXIT")
    assert all(len(table.pushed[session]) == before[session] for session in (ann, cyd, dan))
    assert {session: table.look(session).number for session in (cyd, dan)} == numbers


def test_the_score_has_the_winner_the_points_and_the_commands() -> None:
    table = Table()
    ann, bob = table.match("simple")
    table.do(ann, "TRY 1 cat")
    table.do(bob, "TRY 2 map")
    winner = table.do(ann, "CHALLENGE 2 mat").message
    loser = table.pushed[bob][-1].message
    assert winner.startswith("The puzzle is complete. You have won! The points are 4 to 0.")
    assert loser.startswith("The puzzle is complete. ann has won. The points are 0 to 4.")
    assert "NEW MATCH" in loser
    assert "EXIT" in loser


def test_a_draw_is_called_a_draw() -> None:
    table = Table()
    ann, bob = table.match("simple")
    table.do(ann, "TRY 1 cat")
    view = table.do(bob, "TRY 2 mat")
    assert "It is a draw, 1 to 1 points." in view.message
    assert view.result is not None
    assert view.result.winner is None


def test_the_other_player_wins_a_forfeit_and_both_get_the_reason() -> None:
    table = Table()
    ann, bob = table.match()
    table.do(bob, "TRY 1 cat")
    view = table.do(bob, "EXIT")
    assert view.message.startswith("You have given up the match. ann has won. The points are 1 to 0.")
    pushed = table.pushed[ann][-1]
    assert pushed.message.startswith("bob has given up the match. You have won! The points are 0 to 1.")
    assert pushed.result is not None
    assert (pushed.result.winner, pushed.result.forfeited_by) == ("ann", "bob")


# limits


def test_the_number_of_matches_is_limited() -> None:
    table = Table(limits=Limits(matches=2))
    ann, _ = table.match()
    cyd, dan = table.player("cyd"), table.player("dan")
    table.do(cyd, 'NEW m2 simple "so"')
    assert "as many matches" in table.refused(dan, 'NEW m3 simple "so"')
    table.do(ann, "EXIT")
    assert table.do(dan, 'NEW m3 simple "so"').state == "WAIT"


def test_a_lobby_needs_puzzles_with_different_ids() -> None:
    with pytest.raises(PuzzleError, match="no puzzle"):
        Lobby([])
    with pytest.raises(PuzzleError, match="same ID"):
        Lobby([Puzzle.parse(SIMPLE, id="a"), Puzzle.parse(SIMPLE, id="a")])


def test_str_has_the_counts_of_sessions_and_matches() -> None:
    table = Table()
    ann, _ = table.match()
    table.do(table.player("cyd"), 'NEW m2 simple "so"')
    table.lose(ann)
    assert str(table.lobby) == "Lobby: 2 sessions, 1 missing players, 1 matches waiting, 1 running"
