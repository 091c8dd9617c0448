"""The output of a program in processes that order their sets differently."""

from __future__ import annotations

import os
import subprocess
import sys


def outputs(program: str) -> set[str]:
    """Run the program with two hash seeds; return its different outputs."""
    return {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
