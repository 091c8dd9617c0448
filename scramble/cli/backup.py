"""The commands `scramble backup` and `scramble restore`: copies of the rooms in a folder, or in a cluster."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import click
from click.core import ParameterSource

from scramble.cli.commands import INTERRUPTED, SectionedCommand
from scramble.cli.logging import logging_to_standard_error
from scramble.cli.places import CLUSTER_OPTION, require_cluster
from scramble.cli.run import run_until_stopped
from scramble.plaintext import harmless
from scramble.rooms.backup import back_up_rooms

INCOMPLETE: Final = 1  # the exit code of a backup without some of the rooms


@click.command("backup", cls=SectionedCommand)
@click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path))
@click.argument("to", metavar="TO", required=False, type=click.Path(path_type=Path))
@click.pass_context
def backup_command(context: click.Context, folder: Path, to: Path | None, cluster: str | None) -> None:
    """Copy all rooms, even while a server runs: from DIR to the folder TO, or from a cluster to the file TO.

    A folder TO must be empty or missing. A file TO must be missing. `scramble restore` restores the copy. The exit code
    is 1 if a room could not be copied.
    """
    if to is not None:
        _require_no_cluster(context)
        _copy_folder(folder, to, "copied")
    elif cluster is None:
        raise click.UsageError("give the rooms to copy: a folder DIR, or a cluster with --cluster")
    else:
        _back_up_cluster(cluster, folder)


@click.command("restore", cls=SectionedCommand)
@click.argument("backup", type=click.Path(path_type=Path))
@click.argument("to", metavar="[DIR]", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.pass_context
def restore_command(context: click.Context, backup: Path, to: Path | None, cluster: str | None) -> None:
    """Restore the rooms of BACKUP: a folder to the folder DIR, or a file to a cluster.

    DIR, or the database of the cluster, must contain no rooms. No server may use it before the restore has ended.
    """
    if to is not None:
        _require_no_cluster(context)
        _copy_folder(backup, to, "restored")
    elif backup.is_dir():
        raise click.UsageError(f"{backup} is a backup of a folder: give the folder DIR for the rooms")
    elif cluster is None:
        raise click.UsageError("give the place for the rooms: a folder DIR, or a cluster with --cluster")
    else:
        _restore_cluster(cluster, backup)


for _command in (backup_command, restore_command):
    _command.params.append(CLUSTER_OPTION)


def _require_no_cluster(context: click.Context) -> None:
    """Raise UsageError for --cluster together with DIR. DIR overrides a cluster in the environment."""
    if context.get_parameter_source("cluster") is ParameterSource.COMMANDLINE:
        raise click.UsageError("DIR and --cluster exclude each other")


def _copy_folder(folder: Path, to: Path, done: str) -> None:
    made = back_up_rooms(folder, to)
    _report(made.rooms, f"{done} to {to}", made.problems)


def _back_up_cluster(cluster: str, to: Path) -> None:
    require_cluster()
    from scramble.cli.clustered import back_up  # only a cluster needs Redis
    from scramble.cluster.address import parse_address
    from scramble.cluster.backup import ClusterBackup

    answers: list[ClusterBackup] = []
    with logging_to_standard_error("text", "error"):  # warnings about weaker guarantees are for servers
        run_until_stopped(partial(back_up, parse_address(cluster), to, answers))
    if not answers:
        sys.exit(INTERRUPTED)
    (made,) = answers
    _report(made.games, f"copied to {to}", made.problems)


def _restore_cluster(cluster: str, backup: Path) -> None:
    require_cluster()
    from scramble.cli.clustered import restore  # only a cluster needs Redis
    from scramble.cluster.address import parse_address

    address, answers = parse_address(cluster), list[int]()
    with logging_to_standard_error("text", "error"):
        run_until_stopped(partial(restore, address, backup, answers))
    if not answers:
        sys.exit(INTERRUPTED)
    _report(answers[0], f"restored to {address}", ())


def _report(games: int, what: str, problems: Sequence[str]) -> None:
    click.echo(f"{games} game{'' if games == 1 else 's'} and the register are {what}")
    for problem in problems:
        click.echo(harmless(problem), err=True)
    if problems:
        sys.exit(INCOMPLETE)
