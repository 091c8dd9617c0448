"""Testing strategy: consistency of puzzles, the value type, and loading a folder.

- crossings: same letter · other letter (at the first, a middle, the last letter) · both ways
- one direction: overlap by one cell, by several, contained, identical cells · touching end to end · parallel neighbours
- words: unique · twice, crossing or far away
- limits: the last valid row and column, and the next; absurd numbers; no entries; ids
- errors: both words and the cell; in a file the line of the later word
- value: equality, hash, shape, no words in str and repr
- a folder: good, ill-formed, inconsistent, empty, not UTF-8, too long, unreadable; other file names, subfolders; the
  folder is missing
- Hypothesis: against a naive check of every pair of words
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.crossword import Entry, InconsistentPuzzle, Puzzle, PuzzleError, PuzzleFileError, Shape, load_puzzles
from scramble.crossword.messages import Direction
from scramble.crossword.puzzle import MAX_FILE_BYTES, MAX_SIDE, find_violations
from tests.support.crossword.driver import EXTENDED, SIMPLE

HEADER = '>> "n" "d"\n'


def across(word: str, row: int, column: int) -> Entry:
    return Entry(word, "clue", "ACROSS", row, column)


def down(word: str, row: int, column: int) -> Entry:
    return Entry(word, "clue", "DOWN", row, column)


def puzzle(*entries: Entry, id: str = "p") -> Puzzle:
    return Puzzle(id, "name", "description", entries)


def clash(*entries: Entry) -> tuple[tuple[str, str], tuple[int, int]]:
    with pytest.raises(InconsistentPuzzle) as failed:
        puzzle(*entries)
    for word in failed.value.words:
        assert f"`{word}`" in str(failed.value)
    assert str(failed.value.cell) in str(failed.value)
    return failed.value.words, failed.value.cell


def test_the_handouts_simple_puzzle_is_consistent() -> None:
    assert str(Puzzle.parse(SIMPLE, id="simple").shape) == ".#.\n###\n.#."


def test_the_handouts_invalid_puzzle_is_rejected_at_the_cell_of_a_and_m() -> None:
    text = SIMPLE.replace("DOWN, 0, 1", "DOWN, 0, 0")
    with pytest.raises(PuzzleFileError) as failed:
        Puzzle.parse(text, file="invalid.puzzle")
    assert str(failed.value) == "invalid.puzzle:3:3: `cat` and `mat` cross at (1, 0), where `a` is not `m`"


def test_the_handouts_overlapping_words_are_rejected_both_pairs() -> None:
    entries = (across("there", 0, 0), across("real", 0, 3), down("starting", 2, 2), down("art", 4, 2))
    assert clash(*entries) == (("there", "real"), (0, 3))
    assert [(found.entry, found.words, found.cell) for found in find_violations(entries)] == [
        (1, ("there", "real"), (0, 3)),
        (3, ("starting", "art"), (4, 2)),
    ]


@pytest.mark.parametrize(
    ("other", "cell"),
    [(across("xyz", 0, 0), (0, 0)), (across("yxz", 1, 0), (1, 0)), (across("zzx", 2, 0), (2, 0))],
)
def test_words_that_cross_at_different_letters_are_rejected(other: Entry, cell: tuple[int, int]) -> None:
    assert clash(down("cat", 0, 0), other) == (("cat", other.word), cell)
    assert clash(other, down("cat", 0, 0)) == ((other.word, "cat"), cell)


def test_words_that_cross_at_the_same_letter_are_accepted_at_every_place() -> None:
    assert puzzle(down("cat", 0, 2), across("arc", 0, 0), across("tax", 2, 2), across("bab", 1, 1)).shape.rows == 3


@pytest.mark.parametrize("other", [across("dab", 0, 3), across("ec", 0, 0), across("b", 0, 1), across("zz", 0, 2)])
def test_overlapping_words_of_one_direction_are_rejected_even_if_their_letters_agree(other: Entry) -> None:
    assert clash(across("abcd", 0, 0), other)[0] == ("abcd", other.word)


def test_words_of_one_direction_may_touch_end_to_end_and_run_side_by_side() -> None:
    assert len(puzzle(across("abc", 0, 0), across("def", 0, 3), across("ghi", 1, 1)).entries) == 3
    assert len(puzzle(down("abc", 0, 0), down("def", 3, 0), down("ghi", 1, 1)).entries) == 3


def test_two_words_of_one_letter_may_share_their_cell_crosswise() -> None:
    assert clash(across("a", 0, 0), down("a", 0, 0)) == (("a", "a"), (0, 0)), "the cell has one word twice"
    assert len(puzzle(across("a", 0, 0), down("ab", 0, 0)).entries) == 2


@pytest.mark.parametrize("second", [down("cat", 5, 5), down("cat", 0, 0), across("cat", 0, 0)])
def test_a_word_that_appears_twice_is_rejected_wherever_it_is(second: Entry) -> None:
    words, cell = clash(across("cat", 0, 0) if second != across("cat", 0, 0) else down("cat", 0, 0), second)
    assert words == ("cat", "cat")
    assert cell == (second.row, second.column)


def test_a_violation_from_a_file_has_the_line_of_the_later_word() -> None:
    text = HEADER + '(cat, "", DOWN, 0, 0)\n\n(\n  cat, "", DOWN, 9, 9)\n'
    with pytest.raises(PuzzleFileError, match="appears twice") as failed:
        Puzzle.parse(text, file="f")
    assert (failed.value.line, failed.value.column) == (5, 3)
    assert isinstance(failed.value.__cause__, InconsistentPuzzle)


def test_the_last_row_and_column_are_served_and_the_next_is_not() -> None:
    assert puzzle(down("cat", MAX_SIDE - 3, MAX_SIDE - 1)).shape.rows == MAX_SIDE
    for entry in (down("cat", MAX_SIDE - 2, 0), across("cat", MAX_SIDE, 0), across("cat", 0, MAX_SIDE - 2)):
        with pytest.raises(PuzzleError, match="the last allowed"):
            puzzle(entry)


@pytest.mark.parametrize("number", ["200", "999999999", "9" * 10_000])
def test_absurd_coordinates_are_rejected_in_a_short_sentence(number: str) -> None:
    for place in (f"{number}, 0", f"0, {number}"):
        with pytest.raises(PuzzleFileError, match="the last allowed") as failed:
            Puzzle.parse(f'{HEADER}(cat, "", DOWN, {place})')
        assert len(str(failed.value)) < 100


def test_an_absurdly_long_word_is_rejected_in_a_short_sentence() -> None:
    with pytest.raises(PuzzleFileError, match="the last allowed") as failed:
        Puzzle.parse(f'{HEADER}({"x" * 100_000}, "", DOWN, 0, 0)')
    assert len(str(failed.value)) < 150


def test_a_puzzle_without_entries_is_rejected() -> None:
    with pytest.raises(PuzzleFileError, match="at least one entry"):
        Puzzle.parse(HEADER)


@pytest.mark.parametrize(
    "entry",
    [
        across("Cat", 0, 0),
        across("", 0, 0),
        across("ca t", 0, 0),
        across("cat\n", 0, 0),
        across("cat", -1, 0),
        down("cat", 0, -1),
        Entry("cat", "\ud800", "DOWN", 0, 0),
        Entry("cat", "", cast(Direction, "UP"), 0, 0),
    ],
)
def test_an_entry_that_is_invalid_in_files_is_rejected(entry: Entry) -> None:
    with pytest.raises(PuzzleError):
        puzzle(entry)


@pytest.mark.parametrize("id", ["", " a", "a ", "a\nb", "a\x1b", "\udc80"])
def test_an_id_that_players_could_not_type_is_rejected(id: str) -> None:
    with pytest.raises(PuzzleError, match="id"):
        puzzle(across("cat", 0, 0), id=id)


def test_a_name_or_description_that_could_not_be_sent_is_rejected() -> None:
    for name, description in (("\ud800", ""), ("", "\ud800")):
        with pytest.raises(PuzzleError, match="Unicode"):
            Puzzle("p", name, description, [across("cat", 0, 0)])


def test_many_words_on_the_same_cells_are_rejected_without_comparing_each_with_each() -> None:
    entries = [across("ab", 0, 0)] + [across("a" + "b" * (n % 150), 0, 0) for n in range(1_000)]
    letters = sum(len(entry.word) for entry in entries)
    assert 1_000 <= len(find_violations(entries)) <= letters + 1_000, "more than one for each letter and each word"


def test_puzzles_are_equal_by_value() -> None:
    same = (Puzzle.parse(SIMPLE, id="a"), Puzzle.parse(SIMPLE, id="a"))
    assert same[0] == same[1]
    assert hash(same[0]) == hash(same[1])
    assert same[0] != Puzzle.parse(SIMPLE, id="b")
    assert same[0] != Puzzle.parse(EXTENDED, id="a")
    assert same[0] != "a"


def test_neither_str_nor_repr_of_a_puzzle_contains_its_words() -> None:
    shown = Puzzle.parse(SIMPLE, id="simple")
    assert str(shown) == "Puzzle 'simple': 3x3, 2 words"
    assert repr(shown) == "<Puzzle 'simple': 3x3, 2 words>"


def test_a_shape_has_the_places_but_no_letters() -> None:
    shape = Puzzle.parse(EXTENDED).shape
    assert (shape.rows, shape.columns) == (3, 4)
    assert [(word.id, word.direction, word.row, word.column, word.length) for word in shape.words] == [
        (1, "DOWN", 0, 1, 3),
        (2, "ACROSS", 1, 0, 3),
        (3, "ACROSS", 0, 1, 3),
        (4, "ACROSS", 2, 1, 3),
    ]
    assert shape.cells_of(1) == ((0, 1), (1, 1), (2, 1))
    assert shape.words_at((1, 1)) == (1, 2)
    assert shape.words_at((0, 0)) == ()
    assert shape == Shape(
        [Entry("x" * len(e.word), e.clue, e.direction, e.row, e.column) for e in Puzzle.parse(EXTENDED).entries]
    )
    assert hash(shape) == hash(Puzzle.parse(EXTENDED).shape)
    assert shape != "shape"


def test_the_grid_begins_at_0_even_if_all_words_begin_later() -> None:
    assert str(puzzle(across("ab", 1, 2)).shape) == "....\n..##"


def test_a_folder_gives_its_valid_puzzles_and_the_reasons_against_the_others(tmp_path: Path) -> None:
    (tmp_path / "fun.puzzle").write_text(SIMPLE)
    (tmp_path / "exciting stuff.puzzle").write_text(EXTENDED)
    (tmp_path / "bad.puzzle").write_text(SIMPLE.replace("DOWN, 0, 1", "DOWN, 0, 0"))
    (tmp_path / "empty.puzzle").write_text("")
    (tmp_path / "latin.puzzle").write_bytes('>> "é" ""\n'.encode("latin-1"))
    (tmp_path / "long.puzzle").write_bytes(SIMPLE.encode() + b"\n" * MAX_FILE_BYTES)
    (tmp_path / ".puzzle").write_text(SIMPLE)
    (tmp_path / "no.puzzle.txt").write_text(SIMPLE)
    (tmp_path / "upper.PUZZLE").write_text(SIMPLE)
    (tmp_path / "folder.puzzle").mkdir()
    (tmp_path / "folder.puzzle" / "inner.puzzle").write_text(SIMPLE)
    puzzles, errors = load_puzzles(tmp_path)
    assert [puzzle.id for puzzle in puzzles] == ["exciting stuff", "fun"]
    assert [(Path(error.file).name, error.line) for error in errors] == [
        (".puzzle", 1),
        ("bad.puzzle", 3),
        ("empty.puzzle", 1),
        ("latin.puzzle", 1),
        ("long.puzzle", 1),
    ]
    assert all("\n" not in str(error) for error in errors)


def test_a_file_that_cannot_be_read_is_rejected_with_the_systems_reason(tmp_path: Path) -> None:
    (tmp_path / "good.puzzle").write_text(SIMPLE)
    (tmp_path / "gone.puzzle").symlink_to(tmp_path / "nowhere")
    puzzles, errors = load_puzzles(tmp_path)
    assert [puzzle.id for puzzle in puzzles] == ["good"]
    assert [Path(error.file).name for error in errors] == ["gone.puzzle"]
    assert "cannot be read" in errors[0].reason


def test_a_missing_folder_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_puzzles(tmp_path / "nowhere")


directions: list[Direction] = ["DOWN", "ACROSS"]
small_entries = st.builds(
    Entry,
    st.text("ab", min_size=1, max_size=4),
    st.just(""),
    st.sampled_from(directions),
    st.integers(0, 4),
    st.integers(0, 4),
)


@given(st.lists(small_entries, min_size=1, max_size=5))
def test_a_puzzle_is_made_exactly_if_no_two_of_its_words_clash(entries: list[Entry]) -> None:
    def spell(entry: Entry) -> dict[tuple[int, int], str]:
        step = (1, 0) if entry.direction == "DOWN" else (0, 1)
        return {(entry.row + i * step[0], entry.column + i * step[1]): letter for i, letter in enumerate(entry.word)}

    clashes = False
    for number, first in enumerate(entries):
        for second in entries[number + 1 :]:
            common = spell(first).keys() & spell(second).keys()
            clashes |= first.word == second.word
            clashes |= bool(common) and first.direction == second.direction
            clashes |= any(spell(first)[cell] != spell(second)[cell] for cell in common)
    assert bool(find_violations(entries)) == clashes
    if clashes:
        with pytest.raises(InconsistentPuzzle):
            puzzle(*entries)
    else:
        assert puzzle(*entries).entries == tuple(entries)
