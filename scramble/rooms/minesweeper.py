"""Rooms of Minesweeper: a field by size and number of bombs, by the name of a usual one, or from a field file.

The game is over as soon as all squares without a bomb are dug. Who has opened most squares has won.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, NamedTuple, cast

from scramble.journal import Journal
from scramble.minesweeper import Field, Game, open_game
from scramble.minesweeper.fieldfile import FieldFile, parse_field_file
from scramble.rooms.kind import FieldError, GameResult, OpenedRoom, RoomClocks, RoomKind, RoomSetup
from scramble.rooms.settings import Fields


class Preset(NamedTuple):
    """A usual field."""

    rows: int
    columns: int
    bombs: int


PRESETS: Final = {"beginner": Preset(9, 9, 10), "intermediate": Preset(16, 16, 40), "expert": Preset(16, 30, 99)}

DENSITY: Final = 40 / 256  # of the bombs of a field for which nobody has said how many: that of the middle preset


def settle(given: Mapping[str, object], seed: int, *, most_squares: int) -> dict[str, object]:
    """Return complete settings. Raises BadSettings."""
    fields = Fields(given, ("size", "bombs", "safe_start", "seed", "preset", "field"))
    if "field" in fields:
        fields.alone("field", "preset", "size", "bombs", "safe_start", "seed")
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
    if squares > most_squares:  # nobody has given this size itself
        fields.refuse_as("preset" if "preset" in fields else "size", wrong)
    usual = max(1, round(DENSITY * squares)) if "size" in fields else preset.bombs
    bombs = fields.number("bombs", usual, 1, squares - 1) if fields.is_right("size") else usual
    safe_start = fields.switch("safe_start", True)
    seed = fields.seed(seed)
    fields.done()
    return {"size": f"{rows}x{columns}", "bombs": bombs, "safe_start": safe_start, "seed": seed}


def _parse(text: str) -> FieldFile:
    return parse_field_file(text.encode("utf-8", "surrogatepass"), "field")


def _check_field(fields: Fields, field: FieldFile, most_squares: int) -> None:
    squares = field.rows * field.columns
    if squares > most_squares:
        words = f"line 1: at most {most_squares:,} squares, and not {squares:,}"
        fields.refuse("field", "too-many-squares", words, most=most_squares, squares=squares)
    elif _bombs(field) == squares:
        fields.refuse("field", "only-bombs", "at least one square without a bomb: there is nothing to find here")


def _bombs(field: FieldFile) -> int:
    return sum(line.count(b"1") for line in field.lines)


def again(settings: Mapping[str, object], seed: int) -> dict[str, object]:
    """Return the settings to give for another game: as many bombs, at other places, which `seed` decides."""
    if "field" not in settings:
        return {**settings, "seed": seed}
    field = _parse(cast(str, settings["field"]))
    bombs = _bombs(field)
    if not bombs:
        return dict(settings)
    return {"size": f"{field.rows}x{field.columns}", "bombs": bombs, "safe_start": False, "seed": seed}


def set_up(settings: Mapping[str, object]) -> RoomSetup:
    """Set up a room with settled settings; the same ones make the same field."""
    if "field" in settings:
        field = Field.parse(cast(str, settings["field"]), "field")
    else:
        rows, columns = map(int, cast(str, settings["size"]).split("x"))
        field = Field.laid_out(columns, rows, cast(int, settings["bombs"]), cast(int, settings["seed"]))
        if settings["safe_start"]:
            field.begin_safely()
    field.keep_scores()

    @asynccontextmanager
    async def open_room(journal: Journal | None, clocks: RoomClocks) -> AsyncIterator[OpenedRoom]:
        async with open_game(field, journal=journal) as game:
            yield OpenedRoom(game, partial(finished, game))

    return RoomSetup(open_room)


async def finished(game: Game) -> GameResult:
    """Wait until all squares without a bomb are dug, and return the result. Raises GameClosed if that never happens."""
    standing = await game.finished()
    return GameResult.of(standing.squares, {name: {"booms": booms} for name, booms in standing.booms.items()})


def choices(*, most_squares: int) -> dict[str, object]:
    """Return the usual fields that a page offers, of those with at most `most_squares` squares."""
    return {
        "presets": {
            name: {"size": f"{preset.rows}x{preset.columns}", "bombs": preset.bombs}
            for name, preset in PRESETS.items()
            if preset.rows * preset.columns <= most_squares
        }
    }


def minesweeper_rooms(most_squares: int) -> RoomKind:
    """Return the kind, with fields of at most `most_squares` squares."""
    return RoomKind(
        name="minesweeper",
        title="Minesweeper",
        settle=partial(settle, most_squares=most_squares),
        set_up=set_up,
        again=again,
        choices=partial(choices, most_squares=most_squares),
    )
