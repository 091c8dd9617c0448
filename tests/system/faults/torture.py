"""The long form of fault injection: more disconnects, floods, full disks and stop signals."""

from __future__ import annotations

import shutil
import subprocess
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import trio

from tests.support.figures import Figures
from tests.support.process import ROOT
from tests.support.rudeness import GAMES, siege
from tests.system.faults.disconnects import CONVERSATIONS
from tests.system.faults.disks import FILE_BYTES, Place, clock_jumps, failing_fsync, full_disk, told_to_stop

ROUNDS: Final = 20  # rounds of disconnects: two events at the same time come in another order each time
STOPS: Final = 100
SEED: Final = 1


def torture(long: bool) -> Figures:
    """Break connections and disks, flood servers, and stop them under load. Raises AssertionError if a claim fails."""
    found: dict[str, str] = {}
    for name, conversation in CONVERSATIONS.items():
        count = sum(trio.run(conversation) for _ in range(ROUNDS if long else 1))
        found[f"connections broken, {name}"] = f"{count:,}"
    for game in GAMES:
        with TemporaryDirectory() as folder:
            found |= trio.run(partial(siege, game, Path(folder), scale=1 if long else 0.1))
    with TemporaryDirectory() as folder:
        count = trio.run(full_disk, Place(Path(folder)), "journal", lambda: None, FILE_BYTES)
        found["acknowledged before the file was full, all kept"] = str(count)
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is not None:
        with TemporaryDirectory() as folder:
            shim = Path(folder) / "shim.so"
            source = ROOT / "tests" / "system" / "faults" / "shim.c"
            subprocess.run([compiler, "-shared", "-fPIC", "-o", str(shim), str(source), "-ldl"], check=True)
            trio.run(failing_fsync, Place(Path(folder)), shim)
            trio.run(clock_jumps, Place(Path(folder), Path(folder) / "clocked.db"), shim)
            found["acknowledged after fsync began to fail"] = "0"
    with TemporaryDirectory() as folder:
        found |= trio.run(told_to_stop, Place(Path(folder)), SEED, STOPS if long else 3)
    return found
