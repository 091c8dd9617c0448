"""`make torture NAMES=conform`: which planted bugs of the games `scramble conform` finds, and by which case.

Each bug of the matrix in the rules, the kernel and the front of a game is planted in a copy of the checkout, and the
shipped `scramble conform` checks the server of this copy. Bugs that no client can see stay unfound: in journals, rooms,
bots and pages, for example.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.search.torture.matrix.bug import Bug, copied, planted
from tests.search.torture.matrix.bugs import BUGS
from tests.support.figures import Figures
from tests.support.process import SCRAMBLE

LIMIT_S: Final = 600
SHORT: Final = ("memory-held-card-turned-down", "memory-removed-card-awaited")
"""The bugs of the short form."""

STARTS: Final = {
    "memory": "memory {board} --port {port}",
    "minesweeper": "minesweeper --port {port} {args}",
    "crossword": "crossword {puzzles} --telnet-port {port} --port 0",
}
"""Commands after `scramble` that serve a game."""

MORE: Final = {"crossword": ("--wire", "scramble")}

PACKAGES: Final = ("kernel", "server/http", "server/telnet", "front/web")
"""Packages that all games use."""


def games_of(bug: Bug) -> Sequence[str]:
    """Return the games whose server has the bug."""
    own = [game for game in STARTS if bug.path.startswith((f"scramble/{game}/", f"scramble/front/{game}/"))]
    shared = bug.path.startswith(tuple(f"scramble/{package}/" for package in PACKAGES))
    return own or (tuple(STARTS) if shared else ())


def found_by(bug: Bug, game: str, copy: Path) -> str | None:
    """Return the name of the first failed case, or None. Blocks for the whole run."""
    report = copy.parent / "report.json"
    report.unlink(missing_ok=True)
    start = f"env --chdir '{copy}' 'PYTHONPATH={copy}' '{sys.executable}' -m scramble.cli {STARTS[game]}"
    with planted(bug, copy):
        done = subprocess.run(
            [
                *SCRAMBLE,
                "conform",
                game,
                "--start",
                start,
                "--json",
                str(report),
                "--patience",
                "2",
                *MORE.get(game, ()),
            ],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    if not report.exists():
        return f"exit code {done.returncode}: {done.stderr.splitlines()[0] if done.stderr else ''}"
    cases = json.loads(report.read_text())["cases"]
    return next((str(case["name"]) for case in cases if case["outcome"] == "fail"), None)


def torture(long: bool) -> Figures:
    """Check a server with each bug; in the short form with two bugs. Raises AssertionError if a short one is missed."""
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="c") as parent:
        copy = copied(Path(parent), 0)
        for bug in BUGS.values():
            for game in games_of(bug):
                if long or bug.name in SHORT:
                    case = found_by(bug, game, copy)
                    found[f"{bug.name}, {game}"] = case or "not found"
                    print(f"{bug.name}, {game}: {case or 'not found'}", flush=True)
                    assert long or case is not None, bug.name
    return found
