"""The FILE grammar: valid files, invalid files, and the reported place of a fault.

Testing strategy. Partitions, and the tests that cover them by name:

- sizes: 1, several; width and height equal, different; leading zeros; zero, absurd, absurdly long, missing, signed:
  test_sizes_...
- newlines: each of the three, mixed, doubled, missing at the end; other line separators: test_newlines_...
- lines: too few, no lines, too many, an empty line at the end: test_lines_...
- values: valid; too few, too many, other digits, signs, letters; spaces doubled, leading, trailing, tabs; empty line;
  not ASCII, not UTF-8: test_values_...
- place: the error names the first wrong line: test_the_first_fault_...
- any file: a file of the grammar is read correctly, and one inserted byte is always noticed: test_any_...
- the examples in boards/minesweeper: test_the_examples_...
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.minesweeper import Field
from scramble.minesweeper.fieldfile import FieldFile, FieldFileError, parse_field_file

BOARDS = Path(__file__).parents[3] / "boards" / "minesweeper"


def fault(data: bytes) -> FieldFileError:
    """Return the error for this file."""
    with pytest.raises(FieldFileError) as caught:
        parse_field_file(data, "bad.txt")
    assert caught.value.file == "bad.txt"
    assert str(caught.value).startswith(f"bad.txt:{caught.value.line}:")
    assert str(caught.value).isprintable()
    return caught.value


# --- valid files ---


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"1 1\n0\n", (b"0",)),
        (b"1 1\n1\n", (b"1",)),
        (b"3 1\n0 1 0\n", (b"010",)),
        (b"1 3\n0\n1\n1\n", (b"0", b"1", b"1")),
        (b"4 3\n0 0 0 0\n0 0 1 0\n0 0 0 0\n", (b"0000", b"0010", b"0000")),
    ],
)
def test_sizes_are_columns_and_then_rows(data: bytes, lines: tuple[bytes, ...]) -> None:
    plan = parse_field_file(data)
    assert plan == FieldFile(lines)
    assert (plan.columns, plan.rows) == (len(lines[0]), len(lines))


def test_sizes_may_have_leading_zeros() -> None:
    assert parse_field_file(b"02 " + b"0" * 5000 + b"1\n0 1\n") == FieldFile((b"01",))


@pytest.mark.parametrize("newlines", [b"\n\n\n", b"\r\r\r", b"\r\n\r\n\r\n"])
def test_newlines_are_any_of_the_three(newlines: bytes) -> None:
    each = newlines[: len(newlines) // 3]
    assert parse_field_file(each.join([b"2 2", b"0 1", b"1 0", b""])) == FieldFile((b"01", b"10"))


def test_newlines_may_be_mixed() -> None:
    assert parse_field_file(b"2 3\r0 1\r\n1 0\n1 1\r") == FieldFile((b"01", b"10", b"11"))


# --- invalid files ---


@pytest.mark.parametrize("sizes", [b"0 3", b"3 0", b"0 0", b"000 3"])
def test_sizes_are_not_zero(sizes: bytes) -> None:
    error = fault(sizes + b"\n0 0 0\n")
    assert (error.line, error.reason) == (1, "expected at least one column and one row")


@pytest.mark.parametrize(
    "sizes",
    [b"1" + b"0" * 30 + b" 1", b"1 1" + b"0" * 30, b"9" * 5000 + b" " + b"9" * 5000, b"100000 1001", b"999999999 1"],
)
def test_sizes_beyond_any_memory_are_an_error_at_once(sizes: bytes) -> None:
    error = fault(sizes + b"\n0\n")
    assert (error.line, error.reason) == (1, "expected at most 100000000 squares")


@pytest.mark.parametrize(
    "first",
    [
        b"",
        b"4",
        b"4 ",
        b" 4 3",
        b"4 3 ",
        b"4  3",
        b"4\t3",
        b"4,3",
        b"+4 3",
        b"-4 3",
        b"4 3 2",
        b"4.0 3",
        b"x y",
        "٤ ٣".encode(),
        b"4\x003",
        b"\xff",
        b"\xef\xbb\xbf4 3",
    ],
)
def test_sizes_are_two_integers_and_a_space(first: bytes) -> None:
    error = fault(first + b"\n0 0 0 0\n0 0 1 0\n0 0 0 0\n")
    assert error.line == 1
    assert error.reason.startswith("expected two sizes, columns and rows, with a single space between them, not '")


def test_sizes_are_missing_from_an_empty_file() -> None:
    assert fault(b"").line == 1


@pytest.mark.parametrize("separator", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\n\n", "\r\r", "\r\n\r\n", "\n\r"])
def test_newlines_are_nothing_else(separator: str) -> None:
    fault(f"2 2\n0 1{separator}1 0\n".encode())


@pytest.mark.parametrize(("data", "column"), [(b"2 1\n0 1", 4), (b"1 2\r1\r0", 2)])
def test_newlines_end_the_last_line_too(data: bytes, column: int) -> None:
    error = fault(data)
    assert (error.line, error.column) == (data.count(b"\n") + data.count(b"\r") + 1, column)
    assert error.reason == "expected a newline at the end of the line"


@pytest.mark.parametrize("data", [b"2 3\n", b"2 3", b"2 3\n0 1\n", b"2 3\n0 1\n1 0\n"])
def test_lines_may_not_be_too_few(data: bytes) -> None:
    error = fault(data)
    present = len(data.splitlines())
    assert error.line == present + 1
    assert error.reason == f"expected 3 lines of values, but the file ends after {present - 1}"


@pytest.mark.parametrize("more", [b"\n", b"\r", b"\r\n", b"0 1\n", b"0 1", b" ", b"\x00", b"\n\n\n"])
def test_lines_may_not_be_too_many(more: bytes) -> None:
    error = fault(b"2 1\n0 1\n" + more)
    assert (error.line, error.reason) == (3, "expected nothing after 1 lines of values")


@pytest.mark.parametrize(
    ("line", "column"),
    [
        (b"", 1),
        (b"0 1", 4),
        (b"0 1 ", 5),
        (b"0 1 0 1", 6),
        (b"0 1 0 ", 6),
        (b" 0 1 0", 1),
        (b"0  1 0", 3),
        (b"0\t1 0", 2),
        (b"0 2 0", 3),
        (b"0 10 ", 4),
        (b"0 -1 0", 3),
        (b"0 x 0", 3),
        (b"0,1,0", 2),
        (b"01 0 ", 2),
        (b"010", 2),
        ("0 1 ٠".encode(), 5),
        (b"0 1 \xff", 5),
        (b"0 1\x000", 4),
    ],
)
def test_values_are_the_exact_number_of_zeros_and_ones_with_single_spaces(line: bytes, column: int) -> None:
    error = fault(b"3 3\n0 1 0\n" + line + b"\n0 1 0\n")
    assert (error.line, error.column) == (3, column)
    assert error.reason.startswith("expected exactly 3 values of 0 or 1 with single spaces between them, not '")


def test_the_first_fault_is_named() -> None:
    assert fault(b"2 5\n0 1\n0 2\n0 3").line == 3


def test_the_first_fault_is_quoted_no_longer_than_fits() -> None:
    assert len(str(fault(b"2 1\n" + b"\xff" * 10_000 + b"\n"))) < 300


@st.composite
def files(draw: st.DrawFn) -> tuple[FieldFile, bytes]:
    """Draw a plan and a file that describes it."""
    columns, rows = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    lines = draw(st.lists(st.binary(min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    plan = FieldFile(tuple(bytes(b"01"[byte & 1] for byte in line) for line in lines))
    texts = [f"{columns} {rows}", *(" ".join(line.decode()) for line in plan.lines)]
    return plan, "".join(text + draw(st.sampled_from(["\n", "\r", "\r\n"])) for text in texts).encode()


@given(files())
def test_any_file_of_the_grammar_is_read_as_it_was_written(file: tuple[FieldFile, bytes]) -> None:
    plan, data = file
    assert parse_field_file(data) == plan


@given(files(), st.data())
def test_any_file_with_a_byte_too_many_after_its_first_line_is_rejected(
    file: tuple[FieldFile, bytes], data: st.DataObject
) -> None:
    text = file[1].replace(b"\r\n", b"\n").replace(b"\r", b"\n")  # so that no byte can make one NEWLINE longer
    place = data.draw(st.integers(text.index(b"\n") + 1, len(text)))
    byte = data.draw(st.binary(min_size=1, max_size=1).filter(lambda byte: byte != b"\r"))
    fault(text[:place] + byte + text[place:])


@pytest.mark.parametrize(
    ("name", "columns", "rows", "bombs"),
    [("example", 4, 3, 1), ("beginner", 9, 9, 10), ("intermediate", 16, 16, 40), ("expert", 30, 16, 99)],
)
def test_the_examples_have_the_sizes_and_bombs_that_they_are_known_for(
    name: str, columns: int, rows: int, bombs: int
) -> None:
    field = Field.parse_from_file(BOARDS / f"{name}.txt")
    assert (field.columns, field.rows, len(field.bombs())) == (columns, rows, bombs)
