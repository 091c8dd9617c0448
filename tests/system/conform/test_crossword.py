"""`scramble conform crossword`: right servers pass, and each bug is found by its case.

Partitions:
- servers: ours; a student's with our wire, in right variants and with one bug each; servers with other wires
- levels: alpha; beta, races that only concurrent clients see
- started by the check, or running: threads of this process; a bug that ends its process gets a process
- the command: without and with --wire, options that are missing, servers of another wire, the folder for a server
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from scramble.cli.conform import conform_commands
from scramble.conform.cases import Outcome, Verdict, run_cases
from scramble.conform.crossword.bench import CrosswordBench
from scramble.conform.crossword.cases.all import CASES
from scramble.conform.crossword.client import SCRAMBLE
from scramble.conform.crossword.folders import FOLDERS, write_folder
from tests.system.conform import student_crossword, student_crossword_match, student_crossword_other

STUDENT = f"{sys.executable} -m tests.system.conform.student_crossword {{port}} {{puzzles}}"
OTHER = f"{sys.executable} -m tests.system.conform.student_crossword_other {{port}} {{puzzles}}"
SEEDS = 20  # random runs find a race with one of these seeds; on a slow machine a seed has few runs
OURS = f"{sys.executable} -m scramble.cli crossword {{puzzles}} --telnet-port {{port}} --port 0"

FINDS = {
    "START-accepts-an-id-in-use": "START.refuses-an-id-in-use",
    "START-accepts-spaces": "START.refuses-a-tab-in-an-id",
    "START-ignores-case": "START.distinguishes-upper-and-lower-case",
    "START-keeps-ids": "START.frees-the-id-after-exit",
    "START-no-length": "START.refuses-21-characters",
    "CHOOSE-lists-one-puzzle": "CHOOSE.shows-all-puzzles",
    "CHOOSE-no-live-update": "CHOOSE.sees-a-new-match",
    "CHOOSE-keeps-begun-matches": "CHOOSE.sees-a-match-begin",
    "CHOOSE-keeps-withdrawn-matches": "CHOOSE.sees-a-match-withdrawn",
    "CHOOSE-keeps-matches-of-lost-players": "CHOOSE.sees-a-waiting-player-leave",
    "CHOOSE-exit-keeps-the-connection": "CHOOSE.exit-ends-the-session",
    "NEW-one-match-for-each-puzzle": "NEW.uses-a-puzzle-that-is-played",
    "NEW-accepts-a-used-id": "NEW.refuses-a-used-match-id",
    "NEW-accepts-no-quotes": "NEW.refuses-a-description-without-quotes",
    "NEW-never-frees-ids": "NEW.takes-the-id-of-a-match-that-is-over",
    "PLAY-admits-a-third": "PLAY.refuses-a-third-player",
    "WAIT-accepts-new": "WAIT.refuses-other-commands",
    "PLAY-shows-solutions": "PLAY.shows-no-solution",
    "TRY-any-length": "TRY.refuses-a-wrong-length",
    "TRY-no-ids-checked": "TRY.refuses-an-unknown-id",
    "TRY-conflicts-with-others": "TRY.refuses-a-conflict-with-the-other-player",
    "TRY-conflicts-with-confirmed": "TRY.refuses-a-conflict-with-a-confirmed-word",
    "TRY-refuses-own-conflicts": "TRY.clears-the-players-own-conflict",
    "TRY-keeps-own-conflicts": "TRY.clears-two-words-by-bob",
    "TRY-clears-all-own-words": "TRY.keeps-the-players-own-words-that-agree",
    "TRY-takes-words": "TRY.refuses-the-other-players-word",
    "TRY-changes-confirmed": "TRY.refuses-a-confirmed-word",
    "TRY-only-once": "TRY.changes-the-players-own-word",
    "TRY-erases-letters": "TRY.keeps-letters-of-other-words",
    "TRY-owns-by-letters": "TRY.enters-no-word-by-its-letters",
    "TRY-no-update": "TRY.enters-a-guess",
    "TRY-shows-hits": "TRY.enters-right-and-wrong-guesses",
    "TRY-splits-words": "TRY.refuses-a-change-that-conflicts",
    "CHALLENGE-own": "CHALLENGE.refuses-the-players-own-word",
    "CHALLENGE-confirmed": "CHALLENGE.refuses-a-confirmed-word",
    "CHALLENGE-same": "CHALLENGE.refuses-the-same-word",
    "CHALLENGE-empty": "CHALLENGE.refuses-an-empty-word",
    "CHALLENGE-right-costs-nothing": "CHALLENGE.confirms-a-right-word",
    "CHALLENGE-right-unconfirmed": "CHALLENGE.confirms-a-right-word",
    "CHALLENGE-wins-one-point": "CHALLENGE.wins-a-wrong-word",
    "CHALLENGE-wins-no-word": "CHALLENGE.wins-a-wrong-word",
    "CHALLENGE-must-agree": "CHALLENGE.may-conflict-with-the-board",
    "CHALLENGE-keeps-conflicts": "CHALLENGE.clears-the-owners-conflict",
    "CHALLENGE-clears-the-owner-only": "CHALLENGE.clears-the-challengers-conflict",
    "CHALLENGE-wrong-stays": "CHALLENGE.clears-a-word-if-both-are-wrong",
    "CHALLENGE-costs-the-owner": "CHALLENGE.counts-for-each-player",
    "CHALLENGE-any-length": "CHALLENGE.refuses-a-wrong-length",
    "end-needs-all-words": "end.leaves-words-unclaimed",
    "end-when-full": "end.not-before",
    "end-not-by-challenge": "end.by-a-challenge",
    "end-no-confirmation": "end.confirms-all-words",
    "end-without-challenges": "end.counts-challenges",
    "end-first-wins-draws": "end.may-be-a-draw",
    "end-for-one": "end.when-all-cells-are-correct",
    "forfeit-by-points": "forfeit.is-won-by-the-other-player",
    "forfeit-for-one": "forfeit.ends-the-match-for-both",
    "score-new-match-plays": "SHOW-SCORE.new-match-chooses",
    "score-exit-chooses": "SHOW-SCORE.exit-logs-out",
    "line-crlf": "line.ends-with-crlf",
    "line-one-in-a-segment": "line.comes-with-others",
    "line-spaces": "line.may-have-spaces-around-words",
    "line-long": "line.too-long-is-refused",
    "line-escapes": "line.text-of-players-cannot-imitate-a-screen",
    "puzzle-no-comments": "grammar.loads-comment-in-an-entry",
    "puzzle-comments-in-strings": "grammar.loads-slashes-in-a-clue",
    "puzzle-one-entry-a-line": "grammar.loads-much-space",
    "puzzle-no-hyphens": "grammar.loads-hyphens",
    "puzzle-no-escapes": "grammar.loads-escapes",
    "puzzle-crossings": "grammar.rejects-other-letter-at-a-crossing",
    "puzzle-overlaps": "grammar.rejects-overlap-down",
    "puzzle-twice": "grammar.rejects-word-twice",
    "puzzle-prefix": "grammar.rejects-text-at-the-end",
    "puzzle-any-case": "grammar.rejects-direction-in-small-letters",
    "puzzle-header-line": "grammar.rejects-no-newline-after-the-header",
    "bad-file-stops": "folder.starts-with-no-mark",
    "bad-file-ends-reading": "grammar.rejects-no-mark",
    "blocks-on-silent-clients": "server.serves-clients-at-once",
    "dies-of-bytes": "line.not-utf-8-is-refused",
    "dies-of-resets": "server.goes-on-after-a-reset",
    "dies-of-long-lines": "server.goes-on-after-a-long-line",
    "race-id": "concurrent.one-id-for-many",
    "race-join": "concurrent.one-match-for-many",
    "race-new": "concurrent.one-match-id-for-many",
    "race-try": "concurrent.two-players-guess",
    "race-challenge": "concurrent.two-players-guess-and-challenge",
    "race-lost-update": "concurrent.a-crowd-plays",
    "half-screens": "START.valid-id-chooses",
    "no-answers": "START.valid-id-chooses",
    "floods": "NEW.accepts-20-characters",
    "shared-points": "concurrent.a-crowd-plays",
}
"""For each bug of the student's server a case that finds it."""

FINDS_WITHOUT_WIRE = {
    "one-client-at-a-time": "server.serves-clients-at-once",
    "three-clients": "server.serves-clients-at-once",
    "two-clients-in-all": "server.serves-clients-one-after-another",
    "dies-of-bytes": "server.goes-on-after-bytes-that-are-not-text",
    "dies-of-empty-lines": "server.goes-on-after-an-empty-line",
    "dies-of-nonsense": "server.goes-on-after-nonsense",
    "dies-of-long-lines": "server.goes-on-after-a-line-without-end",
    "dies-of-resets": "server.goes-on-after-a-reset",
    "dies-of-half-a-line": "server.goes-on-after-the-end-of-input",
    "sends-solutions": "security.sends-no-solutions-to-a-client-that-connects",
    "dies-of-bad-files": "folder.starts-with-no-mark",
    "dies-of-an-empty-file": "folder.starts-with-empty-file",
}

ENDS_ITS_PROCESS = {bug for bug in (*FINDS, *FINDS_WITHOUT_WIRE) if bug.startswith("dies-of")} | {"bad-file-stops"}


@pytest.fixture(scope="module")
def puzzles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all files of the check, good and bad ones."""
    folder = tmp_path_factory.mktemp("puzzles")
    for name in FOLDERS:
        write_folder(name, folder)
    return folder


def bench_of(
    command: str | None, port: int, puzzles: Path, *, wire: bool, patience_s: float, seed: int = 1
) -> CrosswordBench:
    address = None if command is not None else ("127.0.0.1", port)
    return CrosswordBench(
        command=command, address=address, puzzles=puzzles, wire=wire, seed=seed, patience_s=patience_s
    )


async def verdicts_of(bench: CrosswordBench, names: Iterable[str], patience_s: float, edition: str) -> list[Verdict]:
    cases = CASES.select(edition=edition, rules=names)
    assert cases
    async with bench:
        return await run_cases(bench, cases, patience_s, lambda verdict: None)


def not_passed(verdicts: Iterable[Verdict]) -> list[str]:
    return [verdict.line() for verdict in verdicts if verdict.outcome is not Outcome.PASS]


async def test_our_server_keeps_each_claim() -> None:
    bench = bench_of(OURS, 0, Path(), wire=True, patience_s=5)
    rules = [rule for rule in CASES.rules() if rule not in ("folder", "server")]
    verdicts = await verdicts_of(bench, [*rules, "folder.starts-with-all-bad-files"], 5, SCRAMBLE)
    assert not not_passed(verdicts)
    assert len(verdicts) > 150


async def test_our_server_goes_on_whatever_its_clients_send() -> None:
    bench = bench_of(OURS, 0, Path(), wire=False, patience_s=5)
    assert not not_passed(await verdicts_of(bench, ["server"], 5, ""))


@pytest.mark.parametrize("variant", [None, *student_crossword_match.RIGHT])
async def test_right_servers_of_students_pass(variant: str | None, puzzles: Path) -> None:
    variants = set() if variant is None else {variant}
    rules = ["START", "CHOOSE", "NEW", "TRY", "CHALLENGE", "end", "line", "concurrent.matches-at-once"]
    if variant in ("slow", "in-pieces"):
        rules = ["WAIT", "forfeit", "SHOW-SCORE", "CHALLENGE.counts-for-each-player", "concurrent.one-word-for-two"]
    with closing(student_crossword.listen(0, puzzles, variants)) as listener:
        bench = bench_of(None, listener.getsockname()[1], puzzles, wire=True, patience_s=5)
        assert not not_passed(await verdicts_of(bench, rules, 5, SCRAMBLE))


def test_each_bug_has_its_case() -> None:
    assert FINDS.keys() == student_crossword_match.BUGS.keys()
    assert FINDS_WITHOUT_WIRE.keys() == student_crossword_other.BUGS.keys()


@pytest.mark.parametrize(("bug", "case"), FINDS.items())
async def test_the_case_finds_the_bug(bug: str, case: str, puzzles: Path) -> None:
    command = f"{STUDENT} {bug}" if bug in ENDS_ITS_PROCESS else None
    with _listening(student_crossword.listen(0, puzzles, {bug}) if command is None else None) as port:
        for seed in range(1, SEEDS + 1 if case.startswith("concurrent.") else 2):
            bench = bench_of(command, port, puzzles, wire=True, patience_s=0.4, seed=seed)
            (verdict,) = await verdicts_of(bench, [case], 0.4, SCRAMBLE)
            if verdict.outcome is Outcome.FAIL:
                break
    assert verdict.outcome is Outcome.FAIL, f"{bug}: {student_crossword_match.BUGS[bug]}"
    assert "On a fresh server this case passes" not in verdict.reason


@contextmanager
def _listening(listener: socket.socket | None) -> Iterator[int]:
    if listener is None:
        yield 0
    else:
        with closing(listener):
            yield int(listener.getsockname()[1])


@pytest.mark.parametrize(("bug", "case"), FINDS_WITHOUT_WIRE.items())
async def test_the_case_finds_the_bug_without_our_wire(bug: str, case: str) -> None:
    bench = bench_of(f"{OTHER} greeting {bug}", 0, Path(), wire=False, patience_s=0.4)
    (verdict,) = await verdicts_of(bench, [case], 0.4, "")
    assert verdict.outcome is Outcome.FAIL, f"{bug}: {student_crossword_other.BUGS[bug]}"


@pytest.mark.parametrize("wire", ["greeting", "http", "echo"])
async def test_right_servers_with_other_wires_pass(wire: str, puzzles: Path) -> None:
    rules = [] if wire == "greeting" else ["server.serves-clients-at-once", "server.goes-on-after-a-reset"]
    with closing(student_crossword_other.listen(0, puzzles, wire, set())) as listener:
        bench = bench_of(None, listener.getsockname()[1], puzzles, wire=False, patience_s=5)
        assert not not_passed(await verdicts_of(bench, rules, 5, ""))


async def test_a_mute_server_is_not_judged_where_nothing_can_be_seen_but_its_end_is() -> None:
    names = ["server.accepts-a-client", "server.goes-on-after-nonsense", "server.goes-on-after-a-reset"]
    bench = bench_of(f"{OTHER} silent dies-of-nonsense", 0, Path(), wire=False, patience_s=1)
    verdicts = await verdicts_of(bench, names, 1, "")
    assert {verdict.name: verdict.outcome for verdict in verdicts} == {
        "server.accepts-a-client": Outcome.PASS,
        "server.goes-on-after-nonsense": Outcome.FAIL,
        "server.goes-on-after-a-reset": Outcome.SKIP,
    }


# --- the command


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(conform_commands, ["crossword", *words])
    return result.exit_code, result.output


def test_without_wire_the_command_runs_the_cases_of_the_handout_only() -> None:
    code, output = run("--start", f"{OTHER} greeting", "--rule", "server.accepts-a-client", "--rule", "TRY")
    assert code == 0, output
    assert "PASS server.accepts-a-client" in output
    assert "more run with --wire scramble" in output
    assert "1 passed, 0 failed, 0 loose, 0 skipped" in output


def test_rules_of_our_wire_need_the_option() -> None:
    code, output = run("--start", f"{STUDENT}", "--rule", "TRY")
    assert code == 2
    assert "--wire scramble" in output


def test_a_server_of_another_wire_is_told_from_a_wrong_one(puzzles: Path) -> None:
    with closing(student_crossword_other.listen(0, puzzles, "greeting", set())) as listener:
        port = listener.getsockname()[1]
        command = ["--wire", "scramble", "--puzzles", str(puzzles), "--patience", "0.5", "--rule", "TRY"]
        code, output = run(f"127.0.0.1:{port}", *command)
    assert code == 2, output
    assert "no screen of our telnet wire" in output


def test_a_server_that_does_not_start_cannot_be_judged() -> None:
    code, output = run("--start", f"{sys.executable} -c 'exit(3)' {{port}} {{puzzles}}")
    assert code == 2
    assert "exit code 3" in output


def test_a_running_server_is_judged_with_the_puzzles_that_the_command_wrote(tmp_path: Path) -> None:
    folder = tmp_path / "for-the-server"
    assert run("--write-puzzles", str(folder))[0] == 0
    with closing(student_crossword.listen(0, folder, {"CHALLENGE-wins-one-point"})) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        assert run(address, "--wire", "scramble")[0] == 2
        code, output = run(
            address, "--wire", "scramble", "--puzzles", str(folder), "--rule", "TRY", "--rule", "grammar"
        )
        assert code == 0, output
        assert "SKIP grammar.loads-escapes: this case needs a server with a folder of its own" in output
        found = run(address, "--wire", "scramble", "--puzzles", str(folder), "--rule", "CHALLENGE")
        assert found[0] == 1
        assert "FAIL CHALLENGE.wins-a-wrong-word" in found[1]


def test_a_failure_shows_the_lines_that_repeat_it_in_a_shell(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    command = f"{STUDENT} CHALLENGE-own"
    code, _ = run(
        "--start",
        command,
        "--wire",
        "scramble",
        "--rule",
        "CHALLENGE.refuses-the-players-own-word",
        "--report",
        str(report),
    )
    assert code == 1
    page = report.read_text(encoding="utf-8")
    assert "mkfifo ann_" in page
    assert "CHALLENGE 1 cat\\n" in page


def test_the_list_has_the_cases_of_the_wire_only_with_the_option() -> None:
    without, both = run("--list")[1], run("--list", "--wire", "scramble")[1]
    assert "TRY." not in without
    assert set(without.splitlines()) < set(both.splitlines())
