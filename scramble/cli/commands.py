"""Classes of commands: imported when they run, help in sections, one line for an error that somebody can correct."""

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
"""The key of a context's `meta` under which a `SectionedCommand` keeps the arguments that it was called with."""

AS_JSON: Final = "scramble.cli.as_json"
"""The key under which a `CommandGroup` keeps whether errors are JSON."""


class SectionedCommand(click.Command):
    """A command whose help has its options in sections: those of the game come first, the limits last."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, as click does, and keep them as they were given."""
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
    """An error that ends a command, reported in one line: as text or, where the log is JSON, as a line of the log."""

    def __init__(self, reason: str, code: str, *, as_json: bool) -> None:
        """`reason` is for people, `code` a stable word for programs."""
        super().__init__(reason)
        self._code: Final = code
        self._as_json: Final = as_json

    def line(self, worker: int | None = None) -> str:
        """Return the line, which says of one of several processes which `worker` it is if it is JSON."""
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
    """Invalid usage. The line has the error only, without the usage that click prints before it: `--help` has that."""

    exit_code = 2


def logs_json(arguments: Sequence[str]) -> bool:
    """Return whether a command with these arguments logs JSON, also if they are invalid otherwise."""
    wanted = False
    for argument, value in pairwise((*arguments, "")):
        if argument == "--log-format":
            wanted = value == "json"
        elif argument.startswith("--log-format="):
            wanted = argument.endswith("=json")
    return wanted


class LazyCommand(NamedTuple):
    """A command that is imported when it is asked for."""

    place: str  # MODULE:NAME, below scramble.cli
    summary: str  # in the list of commands

    def load(self) -> click.Command:
        """Import the command."""
        module, _, name = self.place.partition(":")
        command = getattr(import_module(f"scramble.cli.{module}"), name)
        assert isinstance(command, click.Command)
        return command


class GameCommands(NamedTuple):
    """The commands that serve one game each."""

    names: Callable[[], Sequence[str]]  # imports none
    load: Callable[[str], click.Command]  # imports the command of the game of that name


class CommandGroup(click.Group):
    """A group of lazy commands, and one for each game. They report each error in one line."""

    def __init__(self, *, lazy: Mapping[str, LazyCommand], games: GameCommands, **attributes: Any) -> None:
        """Make the group as click does, of the commands in `lazy` and those of the games."""
        super().__init__(**attributes)
        self.lazy = lazy
        self.games = games

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted({*self.games.names(), *self.lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, imported if need be."""
        if cmd_name in self.lazy:
            return self.lazy[cmd_name].load()
        return self.games.load(cmd_name) if cmd_name in self.games.names() else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, and import none."""
        summaries = {name: f"Serve a game of {name}." for name in self.games.names()}
        summaries |= {name: command.summary for name, command in self.lazy.items()}
        with formatter.section("Commands"):
            formatter.write_dl([(name, summaries[name]) for name in self.list_commands(ctx)])

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: object
    ) -> click.Context:
        """Parse the options before a command, as click does."""
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

    Invalid usage ends with exit code 2; an OperatorError, and a disk that is full while output is written, with 1.
    Ctrl-C, where nothing else handles it, ends a command with `INTERRUPTED` and prints nothing.
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
        with suppress(OSError, ValueError):  # at exit the buffered output would be written, and fail, again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        reason = f"the output cannot be written: {os.strerror(errno.ENOSPC)}"
        raise CommandFailure(reason, DiskFull.code, as_json=as_json) from None
