"""The command line: `scramble`, and a command for each thing that it does.

Standard output carries the results (addresses, tables, boards), standard error the complaints. Exit codes: 0 done,
1 a file or an address that cannot be used, 2 an error of use, 130 interrupted before it was done.
"""

from __future__ import annotations

import errno
import random
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NoReturn, cast

import click
import trio
from rich.console import Console

from scramble.app import PACKAGED_BOARD, PACKAGED_PUZZLES, run_crossword, run_memory, run_minesweeper, run_replay
from scramble.crossword import Puzzle, load_puzzles
from scramble.crossword.screen import harmless
from scramble.errors import FileFormatError, JournalError, JournalFailed
from scramble.front.http import Edition
from scramble.front.server import CannotListen
from scramble.front.switches import Switch
from scramble.front.tls import BadCertificate
from scramble.journal import read_recording
from scramble.memory import Board
from scramble.memory.newboard import Theme, new_board
from scramble.minesweeper import Field
from scramble.options import FILE, MILLISECONDS, PORT, SECONDS, SECONDS_OR_NONE_AT_ALL, TIMES, board_size, field_size
from scramble.replay import Replay, ReplayError
from scramble.replay.terminal import play, show_at, show_summary
from scramble.report import Interrupted, show_simulation
from scramble.sections import Sectioned
from scramble.serving import Serving
from scramble.serving_options import serving_options
from scramble.simulate import MAX_PLAYERS, Plan

INTERRUPTED = 130  # what shells report for a program that Ctrl-C has ended


def fail(reason: object) -> NoReturn:
    """One line on standard error, exit code 1."""
    raise click.ClickException(str(reason))


def some_seed() -> int:
    """A seed for those who gave none: small enough to be typed again."""
    return random.SystemRandom().randrange(10**6)


def announce(line: str) -> None:
    """One line on standard output, flushed (by click), so that a program that started this one can read it at once."""
    click.echo(line)


def run(main: Callable[[], Coroutine[object, object, None]]) -> None:
    """Run a server's main function until it ends; what it cannot have (an address, a journal) is one line."""
    refused: BaseException | None = None
    try:
        trio.run(main)
    except* (CannotListen, BadCertificate, JournalError, JournalFailed) as group:
        refused = _leaves(group)[0]
    except* KeyboardInterrupt:  # before the server was ready to hear it
        pass
    if isinstance(refused, JournalFailed) and refused.file is not None:
        fail(f"{refused.file}: {refused}")
    if refused is not None:
        fail(refused)


def _leaves(group: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    nested = (_leaves(e) if isinstance(e, BaseExceptionGroup) else [e] for e in group.exceptions)
    return [error for errors in nested for error in errors]


def read_board(path: Path | None) -> Board:
    """The board in the file, or the packaged one; a bad file ends the program with one line."""
    try:
        return Board.parse_from_file(path or PACKAGED_BOARD)
    except (FileFormatError, OSError) as error:
        fail(error)


class ErrorOfUse(click.ClickException):
    """An error of use in one line, without the usage that click puts before it: `--help` has that."""

    exit_code = 2


class Commands(click.Group):
    """The commands, whose errors of use are one line each, and whose help has sections."""

    command_class = Sectioned

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: object
    ) -> click.Context:
        """As click's, for the options before a command."""
        with one_line():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        """As click's, for a command and what follows it."""
        with one_line():
            return super().invoke(ctx)


@contextmanager
def one_line() -> Iterator[None]:
    """Within the block errors of use are raised as `ErrorOfUse`."""
    try:
        yield
    except click.UsageError as error:
        raise ErrorOfUse(error.format_message()) from None


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="scramble")
@click.pass_context
def main(context: click.Context) -> None:
    """Three concurrent multiplayer grid games. Without a command: scramble memory."""
    if context.invoked_subcommand is None:
        context.invoke(memory)


@main.command(short_help="Serve Memory Scramble.")
@click.argument("board", type=FILE, required=False)
@click.option("--port", default=8080, show_default=True, type=PORT, help="The port to listen on; 0 is any free one.")
@click.option(
    "--edition",
    default="2025",
    show_default=True,
    type=click.Choice(["2022", "2025"]),
    help="How the text protocol answers a failed flip: 409 and the reason (2025), or 200 and the board (2022).",
)
@click.option("--watch-timeout", type=SECONDS, help="Answer a watch after so long even if nothing changed.")
@click.option("--no-replace", is_flag=True, help="Let nobody replace cards.")
@click.option("--no-new", is_flag=True, help="Let nobody start a new game.")
@click.option("--release-idle", type=SECONDS, help="Free the cards of players who have been gone for so long.")
@serving_options
def memory(
    board: Path | None,
    serving: Serving,
    port: int,
    edition: str,
    watch_timeout: float | None,
    release_idle: float | None,
    no_replace: bool,
    no_new: bool,
) -> None:
    """Serve Memory Scramble on BOARD, or on a small packaged board."""
    serve = partial(run_memory, serving=serving, port=port, edition=cast(Edition, edition), watch_timeout=watch_timeout)
    switches: dict[Switch, bool] = {"replace": no_replace, "new": no_new}
    off = frozenset(switch for switch, is_off in switches.items() if is_off)
    serve = partial(serve, release_idle=release_idle, same_start=board is not None, off=off)
    run(partial(serve, read_board(board), announce=announce))


@main.command("simulate", short_help="Let random players play Memory Scramble.")
@click.argument("board", type=FILE, required=False)
@click.option("--players", default=4, show_default=True, type=click.IntRange(1, MAX_PLAYERS), help="How many play.")
@click.option("--moves", default=100, show_default=True, type=click.IntRange(0), help="Flips that each player makes.")
@click.option(
    "--min-delay", default=0.1, show_default=True, type=MILLISECONDS, help="Least milliseconds before each flip."
)
@click.option(
    "--max-delay", default=2.0, show_default=True, type=MILLISECONDS, help="Most milliseconds before each flip."
)
@click.option("--seed", type=int, help="Repeats the players' choices; which of two at the same time is first may vary.")
@click.option("--watch", is_flag=True, help="Print what happens, as it happens.")
def simulate_command(
    board: Path | None, players: int, moves: int, min_delay: float, max_delay: float, seed: int | None, watch: bool
) -> None:
    """Let random players play on BOARD, or on a small packaged board, and count what they did.

    Ends when all have made their flips, or when nobody can move any more: by the rules a player who has finished keeps
    the cards held, and whoever waits for one of those waits for ever.
    """
    if min_delay > max_delay:
        raise click.UsageError(f"--min-delay {min_delay:g} is above --max-delay {max_delay:g}")
    plan = Plan(players, moves, min_delay / 1000, max_delay / 1000, some_seed() if seed is None else seed)
    interrupted, reader_gone = False, False
    try:
        trio.run(partial(show_simulation, read_board(board), plan, watch=watch))
    except* (Interrupted, KeyboardInterrupt):
        interrupted = True
    except* BrokenPipeError:
        reader_gone = True
    if interrupted:
        click.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    if reader_gone:
        raise BrokenPipeError(errno.EPIPE, "nobody reads this any more")  # click knows how to leave quietly


@main.command("new-board", short_help="Write a random board for Memory Scramble.")
@click.argument("size", metavar="ROWSxCOLUMNS", type=board_size)
@click.option(
    "--theme", default="emoji", show_default=True, type=click.Choice(["emoji", "letters"]), help="What is on the cards."
)
@click.option("--seed", type=int, help="Makes the same board again.")
def new_board_command(size: tuple[int, int], theme: str, seed: int | None) -> None:
    """Write a random board of pairs to standard output: scramble new-board 4x6 > board.txt"""
    try:
        text = new_board(*size, cast(Theme, theme), some_seed() if seed is None else seed)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    click.echo(text, nl=False)


@main.command(short_help="Serve Multiplayer Minesweeper.")
@click.option("--debug/--no-debug", default=False, help="Whether a player stays connected after a BOOM!")
@click.option("--port", default=4444, show_default=True, type=PORT, help="The port for telnet; 0 is any free one.")
@click.option(
    "--size",
    type=field_size,
    metavar="X,Y",
    help="A random field of X columns and Y rows. Without this and FILE: 10,10.",
)
@click.option("--file", type=click.Path(path_type=Path), help="A field from a file in the handout's format.")
@click.option("--seed", type=int, help="Make the random field the same each time; a FILE needs none.")
@click.option("--http-port", type=PORT, help="Serve the page, too; 0 is any free port.")
@click.option("--no-telnet", is_flag=True, help="Only the page.")
@serving_options
def minesweeper(
    debug: bool,
    serving: Serving,
    port: int,
    size: tuple[int, int] | None,
    file: Path | None,
    seed: int | None,
    http_port: int | None,
    no_telnet: bool,
) -> None:
    """Serve Multiplayer Minesweeper to telnet, and to browsers with --http-port: one field for all."""
    if file is not None and size is not None:
        raise click.UsageError("--file has a field of its own: it does not go with --size")
    if no_telnet and http_port is None:
        raise click.UsageError("--no-telnet leaves nothing to serve without --http-port")
    columns, rows = size or (10, 10)
    field = Field.random(columns, rows, seed) if file is None else read_field(file)
    telnet = None if no_telnet else port
    serve = partial(run_minesweeper, serving=serving, port=telnet, http_port=http_port, debug=debug)
    same_start = file is not None or seed is not None
    serve = partial(serve, same_start=same_start, same_size=size is not None and not same_start)
    run(partial(serve, field, announce=announce))


def read_field(path: Path) -> Field:
    """The field in the file; a bad file ends the program with one line."""
    try:
        return Field.parse_from_file(path)
    except FileFormatError as error:
        fail(error)
    except OSError as error:
        fail(f"{path}: {error.strerror}")


@main.command(short_help="Serve Crossword Extravaganza.")
@click.argument("puzzle_dir", type=click.Path(path_type=Path), required=False)
@click.option("--port", default=8080, show_default=True, type=PORT, help="The port of the page; 0 is any free one.")
@click.option("--telnet-port", default=4445, show_default=True, type=PORT, help="The port for telnet, likewise.")
@click.option(
    "--grace",
    default="30",
    show_default=True,
    type=SECONDS_OR_NONE_AT_ALL,
    help="Seconds in which a player can come back to a match after a lost connection; 0 forfeits it at once.",
)
@serving_options
def crossword(puzzle_dir: Path | None, serving: Serving, port: int, telnet_port: int, grace: float) -> None:
    """Serve Crossword Extravaganza with the puzzles in PUZZLE_DIR, or with the packaged ones."""
    puzzles = read_puzzles(puzzle_dir or PACKAGED_PUZZLES)
    serve = partial(run_crossword, serving=serving, port=port, telnet_port=telnet_port, grace=grace)
    serve = partial(serve, same_start=puzzle_dir is not None)
    run(partial(serve, puzzles, announce=announce))


def read_puzzles(folder: Path) -> tuple[Puzzle, ...]:
    """The puzzles in the folder. Each file that is none gets one line; if nothing is left the program ends."""
    try:
        puzzles, errors = load_puzzles(folder)
    except OSError as error:
        fail(error)
    for bad in errors:
        click.echo(f"skipped {harmless(str(bad))}", err=True)
    if not puzzles:
        fail(f"there is no puzzle to play in {harmless(str(folder))}")
    return puzzles


@main.command("replay", short_help="Replay a game that a journal holds.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", help="Which game of the file, if it holds several.")
@click.option("--at", type=click.IntRange(0), metavar="SEQ", help="Show the board as it was after command SEQ.")
@click.option("--speed", default="1", show_default=True, type=TIMES, help="How many times as fast as it was played.")
@click.option("--summary", is_flag=True, help="Who did how much, as a table.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address of the page; 0.0.0.0 for a LAN.")
@click.option("--http-port", type=PORT, help="Serve a page to replay it on; 0 is any free port.")
def replay_command(
    file: Path, name: str | None, at: int | None, speed: float, summary: bool, host: str, http_port: int | None
) -> None:
    """Replay the game that a journal FILE holds, in the terminal or, with --http-port, in the browser.

    It is played in its own time, but for long pauses. If the output is no terminal, all is printed at once.
    """
    if sum((at is not None, summary, http_port is not None)) > 1:
        raise click.UsageError("--at, --summary and --http-port do not go together")
    try:
        replay = Replay(read_recording(file, name))
        console = Console(highlight=False)
        if http_port is not None:
            run(partial(run_replay, file, replay.recording.name, host=host, port=http_port, announce=announce))
        elif summary:
            show_summary(replay, console)
        elif at is None:
            play(replay, console, speed)
        elif at <= replay.last:
            show_at(replay, console, at)
        else:
            raise click.UsageError(f"there is no command {at}: the last one is {replay.last}")
    except (JournalError, ReplayError) as error:
        fail(f"{file}: {error}" if isinstance(error, ReplayError) else error)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
