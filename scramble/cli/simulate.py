"""The command `scramble simulate`: random players play Memory Scramble."""

from __future__ import annotations

import errno
import sys
from functools import partial
from pathlib import Path

import click
import trio

from scramble.cli.commands import INTERRUPTED, SectionedCommand
from scramble.front.memory.game_front import read_board
from scramble.front.options import FILE, MILLISECONDS, random_seed
from scramble.resources import PACKAGED_BOARD
from scramble.simulation.report import Interrupted, show_simulation
from scramble.simulation.simulate import MAX_PLAYERS, Plan


@click.command("simulate", cls=SectionedCommand)
@click.argument("board", type=FILE, required=False)
@click.option("--players", default=4, show_default=True, type=click.IntRange(1, MAX_PLAYERS), help="Number of players.")
@click.option("--moves", default=100, show_default=True, type=click.IntRange(0), help="Flips that each player tries.")
@click.option("--min-delay", default=0.1, show_default=True, type=MILLISECONDS, help="Minimum time before each flip.")
@click.option("--max-delay", default=2.0, show_default=True, type=MILLISECONDS, help="Maximum time before each flip.")
@click.option("--seed", type=int, help="Repeat the players' choices; the order of simultaneous flips may still vary.")
@click.option("--watch", is_flag=True, help="Print changes as they happen.")
def simulate_command(
    board: Path | None, players: int, moves: int, min_delay: float, max_delay: float, seed: int | None, watch: bool
) -> None:
    """Let random players play on BOARD, or on a small packaged board, and print their statistics.

    Ends when all players have made their flips, or when no player can move. By the rules a finished player keeps
    control of cards, so a player who waits for one of these cards waits forever.
    """
    if min_delay > max_delay:
        raise click.UsageError(f"--min-delay {min_delay:g} is above --max-delay {max_delay:g}")
    plan = Plan(players, moves, min_delay / 1000, max_delay / 1000, random_seed() if seed is None else seed)
    interrupted, reader_gone = False, False
    try:
        trio.run(partial(show_simulation, read_board(board or PACKAGED_BOARD), plan, watch=watch))
    except* (Interrupted, KeyboardInterrupt):
        interrupted = True
    except* BrokenPipeError:
        reader_gone = True
    if interrupted:
        click.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    if reader_gone:
        raise BrokenPipeError(errno.EPIPE, "the reader has closed the pipe")  # click then exits without a message
