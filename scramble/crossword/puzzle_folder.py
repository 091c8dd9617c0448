"""Puzzles of a server for its rooms: the packaged puzzles, and the current puzzles of a folder.

    offered = PuzzleFolder(Path("puzzles"))
    offered.look().puzzles["saturday"]

Safe under concurrency, also for threads: `PuzzleFolder` replaces the result of a reading as a whole.
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

MOST_OWN: Final = 1000  # limit of puzzles in the folder, because a page lists all puzzles with their shapes


@cache
def packaged() -> Mapping[str, Puzzle]:
    """Return the packaged puzzles by their names. The first call blocks."""
    puzzles, _ = load_puzzles(PACKAGED_PUZZLES)
    return {puzzle.id: puzzle for puzzle in puzzles}


class _File(NamedTuple):
    """Contents of a file at the time of its reading; `puzzle` is None if the server cannot offer the file."""

    stamp: tuple[int, int]  # time of the last change, size
    puzzle: Puzzle | None
    source: str


class OfferedPuzzles(NamedTuple):
    """The puzzles at one moment, by their names."""

    puzzles: Mapping[str, Puzzle]  # packaged puzzles and puzzles of the folder
    sources: Mapping[str, str]  # texts of the folder's puzzles; a room records its text, because a file may change
    files: Mapping[str, _File]

    def name_of(self, source: str) -> str | None:
        """Return the name of the folder's puzzle with this text; None if no puzzle has this text."""
        return next((name for name, text in self.sources.items() if text == source), None)


class PuzzleFolder:
    """The packaged puzzles and the puzzles of a folder. The folder may be absent.

    A puzzle of the folder with the name of a packaged puzzle is skipped.
    """

    # AF: the packaged puzzles and the puzzles in _folder; _last has the result of the last `look`.

    def __init__(self, folder: Path | None = None) -> None:
        """Take a `folder` of puzzle files; None: only the packaged puzzles."""
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
        return f"the packaged puzzles, and the puzzles of {self._folder}"


def _stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the stamps of the first puzzle files in a folder, by name; empty if the folder cannot be read."""
    found = dict[str, tuple[int, int]]()
    with suppress(OSError):  # the folder is absent before the first import
        for entry in os.scandir(folder):
            with suppress(OSError):  # the file was just removed
                if entry.name.endswith(SUFFIX) and entry.is_file():
                    found[entry.name] = entry.stat().st_mtime_ns, entry.stat().st_size
    return {name: found[name] for name in sorted(found)[:MOST_OWN]}


def _read(path: Path, stamp: tuple[int, int]) -> _File:
    """Read a file. If the server cannot offer its puzzle, log the reason."""
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
