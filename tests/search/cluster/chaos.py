"""Campaigns against a cluster of real processes: `python -m tests.search.cluster.chaos SEED [FAULT...]` repeats one.

A seed decides the order of the faults, the rooms and the moves. The machine's timing decides the rest, so a failed
campaign may pass when it is repeated.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

import trio

from tests.search.cluster.campaign import Findings
from tests.search.cluster.cluster import FAULTS, campaign, clustered
from tests.support.figures import Figures
from tests.support.process import SCRAMBLE

ROUNDS: Final = 200  # of each fault, in the long form
SHORT: Final = ("kill -9", "SIGSTOP, SIGCONT", "kill -9 of Redis", "SIGTERM")
"""Faults of the short form, one of each kind: a process, a deposed owner, Redis, and a deploy."""

LOGGED: Final = 40  # lines of each process's log that a failure shows


def shuffled(seed: str) -> Sequence[str]:
    """All faults, in the seed's order."""
    names = list(FAULTS)
    random.Random(seed).shuffle(names)
    return names


def play(seeds: Mapping[str, Sequence[str]], folder: Path, program: Sequence[str] = SCRAMBLE) -> Findings:
    """Play one campaign after another on the same processes. Each campaign has one fault and its own rooms.

    More faults would leave more requests with unknown outcome. Each of these doubles the work of the judge. Raises the
    errors of `campaign`, with the seed.
    """

    async def all_of_them() -> Findings:
        found = Findings()
        async with clustered(folder, program=program) as there:
            for seed, faults in seeds.items():
                try:
                    for fault in faults:
                        found.add(await campaign([fault], f"{seed} {fault}", there))
                    bugs = [line for member in there[0].members for line in member.bugs]
                    assert not bugs, "\n".join(bugs)
                except BaseException as error:
                    error.add_note(f"with the seed {seed!r}, {found.faults} faults after the start")
                    for member in there[0].members:
                        error.add_note("\n".join([f"log of process {member.number}:", *member.log[-LOGGED:]]))
                    raise
                print(f"  {seed}: {found.answered} answers, {found.faults} faults", file=sys.stderr, flush=True)
        return found

    return trio.run(all_of_them)


def figures(found: Findings) -> Figures:
    """A summary of the campaigns in words."""
    silences = {
        f"silence after {fault}": f"median {median(times):.2f} s, at most {max(times):.2f} s"
        for fault, times in found.silences_s.items()
    }
    return {
        "faults": f"{found.faults}, each while all three games were played on three processes",
        "acknowledged": f"{found.answered} answers: none lost, none from the past",
        "situations tried": str(found.situations),
        **silences,
    }


def short(folder: Path) -> Figures:
    """Run the faults of `SHORT` once. Raises AssertionError if a check fails."""
    return figures(play({"short": SHORT}, folder))


def torture(long: bool) -> Figures:
    """Run many campaigns.

    tests/system/cluster plants the bugs that they look for, and there the timing does not matter.
    """
    with TemporaryDirectory() as folder:
        seeds = [f"torture {number}" for number in range(ROUNDS if long else 1)]
        found = play({seed: shuffled(seed) for seed in seeds}, Path(folder))
    return figures(found)


if __name__ == "__main__":
    with TemporaryDirectory() as where:
        once = play({sys.argv[1]: sys.argv[2:] or shuffled(sys.argv[1])}, Path(where))
    print("\n".join(f"{name}: {value}" for name, value in figures(once).items()))
