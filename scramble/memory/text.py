r"""Parsers for the parts of a request in the text protocol of Memory Scramble. Pure.

The grammar, from the handout:

    PLAYER ::= [A-Za-z0-9_]+
    CARD ::= [^\s\n\r]+
    INT ::= [0-9]+
"""

from __future__ import annotations

import re
from typing import Final

from scramble.errors import InvalidCommand
from scramble.memory.validation import NOT_A_PLAYER, is_card, is_player, not_a_card, quoted

MAX_DIGITS: Final = 18  # more than any size or version needs; below Python's limit on digits in int()

_INT: Final = re.compile(r"[0-9]+")
_SPOT: Final = re.compile(r"([0-9]+),([0-9]+)")


def parse_player(text: str) -> str:
    """Parse a player's ID. Raises InvalidCommand if it is not valid."""
    if not is_player(text):
        raise InvalidCommand(f"{quoted(text)} is not a player: {NOT_A_PLAYER}")
    return text


def parse_card(text: str) -> str:
    """Parse a card. Raises InvalidCommand if it is not valid."""
    if not is_card(text):
        raise InvalidCommand(not_a_card(text))
    return text


def parse_spot(text: str) -> tuple[int, int]:
    """Parse row and column from `INT "," INT`, also off the board. Raises InvalidCommand if the text is invalid."""
    match = _SPOT.fullmatch(text)
    if match is None:
        raise InvalidCommand(f"{quoted(text)} is not a space: expected ROW,COLUMN such as 0,2, in digits only")
    row, column = match.groups()
    return _parse_int(row), _parse_int(column)


def parse_version(text: str) -> int:
    """Parse a version of the board. Raises InvalidCommand if it is not valid."""
    if not _INT.fullmatch(text):
        raise InvalidCommand(f"{quoted(text)} is not a version: expected a whole number, in digits only")
    return _parse_int(text)


def _parse_int(digits: str) -> int:
    significant = digits.lstrip("0")
    if len(significant) > MAX_DIGITS:
        raise InvalidCommand(f"out of range: a number of {len(significant)} digits")
    return int(significant or "0")
