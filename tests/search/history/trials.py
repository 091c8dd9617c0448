"""Runs of tests and tortures: crowds play at the shipped server and at mutants, and the judge checks the histories."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from scramble.journal import read_recording
from tests.search.history.journalled import Journalled, NotJournalled, explain_by
from tests.search.history.kills import endure, journal_in, serving
from tests.search.history.minesweeper import Digger, MineHistory, dense_field, field_file
from tests.search.history.mutants import LOSSY, MINED, MUTANTS
from tests.search.history.play import Board, Crowd, board_file, judge, lasting_board, players, record
from tests.search.history.players import MemoryHistory, Style
from tests.support.figures import Figures
from tests.support.history import History, Op, Out
from tests.support.linearizability import NotExplained, Verdict, check
from tests.support.minesweeper.spec import MineSpec
from tests.support.process import SCRAMBLE

CROWDS = (Crowd(http=8, sockets=4), Crowd(http=12, sockets=0), Crowd(http=4, sockets=8))
HOT = Crowd(http=8, sockets=4, moves=40, style=Style(patience_s=0.1, hot=4))  # contention for few cards, with waits
WAITING = Crowd(http=5, sockets=3, style=Style(patience_s=0.3, hot=3))  # at each kill some player waits
RESTLESS = Crowd(http=4, sockets=6, style=Style(cut=0.1, patience_s=0.1, hot=4))  # with many withdrawals and cuts
ATTEMPTS = 20  # the limit of plays at a mutant; one play usually finds the bug

MUTANT = (sys.executable, "-m", "tests.search.history.mutants")


def explain(crowd: Crowd, seed: str) -> tuple[MemoryHistory, Verdict]:
    """Let a crowd play at the shipped server. Raises NotExplained if the rules do not explain the history."""
    board = lasting_board(seed)
    with board_file(board) as path, serving("memory", str(path), "--port", "0", program=SCRAMBLE) as server:
        history = record(server, board, crowd, seed)
    return history, judge(history, board)


def find(name: str, crowd: Crowd = HOT) -> int:
    """Let a crowd play at the mutant until the judge finds its bug. Return the plays' number. Raises AssertionError."""
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


@dataclass(frozen=True)
class Survived:
    """The history of a crowd over all lives of a server, and the verdicts."""

    history: MemoryHistory
    verdict: Verdict
    journalled: Journalled


def survive(
    kills: int, board: Board, crowd: Crowd, seed: str, *, program: Sequence[str] = SCRAMBLE, between: int = 100
) -> Survived:
    """Kill a server `kills` times. Raises NotExplained or NotJournalled if it loses an acknowledged call."""
    history: MemoryHistory = History()
    with board_file(board) as file:
        journal = journal_in(str(file.parent))

        def arguments(ports: Sequence[int]) -> Sequence[str]:
            return "memory", str(file), "--port", str(*ports or (0,)), "--journal", str(journal)

        endure(
            kills, history, arguments, partial(players, board, crowd, history), seed, program=program, between=between
        )
        records = read_recording(journal).records
    return Survived(history, judge(history, board), explain_by(records, history, board.spec))


def find_lossy(name: str) -> int:
    """Kill the mutant until a loss is found. Return the number of trials (two kills each). Raises AssertionError."""
    for attempt in range(1, ATTEMPTS + 1):
        seed = f"{name} {attempt}"
        try:
            survive(2, lasting_board(seed, 4, 4), WAITING, seed, program=(*MUTANT, name), between=40)
        except (NotExplained, NotJournalled):
            return attempt
    raise AssertionError(f"{2 * ATTEMPTS} kills of the mutant {name} lost nothing")


def summary(history: History[Op, Out], verdict: Verdict) -> str:
    """Return one line of figures."""
    unknown = len(history.calls) - history.answered
    return f"{len(history.calls)} calls, {unknown} of unknown outcome: {verdict.situations} situations tried"


def survive_minesweeper(
    kills: int, seed: str, *, program: Sequence[str] = SCRAMBLE, diggers: int = 8
) -> tuple[MineHistory, Verdict]:
    """Kill a server of Minesweeper `kills` times. Raises NotExplained if the rules do not explain the answers."""
    field = dense_field(seed)
    history: MineHistory = History()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "field.txt"
        file.write_text(field_file(field))

        def arguments(ports: Sequence[int]) -> Sequence[str]:
            journal = str(journal_in(folder))
            return "minesweeper", "--file", str(file), "--port", str(*ports or (0,)), "--journal", journal

        def crowd(seed: str) -> Iterable[Digger]:
            return [Digger(field, history, f"{seed} {number}") for number in range(diggers)]

        endure(kills, history, arguments, crowd, seed, program=program)
    return history, check(history, MineSpec(field))


def find_minesweeper(name: str) -> int:
    """Let diggers play at the mutant until its bug is found. Return the number of plays. Raises AssertionError."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            survive_minesweeper(0, f"{name} {attempt}", program=(*MUTANT, name))
        except NotExplained:
            return attempt
    raise AssertionError(f"{ATTEMPTS} plays at the mutant {name} were all explained")


def survive_slow_disk(seed: str) -> Survived:
    """Kill a server twice. Its commits take long, so many events happen during each commit."""
    program = (*MUTANT, "slow-disk")
    return survive(2, lasting_board(seed, 4, 4), RESTLESS, seed, program=program, between=150)


def torture(long: bool) -> Figures:
    """Run many plays at the shipped server, and plays at each mutant until its bug is found."""
    calls = situations = 0
    for round_ in range(20 if long else 1):
        for crowd in CROWDS:
            history, verdict = explain(replace(crowd, moves=300 if long else 60), f"torture {round_}")
            calls += len(history.calls)
            situations += verdict.situations
    plays = {name: find(name) for name in MUTANTS} | {name: find_lossy(name) for name in LOSSY}
    plays |= {name: find_minesweeper(name) for name in MINED}
    hard = ", ".join(f"{name} {count}" for name, count in plays.items() if count > 1)
    return {
        "calls explained": f"{calls}, in {situations} situations",
        "bugs found": f"{len(plays)} of {len(MUTANTS | LOSSY | MINED)}",
        "plays until found": f"1 each, but for {hard}" if hard else "1 each",
    }


def kill(long: bool) -> Figures:
    """Kill the server many times under load. It must not lose anything."""
    rounds, kills = (10, 20) if long else (1, 5)
    calls = answered = untold = situations = 0
    for round_ in range(rounds):
        crowd = CROWDS[round_ % len(CROWDS)]
        survived = survive(kills, lasting_board(f"kill {round_}"), crowd, f"kill {round_}")
        calls += len(survived.history.calls)
        answered += survived.history.answered
        untold += survived.journalled.untold
        situations += survived.verdict.situations
    slow = sum(len(survive_slow_disk(f"kill {round_}").history.calls) for round_ in range(20 if long else 0))
    dug = [survive_minesweeper(kills, f"kill {round_}") for round_ in range(2 if long else 0)]
    return {
        "kills under load": f"{rounds * kills} of Memory Scramble, {len(dug) * kills} of Minesweeper",
        "acknowledged": f"{answered} of {calls} calls, all of them kept",
        "happened unacknowledged": f"{untold}, all of them explained",
        "with a slow disk": f"{slow} calls, all of them explained",
        "situations tried": str(situations),
    }
