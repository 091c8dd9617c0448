"""Classes of commands. Commands are imported when they run, their help has sections, and an error takes one line."""

from __future__ import annotations

import errno
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import pairwise
from typing import IO, Any, Final, NamedTuple

import click

from scramble.errors import DiskFull, OperatorError, leaves
from scramble.front.sections import Section, section_of
from scramble.logs import LogEntry

INTERRUPTED: Final = 130  # the exit code that shells report for a program ended by Ctrl-C

DISK_FULL_ERRORS: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

ARGUMENTS: Final = "scramble.cli.arguments"
"""The key in a context's `meta` for the arguments of a `SectionedCommand`."""

AS_JSON: Final = "scramble.cli.as_json"
"""The key in a context's `meta` for a flag of a `CommandGroup`: it reports errors as JSON."""


class SectionedCommand(click.Command):
    """A command whose help shows its options in sections: first the options of the game, last the limits."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, as click does, and store the original arguments."""
        ctx.meta[ARGUMENTS] = tuple(args)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write all options, each section under its title."""
        found: dict[Section, list[tuple[str, str]]] = {section: [] for section in Section}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                found[section_of(parameter)].append(record)
        for section, records in found.items():
            if records:
                with formatter.section(section.value):
                    formatter.write_dl(records)


class CommandFailure(click.ClickException):
    """An error that ends a command. Its report is one line: text or, if the log is JSON, a line of the log."""

    def __init__(self, reason: str, code: str, *, as_json: bool) -> None:
        """`reason` is for people, `code` a stable word for programs."""
        super().__init__(reason)
        self._code: Final = code
        self._as_json: Final = as_json

    def line(self, worker: int | None = None) -> str:
        """Return the line. A JSON line has the number of the `worker`, if there is one."""
        if not self._as_json:
            return f"Error: {self.message}"
        from scramble.cli.logging import JsonFormatter  # most commands do not log

        entry = LogEntry("failed", reason=self.message, code=self._code, exit=self.exit_code, worker=worker)
        return JsonFormatter().format(
            logging.getLogger(__name__).makeRecord(__name__, logging.ERROR, __file__, 0, entry, (), None)
        )

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the line to standard error."""
        click.echo(self.line(), file=file, err=True)


class UsageFailure(CommandFailure):
    """Invalid usage. The line has only the error, without the usage that click prints: `--help` prints the usage."""

    exit_code = 2


def logs_json(arguments: Sequence[str]) -> bool:
    """Return True if a command with these arguments logs JSON. Other arguments may be invalid."""
    wanted = False
    for argument, value in pairwise((*arguments, "")):
        if argument == "--log-format":
            wanted = value == "json"
        elif argument.startswith("--log-format="):
            wanted = argument.endswith("=json")
    return wanted


class LazyCommand(NamedTuple):
    """A command that is imported at its first use."""

    place: str  # MODULE:NAME, below scramble.cli
    summary: str  # in the list of commands

    def load(self) -> click.Command:
        """Import the command."""
        module, _, name = self.place.partition(":")
        command = getattr(import_module(f"scramble.cli.{module}"), name)
        assert isinstance(command, click.Command)
        return command


class GameCommands(NamedTuple):
    """Functions for the commands that serve one game each."""

    names: Callable[[], Sequence[str]]  # returns the names of the games; imports no command
    load: Callable[[str], click.Command]  # imports the command of the game with this name


class CommandGroup(click.Group):
    """A group of lazy commands and the commands of the games. The group reports each error in one line."""

    def __init__(self, *, lazy: Mapping[str, LazyCommand], games: GameCommands, **attributes: Any) -> None:
        """Make the group, as click does, from the commands in `lazy` and the commands of the games."""
        super().__init__(**attributes)
        self.lazy = lazy
        self.games = games

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted({*self.games.names(), *self.lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with this name. Imports the command at its first use."""
        if cmd_name in self.lazy:
            return self.lazy[cmd_name].load()
        return self.games.load(cmd_name) if cmd_name in self.games.names() else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands. Imports no command."""
        summaries = {name: f"Serve a game of {name}." for name in self.games.names()}
        summaries |= {name: command.summary for name, command in self.lazy.items()}
        with formatter.section("Commands"):
            formatter.write_dl([(name, summaries[name]) for name in self.list_commands(ctx)])

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: object
    ) -> click.Context:
        """Parse the options before the command, as click does."""
        as_json = logs_json(args)
        with one_line_errors(as_json=as_json):
            context = super().make_context(info_name, args, parent, **extra)
            context.meta[AS_JSON] = as_json
            return context

    def invoke(self, ctx: click.Context) -> object:
        """Parse a command and its arguments, and run it, as click does."""
        with one_line_errors(as_json=ctx.meta[AS_JSON]):
            return super().invoke(ctx)


@contextmanager
def one_line_errors(*, as_json: bool) -> Iterator[None]:
    """Raise errors that the user or the operator can correct as a `CommandFailure`, which prints one line.

    The exit code is 2 for invalid usage, and 1 for an OperatorError or a full disk during output. Ctrl-C ends a command
    with `INTERRUPTED` and prints nothing, unless the command handles it.
    """
    try:
        yield
    except click.UsageError as error:
        raise UsageFailure(error.format_message(), "usage", as_json=as_json) from None
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except OperatorError as error:
        raise CommandFailure(error.for_operator(), error.code, as_json=as_json) from None
    except (OSError, BaseExceptionGroup) as error:
        if not all(isinstance(leaf, OSError) and leaf.errno in DISK_FULL_ERRORS for leaf in leaves(error)):
            raise
        with suppress(OSError, ValueError):  # otherwise Python writes the buffered output at exit, and fails again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        reason = f"the output cannot be written: {os.strerror(errno.ENOSPC)}"
        raise CommandFailure(reason, DiskFull.code, as_json=as_json) from None
