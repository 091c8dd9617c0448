"""How a simulation looks in a terminal: a progress bar while it runs, then a table, or a line for every event.

What was asked for goes to standard output; the progress bar goes to standard error, and only if that is a terminal.
Safe under concurrency: a line is written without an await in between.
"""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import click
import trio
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from scramble.core import Change, Event
from scramble.errors import ScrambleError
from scramble.memory import Board
from scramble.memory.messages import (
    Joined,
    PairsLeft,
    Relinquished,
    Removed,
    Replaced,
    Restarted,
    Scored,
    Took,
    TurnedDown,
    TurnedUp,
    Waiting,
    Withdrawn,
)
from scramble.simulate import Plan, Report, simulate

FAILURES = ("1-A", "2-A", "2-B")


class Interrupted(ScrambleError):
    """The user pressed Ctrl-C."""

    code = "interrupted"


async def show_simulation(board: Board, plan: Plan, *, watch: bool) -> None:
    """Simulate and print; with `watch`, each event as it happens. Raises Interrupted on Ctrl-C."""
    async with interruptible():
        if watch:
            report = await simulate(board, plan, on_change=_print_change)
        else:
            with progress_bar() as progress:
                task = progress.add_task("flips", total=plan.players * plan.moves)
                report = await simulate(board, plan, on_flip=partial(progress.advance, task))
    print_report(report, plan)


@asynccontextmanager
async def interruptible() -> AsyncIterator[None]:
    """Within the block Ctrl-C cancels what runs there, tidily, and Interrupted is raised at its end."""
    interrupted = False
    async with trio.open_nursery() as nursery:
        with trio.open_signal_receiver(signal.SIGINT) as signals:

            async def listen() -> None:
                nonlocal interrupted
                await anext(aiter(signals))
                interrupted = True
                nursery.cancel_scope.cancel()

            nursery.start_soon(listen)
            yield
            nursery.cancel_scope.cancel()
    if interrupted:
        raise Interrupted("interrupted")


def progress_bar() -> Progress:
    """A progress bar on standard error that leaves nothing behind; invisible if that is no terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def print_report(report: Report, plan: Plan) -> None:
    """The table, and below it who is stuck, on standard output."""
    Console().print(report_table(report, plan))
    for line in ending(report):
        click.echo(line)


def report_table(report: Report, plan: Plan) -> Table:
    """A row for each player."""
    table = Table(title=f"{plan.players} players, up to {plan.moves} flips each, seed {plan.seed}")
    table.add_column("player")
    for title in ("flips", *FAILURES, "waits", "longest, ms", "pairs"):
        table.add_column(title, justify="right")
    for tally in report.tallies:
        failures = (tally.failures[rule] for rule in FAILURES)
        longest = f"{1000 * tally.longest_wait:.1f}" if tally.waits else "-"
        table.add_row(tally.player, *map(str, (tally.flips, *failures, tally.waits, longest, tally.pairs)))
    return table


def ending(report: Report) -> list[str]:
    """How it ended, a sentence a line."""
    left = f"{report.pairs_left} {'pair' if report.pairs_left == 1 else 'pairs'} left on the board"
    if not report.stuck:
        return [f"everybody has finished; {left}"]
    return [
        f"nobody can move any more; {left}",
        *(
            f"{stuck.player} waits for {stuck.card} at {stuck.row},{stuck.column}, "
            f"held by {stuck.holder}, who has finished"
            for stuck in report.stuck
        ),
    ]


def _print_change(change: Change) -> None:
    if change.missed:
        click.echo(f"       ... {change.missed} changes missed ...")
    for event in change.events:
        click.echo(f"{change.version:>6} {narrate(event)}")


def narrate(event: Event) -> str:
    """An event of Memory Scramble as a sentence, with spaces as ROW,COLUMN and the rule where only one can be meant."""
    match event:
        case TurnedUp(row, column, card):
            return f"{card} at {row},{column} turns up"
        case TurnedDown(row, column):
            return f"the card at {row},{column} turns down (3-B)"
        case Removed(row, column, player, card):
            return f"{player} removes {card} at {row},{column} (3-A)"
        case Replaced(row, column, card):
            return f"the card at {row},{column} becomes {card or 'another one'}"
        case Took(row, column, player, card):
            return f"{player} takes {card} at {row},{column}"
        case Relinquished(row, column, player, card):
            return f"{player} gives up {card} at {row},{column}"
        case Waiting(row, column, player):
            return f"{player} waits for the card at {row},{column} (1-D)"
        case Withdrawn(row, column, player):
            return f"{player} waits no longer for the card at {row},{column}"
        case Joined(player):
            return f"{player} joins"
        case Scored(player, pairs, pairs_left):
            return f"{player} has {pairs}; pairs left: {pairs_left}"
        case PairsLeft(pairs_left):
            return f"pairs left: {pairs_left}"
        case Restarted(player):
            return f"{player} starts a new game"
        case _:
            return str(event)
