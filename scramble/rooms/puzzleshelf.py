"""The puzzles that a server offers for its rooms: the packaged ones, and those of a folder, also ones put there later.

    shelf = PuzzleShelf(Path("puzzles"))
    shelf.puzzles()["saturday"]

Safe under concurrency, also of threads: what was read is replaced as a whole.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from scramble.crossword import Puzzle, load_puzzles
from scramble.crossword.exchange import MAX_TEXT
from scramble.crossword.exchange.imported import format_puzzle
from scramble.crossword.puzzle import SUFFIX
from scramble.logs import LogEntry
from scramble.resources import PACKAGED_PUZZLES

logger = logging.getLogger(__name__)

MOST_OWN: Final = 1000  # puzzles of the folder: a page lists all, and their shapes


@cache
def packaged() -> Mapping[str, Puzzle]:
    """Return the packaged puzzles by their names. Blocks when it is called first."""
    puzzles, _ = load_puzzles(PACKAGED_PUZZLES)
    return {puzzle.id: puzzle for puzzle in puzzles}


class _Read(NamedTuple):
    """What was read of the folder when its files had these names, times and sizes."""

    files: tuple[tuple[str, int, int], ...]
    puzzles: Mapping[str, Puzzle]
    sources: Mapping[str, str]


class PuzzleShelf:
    """The packaged puzzles and those of a folder, which need not exist. A packaged one keeps its name."""

    # AF: the packaged puzzles and those in _folder, which were _read last.

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: of puzzle files; None: only the packaged puzzles."""
        self._folder: Final = folder
        self._read = _Read((), {}, {})

    def puzzles(self) -> Mapping[str, Puzzle]:
        """Return all puzzles by their names. Blocks."""
        return {**packaged(), **self._own().puzzles}

    def source_of(self, name: str) -> str | None:
        """Return the text of a puzzle of the folder; None for a packaged one, and if there is none. Blocks.

        A room records the text, because the file may change or go.
        """
        return self._own().sources.get(name)

    def name_of(self, source: str) -> str | None:
        """Return the name of the puzzle of the folder with that text, if there is one. Blocks."""
        return next((name for name, text in self._own().sources.items() if text == source), None)

    def _own(self) -> _Read:
        if self._folder is None:
            return self._read
        try:
            found = sorted(
                (entry.name, entry.stat().st_mtime_ns, entry.stat().st_size)
                for entry in os.scandir(self._folder)
                if entry.name.endswith(SUFFIX)
            )
        except OSError:
            found = []  # nothing was imported yet
        files = tuple(found)
        if files != self._read.files:
            self._read = _read(self._folder, files)
        return self._read

    def __str__(self) -> str:
        return f"the packaged puzzles, and {len(self._read.puzzles)} of {self._folder}"


def _read(folder: Path, files: tuple[tuple[str, int, int], ...]) -> _Read:
    try:
        puzzles, errors = load_puzzles(folder)
    except OSError:
        puzzles, errors = (), ()
    for error in errors:
        logger.warning(LogEntry("puzzle-skipped", reason=str(error)))
    sources: dict[str, str] = {}
    for puzzle in puzzles:
        source = format_puzzle(puzzle.name, puzzle.description, puzzle.entries)
        if puzzle.id in packaged() or len(source) > MAX_TEXT or len(sources) == MOST_OWN:
            reason = "a packaged puzzle has that name" if puzzle.id in packaged() else "too long, or too many"
            logger.warning(LogEntry("puzzle-skipped", reason=f"{puzzle.id}: {reason}"))
        else:
            sources[puzzle.id] = source
    return _Read(files, {puzzle.id: puzzle for puzzle in puzzles if puzzle.id in sources}, sources)
