"""The puzzles that a server offers for its rooms: the packaged ones, and those of a folder, also ones put there later.

    offered = PuzzleFolder(Path("puzzles"))
    offered.look().puzzles["saturday"]

Safe under concurrency, also of threads: what was read is replaced as a whole.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from scramble.crossword import Puzzle, PuzzleError, PuzzleFileError, load_puzzles
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


class _File(NamedTuple):
    """A file of the folder as it was when it was read; no puzzle if it cannot be offered."""

    stamp: tuple[int, int]  # time of the last change, size
    puzzle: Puzzle | None
    source: str


class OfferedPuzzles(NamedTuple):
    """The puzzles at one moment, by their names."""

    puzzles: Mapping[str, Puzzle]  # all
    sources: Mapping[str, str]  # the text of those of the folder: a room records it, because the file may change or go
    files: Mapping[str, _File]

    def name_of(self, source: str) -> str | None:
        """Return the name of the puzzle of the folder with that text, if there is one."""
        return next((name for name, text in self.sources.items() if text == source), None)


class PuzzleFolder:
    """The packaged puzzles and those of a folder, which need not exist. A packaged one keeps its name."""

    # AF: the packaged puzzles and those in _folder, as they were at the _last look.

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: of puzzle files; None: only the packaged puzzles."""
        self._folder: Final = folder
        self._last: OfferedPuzzles | None = None

    def look(self) -> OfferedPuzzles:
        """Return the current puzzles: the same object while nothing has changed. Blocks: reads changed files."""
        folder = self._folder or Path()
        stamps = {} if self._folder is None else _stamps(folder)
        before = self._last
        if before is not None and {name: file.stamp for name, file in before.files.items()} == stamps:
            return before
        known = {} if before is None else before.files
        files = {
            name: known[name] if name in known and known[name].stamp == stamp else _read(folder / name, stamp)
            for name, stamp in stamps.items()
        }
        own = {file.puzzle.id: file for file in files.values() if file.puzzle is not None}
        puzzles = {**packaged(), **{name: file.puzzle for name, file in own.items() if file.puzzle is not None}}
        self._last = OfferedPuzzles(puzzles, {name: file.source for name, file in own.items()}, files)
        return self._last

    def __str__(self) -> str:
        return f"the packaged puzzles, and those of {self._folder}"


def _stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the puzzle files of a folder, the first ones by their names; none if it cannot be read."""
    found = dict[str, tuple[int, int]]()
    with suppress(OSError):  # nothing was imported yet
        for entry in os.scandir(folder):
            with suppress(OSError):  # removed just now
                if entry.name.endswith(SUFFIX) and entry.is_file():
                    found[entry.name] = entry.stat().st_mtime_ns, entry.stat().st_size
    return {name: found[name] for name in sorted(found)[:MOST_OWN]}


def _read(path: Path, stamp: tuple[int, int]) -> _File:
    """Read a file, and log why it cannot be offered."""
    try:
        puzzle = Puzzle.parse_from_file(path)
    except (PuzzleFileError, PuzzleError, OSError) as error:
        return _skipped(stamp, str(error))
    if puzzle.id in packaged():
        return _skipped(stamp, f"{path.name}: a packaged puzzle has that name")
    source = format_puzzle(puzzle.name, puzzle.description, puzzle.entries)
    if len(source) > MAX_TEXT:
        return _skipped(stamp, f"{path.name}: more than {MAX_TEXT:,} characters")
    return _File(stamp, puzzle, source)


def _skipped(stamp: tuple[int, int], reason: str) -> _File:
    logger.warning(LogEntry("puzzle-skipped", reason=reason))
    return _File(stamp, None, "")
