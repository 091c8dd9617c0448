"""Puzzles as immutable, consistent values, and a loader for a folder of puzzles.

The handout's consistency: words that intersect have the same letter in the common cell, words of one direction do not
overlap, and no word appears twice. In addition, the size of a puzzle is limited: see `MAX_SIDE`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from scramble.crossword.grid import CellPosition, Entry, Shape
from scramble.crossword.messages import Direction
from scramble.crossword.puzzlefile import PuzzleFileError, decode_bytes, read_text
from scramble.errors import ScrambleError

SUFFIX = ".puzzle"

MAX_SIDE = 200
"""Largest number of rows, and of columns. A page can hardly draw more than 200 x 200 cells."""

MAX_FILE_BYTES = 1 << 20  # every frame of a match carries every clue


class Violation(msgspec.Struct, frozen=True):
    """Fault of the entry number `entry`, counted from 0.

    In a conflict with an earlier entry, `words` are the earlier word and this entry's word, and `cell` is the first
    cell of the conflict. For a word that appears twice, `cell` is the first cell of the second word.
    """

    entry: int
    reason: str
    words: tuple[str, str] | None = None
    cell: CellPosition | None = None


class PuzzleError(ScrambleError):
    """Error in a puzzle. `violation` is the first fault of its entries, None if the fault is not in the entries."""

    code = "bad-puzzle"
    status = 400

    def __init__(self, reason: str, violation: Violation | None = None) -> None:
        self.reason = reason
        self.violation = violation
        super().__init__(reason)


class InconsistentPuzzle(PuzzleError):
    """Error for a conflict of two words of a puzzle. `words` are the earlier and the later word, `cell` the place."""

    code = "inconsistent-puzzle"

    def __init__(self, violation: Violation, words: tuple[str, str], cell: CellPosition) -> None:
        super().__init__(violation.reason, violation)
        self.words = words
        self.cell = cell


def find_violations(entries: Sequence[Entry]) -> tuple[Violation, ...]:
    """Return all faults of the entries, in order. Empty for a consistent puzzle.

    In each cell, a word is compared only with the first word of each direction. So the time is linear in the number of
    letters.
    """
    violations: list[Violation] = []
    seen: set[str] = set()
    covered: dict[tuple[CellPosition, Direction], tuple[int, str]] = {}  # the first word in the cell, and its letter
    for number, entry in enumerate(entries):
        fault = _find_fault(entry)
        if fault is not None:
            violations.append(Violation(number, fault))
            continue
        if entry.word in seen:
            cell = (entry.row, entry.column)
            reason = f"`{entry.word}` appears twice, the second time at {cell}"
            violations.append(Violation(number, reason, (entry.word, entry.word), cell))
        seen.add(entry.word)
        crosswise: Direction = "ACROSS" if entry.direction == "DOWN" else "DOWN"
        clashing: set[int] = set()
        for cell, letter in zip(entry.cells(), entry.word, strict=True):
            along, _ = covered.setdefault((cell, entry.direction), (number, letter))
            if along != number and along not in clashing:
                clashing.add(along)
                words = (entries[along].word, entry.word)
                reason = f"`{words[0]}` and `{words[1]}`, both {entry.direction}, overlap from {cell} on"
                violations.append(Violation(number, reason, words, cell))
            across, standing = covered.get((cell, crosswise), (number, letter))
            if standing != letter:
                words = (entries[across].word, entry.word)
                reason = f"`{words[0]}` and `{words[1]}` cross at {cell}, where `{standing}` is not `{letter}`"
                violations.append(Violation(number, reason, words, cell))
    return tuple(violations)


def _find_fault(entry: Entry) -> str | None:
    """Return the fault of one entry, without other entries; None if it has no fault."""
    if not re.fullmatch(r"[a-z\-]+", entry.word):
        return f"{entry.word!a} is not a word of the letters a to z and hyphens"
    if entry.direction not in ("DOWN", "ACROSS"):
        return f"the direction of `{entry.word}` is neither DOWN nor ACROSS"
    if entry.row < 0 or entry.column < 0:
        return f"`{entry.word}` begins at a negative row or column"
    down, across = (len(entry.word), 1) if entry.direction == "DOWN" else (1, len(entry.word))
    for side, end in (("row", entry.row + down), ("column", entry.column + across)):
        if end > MAX_SIDE:
            word = entry.word if len(entry.word) <= MAX_SIDE else entry.word[:20] + "..."
            return f"`{word}` reaches past {side} {MAX_SIDE - 1}, the last allowed {side}"
    return None if is_text(entry.clue) else f"the clue of `{entry.word}` is not Unicode text"


def is_text(string: str) -> bool:
    """Return True if UTF-8 can encode the string. UTF-8 cannot encode lone surrogates."""
    try:
        string.encode()
    except UnicodeEncodeError:
        return False
    return True


class Puzzle:
    """A crossword puzzle: an id (players choose the puzzle by it), a name, a description, and one or more entries.

    Immutable, and equal if id, name, description and entries are equal. Neither `str` nor `repr` shows its words.
    """

    # AF(id, name, description, entries) = the puzzle that players choose by `id`; its word number i, counted from 1,
    #     is entries[i - 1]
    # RI: id is printable, not empty, and neither begins nor ends with a space; there is an entry;
    #     find_violations(entries) is empty; shape == Shape(entries)
    # Safety from rep exposure: all fields are read-only and hold immutable values.

    __slots__ = ("_description", "_entries", "_id", "_name", "_shape")

    def __init__(self, id: str, name: str, description: str, entries: Sequence[Entry]) -> None:
        """Make a puzzle. Raises `InconsistentPuzzle` if two words conflict, `PuzzleError` for any other fault."""
        if not id or not id.isprintable() or id != id.strip():
            raise PuzzleError("a puzzle's id must be printable text, since players type it to choose the puzzle")
        if not (is_text(name) and is_text(description)):
            raise PuzzleError("the puzzle's name or description is not Unicode text")
        if not entries:
            raise PuzzleError("a puzzle needs at least one entry")
        for violation in find_violations(entries):
            if violation.words is None or violation.cell is None:
                raise PuzzleError(violation.reason, violation)
            raise InconsistentPuzzle(violation, violation.words, violation.cell)
        self._id = id
        self._name = name
        self._description = description
        self._entries = tuple(entries)
        self._shape = Shape(self._entries)

    @property
    def id(self) -> str:
        """The id that players type to choose it."""
        return self._id

    @property
    def name(self) -> str:
        """Name, for people."""
        return self._name

    @property
    def description(self) -> str:
        """Description, for people."""
        return self._description

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Words, clues and places: the solution."""
        return self._entries

    @property
    def shape(self) -> Shape:
        """The part of the puzzle that players may see."""
        return self._shape

    @classmethod
    def parse(cls, text: str, *, id: str = "puzzle", file: str = "puzzle") -> Puzzle:
        """Parse the text of a puzzle file; `file` is its name in errors.

        Raises `PuzzleFileError` if the text is ill-formed, or the puzzle is inconsistent. The line of the error is then
        the line of the later conflicting word.
        """
        contents = read_text(text, file)
        try:
            return cls(id, contents.name, contents.description, contents.entries)
        except PuzzleError as error:
            line, column = (1, None) if error.violation is None else contents.places[error.violation.entry]
            raise PuzzleFileError(file, line, error.reason, column=column) from error

    @classmethod
    def parse_from_file(cls, path: str | os.PathLike[str]) -> Puzzle:
        """Read the puzzle in a file; its id is the file's name without `.puzzle`. Blocks.

        Raises `PuzzleFileError` like `parse`, and for a file that is too long or not UTF-8; `OSError` if the file
        cannot be read.
        """
        path = Path(path)
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise PuzzleFileError(str(path), 1, f"longer than {MAX_FILE_BYTES} bytes, the largest allowed size")
        return cls.parse(decode_bytes(data, str(path)), id=path.name.removesuffix(SUFFIX), file=str(path))

    def _value(self) -> tuple[str, str, str, tuple[Entry, ...]]:
        return (self._id, self._name, self._description, self._entries)

    def __eq__(self, other: object) -> bool:
        return self._value() == other._value() if isinstance(other, Puzzle) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._value())

    def __str__(self) -> str:
        return f"Puzzle {self._id!r}: {self._shape.rows}x{self._shape.columns}, {len(self._entries)} words"

    def __repr__(self) -> str:
        return f"<{self}>"


def load_puzzles(directory: str | os.PathLike[str]) -> tuple[tuple[Puzzle, ...], tuple[PuzzleFileError, ...]]:
    """Read all puzzles of a folder. Return the puzzles and the errors of rejected files, both by file name. Blocks.

    Reads files with the suffix `.puzzle`, but no subfolders. Raises `OSError` if the folder cannot be read. Rejects a
    file that cannot be read.
    """
    puzzles, errors = [], []
    for path in sorted(Path(directory).iterdir()):
        dangling = path.is_symlink() and not path.exists()
        if not path.name.endswith(SUFFIX) or not (path.is_file() or dangling):
            continue
        try:
            puzzles.append(Puzzle.parse_from_file(path))
        except PuzzleFileError as error:
            errors.append(error)
        except OSError as error:
            errors.append(PuzzleFileError(str(path), 1, f"cannot be read: {error.strerror or error}"))
    return tuple(puzzles), tuple(errors)
