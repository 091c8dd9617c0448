r"""Grammar of puzzle files.

The handout's grammar:

    FILE ::= ">>" NAME DESCRIPTION "\n" ENTRY*
    NAME ::= StringIdent
    DESCRIPTION ::= String
    ENTRY ::= "("  WORDNAME ","  CLUE "," DIRECTION "," ROW "," COL ")"
    WORDNAME ::= [a-z\-]+
    CLUE ::= String
    DIRECTION ::= "DOWN" | "ACROSS"
    ROW ::= Int
    COL ::= Int
    String::= '"' ([^"\r\n\\] | '\\' [\\nrt] )* '"'
    StringIdent ::= '"' [^"\r\n\t\\]* '"'
    Int ::= [0-9]+

White space (also line ends) and comments from `//` to the end of the line are allowed between tokens and before the
first token. Only the line end after DESCRIPTION is significant: only blanks and a comment may precede it. A line ends
in `\n` or `\r\n`. A `\r` alone is white space. It ends a comment, as in Java, but it does not end the header.

The lexer is lark's contextual lexer: at each place it accepts only the tokens that the grammar allows there. So it can
distinguish a name from a description, although the two look alike; and `//` within a string is never a comment.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from functools import cache

import msgspec
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from scramble.crossword.grid import Entry
from scramble.errors import FileFormatError

GRAMMAR = r"""
start: MARK NAME DESCRIPTION HEADER_END entry*
entry: "(" WORDNAME "," CLUE "," DIRECTION "," ROW "," COL ")"

MARK: ">>"
NAME: /"[^"\r\n\t\\]*"/
DESCRIPTION: /"([^"\r\n\\]|\\[\\nrt])*"/
HEADER_END.1: /[ \t\f\v\r]*(\/\/[^\r\n]*)?\r?\n/
WORDNAME: /[a-z\-]+/
CLUE: /"([^"\r\n\\]|\\[\\nrt])*"/
DIRECTION: "DOWN" | "ACROSS"
ROW: /[0-9]+/
COL: /[0-9]+/

WHITE_SPACE: /[ \t\f\v\r\n]+/
COMMENT: /\/\/[^\r\n]*/
%ignore WHITE_SPACE
%ignore COMMENT
"""

EXPECTED = {
    "MARK": "`>>`",
    "NAME": "the puzzle's name, in double quotes, without backslashes and tabs",
    "DESCRIPTION": "the puzzle's description, in double quotes",
    "HEADER_END": "the end of the header's line",
    "LPAR": "`(`",
    "WORDNAME": "a word of the letters a to z and hyphens",
    "CLUE": "a clue in double quotes",
    "DIRECTION": "DOWN or ACROSS",
    "ROW": "the row of the first letter, digits only",
    "COL": "the column of the first letter, digits only",
    "COMMA": "a comma",
    "RPAR": "`)`",
    "$END": "the end of the file",
}

ESCAPES = {r"\\": "\\", r"\n": "\n", r"\r": "\r", r"\t": "\t"}

MAX_NUMBER = 10**9
"""Larger numbers are read as this number: Python refuses to convert very long numbers, and no puzzle is so large."""


class PuzzleFileError(FileFormatError):
    """Error in a puzzle file: wrong grammar, or an inconsistent puzzle. It has the file, line, column and reason."""

    code = "bad-puzzle-file"


class FileContents(msgspec.Struct, frozen=True):
    """Contents of a puzzle file, before the check of its puzzle.

    `places[i]` is the (line, column), both from 1, of the word of `entries[i]`.
    """

    name: str
    description: str
    entries: tuple[Entry, ...]
    places: tuple[tuple[int, int], ...]


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR, parser="lalr", lexer="contextual")


def read_text(text: str, file: str) -> FileContents:
    """Parse the text of a puzzle file; `file` is its name, for errors.

    Raises `PuzzleFileError` with the first place that violates the grammar.
    """
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        raise _explain(error, text, file) from None
    _, name, description, _ = _tokens(tree)
    entries, places = [], []
    for entry in tree.children:
        if not isinstance(entry, Tree):
            continue
        word, clue, direction, row, column = _tokens(entry)
        entries.append(
            Entry(
                word=str(word),
                clue=_decode(clue),
                direction="DOWN" if direction == "DOWN" else "ACROSS",
                row=_number(row),
                column=_number(column),
            )
        )
        places.append((word.line or 1, word.column or 1))
    return FileContents(name[1:-1], _decode(description), tuple(entries), tuple(places))


def decode_bytes(data: bytes, file: str) -> str:
    """Decode the UTF-8 text of a file, without a leading byte order mark.

    Raises `PuzzleFileError` with the first byte that is not UTF-8.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        line, column = _position(before, len(before))
        raise PuzzleFileError(file, line, "expected UTF-8 text", column=column) from None


def _tokens(tree: Tree[Token]) -> Iterator[Token]:
    return (child for child in tree.children if isinstance(child, Token) and child.type in EXPECTED)


def _decode(string: Token) -> str:
    return re.sub(r"\\.", lambda escape: ESCAPES[escape[0]], string[1:-1])


def _number(digits: Token) -> int:
    significant = digits.lstrip("0") or "0"
    return int(significant) if len(significant) < len(str(MAX_NUMBER)) else MAX_NUMBER


def _position(text: str, offset: int) -> tuple[int, int]:
    """Return the line and column, both from 1, of the character at `offset`."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _explain(error: UnexpectedInput, text: str, file: str) -> PuzzleFileError:
    """Return an error with the expected text and the place, in plain words."""
    at_end = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    offset = len(text) if at_end or error.pos_in_stream is None else error.pos_in_stream
    # If no token matches at all, lark raises UnexpectedCharacters, otherwise UnexpectedToken.
    allowed: set[str] = error.allowed if isinstance(error, UnexpectedCharacters) else getattr(error, "expected", set())
    expected = " or ".join(words for terminal, words in EXPECTED.items() if terminal in allowed)
    if text.startswith('"', offset) and allowed & {"NAME", "DESCRIPTION", "CLUE"}:
        offset, found = _find_fault(text, offset, escapes="NAME" not in allowed)
    else:
        found = "the file ends" if offset == len(text) else _name(text[offset])
    line, column = _position(text, offset)
    return PuzzleFileError(file, line, f"expected {expected}, but {found}", column=column)


def _name(character: str) -> str:
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    return f"found `{shown}`"


def _find_fault(text: str, start: int, *, escapes: bool) -> tuple[int, str]:
    """Return the place and the reason of the fault in the string that begins at `start`."""
    good = re.compile(r'([^"\r\n\\]|\\[\\nrt])*' if escapes else r'[^"\r\n\t\\]*')
    found = good.match(text, start + 1)
    end = found.end() if found else start + 1
    if end == len(text):
        return start, "this string has no closing quote before the file ends"
    if text[end] in "\r\n":
        return start, "this string has no closing quote on its line"
    if text[end] == "\t":
        return end, "found a tab within it"
    if escapes:
        return end, r"found a backslash that begins none of the escapes \\ \n \r \t"
    return end, "found a backslash within it"
