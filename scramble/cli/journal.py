"""The commands `scramble journal check` and `scramble journal repair`, which verify a journal or make it playable."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Final

import click

from scramble.games.table import game_kinds
from scramble.journal.check import CheckReport, Restorers, check
from scramble.journal.repair import repair
from scramble.plaintext import harmless
from scramble.players.seats import Seated

UNSOUND: Final = 1  # the exit code if a journal has a problem
EXIT_COMMANDS_LOST: Final = 3  # the exit code after a repair, if acknowledged commands are missing


@click.group("journal", no_args_is_help=False)  # an error in one line instead of the help
def journal_commands() -> None:
    """Check the journal of a game, or repair it."""


@journal_commands.command("check", short_help="Check whether a journal is sound.")
@click.argument("file", type=click.Path(path_type=Path))
def check_command(file: Path) -> None:
    """Verify all contents of a journal FILE, and change nothing.

    The exit code is 0 for a sound journal, and 1 for a journal that is damaged, unreadable or in use.
    """
    found = check(file, _restorers())
    _print_report(file, found)
    if not found.problems:
        click.echo("It is sound.")
        return
    click.echo("It is not sound. Restore a backup, or run `scramble journal repair` to continue from the sound part.")
    sys.exit(UNSOUND)


@journal_commands.command("repair", short_help="Make a journal playable from its sound part.")
@click.argument("file", type=click.Path(path_type=Path))
def repair_command(file: Path) -> None:
    """Make a journal FILE, or a restored backup of a journal, playable again from its sound part.

    Copies the file first. The exit code is 0 if no acknowledged command is missing afterwards, 3 if some are missing,
    and 1 if the repair failed and changed nothing.
    """
    repaired = repair(file, _restorers())
    if repaired is None:
        click.echo(f"{file}: It is sound: nothing was changed.")
        return
    _print_report(file, repaired.check)
    click.echo(f"The old journal was copied to {repaired.copy}, with its log and its marks.")
    for name, game in repaired.check.saved.items():
        click.echo(f"{name}: continues after command {len(game.rows)}.")
    missing = repaired.check.missing()
    for name, count in missing.items():
        click.echo(f"{harmless(name)}: at least {count} acknowledged command{'s are' if count > 1 else ' is'} missing.")
    if missing:
        sys.exit(EXIT_COMMANDS_LOST)
    click.echo("No acknowledged command is missing.")


def _print_report(file: Path, found: CheckReport) -> None:
    for game in found.games.values():
        mark = found.marks.get(game.name)
        marked = "no mark" if mark is None else f"marked at {mark.seq}"
        commands = f"{len(game.rows)} sound command{'' if len(game.rows) == 1 else 's'}"
        click.echo(f"{file}: {game.name}, a game of {game.kind}: {commands}, {marked}")
    for problem in found.problems:
        click.echo(f"{file}: {harmless(problem)}")


def _restorers() -> Restorers:
    return {name: partial(Seated.restored, restore=kind.restore) for name, kind in game_kinds().items()}
