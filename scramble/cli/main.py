"""The command line: `scramble` and its commands. Each kind of game has a command that serves it.

Standard output has the results (addresses, tables, boards), standard error the errors. Exit codes: 0 success, 1 a file
or an address that cannot be used, 2 invalid usage, 130 interrupted before the end.
"""

from __future__ import annotations

import errno
import platform
import re
import sqlite3
import sys
from functools import partial
from pathlib import Path
from typing import Final, cast

import click
import trio

from scramble.cli.bot import bot_command
from scramble.cli.commands import CommandGroup, SectionedCommand
from scramble.cli.config import OPTIONS, take_config
from scramble.cli.journal import journal_commands
from scramble.cli.logging import logging_to_standard_error
from scramble.cli.rooms import backup_command, rooms_commands
from scramble.cli.run import run_game, run_replay, run_until_stopped
from scramble.cli.serve import announce, serve_command
from scramble.front.games import GAMES, NARRATORS
from scramble.front.kind import GameKind
from scramble.front.memory.kind import read_board
from scramble.front.options import FILE, MILLISECONDS, PORT, TIMES, host_name, random_seed
from scramble.journal import read_recording
from scramble.memory.random_board import Theme, new_board
from scramble.replay import Replay, ReplayError
from scramble.resources import PACKAGED_BOARD
from scramble.simulation.simulate import MAX_PLAYERS, Plan

INTERRUPTED: Final = 130  # the exit code that shells report for a program ended by Ctrl-C


@click.group(cls=CommandGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(
    package_name="scramble",
    message=f"scramble, version %(version)s (Python {platform.python_version()}, SQLite {sqlite3.sqlite_version},"
    f" trio {trio.__version__})",
)
@click.pass_context
def main(context: click.Context) -> None:
    """Three concurrent multiplayer grid games. Without a command: scramble serve."""
    if context.invoked_subcommand is None:
        context.invoke(SERVE)


def game_command(kind: GameKind) -> click.Command:
    """Make the command that serves a game of this kind until SIGINT or SIGTERM."""

    def serve(**values: object) -> None:
        config = take_config(values)
        with logging_to_standard_error(config.log_format, config.log_level):
            setup = kind.set_up(**values)
            run_until_stopped(partial(run_game, kind, setup, config, announce))

    params = [*kind.params, *OPTIONS]
    return SectionedCommand(kind.name, callback=serve, params=params, help=kind.help, short_help=kind.summary)


SERVE: Final = serve_command()
main.add_command(SERVE)
for kind in GAMES.values():
    main.add_command(game_command(kind))


@main.command("simulate", short_help="Let random players play Memory Scramble.")
@click.argument("board", type=FILE, required=False)
@click.option("--players", default=4, show_default=True, type=click.IntRange(1, MAX_PLAYERS), help="Number of players.")
@click.option("--moves", default=100, show_default=True, type=click.IntRange(0), help="Flips that each player tries.")
@click.option("--min-delay", default=0.1, show_default=True, type=MILLISECONDS, help="Minimum time before each flip.")
@click.option("--max-delay", default=2.0, show_default=True, type=MILLISECONDS, help="Maximum time before each flip.")
@click.option("--seed", type=int, help="Repeat the players' choices; the order of simultaneous flips may still vary.")
@click.option("--watch", is_flag=True, help="Print changes as they happen.")
def simulate_command(
    board: Path | None, players: int, moves: int, min_delay: float, max_delay: float, seed: int | None, watch: bool
) -> None:
    """Let random players play on BOARD, or on a small packaged board, and print their statistics.

    Ends when all players have made their flips, or when no player can move: by the rules a player who has finished
    keeps control of cards, so a player who waits for one of these cards waits for ever.
    """
    # Imported here, as in `replay`: rich takes a tenth of the time in which a server starts, which needs none of it.
    from scramble.simulation.report import Interrupted, show_simulation

    if min_delay > max_delay:
        raise click.UsageError(f"--min-delay {min_delay:g} is above --max-delay {max_delay:g}")
    plan = Plan(players, moves, min_delay / 1000, max_delay / 1000, random_seed() if seed is None else seed)
    interrupted, reader_gone = False, False
    try:
        trio.run(partial(show_simulation, read_board(board or PACKAGED_BOARD), plan, watch=watch))
    except* (Interrupted, KeyboardInterrupt):
        interrupted = True
    except* BrokenPipeError:
        reader_gone = True
    if interrupted:
        click.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    if reader_gone:
        raise BrokenPipeError(errno.EPIPE, "nobody reads this any more")  # click then exits without a message


def board_size(text: str) -> tuple[int, int]:
    """Parse a size such as 4x6, rows and then columns, as the type of an argument."""
    match = re.fullmatch(r"([0-9]{1,9})x([0-9]{1,9})", text)
    if match is None:
        raise click.BadParameter(f"{text!r} is not a size such as 4x6: ROWSxCOLUMNS")
    return int(match[1]), int(match[2])


@main.command("new-board", short_help="Write a random board for Memory Scramble.")
@click.argument("size", metavar="ROWSxCOLUMNS", type=board_size)
@click.option(
    "--theme", default="emoji", show_default=True, type=click.Choice(["emoji", "letters"]), help="The kind of cards."
)
@click.option("--seed", type=int, help="Make the same board again.")
def new_board_command(size: tuple[int, int], theme: str, seed: int | None) -> None:
    """Write a random board of pairs to standard output, as in `scramble new-board 4x6 > board.txt`."""
    try:
        text = new_board(*size, cast(Theme, theme), random_seed() if seed is None else seed)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    click.echo(text, nl=False)


@main.command("replay", short_help="Replay the game in a journal.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", help="The name of the game, if the file has several.")
@click.option("--at", type=click.IntRange(0), metavar="SEQ", help="Show the board as it was after command SEQ.")
@click.option("--speed", default="1", show_default=True, type=TIMES, help="The speed, relative to the original.")
@click.option("--summary", is_flag=True, help="Print a table of each player's moves.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address of the page; 0.0.0.0 for a LAN.")
@click.option("--http-port", type=PORT, help="Serve a page with the replay; 0 selects any free port.")
@click.option(
    "--host-name",
    multiple=True,
    type=host_name,
    metavar="NAME",
    help="A name of the page's server, such as play.example.org; may be repeated.",
)
def replay_command(
    file: Path,
    name: str | None,
    at: int | None,
    speed: float,
    summary: bool,
    host: str,
    http_port: int | None,
    host_name: tuple[str, ...],
) -> None:
    """Replay the game in a journal FILE, in the terminal or, with --http-port, in the browser.

    The replay keeps the original times, but shortens long pauses. If the output is not a terminal, everything is
    printed at once.
    """
    from rich.console import Console

    from scramble.replay.terminal import play, show_at, show_summary

    if sum((at is not None, summary, http_port is not None)) > 1:
        raise click.UsageError("--at, --summary and --http-port do not go together")
    try:
        replay = Replay(read_recording(file, name), narrators=NARRATORS)
        console = Console(highlight=False)
        if http_port is not None:
            serve = partial(run_replay, file, replay.recording.name, host=host, port=http_port)
            run_until_stopped(partial(serve, host_names=host_name, announce=announce))
        elif summary:
            show_summary(replay, console)
        elif at is None:
            play(replay, console, speed)
        elif at <= replay.last:
            show_at(replay, console, at)
        else:
            raise click.UsageError(f"there is no command {at}: the last one is {replay.last}")
    except ReplayError as error:
        raise ReplayError(f"{file}: {error}") from None
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


main.add_command(journal_commands)
main.add_command(rooms_commands)
main.add_command(backup_command)
main.add_command(bot_command)
