"""`scramble conform memory`, with real servers.

Partitions:
- servers: ours, in both editions, started and running already; a student's, right in other ways than ours; with each
  of its bugs; no servers of the handout
- reports: lines, exit codes, JUnit, JSON, the page
- options: rules, levels, strict, routes, patience, a list; invalid ones
student.py has the student's servers, rude.py the servers of nothing.
"""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest
import trio

from scramble.conform.cases import Outcome, Verdict, run_cases
from scramble.conform.memory.bench import MemoryBench
from scramble.conform.memory.cases.all import CASES
from scramble.conform.memory.routes import HANDOUT
from tests.support import HANG_S
from tests.support.process import ROOT, SCRAMBLE, ServerProcess
from tests.system.conform.rude import MODES
from tests.system.conform.student import BUGS, RIGHT

HERE: Final = ROOT / "tests" / "system" / "conform"
AT_ONCE: Final = 5
SEEDS: Final = 10  # random runs find a race with one of these seeds; on a slow machine a seed has few runs
"""Servers at the same time: most cases wait for quiet moments."""

FOUND_BY: Final = {
    "starts-face-up": "board.starts-face-down",
    "columns-first": "board.tells-rows-from-columns",
    "my-for-all": "board.names-the-controller-only-to-itself",
    "no-newline": "board.is-a-board-state",
    "no-cors": "http.lets-the-courses-page-read",
    "1-A-succeeds": "1-A.leaves-the-player-without-a-card",
    "1-B-no-control": "1-B.turns-the-card-up",
    "1-C-fails": "1-C.takes-a-face-up-card",
    "1-D-fails": "1-D.waits-while-controlled",
    "1-D-steals": "1-D.waits-while-controlled",
    "1-D-waits-for-ever": "1-D.waits-while-controlled",
    "1-D-forgets-removal": "1-D.fails-when-the-card-is-removed",
    "1-D-blocks-all": "1-D.does-not-stop-looks",
    "1-D-two-winners": "1-D.gives-the-card-to-one-of-many",
    "2-A-keeps": "2-A.relinquishes-the-first-card",
    "2-B-waits": "2-B.fails-on-another-players-card",
    "2-B-keeps": "2-B.relinquishes-the-first-card",
    "2-B-own-matches": "2-B.fails-on-ones-own-first-card",
    "2-D-relinquishes": "2-D.keeps-control-of-both",
    "2-E-keeps-first": "2-E.relinquishes-both",
    "2-E-turns-down": "2-E.relinquishes-both",
    "3-A-at-once": "2-D.keeps-control-of-both",
    "3-A-never": "3-A.removes-a-pair",
    "3-A-by-others": "3-A.waits-for-the-players-own-move",
    "3-B-never": "3-B.turns-both-cards-down",
    "3-B-after": "3-A.comes-before-the-flip",
    "3-B-after-wait": "3-B.comes-before-a-wait",
    "3-B-controlled": "3-B.leaves-a-card-of-another-player",
    "3-B-only-pairs": "3-B.turns-one-card-down-after-2-A",
    "3-B-twice": "3-B.happens-once",
    "watch-at-once": "watch.waits-for-a-change",
    "watch-control": "watch.ignores-taking-control",
    "watch-never": "watch.waits-for-a-change",
    "watch-first-only": "watch.answers-every-watcher",
    "watch-misses-down": "watch.sees-a-card-turn-down",
    "map-face-up-only": "map.replaces-every-card",
    "map-turns-down": "map.keeps-faces-and-control",
    "map-relinquishes": "map.keeps-faces-and-control",
    "map-in-steps": "concurrent.replacements-between",
    "crash-outside": "bad-request.row-outside-the-board",
    "1-A-first": "1-A.comes-after-the-end-of-the-previous-play",
    "1-D-wakes-one": "1-D.ends-for-all-players-when-cards-are-removed",
    "race-check-then-act": "concurrent.one-card-for-many",
    "race-cleanup": "concurrent.three-players-four-cards",
    "race-lost-waiter": "concurrent.players-wait-for-each-other",
}


def student(*variants: str) -> str:
    return f"'{sys.executable}' '{HERE / 'student.py'}' {{port}} {{board}} {' '.join(variants)}"


def rude(mode: str) -> str:
    return f"'{sys.executable}' '{HERE / 'rude.py'}' {{port}} {mode} {{board}}"


def ours(*options: str) -> str:
    return f"'{sys.executable}' -m scramble.cli memory {{board}} --port {{port}} {' '.join(options)}"


async def verdicts(
    command: str, *rules: str, edition: str = "2025", patience_s: float = 5.0, seed: int = 1
) -> list[Verdict]:
    bench = MemoryBench(
        command=command,
        address=None,
        board=None,
        edition=edition,
        seed=seed,
        routes=HANDOUT,
        patience_s=patience_s,
    )
    async with bench:
        return await run_cases(bench, CASES.select(edition=edition, rules=rules), patience_s, lambda verdict: None)


def lines_of(found: list[Verdict], *outcomes: Outcome) -> list[str]:
    return [verdict.line() for verdict in found if verdict.outcome in outcomes]


def all_verdicts(
    jobs: Iterable[tuple[str, str, tuple[str, ...], str]], patience_s: float, *, seeds: int = 1
) -> dict[str, list[Verdict]]:
    """Run the cases of `rules` on several servers at the same time: jobs are (name, command, rules, edition).

    With more `seeds` a job runs again with the next seed, until a case fails.
    """
    found: dict[str, list[Verdict]] = {}
    limit = trio.CapacityLimiter(AT_ONCE)

    async def check(name: str, command: str, rules: tuple[str, ...], edition: str) -> None:
        async with limit:
            for seed in range(1, seeds + 1):
                found[name] = await verdicts(command, *rules, edition=edition, patience_s=patience_s, seed=seed)
                if lines_of(found[name], Outcome.FAIL):
                    break

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for job in jobs:
                nursery.start_soon(check, *job)

    trio.run(main)
    return found


def test_our_server_passes_every_case_of_both_editions() -> None:
    found = all_verdicts([(year, ours("--edition", year), (), year) for year in ("2025", "2022")], 5)
    for edition, of_edition in found.items():
        assert lines_of(of_edition, Outcome.FAIL, Outcome.LOOSE, Outcome.SKIP) == [], edition
        assert len(of_edition) > 80


def test_servers_that_use_the_freedom_of_the_handout_break_no_rule() -> None:
    rules = {
        "": ("board", "concurrent.watches-between"),
        "boards-for-failures": ("1-A", "2-A", "2-B", "failure", "concurrent.three-players-four-cards"),
        "any-waiter": ("1-D", "concurrent.players-wait-for-each-other"),
        "one-card-at-a-time": ("3-A", "3-B", "watch", "concurrent.pairs-are-removed", "concurrent.looks-between"),
        "late-views": ("1-D", "concurrent.three-players-four-cards"),
        "crlf": ("board", "watch"),
        "slow": ("1-B", "watch.waits-for-a-change", "concurrent.looks-between"),
        "two-steps": (
            "2-C",
            "2-D",
            "2-E",
            "watch",
            "concurrent.three-players-four-cards",
            "concurrent.watches-between",
        ),
        "bad-flip-finishes-play": ("bad-request",),
        "no-watch": ("board",),
    }
    assert set(rules) == {"", *RIGHT}
    found = all_verdicts([(variant, student(variant), rules[variant], "2025") for variant in rules], 5)
    failed = {variant: lines_of(of_variant, Outcome.FAIL, Outcome.SKIP) for variant, of_variant in found.items()}
    assert failed == {variant: [] for variant in rules}


def test_each_bug_of_a_students_server_is_found_by_the_case_of_its_claim() -> None:
    jobs = [(bug, student(bug), (case,), "2025") for bug, case in FOUND_BY.items()]
    races = [job for job in jobs if job[2][0].startswith("concurrent.")]
    found = all_verdicts([job for job in jobs if job not in races], 2) | all_verdicts(races, 2, seeds=SEEDS)
    assert {bug: verdict.line() for bug, (verdict,) in found.items() if verdict.outcome is not Outcome.FAIL} == {}
    assert set(BUGS) - set(FOUND_BY) == {"html"}  # only the handout of 2022 names a type


@pytest.mark.parametrize(
    ("mode", "code", "words"),
    [
        ("ends", 2, "The server ended with exit code 3. .*Cannot find module 'server.js'"),
        ("silent", 2, "/look/probe: the server does not answer"),
        ("closes", 2, "the server closed the connection without an answer"),
        ("noise", 2, "the answer is not HTTP"),
        ("half", 2, "the server closed the connection before the answer was complete"),
        ("drip", 2, "the server does not answer"),
        ("late", 2, "the server does not answer"),
        ("failing", 2, "the server answers 500: 'TypeError: board is undefined"),
        ("elsewhere", 2, "the server answers 404. If it has other routes, use --routes FILE"),
        ("random", 1, "FAIL board.is-unchanged-by-looks: two looks, with nothing between them, have different boards"),
        ("crash", 1, "FAIL board.starts-face-down: The server ended with exit code 139."),
    ],
)
def test_a_server_of_no_handout_gets_a_clear_word_and_an_exit_code(mode: str, code: int, words: str) -> None:
    done = conform("--start", rude(mode), "--patience", "1")
    assert done.returncode == code, MODES[mode]
    assert re.search(words, done.stdout + done.stderr, re.DOTALL)


def conform(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SCRAMBLE, "conform", "memory", *arguments], capture_output=True, text=True, timeout=2 * HANG_S, check=False
    )


def test_a_failure_is_one_line_with_the_request_the_answer_and_the_rule_and_is_in_each_report(tmp_path: Path) -> None:
    files = {option: tmp_path / f"report.{option}" for option in ("junit", "json", "report")}
    options = [part for option, path in files.items() for part in (f"--{option}", str(path))]
    done = conform("--start", student("1-C-fails"), "--rule", "1-B", "--rule", "1-C.takes-a-face-up-card", *options)
    passed, other, failed, summary = done.stdout.splitlines()
    assert (passed, other) == ("PASS 1-B.turns-the-card-up", "PASS 1-B.shows-it-to-all-players")
    assert re.fullmatch(
        r"FAIL 1-C\.takes-a-face-up-card: bob_\d+'s flip of \(\d+,\d+\) was answered with 409.*"
        r"Sent: bob_\d+: GET /flip/bob_\d+/\d+,\d+\. Came: '409 cannot flip.*"
        r"1-C: if the card is face up, but not controlled by another player, it remains face up.*",
        failed,
    )
    assert summary == "2 passed, 1 failed, 0 loose, 0 skipped"
    assert done.returncode == 1
    assert len(list(ElementTree.parse(files["junit"]).iter("failure"))) == 1
    (case,) = (case for case in json.loads(files["json"].read_text())["cases"] if case["outcome"] == "fail")
    assert case["exchanges"][-1]["again"].startswith("curl -i --path-as-is http://localhost:")
    assert "The same requests in a shell" in files["report"].read_text()


def test_a_running_server_is_checked_by_its_board_and_used_spaces_are_left_out(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("4x4\n" + "A\nB\n" * 8)
    with ServerProcess("memory", str(board), "--port", "0") as server:
        url = server.url
        first = conform(url, "--board", str(board), "--rule", "1-B")
        assert (first.returncode, first.stdout.splitlines()[-1]) == (0, "2 passed, 0 failed, 0 loose, 0 skipped")
        again = conform(url, "--board", str(board), "--rule", "2-D.keeps-control-of-both")  # other players than before
        assert (again.returncode, again.stdout.splitlines()[-1]) == (0, "1 passed, 0 failed, 0 loose, 0 skipped")
        rest = conform(url, "--board", str(board), "--level", "alpha")
        assert rest.returncode == 0
        assert (
            "SKIP board.reads-a-board-with-one-row: this case needs a server with a board of its own: use --start"
            in rest.stdout
        )
        assert re.search(r"SKIP \S+: the board has no unused cards with the pattern", rest.stdout)
        board.write_text("1x2\nA\nA\n")
        other = conform(url, "--board", str(board))
        assert (other.returncode, other.stdout) == (2, "")
        assert "the server's board is 4x4, but --board has 1x2" in other.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_check_and_its_server_and_the_reports_have_the_cases_so_far(
    number: signal.Signals, tmp_path: Path
) -> None:
    port = tmp_path / "port"
    start = f"sh -c 'echo {{port}} > {port}; exec {sys.executable} {HERE / 'student.py'} {{port}} {{board}}'"
    arguments = ("conform", "memory", "--start", start, "--json", str(tmp_path / "report.json"))
    with subprocess.Popen([*SCRAMBLE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as check:
        assert check.stdout is not None
        assert check.stderr is not None
        assert check.stdout.readline() == "PASS board.is-a-board-state\n"
        check.send_signal(number)
        printed = check.stdout.read()
        assert check.wait(HANG_S) == 128 + number
        assert check.stderr.read() == "interrupted: the other cases have not run\n"
    assert " 0 failed, 0 loose, 0 skipped" in printed.splitlines()[-1]
    assert json.loads((tmp_path / "report.json").read_text())["passed"] >= 1
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(port.read_text())))


def test_a_board_that_the_server_cannot_read_fails_its_case_and_the_next_cases_run() -> None:
    one_row = f"grep -q ^1x3 {{board}} && exit 3; exec {sys.executable} {HERE / 'student.py'} {{port}} {{board}}"
    rules = ("--rule", "board.starts-face-down", "--rule", "board.reads-a-board-with-one-row", "--rule", "1-B")
    done = conform("--start", f'sh -c "{one_row}"', *rules)
    _, failed, *rest = done.stdout.splitlines()
    reason = "the server for this case could not be used: The server ended with exit code 3."
    assert failed.startswith(f"FAIL board.reads-a-board-with-one-row: {reason}")
    assert rest[-1] == "3 passed, 1 failed, 0 loose, 0 skipped"
    assert done.returncode == 1


def test_an_optional_watch_may_be_missing_in_the_edition_of_2022() -> None:
    rules = ("--rule", "watch.waits-again", "--rule", "concurrent.watches-between")
    done = conform("--start", student("no-watch", "boards-for-failures"), "--edition", "2022", *rules)
    assert done.stdout.splitlines()[-1] == "0 passed, 0 failed, 0 loose, 2 skipped"
    assert "the handout of 2022 makes it optional" in done.stdout


def test_routes_of_a_course_are_mapped(tmp_path: Path) -> None:
    routes = tmp_path / "routes.txt"
    routes.write_text("look GET /api/look/{player}\n")
    done = conform("--start", rude("elsewhere"), "--routes", str(routes), "--rule", "board.is-a-board-state")
    assert done.stdout == "PASS board.is-a-board-state\n1 passed, 0 failed, 0 loose, 0 skipped\n"


def test_strict_counts_what_the_handout_leaves_open_as_failed() -> None:
    arguments = ("--start", student("boards-for-failures"), "--rule", "failure")
    for strict, code, word in (((), 0, "LOOSE"), (("--strict",), 1, "FAIL")):
        done = conform(*arguments, *strict)
        assert done.returncode == code
        assert done.stdout.startswith(f"{word} failure.is-an-error: a failed flip is answered with 200")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name either a URL or --start COMMAND"),
        (("http://127.0.0.1:1", "--start", "x"), "name either a URL or --start COMMAND"),
        (("http://127.0.0.1:1",), "a running server needs --board FILE"),
        (("ftp://127.0.0.1",), "is not an address such as http://127.0.0.1:8080"),
        (("--start", "x {port}"), "has no {board}"),
        (("--start", "no-such-program {port} {board}"), "no-such-program"),
        (("--start", "x {port} {board}", "--rule", "9-Z"), "no case has the rule 9-Z: the rules are board, http, 1-A"),
        (("http://127.0.0.1:9", "--board", "boards/memory/perfect.txt"), "accepts no connection"),
    ],
)
def test_a_run_that_is_not_possible_ends_with_one_line_and_exit_code_2(arguments: tuple[str, ...], words: str) -> None:
    done = conform(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_cases_are_listed_without_a_server() -> None:
    done = conform("--list", "--level", "beta")
    assert done.stdout.splitlines()[0] == (
        "concurrent.one-card-for-many: if a card is controlled by another player, the operation waits"
    )
    assert all(line.startswith("concurrent.") for line in done.stdout.splitlines())
