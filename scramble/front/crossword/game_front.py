"""The network side of Crossword Extravaganza: the options of `scramble crossword`, its lobby, and its rooms."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import click
import trio
from quart_trio import QuartTrio

from scramble.crossword import Game, Puzzle, load_puzzles, open_lobby
from scramble.crossword.game import IDLE_S, MATCH_IDLE_S
from scramble.crossword.kind import CROSSWORD, crossword_kind
from scramble.crossword.puzzle_folder import PuzzleFolder
from scramble.errors import CannotRead
from scramble.front.crossword.front import CrosswordFront
from scramble.front.crossword.http import add_match_text, add_seated_sessions, make_bare_app, make_crossword_app
from scramble.front.crossword.puzzle_import import PATH, PUZZLE_BODY_BYTES, add_puzzle_import
from scramble.front.crossword.telnet import serve_crossword_telnet
from scramble.front.game_front import GameFront, GameSetup, LobbyRoutes, MountedGame, Transport
from scramble.front.options import PORT, SECONDS_OR_ZERO, Values, argument, option, options_of, params_of, unreadable
from scramble.front.rooms.house import RoomHouse
from scramble.front.sections import Section
from scramble.front.site import SiteConfig
from scramble.front.web.door import Door
from scramble.games.kind import GameKind
from scramble.journal import Journal
from scramble.plaintext import harmless
from scramble.resources import PACKAGED_PUZZLES, PUZZLES_FOLDER
from scramble.rooms.protocol import Room
from scramble.server.asgi import router_of
from scramble.server.listening import Address


@dataclass(frozen=True, kw_only=True)
class CrosswordOptions:
    """Options of `scramble crossword`, without the options that all games share."""

    puzzle_dir: Path | None = argument("puzzle_dir", type=click.Path(path_type=Path))
    port: int = option("--port", 8080, type=PORT, help="The port of the page; 0 selects any free port.", hosted=False)
    telnet_port: int = option(
        "--telnet-port", 4445, type=PORT, help="The port for telnet; 0 selects any free port.", hosted=False
    )
    grace: float = option(
        "--grace",
        30.0,
        type=SECONDS_OR_ZERO,
        help="Seconds that a player has to reconnect to a match; 0: a lost connection forfeits the match at once.",
    )
    idle: float = option(
        "--idle",
        IDLE_S,
        type=SECONDS_OR_ZERO,
        help="End a session without a match after this many seconds without input; 0: never.",
    )
    match_idle: float = option(
        "--match-idle",
        MATCH_IDLE_S,
        type=SECONDS_OR_ZERO,
        help="End a match after this many seconds without a move; 0: never.",
    )


def set_up(values: Values) -> GameSetup:
    """Set up a lobby with the puzzles in a folder, or with the packaged puzzles.

    Prints a line on standard error for each file that is not a puzzle. Raises OperatorError if no file is a puzzle.
    """
    options = options_of(CrosswordOptions, values)
    puzzles = _read(options.puzzle_dir or PACKAGED_PUZZLES)

    @asynccontextmanager
    async def open_mounted(journal: Journal | None) -> AsyncIterator[MountedGame]:
        opened = partial(open_lobby, grace=options.grace, idle=options.idle, match_idle=options.match_idle)
        async with opened(puzzles, journal=journal) as lobby:

            def make_site(site: SiteConfig, telnet_port: int | None, /) -> QuartTrio:
                return make_crossword_app(lobby, telnet_port=telnet_port, site=site)

            async def serve_lines(
                site: SiteConfig, *, host: str, port: int, task_status: trio.TaskStatus[Address]
            ) -> None:
                limits, seats = site.protection.limits, site.protection.seats
                serve = partial(serve_crossword_telnet, lobby, server_limits=limits, seats=seats, traffic=site.traffic)
                await serve(host=host, port=port, task_status=task_status)

            yield MountedGame(lobby, make_site, serve_lines)

    ports: dict[Transport, int] = {"http": options.port, "telnet": options.telnet_port}
    return GameSetup(open_mounted, ports, same_start=options.puzzle_dir is not None)


def _read(folder: Path) -> tuple[Puzzle, ...]:
    try:
        puzzles, errors = load_puzzles(folder)
    except OSError as error:
        raise unreadable(folder, error) from error
    for bad in errors:
        click.echo(f"skipped {harmless(str(bad))}", err=True)
    if not puzzles:
        raise CannotRead(f"there is no puzzle to play in {harmless(str(folder))}")
    return puzzles


def room_app(house: RoomHouse) -> QuartTrio:
    """Make the application of all rooms. Blocks while it reads the pages."""

    def make_front(room: Room) -> CrosswordFront:
        assert isinstance(room.game, Game)
        return CrosswordFront(room.game, limits=house.site.protection.limits, beside=house.gathering_of(room).beside)

    def make_bare(door: Door[CrosswordFront]) -> QuartTrio:
        app = make_bare_app(door)
        add_seated_sessions(router_of(app), door)
        add_match_text(app, door, house.title)
        return app

    return house.make_app(make_front, make_bare)


@dataclass(frozen=True, kw_only=True)
class CrosswordRoomsOptions:
    """Options of `scramble serve` for rooms of this game."""

    puzzles: Path | None = option(
        "--puzzles",
        None,
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help=f"Offer the crosswords in this folder, too.  [default: `{PUZZLES_FOLDER}` in the folder of the rooms]",
        section=Section.KEEPING_ROOMS,
    )


def limit(values: Values, folder: Path | None) -> GameKind:
    """Return the kind with the puzzles in the folder `--puzzles`, by default a folder in the folder of the rooms."""
    given = options_of(CrosswordRoomsOptions, values).puzzles
    return crossword_kind(PuzzleFolder(given or (folder and folder / PUZZLES_FOLDER)))


CROSSWORD_FRONT: Final = GameFront(
    kind=CROSSWORD,
    help="Serve Crossword Extravaganza with the puzzles in PUZZLE_DIR, or with the packaged puzzles.",
    params=params_of(CrosswordOptions),
    set_up=set_up,
    room_app=room_app,
    serve_params=params_of(CrosswordRoomsOptions),
    limit=limit,
    lobby=LobbyRoutes(add_puzzle_import, {PATH: PUZZLE_BODY_BYTES}),
)
