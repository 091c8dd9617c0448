"""The network side of Crossword Extravaganza: the options of `scramble crossword`, how a lobby is served, and rooms."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
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
from scramble.front.game_front import GameFront, GameSetup, LobbyRoutes, MountedGame
from scramble.front.options import PORT, SECONDS_OR_ZERO, unreadable
from scramble.front.rooms.house import RoomHouse
from scramble.front.site import SiteConfig
from scramble.front.web.door import Door
from scramble.games.kind import GameKind
from scramble.journal import Journal
from scramble.plaintext import harmless
from scramble.resources import PACKAGED_PUZZLES, PUZZLES_FOLDER
from scramble.rooms.protocol import Room
from scramble.server.asgi import router_of
from scramble.server.listening import Address

PARAMS: Final = (
    click.Argument(["puzzle_dir"], type=click.Path(path_type=Path), required=False),
    click.Option(
        ["--port"], default=8080, show_default=True, type=PORT, help="The port of the page; 0 is any free one."
    ),
    click.Option(["--telnet-port"], default=4445, show_default=True, type=PORT, help="The port for telnet, likewise."),
    click.Option(
        ["--grace"],
        default="30",
        show_default=True,
        type=SECONDS_OR_ZERO,
        help="Seconds in which a player can come back to a match after a lost connection; 0 forfeits it at once.",
    ),
    click.Option(
        ["--idle"],
        default=f"{IDLE_S:g}",
        show_default=True,
        type=SECONDS_OR_ZERO,
        help="Seconds after which a session ends that does nothing outside a match; 0 is never.",
    ),
    click.Option(
        ["--match-idle"],
        default=f"{MATCH_IDLE_S:g}",
        show_default=True,
        type=SECONDS_OR_ZERO,
        help="Seconds after which a match ends in which nobody moves; 0 is never.",
    ),
)


def set_up(
    puzzle_dir: Path | None,
    port: int = 0,
    telnet_port: int = 0,
    *,
    grace: float,
    idle: float,
    match_idle: float,
) -> GameSetup:
    """Set up a lobby with the puzzles in that folder, or with the packaged ones.

    Prints a line on standard error for each file that is not a puzzle. Raises OperatorError if there is no puzzle.
    """
    puzzles = _read(puzzle_dir or PACKAGED_PUZZLES)

    @asynccontextmanager
    async def open_mounted(journal: Journal | None) -> AsyncIterator[MountedGame]:
        opened = open_lobby(puzzles, grace=grace, idle=idle, match_idle=match_idle, journal=journal)
        async with opened as lobby:

            def make_site(site: SiteConfig, telnet_port: int | None, /) -> QuartTrio:
                return make_crossword_app(lobby, telnet_port=telnet_port, site=site)

            async def serve_lines(
                site: SiteConfig, *, host: str, port: int, task_status: trio.TaskStatus[Address]
            ) -> None:
                limits, seats = site.protection.limits, site.protection.seats
                serve = partial(serve_crossword_telnet, lobby, server_limits=limits, seats=seats, traffic=site.traffic)
                await serve(host=host, port=port, task_status=task_status)

            yield MountedGame(lobby, make_site, serve_lines)

    return GameSetup(open_mounted, {"http": port, "telnet": telnet_port}, same_start=puzzle_dir is not None)


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
        return CrosswordFront(room.game, limits=house.site.protection.limits, beside=house.gathering(room).beside)

    def make_bare(door: Door[CrosswordFront]) -> QuartTrio:
        app = make_bare_app(door)
        add_seated_sessions(router_of(app), door)
        add_match_text(app, door, house.title)
        return app

    return house.make_app(make_front, make_bare)


PUZZLES: Final = click.Option(
    ["--puzzles"],
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Offer the crosswords in this folder, too.  [default: the one of import-puzzle]",
)


def limit(values: Mapping[str, object], folder: Path | None) -> GameKind:
    """Return the kind, with the puzzles of `--puzzles`, or those in the folder of the rooms."""
    given = values["puzzles"]
    return crossword_kind(PuzzleFolder(given if isinstance(given, Path) else folder and folder / PUZZLES_FOLDER))


CROSSWORD_FRONT: Final = GameFront(
    kind=CROSSWORD,
    help="Serve Crossword Extravaganza with the puzzles in PUZZLE_DIR, or with the packaged ones.",
    params=PARAMS,
    set_up=set_up,
    room_app=room_app,
    serve_params=(PUZZLES,),
    limit=limit,
    lobby=LobbyRoutes(add_puzzle_import, {PATH: PUZZLE_BODY_BYTES}),
)
