"""The list of fuzzed inputs with their proportions. Each input or conversation has its own seed.

python -m tests.search.fuzz KIND SEED NUMBER      runs one again
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Final

import trio

from tests.search.fuzz import fronts, journals, parsers
from tests.support import HANG_S

PARSERS: Final[dict[str, tuple[Callable[[random.Random], None], int]]] = {
    "memory frame": (parsers.memory_frame, 14_000),
    "memory piece": (parsers.memory_piece, 14_000),
    "board file": (parsers.board_file, 4_000),
    "field file": (parsers.field_file, 6_000),
    "field frame": (parsers.field_frame, 12_000),
    "field line": (parsers.field_line, 16_000),
    "telnet stream": (parsers.telnet_stream, 8_000),
    "puzzle file": (parsers.puzzle_file, 1_000),
    "foreign puzzle": (parsers.foreign_puzzle, 1_000),
    "crossword line": (parsers.crossword_line, 14_000),
    "crossword session": (parsers.crossword_session, 1_000),
    "command": (parsers.command, 3_000),
    "state": (parsers.state, 4_000),
    "journal": (journals.journal, 120),
}
"""A function that tests one input without a server, and the number of inputs in the short form."""

FRONTS: Final[dict[str, tuple[Callable[[random.Random], Awaitable[int]], int]]] = {
    "memory requests": (fronts.memory_requests, 40),
    "memory frames": (fronts.memory_frames, 40),
    "field frames": (fronts.field_frames, 40),
    "crossword frames": (fronts.crossword_frames, 40),
    "telnet lines": (fronts.telnet_lines, 100),
}
"""A function that has one conversation with a front end and returns its inputs' number; the conversations' number."""

COUNTS: Final[dict[str, int]] = {kind: count for kind, (_, count) in (*PARSERS.items(), *FRONTS.items())}


class Fuzzed(AssertionError):
    """An input for which a claim does not hold, with the command to run it again."""

    def __init__(self, kind: str, seed: int, number: int) -> None:
        super().__init__(kind, seed, number)  # these arguments, so that one process can pickle the error for another

    def __str__(self) -> str:
        kind, seed, number = self.args
        return f"again: python -m tests.search.fuzz {kind!r} {seed} {number}"


def check(kind: str, seed: int, number: int) -> int:
    """Run this input or conversation, and check all claims of its kind.

    Returns the number of inputs. Raises Fuzzed from the original error.
    """
    rng = random.Random(f"{kind} {seed} {number}")
    try:
        if kind in PARSERS:
            PARSERS[kind][0](rng)
            return 1
        return trio.run(_within_reason, FRONTS[kind][0], rng)
    except Exception as error:
        raise Fuzzed(kind, seed, number) from error


async def _within_reason(talk: Callable[[random.Random], Awaitable[int]], rng: random.Random) -> int:
    with trio.fail_after(HANG_S):
        return await talk(rng)


def campaign(kind: str, seed: int) -> int:
    """Run the short form of a kind, and return the number of inputs."""
    return sum(check(kind, seed, number) for number in range(COUNTS[kind]))
