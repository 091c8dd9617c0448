"""Puzzles of other programs, in .ipuz and .puz files. Tests may change any part."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress

import puz

IPUZ: Mapping[str, object] = {
    "version": "http://ipuz.org/v2",
    "kind": ["http://ipuz.org/crossword#1"],
    "dimensions": {"width": 4, "height": 3},
    "title": "Pets &amp; <i>more</i>",
    "author": "Ann",
    "copyright": "\N{COPYRIGHT SIGN} 2026",
    "puzzle": [[1, 0, 2, "#"], [0, "#", 0, 3], [4, 0, 0, 0]],
    "solution": [["C", "A", "T", "#"], ["A", "#", "O", "E"], ["R", "A", "N", "G"]],
    "clues": {
        "Across": [[1, 'It says "meow"'], [4, "Sounded, almost (see 1-Across)"]],
        "Down": [
            [1, "It runs on petrol"],
            {"number": 2, "clue": "A weight", "enumeration": "3"},
            [3, "For example, 4-Across and 2-Down"],
        ],
    },
}


def ipuz_file(**changes: object) -> bytes:
    """Return the bytes of an .ipuz file with these fields changed; fields with None are left out."""
    return json.dumps({name: value for name, value in {**IPUZ, **changes}.items() if value is not None}).encode()


PUZ_ROWS = ("CAT.", "A.OE", "RANG")
PUZ_CLUES = ("It says meow", "It runs on petrol", "A weight", "Old English", "For example", "Sounded, almost")


def puz_file(
    rows: Sequence[str] = PUZ_ROWS,
    clues: Sequence[str] = PUZ_CLUES,
    *,
    extensions: Mapping[bytes, bytes] | None = None,
    kind: puz.PuzzleType = puz.PuzzleType.Normal,
    state: puz.SolutionState = puz.SolutionState.Unlocked,
    title: str = "Pets",
) -> bytes:
    """Return the bytes of a .puz file with correct checksums."""
    puzzle = puz.Puzzle()
    puzzle.title, puzzle.author, puzzle.copyright = title, "Ann", "\N{COPYRIGHT SIGN} 2026"
    puzzle.width, puzzle.height = len(rows[0]), len(rows)
    puzzle.solution = "".join(rows)
    puzzle.fill = "".join(it if it in ".:" else "-" for it in puzzle.solution)
    puzzle.clues = list(clues)
    puzzle.extensions = dict(extensions or {})
    puzzle.puzzletype, puzzle.solution_state = kind, state
    return puzzle.tobytes()


def with_checksums(data: bytes) -> bytes:
    """Return a mutated .puz file with checksums of its new contents; unchanged if it cannot be parsed any more."""
    puzzle = puz.Puzzle()
    with suppress(puz.PuzzleFormatError, ValueError, struct.error):
        puzzle.load(data)  # compares the checksums last
    try:
        return puzzle.tobytes()
    except (ValueError, AttributeError, struct.error):
        return data
