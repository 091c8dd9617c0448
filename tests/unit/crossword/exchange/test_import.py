"""Import of puzzles from other programs' files.

Strategy:
- formats: .ipuz, in JSONP, with a byte order mark; .puz; .puzzle; another format; too long; cut short at every byte
- puzzles within the handout's format: the result is a puzzle file with the same words, places and clues; quotes,
  markup, line ends and backslashes in texts; references to other clues; name and description from the file, or missing
  in it
- puzzles beyond that format, each with its code and place: rebus (in both formats, and both forms of ipuz), circles,
  shading, bars, marks, locked, no solution, diagramless, other kinds, letters, words twice, squares without a word,
  words that turn, clues without a word or number, other directions, too large
"""

from __future__ import annotations

import json
from contextlib import suppress

import puz
import pytest

from scramble.crossword import Puzzle
from scramble.crossword.exchange import MAX_IMPORT_BYTES, CannotImport, import_puzzle
from tests.support.crossword.driver import SIMPLE
from tests.support.crossword.foreign import IPUZ, PUZ_CLUES, PUZ_ROWS, ipuz_file, puz_file

BOM = b"\xef\xbb\xbf"


def imported(data: bytes, name: str = "puzzle") -> Puzzle:
    return Puzzle.parse(import_puzzle(data, name).text)


@pytest.mark.parametrize(
    "data", [ipuz_file(), BOM + ipuz_file(), b" ipuz(" + ipuz_file() + b");\n"], ids=["json", "bom", "jsonp"]
)
def test_an_ipuz_file_becomes_a_puzzle_file_with_its_words_and_places(data: bytes) -> None:
    puzzle = imported(data)
    assert [(it.word, it.direction, it.row, it.column) for it in puzzle.entries] == [
        ("cat", "ACROSS", 0, 0),
        ("car", "DOWN", 0, 0),
        ("ton", "DOWN", 0, 2),
        ("eg", "DOWN", 1, 3),
        ("rang", "ACROSS", 2, 0),
    ]
    assert (puzzle.name, puzzle.description) == ("Pets & more", "Ann. © 2026")


def test_an_ipuz_file_may_mark_blocks_in_its_solution_only_and_have_its_own_empty_square() -> None:
    grid = [[1, "_", 2, {"cell": "_", "style": {"color": "000000"}}], ["_", "_", "_", 3], [4, "_", "_", "_"]]
    across = [{"number": 1, "clue": "a", "cells": [[1, 1], [2, 1], [3, 1]]}, ["4", "d"]]
    headings = {"<b>Across</b>": across, "DOWN:Down": [["1", "b"], [2, "c"], {"number": "3", "clue": "e"}]}
    puzzle = imported(ipuz_file(puzzle=grid, empty="_", clues=headings))
    assert [it.word for it in puzzle.entries] == ["cat", "car", "ton", "eg", "rang"]


def test_an_ipuz_file_may_count_squares_from_0() -> None:
    across = [{"number": 1, "clue": "a", "cells": [[0, 0], [1, 0], [2, 0]]}, [4, "d"]]
    assert imported(ipuz_file(clues={**clues(), "Across": across})).entries[0].word == "cat"


def test_a_puz_file_becomes_a_puzzle_file_with_its_words_and_clues() -> None:
    puzzle = imported(puz_file())
    assert {it.word: it.clue for it in puzzle.entries} == {
        "cat": "It says meow",
        "car": "It runs on petrol",
        "ton": "A weight",
        "oe": "Old English",
        "eg": "For example",
        "rang": "Sounded, almost",
    }


def test_the_text_about_an_imported_puzzle_is_its_title_and_size() -> None:
    found = import_puzzle(puz_file())
    assert (found.title, found.rows, found.columns, found.words) == ("Pets", 3, 4, 6)


def test_a_puzzle_file_of_the_handout_is_imported_unchanged() -> None:
    assert import_puzzle(SIMPLE.encode()).text == SIMPLE


def test_a_puzzle_without_a_title_gets_the_given_name() -> None:
    assert imported(puz_file(title=""), "saturday").name == "saturday"


@pytest.mark.parametrize(
    ("clue", "text"),
    [
        ('"Hi," he said ("loudly")', "“Hi,” he said (“loudly”)"),
        ("a \\ b\r\n c\td", "a \\ b c d"),
        ("<i>War</i> &amp; peace<br/>(film) 1<2", "War & peace (film) 1<2"),
        ("bell \x07 and \u200e mark", "bell and mark"),
        ("", "—"),
    ],
)
def test_a_clue_keeps_all_text_that_the_grammar_allows(clue: str, text: str) -> None:
    data = ipuz_file(clues={**clues(), "Across": [[1, clue], [4, "x"]]})
    assert imported(data).entries[0].clue == text


@pytest.mark.parametrize(
    ("clue", "text"),
    [
        ("See 4-Across", "See 5-Across"),
        ("With 3 Down, 1- and 4-Across", "With 4 Down, 1- and 5-Across"),
        ("See 99-Across", "See 99-Across"),
        ("Boeing 4, across the sea", "Boeing 4, across the sea"),
    ],
)
def test_numbers_of_other_clues_are_those_that_players_see(clue: str, text: str) -> None:
    assert imported(ipuz_file(clues={**clues(), "Across": [[1, clue], [4, "x"]]})).entries[0].clue == text


def test_the_lengths_of_a_words_parts_stand_behind_its_clue() -> None:
    given = {"number": 1, "clue": "It says", "enumeration": "1,2"}
    assert imported(ipuz_file(clues={**clues(), "Across": [given, [4, "x"]]})).entries[0].clue == "It says (1,2)"


# --- refusals ---------------------------------------------------------------------------------------


def clues() -> dict[str, object]:
    given = IPUZ["clues"]
    assert isinstance(given, dict)
    return dict(given)


def square(row: int, column: int, value: object, field: str = "puzzle") -> bytes:
    """Return the .ipuz file with one square replaced."""
    grid = json.loads(json.dumps(IPUZ[field]))
    grid[row][column] = value
    return ipuz_file(**{field: grid})


def styled(**style: object) -> bytes:
    return square(0, 0, {"cell": 1, "style": style})


@pytest.mark.parametrize(
    ("data", "why", "words"),
    [
        (b"", "unknown-format", "neither"),
        (b"\x89PNG", "unknown-format", "neither"),
        (b"{" + b" " * MAX_IMPORT_BYTES, "too-long", "longer than"),
        (b"{}", "damaged", "kind"),
        (b"{" + b'"a":{' * 20_000, "damaged", "no crossword in ipuz"),
        (SIMPLE.replace("(mat", "mat").encode(), "damaged", "line 3: "),
        (ipuz_file(kind=["http://ipuz.org/sudoku#1"]), "other-kind", "sudoku"),
        (ipuz_file(kind=["http://ipuz.org/crossword/diagramless#1"]), "other-kind", "diagramless"),
        (ipuz_file(kind=[]), "other-kind", "does not say"),
        (ipuz_file(solution=None), "no-solution", "no solution"),
        (square(0, 1, None, "solution"), "no-solution", "row 1, column 2: "),
        (square(0, 1, "ART", "solution"), "rebus", "row 1, column 2: several letters"),
        (square(0, 1, {"value": ["A", "B"]}, "solution"), "rebus", "row 1, column 2: several letters"),
        (square(0, 1, ["A"], "solution"), "rebus", "row 1, column 2: several letters"),
        (square(0, 1, "é", "solution"), "not-a-letter", "row 1, column 2: `é` is no letter"),
        (square(0, 1, 7, "solution"), "not-a-letter", "`7` is no letter"),
        (styled(shapebg="circle"), "circles", "row 1, column 1: a circle"),
        (square(0, 0, {"cell": 1, "style": "circle"}), "circles", "a circle"),
        (styled(highlight=True), "shading", "shaded"),
        (styled(color="ff0000"), "shading", "shaded"),
        (styled(barred="TL"), "bars", "a bar"),
        (styled(divided="+"), "marks", "divided"),
        (square(0, 1, {"value": "A", "style": {"mark": {"TL": "x"}}}, "solution"), "marks", "mark"),
        (ipuz_file(clues={}), "no-clue", "row 1, column 1: this square belongs to no word"),
        (ipuz_file(clues={**clues(), "Down": [[1, "a"], [2, "b"]]}), "no-clue", "row 2, column 4: "),
        (ipuz_file(clues={**clues(), "Zones": [[1, "a"]]}), "strange-clue", "'Zones'"),
        (ipuz_file(clues={**clues(), "Across": ["no number"]}), "strange-clue", "without a number"),
        (
            ipuz_file(clues={**clues(), "Across": [[7, "a"]]}),
            "strange-clue",
            "7 Across is for several words, or",
        ),
        (ipuz_file(clues={**clues(), "Across": [[1, "a"], [1, "b"]]}), "strange-clue", "1 Across is there twice"),
        (
            ipuz_file(clues={**clues(), "Across": [{"number": 1, "clue": "a", "cells": [[1, 1], [2, 2]]}]}),
            "strange-clue",
            "does not run straight on",
        ),
        (square(0, 1, 4), "damaged", "the number 4 stands in two squares"),
        (square(0, 0, "#"), "strange-clue", "the clue 1 Across is for several words, or for none"),
        (
            square(0, 1, 9).replace(b'[4, "Sounded', b'[9, "Sounded'),
            "bars",
            "row 1, column 2: a word that begins within another one",
        ),
        (ipuz_file(puzzle=[[0] * 201]), "too-large", "from 1 to 200 rows and columns, and this one 1 and 201"),
        (ipuz_file(puzzle=[]), "too-large", "0 and 0"),
        (puz_file()[:-40], "damaged", "the .puz file is damaged"),
        (puz_file(clues=PUZ_CLUES[:3]), "damaged", "the .puz file is damaged"),
        (puz_file(state=puz.SolutionState.Locked), "locked", "unlock it with its key"),
        (puz_file(state=puz.SolutionState.NotProvided), "no-solution", "no solution"),
        (puz_file(("XXX.", "X.XX", "XXXX")), "no-solution", "no solution"),
        (puz_file(kind=puz.PuzzleType.Diagramless), "other-kind", "diagramless"),
        (puz_file(extensions={b"GRBS": bytes(5) + b"\x01" + bytes(6)}), "rebus", "row 2, column 2: "),
        (puz_file(extensions={b"GEXT": bytes(4) + b"\x80" + bytes(7)}), "circles", "row 2, column 1: "),
        (puz_file((*PUZ_ROWS[:2], "R4NG")), "not-a-letter", "row 3, column 2: `4`"),
        (puz_file(("CAT", "A.A", "TAC")), "word-twice", "`CAT` is the solution of 1 Across and of 1 Down"),
        (puz_file(("CAT.X",), ("a",)), "no-clue", "row 1, column 5: "),
    ],
)
def test_unsupported_puzzles_are_refused_with_a_reason(data: bytes, why: str, words: str) -> None:
    with pytest.raises(CannotImport) as refused:
        import_puzzle(data)
    assert (refused.value.params["why"], words in str(refused.value)) == (why, True), str(refused.value)


@pytest.mark.parametrize("data", [ipuz_file(), puz_file()], ids=["ipuz", "puz"])
def test_a_truncated_file_is_refused_or_imported(data: bytes) -> None:
    whole = import_puzzle(data).text
    for end in range(len(data)):
        with suppress(CannotImport):
            assert import_puzzle(data[:end]).text == whole
