"""The codes of replays: each has a sentence for the terminal, a sentence on the pages, and a row in the reference.

Testing strategy. The codes and params are read from the source of the narrators, of the catalogues and of the
reference. For each game, and for the part that all games share, all three have the same codes, and a sentence uses only
params of its code. The columns of summaries are read from recordings. Each column has a title in both catalogues and a
row in the reference. catalogues.test.js compares the catalogues with each other.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from string import Formatter
from typing import Final

import pytest

import scramble
from scramble.crossword.english import ENGLISH as CROSSWORD
from scramble.games.table import narrators
from scramble.games.told import HOUSE, English, Sentence
from scramble.memory.english import ENGLISH as MEMORY
from scramble.minesweeper.english import ENGLISH as MINESWEEPER
from scramble.replay import Replay
from scramble.resources import CLIENT
from tests.support.replay.tape import Talk, memory, minesweeper

PACKAGE: Final = Path(scramble.__file__).parent
REFERENCE: Final = (Path(__file__).parents[3] / "docs" / "reference" / "replay.md").read_text(encoding="utf-8")
TITLES: Final = {"memory": "Memory Scramble", "minesweeper": "Minesweeper", "crossword": "Crossword Extravaganza"}
ENGLISHES: Final = {"memory": MEMORY, "minesweeper": MINESWEEPER, "crossword": CROSSWORD}
SHARED: Final = [PACKAGE / "games" / "narrator.py", PACKAGE / "replay" / "seats.py"]
"""The modules that narrate the events of all games."""

Codes = Mapping[str, frozenset[str]]
"""Codes, and the params of each code."""


def told_in(*modules: Path) -> Codes:
    """The codes in the source of these modules."""
    codes: dict[str, frozenset[str]] = {}
    for module in modules:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "tell":
                (code,) = node.args
                assert isinstance(code, ast.Constant), "a code is found by its literal"
                params = frozenset(keyword.arg or "**" for keyword in node.keywords)
                assert codes.setdefault(str(code.value), params) == params, code.value
    return codes


def modules_of(game: str) -> list[Path]:
    return [file for file in (PACKAGE / game).glob("narra*.py") if "tell(" in file.read_text(encoding="utf-8")]


def section(title: str) -> str:
    return REFERENCE.partition(f"### {title}\n")[2].partition("\n### ")[0]


def in_reference(title: str) -> Codes:
    """The codes in the tables of a section."""
    tables = section(title).partition("| code ")[2]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", tables, re.MULTILINE)
    return {
        code: frozenset(re.findall("`(.*?)`", params))
        for codes, params in rows
        for code in re.findall("`(.*?)`", codes)
    }


def in_catalogue(file: str, key: str) -> Codes:
    """The codes in a catalogue, and the params that each sentence uses."""
    text = (CLIENT / file).read_text(encoding="utf-8").partition(f"  {key}: {{\n")[2].partition("\n  },")[0]
    entries = re.findall(r'^    "?([a-z-]+)"?: \((.*?)\) =>', text, re.MULTILINE | re.DOTALL)
    bare = {code: re.sub(r"/\*.*?\*/", "", params, flags=re.DOTALL) for code, params in entries}
    return {code: frozenset(re.findall(r"\w+", params)) for code, params in bare.items()}


def asked_by(sentence: Sentence) -> frozenset[str]:
    """The params that an English sentence uses."""
    if isinstance(sentence, str):
        return frozenset(name for _, name, _, _ in Formatter().parse(sentence) if name is not None)
    return frozenset(inspect.signature(sentence).parameters)


def expect_sentences(told: Codes, english: Mapping[str, Sentence], catalogue: Codes) -> None:
    assert set(english) == set(told)
    assert set(catalogue) == set(told)
    for code, params in told.items():
        sentence = english[code]
        if isinstance(sentence, str):
            assert asked_by(sentence) <= params, code
        else:
            assert asked_by(sentence) == params, code
        assert catalogue[code] <= params, code


@pytest.mark.parametrize("game", TITLES)
def test_what_the_narrator_of_a_game_tells_has_its_sentences_and_its_place_in_the_reference(game: str) -> None:
    told = told_in(*modules_of(game))
    own = {code: params for code, params in told.items() if code not in HOUSE}
    assert in_reference(TITLES[game]) == own
    english = {code: words for code, words in ENGLISHES[game].sentences.items() if code not in HOUSE}
    expect_sentences(own, english, in_catalogue(f"{game}/replay-words/en.js", "moves"))


def test_what_is_told_of_all_games_has_its_sentences_and_its_place_in_the_reference() -> None:
    told = {code: params for code, params in told_in(*SHARED, *modules_of("minesweeper")).items() if code in HOUSE}
    assert in_reference("All games") == told
    expect_sentences(told, HOUSE, in_catalogue("replay/words/en.js", "happenings"))


@pytest.mark.parametrize(
    ("game", "columns"),
    [
        ("memory", Replay(memory("1x2\nA\nA\n").recording, narrators=narrators()).narrator.summary().columns),
        ("minesweeper", Replay(minesweeper("1 1\n0\n").recording, narrators=narrators()).narrator.summary().columns),
        ("crossword", Replay(Talk().tape.recording, narrators=narrators()).narrator.summary().columns),
    ],
)
def test_every_column_of_a_summary_has_its_titles_and_its_place_in_the_reference(
    game: str, columns: tuple[str, ...]
) -> None:
    english: English = ENGLISHES[game]
    rare = {"chords"} if game == "minesweeper" else set()  # only in recordings with chords
    assert english.columns == {*columns, *rare}
    catalogue = (CLIENT / f"{game}/replay-words/en.js").read_text(encoding="utf-8")
    titles = catalogue.partition("  columns: {\n")[2].partition("\n  },")[0]
    assert set(re.findall(r"^    (\w+): ", titles, re.MULTILINE)) == english.columns
    assert english.columns <= set(re.findall(r"`(\w+)`", section(TITLES[game]).partition("Columns of the summary")[2]))
