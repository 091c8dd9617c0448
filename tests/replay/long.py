"""`python -m tests.replay.long FILE`: a recording of 100,000 moves on a 20x20 board.

In a process of its own, so that it can be made without the checks of representation that tests switch on: with them it
takes minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.replay.files import write
from tests.replay.tape import random_memory

MOVES: Final = 100_000
UNCHECKED: Final = {"SCRAMBLE_CHECK_REP": "0"}


def make(path: Path) -> Path:
    """Make the recording, in another process."""
    environment = os.environ | UNCHECKED
    subprocess.run([sys.executable, "-m", "tests.replay.long", str(path)], check=True, env=environment)
    return path


if __name__ == "__main__":
    write(random_memory(MOVES, size=(20, 20), players=8), Path(sys.argv[1]))
