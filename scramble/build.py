"""The build of this program: its version and its commit.

The version alone does not distinguish two builds. `hatch_build.py` writes the commit into a file of the wheel, so a
container also has the file. In an editable checkout, each process asks git once. Without the file and git, only the
version is known.
"""

from __future__ import annotations

import subprocess
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

COMMIT_FILE: Final = Path(__file__).with_name("_commit")  # in a wheel
GIT_S: Final = 2.0  # time limit for git; it takes a few ms unless its disk hangs


@cache
def version() -> str:
    """Return the version of the package, for example "0.1.0"; "unknown" in a checkout that is not installed."""
    try:
        return metadata.version("scramble")
    except metadata.PackageNotFoundError:
        return "unknown"


@cache
def commit() -> str | None:
    """Return the abbreviated commit of this build, with "-dirty" if files differ from it; None if unknown.

    In a checkout, the first call waits for git.
    """
    with suppress(OSError):
        return COMMIT_FILE.read_text().strip() or None
    checkout = COMMIT_FILE.parents[1]
    if not (checkout / ".git").exists():
        return None
    with suppress(OSError, subprocess.SubprocessError):
        command = ("git", "-C", str(checkout), "describe", "--always", "--exclude=*", "--abbrev=7", "--dirty")
        done = subprocess.run(command, capture_output=True, text=True, timeout=GIT_S, check=True)
        return done.stdout.strip() or None
    return None


def build() -> str:
    """Return version and commit, for example "0.1.0 (commit 1a2b3c4)"."""
    return version() if commit() is None else f"{version()} (commit {commit()})"
