"""The command line: `scramble`, and a command for each thing that it does.

Standard output carries the results (addresses, tables, boards), standard error the complaints. Exit codes: 0 done,
1 a file or an address that cannot be used, 2 an error of use.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import NoReturn, cast

import click
import trio

from scramble.app import PACKAGED_BOARD, run_memory
from scramble.errors import FileFormatError
from scramble.front.http import Edition
from scramble.front.server import CannotListen
from scramble.memory import Board

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
PORT = click.IntRange(0, 65535)


class Seconds(click.ParamType):
    """A positive number of seconds."""

    name = "seconds"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            seconds = float(str(value))
        except ValueError:
            seconds = math.nan
        if not 0 < seconds < math.inf:
            self.fail(f"{value!r} is not a number of seconds above 0", param, ctx)
        return seconds


def fail(reason: object) -> NoReturn:
    """One line on standard error, exit code 1."""
    raise click.ClickException(str(reason))


def announce(line: str) -> None:
    """One line on standard output, flushed, so that a program that started this one can read it at once."""
    click.echo(line)
    click.get_text_stream("stdout").flush()


def run(main: Callable[[], Coroutine[object, object, None]]) -> None:
    """Run a server's main function until it ends; an address that cannot be had is one line."""
    refused: CannotListen | None = None
    try:
        trio.run(main)
    except* CannotListen as group:
        refused = next(error for error in _leaves(group) if isinstance(error, CannotListen))
    except* KeyboardInterrupt:  # before the server was ready to hear it
        pass
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


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="scramble")
@click.pass_context
def main(context: click.Context) -> None:
    """Three concurrent multiplayer grid games. Without a command: scramble memory."""
    if context.invoked_subcommand is None:
        context.invoke(memory)


@main.command()
@click.argument("board", type=FILE, required=False)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; 0.0.0.0 for a LAN.")
@click.option("--port", default=8080, show_default=True, type=PORT, help="The port to listen on; 0 is any free one.")
@click.option(
    "--edition",
    default="2025",
    show_default=True,
    type=click.Choice(["2022", "2025"]),
    help="How the text protocol answers a failed flip: 409 and the reason (2025), or 200 and the board (2022).",
)
@click.option("--watch-timeout", type=Seconds(), help="Answer a watch after so long even if nothing changed.")
def memory(board: Path | None, host: str, port: int, edition: str, watch_timeout: float | None) -> None:
    """Serve Memory Scramble on BOARD, or on a small packaged board."""
    serve = partial(run_memory, host=host, port=port, edition=cast(Edition, edition), watch_timeout=watch_timeout)
    run(partial(serve, read_board(board), announce=announce))


if __name__ == "__main__":
    main()
