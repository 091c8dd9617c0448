"""All that is fuzzed, in the proportions in which it is, each input from a seed of its own.

python -m tests.fuzz KIND SEED NUMBER      does one input again
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from tests.fuzz import parsers

Check = Callable[[random.Random], None]

PARSERS: Final[dict[str, tuple[Check, int]]] = {
    "memory frame": (parsers.memory_frame, 14_000),
    "memory piece": (parsers.memory_piece, 14_000),
    "board file": (parsers.board_file, 4_000),
    "field file": (parsers.field_file, 6_000),
    "field frame": (parsers.field_frame, 12_000),
    "field line": (parsers.field_line, 16_000),
    "telnet stream": (parsers.telnet_stream, 8_000),
    "puzzle file": (parsers.puzzle_file, 2_000),
    "crossword line": (parsers.crossword_line, 14_000),
    "crossword session": (parsers.crossword_session, 1_500),
    "command": (parsers.command, 4_000),
    "state": (parsers.state, 4_000),
}
"""What takes one input without a server, and how many of them the short form makes."""


class Fuzzed(AssertionError):
    """An input that a claim does not hold for, and how to make it again."""

    def __init__(self, kind: str, seed: int, number: int) -> None:
        super().__init__(f"again: python -m tests.fuzz {kind!r} {seed} {number}")


def source(kind: str, seed: int, number: int) -> random.Random:
    """The random source of one input."""
    return random.Random(f"{kind} {seed} {number}")


def check(kind: str, seed: int, number: int) -> None:
    """Make that input, and see that all that is claimed of its kind holds. Raises Fuzzed, from what was raised."""
    try:
        PARSERS[kind][0](source(kind, seed, number))
    except Exception as error:
        raise Fuzzed(kind, seed, number) from error


def campaign(kind: str, seed: int, count: int) -> None:
    """The first `count` inputs of a kind."""
    for number in range(count):
        check(kind, seed, number)
