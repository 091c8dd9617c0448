"""The kinds of games on the pages: `client/GAME/kind.js`.

Testing strategy. Every game of this distribution has one; the shared parts of the pages name no game; the pictures on
the cards use only CSS classes that exist. tests/system/browser/rooms/test_kinds.py tests in a browser how a page loads
and shows a kind.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from scramble.resources import CLIENT

GAMES: Final = ("memory", "minesweeper", "crossword")
FOR_ALL: Final = ("classroom", "lobby", "offline", "rooms", "shared")  # folders

COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
NAME: Final = re.compile(rf"(?<!\w)({'|'.join(GAMES)})(?![\w-])", re.IGNORECASE)  # "memory-full" is not the game


def name(path: Path) -> str:
    return path.relative_to(CLIENT).as_posix()


def parts_for_all_games() -> list[Path]:
    files = [file for folder in FOR_ALL for pattern in ("*.js", "*.css") for file in (CLIENT / folder).glob(pattern)]
    return sorted(files)  # without the catalogues: there, the names are English words


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_kind_for_the_pages(game: str) -> None:
    source = (CLIENT / game / "kind.js").read_text(encoding="utf-8")
    assert "export const KIND = {" in source


@pytest.mark.parametrize("file", parts_for_all_games(), ids=name)
def test_a_part_for_all_games_names_none_of_them(file: Path) -> None:
    assert NAME.findall(COMMENT.sub("", file.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("file", ["shared/kinds.js", *(f"{game}/kind.js" for game in GAMES)])
def test_the_picture_of_a_game_has_nine_squares_of_classes_that_there_are(file: str) -> None:
    sheet = (CLIENT / "lobby" / "lobby.css").read_text(encoding="utf-8")
    art = (CLIENT / file).read_text(encoding="utf-8").partition("art: ")[2].partition("\n  ]")[0]
    squares = re.findall(r'^    \["[^"]*", "([^"]+)"\],$', art, re.MULTILINE)
    assert len(squares) == 9
    known = {"none", *re.findall(r"^\.art \.([a-z]+)", sheet, re.MULTILINE)}
    assert {one for square in squares for one in square.split()} <= known
