"""A field as a contest: the safe first dig, the scores by name, and the end.

Testing strategy. Hypothesis draws fields from empty to all but full, and which square is dug first.

- safe start: the first dig is never a bomb and moves at most one; flags and digs that do nothing do not count as the
  first; the second dig is as dangerous as ever; a restored field knows whether the first is still to come
- laid out by a number of bombs and a seed: every number that there can be, and those beyond
- scores: by name, a person who comes back included; moves of the program and moves without effect are nobody's
- the end: asked for before, at and after the last dig; a call that is withdrawn; booms do not delay it
- states that no such game can be in
"""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.kernel.protocol import Answered, Outcome, Ticket, Withdraw
from scramble.minesweeper import Field
from scramble.minesweeper.messages import AwaitEnd, Connect, Dig, Disconnect, Exploded, Standing, TakeStanding


@st.composite
def first_digs(draw: st.DrawFn) -> tuple[Field, list[tuple[int, int]], tuple[int, int]]:
    """A field that begins safely, its bombs, and the square to dig first."""
    columns, rows = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    squares = [(x, y) for y in range(rows) for x in range(columns)]
    bombs = draw(st.lists(st.sampled_from(squares), max_size=len(squares) - 1, unique=True))
    field = Field(columns, rows, bombs)
    field.begin_safely()
    return field, bombs, draw(st.sampled_from(squares))


def standing(field: Field) -> Standing:
    (answer,) = field.apply(Ticket(0), TakeStanding())
    assert isinstance(answer, Answered)
    assert isinstance(answer.value, Standing)
    return answer.value


@given(first_digs())
def test_the_first_dig_is_never_a_bomb_and_moves_only_the_one_that_was_there(
    drawn: tuple[Field, list[tuple[int, int]], tuple[int, int]],
) -> None:
    field, bombs, first = drawn
    assert not Field.restore(field.state()).dig(*first).boom
    assert not field.dig(*first).boom
    assert first not in field.bombs()
    assert len(field.bombs()) == len(bombs)
    assert len(set(field.bombs()) - set(bombs)) == (first in bombs)
    for x, y in bombs:
        assert field.dig(x, y).boom or (x, y) == first or (x, y) not in field.bombs()


@given(first_digs())
def test_only_a_dig_with_an_effect_is_the_first(drawn: tuple[Field, list[tuple[int, int]], tuple[int, int]]) -> None:
    field, bombs, (x, y) = drawn
    field.flag(x, y)
    field.dig(x, y)  # flagged: nothing happens
    field.dig(-1, 0)
    assert sorted(field.bombs()) == sorted(bombs)
    field.deflag(x, y)
    assert not field.dig(x, y).boom


@given(first_digs())
def test_the_bomb_moves_to_the_same_place_in_every_copy(
    drawn: tuple[Field, list[tuple[int, int]], tuple[int, int]],
) -> None:
    field, _, first = drawn
    twins = [field.copy(), Field.restore(field.state()), field]
    for twin in twins:
        twin.dig(*first)
    assert len({twin.state() for twin in twins}) == 1


def test_the_second_dig_can_be_a_bomb_even_after_a_restart() -> None:
    field = Field(3, 1, [(0, 0), (2, 0)])
    field.begin_safely()
    assert not field.dig(0, 0).boom
    assert Field.restore(field.state()).dig(2, 0).boom


def test_a_field_of_bombs_cannot_begin_safely() -> None:
    with pytest.raises(ValueError, match="every square has a bomb"):
        Field(1, 1, [(0, 0)]).begin_safely()


@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_a_field_is_laid_out_with_exactly_so_many_bombs_by_its_seed(
    columns: int, rows: int, data: st.DataObject
) -> None:
    bombs, seed = data.draw(st.integers(0, columns * rows)), data.draw(st.integers(0, 2**53))
    field = Field.laid_out(columns, rows, bombs, seed)
    assert (field.columns, field.rows, len(field.bombs())) == (columns, rows, bombs)
    assert Field.laid_out(columns, rows, bombs, seed).state() == field.state()
    for impossible in (-1, columns * rows + 1):
        with pytest.raises(ValueError, match="bombs, not"):
            Field.laid_out(columns, rows, impossible, seed)


def test_squares_and_booms_count_for_names() -> None:
    field = Field(5, 1, [(2, 0), (3, 0)])
    field.keep_scores()
    field.apply(Ticket(1), Connect("ann"))
    field.apply(Ticket(2), Connect("bob"))
    field.apply(Ticket(3), Dig(0, 0, 1))
    assert isinstance(field.apply(Ticket(4), Dig(2, 0, 2))[0], Exploded)
    field.apply(Ticket(5), Dig(2, 0, 1))  # dug already
    field.apply(Ticket(6), Disconnect(2))
    field.apply(Ticket(7), Connect("bob"))
    field.apply(Ticket(8), Dig(3, 0, 3))
    assert standing(field) == Standing(0, {"ann": 2, "bob": 3}, {"ann": 0, "bob": 2})
    assert standing(Field.restore(field.state())) == standing(field)


def test_digs_of_the_program_and_in_a_game_without_scores_are_nobodys() -> None:
    field = Field(2, 1, [(1, 0)])
    field.apply(Ticket(1), Connect("ann"))
    field.apply(Ticket(2), Dig(0, 0, 1))
    assert standing(field) == Standing(0, {}, {})
    counted = Field(2, 1, [(1, 0)])
    counted.keep_scores()
    counted.dig(0, 0)
    assert standing(counted) == Standing(0, {}, {})


def answered(outcomes: list[Outcome]) -> list[tuple[Ticket, object]]:
    return [(outcome.ticket, outcome.value) for outcome in outcomes if isinstance(outcome, Answered)]


def test_the_last_safe_square_answers_all_who_wait_for_the_end_and_nobody_who_has_left() -> None:
    field = Field(4, 1, [(1, 0), (2, 0)])
    revision = field.revision
    for ticket in (1, 2, 3):
        assert field.apply(Ticket(ticket), AwaitEnd()) == []
    field.apply(Ticket(2), Withdraw())
    assert field.revision == revision
    assert len(answered(list(field.apply(Ticket(4), Dig(0, 0))))) == 1
    assert len(answered(list(field.apply(Ticket(5), Dig(1, 0))))) == 1  # a boom, and it opens nothing else
    over = Standing(0, {}, {})
    assert answered(list(field.apply(Ticket(6), Dig(3, 0))))[1:] == [(Ticket(1), over), (Ticket(3), over)]
    assert answered(list(field.apply(Ticket(7), AwaitEnd()))) == [(Ticket(7), over)]


def test_a_dig_whose_bomb_opens_the_rest_ends_the_game() -> None:
    field = Field(3, 1, [(1, 0)])
    field.apply(Ticket(1), AwaitEnd())
    assert answered(list(field.apply(Ticket(2), Dig(1, 0))))[1:] == [(Ticket(1), Standing(0, {}, {}))]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("scores", {"ann": [1, 2]}),
        ("scores", {"ann": [-1, 0]}),
        ("scores", {"ann": [1]}),
        ("safe_start", 1),
        ("lines", ["d."]),
        ("lines", ["*F"]),
    ],
)
def test_a_state_that_no_contest_can_be_in_is_refused(field: str, value: object) -> None:
    contest = Field(2, 1)
    contest.keep_scores()
    contest.begin_safely()
    state = msgspec.json.decode(contest.state(), type=dict[str, object])
    assert Field.restore(msgspec.json.encode(state)).state() == contest.state()
    with pytest.raises(ValueError):  # noqa: PT011
        Field.restore(msgspec.json.encode({**state, field: value}))
