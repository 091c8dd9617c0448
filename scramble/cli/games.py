"""The commands that serve one game each: `scramble memory`, `minesweeper` and `crossword`."""

from __future__ import annotations

from functools import partial

import click

from scramble.cli.commands import SectionedCommand
from scramble.cli.config import OPTIONS, take_config
from scramble.cli.logging import logging_to_standard_error
from scramble.cli.run import announce, run_game, run_until_stopped
from scramble.front.game_front import GameKind
from scramble.front.games import GAMES


def game_command(kind: GameKind) -> click.Command:
    """Make the command that serves a game of this kind until SIGINT or SIGTERM."""

    def serve(**values: object) -> None:
        config = take_config(values)
        with logging_to_standard_error(config.log_format, config.log_level):
            setup = kind.set_up(**values)
            run_until_stopped(partial(run_game, kind, setup, config, announce))

    return SectionedCommand(kind.name, callback=serve, params=[*kind.params, *OPTIONS], help=kind.help)


memory, minesweeper, crossword = (game_command(GAMES[name]) for name in ("memory", "minesweeper", "crossword"))
