"""The command `scramble replay`: the game in a journal, in the terminal or on a page."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click
from rich.console import Console

from scramble.cli.commands import INTERRUPTED, SectionedCommand
from scramble.cli.places import CLUSTER_VARIABLE, require_cluster
from scramble.cli.run import announce, run_replay, run_until_stopped
from scramble.front.options import PORT, TIMES, host_name
from scramble.front.replay.archive import Read
from scramble.games.table import narrators
from scramble.journal import read_recording
from scramble.replay import Replay, ReplayError
from scramble.replay.terminal import play, show_at, show_summary


@click.command("replay", cls=SectionedCommand)
@click.argument("file", envvar=CLUSTER_VARIABLE)
@click.option("--name", help="The name of the game, if the file has several; the name of the room in a cluster.")
@click.option("--at", type=click.IntRange(0), metavar="SEQ", help="Show the board after command SEQ.")
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
    file: str,
    name: str | None,
    at: int | None,
    speed: float,
    summary: bool,
    host: str,
    http_port: int | None,
    host_name: tuple[str, ...],
) -> None:
    """Replay the game in a journal FILE, in the terminal or, with --http-port, in the browser.

    FILE may also be the address of a cluster's Redis server, such as redis://localhost; --name is then a room.
    The replay keeps the original times, but shortens long pauses. If the output is not a terminal, the command prints
    everything at once.
    """
    if sum((at is not None, summary, http_port is not None)) > 1:
        raise click.UsageError("--at, --summary and --http-port exclude each other")
    try:
        read, place = _reader(file, name)
        replay = Replay(read(), narrators=narrators())
        console = Console(highlight=False)
        if http_port is not None:
            read, _ = _reader(file, replay.recording.name)
            serve = partial(run_replay, read, host=host, port=http_port)
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
        raise ReplayError(f"{place}: {error}") from None
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _reader(file: str, name: str | None) -> tuple[Read, str]:
    """Return a function that reads the game, and a name for its place without the password."""
    if "://" not in file:
        return partial(read_recording, Path(file), name), file
    if name is None:
        raise click.UsageError(
            "a cluster needs --name, the name of a room; scramble rooms list --cluster prints all names"
        )
    require_cluster()
    from scramble.cli.clustered import read_room  # only a cluster needs Redis
    from scramble.cluster.address import parse_address

    address = parse_address(file)
    return partial(read_room, address, name), f"{address}, room {name}"
