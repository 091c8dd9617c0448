r"""Parser of field files, strict. Pure: opens no files.

The grammar, from the handout:

    FILE ::= BOARD LINE+
    BOARD := X SPACE Y NEWLINE
    LINE ::= (VAL SPACE)* VAL NEWLINE
    VAL ::= 0 | 1
    X ::= INT
    Y ::= INT
    SPACE ::= " "
    NEWLINE ::= "\n" | "\r" "\n"?
    INT ::= [0-9]+

Exactly Y lines follow the first line, and each of them has exactly X values. The value 1 is a bomb. Text after these
lines is an error. Every line ends with a NEWLINE, also the last line. These decisions add to the handout: X and Y may
have leading zeros, and must not be zero; a field has at most `MAX_SQUARES` squares.
"""

from __future__ import annotations

import re

import msgspec

from scramble.errors import FileFormatError

MAX_SQUARES = 100_000_000  # a field takes 4 bytes per square, so 400 MB; a larger size is a mistake in the file


class FieldFileError(FileFormatError):
    """Error for a field file that does not match the grammar. It has the file, the line and the expected text."""

    code = "bad-field"


class FieldFile(msgspec.Struct, frozen=True):
    """Content of a field file: `lines[y][x]` is the byte "1" for a bomb and "0" for no bomb.

    It has at least one line. All lines are equally long and not empty.
    """

    lines: tuple[bytes, ...]

    @property
    def columns(self) -> int:
        """The number of squares in a row: X."""
        return len(self.lines[0])

    @property
    def rows(self) -> int:
        """The number of rows: Y."""
        return len(self.lines)


_SIZES = re.compile(rb"([0-9]+) ([0-9]+)")
_VALUES = re.compile(rb"(?:[01] )*[01]?")  # the longest valid beginning of a LINE, to find the column of an error


def parse_field_file(data: bytes, file: str = "<field>") -> FieldFile:
    """Parse a whole file.

    Args:
        data: the bytes of the file. Every character of the grammar is ASCII.
        file: its name in error messages.

    Raises:
        FieldFileError: the file does not match the grammar. The error has the first line that does not match.
    """
    lines = data.splitlines()  # lines of bytes end only at \n, \r and \r\n; lines of str have more line ends
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
    return FieldFile(bombs)


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
        if len(significant) > len(str(MAX_SQUARES)):  # checked before int(), because int() is slow for long numbers
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
    """Return the line or its beginning, escaped for an error message."""
    return repr(line[:40].decode("ascii", "backslashreplace")) + ("..." if len(line) > 40 else "")
