r"""Parser of board files. Pure: reads text, opens no files.

The grammar, from the handout:

    BOARD_FILE ::= ROW "x" COLUMN NEWLINE (CARD NEWLINE)+
    CARD ::= [^\s\n\r]+
    ROW ::= INT
    COLUMN ::= INT
    INT ::= [0-9]+
    NEWLINE ::= "\r"? "\n"

"A valid board file must have exactly ROW x COLUMN newline-terminated CARD lines."

The parser is strict. Sizes are ASCII digits and at least 1. The cards are in reading order: row by row from the top.
White space is Unicode white space, so a `\r` without a following `\n`, a no-break space or an ideographic space cannot
be part of a card. Text after the last line is an error. Cards are compared by code points, without normalisation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from scramble.errors import FileFormatError
from scramble.memory.validation import CARD, is_card

_SIZES: Final = re.compile(r"([0-9]+)x([0-9]+)")

MAX_SIZE_DIGITS: Final = 9  # no board has 10^9 lines; the limit is also below Python's limit on digits in int()


class BoardFileError(FileFormatError):
    """Error for a board file that does not match the grammar. It has the file, the line and the expected text."""

    code = "bad-board-file"


class BoardFile(msgspec.Struct, frozen=True):
    """The content of a board file: sizes of at least 1, and `rows * columns` cards in reading order."""

    rows: int
    columns: int
    cards: tuple[str, ...]


def decode_board_file(data: bytes, file: str) -> str:
    """Decode the UTF-8 text of a board file; keep the line ends.

    Raises:
        BoardFileError: a byte is not UTF-8. The error has the byte's line.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        bad = data[error.start]
        raise BoardFileError(file, line, f"expected UTF-8 text, found the byte 0x{bad:02X}") from error


def parse_board_file(text: str, file: str = "<text>") -> BoardFile:
    """Parse the text of a board file. `file` is only a name for error messages.

    Raises:
        BoardFileError: `text` is not a BOARD_FILE of exactly ROW x COLUMN cards.
    """
    lines = text.split("\n")
    rest = lines.pop()  # the text after the last newline: empty in a valid file
    lines = [line.removesuffix("\r") for line in lines]  # NEWLINE ::= "\r"? "\n"
    if not lines:
        raise BoardFileError(file, 1, f'expected ROWxCOLUMN and a newline, such as "3x3", found {_shown(rest)}')
    rows, columns = _parse_sizes(lines[0], file)
    wanted = rows * columns
    cards = lines[1:]
    for number, card in enumerate(cards[:wanted], start=2):
        if not is_card(card):
            raise _not_a_card(file, number, card)
    size = f"{rows}x{columns} = {wanted} cards"
    if len(cards) > wanted:
        raise BoardFileError(file, wanted + 2, f"expected nothing after {size}, found {_shown(cards[wanted])}")
    after = len(lines) + 1
    if rest and len(cards) == wanted:
        raise BoardFileError(file, after, f"expected nothing after {size}, found {_shown(rest)}")
    if rest:
        if not is_card(rest):
            raise _not_a_card(file, after, rest)
        raise BoardFileError(file, after, "expected a newline after the card, found the end of the file")
    if len(cards) < wanted:
        raise BoardFileError(file, after, f"expected {size}, found the end of the file after {len(cards)}")
    return BoardFile(rows, columns, tuple(cards))


def format_board_file(rows: int, columns: int, cards: Sequence[str]) -> str:
    r"""Return the BOARD_FILE text of these values, with `\n` as newline. This is the inverse of `parse_board_file`.

    Raises:
        ValueError: a size is below 1, there are not `rows * columns` cards, or a string is not a card.
    """
    if rows < 1 or columns < 1:
        raise ValueError(f"a board has at least 1 row and 1 column, not {rows}x{columns}")
    if len(cards) != rows * columns:
        raise ValueError(f"a {rows}x{columns} board has {rows * columns} cards, not {len(cards)}")
    for card in cards:
        if not is_card(card):
            raise ValueError(f"{card!r} is not a card")
    return "".join(f"{line}\n" for line in (f"{rows}x{columns}", *cards))


def _parse_sizes(line: str, file: str) -> tuple[int, int]:
    match = _SIZES.fullmatch(line)
    if match is None:
        why = ", after a byte order mark that does not belong there" if line.startswith("\ufeff") else ""
        raise BoardFileError(file, 1, f'expected ROWxCOLUMN, such as "3x3", found {_shown(line)}{why}')
    sizes = []
    for name, digits in zip(("row", "column"), match.groups(), strict=True):
        significant = digits.lstrip("0")
        if not significant:
            raise BoardFileError(file, 1, f"expected at least 1 {name}, found 0")
        if len(significant) > MAX_SIZE_DIGITS:
            raise BoardFileError(file, 1, f"expected fewer {name}s, found a number of {len(significant)} digits")
        sizes.append(int(significant))
    return sizes[0], sizes[1]


def _not_a_card(file: str, line: int, text: str) -> BoardFileError:
    """Return the error for an invalid card, with the column of the first invalid character."""
    if not text:
        return BoardFileError(file, line, "expected a card, found an empty line", column=1)
    good = CARD.match(text)
    column = good.end() + 1 if good else 1
    what = "white space" if text[column - 1].isspace() else "a character that UTF-8 cannot encode"
    return BoardFileError(
        file, line, f"expected a card without white space, found {what} in {_shown(text)}", column=column
    )


def _shown(text: str) -> str:
    """Return `text` in quotes, escaped and shortened for an error message."""
    return repr(text) if len(text) <= 40 else f"{text[:40]!r}..."
