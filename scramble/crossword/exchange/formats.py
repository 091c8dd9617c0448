"""Formats of puzzles from other programs. The contents of a file decide its format, not its name."""

from __future__ import annotations

from typing import Final

from scramble.crossword.exchange.acrosslite import PUZ_MAGIC, read_puz
from scramble.crossword.exchange.imported import MAX_TEXT, CannotImport, Imported, convert
from scramble.crossword.exchange.ipuz import looks_like_ipuz, read_ipuz
from scramble.crossword.puzzle import Puzzle
from scramble.crossword.puzzlefile import PuzzleFileError, decode_bytes

MAX_IMPORT_BYTES: Final = 512 * 1024
"""Size limit of an imported file. The largest published puzzles have a tenth of this size."""


def import_puzzle(data: bytes, name: str = "puzzle") -> Imported:
    """Convert the contents of an .ipuz, .puz or .puzzle file; `name` is the puzzle's name if the file has none.

    Takes a few tenths of a second in the worst case, so call it in a thread, not in an event loop. Raises CannotImport.
    """
    if len(data) > MAX_IMPORT_BYTES:
        raise CannotImport.of("too-long", f"the file is longer than {MAX_IMPORT_BYTES:,} bytes", most=MAX_IMPORT_BYTES)
    if PUZ_MAGIC in data[:1024]:
        return convert(read_puz(data), name)
    if looks_like_ipuz(data):
        return convert(read_ipuz(data), name)
    if b">>" in data[:4096]:
        return _import_own(data)
    raise CannotImport.of("unknown-format", "this is neither an .ipuz nor a .puz file, and no .puzzle file either")


def _import_own(data: bytes) -> Imported:
    try:
        text = decode_bytes(data, "line")
        if len(text) > MAX_TEXT:
            raise CannotImport.of("too-long", f"the puzzle has more than {MAX_TEXT:,} characters", most=MAX_TEXT)
        puzzle = Puzzle.parse(text, file="line")
    except PuzzleFileError as error:
        raise CannotImport.of("damaged", f"line {error.line}: {error.reason}", reason=error.reason) from error
    shape = puzzle.shape
    return Imported(text, puzzle.name, shape.rows, shape.columns, len(shape.words))
