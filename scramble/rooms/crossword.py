"""Rooms of Crossword Extravaganza: one match, on a packaged puzzle or on one from the text of a puzzle file.

The first player waits, the second one begins the match, and the game is over with it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import Final, cast

from scramble.crossword import Game, Puzzle, Result, load_puzzles, open_lobby
from scramble.journal import Journal
from scramble.resources import PACKAGED_PUZZLES
from scramble.rooms.kind import GameResult, OpenedRoom, RoomClocks, RoomKind, RoomSetup
from scramble.rooms.settings import Fields

DEFAULT_PUZZLE: Final = "kitchen"

GRACE_S: Final = 300.0
"""Time for which a player may be missing while the other one waits: enough for a phone that rang, another device, or a
server that is started again. Players of a room have each other's link, and no stranger waits for the next match."""

MAX_SOURCE: Final = 100_000  # characters: a thousand words with long clues, which take a second to parse

OWN_ID: Final = "puzzle"  # of a puzzle that is not a packaged one


@cache
def packaged() -> Mapping[str, Puzzle]:
    """Return the packaged puzzles by their names. Blocks when it is called first."""
    puzzles, _ = load_puzzles(PACKAGED_PUZZLES)
    return {puzzle.id: puzzle for puzzle in puzzles}


def settle(given: Mapping[str, object], _seed: int) -> dict[str, object]:
    """Return complete settings. Raises BadSettings."""
    fields = Fields(given, ("puzzle", "source"))
    if "source" in fields:
        fields.alone("source", "puzzle")
        source = given["source"]
        if isinstance(source, str) and len(source) > MAX_SOURCE:
            fields.refuse("source", "too-long", f"at most {MAX_SOURCE:,} characters", most=MAX_SOURCE)
        else:
            fields.file("source", _parse)
        fields.done()
        return {"source": source}
    puzzle = fields.choice("puzzle", DEFAULT_PUZZLE, packaged())
    fields.done()
    return {"puzzle": puzzle}


def _parse(text: str) -> Puzzle:
    return Puzzle.parse(text, id=OWN_ID, file="source")


def again(settings: Mapping[str, object], seed: int) -> dict[str, object]:
    """Return the settings to give for another match: on another packaged puzzle, or on the same one of one's own."""
    if "source" in settings:
        return dict(settings)
    others = [puzzle for puzzle in packaged() if puzzle != settings["puzzle"]]
    return {"puzzle": others[seed % len(others)]} if others else dict(settings)


def puzzle_of(settings: Mapping[str, object]) -> Puzzle:
    """Return the puzzle of settled settings, with its solution. Blocks."""
    return packaged()[cast(str, settings["puzzle"])] if "puzzle" in settings else _parse(cast(str, settings["source"]))


def set_up(settings: Mapping[str, object]) -> RoomSetup:
    """Set up a room with settled settings."""
    puzzle = puzzle_of(settings)

    @asynccontextmanager
    async def open_room(journal: Journal | None, clocks: RoomClocks) -> AsyncIterator[OpenedRoom]:
        # Whoever has the page open waits for the other player, however long that takes: no session ends as idle.
        grace = max(GRACE_S, clocks.away_s)
        async with open_lobby([puzzle], grace=grace, idle=0, journal=journal, one_match=True) as game:
            yield OpenedRoom(game, partial(finished, game))

    return RoomSetup(open_room)


async def finished(game: Game) -> GameResult:
    """Wait until the match is over, and return its result. Raises GameClosed if that never happens."""
    return result_of(await game.finished())


def result_of(result: Result) -> GameResult:
    """Return the result of a match: the points, the words that stand under each name, and the challenge points."""
    match = result.match
    figures = {
        player: {
            "words": sum(word.by == player for word in match.words),
            "challenge_points": match.challenge_points[player],
        }
        for player in match.players
    }
    scores = dict(sorted(result.points.items(), key=lambda item: -item[1]))
    return GameResult(scores, () if result.winner is None else (result.winner,), figures)


def choices() -> dict[str, object]:
    """Return the packaged puzzles, with their empty shapes, in which "." is a square without a letter. Blocks."""
    return {"puzzles": [_listed(puzzle) for puzzle in packaged().values()]}


def _listed(puzzle: Puzzle) -> dict[str, object]:
    shape = puzzle.shape
    return {
        "name": puzzle.id,
        "title": puzzle.name,
        "rows": shape.rows,
        "columns": shape.columns,
        "words": len(shape.words),
        "shape": [
            "".join("#" if shape.words_at((row, column)) else "." for column in range(shape.columns))
            for row in range(shape.rows)
        ],
    }


CROSSWORD_ROOMS: Final = RoomKind("crossword", "Crossword Extravaganza", settle, set_up, again, choices)
