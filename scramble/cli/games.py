"""The commands that serve one game each, such as `scramble memory`: one command for each installed game."""

from __future__ import annotations

from functools import partial

import click

from scramble.cli.commands import SectionedCommand
from scramble.cli.config import OPTIONS, config_of
from scramble.cli.logging import logging_to_standard_error
from scramble.cli.run import announce, run_game, run_until_stopped
from scramble.front.game_front import GameFront
from scramble.front.games import failures, game_fronts


def game_command(name: str) -> click.Command:
    """Make the command that serves the game called `name` until SIGINT or SIGTERM.

    Raises click.UsageError if the game cannot be loaded.
    """
    front = game_fronts().get(name)
    if front is None:
        raise click.UsageError("; ".join(failures()) or f"there is no game {name!r}")
    return _command(front)


def _command(front: GameFront) -> click.Command:
    def serve(**values: object) -> None:
        config = config_of(values)
        with logging_to_standard_error(config.options.log_format, config.options.log_level):
            setup = front.set_up(values)
            run_until_stopped(partial(run_game, front, setup, config, announce))

    return SectionedCommand(front.kind.name, callback=serve, params=[*front.params, *OPTIONS], help=front.help)
