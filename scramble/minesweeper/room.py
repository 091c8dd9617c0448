"""Rooms of Minesweeper: a field by size and number of bombs, by the name of a preset, or from a field file.

A boom costs points and a pause. The game is over as soon as all squares without a bomb are dug. Then no more moves are
possible, and the player with the most points has won. A search for a field that needs no guess runs before the room
opens.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, cast

import trio

from scramble.games.kind import BOT_BYTES, ROOM_BYTES, Search
from scramble.games.room import Elsewhere, GameResult, OpenedRoom, RoomClocks, RoomGame, RoomSetup, until_event
from scramble.games.settings import BadSettings, FieldError, Fields
from scramble.journal import Recorder
from scramble.kernel.owner import Owner
from scramble.minesweeper import Field, Game, open_game
from scramble.minesweeper.fieldfile import FieldFile, parse_field_file
from scramble.minesweeper.game import join_game
from scramble.minesweeper.layout import PRESETS
from scramble.minesweeper.messages import Chorded, Dug, Exploded, Place, Standing
from scramble.minesweeper.solvable import LARGEST_SEED, find_solvable

MOST_SQUARES: Final = 250_000
"""Default limit of the squares of a field."""

SQUARE_BYTES: Final = 20
"""Memory of a square in an awake room: 9 bytes, measured, and the same again for the frame of all squares."""

KNOWN_BYTES: Final = 220
"""Memory of a square in a bot: measured 72 bytes for a half-dug field, and 220 bytes for digs of single squares."""

PAUSE_MS: Final = 5000  # pause after a boom

SEARCH_S: Final = 10.0
"""Time limit of the search for a field that needs no guess. For the expert preset the search takes some seconds on a
slow machine, and a person waits for it."""

MOST_SOLVED: Final = 1000
"""Largest number of squares of a field that needs no guess: larger fields of this kind are too rare."""

DENSEST_SOLVED: Final = 0.25
"""Highest density of bombs in a field that needs no guess: denser fields of this kind are too rare."""

DENSITY: Final = 40 / 256  # default density of bombs, from the intermediate preset


def settle(given: Mapping[str, object], seed: int, *, most_squares: int) -> dict[str, object]:
    """Return complete settings. Raises BadSettings."""
    fields = Fields(given, ("size", "bombs", "safe_start", "no_guessing", "seed", "preset", "field"))
    if "field" in fields:
        fields.alone("field", "preset", "size", "bombs", "safe_start", "no_guessing", "seed")
        found = fields.file("field", _parse)
        if found is not None:
            _check_field(fields, found[1], most_squares)
        fields.done()
        return {"field": given["field"]}
    preset = PRESETS[fields.choice("preset", "beginner", PRESETS)]
    if "preset" in fields:
        fields.alone("preset", "size", "bombs")
    words = f"rows x columns, at least 1x2 and at most {most_squares:,} squares: such as 16x30"
    wrong = FieldError.of("bad-field-size", words, most=most_squares)
    rows, columns = fields.size((preset.rows, preset.columns), wrong, lambda r, c: 2 <= r * c <= most_squares)
    squares = rows * columns
    if squares > most_squares:  # the size is from a preset
        fields.refuse_as("preset" if "preset" in fields else "size", wrong)
    usual = max(1, round(DENSITY * squares)) if "size" in fields else preset.bombs
    bombs = fields.number("bombs", usual, 1, squares - 1) if fields.is_right("size") else usual
    safe_start = fields.switch("safe_start", True)
    no_guessing = fields.switch("no_guessing", False)
    if no_guessing and not safe_start:
        fields.refuse("safe_start", "excluded", "cannot be combined with no_guessing", beside="no_guessing")
    if no_guessing and (squares > MOST_SOLVED or bombs > DENSEST_SOLVED * squares):
        words = f"a field that needs no guess has at most {MOST_SOLVED:,} squares, and at most a quarter have bombs"
        fields.refuse("no_guessing", "too-hard-to-solve", words, most=MOST_SOLVED)
    seed = fields.seed(seed)
    fields.done()
    settled: dict[str, object] = {"size": f"{rows}x{columns}", "bombs": bombs, "safe_start": safe_start, "seed": seed}
    return {**settled, "no_guessing": True} if no_guessing else settled


def search(settings: Mapping[str, object], *, search_s: float = SEARCH_S) -> Search | None:
    """Return the search for a field that needs no guess; None if the complete settings do not ask for this field."""
    return SeedSearch(settings, search_s=search_s) if settings.get("no_guessing") else None


class SeedSearch:
    """Search for a field that needs no guess. It tries seeds in order, from the seed of complete settings on."""

    # AF: the search has rejected all seeds from the seed of _settings up to the seed before _seed. _left_s is the rest
    #     of the time, in seconds.

    def __init__(self, settings: Mapping[str, object], *, search_s: float = SEARCH_S) -> None:
        """Make a search with a limit of `search_s` seconds. The time between calls does not count."""
        self._settings: Final = settings
        self._search_s: Final = search_s
        self._left_s = search_s
        self._seed = cast(int, settings["seed"])

    def __call__(self, for_s: float) -> dict[str, object] | None:
        """Search for at most `for_s` seconds; return the settings with the found seed, or None.

        Raises BadSettings at the end of the search's time.
        """
        begun = time.monotonic()
        until = begun + min(for_s, self._left_s)

        def give_up() -> bool:
            self._seed = (self._seed + 1) % (LARGEST_SEED + 1)
            return time.monotonic() > until

        columns, rows = _size(self._settings)
        bombs, start = cast(int, self._settings["bombs"]), start_of(columns, rows)
        found = find_solvable(columns, rows, bombs, start=start, seed=self._seed, give_up=give_up)
        if found is not None:
            return {**self._settings, "seed": found}
        self._left_s -= time.monotonic() - begun
        if self._left_s <= 0:
            seconds = round(self._search_s)
            words = f"no field that needs no guess was found in {seconds} s: take fewer bombs, or try again"
            error = FieldError.of("not-solvable-in-time", words, seconds=seconds)
            raise BadSettings({"settings.no_guessing": error})
        return None


def start_of(columns: int, rows: int) -> Place:
    """Return the start of a field that needs no guess: the square in the middle."""
    return columns // 2, rows // 2


def _size(settings: Mapping[str, object]) -> tuple[int, int]:
    """Return the columns and rows of complete settings."""
    rows, columns = map(int, cast(str, settings["size"]).split("x"))
    return columns, rows


def _parse(text: str) -> FieldFile:
    return parse_field_file(text.encode("utf-8", "surrogatepass"), "field")


def _check_field(fields: Fields, field: FieldFile, most_squares: int) -> None:
    squares = field.rows * field.columns
    if squares > most_squares:
        words = f"line 1: at most {most_squares:,} squares, and not {squares:,}"
        fields.refuse("field", "too-many-squares", words, most=most_squares, squares=squares)
    elif _bombs(field) == squares:
        fields.refuse("field", "only-bombs", "at least one square without a bomb: this field has only bombs")


def _bombs(field: FieldFile) -> int:
    return sum(line.count(b"1") for line in field.lines)


def again(settings: Mapping[str, object], seed: int) -> dict[str, object]:
    """Return the settings for another game: the same number of bombs, at other places, from `seed`."""
    if "field" not in settings:
        return {**settings, "seed": seed}
    field = _parse(cast(str, settings["field"]))
    bombs = _bombs(field)
    if not bombs:
        return dict(settings)
    return {"size": f"{field.rows}x{field.columns}", "bombs": bombs, "safe_start": False, "seed": seed}


def daily(_number: int, seed: int) -> dict[str, object]:
    """Return the settings of a daily challenge: a field that needs no guess."""
    return {"preset": "beginner", "no_guessing": True, "seed": seed}


def room_bytes(settings: Mapping[str, object]) -> int:
    """Return the estimated memory of an awake room, in bytes."""
    return ROOM_BYTES + SQUARE_BYTES * _squares(settings)


def bot_bytes(settings: Mapping[str, object]) -> int:
    """Return the estimated maximal memory of a bot in this room, in bytes."""
    return BOT_BYTES + KNOWN_BYTES * _squares(settings)


def _squares(settings: Mapping[str, object]) -> int:
    """Return the approximate number of squares."""
    if "field" in settings:
        return len(cast(str, settings["field"])) // 2  # a square is a digit and a blank
    columns, rows = _size(settings)
    return columns * rows


def set_up(settings: Mapping[str, object], *, pause_ms: int = PAUSE_MS) -> RoomSetup:
    """Set up a room with complete settings. The same settings always make the same field. A boom costs `pause_ms`."""
    return RoomSetup(partial(_open_room, partial(_first, settings, pause_ms)), _join_room)


@asynccontextmanager
async def _open_room(
    first: Callable[[], Field], journal: Recorder | None, _clocks: RoomClocks
) -> AsyncIterator[OpenedRoom]:
    async with open_game(await trio.to_thread.run_sync(first), journal=journal) as game:
        yield OpenedRoom(game, partial(finished, game), Elsewhere(game.owner, game.elsewhere))


@asynccontextmanager
async def _join_room(owner: Owner, _clocks: RoomClocks) -> AsyncIterator[OpenedRoom]:
    async with join_game(owner) as game:
        yield OpenedRoom(game, partial(finished, game))


def _first(settings: Mapping[str, object], pause_ms: int) -> Field:
    """Make the field of complete settings, without moves. Blocks."""
    if "field" in settings:
        field = Field.parse(cast(str, settings["field"]), "field")
        start = None
    else:
        columns, rows = _size(settings)
        start = start_of(columns, rows) if settings.get("no_guessing") else None
        field = Field.laid_out(columns, rows, cast(int, settings["bombs"]), cast(int, settings["seed"]))
        if settings["safe_start"]:
            field.begin_safely()
    field.keep_scores(pause_ms=pause_ms, closes=True, start=start)
    return field


async def finished(game: Game) -> GameResult:
    """Wait until all squares without a bomb are dug, and return the result. Raises GameClosed or GameStopped."""
    standing = await game.finished()
    return result_of(standing)


def result_of(standing: Standing) -> GameResult:
    """Return the result of a finished game with these scores."""
    figures = {name: {"squares": s.squares, "flags": s.flags, "booms": s.booms} for name, s in standing.scores.items()}
    return GameResult.of({name: score.points for name, score in standing.scores.items()}, figures)


def choices(*, most_squares: int) -> dict[str, object]:
    """Return the choices of a page: the presets with at most `most_squares` squares."""
    return {
        "presets": {
            name: {"size": f"{preset.rows}x{preset.columns}", "bombs": preset.bombs}
            for name, preset in PRESETS.items()
            if preset.rows * preset.columns <= most_squares
        }
    }


UNDUG: Final = "-F"  # characters of BOARD for squares that are not dug


async def begun(game: RoomGame) -> None:
    """Wait until a player has dug a square. Raises GameClosed, GameStopped."""
    assert isinstance(game, Game)
    field, changes = await game.follow()
    if not any(line.strip(UNDUG) for line in field.lines):
        await until_event(changes, Dug, Exploded, Chorded)
