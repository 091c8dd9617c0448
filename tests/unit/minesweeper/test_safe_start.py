"""The beginning of a field: its number of bombs, and the safe first dig.

Testing strategy. Hypothesis draws fields from empty to almost full, and the square of the first dig.

- safe start: the first dig is never a bomb; its neighbours have no bombs as far as other squares have room; the number
  of bombs stays, and bombs further away do not move; flags, digs without effect and chords do not count as the first
  dig; the second dig may hit a bomb; a copy and a restarted game have the same field after the same first dig
- a field with the safe start of an earlier version: only the bomb that is hit moves, to the same place as in that
  version
- random fields by a number of bombs and a seed: every possible number, and numbers above that; by a density: 0, 1, the
  number of bombs near its mean, the handout's density, and invalid probabilities
"""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.minesweeper import Field
from scramble.minesweeper.messages import Place


@st.composite
def first_digs(draw: st.DrawFn) -> tuple[Field, list[Place], Place]:
    """Draw a field with a safe start, its bombs, and the square of the first dig."""
    columns, rows = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    squares = [(x, y) for y in range(rows) for x in range(columns)]
    bombs = draw(st.lists(st.sampled_from(squares), max_size=len(squares) - 1, unique=True))
    field = Field(columns, rows, bombs)
    field.begin_safely()
    return field, bombs, draw(st.sampled_from(squares))


def as_before(field: Field) -> Field:
    """Return the same field with the safe start of an earlier version."""
    state = msgspec.json.decode(field.state(), type=dict[str, object])
    return Field.restore(msgspec.json.encode({**state, "safe_start": True}))


@given(first_digs())
def test_the_first_dig_and_its_neighbours_have_no_bomb_as_far_as_there_is_room(
    drawn: tuple[Field, list[Place], Place],
) -> None:
    field, bombs, (x, y) = drawn
    inside = {(i, j) for i in range(x - 1, x + 2) for j in range(y - 1, y + 2)}
    inside &= {(i, j) for i in range(field.columns) for j in range(field.rows)}
    room = field.columns * field.rows - len(inside) - len(set(bombs) - inside)
    assert not field.dig(x, y).boom
    found = set(field.bombs())
    assert (x, y) not in found
    assert len(found) == len(bombs)
    assert found >= set(bombs) - inside
    assert len(found & inside) == max(0, len(set(bombs) & inside) - room)


@given(first_digs())
def test_only_a_dig_with_an_effect_is_the_first(drawn: tuple[Field, list[Place], Place]) -> None:
    field, bombs, (x, y) = drawn
    field.flag(x, y)
    field.dig(x, y)  # flagged: nothing happens
    field.dig(-1, 0)
    field.chord(x, y)
    assert sorted(field.bombs()) == sorted(bombs)
    field.deflag(x, y)
    field.chord(x, y)
    assert sorted(field.bombs()) == sorted(bombs)
    assert not field.dig(x, y).boom


@given(first_digs(), st.booleans())
def test_the_bombs_move_to_the_same_places_in_every_copy(drawn: tuple[Field, list[Place], Place], before: bool) -> None:
    field, _, first = drawn
    field = as_before(field) if before else field
    twins = [field.copy(), Field.restore(field.state()), field]
    for twin in twins:
        twin.dig(*first)
    assert len({twin.state() for twin in twins}) == 1


def test_the_places_of_moved_bombs_are_the_same_in_every_version() -> None:
    field = Field(8, 4, [(x, y) for x in range(3) for y in range(3)])
    field.begin_safely()
    field.dig(1, 1)
    assert field.bombs() == MOVED


MOVED = [(3, 0), (4, 0), (5, 0), (3, 1), (5, 2), (2, 3), (3, 3), (4, 3), (6, 3)]


@given(first_digs())
def test_a_first_dig_of_an_earlier_version_moves_only_the_bomb_that_it_hits(
    drawn: tuple[Field, list[Place], Place],
) -> None:
    fresh, bombs, first = drawn
    field = as_before(fresh)
    assert not field.dig(*first).boom
    assert len(field.bombs()) == len(bombs)
    assert len(set(field.bombs()) - set(bombs)) == (first in bombs)


def test_an_earlier_version_moved_a_bomb_by_half_of_the_field() -> None:
    field = Field(3, 2, [(0, 0), (0, 1)])
    field.begin_safely()
    field = as_before(field)
    field.dig(0, 0)
    assert field.bombs() == [(0, 1), (1, 1)]


def test_the_second_dig_can_be_a_bomb_even_after_a_restart() -> None:
    field = Field(4, 1, [(0, 0), (3, 0)])
    field.begin_safely()
    assert not field.dig(0, 0).boom
    assert Field.restore(field.state()).dig(3, 0).boom


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


@pytest.mark.parametrize("seed", [3, None])
@pytest.mark.parametrize("density", [0.0, 0.001, 0.25, 0.5, 0.7, 1.0])
def test_a_density_is_the_share_of_squares_with_a_bomb(density: float, seed: int | None) -> None:
    bombs = len(Field.random(1000, 200, seed, density=density).bombs())
    assert abs(bombs - 200_000 * density) <= 2000  # at least ten standard deviations


def test_a_seed_and_a_density_always_make_the_same_field() -> None:
    assert Field.random(9, 7, 3, density=0.3).bombs() == Field.random(9, 7, 3, density=0.3).bombs()
    assert Field.random(9, 7, 3, density=0.25).bombs() == Field.random(9, 7, 3).bombs()
    for impossible in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="a density is from 0 to 1"):
            Field.random(2, 2, density=impossible)
