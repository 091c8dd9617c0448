"""Import of puzzles from other programs' files, and export of matches as text.

imported = import_puzzle(data, "saturday")     # data: bytes of an .ipuz, .puz or .puzzle file; may raise CannotImport
Puzzle.parse(imported.text)                    # the text is a puzzle file of the handout

match_text(match, result)                      # a match as text, for a file
"""

from scramble.crossword.exchange.formats import MAX_IMPORT_BYTES, import_puzzle
from scramble.crossword.exchange.imported import MAX_TEXT, CannotImport, Imported
from scramble.crossword.exchange.matchtext import match_text

__all__ = ["MAX_IMPORT_BYTES", "MAX_TEXT", "CannotImport", "Imported", "import_puzzle", "match_text"]
