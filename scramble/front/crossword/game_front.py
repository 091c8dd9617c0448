"""Crossword Extravaganza as a kind of game: the options of `scramble crossword`, and how a lobby is served."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

import click
import trio
from quart_trio import QuartTrio

from scramble.crossword import Lobby, Puzzle, load_puzzles, open_lobby
from scramble.crossword.game import IDLE_S, MATCH_IDLE_S
from scramble.crossword.narrator import CrosswordNarrator
from scramble.errors import CannotRead
from scramble.front.crossword.http import make_crossword_app
from scramble.front.crossword.telnet import serve_crossword_telnet
from scramble.front.game_front import GameKind, GameSetup, MountedGame
from scramble.front.options import PORT, SECONDS_OR_ZERO, unreadable
from scramble.front.site import SiteConfig
from scramble.journal import Journal
from scramble.plaintext import harmless
from scramble.resources import PACKAGED_PUZZLES
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


CROSSWORD: Final = GameKind(
    name="crossword",
    title="Crossword Extravaganza",
    help="Serve Crossword Extravaganza with the puzzles in PUZZLE_DIR, or with the packaged ones.",
    params=PARAMS,
    set_up=set_up,
    restore=Lobby.restore,
    narrator=CrosswordNarrator,
)
