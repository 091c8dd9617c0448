"""The handout's grammar of a field file, strictly:

    FILE ::= BOARD LINE+
    BOARD := X SPACE Y NEWLINE
    LINE ::= (VAL SPACE)* VAL NEWLINE
    VAL ::= 0 | 1
    X ::= INT
    Y ::= INT
    SPACE ::= " "
    NEWLINE ::= "\\n" | "\\r" "\\n"?
    INT ::= [0-9]+

After the first line come exactly Y lines of exactly X values, 1 for a bomb, and then nothing. So every line ends
with a NEWLINE, the last one too. Decided where the handout is silent: X and Y may have leading zeros, and neither
is zero; a field has at most `MAX_SQUARES` squares.

Pure: reads no files.
"""

from __future__ import annotations

import re

import msgspec

from scramble.errors import FileFormatError

MAX_SQUARES = 100_000_000  # a field keeps 4 bytes a square: 400 MB; sizes beyond are mistakes


class FieldFileError(FileFormatError):
    """A field file that its grammar rejects: which file, which line, what was expected there."""

    code = "bad-field"


class Plan(msgspec.Struct, frozen=True):
    """Where the bombs of a field are: `lines[y][x]` is the byte "1" for a bomb and "0" for none.

    There is at least one line; all are equally long, and not empty.
    """

    lines: tuple[bytes, ...]

    @property
    def columns(self) -> int:
        """How many squares there are in a row: X."""
        return len(self.lines[0])

    @property
    def rows(self) -> int:
        """How many rows there are: Y."""
        return len(self.lines)


_SIZES = re.compile(rb"([0-9]+) ([0-9]+)")
_VALUES = re.compile(rb"(?:[01] )*[01]?")  # the longest beginning of a LINE, to find where a bad one goes wrong


def parse(data: bytes, file: str = "<field>") -> Plan:
    """Parse a whole file.

    Args:
        data: the file's bytes. Every character of the grammar is ASCII, so anything else is out of place.
        file: the name to give in errors.

    Raises:
        FieldFileError: the file does not match the grammar, at the line where it first does not.
    """
    lines = data.splitlines()  # of bytes, not of str: these end at \n, \r and \r\n, and at nothing else
    columns, rows = _parse_sizes(lines[0] if lines else b"", file)
    values = lines[1 : rows + 1]
    bombs = tuple(_parse_values(line, columns, file, number) for number, line in enumerate(values, start=2))
    if len(values) < rows:
        reason = f"expected {rows} lines of values, but the file ends after {len(values)}"
        raise FieldFileError(file, len(lines) + 1, reason)
    if len(lines) > rows + 1:
        raise FieldFileError(file, rows + 2, f"expected nothing after {rows} lines of values")
    if not data.endswith((b"\n", b"\r")):
        raise FieldFileError(file, len(lines), "expected a newline at the end of the line", column=len(lines[-1]) + 1)
    return Plan(bombs)


def _parse_sizes(line: bytes, file: str) -> tuple[int, int]:
    match = _SIZES.fullmatch(line)
    if match is None:
        reason = f"expected two sizes, columns and rows, with a single space between them, not {_excerpt(line)}"
        raise FieldFileError(file, 1, reason)
    sizes = []
    for digits in match.groups():
        significant = digits.lstrip(b"0")
        if not significant:
            raise FieldFileError(file, 1, "expected at least one column and one row")
        if len(significant) > len(str(MAX_SQUARES)):  # before int(), which is slow on and then refuses long numbers
            raise FieldFileError(file, 1, f"expected at most {MAX_SQUARES} squares")
        sizes.append(int(significant))
    columns, rows = sizes
    if columns * rows > MAX_SQUARES:
        raise FieldFileError(file, 1, f"expected at most {MAX_SQUARES} squares")
    return columns, rows


def _parse_values(line: bytes, columns: int, file: str, number: int) -> bytes:
    values = line[::2]
    # Two checks of the whole line are several times faster than a pattern over every value.
    if len(line) == 2 * columns - 1 and not values.translate(None, b"01") and not line[1::2].translate(None, b" "):
        return values
    good = _VALUES.match(line)
    column = min(good.end() if good else 0, 2 * columns - 1) + 1
    reason = f"expected exactly {columns} values of 0 or 1 with single spaces between them, not {_excerpt(line)}"
    raise FieldFileError(file, number, reason, column=column)


def _excerpt(line: bytes) -> str:
    """The line, or its beginning, fit to print on one."""
    return repr(line[:40].decode("ascii", "backslashreplace")) + ("..." if len(line) > 40 else "")
