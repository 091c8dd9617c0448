"""Reader of .ipuz files (JSON), for puzzles of the kind http://ipuz.org/crossword.

Source: http://www.ipuz.org, versions 1 and 2. The structs below are the types of the decoded data. This reader does not
use the library `ipuz`. That library makes the same checks as these types, but it returns the JSON unchanged, and
rejects files of newer programs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from scramble.crossword.exchange.imported import CannotImport, Clue, Sheet, Why, plain, require_small
from scramble.crossword.grid import CellPosition, cells_from
from scramble.crossword.messages import Direction
from scramble.crossword.puzzle import MAX_SIDE

Style: TypeAlias = str | bool | dict[str, object] | None
"""Style of a square: the name of a style, or its properties."""


class _Square(msgspec.Struct, frozen=True):
    """A square of the empty puzzle with more data than a number."""

    cell: int | str | None = 0
    style: Style = None


class _Answer(msgspec.Struct, frozen=True):
    """A square of the solution with more data than a letter."""

    value: str | int | list[object] | dict[str, object] | None = None
    style: Style = None


class _Clue(msgspec.Struct, frozen=True):
    """A clue with more data than a number and a text."""

    clue: str = ""
    number: int | str | None = None
    numbers: list[object] = []
    cells: list[tuple[int, int]] = []  # (column, row), from 1, or from 0 in files of some programs
    enumeration: str | None = None


class _Ipuz(msgspec.Struct, frozen=True):
    """The fields of a file that this reader uses."""

    kind: list[str]
    puzzle: list[list[int | str | _Square | None]]
    clues: dict[str, list[str | list[object] | _Clue]] = {}
    solution: list[list[int | str | list[object] | _Answer | None]] = []
    block: int | str | None = "#"
    empty: int | str | None = 0
    styles: dict[str, Style] = {}
    title: str = ""
    author: str = ""
    copyright: str = ""
    intro: str = ""
    notes: str = ""


CROSSWORD_KIND: Final = re.compile(r"https?://(?:www\.)?ipuz\.org/crossword(?:/(\w+))?(?:#\d+)?/?")
PLAYED_ALIKE: Final = frozenset({None, "crypticcrossword", "americancrossword", "crossword"})
DIRECTIONS: Final[Mapping[str, Direction]] = {"across": "ACROSS", "down": "DOWN"}
MARKS: Final[Mapping[str, tuple[Why, str]]] = {
    "shapebg": ("circles", "a circle in a square"),
    "highlight": ("shading", "a shaded square"),
    "color": ("shading", "a shaded square"),
    "barred": ("bars", "a bar between squares"),
    "divided": ("marks", "a divided square"),
    "image": ("marks", "a picture in a square"),
    "imagebg": ("marks", "a picture in a square"),
    "label": ("marks", "a label in a square"),
    "mark": ("marks", "a mark in a square"),
    "slice": ("marks", "a picture in a square"),
    "lessthan": ("marks", "a sign between squares"),
    "greaterthan": ("marks", "a sign between squares"),
    "equal": ("marks", "a sign between squares"),
}
"""Style properties of a square that have a meaning, but that the board cannot show. Other properties are decoration."""

NO_ENTRY: Final[Sequence[object]] = (None, False, "", 0, "0", "ffffff", "FFFFFF", "#ffffff", "#FFFFFF", {}, [])
LONGEST_NUMBER: Final = 10  # characters


def looks_like_ipuz(data: bytes) -> bool:
    """Return True for a JSON object, also for one in a function call `ipuz(...)`."""
    return re.match(rb"(?:\xef\xbb\xbf)?\s*(?:ipuz\s*\(\s*)?\{", data) is not None


def read_ipuz(data: bytes) -> Sheet:
    """Return the puzzle in the bytes of an .ipuz file. Raises CannotImport."""
    data = data[data.index(b"{") : data.rindex(b"}") + 1] if b"}" in data else data
    try:
        file = msgspec.json.decode(data, type=_Ipuz)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = str(error)[:200]
        raise CannotImport.of("damaged", f"this is no crossword in ipuz: {reason}", reason=reason) from error
    _require_crossword(file.kind)
    require_small(len(file.puzzle), max(map(len, file.puzzle), default=0))
    if not any(any(row) for row in file.solution):
        raise CannotImport.of("no-solution", "the file has no solution")
    squares = tuple(tuple(_squares(file, row)) for row in range(len(file.puzzle)))
    starts = _starts(file)
    clues = tuple(_clues(file, starts, squares))
    intro = " ".join(part for part in (file.intro, file.notes) if part)
    return Sheet(squares, clues, file.title, file.author, file.copyright, intro)


def _require_crossword(kinds: list[str]) -> None:
    for kind in kinds:
        match = CROSSWORD_KIND.fullmatch(kind)
        if match is None or match[1] not in PLAYED_ALIKE:
            shown = kind[:100]
            raise CannotImport.of("other-kind", f"a puzzle of the kind {shown!a} cannot be played here", kind=shown)
    if not kinds:
        raise CannotImport.of("other-kind", "the file does not say that it is a crossword", kind="")


# --- squares ----------------------------------------------------------------------------------------


def _squares(file: _Ipuz, row: int) -> Iterator[str | None]:
    """Yield the right letters of a row; None for a square without a letter."""
    answers = file.solution[row] if row < len(file.solution) else []
    for column, square in enumerate(file.puzzle[row]):
        cell = row, column
        label = square.cell if isinstance(square, _Square) else square
        answer = answers[column] if column < len(answers) else None
        style = answer.style if isinstance(answer, _Answer) else None
        if isinstance(answer, _Answer):
            answer = answer.value if isinstance(answer.value, str | int | None) else [answer.value]
        if label is None or label == file.block or (answer is not None and answer == file.block):
            yield None
            continue
        for one in (square.style if isinstance(square, _Square) else None, style):
            _require_no_marks(file, cell, one)
        if isinstance(answer, list):
            words = "several letters in one square (a rebus) cannot be played here"
            raise CannotImport.at(cell, "rebus", words)
        yield "" if answer in (None, 0) else str(answer)[:100]


def _require_no_marks(file: _Ipuz, cell: CellPosition, style: Style) -> None:
    """Raise CannotImport for a style with a meaning that the board cannot show."""
    for _ in range(2):  # a named style does not name another style
        if isinstance(style, dict) and isinstance(style.get("named"), str):
            named = file.styles.get(str(style["named"]))
            style = {**(named if isinstance(named, dict) else {}), **style}
        elif isinstance(style, str):
            style = {"shapebg": "circle"} if style == "circle" else file.styles.get(style)
    if not isinstance(style, dict):
        return
    for name, (why, words) in MARKS.items():
        if style.get(name) not in NO_ENTRY:
            raise CannotImport.at(cell, why, f"{words} cannot be shown here")


def _starts(file: _Ipuz) -> dict[str, CellPosition]:
    """Return the square of each number."""
    starts: dict[str, CellPosition] = {}
    for row, line in enumerate(file.puzzle):
        for column, square in enumerate(line):
            label = square.cell if isinstance(square, _Square) else square
            if label in (None, file.block, file.empty, 0, "0", ""):
                continue
            number = _number(label)
            if number in starts:
                words = f"the number {number} stands in two squares"
                raise CannotImport.at((row, column), "damaged", words, reason=words)
            starts[number] = row, column
    return starts


def _number(label: object) -> str:
    return str(label).strip()[:LONGEST_NUMBER] if isinstance(label, str) or _is_small(label) else "?"


def _is_small(label: object) -> bool:
    return isinstance(label, int) and abs(label) < 10**LONGEST_NUMBER


# --- clues ------------------------------------------------------------------------------------------


def _clues(
    file: _Ipuz, starts: Mapping[str, CellPosition], squares: tuple[tuple[str | None, ...], ...]
) -> Iterator[Clue]:
    def is_letter(cell: CellPosition) -> bool:
        return cell[0] < len(squares) and cell[1] < len(squares[cell[0]]) and squares[cell[0]][cell[1]] is not None

    seen: set[tuple[Direction, CellPosition]] = set()
    for heading, listed in file.clues.items():
        direction = DIRECTIONS.get(plain(heading).partition(":")[0].strip().lower())
        if direction is None:
            words = f"words that run {heading[:40]!a} cannot be played here, but only across and down"
            raise CannotImport.of("strange-clue", words, clue=heading[:40])
        for given in listed:
            clue = _clue(given)
            number = "?" if clue.number is None else _number(clue.number)
            named = f"the clue {number} {direction.capitalize()}"
            if clue.numbers or number not in starts:
                words = f"{named} is for several words, or for none that begins in a square of that number"
                raise CannotImport.of("strange-clue", words, clue=number)
            cell = starts[number]
            _require_straight(clue, direction, cell, named, is_letter)
            if (direction, cell) in seen:
                raise CannotImport.of("strange-clue", f"{named} is there twice", clue=number)
            seen.add((direction, cell))
            yield Clue(direction, number, cell, _with_enumeration(clue))


def _clue(given: str | list[object] | _Clue) -> _Clue:
    match given:
        case _Clue():
            return given
        case [int() | str() as number, str() as text]:
            return _Clue(text, number)
        case [int() | str() as number, dict() as more]:
            return _Clue(str(more.get("clue", "")), number)
        case _:
            raise CannotImport.of("strange-clue", f"a clue without a number: {str(given)[:80]!a}", clue=str(given)[:80])


def _require_straight(
    clue: _Clue, direction: Direction, start: CellPosition, named: str, is_letter: Callable[[CellPosition], bool]
) -> None:
    """Raise CannotImport if a clue lists its squares, and these are not a straight line to the next block."""
    if clue.cells:
        run: list[CellPosition] = []
        for cell in cells_from(*start, direction, MAX_SIDE):
            if not is_letter(cell):
                break
            run.append(cell)
        if not any(run == [(row - first, column - first) for column, row in clue.cells] for first in (1, 0)):
            words = f"the word of {named} does not run straight on to the next block"
            raise CannotImport.of("strange-clue", words, clue=clue.number or "")


def _with_enumeration(clue: _Clue) -> str:
    """Return the text of a clue, with the lengths of the answer's parts, for example (3,4), if it has several."""
    parts = clue.enumeration or ""
    if re.fullmatch(r"\d+", parts) or not re.fullmatch(r"[\d ,\-'’.]{2,20}", parts) or clue.clue.endswith(")"):
        return clue.clue
    return f"{clue.clue} ({parts.strip()})"
