"""Testing strategy: the packaged puzzles.

- all are valid; their number and sizes; no clue, name or description contains a word of its own puzzle
- the layout of crosswords: connected, and every row of two or more letters is one of the words
- the script that made the files makes the same files again
- each puzzle can be played to the end through a lobby
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from scramble.crossword import Puzzle, load_puzzles
from tests.support.crossword.driver import Table

FOLDER = Path(__file__).parents[3] / "boards" / "crossword"
PUZZLES, ERRORS = load_puzzles(FOLDER)


def test_there_are_at_least_five_puzzles_all_of_them_valid() -> None:
    assert ERRORS == ()
    assert len(PUZZLES) >= 5
    assert len({puzzle.name for puzzle in PUZZLES}) == len(PUZZLES)


def test_one_is_of_15_by_15_with_40_or_more_words() -> None:
    grand = next(puzzle for puzzle in PUZZLES if puzzle.id == "grand")
    assert (grand.shape.rows, grand.shape.columns) == (15, 15)
    assert len(grand.entries) >= 40


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.id)
def test_no_clue_contains_a_word_of_its_puzzle(puzzle: Puzzle) -> None:
    text = " ".join([puzzle.name, puzzle.description, *(entry.clue for entry in puzzle.entries)]).lower()
    spoken = set(re.findall(r"[a-z-]+", text))
    assert not {entry.word for entry in puzzle.entries} & spoken
    assert all(entry.clue.isprintable() for entry in puzzle.entries)


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.id)
def test_every_row_of_letters_is_a_word_and_all_words_are_connected(puzzle: Puzzle) -> None:
    letters = {c: letter for e in puzzle.entries for c, letter in zip(e.cells(), e.word, strict=True)}
    rows = ["".join(letters.get((r, c), " ") for c in range(200)) for r in range(puzzle.shape.rows)]
    columns = ["".join(letters.get((r, c), " ") for r in range(200)) for c in range(puzzle.shape.columns)]
    for direction, lines in (("ACROSS", rows), ("DOWN", columns)):
        runs = sorted(run for line in lines for run in line.split() if len(run) > 1)
        assert runs == sorted(entry.word for entry in puzzle.entries if entry.direction == direction)
    reached, todo = set(), [next(iter(letters))]
    while todo:
        row, column = cell = todo.pop()
        if cell in letters and cell not in reached:
            reached.add(cell)
            todo += [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
    assert reached == letters.keys()


def test_the_maker_writes_the_same_files_again(tmp_path: Path) -> None:
    maker = [sys.executable, "-B", str(FOLDER / "make.py"), "--to", str(tmp_path), "sea", "garden"]
    subprocess.run(maker, check=True, capture_output=True)
    for name in ("sea.puzzle", "garden.puzzle"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.id)
def test_each_puzzle_can_be_played_to_the_end(puzzle: Puzzle) -> None:
    table = Table(PUZZLES)
    players = table.match(puzzle.id)
    for number, entry in enumerate(puzzle.entries, start=1):
        view = table.do(players[number % 2], f"TRY {number} {entry.word}")
        if view.state == "SHOW SCORE":
            break
    assert table.look(players[0]).state == table.look(players[1]).state == "SHOW SCORE"
    result = table.look(players[0]).result
    assert result is not None
    assert result.forfeited_by is None
    assert sum(result.points.values()) == sum(word.entered is not None for word in result.match.words)
