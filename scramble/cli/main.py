"""The command line: `scramble` and its commands. Each kind of game has a command that serves it.

Results (addresses, tables, boards) go to standard output, errors to standard error. Exit codes: 0 success, 1 an
unusable file or address, 2 invalid usage, 130 interrupted before the end.

Each command imports its modules when it runs: `scramble --help` imports neither trio nor a server.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

import click

from scramble.cli.commands import CommandGroup, GameCommands, LazyCommand
from scramble.plugins import FRONTS_GROUP, names_in

COMMANDS: Final[Mapping[str, LazyCommand]] = MappingProxyType(
    {
        "backup": LazyCommand("backup:backup_command", "Copy all rooms. The server may run."),
        "bot": LazyCommand("bot:bot_command", "Let a bot join a game on any server."),
        "conform": LazyCommand("conform:conform_commands", "Check any server of the handouts, rule by rule."),
        "import-puzzle": LazyCommand("importpuzzle:import_puzzle_command", "Import a crossword: .ipuz or .puz."),
        "journal": LazyCommand("journal:journal_commands", "Check a journal, or repair it."),
        "new-board": LazyCommand("newboard:new_board_command", "Write a random board for Memory Scramble."),
        "replay": LazyCommand("replay:replay_command", "Replay the game in a journal."),
        "restore": LazyCommand("backup:restore_command", "Restore the rooms of a backup."),
        "rooms": LazyCommand("rooms:rooms_commands", "List, close or remove rooms."),
        "serve": LazyCommand("serve:serve_command", "Serve many games, opened in the browser."),
        "simulate": LazyCommand("simulate:simulate_command", "Let random players play Memory Scramble."),
    }
)


def load_game(name: str) -> click.Command:
    """Import the command that serves the game called `name`. Raises click.UsageError if the game cannot be loaded."""
    from scramble.cli.games import game_command  # the other commands serve no game

    return game_command(name)


def show_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Print the versions for a bug report, and exit."""
    import platform
    import sqlite3
    from importlib import metadata

    from scramble.build import build

    if wanted and not context.resilient_parsing:
        python, trio = platform.python_version(), metadata.version("trio")
        click.echo(f"scramble, version {build()} (Python {python}, SQLite {sqlite3.sqlite_version}, trio {trio})")
        context.exit()


@click.group(
    cls=CommandGroup,
    lazy=COMMANDS,
    games=GameCommands(partial(names_in, FRONTS_GROUP), load_game),
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="Show the version and exit.",
)
@click.pass_context
def main(context: click.Context) -> None:
    """Three concurrent multiplayer grid games. Without a command: scramble serve."""
    if context.invoked_subcommand is None:
        serve = COMMANDS["serve"].load()
        with serve.make_context(
            "serve", [], parent=context
        ) as alone:  # `context.invoke` does not read environment variables
            serve.invoke(alone)
