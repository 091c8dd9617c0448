"""What tests and tortures run: crowds at the shipped server, whose histories must be explained, and at its mutants."""

from __future__ import annotations

import sys
from dataclasses import replace

from tests.history.checker import NotExplained, Verdict
from tests.history.journalled import NotJournalled
from tests.history.kills import survive
from tests.history.mutants import LOSSY, MUTANTS
from tests.history.play import Crowd, board_file, judge, lasting_board, record
from tests.history.players import MemoryHistory, Style
from tests.history.server import SCRAMBLE, serving
from tests.torture.figures import Figures

CROWDS = (Crowd(http=8, sockets=4), Crowd(http=12, sockets=0), Crowd(http=4, sockets=8))
HOT = Crowd(http=8, sockets=4, moves=40, style=Style(patience_s=0.1, hot=4))  # on few cards, and waits for them
WAITING = Crowd(http=5, sockets=3, style=Style(patience_s=0.3, hot=3))  # somebody whenever it is killed
ATTEMPTS = 20  # plays at a mutant until it must have been found; one is mostly enough

MUTANT = (sys.executable, "-m", "tests.history.mutants")


def explain(crowd: Crowd, seed: str) -> tuple[MemoryHistory, Verdict]:
    """Have a crowd play at the shipped server. Raises NotExplained if the rules do not explain what it saw."""
    board = lasting_board(seed)
    with board_file(board) as path, serving("memory", str(path), "--port", "0", program=SCRAMBLE) as server:
        history = record(server, board, crowd, seed)
    return history, judge(history, board)


def find(name: str, crowd: Crowd = HOT) -> int:
    """Have a crowd play at that mutant until the judge finds its bug; after how many plays. Raises AssertionError."""
    for attempt in range(1, ATTEMPTS + 1):
        seed = f"{name} {attempt}"
        board = lasting_board(seed, 4, 4)
        with board_file(board) as path, serving(name, "memory", str(path), "--port", "0", program=MUTANT) as server:
            history = record(server, board, crowd, seed)
        try:
            judge(history, board)
        except NotExplained:
            return attempt
    raise AssertionError(f"{ATTEMPTS} plays against the mutant {name} were all explained")


def find_lossy(name: str) -> int:
    """Kill that mutant until what it loses is found; after how many times two kills. Raises AssertionError."""
    for attempt in range(1, ATTEMPTS + 1):
        seed = f"{name} {attempt}"
        try:
            survive(2, lasting_board(seed, 4, 4), WAITING, seed, program=(*MUTANT, name), between=40)
        except (NotExplained, NotJournalled):
            return attempt
    raise AssertionError(f"{2 * ATTEMPTS} kills of the mutant {name} lost nothing")


def summary(history: MemoryHistory, verdict: Verdict) -> str:
    """One line of figures."""
    unknown = len(history.calls) - history.answered
    return f"{len(history.calls)} calls, {unknown} of unknown outcome: {verdict.situations} situations tried"


def torture(long: bool) -> Figures:
    """Many plays at the shipped server, and plays at each mutant until its bug is found."""
    calls = situations = 0
    for round_ in range(20 if long else 1):
        for crowd in CROWDS:
            history, verdict = explain(replace(crowd, moves=300 if long else 60), f"torture {round_}")
            calls += len(history.calls)
            situations += verdict.situations
    plays = {name: find(name) for name in MUTANTS} | {name: find_lossy(name) for name in LOSSY}
    hard = ", ".join(f"{name} {count}" for name, count in plays.items() if count > 1)
    return {
        "calls explained": f"{calls}, in {situations} situations",
        "bugs found": f"{len(plays)} of {len(MUTANTS | LOSSY)}",
        "plays until found": f"1 each, but for {hard}" if hard else "1 each",
    }


def kill(long: bool) -> Figures:
    """Many kills under load, of which nothing must be lost."""
    rounds, kills = (10, 20) if long else (1, 5)
    calls = answered = untold = situations = 0
    for round_ in range(rounds):
        crowd = CROWDS[round_ % len(CROWDS)]
        survived = survive(kills, lasting_board(f"kill {round_}"), crowd, f"kill {round_}")
        calls += len(survived.history.calls)
        answered += survived.history.answered
        untold += survived.journalled.untold
        situations += survived.verdict.situations
    return {
        "kills under load": str(rounds * kills),
        "acknowledged": f"{answered} of {calls} calls, all of them kept",
        "happened unacknowledged": f"{untold}, all of them explained",
        "situations tried": str(situations),
    }
