"""The simulator from the command line.

    python -m tests.search.vopr --seed 7              one seed; --verbose prints every event
    python -m tests.search.vopr --seeds 0:100000      many seeds, and figures; --jobs 2: two processes
    python -m tests.search.vopr --seed 7 --plant NAME with a bug planted; --plants lists them

Exits with code 1 if a seed has failed. Prints the seed and its options.
"""

from __future__ import annotations

import os

os.environ["SCRAMBLE_CHECK_REP"] = "1"  # before anything imports scramble

from contextlib import ExitStack
from typing import cast

import click

from tests.search.vopr.options import GAMES, GameName, derive
from tests.search.vopr.plants import PLANTS
from tests.search.vopr.simulator import Figures, run_seeds, trace

REPORT_EVERY = 1000


@click.command()
@click.option("--seed", type=int, help="One seed.")
@click.option("--seeds", metavar="A:B", help="The seeds from A up to, but not including, B.")
@click.option("--game", type=click.Choice(GAMES), help="Play this game whatever the seed says.")
@click.option("--jobs", default=1, show_default=True, help="Processes that share the seeds.")
@click.option("--plant", type=click.Choice(sorted(PLANTS)), help="Plant this bug.")
@click.option("--plants", is_flag=True, help="List the bugs that can be planted.")
@click.option("--verbose", is_flag=True, help="Print all that happens in the one seed.")
def main(
    seed: int | None, seeds: str | None, game: str | None, jobs: int, plant: str | None, plants: bool, verbose: bool
) -> None:
    """Simulate servers, players, networks and disks, and check their invariants."""
    chosen = cast(GameName | None, game)
    if plants:
        for name, bug in sorted(PLANTS.items()):
            click.echo(f"{name:32} {bug.what}")
        return
    with ExitStack() as planted:
        if plant is not None:
            planted.enter_context(PLANTS[plant].planted())
        if seed is not None:
            failed = _one(seed, chosen, verbose)
        else:
            first, _, last = (seeds or "0:200").partition(":")
            failed = _many(range(int(first), int(last)), chosen, jobs)
    raise SystemExit(1 if failed else 0)


def _one(seed: int, game: GameName | None, verbose: bool) -> bool:
    lines = trace(seed, game)
    failed = lines[-1].startswith("seed ")
    if verbose:
        click.echo("\n".join(lines))
    elif failed:
        click.echo(lines[-1])
    click.echo(f"seed {seed} ({game or derive(seed).game}): {'FAILED' if failed else 'all is well'}")
    return failed


def _many(seeds: range, game: GameName | None, jobs: int) -> bool:
    total = Figures()
    for figures in run_seeds(seeds, game, jobs=jobs):
        total.add(figures)
        for failure in figures.failures:
            click.echo(failure)
        if total.seeds % REPORT_EVERY == 0:
            click.echo(str(total))
    click.echo(str(total))
    return bool(total.failures)


if __name__ == "__main__":
    main()
