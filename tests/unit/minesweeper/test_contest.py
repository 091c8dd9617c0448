"""A field as a contest: scores by name, the clock, pauses, the opener of each square, and the end.

Testing strategy:

- scores: by name, also for a person who returns; moves of the program and moves without effect do not count; a boom
  costs points; right flags count only at the end; a large flood counts for ten, in one dig and in a chord, but not in
  a game of an earlier version
- the clock: begins with the first dig, never goes back, and is part of the state
- a pause: belongs to the name, not to the connection; stops all moves; ends at its time; needs an effect
- the start of a field without guessing: the only square that can be dug first
- the end: the last safe square, with any flags; a request for the result before, at and after the last dig; a withdrawn
  request; booms do not delay the end; the final view; a game that closes, and a game that continues
- a game of an earlier version keeps its own scores, and shows no other data
- impossible states
"""

from __future__ import annotations

import msgspec
import pytest

from scramble.kernel.protocol import Answered, Command, Outcome, Ticket, Withdraw
from scramble.minesweeper import BoardView, Field, Snapshot
from scramble.minesweeper.messages import (
    AwaitEnd,
    Chord,
    Chorded,
    Connect,
    Deflag,
    Dig,
    Disconnect,
    Dug,
    End,
    Ended,
    Exploded,
    Flag,
    Flagged,
    Score,
    Standing,
    TakeSnapshot,
    TakeStanding,
)
from tests.support.revisions import applied


def standing(field: Field) -> Standing:
    (answer,) = field.apply(Ticket(0), TakeStanding())
    assert isinstance(answer, Answered)
    assert isinstance(answer.value, Standing)
    return answer.value


def contest(
    text: str, *names: str, pause_ms: int = 0, closes: bool = False, start: tuple[int, int] | None = None
) -> Field:
    """Return the field in `text`, "*" for a bomb, with these players."""
    lines = text.split()
    field = Field(
        len(lines[0]), len(lines), [(x, y) for y, row in enumerate(lines) for x, c in enumerate(row) if c == "*"]
    )
    field.keep_scores(pause_ms=pause_ms, closes=closes, start=start)
    for number, name in enumerate(names, start=1):
        field.apply(Ticket(-number), Connect(name))
    return field


def play(field: Field, *commands: Command[object]) -> list[Outcome]:
    """Apply these commands, and restore the field from its state before each one; return all outcomes."""
    outcomes: list[Outcome] = []
    for ticket, command in enumerate(commands):
        twin = Field.restore(field.state())
        found = list(applied(field, Ticket(ticket), command))
        assert list(twin.apply(Ticket(ticket), command)) == found
        assert twin.state() == field.state()
        outcomes += found
    return outcomes


def answer(field: Field, command: Command[object]) -> BoardView:
    """Return the answer to the move."""
    view = play(field, command)[-1]
    assert isinstance(view, Answered)
    assert isinstance(view.value, BoardView)
    return view.value


def snapshot(field: Field) -> Snapshot:
    (view,) = field.apply(Ticket(0), TakeSnapshot())
    assert isinstance(view, Answered)
    assert isinstance(view.value, Snapshot)
    return view.value


# --- scores -----------------------------------------------------------------------------------------


def test_squares_and_booms_count_for_names() -> None:
    field = Field(5, 1, [(2, 0), (3, 0)])
    field.keep_scores()
    field.apply(Ticket(1), Connect("ann"))
    field.apply(Ticket(2), Connect("bob"))
    field.apply(Ticket(3), Dig(0, 0, 1))
    assert isinstance(field.apply(Ticket(4), Dig(2, 0, 2))[0], Exploded)
    field.apply(Ticket(5), Dig(2, 0, 1))  # already dug
    field.apply(Ticket(6), Disconnect(2))
    field.apply(Ticket(7), Connect("bob"))
    field.apply(Ticket(8), Dig(3, 0, 3))
    assert standing(field) == Standing(0, {"ann": Score(2, 0, 0, 2), "bob": Score(1, 0, 2, -19)})
    assert standing(Field.restore(field.state())) == standing(field)


def test_one_dig_brings_ten_points_at_most_however_much_it_opens() -> None:
    field = contest("......*. ........", "ann", "bob")
    play(field, Dig(0, 0, 1), Dig(7, 0, 2), Dig(6, 1, 2))
    assert standing(field).scores == {"ann": Score(12, 0, 0, 10), "bob": Score(2, 0, 0, 2)}
    play(field, Dig(6, 0, 1))
    assert standing(field).scores["ann"] == Score(13, 0, 1, 1)


def test_a_chord_brings_ten_points_at_most_like_a_dig() -> None:
    field = contest("*....... ........ ........", "ann")
    play(field, Dig(1, 1, 1), Flag(0, 0, 1), Chord(1, 1, 1))
    assert standing(field).scores == {"ann": Score(23, 1, 0, 12)}  # a dig, a chord and a flag


def test_a_contest_of_an_earlier_version_counts_all_squares_of_a_dig() -> None:
    state = contest("...... ......", "ann").state()
    old = state.replace(b'"most_points":10', b"")
    assert old != state
    field = Field.restore(old)
    assert field.state() == old
    play(field, Dig(0, 0, 1))
    assert standing(field).scores == {"ann": Score(12, 0, 0, 12)}


def test_digs_of_the_program_and_in_a_game_without_scores_do_not_count() -> None:
    field = Field(2, 1, [(1, 0)])
    field.apply(Ticket(1), Connect("ann"))
    field.apply(Ticket(2), Dig(0, 0, 1))
    assert standing(field) == Standing(0, {})
    counted = Field(2, 1, [(1, 0)])
    counted.keep_scores()
    counted.dig(0, 0)
    assert standing(counted) == Standing(0, {})


def answered(outcomes: list[Outcome]) -> list[tuple[Ticket, object]]:
    return [(outcome.ticket, outcome.value) for outcome in outcomes if isinstance(outcome, Answered)]


def test_the_last_safe_square_answers_all_waits_for_the_end_that_are_not_withdrawn() -> None:
    field = Field(4, 1, [(1, 0), (2, 0)])
    revision = field.revision
    for ticket in (1, 2, 3):
        assert field.apply(Ticket(ticket), AwaitEnd()) == []
    field.apply(Ticket(2), Withdraw())
    assert field.revision == revision
    assert len(answered(list(field.apply(Ticket(4), Dig(0, 0))))) == 1
    assert len(answered(list(field.apply(Ticket(5), Dig(1, 0))))) == 1  # a boom that opens nothing else
    over = Standing(0, {})
    assert answered(list(field.apply(Ticket(6), Dig(3, 0))))[1:] == [(Ticket(1), over), (Ticket(3), over)]
    assert answered(list(field.apply(Ticket(7), AwaitEnd()))) == [(Ticket(7), over)]


def test_a_dig_whose_bomb_opens_the_rest_ends_the_game() -> None:
    field = Field(3, 1, [(1, 0)])
    field.apply(Ticket(1), AwaitEnd())
    assert answered(list(field.apply(Ticket(2), Dig(1, 0))))[1:] == [(Ticket(1), Standing(0, {}))]


# --- the clock and pauses ---------------------------------------------------------------------------


def test_the_clock_begins_with_the_first_dig_and_never_goes_back() -> None:
    field = contest("..*", "ann")
    assert (field.now, Field(1, 1).now) == (0, None)
    play(field, Flag(2, 0, 1, at=300))
    view = snapshot(field).contest
    assert view is not None
    assert (view.began, view.ended, field.now) == (None, None, 300)
    (dug, *_) = play(field, Dig(1, 0, 1, at=200))  # with an earlier time than the last command
    assert isinstance(dug, Dug)
    assert dug.at == 300
    (_, ended, _) = play(field, Dig(0, 0, 1, at=450))
    assert isinstance(ended, Ended)
    view = snapshot(field).contest
    assert view is not None
    assert (view.began, view.ended, ended.at) == (300, 450, 450)


def test_after_a_boom_a_name_makes_no_move_until_its_pause_is_over() -> None:
    field = contest("**.. ....", "ann", "bob", "ann", pause_ms=5000)
    (boom, answered_) = play(field, Dig(0, 0, 1, at=1000))
    assert isinstance(boom, Exploded)
    assert (boom.until, boom.tally) == (6000, Score(0, 0, 1, -10))
    assert isinstance(answered_, Answered)
    assert isinstance(answered_.value, BoardView)
    assert (answered_.value.boom, answered_.value.pause_ms) == (True, 5000)
    for move in (Dig, Flag, Deflag, Chord):
        for player in (1, 3):
            view = answer(field, move(3, 0, player, at=5999))
            assert (view.boom, view.pause_ms) == (False, 1)
    assert field.version == 4
    assert answer(field, Dig(3, 0, 2, at=2000)).pause_ms == 0
    view = answer(field, Flag(1, 0, 3, at=6000))
    assert (view.pause_ms, view.version) == (0, 6)


def test_a_pause_continues_after_a_move_without_a_time_and_the_program_gets_none() -> None:
    field = contest("**.", "ann", pause_ms=10)
    assert answer(field, Dig(0, 0)).pause_ms == 0
    assert answer(field, Dig(1, 0, 1)).pause_ms == 10
    assert answer(field, Flag(2, 0, 1)).pause_ms == 10
    assert answer(field, Flag(2, 0)).pause_ms == 0


def test_only_the_start_can_be_dug_first() -> None:
    field = contest("*.. ... ...", "ann", start=(1, 1))
    view = answer(field, Dig(2, 2, 1))
    assert (view.start, view.version) == ((1, 1), 1)
    assert answer(field, Flag(0, 0, 1)).start is None
    shown = snapshot(field).contest
    assert shown is not None
    assert shown.start == (1, 1)
    assert answer(field, Dig(1, 1, 1)).start is None
    assert answer(field, Dig(2, 2, 1)).start is None
    shown = snapshot(field).contest
    assert shown is not None
    assert shown.start is None


def test_a_start_outside_and_a_negative_pause_are_refused() -> None:
    for start in ((3, 0), (0, -1)):
        with pytest.raises(ValueError, match="outside"):
            contest("...", start=start)
    with pytest.raises(ValueError, match="negative"):
        contest("...", pause_ms=-1)


# --- chords -----------------------------------------------------------------------------------------


def test_a_chord_digs_all_unflagged_squares_around_a_number_in_one_step() -> None:
    field = contest("*.. ... ...", "ann")
    play(field, Dig(1, 1, 1), Flag(0, 0, 1))
    (event, ended, _) = play(field, Chord(1, 1, 1, at=7))
    assert isinstance(event, Chorded)
    assert (event.runs, event.booms) == (((1, 0, "1 "), (0, 1, "1"), (2, 1, " "), (0, 2, "   ")), ())
    assert event.tally == Score(8, 0, 0, 8)
    assert isinstance(ended, Ended)
    assert ended.end.scores == {"ann": Score(8, 1, 0, 9)}


@pytest.mark.parametrize("flags", [[], [(0, 0), (2, 0)]])
def test_a_chord_does_nothing_with_too_few_or_too_many_flags(flags: list[tuple[int, int]]) -> None:
    field = contest("*.. ... ...", "ann")
    play(field, Dig(1, 1, 1), *(Flag(x, y, 1) for x, y in flags))
    before = field.state()
    play(field, Chord(1, 1, 1))
    assert field.state() == before


@pytest.mark.parametrize("place", [(0, 0), (1, 0), (-1, 0), (2, 9)])
def test_a_chord_elsewhere_than_on_an_open_number_does_nothing(place: tuple[int, int]) -> None:
    field = contest("*.. ... ...", "ann")
    play(field, Flag(1, 0, 1))
    before = field.state()
    play(field, Chord(*place, 1))
    assert field.state() == before


def test_a_chord_by_a_wrong_flag_digs_up_every_bomb_and_costs_one_pause() -> None:
    field = contest("**. ... ...", "ann", pause_ms=5)
    play(field, Dig(1, 1, 1), Flag(2, 0, 1), Flag(2, 1, 1))
    (event, view) = play(field, Chord(1, 1, 1))
    assert isinstance(event, Chorded)
    assert event.booms == ((0, 0), (1, 0))
    assert (event.tally, event.until) == (Score(5, 0, 2, -15), 5)
    assert isinstance(view, Answered)
    assert view.value == BoardView(5, "    F\n    F\n     \n", True, ((0, 0), (1, 0)), 5)


def test_a_field_of_the_programs_own_can_be_chorded() -> None:
    field = Field(2, 1, [(0, 0)])
    field.dig(1, 0)
    field.flag(0, 0)
    assert field.chord(1, 0) == field.look()


# --- the end ----------------------------------------------------------------------------------------


def test_the_end_shows_openers_standing_flags_and_wrong_flags() -> None:
    field = contest("*..* ..*.", "ann", "bob")
    play(field, Flag(1, 0, 2), Flag(0, 0, 1), Deflag(1, 0, 1), Flag(3, 0, 2), Flag(2, 1))
    play(field, Dig(0, 1, 1), Dig(1, 0), Dig(1, 1, 2))
    assert snapshot(field).contest is not None
    (boom, _) = play(field, Deflag(2, 1, 1), Dig(2, 1, 2))[2:]
    assert isinstance(boom, Exploded)
    (_, ended, _) = play(field, Dig(2, 0, 1), Dig(3, 1, 2))[2:]
    assert isinstance(ended, Ended)
    bob, ann = chr(33), chr(34)
    scores = {"bob": Score(2, 1, 1, -7), "ann": Score(2, 1, 0, 3)}
    owners = (ann + " " + ann + bob, ann + bob + bob + bob)
    assert ended.end == End(("bob", "ann"), owners, scores, ((2, 1, 1),), ((1, 0, 1),))
    shown = snapshot(field)
    assert shown.contest is not None
    assert shown.contest.end == ended.end
    assert standing(field) == Standing(0, scores)


def test_repeated_wrong_flags_on_a_square_count_once_for_the_last_player() -> None:
    field = contest("*..", "ann", "bob")
    for player in (1, 1, 2):
        play(field, Flag(1, 0, player), Deflag(1, 0, 1))
    (_, ended, _) = play(field, Dig(1, 0, 1), Dig(2, 0, 1))[-3:]
    assert isinstance(ended, Ended)
    assert ended.end.wrong == ((1, 0, 2),)


def test_the_end_does_not_depend_on_flags() -> None:
    field = contest("*.", "ann")
    play(field, Flag(0, 0, 1), Flag(1, 0, 1))
    assert standing(field).left == 1
    play(field, Deflag(0, 0, 1), Deflag(1, 0, 1), Dig(1, 0, 1))
    assert standing(field) == Standing(0, {"ann": Score(1, 0, 0, 1)})


def test_the_last_boom_can_be_the_end() -> None:
    field = contest("*.", "ann", pause_ms=5, closes=True)
    (boom, ended, view) = play(field, Dig(0, 0, 1))
    assert isinstance(boom, Exploded)
    assert isinstance(ended, Ended)
    assert isinstance(view, Answered)
    assert standing(field) == Standing(0, {"ann": Score(1, 0, 1, -9)})


def test_after_the_end_a_closing_game_has_no_moves_and_another_goes_on_without_scores() -> None:
    for closes in (True, False):
        field = contest(".**", "ann", closes=closes)
        play(field, Flag(2, 0, 1), Dig(0, 0, 1))
        before, scores = field.state(), standing(field)
        outcomes = play(field, Dig(1, 0, 1), Deflag(2, 0, 1))
        assert (field.state() == before) == closes
        assert standing(field) == scores == Standing(0, {"ann": Score(1, 1, 0, 2)})
        assert [type(outcome) for outcome in outcomes].count(Answered) == 2
        assert [outcome.tally for outcome in outcomes if isinstance(outcome, Exploded)] == [None] * (not closes)


def test_bombs_left_count_flags_and_booms() -> None:
    field = contest("**. ...", "ann")
    (flagged, _, exploded, _) = play(field, Flag(2, 1, 1), Dig(0, 0, 1))
    assert isinstance(flagged, Flagged)
    assert isinstance(exploded, Exploded)
    assert (flagged.bombs, exploded.bombs, exploded.left) == (1, 0, 4)
    shown = snapshot(field).contest
    assert shown is not None
    assert shown.bombs == 0


# --- states -----------------------------------------------------------------------------------------


def test_a_game_of_an_earlier_version_counts_as_before() -> None:
    old = b'{"version":0,"next_player":1,"players":[],"lines":["..*"],"scores":{}}'
    field = Field.restore(old)
    assert field.state() == old
    play(field, Connect("ann"), Dig(2, 0, 1), Flag(0, 0, 1))
    assert b'"scores":{"ann":[3,1]}' in field.state() or b'"scores":{"ann":[2,1]}' in field.state()
    assert (field.now, snapshot(field).contest) == (None, None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("scores", {}),
        ("safe_start", 1),
        ("lines", ["d."]),
        ("lines", ["*F"]),
    ],
)
def test_an_impossible_state_of_a_contest_is_refused(field: str, value: object) -> None:
    fresh = contest("..")
    fresh.begin_safely()
    state = msgspec.json.decode(fresh.state(), type=dict[str, object])
    assert Field.restore(msgspec.json.encode(state)).state() == fresh.state()
    with pytest.raises(ValueError):  # noqa: PT011
        Field.restore(msgspec.json.encode({**state, field: value}))


@pytest.mark.parametrize("scores", [{"ann": [1, 2]}, {"ann": [-1, 0]}, {"ann": [1]}])
def test_impossible_old_scores_are_refused(scores: object) -> None:
    state = msgspec.json.decode(Field(2, 1).state(), type=dict[str, object])
    with pytest.raises(ValueError):  # noqa: PT011
        Field.restore(msgspec.json.encode({**state, "scores": scores}))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("owners", ["!!"]),
        ("owners", ["!", ""]),
        ("owners", ["!#  ", ""]),
        ("owners", ["\x1f!  ", ""]),
        ("owners", ["", "", ""]),
        ("names", ["ann"]),
        ("names", ["ann", "ann"]),
        ("dug", [1]),
        ("dug", [-1, 0]),
        ("free", [0]),
        ("free", [-1, 0]),
        ("free", [0, 1]),
        ("flags", [1, 0]),
        ("booms", [[4, 0, 1]]),
        ("wrong", [[0, 0, 3]]),
        ("now", 4),
        ("began", -1),
        ("ended", 4),
        ("terms", {"pause_ms": -1}),
        ("terms", {"start": [0, 2]}),
        ("terms", {"most_points": 0}),
        ("terms", {"more": 1}),
    ],
)
def test_an_impossible_contest_is_refused(field: str, value: object) -> None:
    played = contest("..*. ....", "ann", "bob")
    play(played, Dig(0, 0, 1, at=5), Flag(2, 0, 2, at=6))
    state = msgspec.json.decode(played.state(), type=dict[str, object])
    inner = msgspec.convert(state["contest"], dict[str, object])
    assert Field.restore(msgspec.json.encode(state)).state() == played.state()
    with pytest.raises(ValueError):  # noqa: PT011
        Field.restore(msgspec.json.encode({**state, "contest": {**inner, field: value}}))
