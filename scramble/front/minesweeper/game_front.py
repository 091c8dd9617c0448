"""The network side of Minesweeper: the options of `scramble minesweeper`, a game from their values, and its rooms."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
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
from scramble.front.options import PORT, unreadable
from scramble.front.rooms.house import RoomHouse
from scramble.front.site import SiteConfig
from scramble.games.kind import GameKind
from scramble.journal import Journal, read_recording
from scramble.minesweeper import Field, Game, open_game
from scramble.minesweeper.fieldfile import MAX_SQUARES
from scramble.minesweeper.kind import MINESWEEPER, minesweeper_kind
from scramble.minesweeper.layout import DENSITY, PRESETS
from scramble.minesweeper.room import MOST_SQUARES
from scramble.rooms.protocol import Room
from scramble.server.listening import Address


def field_size(text: str) -> tuple[int, int]:
    """Parse a size such as 30,16 or 30x16, columns and then rows, at least one of each, as the type of an option."""
    match = re.fullmatch(r"([0-9]{1,9})[,x]([0-9]{1,9})", text)
    columns, rows = (int(match[1]), int(match[2])) if match else (0, 0)
    if columns < 1 or rows < 1:
        raise click.BadParameter(f"{text!r} is not a size such as 30,16 or 30x16: columns and rows, both positive")
    if columns * rows > MAX_SQUARES:
        raise click.BadParameter(f"{text} is more than {MAX_SQUARES} squares")
    return columns, rows


MOST_SCORED: Final = 250_000
"""Squares of a field up to which scores are kept: they take two bytes a square, and the end shows them all at once."""

PARAMS: Final = (
    click.Option(["--debug/--no-debug"], default=False, help="Keep a player connected after a BOOM!"),
    click.Option(
        ["--port"], default=4444, show_default=True, type=PORT, help="The port for telnet; 0 selects any free port."
    ),
    click.Option(
        ["--size"],
        type=field_size,
        metavar="X,Y",
        help="A random field of X columns and Y rows, as 30,16 or 30x16. Without this and --file: 10,10.",
    ),
    click.Option(
        ["--preset"],
        type=click.Choice(list(PRESETS)),
        help="A usual field: 9x9 with 10 bombs, 16x16 with 40, or 30x16 with 99.",
    ),
    click.Option(["--bombs"], type=click.IntRange(min=0), metavar="N", help="Exactly so many bombs at random places."),
    click.Option(
        ["--density"],
        type=click.FloatRange(0, 1),
        metavar="P",
        help=f"Each square has a bomb with probability P. Without this and --bombs: {DENSITY}.",
    ),
    click.Option(
        ["--safe-start/--no-safe-start"],
        default=False,
        help="Bombs at the first square to be dug, or beside it, move elsewhere before.",
    ),
    click.Option(["--file"], type=click.Path(path_type=Path), help="A field from a file in the handout's format."),
    click.Option(["--seed"], type=int, help="Make the same random field again; --file needs none."),
    click.Option(["--http-port"], type=PORT, help="Serve the page, too; 0 selects any free port."),
    click.Option(["--no-telnet"], is_flag=True, help="Serve only the page."),
)


def set_up(
    debug: bool,
    size: tuple[int, int] | None,
    file: Path | None,
    seed: int | None,
    port: int = 0,
    http_port: int | None = None,
    no_telnet: bool = False,
    preset: str | None = None,
    bombs: int | None = None,
    density: float | None = None,
    safe_start: bool = False,
) -> GameSetup:
    """Set up a game on the field in that file, or on a random one of that size, with so many bombs.

    Raises OperatorError for a file that cannot be used, click.UsageError for options that do not go together.
    """
    laid_out = {"--size": size, "--preset": preset, "--bombs": bombs, "--density": density}
    given = [option for option, value in laid_out.items() if value is not None] + ["--safe-start"] * safe_start
    if file is not None and given:
        raise click.UsageError(f"--file has a field of its own: it does not go with {given[0]}")
    if preset is not None and given[0:1] != ["--preset"]:
        raise click.UsageError("--preset has a size of its own: it does not go with --size")
    if preset is not None and (bombs is not None or density is not None):
        raise click.UsageError(f"--preset has its number of bombs: it does not go with {given[1]}")
    if bombs is not None and density is not None:
        raise click.UsageError("--bombs and --density both say how many bombs there are: give one of them")
    if density is not None and not 0 <= density <= 1:  # click's range lets "nan" through
        raise click.UsageError("--density is from 0 to 1")
    if no_telnet and http_port is None:
        raise click.UsageError("--no-telnet leaves nothing to serve without --http-port")
    if file is not None:
        field = _read(file)
    else:
        rows, columns, bombs = PRESETS[preset] if preset is not None else (*(size or (10, 10))[::-1], bombs)
        field = _random(columns, rows, bombs, DENSITY if density is None else density, seed, safe_start)
    if field.columns * field.rows <= MOST_SCORED:
        field.keep_scores()
    same_start = file is not None or seed is not None
    ports: dict[Transport, int] = {} if no_telnet else {"telnet": port}
    if http_port is not None:
        ports["http"] = http_port

    @asynccontextmanager
    async def open_mounted(journal: Journal | None) -> AsyncIterator[MountedGame]:
        async with open_game(field, journal=journal) as game:

            def make_site(site: SiteConfig, telnet_port: int | None, /) -> QuartTrio:
                return make_minesweeper_app(game, debug=debug, telnet_port=telnet_port, site=site)

            async def serve_lines(
                site: SiteConfig, *, host: str, port: int, task_status: trio.TaskStatus[Address]
            ) -> None:
                serve = partial(serve_telnet, game, debug=debug, limits=site.protection.limits, traffic=site.traffic)
                await serve(host=host, port=port, task_status=task_status)

            yield MountedGame(game, make_site, serve_lines, game.changes)

    is_sized = size is not None or preset is not None
    check = partial(_require_size, field) if is_sized and not same_start else None
    return GameSetup(open_mounted, ports, same_start, check)


def _random(columns: int, rows: int, bombs: int | None, density: float, seed: int | None, safe_start: bool) -> Field:
    squares = columns * rows
    if bombs is not None and bombs > squares:
        raise click.UsageError(f"--bombs {bombs} is more than the {squares} squares of the field")
    if bombs is None:
        field = Field.random(columns, rows, seed, density=density)
    else:
        field = Field.laid_out(columns, rows, bombs, seed)
    if safe_start:
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
    """Check that the first field of the journal's game, if the journal has one, is as large as `field`. Blocks.

    Raises JournalError if it is not.
    """
    try:
        recording = read_recording(journal.path, journal.name, after=sys.maxsize)
        first = Field.restore(recording.first)
    except (JournalError, ValueError):
        return  # the journal has no game yet; or it cannot be used, and opening it reports why
    if (first.columns, first.rows) != (field.columns, field.rows):
        raise JournalError(
            f"{journal.path}: {recording.name!r} is a game of {recording.kind} that began with"
            f" {first.columns} columns and {first.rows} rows, not {field.columns} and {field.rows}"
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
            beside=house.gathering(room).beside,
        )

    return house.make_app(make_front, make_bare_app)


MAX_SQUARES_OPTION: Final = click.Option(
    ["--max-squares"],
    default=MOST_SQUARES,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="Squares of a field of Minesweeper in a room.",
)


def limit(values: Mapping[str, object], _folder: Path | None) -> GameKind:
    """Return the kind, with fields as large as `--max-squares` allows."""
    most = values["max_squares"]
    assert isinstance(most, int)
    return minesweeper_kind(most)


MINESWEEPER_FRONT: Final = GameFront(
    kind=MINESWEEPER,
    help="Serve Multiplayer Minesweeper to telnet, and to browsers with --http-port: one field for all.",
    params=PARAMS,
    set_up=set_up,
    room_app=room_app,
    serve_params=(MAX_SQUARES_OPTION,),
    limit=limit,
)
