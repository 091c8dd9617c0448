"""Reader of .puz files, the format of Across Lite. It uses the module `puz` of the library `puzpy`."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from scramble.crossword.exchange.imported import CannotImport, Clue, Sheet, require_small

if TYPE_CHECKING:
    import puz

PUZ_MAGIC: Final = b"ACROSS&DOWN"

PUZ_BLOCK: Final = "."
DIAGRAMLESS: Final = 0x0401  # the type of a puzzle without a diagram
DIAGRAMLESS_BLOCK: Final = ":"
NOT_PROVIDED: Final = 0x0002
CIRCLED: Final = 0x80
NO_LETTERS: Final = ".:-Xx"  # a file without a solution has only X, or only hyphens, in its white squares

BAD_FILE: Final = (ValueError, IndexError, KeyError, struct.error)
"""The errors of the library for a truncated or damaged file, in addition to its own error class."""


def read_puz(data: bytes) -> Sheet:
    """Return the puzzle in the bytes of a .puz file. Raises CannotImport."""
    import puz  # imported here, so that a server starts without loading it

    try:
        puzzle = puz.load(data)
        require_small(puzzle.height, puzzle.width)
        _require_playable(puzzle)
        numbering = puzzle.clue_numbering()
    except (*BAD_FILE, puz.PuzzleFormatError) as error:
        reason = str(getattr(error, "message", error))[:200] or "it cannot be read"
        raise CannotImport.of("damaged", f"the .puz file is damaged: {reason}", reason=reason) from error
    across = [Clue("ACROSS", str(word.number), (word.row, word.col), word.text) for word in numbering.across]
    down = [Clue("DOWN", str(word.number), (word.row, word.col), word.text) for word in numbering.down]
    return Sheet(
        squares=tuple(
            tuple(None if it == PUZ_BLOCK else it for it in puzzle.solution[start : start + puzzle.width])
            for start in range(0, len(puzzle.solution), puzzle.width)
        ),
        clues=(*across, *down),
        title=puzzle.title,
        author=puzzle.author,
        rights=puzzle.copyright,
        intro=puzzle.notes,
    )


def _require_playable(puzzle: puz.Puzzle) -> None:
    """Raise CannotImport for a puzzle without a solution, or with more than one letter per square."""
    if len(puzzle.solution) != puzzle.width * puzzle.height:
        raise CannotImport.of("damaged", "the .puz file ends within its grid", reason="cut short")
    if puzzle.puzzletype == DIAGRAMLESS or DIAGRAMLESS_BLOCK in puzzle.solution:
        raise CannotImport.of("other-kind", "a diagramless puzzle cannot be played here", kind="diagramless")
    if puzzle.is_solution_locked():
        words = "the solution is locked: unlock it with its key in another program, and save it again"
        raise CannotImport.of("locked", words)
    if puzzle.solution_state & NOT_PROVIDED or not puzzle.solution.strip(NO_LETTERS):
        raise CannotImport.of("no-solution", "the file has no solution")
    if any(puzzle.extensions.get(b"GRBS", b"")):
        square = next(place for place, rebus in enumerate(puzzle.extensions[b"GRBS"]) if rebus)
        words = "several letters in one square (a rebus) cannot be played here"
        raise CannotImport.at(divmod(square, puzzle.width), "rebus", words)
    for square, marks in enumerate(puzzle.extensions.get(b"GEXT", b"")):
        if marks & CIRCLED:
            words = "a circle in a square cannot be shown here"
            raise CannotImport.at(divmod(square, puzzle.width), "circles", words)
