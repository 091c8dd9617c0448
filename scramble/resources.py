"""Paths of the pages and the packaged boards: a wheel has them in the package, a checkout has them at its top."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def _find(name: str) -> Path:
    packaged = _PACKAGE / f"_{name}"
    return packaged if packaged.is_dir() else _PACKAGE.parent / name


CLIENT = _find("client")
BUNDLES = _PACKAGE / "_bundles" if CLIENT.parent == _PACKAGE else _PACKAGE.parent / "build" / "bundles"
BOARDS = _find("boards")
PACKAGED_BOARD = BOARDS / "memory" / "perfect.txt"
PACKAGED_PUZZLES = BOARDS / "crossword"
PUZZLES_FOLDER = "puzzles"  # the folder of additional crosswords, in the folder of the rooms
