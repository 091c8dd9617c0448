r"""Conversion of a puzzle from another program into a puzzle file of the handout.

    convert(sheet)     # sheet: the contents of the file. Returns the text, or raises CannotImport with the reason.

The handout's grammar and consistency rules do not allow every puzzle. The conversion rejects these puzzles, with a
reason: a square with several letters, or with a character other than a to z and hyphen; a word that appears twice; a
square that belongs to no word. The grammar does not allow double quotes in strings. So a double quote becomes a
typographic quote.

A match numbers the words in the order of the file. An across word and a down word that begin in the same square have
two numbers. So the conversion changes the numbers in references to other clues ("See 17-Across").

Pure, and linear in the size of the file.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from scramble.crossword.grid import CellPosition, Entry, cells_from
from scramble.crossword.messages import Direction
from scramble.crossword.puzzle import MAX_SIDE, Puzzle, PuzzleError
from scramble.errors import CallerError

MAX_TEXT: Final = 100_000
"""Size limit, in characters, of a puzzle in a room, and so of an imported puzzle: a thousand words with long clues."""

MAX_TITLE: Final = 100  # characters; pages show a name in one line
MAX_IMPORTED_DESCRIPTION: Final = 400

Why: TypeAlias = Literal[
    "unknown-format",
    "too-long",
    "too-large",
    "damaged",
    "other-kind",
    "locked",
    "no-solution",
    "rebus",
    "circles",
    "shading",
    "bars",
    "marks",
    "not-a-letter",
    "no-word",
    "no-clue",
    "strange-clue",
    "word-twice",
]
"""Reason why a file cannot be imported; docs/reference/crossword.md lists the reasons."""

Label: TypeAlias = tuple[Direction, str]
"""Direction and number of a clue in the file."""


class CannotImport(CallerError):
    """Error for a file that cannot become a puzzle. Has the reason in words, and as a code in `params["why"]`."""

    code = "cannot-import"

    def __init__(self, words: str, params: Mapping[str, str | int]) -> None:
        super().__init__(words)
        self.params = params

    @classmethod
    def of(cls, why: Why, words: str, **params: str | int) -> CannotImport:
        """Make an error for this reason."""
        return cls(words, {"why": why, **params})

    @classmethod
    def at(cls, cell: CellPosition, why: Why, words: str, **params: str | int) -> CannotImport:
        """Make an error for a square. The message counts its row and column from 1."""
        row, column = cell[0] + 1, cell[1] + 1
        return cls.of(why, f"row {row}, column {column}: {words}", row=row, column=column, **params)


class Imported(msgspec.Struct, frozen=True):
    """A converted puzzle: the text of its file, and the facts that players may see before they play it."""

    text: str
    title: str
    rows: int
    columns: int
    words: int


class Clue(msgspec.Struct, frozen=True):
    """A clue of a file, for the word that begins in `cell`; `number` is its label in the file."""

    direction: Direction
    number: str
    cell: CellPosition
    text: str


class Sheet(msgspec.Struct, frozen=True):
    """The contents of a puzzle's file: `squares[row][column]` is the right letter; None is a square without one."""

    squares: tuple[tuple[str | None, ...], ...]
    clues: tuple[Clue, ...]
    title: str = ""
    author: str = ""
    rights: str = ""
    intro: str = ""


def convert(sheet: Sheet, name: str = "puzzle") -> Imported:
    """Return the puzzle as text of a puzzle file. `name` is its name if the sheet has no title. Raises CannotImport."""
    require_small(len(sheet.squares), max(map(len, sheet.squares), default=0))
    letters = _letters(sheet)
    words = [(clue, _run(letters, clue)) for clue in sorted(sheet.clues, key=_reading_order)]
    _require_all(letters, words)
    _require_unique(words)
    numbers = {(clue.direction, clue.number): number for number, (clue, _) in enumerate(words, start=1)}
    entries = [
        Entry(word, _renumbered(plain(clue.text), numbers) or "—", clue.direction, *clue.cell) for clue, word in words
    ]
    title = (_shortened(sheet.title, MAX_TITLE) or _shortened(name, MAX_TITLE)).replace("\\", "/")
    about = [plain(sheet.author), plain(sheet.rights), plain(sheet.intro)]
    description = _shortened(". ".join(part.rstrip(".") for part in about if part), MAX_IMPORTED_DESCRIPTION)
    try:
        shape = Puzzle("imported", title, description, entries).shape
    except PuzzleError as error:
        raise CannotImport.of("damaged", error.reason, reason=error.reason) from error
    text = format_puzzle(title, description, entries)
    if len(text) > MAX_TEXT:
        raise CannotImport.of("too-long", f"the puzzle has more than {MAX_TEXT:,} characters", most=MAX_TEXT)
    return Imported(text, title, shape.rows, shape.columns, len(entries))


def require_small(rows: int, columns: int) -> None:
    """Raise CannotImport if a puzzle may not have this size."""
    if not (0 < rows <= MAX_SIDE and 0 < columns <= MAX_SIDE):
        words = f"a puzzle has from 1 to {MAX_SIDE} rows and columns, and this one {rows} and {columns}"
        raise CannotImport.of("too-large", words, rows=rows, columns=columns, most=MAX_SIDE)


def format_puzzle(name: str, description: str, entries: Iterable[Entry]) -> str:
    """Return the text of a puzzle file. Texts must not have double quotes, and the name no backslashes or tabs."""
    lines = [f">> {_quoted(name)} {_quoted(description)}"]
    lines += [f"({it.word}, {_quoted(it.clue)}, {it.direction}, {it.row}, {it.column})" for it in entries]
    return "".join(f"{line}\n" for line in lines)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", r"\\").replace("\n", r"\n").replace("\r", r"\r").replace("\t", r"\t")
    return f'"{escaped}"'


# --- squares and words --------------------------------------------------------------------------------


def _letters(sheet: Sheet) -> dict[CellPosition, str]:
    letters = {}
    for row, squares in enumerate(sheet.squares):
        for column, found in enumerate(squares):
            if found is None:
                continue
            if not re.fullmatch("[A-Za-z-]", found):
                raise _not_a_letter((row, column), found)
            letters[row, column] = found.lower()
    return letters


def _not_a_letter(cell: CellPosition, found: str) -> CannotImport:
    if not found.strip():
        return CannotImport.at(cell, "no-solution", "the file does not say which letter belongs there")
    if len(found) > 1:
        words = "several letters in one square (a rebus) cannot be played here"
        return CannotImport.at(cell, "rebus", words)
    shown = found if found.isprintable() else f"U+{ord(found):04X}"
    words = f"`{shown}` is no letter from A to Z, and words have only these and hyphens"
    return CannotImport.at(cell, "not-a-letter", words, found=shown)


def _run(letters: Mapping[CellPosition, str], clue: Clue) -> str:
    """Return the word that begins at a clue's square, up to the next square without a letter."""
    found = []
    for cell in cells_from(*clue.cell, clue.direction, MAX_SIDE):
        if cell not in letters:
            break
        found.append(letters[cell])
    if not found:
        raise CannotImport.at(clue.cell, "no-word", "a clue, but no word begins there")
    row, column = clue.cell
    before = (row - 1, column) if clue.direction == "DOWN" else (row, column - 1)
    if before in letters:
        words = "a word that begins within another one of its direction (at a bar) cannot be shown here"
        raise CannotImport.at(clue.cell, "bars", words)
    return "".join(found)


def _require_all(letters: Mapping[CellPosition, str], words: Iterable[tuple[Clue, str]]) -> None:
    covered: set[CellPosition] = set()
    for clue, word in words:
        covered.update(cells_from(*clue.cell, clue.direction, len(word)))
    alone = min(letters.keys() - covered, default=None)
    if alone is not None:
        raise CannotImport.at(alone, "no-clue", "this square belongs to no word with a clue")
    if not covered:
        raise CannotImport.of("no-word", "the file has no clues, and so no words")


def _require_unique(words: Iterable[tuple[Clue, str]]) -> None:
    seen: dict[str, Clue] = {}
    for clue, word in words:
        first = seen.setdefault(word, clue)
        if first is not clue:
            places = [f"{one.number} {one.direction.capitalize()}" for one in (first, clue)]
            shown = word[:30].upper()
            said = f"`{shown}` is the solution of {places[0]} and of {places[1]}"
            raise CannotImport.of("word-twice", f"{said}, and here a word appears only once", word=shown)


def _reading_order(clue: Clue) -> tuple[CellPosition, Direction]:
    return clue.cell, clue.direction  # ACROSS before DOWN


# --- texts ------------------------------------------------------------------------------------------

MARKUP: Final = re.compile(r"</?(?:b|i|u|s|em|strong|sub|sup|span|br|p|div|font|cite|q)(?:\s[^<>]{0,200})?/?>", re.I)
REFERENCES: Final = re.compile(
    r"\b(?P<numbers>\d{1,3}(?:-?(?:, and | and |, or | or |, ?| & | / ?)\d{1,3}){0,9})(?P<link>-| )"
    r"(?P<way>Across|Down|ACROSS|DOWN|across|down)\b"
)


def plain(text: str) -> str:
    """Return a text of a file without markup, as one line of characters that a puzzle file allows."""
    text = html.unescape(MARKUP.sub(lambda tag: " " if tag[0].lower().startswith("<br") else "", text))
    text = text.encode("utf-8", "replace").decode()  # a file's name may have lone surrogates
    text = "".join(it if it.isprintable() or it.isspace() else "" for it in text)
    return re.sub(r'(^|[\s(\[“—-])"', r"\1“", " ".join(text.split())).replace('"', "”")


def _shortened(text: str, most: int) -> str:
    text = plain(text)
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _renumbered(clue: str, numbers: Mapping[Label, int]) -> str:
    """Return a clue with its references to other clues changed to the numbers that players see."""

    def changed(found: re.Match[str]) -> str:
        direction: Direction = "ACROSS" if found["way"].lower() == "across" else "DOWN"
        old = re.findall(r"\d+", found["numbers"])
        if not all((direction, number) in numbers for number in old):
            return found[0]
        new = re.sub(r"\d+", lambda number: str(numbers[direction, number[0]]), found["numbers"])
        return f"{new}{found['link']}{found['way']}"

    return REFERENCES.sub(changed, clue)
