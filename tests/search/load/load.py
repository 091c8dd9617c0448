"""A real server under a crowd: answers, speed and resource use. Only wrong or missing answers fail it, no figures.

python -m tests.search.torture load
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import linear_regression, quantiles
from subprocess import PIPE
from tempfile import TemporaryDirectory
from typing import Final

import msgspec
import trio
from msgspec.structs import replace

from scramble.memory.random_board import new_board
from tests.search.load.crowd import Findings, Plan
from tests.support.figures import Figures
from tests.support.process import ROOT, ServerProcess

SEED: Final = 1
ROWS, COLUMNS = 20, 20
SAMPLE_S: Final = 0.25
WARM_UP: Final = 0.25  # the first part of the run, as a share of its time; after it, memory should stay constant


class Load(msgspec.Struct, frozen=True):
    """A number of players, their pace, the duration, and `journal`: True to keep the game in a journal."""

    players: int
    moves_per_s: float
    seconds: float
    journal: bool = False

    def __str__(self) -> str:
        return f"{self.players} players, {self.seconds:g} s{', journal' if self.journal else ''}"


class Sample(msgspec.Struct, frozen=True):
    """The server at one moment: seconds since the crowd connected, memory in use, processor time."""

    time: float
    memory_kb: int
    cpu_s: float


async def bear(load: Load, folder: Path) -> tuple[Findings, Sequence[Sample]]:
    """Run the load at a server. Return the crowd's findings and samples of the server. Raises if the server ends."""
    board = folder / "board.txt"
    board.write_text(new_board(ROWS, COLUMNS, "emoji", SEED))
    journal = ("--journal", str(folder / "game.db")) if load.journal else ()
    environment = {name: value for name, value in os.environ.items() if name != "SCRAMBLE_CHECK_REP"}
    samples: list[Sample] = []
    with ServerProcess("memory", board, "--port", "0", *journal, lines=1, environment=environment) as running:
        plan = Plan(
            running.address.host,
            running.address.port,
            load.players,
            ROWS,
            COLUMNS,
            load.moves_per_s,
            load.seconds,
            SEED,
        )
        command = [sys.executable, "-m", "tests.search.load.crowd", msgspec.json.encode(plan).decode()]
        async with trio.open_nursery() as nursery:
            crowd: trio.Process = await nursery.start(_run, command)
            assert crowd.stdout is not None
            output = b""
            while b"\n" not in output:
                output += await _some(crowd)
            nursery.start_soon(_sample, running, samples)
            while not output.endswith(b"}\n"):
                output += await _some(crowd)
            nursery.cancel_scope.cancel()
        complaints_now = running.complaints
    found = msgspec.json.decode(output.partition(b"\n")[2], type=Findings)
    found.faults += [line for line in complaints_now.splitlines() if "error" in line.lower()]
    return found, samples


async def _run(command: list[str], task_status: trio.TaskStatus[trio.Process]) -> None:
    await trio.run_process(command, cwd=ROOT, stdout=PIPE, task_status=task_status)


async def _some(process: trio.Process) -> bytes:
    assert process.stdout is not None
    data = await process.stdout.receive_some()
    if not data:
        raise EOFError("the crowd has ended before its time")
    return bytes(data)


async def _sample(running: ServerProcess, samples: list[Sample]) -> None:
    began = trio.current_time()
    while True:
        samples.append(Sample(trio.current_time() - began, running.memory_kb(), running.cpu_s()))
        await trio.sleep(SAMPLE_S)


def assert_borne(found: Findings) -> None:
    """Every flip has its answer, and no player reports a fault."""
    assert found.faults == []
    first_outcomes = sum(found.outcomes.values()) - found.outcomes.get("waiting 1-D", 0)
    assert first_outcomes == found.flips
    assert found.flips > 0


def figures(load: Load, found: Findings, samples: Sequence[Sample]) -> Figures:
    """Return the figures of a run."""
    # Double each list: quantiles need at least two values.
    answered, seen = (quantiles([*times, *times], n=100) for times in (found.answered_s, found.seen_s))
    warm = [sample for sample in samples if sample.time >= samples[-1].time * WARM_UP]
    slope = 0.0  # the slope of a single sample, on a machine that is too slow for more samples
    if len(warm) > 1:
        slope, _ = linear_regression([s.time / 60 for s in warm], [s.memory_kb for s in warm])
    cpu = (samples[-1].cpu_s - samples[0].cpu_s) / max(samples[-1].time - samples[0].time, 1e-9)
    return {
        f"{load}: flips": f"{found.flips:,}, {found.flips / found.played_s:.1f} a second, all answered",
        f"{load}: frames": f"{found.frames:,}, {found.frames / found.played_s:,.0f} a second,"
        f" {found.whole_frames} of them whole boards",
        f"{load}: a flip answered": f"p50 {answered[49] * 1e3:.0f} ms, p99 {answered[98] * 1e3:.0f} ms,"
        f" at most {max(found.answered_s) * 1e3:.0f} ms",
        f"{load}: seen by everybody": f"p50 {seen[49] * 1e3:.0f} ms, p99 {seen[98] * 1e3:.0f} ms,"
        f" at most {max(found.seen_s) * 1e3:.0f} ms",
        f"{load}: memory": f"{warm[0].memory_kb / 1024:.1f} MB after warm-up, {samples[-1].memory_kb / 1024:.1f} MB"
        f" in the end, {slope / 1024:+.2f} MB a minute",
        f"{load}: processor": f"server {cpu:.0%}, crowd {found.cpu_s / found.played_s:.0%} of a core",
    }


async def measured(load: Load) -> Figures:
    """Run the load at a server, and return the figures. Raises AssertionError if a claim fails."""
    with TemporaryDirectory() as folder:
        found, samples = await bear(load, Path(folder))
    assert_borne(found)
    return figures(load, found, samples)


MINUTE: Final = Load(1000, 10, 60)


def torture(long: bool) -> Figures:
    """Run a thousand players for a minute, without and with a journal. The long form also runs for half an hour."""
    loads = [MINUTE, replace(MINUTE, journal=True)]
    if long:
        loads.append(replace(MINUTE, journal=True, seconds=1800))
    found: dict[str, str] = {}
    for load in loads:
        found |= trio.run(measured, load)
    return found
