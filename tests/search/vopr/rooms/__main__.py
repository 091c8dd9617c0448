"""The simulator with many rooms from the command line.

    python -m tests.search.vopr.rooms --seed 7              one seed; --verbose prints every event
    python -m tests.search.vopr.rooms --seeds 0:1000        many seeds
    python -m tests.search.vopr.rooms --seed 7 --plant NAME with a bug planted; --plants lists them

Exits with code 1 at the first seed that fails.
"""

from __future__ import annotations

import os

os.environ["SCRAMBLE_CHECK_REP"] = "1"  # before anything imports scramble

from contextlib import ExitStack

import click

from tests.search.vopr.rooms.plants import PLANTS
from tests.search.vopr.rooms.simulator import SHORT, trace


@click.command()
@click.option("--seed", type=int, help="One seed.")
@click.option("--seeds", metavar="A:B", default=f"0:{SHORT}", help="The seeds from A up to, but not including, B.")
@click.option("--plant", type=click.Choice(sorted(PLANTS)), help="Plant this bug.")
@click.option("--plants", is_flag=True, help="List the bugs that can be planted.")
@click.option("--verbose", is_flag=True, help="Print all that happens.")
def main(seed: int | None, seeds: str, plant: str | None, plants: bool, verbose: bool) -> None:
    """Simulate many rooms, their visitors and disks, and check their invariants."""
    if plants:
        for name, bug in sorted(PLANTS.items()):
            click.echo(f"{name:32} {bug.what}")
        return
    first, _, last = seeds.partition(":")
    with ExitStack() as planted:
        if plant is not None:
            planted.enter_context(PLANTS[plant].planted())
        for one in range(int(first), int(last)) if seed is None else (seed,):
            lines = trace(one)
            failed = lines[-1].startswith("seed ")
            if verbose or failed:
                click.echo("\n".join(lines if verbose else lines[-1:]))
            click.echo(f"seed {one}: {'FAILED' if failed else 'all is well'}")
            if failed:
                raise SystemExit(1)


if __name__ == "__main__":
    main()
