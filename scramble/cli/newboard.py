"""The command `scramble new-board`: a random board for Memory Scramble."""

from __future__ import annotations

import re
from typing import cast

import click

from scramble.cli.commands import SectionedCommand
from scramble.front.options import random_seed
from scramble.memory.random_board import THEMES, Theme, new_board


def board_size(text: str) -> tuple[int, int]:
    """Parse a size such as 4x6: first the rows, then the columns. This function is the type of an argument."""
    match = re.fullmatch(r"([0-9]{1,9})x([0-9]{1,9})", text)
    if match is None:
        raise click.BadParameter(f"{text!r} is not a size such as 4x6: ROWSxCOLUMNS")
    return int(match[1]), int(match[2])


@click.command("new-board", cls=SectionedCommand)
@click.argument("size", metavar="ROWSxCOLUMNS", type=board_size)
@click.option("--theme", default="emoji", show_default=True, type=click.Choice(list(THEMES)), help="The kind of cards.")
@click.option("--seed", type=int, help="The same seed gives the same board.")
def new_board_command(size: tuple[int, int], theme: str, seed: int | None) -> None:
    """Write a random board of pairs to standard output, as in `scramble new-board 4x6 > board.txt`."""
    try:
        text = new_board(*size, cast(Theme, theme), random_seed() if seed is None else seed)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    click.echo(text, nl=False)
