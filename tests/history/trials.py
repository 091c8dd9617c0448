"""What tests and tortures run: crowds at the shipped server, whose histories must be explained, and at its mutants."""

from __future__ import annotations

import sys

from tests.history.checker import NotExplained, Verdict
from tests.history.mutants import MUTANTS
from tests.history.play import Crowd, board_file, judge, lasting_board, record
from tests.history.players import MemoryHistory
from tests.history.server import SCRAMBLE, serving
from tests.torture.figures import Figures

CROWDS = (Crowd(http=8, sockets=4), Crowd(http=12, sockets=0), Crowd(http=4, sockets=8))
ATTEMPTS = 5  # plays against a mutant until it must have been found; one is mostly enough

MUTANT = (sys.executable, "-m", "tests.history.mutants")


def explain(crowd: Crowd, seed: str) -> tuple[MemoryHistory, Verdict]:
    """Have a crowd play at the shipped server. Raises NotExplained if the rules do not explain what it saw."""
    board = lasting_board(seed)
    with board_file(board) as path, serving("memory", str(path), "--port", "0", program=SCRAMBLE) as server:
        history = record(server, board, crowd, seed)
    return history, judge(history, board)


def find(name: str, crowd: Crowd) -> int:
    """Have a crowd play at that mutant until the judge finds its bug; after how many plays. Raises AssertionError."""
    for attempt in range(1, ATTEMPTS + 1):
        seed = f"{name} {attempt}"
        board = lasting_board(seed)
        with board_file(board) as path, serving(name, "memory", str(path), "--port", "0", program=MUTANT) as server:
            history = record(server, board, crowd, seed)
        try:
            judge(history, board)
        except NotExplained:
            return attempt
    raise AssertionError(f"{ATTEMPTS} plays against the mutant {name} were all explained")


def summary(history: MemoryHistory, verdict: Verdict) -> str:
    """One line of figures."""
    unknown = len(history.calls) - history.answered
    return f"{len(history.calls)} calls, {unknown} of unknown outcome: {verdict.situations} situations tried"


def torture(long: bool) -> Figures:
    """The figures of many plays at the shipped server, and of plays at each mutant."""
    figures: dict[str, str] = {}
    calls = situations = 0
    for round_ in range(20 if long else 1):
        for crowd in CROWDS:
            larger = Crowd(crowd.http, crowd.sockets, 300 if long else 60)
            history, verdict = explain(larger, f"torture {round_}")
            calls += len(history.calls)
            situations += verdict.situations
    figures["calls explained"] = f"{calls} in {situations} situations"
    found = {name: find(name, Crowd(moves=60)) for name in MUTANTS}
    figures["mutants found"] = f"{len(found)} of {len(MUTANTS)}"
    figures["plays until found"] = (
        ", ".join(f"{name} {plays}" for name, plays in found.items() if plays > 1) or "1 each"
    )
    return figures
