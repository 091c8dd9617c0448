"""Rooms of Crossword Extravaganza: one match, on a puzzle of the server or on the text of a puzzle file.

The first player waits for the second player. Then the match begins. The game ends with the match. With the setting
`alone` there is only one player, who plays against the clock.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, cast

from scramble.crossword import Game, MatchView, Puzzle, Result, open_lobby
from scramble.crossword.exchange import MAX_TEXT
from scramble.crossword.game import MATCH_IDLE_S, join_lobby
from scramble.crossword.puzzle_folder import PuzzleFolder, packaged
from scramble.games.room import Elsewhere, GameResult, OpenedRoom, RoomClocks, RoomGame, RoomSetup
from scramble.games.settings import Fields
from scramble.journal import Recorder
from scramble.kernel.owner import Owner

DEFAULT_PUZZLE: Final = "kitchen"

GRACE_S: Final = 300.0
"""Time for which a player may be missing while the other player waits. It is enough for a phone call, a change of the
device, or a restart of the server. Players of a room have each other's link, and no stranger waits for the next match.
"""

MAX_SOURCE: Final = MAX_TEXT  # characters: a thousand words with long clues, which take a second to parse

OWN_ID: Final = "puzzle"  # ID of a puzzle that is not packaged


def settle(puzzle_folder: PuzzleFolder, given: Mapping[str, object], _seed: int) -> dict[str, object]:
    """Return complete settings; for a puzzle of the server's folder, with its text. Blocks. Raises BadSettings."""
    fields = Fields(given, ("puzzle", "source", "alone"))
    alone = {"alone": True} if fields.switch("alone", False) else {}
    if "source" in fields:
        fields.alone("source", "puzzle")
        source = given["source"]
        if isinstance(source, str) and len(source) > MAX_SOURCE:
            fields.refuse("source", "too-long", f"at most {MAX_SOURCE:,} characters", most=MAX_SOURCE)
        else:
            fields.file("source", _parse)
        fields.done()
        return {"source": source, **alone}
    there = puzzle_folder.look()
    puzzle = fields.choice("puzzle", DEFAULT_PUZZLE, there.puzzles)
    fields.done()
    own = there.sources.get(puzzle)
    return {**({"puzzle": puzzle} if own is None else {"source": own}), **alone}


def _parse(text: str) -> Puzzle:
    return Puzzle.parse(text, id=OWN_ID, file="source")


def again(puzzle_folder: PuzzleFolder, settings: Mapping[str, object], seed: int) -> dict[str, object]:
    """Return the settings for another match, with another puzzle, because the players know this solution. Blocks.

    The new puzzle is the server's next puzzle in the order of names. So no puzzle returns before all others are played.
    """
    there = puzzle_folder.look()
    puzzles = sorted(there.puzzles)
    played = there.name_of(cast(str, settings["source"])) if "source" in settings else cast(str, settings["puzzle"])
    next_one = puzzles.index(played) + 1 if played in puzzles else seed
    alone = {"alone": True} if settings.get("alone") else {}
    return {"puzzle": puzzles[next_one % len(puzzles)], **alone}


def daily(number: int, _seed: int) -> dict[str, object]:
    """Return the settings of a daily challenge: each day has the next packaged puzzle in the order of names. Blocks.

    The puzzles of the server's folder may change during a day.
    """
    puzzles = sorted(packaged())
    return {"puzzle": puzzles[number % len(puzzles)], "alone": True}


def puzzle_of(settings: Mapping[str, object]) -> Puzzle:
    """Return the puzzle of complete settings, with its solution. Blocks."""
    return packaged()[cast(str, settings["puzzle"])] if "puzzle" in settings else _parse(cast(str, settings["source"]))


def set_up(settings: Mapping[str, object]) -> RoomSetup:
    """Set up a room with complete settings."""
    puzzle, alone = puzzle_of(settings), settings.get("alone") is True
    stalled = 0.0 if alone else MATCH_IDLE_S  # in a match of one player, no other player waits for a move

    @asynccontextmanager
    async def open_room(journal: Recorder | None, clocks: RoomClocks) -> AsyncIterator[OpenedRoom]:
        # A player with an open page waits for the other player without a limit: no session ends as idle.
        grace = max(GRACE_S, clocks.away_s)
        lobby = open_lobby(
            [puzzle], grace=grace, idle=0, match_idle=stalled, journal=journal, one_match=True, alone=alone
        )
        async with lobby as game:
            yield OpenedRoom(game, partial(finished, game), Elsewhere(game.owner, game.elsewhere))

    @asynccontextmanager
    async def join_room(owner: Owner, clocks: RoomClocks) -> AsyncIterator[OpenedRoom]:
        grace = max(GRACE_S, clocks.away_s)
        async with join_lobby(owner, grace=grace, match_idle=stalled, one_match=True) as game:
            yield OpenedRoom(game, partial(finished, game))

    return RoomSetup(open_room, join_room)


async def finished(game: Game) -> GameResult:
    """Wait until the match is over, and return its result. Raises GameClosed if the game is closed before."""
    return result_of(await game.finished())


def result_of(result: Result) -> GameResult:
    """Return the result of a match: the points, the number of each player's words, and the challenge points.

    In a match of one player, the mistakes and the seconds replace the challenge points.
    """
    match = result.match
    figures: dict[str, dict[str, int]] = {}
    for player in match.players:
        points = match.challenge_points[player]
        alone = {"mistakes": -points, "seconds": int(result.seconds or 0)}
        words = {"words": sum(word.by == player for word in match.words)}
        figures[player] = {**words, **({"challenge_points": points} if result.seconds is None else alone)}
    scores = dict(sorted(result.points.items(), key=lambda item: -item[1]))
    return GameResult(scores, () if result.winner is None else (result.winner,), figures)


class Choices:
    """Choices for a page, computed again only after a change of the puzzles."""

    # AF: the puzzles of _puzzle_folder; _made has the puzzles and the result of the last call.

    def __init__(self, puzzle_folder: PuzzleFolder) -> None:
        self._puzzle_folder: Final = puzzle_folder
        self._made: tuple[Mapping[str, Puzzle], dict[str, object]] | None = None

    def __call__(self) -> dict[str, object]:
        """Return the server's puzzles with their shapes: "#" is a square for a letter, "." another square. Blocks."""
        puzzles, made = self._puzzle_folder.look().puzzles, self._made
        if made is None or made[0] is not puzzles:
            made = self._made = (puzzles, {"puzzles": [_listed(puzzle) for puzzle in puzzles.values()]})
        return made[1]


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


async def begun(game: RoomGame) -> None:
    """Wait until a player has entered a word. Raises GameClosed, GameStopped."""
    assert isinstance(game, Game)
    view = await game.spectate()
    while not isinstance(view.match, MatchView) or all(word.entered is None for word in view.match.words):
        view = await game.spectate(view.number)
