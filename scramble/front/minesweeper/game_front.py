"""The network side of Minesweeper: the options of `scramble minesweeper`, the game, and its rooms."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import click
import trio
from quart_trio import QuartTrio

from scramble.errors import JournalError
from scramble.front.game_front import GameFront, GameSetup, MountedGame, Transport
from scramble.front.minesweeper.front import MinesweeperFront
from scramble.front.minesweeper.http import make_bare_app, make_minesweeper_app
from scramble.front.minesweeper.telnet import serve_telnet
from scramble.front.options import PORT, Values, flag, option, options_of, params_of, unreadable
from scramble.front.rooms.house import RoomHouse
from scramble.front.site import SiteConfig
from scramble.games.kind import GameKind
from scramble.journal import Journal, read_recording
from scramble.journal.recording import LEAVE_OUT
from scramble.minesweeper import Field, Game, open_game
from scramble.minesweeper.fieldfile import MAX_SQUARES
from scramble.minesweeper.kind import MINESWEEPER, minesweeper_kind
from scramble.minesweeper.layout import DENSITY, PRESETS
from scramble.minesweeper.room import MOST_SQUARES
from scramble.rooms.protocol import Room
from scramble.server.listening import Address


def field_size(text: str) -> tuple[int, int]:
    """Parse the value of an option: a size such as 30,16 or 30x16, with at least one column and one row."""
    match = re.fullmatch(r"([0-9]{1,9})[,x]([0-9]{1,9})", text)
    columns, rows = (int(match[1]), int(match[2])) if match else (0, 0)
    if columns < 1 or rows < 1:
        raise click.BadParameter(f"{text!r} is not a size such as 30,16 or 30x16: columns and rows, both positive")
    if columns * rows > MAX_SQUARES:
        raise click.BadParameter(f"{text} is more than {MAX_SQUARES} squares")
    return columns, rows


MOST_SCORED: Final = 250_000
"""Largest field with scores, in squares. Scores need two bytes a square. The end shows the owners of all squares."""


@dataclass(frozen=True, kw_only=True)
class MinesweeperOptions:
    """Options of `scramble minesweeper`, without the options that all games share."""

    debug: bool = flag("--debug/--no-debug", help="Keep a player connected after a BOOM!")
    port: int = option("--port", 4444, type=PORT, help="The port for telnet; 0 selects any free port.", hosted=False)
    size: tuple[int, int] | None = option(
        "--size",
        None,
        type=field_size,
        metavar="X,Y",
        help="A random field of X columns and Y rows, as 30,16 or 30x16. Without this and --file: 10,10.",
    )
    preset: str | None = option(
        "--preset",
        None,
        type=click.Choice(list(PRESETS)),
        help="A standard field: 9x9 with 10 bombs, 16x16 with 40 bombs, or 30x16 with 99 bombs.",
    )
    bombs: int | None = option(
        "--bombs",
        None,
        type=click.IntRange(min=0),
        metavar="N",
        help="The exact number of bombs. Their places are random.",
    )
    density: float | None = option(
        "--density",
        None,
        type=click.FloatRange(0, 1),
        metavar="P",
        help=f"Each square has a bomb with probability P. Without this and --bombs: {DENSITY}.",
    )
    safe_start: bool = flag(
        "--safe-start/--no-safe-start",
        help="Before the first dig, move bombs away from its square and the neighbours.",
    )
    file: Path | None = option(
        "--file", None, type=click.Path(path_type=Path), help="A field from a file in the handout's format."
    )
    seed: int | None = option("--seed", None, type=int, help="Seed of the random field. Equal seeds make equal fields.")
    http_port: int | None = option(
        "--http-port", None, type=PORT, help="Also serve the page, at this port; 0 selects any free port.", hosted=False
    )
    no_telnet: bool = flag("--no-telnet", help="Serve only the page.", hosted=False)


def set_up(values: Values) -> GameSetup:
    """Set up a game on the field in a file, or on a random field.

    Raises OperatorError for an invalid file, and click.UsageError for options that cannot be combined.
    """
    options = options_of(MinesweeperOptions, values)
    _require_options_that_fit(options)
    field = _random(options) if options.file is None else _read(options.file)
    if field.columns * field.rows <= MOST_SCORED:
        field.keep_scores()
    same_start = options.file is not None or options.seed is not None
    ports: dict[Transport, int] = {} if options.no_telnet else {"telnet": options.port}
    if options.http_port is not None:
        ports["http"] = options.http_port

    @asynccontextmanager
    async def open_mounted(journal: Journal | None) -> AsyncIterator[MountedGame]:
        async with open_game(field, journal=journal) as game:

            def make_site(site: SiteConfig, telnet_port: int | None, /) -> QuartTrio:
                return make_minesweeper_app(game, debug=options.debug, telnet_port=telnet_port, site=site)

            async def serve_lines(
                site: SiteConfig, *, host: str, port: int, task_status: trio.TaskStatus[Address]
            ) -> None:
                serve = partial(serve_telnet, game, debug=options.debug, limits=site.protection.limits)
                await serve(host=host, port=port, traffic=site.traffic, task_status=task_status)

            yield MountedGame(game, make_site, serve_lines, game.changes)

    is_sized = options.size is not None or options.preset is not None
    check = partial(_require_size, field) if is_sized and not same_start else None
    return GameSetup(open_mounted, ports, same_start, check)


def _require_options_that_fit(options: MinesweeperOptions) -> None:
    """Raise click.UsageError for options that cannot be combined."""
    density = options.density
    laid_out = {"--size": options.size, "--preset": options.preset, "--bombs": options.bombs, "--density": density}
    given = [name for name, value in laid_out.items() if value is not None] + ["--safe-start"] * options.safe_start
    if options.file is not None and given:
        raise click.UsageError(f"--file and {given[0]} cannot be combined: the file has the field")
    if options.preset is not None and given[0:1] != ["--preset"]:
        raise click.UsageError("--preset and --size cannot be combined: the preset has a size")
    if options.preset is not None and (options.bombs is not None or density is not None):
        raise click.UsageError(f"--preset and {given[1]} cannot be combined: the preset has its number of bombs")
    if options.bombs is not None and density is not None:
        raise click.UsageError("--bombs and --density cannot be combined: both set the number of bombs")
    if density is not None and not 0 <= density <= 1:  # click's range accepts "nan"
        raise click.UsageError("--density is from 0 to 1")
    if options.no_telnet and options.http_port is None:
        raise click.UsageError("--no-telnet without --http-port: there is nothing to serve")


def _random(options: MinesweeperOptions) -> Field:
    """Make a random field. Raises click.UsageError if the field has too many bombs, or if no safe start is possible."""
    (columns, rows), bombs = options.size or (10, 10), options.bombs
    if options.preset is not None:
        rows, columns, bombs = PRESETS[options.preset]
    if bombs is not None and bombs > columns * rows:
        raise click.UsageError(f"--bombs {bombs} is more than the {columns * rows} squares of the field")
    if bombs is None:
        density = DENSITY if options.density is None else options.density
        field = Field.random(columns, rows, options.seed, density=density)
    else:
        field = Field.laid_out(columns, rows, bombs, options.seed)
    if options.safe_start:
        try:
            field.begin_safely()
        except ValueError as error:
            raise click.UsageError(f"--safe-start is not possible: {error}") from None
    return field


def _read(path: Path) -> Field:
    try:
        return Field.parse_from_file(path)
    except OSError as error:
        raise unreadable(path, error) from error


def _require_size(field: Field, journal: Journal) -> None:
    """Raise JournalError if the journal has a game, and its first field does not have the size of `field`.

    Blocks.
    """
    try:
        recording = read_recording(journal.path, journal.name, after=sys.maxsize)
        first = Field.restore(recording.first)
    except (JournalError, ValueError):
        return  # the journal has no game yet, or is invalid: opening an invalid journal reports the error
    if (first.columns, first.rows) != (field.columns, field.rows):
        raise JournalError(
            f"{journal.path}: {recording.name!r} is a game of {recording.kind} that began with"
            f" {first.columns} columns and {first.rows} rows, not {field.columns} and {field.rows}: {LEAVE_OUT}"
        )


def room_app(house: RoomHouse) -> QuartTrio:
    """Make the application of all rooms. Blocks while it reads the pages."""

    def make_front(room: Room) -> MinesweeperFront:
        assert isinstance(room.game, Game)
        return MinesweeperFront(
            room.game,
            booms_pause=True,
            limits=house.site.protection.limits,
            traffic=house.site.traffic,
            beside=house.gathering_of(room).beside,
        )

    return house.make_app(make_front, make_bare_app)


@dataclass(frozen=True, kw_only=True)
class MinesweeperRoomsOptions:
    """Options of `scramble serve` for rooms of this game."""

    max_squares: int = option(
        "--max-squares",
        MOST_SQUARES,
        type=click.IntRange(1),
        metavar="N",
        help="Largest field of a Minesweeper room, in squares.",
    )


def limit(values: Values, _folder: Path | None) -> GameKind:
    """Return the kind with fields of at most `--max-squares` squares."""
    return minesweeper_kind(options_of(MinesweeperRoomsOptions, values).max_squares)


MINESWEEPER_FRONT: Final = GameFront(
    kind=MINESWEEPER,
    help="Serve Multiplayer Minesweeper to telnet, and to browsers with --http-port: one field for all.",
    params=params_of(MinesweeperOptions),
    set_up=set_up,
    room_app=room_app,
    serve_params=params_of(MinesweeperRoomsOptions),
    limit=limit,
)
