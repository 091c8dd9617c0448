"""The puzzle files of the check: the handout's puzzles, files with its grammar, and files that a server must reject."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from scramble.conform.crossword.rules import EXTENDED_DATA, SIMPLE_DATA, EntryData, PuzzleData

RARE_DATA: Final = PuzzleData(
    "rare",
    "Rare Words",
    "words that no other text has",
    [
        ("zyzzyva", "a weevil of the tropics", "ACROSS", 0, 0),
        ("yojan", "a measure of distance in India", "DOWN", 0, 1),
        ("vext-ly", "in anger, with a hyphen", "DOWN", 0, 5),
    ],
)
"""A puzzle whose words no other text has: so a server that sends a solution is found."""

PUZZLES: Final = {puzzle.id: puzzle for puzzle in (SIMPLE_DATA, EXTENDED_DATA, RARE_DATA)}


def text_of(puzzle: PuzzleData) -> str:
    """Return the puzzle as a file."""
    entries = "".join(
        f' ({word}, "{clue}", {direction}, {row}, {column})\n' for word, clue, direction, row, column in puzzle.entries
    )
    return f'>> "{puzzle.name}" "{puzzle.description}"\n{entries}'


PLAIN: Final = {f"{puzzle.id}.puzzle": text_of(puzzle) for puzzle in PUZZLES.values()}

CAT: Final[EntryData] = ("cat", "a pet", "DOWN", 0, 1)
MAT: Final[EntryData] = ("mat", "on the floor", "ACROSS", 1, 0)
CAT_LINE: Final = '(cat, "a pet", DOWN, 0, 1)'
MAT_LINE: Final = '(mat, "on the floor", ACROSS, 1, 0)'
HEAD: Final = '>> "Good" "a puzzle"\n'


class Good(NamedTuple):
    """A file that a server must load."""

    claim: str
    text: str
    says: str
    puzzle: PuzzleData
    is_open: bool = False
    """True if the handout does not surely demand it."""


def _good(
    claim: str,
    says: str,
    text: str,
    *entries: EntryData,
    name: str = "Good",
    description: str = "a puzzle",
    is_open: bool = False,
) -> Good:
    return Good(claim, text, says, PuzzleData(f"good-{claim}", name, description, entries or (CAT, MAT)), is_open)


_SPACE: Final = (
    "the file format should be mostly oblivious to whitespace except for the newline at the end of the header"
)
_COMMENT: Final = "Java-style single-line comments (such as // this is a comment) must also be supported"
_STRING: Final = r"""String ::= '"' ([^"\r\n\\] | '\\' [\\nrt] )* '"'"""
_INT: Final = "Int ::= [0-9]+"
_NAME: Final = r"WORDNAME ::= [a-z\-]+"

GOOD: Final = (
    _good("no-space", _SPACE, f'>>"Good""a puzzle"\n{CAT_LINE}{MAT_LINE}'.replace(", ", ",")),
    _good(
        "much-space",
        _SPACE,
        '\n\n \t>>  "Good" \t "a puzzle"   \n\n\n(\tcat \n,\n "a pet"\n\n, DOWN\n,0 ,\n1\n)\n\n'
        '(mat,"on the floor",ACROSS, 1,0 )\n\n  ',
    ),
    _good("entries-on-one-line", _SPACE, f"{HEAD}{CAT_LINE} {MAT_LINE}\n"),
    _good("no-newline-at-the-end", _SPACE, f"{HEAD}{CAT_LINE}\n{MAT_LINE}"),
    _good("crlf", _SPACE, f"{HEAD}{CAT_LINE}\n{MAT_LINE}\n".replace("\n", "\r\n"), is_open=True),
    _good("comment-lines", _COMMENT, f"// a comment\n{HEAD}// one more\n{CAT_LINE}\n  // and one\n{MAT_LINE}\n// last"),
    _good("comment-after-the-header", _COMMENT, f'>> "Good" "a puzzle" // a comment\n{CAT_LINE}\n{MAT_LINE}\n'),
    _good(
        "comment-in-an-entry",
        _COMMENT,
        f'{HEAD}(cat, // the (word), "so"\n "a pet", // the clue\n DOWN, 0, 1) // its end\n{MAT_LINE}\n',
    ),
    _good("comment-with-an-entry", _COMMENT, f'{HEAD}{CAT_LINE}\n// (cat, "twice", DOWN, 0, 5\n{MAT_LINE}\n'),
    _good(
        "slashes-in-a-clue",
        _STRING,
        f'{HEAD}(cat, "see http://cats.example // a pet", DOWN, 0, 1)\n{MAT_LINE}\n',
        ("cat", "see http://cats.example // a pet", "DOWN", 0, 1),
        MAT,
    ),
    _good(
        "slashes-in-the-description",
        _STRING,
        f'>> "Good" "no // comment"\n{CAT_LINE}\n{MAT_LINE}\n',
        description="no // comment",
    ),
    _good(
        "escapes",
        _STRING,
        f'{HEAD}(cat, "a\\tpet\\nor \\\\ not", DOWN, 0, 1)\n{MAT_LINE}\n',
        ("cat", "a pet or \\ not", "DOWN", 0, 1),
        MAT,
    ),
    _good(
        "brackets-and-commas-in-a-clue",
        _STRING,
        f'{HEAD}(cat, "a pet (small), >> DOWN, 0", DOWN, 0, 1)\n{MAT_LINE}\n',
        ("cat", "a pet (small), >> DOWN, 0", "DOWN", 0, 1),
        MAT,
    ),
    _good(
        "empty-name",
        r"""StringIdent ::= '"' [^"\r\n\t\\]* '"'""",
        f'>> "" "a puzzle"\n{CAT_LINE}\n{MAT_LINE}\n',
        name="",
    ),
    _good(
        "hyphens",
        _NAME,
        f'{HEAD}(c-a-t, "a pet", DOWN, 0, 1)\n(--, "two of them", ACROSS, 1, 1)\n',
        ("c-a-t", "a pet", "DOWN", 0, 1),
        ("--", "two of them", "ACROSS", 1, 1),
    ),
    _good("leading-zeros", _INT, f'{HEAD}(cat, "a pet", DOWN, 000, 01)\n{MAT_LINE}\n'),
    _good(
        "far-from-the-corner",
        _INT,
        f'{HEAD}(cat, "a pet", DOWN, 10, 12)\n',
        ("cat", "a pet", "DOWN", 10, 12),
    ),
)


class Bad(NamedTuple):
    """A file that a server must reject."""

    claim: str
    text: str
    says: str


_FILE: Final = 'FILE ::= ">>" NAME DESCRIPTION "\\n" ENTRY*'
_ENTRY: Final = 'ENTRY ::= "(" WORDNAME "," CLUE "," DIRECTION "," ROW "," COL ")"'
_OVERLAP: Final = "your consistency check should also forbid words that overlap in the same direction"

BAD: Final = (
    Bad(
        "other-letter-at-a-crossing",
        '>> "Invalid Puzzle" "A trivial buggy puzzle"\n (cat, "feline companion", DOWN, 0, 0)\n'
        ' (mat, "lounging place for feline companion", ACROSS, 1, 0)\n',
        "if two words intersect, they must intersect at the same letter",
    ),
    Bad(
        "overlap-across",
        f'{HEAD}(there, "This word is fine", ACROSS, 0, 0)\n(real, "Illegal overlap with there", ACROSS, 0, 3)\n',
        _OVERLAP,
    ),
    Bad(
        "overlap-down",
        f'{HEAD}(starting, "this word is fine", DOWN, 2, 2)\n(art, "contained within the previous word", DOWN, 4, 2)\n',
        _OVERLAP,
    ),
    Bad(
        "word-twice",
        f'{HEAD}{CAT_LINE}\n(cat, "the same word, elsewhere", ACROSS, 9, 9)\n',
        "we require all words to be unique, so the same word should not appear twice in the puzzle",
    ),
    Bad("no-mark", f'"Good" "a puzzle"\n{CAT_LINE}\n{MAT_LINE}\n', _FILE),
    Bad("no-description", f'>> "Good"\n{CAT_LINE}\n{MAT_LINE}\n', _FILE),
    Bad("no-newline-after-the-header", f'>> "Good" "a puzzle" {CAT_LINE}\n{MAT_LINE}\n', _FILE),
    Bad("text-at-the-end", f"{HEAD}{CAT_LINE}\n{MAT_LINE}\nthe end\n", _FILE),
    Bad("empty-file", "", _FILE),
    Bad("binary-file", "\0\1\2\3\x7f\n\0", _FILE),
    Bad("capital-in-a-word", f'{HEAD}(Cat, "a pet", DOWN, 0, 1)\n', _NAME),
    Bad("digit-in-a-word", f'{HEAD}(c4t, "a pet", DOWN, 0, 1)\n', _NAME),
    Bad("no-word", f'{HEAD}(, "a pet", DOWN, 0, 1)\n', _ENTRY),
    Bad("no-comma", f'{HEAD}(cat "a pet", DOWN, 0, 1)\n', _ENTRY),
    Bad("no-bracket-at-the-end", f'{HEAD}(cat, "a pet", DOWN, 0, 1\n', _ENTRY),
    Bad("no-clue", f"{HEAD}(cat, DOWN, 0, 1)\n", _ENTRY),
    Bad("no-column", f'{HEAD}(cat, "a pet", DOWN, 0)\n', _ENTRY),
    Bad("direction-in-small-letters", f'{HEAD}(cat, "a pet", down, 0, 1)\n', 'DIRECTION ::= "DOWN" | "ACROSS"'),
    Bad("negative-row", f'{HEAD}(cat, "a pet", DOWN, -1, 1)\n', _INT),
    Bad("row-with-a-point", f'{HEAD}(cat, "a pet", DOWN, 0.5, 1)\n', _INT),
    Bad("open-string", f'{HEAD}(cat, "a pet, DOWN, 0, 1)\n', _STRING),
    Bad("newline-in-a-clue", f'{HEAD}(cat, "a\npet", DOWN, 0, 1)\n', _STRING),
    Bad("unknown-escape", f'{HEAD}(cat, "a \\pet", DOWN, 0, 1)\n', _STRING),
    Bad(
        "escape-in-the-name",
        f'>> "Go\\\\od" "a puzzle"\n{CAT_LINE}\n',
        r"""StringIdent ::= '"' [^"\r\n\t\\]* '"'""",
    ),
    Bad("one-slash", f"{HEAD}/ no comment\n{CAT_LINE}\n", _COMMENT),
)

FOLDERS: Final = {
    "plain": PLAIN,
    "good": {**PLAIN, **{f"{good.puzzle.id}.puzzle": good.text for good in GOOD}},
    "bad": {**PLAIN, **{f"bad-{bad.claim}.puzzle": bad.text for bad in BAD}},
    **{f"bad-{bad.claim}": {**PLAIN, f"bad-{bad.claim}.puzzle": bad.text} for bad in BAD},
}
"""The folders by their names: the files' names and texts."""


def write_plain_folder(folder: Path) -> None:
    """Write the puzzles that most cases play. Blocks. Raises OSError if they cannot be written."""
    write_folder("plain", folder)


def write_folder(name: str, folder: Path) -> None:
    """Write the files of a folder. Blocks. Raises OSError if it cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in FOLDERS[name].items():
        (folder / file).write_text(text, encoding="utf-8", newline="")
