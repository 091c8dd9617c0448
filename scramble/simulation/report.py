"""Terminal output of a simulation: a progress bar or a line for every event during the simulation, then a table.

The results go to standard output. The progress bar goes to standard error, and only if it is a terminal.
Safe under concurrency: there is no await while a line is written.
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

from scramble.errors import ScrambleError
from scramble.kernel.protocol import Change
from scramble.memory import Board
from scramble.memory.english import ENGLISH, event_words
from scramble.memory.narration import FAILURES
from scramble.plaintext import escaped
from scramble.simulation.simulate import Plan, SimulationReport, simulate


class Interrupted(ScrambleError):
    """The user pressed Ctrl-C."""

    code = "interrupted"


async def show_simulation(board: Board, plan: Plan, *, watch: bool) -> None:
    """Simulate and print a report; with `watch`, print each event, too. Raises Interrupted on Ctrl-C."""
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
    """Cancel the block at Ctrl-C, and raise Interrupted at the end of the block."""
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
    """Make a progress bar on standard error. It disappears at the end; it is invisible without a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def print_report(report: SimulationReport, plan: Plan) -> None:
    """Print the table, and then the stuck players, on standard output."""
    Console().print(report_table(report, plan))
    for line in ending(report):
        click.echo(escaped(line))


def report_table(report: SimulationReport, plan: Plan) -> Table:
    """Make the table with a row for each player."""
    table = Table(title=f"{plan.players} players, up to {plan.moves} flips each, seed {plan.seed}")
    table.add_column("player")
    for title in ("flips", *map(ENGLISH.title, FAILURES.values()), "waits", "longest, ms", "pairs"):
        table.add_column(title, justify="right")
    for counts in report.counts:
        failures = (counts.failures[rule] for rule in FAILURES)
        longest = f"{1000 * counts.longest_wait:.1f}" if counts.waits else "-"
        table.add_row(escaped(counts.player), *map(str, (counts.flips, *failures, counts.waits, longest, counts.pairs)))
    return table


def ending(report: SimulationReport) -> list[str]:
    """Return sentences about the end of the simulation."""
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
        click.echo(f"{change.version:>6} {escaped(event_words(event))}")
