"""The build of this program: its version, and the commit that it was made from.

The version alone does not tell two builds apart. A wheel, and so a container, has the commit in a file, which
`hatch_build.py` writes; an editable checkout asks git, once in a process. Without either there is only the version.
"""

from __future__ import annotations

import subprocess
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

COMMIT_FILE: Final = Path(__file__).with_name("_commit")  # in a wheel
GIT_S: Final = 2.0  # for git, which takes some ms unless its disk hangs


@cache
def version() -> str:
    """Return the version of the package, such as "0.1.0"; "unknown" in a checkout that is not installed."""
    try:
        return metadata.version("scramble")
    except metadata.PackageNotFoundError:
        return "unknown"


@cache
def commit() -> str | None:
    """Return the commit of this build, abbreviated, with "-dirty" if files differ from it; None if it is not known.

    Waits for git the first time, in a checkout.
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
    """Return version and commit, such as "0.1.0 (commit 1a2b3c4)"."""
    return version() if commit() is None else f"{version()} (commit {commit()})"
