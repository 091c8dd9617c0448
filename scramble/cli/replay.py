"""The command `scramble replay`: the game in a journal, in the terminal or on a page."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click
from rich.console import Console

from scramble.cli.commands import INTERRUPTED, SectionedCommand
from scramble.cli.run import announce, run_replay, run_until_stopped
from scramble.front.games import NARRATORS
from scramble.front.options import PORT, TIMES, host_name
from scramble.journal import read_recording
from scramble.replay import Replay, ReplayError
from scramble.replay.terminal import play, show_at, show_summary


@click.command("replay", cls=SectionedCommand)
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
    if sum((at is not None, summary, http_port is not None)) > 1:
        raise click.UsageError("--at, --summary and --http-port do not go together")
    try:
        replay = Replay(read_recording(file, name), narrators=NARRATORS)
        console = Console(highlight=False)
        if http_port is not None:
            serve = partial(run_replay, partial(read_recording, file, replay.recording.name), host=host, port=http_port)
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
