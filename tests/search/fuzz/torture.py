"""The long form of fuzzing: the short form from a hundred seeds, on all processors, and sockets for longer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from tempfile import TemporaryDirectory
from typing import Final

import trio

from tests.search.fuzz import sockets
from tests.search.fuzz.campaign import COUNTS, campaign
from tests.support.figures import Figures
from tests.support.process import ServerProcess

SEEDS: Final = 100
SOCKETS: Final = 20_000  # inputs of each kind over real sockets


def torture(long: bool) -> Figures:
    """Fuzz every kind of input. Raises Fuzzed with the command to run the input again."""
    seeds = range(1, (SEEDS if long else 1) + 1)
    count = SOCKETS if long else SOCKETS // 100
    found: Counter[str] = Counter()
    with ProcessPoolExecutor() as pool:
        running = {pool.submit(campaign, kind, seed): kind for seed in seeds for kind in COUNTS}
        try:
            for done in as_completed(running):
                found[running[done]] += done.result()
        finally:
            pool.shutdown(cancel_futures=True)
    for kind in sockets.KINDS:
        trio.run(over_sockets, kind, seeds[-1], count)
        found[kind] += count
    return dict(_figures(found, seeds))


async def over_sockets(kind: str, seed: int, count: int, first: int = 0) -> None:
    """Fuzz a real server with `count` inputs from number `first` on."""
    with TemporaryDirectory() as folder:
        board = trio.Path(folder) / "board.txt"
        await board.write_text("2x2\nA\nB\nA\nB\n")
        with ServerProcess("memory", str(board), "--port", "0", lines=1) as running:
            await sockets.campaign(running.address, kind, seed, count, first)
            await sockets.assert_well(running)


def _figures(found: Counter[str], seeds: range) -> Iterator[tuple[str, str]]:
    for kind, count in found.items():
        yield f"inputs, {kind}", f"{count:,}"
    yield "inputs in all", f"{found.total():,} from seeds {seeds[0]} to {seeds[-1]}"
