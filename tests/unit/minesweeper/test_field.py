"""The field's operations, each on its own: look, dig, flag, deflag, and the ways to make a field.

Testing strategy. Partitions, and the tests that cover them by name:

- construction: no bombs, some, all; 1x1, one row, one column, wide; bad sizes; a bomb outside: test_a_field_...
- random: with a seed (same, another), without; density; bad sizes: test_random_...
- look: nothing dug, each character of BOARD, every count 0 to 8; after no change, after each move: test_look_...
- the place of a move: inside, each corner, just outside each side, far outside, integers of any size: test_outside_...
- dig: untouched, flagged, dug; bomb or not; count 0 or not; a neighbour is dug, flagged, untouched: test_dig_...
- flood (step 4): opens one square, a part of the field, all squares; stopped by counts, edges, flags, dug squares; from
  a dug bomb; a long path; a high field; a million squares: test_flood_...
- flag and deflag: untouched, flagged, dug: test_flag_..., test_deflag_...
- copy: a change of the copy, a change of the original: test_a_copy_...

tests/search/models compares sequences of operations on small fields with a model. test_apply.py tests `apply`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scramble.minesweeper import BoardView, Field, FieldFileError
from tests.support.minesweeper.model import Model

FAR = 10**30


def sown(*rows: str) -> Field:
    """Return the field with a bomb at each "*" of this picture."""
    bombs = [(x, y) for y, row in enumerate(rows) for x, square in enumerate(row) if square == "*"]
    return Field(len(rows[0]), len(rows), bombs)


def board(*rows: str) -> str:
    """Return the BOARD with these squares, one character each."""
    return "".join(" ".join(row) + "\n" for row in rows)


# --- making a field ---


@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (1, 4), (5, 1), (4, 3)])
def test_a_field_is_untouched_and_as_large_as_asked_for(columns: int, rows: int) -> None:
    field = Field(columns, rows, [(0, 0)])
    assert (field.columns, field.rows) == (columns, rows)
    assert str(field) == board(*["-" * columns] * rows)
    assert (field.version, field.players) == (0, ())


@pytest.mark.parametrize("bombs", [[], [(2, 1)], [(0, 0), (3, 0), (0, 2), (3, 2)]])
def test_a_field_has_its_bombs_where_they_were_put(bombs: list[tuple[int, int]]) -> None:
    assert Field(4, 3, iter(bombs)).bombs() == bombs


def test_a_bomb_that_is_named_twice_counts_once() -> None:
    assert Field(2, 1, [(0, 0), (0, 0)]).dig(1, 0).text == board("-1")


@pytest.mark.parametrize(("columns", "rows"), [(0, 1), (1, 0), (-1, 5), (5, -1), (10**30, 10**30), (100_001, 1_000)])
def test_a_field_of_an_impossible_size_is_not_made(columns: int, rows: int) -> None:
    with pytest.raises(ValueError, match="a field has at"):
        Field(columns, rows)
    with pytest.raises(ValueError, match="a field has at"):
        Field.random(columns, rows)


@pytest.mark.parametrize("bomb", [(4, 0), (0, 3), (-1, 0), (0, -1)])
def test_a_field_has_no_bomb_outside_itself(bomb: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="outside a field of 4 columns and 3 rows"):
        Field(4, 3, [bomb])


def test_a_field_of_a_file_has_the_value_i_of_line_j_at_square_i_j(tmp_path: Path) -> None:
    path = tmp_path / "field.txt"
    path.write_bytes(b"4 3\n0 0 0 0\n0 0 1 0\n0 0 0 0\n")
    field = Field.parse_from_file(path)
    assert (field.columns, field.rows, field.bombs()) == (4, 3, [(2, 1)])
    assert Field.parse("4 3\n0 0 0 0\n0 0 1 0\n0 0 0 0\n").bombs() == [(2, 1)]


def test_a_field_of_a_bad_file_is_not_made_and_the_error_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "field.txt"
    path.write_bytes(b"4 3\n0 0 0 0\n0 2 1 0\n0 0 0 0\n")
    with pytest.raises(FieldFileError) as caught:
        Field.parse_from_file(path)
    assert (caught.value.file, caught.value.line, caught.value.column) == (str(path), 3, 3)


def test_random_with_a_seed_gives_the_same_field_again_and_with_another_a_different_one() -> None:
    assert Field.random(20, 10, seed=1).bombs() == Field.random(20, 10, seed=1).bombs()
    assert Field.random(20, 10, seed=1).bombs() != Field.random(20, 10, seed=2).bombs()


def test_random_without_a_seed_gives_another_field_each_time() -> None:
    assert Field.random(40, 40).bombs() != Field.random(40, 40).bombs()


def test_random_puts_a_bomb_on_one_square_in_four() -> None:
    assert 0.24 < len(Field.random(400, 250, seed=1).bombs()) / 100_000 < 0.26


def test_random_fields_are_as_wide_and_as_high_as_asked_for() -> None:
    field = Field.random(7, 3, seed=1)
    assert (field.columns, field.rows) == (7, 3)
    assert str(field) == board("-" * 7, "-" * 7, "-" * 7)


# --- look ---


def test_look_changes_nothing_and_has_no_boom() -> None:
    field = sown(".*")
    assert field.look() == field.look() == BoardView(version=0, text=board("--"), boom=False)


@pytest.mark.parametrize("count", range(9))
def test_look_shows_a_dug_square_with_any_number_of_bombs_around_it(count: int) -> None:
    around = [(x, y) for y in range(3) for x in range(3) if (x, y) != (1, 1)]
    field = Field(3, 3, around[:count])
    field.dig(1, 1)
    assert field.look().text.splitlines()[1][2] == (str(count) if count else " ")


def test_look_has_a_space_between_squares_and_none_at_the_end_of_a_row() -> None:
    field = sown("*..", "...")
    field.flag(0, 0)
    field.dig(2, 0)
    assert field.look().text == "F 1  \n- 1  \n"


def test_look_shows_each_change_even_if_nobody_looked_between() -> None:
    field = sown("*...", "....")
    field.flag(0, 0)
    field.flag(3, 1)
    assert field.look().text == board("F---", "---F")
    field.deflag(0, 0)
    field.flag(2, 0)
    assert field.look().text == board("--F-", "---F")


# --- outside of the field ---


@pytest.mark.parametrize("move", ["dig", "flag", "deflag"])
@pytest.mark.parametrize(
    ("x", "y"), [(-1, 0), (0, -1), (4, 0), (0, 3), (-1, -1), (4, 3), (FAR, 0), (0, -FAR), (2, FAR)]
)
def test_outside_the_field_no_move_does_anything(move: str, x: int, y: int) -> None:
    field = sown("*...", "....", "...*")
    field.flag(1, 1)
    moves = {"dig": field.dig, "flag": field.flag, "deflag": field.deflag}
    assert moves[move](x, y) == field.look() == BoardView(version=1, text=board("----", "-F--", "----"))


@pytest.mark.parametrize(("x", "y"), [(0, 0), (3, 0), (0, 2), (3, 2)])
def test_every_corner_is_inside(x: int, y: int) -> None:
    field = sown("****", "****", "****")
    field.flag(x, y)
    assert field.look().text[2 * (4 * y + x)] == "F"
    field.deflag(x, y)
    assert field.dig(x, y).text[2 * (4 * y + x)] == "3"


# --- dig ---


def test_dig_opens_one_square_next_to_bombs() -> None:
    field = sown("*..", "..*")
    assert field.dig(1, 0) == BoardView(version=1, text=board("-2-", "---"))


def test_dig_of_a_flagged_square_does_nothing() -> None:
    field = sown("*.")
    field.flag(0, 0)
    assert field.dig(0, 0) == BoardView(version=1, text=board("F-"))
    assert field.bombs() == [(0, 0)]


def test_dig_of_a_dug_square_does_nothing_though_there_is_more_to_open_around_it() -> None:
    field = sown("...*")
    field.flag(1, 0)
    field.dig(0, 0)
    field.deflag(1, 0)
    assert field.dig(0, 0) == BoardView(version=3, text=board(" ---"))


def test_dig_of_a_bomb_booms_once_and_the_bomb_is_gone() -> None:
    field = sown("*.*")
    assert field.dig(0, 0) == BoardView(version=1, text=board(" 1-"), boom=True)
    assert field.bombs() == [(2, 0)]
    assert not field.dig(0, 0).boom
    assert not field.look().boom


def test_dig_of_a_bomb_among_bombs_opens_it_alone() -> None:
    field = sown("**", "..")
    assert field.dig(0, 0) == BoardView(version=1, text=board("1-", "--"), boom=True)


def test_dig_of_a_bomb_lowers_the_counts_of_dug_neighbors() -> None:
    field = sown("...", "*.*", "...")
    field.dig(1, 0)
    assert field.dig(1, 1).text == board("-2-", "-2-", "---")
    assert field.dig(0, 1) == BoardView(version=3, text=board(" 1-", " 1-", " 1-"), boom=True)


def test_dig_of_a_bomb_lowers_the_counts_that_flagged_and_untouched_neighbors_will_show() -> None:
    field = sown("....", "**.*", "....")
    field.flag(0, 0)
    assert field.dig(0, 1).text == board("F---", "1---", "----")
    field.deflag(0, 0)
    assert field.dig(0, 0).text == board("1---", "1---", "----")
    assert field.dig(0, 2).text == board("1---", "1---", "1---")


def test_dig_of_a_bomb_does_not_expand_a_dug_neighbor_whose_count_drops_to_zero() -> None:
    field = sown("..**")
    field.dig(1, 0)
    assert field.dig(2, 0) == BoardView(version=2, text=board("- 1-"), boom=True)


# --- flood ---


def test_flood_opens_everything_where_there_are_no_bombs() -> None:
    assert Field(5, 4).dig(4, 0).text == board(*[" " * 5] * 4)


def test_flood_ends_with_the_squares_that_have_bombs_around_them() -> None:
    field = sown("......", "....*.", "......", "......", "*.....")
    assert field.dig(0, 0).text == board("   1--", "   1--", "   111", "11    ", "-1    ")


def test_flood_does_not_begin_from_a_square_with_bombs_around_it() -> None:
    assert sown("...*").dig(2, 0).text == board("--1-")


def test_flood_goes_on_diagonally() -> None:
    field = sown("...*", "....", "....", "*...")
    assert field.dig(0, 0).text == board("  1-", "  11", "11  ", "-1  ")


def test_flood_leaves_flagged_squares_and_does_not_pass_them() -> None:
    field = Field(5, 2)
    field.flag(2, 0)
    field.flag(2, 1)
    assert field.dig(0, 0).text == board("  F--", "  F--")
    field.deflag(2, 1)
    assert field.dig(2, 1).text == board("  F  ", "     ")


def test_flood_does_not_pass_squares_that_were_dug_before() -> None:
    field = Field(6, 1)
    field.flag(1, 0)
    field.flag(3, 0)
    field.dig(2, 0)
    field.deflag(1, 0)
    field.deflag(3, 0)
    assert field.dig(0, 0).text == board("   ---")


def test_flood_goes_on_from_a_bomb_that_was_the_last_one_around() -> None:
    field = sown("....", ".*..", "....")
    assert field.dig(1, 1) == BoardView(version=1, text=board(*["    "] * 3), boom=True)


def test_flood_from_a_bomb_leaves_flagged_squares_and_goes_round_them() -> None:
    field = sown("...", ".*.", "...")
    field.flag(0, 0)
    field.flag(1, 0)
    assert field.dig(1, 1) == BoardView(version=3, text=board("FF ", "   ", "   "), boom=True)


def test_flood_follows_a_winding_corridor_to_its_end() -> None:
    size = 41
    walls = [y for y in range(size) if y % 6 == 5]  # with a gap at the right and left end in turn
    bombs = [(x, y) for y in walls for x in range(size) if (x < size - 5 if y % 12 == 5 else x > 4)]
    field, model = Field(size, size, bombs), Model(size, size, frozenset(bombs))
    expected = model.step("dig 0 0")[1]
    assert field.dig(0, 0).text == expected
    assert "-" not in expected.splitlines()[-1]


@pytest.mark.parametrize("columns", [1, 2, 3, 31, 32, 33])
def test_flood_opens_the_same_squares_as_the_model_for_any_number_of_columns(columns: int) -> None:
    rows = 50
    bombs = frozenset((n * 5 % columns, n * 7 % rows) for n in range(3, 3 + columns))
    model, field = Model(columns, rows, bombs), Field(columns, rows, bombs)
    for y in range(0, rows, 4):
        flag, dig = (y % columns, (y + 9) % rows), (y * 3 % columns, y)
        model, _ = model.flag(flag).dig(dig)
        field.flag(*flag)
        assert field.dig(*dig).text == model.board()


def test_flood_opens_a_million_squares() -> None:
    field = Field(1000, 1000)
    assert field.dig(500, 500) == BoardView(version=1, text=board(*[" " * 1000] * 1000))


def test_flood_opens_a_hundred_thousand_squares_in_one_column() -> None:
    assert Field(1, 100_000).dig(0, 50_000) == BoardView(version=1, text=" \n" * 100_000)


# --- flag and deflag ---


def test_flag_and_deflag_turn_an_untouched_square_to_and_fro() -> None:
    field = sown(".*", "..")
    assert field.flag(1, 0) == BoardView(version=1, text=board("-F", "--"))
    assert field.deflag(1, 0) == BoardView(version=2, text=board("--", "--"))
    assert field.dig(1, 0).boom


def test_flag_of_a_flagged_square_does_nothing() -> None:
    field = Field(2, 1)
    field.flag(1, 0)
    assert field.flag(1, 0) == BoardView(version=1, text=board("-F"))


@pytest.mark.parametrize("bombs", [[], [(1, 0)]])
def test_flag_and_deflag_of_a_dug_square_do_nothing(bombs: list[tuple[int, int]]) -> None:
    field = Field(2, 1, bombs)
    view = field.dig(0, 0)
    assert field.flag(0, 0) == field.deflag(0, 0) == view


def test_deflag_of_an_untouched_square_does_nothing() -> None:
    assert Field(2, 1).deflag(1, 0) == BoardView(version=0, text=board("--"))


# --- copy ---


def test_a_copy_and_its_original_change_independently() -> None:
    field = sown("*..")
    field.flag(0, 0)
    twin = field.copy()
    twin.deflag(0, 0)
    field.dig(2, 0)
    assert (str(twin), twin.version) == (board("---"), 2)
    assert (str(field), field.version) == (board("F1 "), 2)
    assert twin.dig(0, 0).boom
    assert field.bombs() == [(0, 0)]


def test_the_str_of_a_field_is_its_board_and_the_repr_has_its_size() -> None:
    field = sown("*.")
    field.dig(1, 0)
    assert str(field) == board("-1")
    assert repr(field) == "<Field of 2x1 squares, version 1, 0 players>"
