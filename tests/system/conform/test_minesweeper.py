"""`scramble conform minesweeper` against servers that keep the handout, and servers with one bug each.

Strategy. The servers: this project's own; a student's server (student_minesweeper.py) with answers that the handout
allows, with answers that it leaves open, and with each of its bugs.
- right servers: all cases for our own server and the student's; a case of each chapter for each right variant
- loose variants: the case of the open answer, and no failure
- bugs: for each bug one case that finds it; the same case passes without the bug
- a server that runs already: with and without its field; another field; no server; a silent one; one that ends
- the judge of concurrent clients: histories that an order explains, and that no order explains
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner

from scramble.cli.main import main
from scramble.conform.cases import CannotRun, Outcome, Verdict, run_cases
from scramble.conform.minesweeper.bench import MineBench
from scramble.conform.minesweeper.cases.all import CASES
from scramble.conform.minesweeper.fieldfile import FieldFile, field_of, read_field_file
from scramble.conform.minesweeper.judge import Call, NotExplained, decide
from scramble.conform.minesweeper.rules import Rules
from scramble.conform.process import free_port, started
from scramble.errors import leaves
from tests.system.conform.student_minesweeper import BUGS, LOOSE, RIGHT

OURS = f"{sys.executable} -m scramble.cli minesweeper --port {{port}} {{args}}"
STUDENT = f"{sys.executable} {Path(__file__).with_name('student_minesweeper.py')} {{port}} {{args}}"
PATIENCE_S = 5.0
SHORT_S = 0.5
SEEDS = 10  # random runs find a race with one of these seeds
"""Enough for an answer of the student's server, which has no work to do; for bugs that send nothing."""

A_CASE_OF_EACH_CHAPTER = (
    "HELLO.is-sent-only-once",
    "BOARD.is-a-grid",
    "LOOK.shows-the-current-board",
    "DIG-4.floods",
    "DIG-3.updates-the-counts",
    "BOOM.ends-the-connection",
    "DEFLAG-1.allows-a-dig",
    "NEWLINE.may-be-crlf",
    "BYE.ends-the-connection",
    "concurrent.looks-between",
)

FINDS = {
    "hello-late": "HELLO.is-sent-at-once",
    "hello-two-lines": "HELLO.is-sent-at-once",
    "hello-rows-first": "HELLO.is-sent-at-once",
    "count-others": "HELLO.counts-users-who-join",
    "count-never-falls": "HELLO.forgets-users-who-say-bye",
    "count-only-bye": "HELLO.forgets-users-who-disconnect",
    "trailing-space": "BOARD.is-a-grid",
    "extra-newline": "BOARD.is-a-grid",
    "no-spaces": "BOARD.is-a-grid",
    "zero-as-0": "BOARD.shows-a-space-without-bombs-around",
    "axes-swapped": "BOARD.has-x-across-and-y-down",
    "own-boards": "LOOK.shows-the-current-board",
    "dig-flagged": "DIG-1.ignores-flagged-squares",
    "dig-negative-wraps": "DIG-1.ignores-squares-outside",
    "dig-outside-help": "DIG-1.ignores-squares-outside",
    "ints-of-32-bits": "DIG-1.takes-integers-of-any-size",
    "no-flood": "DIG-4.floods",
    "flood-four-neighbors": "DIG-4.reaches-squares-only-by-a-corner",
    "flood-one-ring": "DIG-4.opens-the-whole-field",
    "flood-flagged": "DIG-4.leaves-flags",
    "flood-through-flags": "DIG-4.does-not-pass-through-flags",
    "flood-from-numbers": "DIG-4.does-not-start-at-a-square-with-a-bomb-around",
    "dig-again-floods": "DIG-1.ignores-dug-squares",
    "boom-keeps-bomb": "DIG-3.updates-the-counts",
    "boom-not-dug": "DIG-3.digs-the-square",
    "boom-no-flood": "DIG-4.floods-after-boom",
    "boom-floods-from-numbers": "DIG-3.updates-the-counts",
    "boom-stays": "BOOM.ends-the-connection",
    "boom-always-ends": "BOOM.keeps-the-connection-in-debug-mode",
    "boom-and-board": "BOOM.comes-without-board",
    "boom-to-all": "BOOM.does-not-end-the-game-for-others",
    "boom-ends-all": "BOOM.does-not-end-the-game-for-others",
    "flag-dug": "FLAG-2.ignores-dug-squares",
    "flag-toggles": "FLAG-2.keeps-a-flag",
    "deflag-dug": "DEFLAG-2.ignores-dug-squares",
    "deflag-digs": "DEFLAG-1.makes-a-square-untouched",
    "help-many-lines": "HELP.answers-help",
    "help-rtfm": "HELP.names-the-commands",
    "invalid-silent": "HELP.answers-other-words",
    "invalid-board": "HELP.answers-missing-numbers",
    "invalid-ends": "HELP.answers-other-words",
    "any-case": "HELP.answers-upper-case",
    "any-spaces": "HELP.answers-extra-spaces",
    "more-arguments": "HELP.answers-too-many-arguments",
    "python-ints": "HELP.answers-wrong-numbers",
    "only-utf-8": "HELP.answers-bytes-that-are-no-text",
    "line-of-1024": "HELP.answers-a-long-line",
    "lf-only": "NEWLINE.may-be-cr",
    "cr-lf-two-messages": "NEWLINE.may-be-crlf-in-two-packets",
    "one-message-a-packet": "message.may-be-split",
    "bye-stays": "BYE.ends-the-connection",
    "bye-ends-server": "BYE.ends-the-connection",
    "size-swapped": "size.is-x-columns-by-y-rows",
    "size-ignored": "size.is-x-columns-by-y-rows",
    "default-8": "size.is-10-by-10-without-options",
    "no-bombs": "size.has-random-bombs",
    "file-transposed": "FILE.has-columns-before-rows",
    "file-lf-only": "FILE.may-have-crlf",
    "file-any": "FILE.must-have-y-lines",
    "one-client": "HELLO.counts-users-who-join",
    "eight-clients": "clients.play-on-one-field",
    "ends-with-reset": "clients.leave-without-bye",
    "race-dig": "concurrent.one-boom-for-each-bomb",
    "race-flag": "concurrent.digs-and-flags",
    "race-flood": "concurrent.looks-between",
    "race-count": "clients.are-counted-when-they-come-at-once",
    "stale-board": "LOOK.shows-the-current-board",
}

LOOSE_CASES = {
    "no-empty-line": "HELP.answers-an-empty-line",
    "lock-while-sending": "clients.may-stop-reading",
    "hello-empty-line": "HELLO.is-sent-only-once",
    "minus-zero-outside": "DIG-1.takes-minus-zero",
    "says-goodbye": "BYE.ends-the-connection",
    "lenient-files": "FILE.may-be-refused-for-less",
    "short-help": "HELP.names-the-commands",
    "size-beats-file": "options.name-a-file-or-a-size",
}


def judged(start: str, *names: str, patience_s: float = PATIENCE_S, seed: int = 1) -> dict[str, Verdict]:
    """Start servers by a command, and play the cases with these names, or all cases."""

    async def play() -> list[Verdict]:
        async with MineBench(
            command=start, address=None, field=None, debug=None, seed=seed, patience_s=patience_s
        ) as bench:
            return await run_cases(bench, CASES.select(rules=names), patience_s, lambda verdict: None)

    return {verdict.name: verdict for verdict in trio.run(play)}


def others(verdicts: dict[str, Verdict], outcome: Outcome) -> list[str]:
    """The lines of the verdicts with another outcome."""
    return [verdict.line() for verdict in verdicts.values() if verdict.outcome is not outcome]


# --- servers that keep the handout


def test_our_own_server_passes_cases_of_each_chapter() -> None:
    names = (*A_CASE_OF_EACH_CHAPTER, "FILE.is-the-field", "clients.may-stop-reading", "concurrent")
    assert others(judged(OURS, *names), Outcome.PASS) == []


def test_a_students_server_passes_all_cases() -> None:
    verdicts = judged(STUDENT)
    assert len(verdicts) == len(list(CASES))
    assert others(verdicts, Outcome.PASS) == []


@pytest.mark.parametrize("variant", RIGHT)
def test_answers_that_the_handout_allows_pass(variant: str) -> None:
    assert others(judged(f"{STUDENT} {variant}", *A_CASE_OF_EACH_CHAPTER), Outcome.PASS) == []


@pytest.mark.parametrize("variant", LOOSE)
def test_an_answer_that_the_handout_leaves_open_is_loose_in_one_case_and_breaks_no_other(variant: str) -> None:
    verdicts = judged(f"{STUDENT} {variant}", "HELLO", "LOOK", "DIG-1", "HELP.answers-help", LOOSE_CASES[variant])
    assert others(verdicts, Outcome.PASS) == [verdicts[LOOSE_CASES[variant]].line()]
    assert verdicts[LOOSE_CASES[variant]].outcome is Outcome.LOOSE


# --- bugs


def test_each_bug_has_a_case() -> None:
    assert list(FINDS) == list(BUGS)


@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_fails_its_case(bug: str) -> None:
    for seed in range(1, SEEDS + 1 if bug.startswith("race-") else 2):
        verdict = judged(f"{STUDENT} {bug}", FINDS[bug], patience_s=SHORT_S, seed=seed)[FINDS[bug]]
        if verdict.outcome is Outcome.FAIL:
            return
    pytest.fail(verdict.line())


def test_a_failed_run_of_concurrent_clients_is_made_small() -> None:
    verdict = judged(f"{STUDENT} race-dig", "concurrent.digs")["concurrent.digs"]
    assert verdict.outcome is Outcome.FAIL
    moves = [exchange for exchange in verdict.exchanges if exchange.sent.startswith(("dig", "flag", "deflag"))]
    assert len(moves) == 2, [exchange.sent for exchange in moves]


def test_a_server_for_one_user_is_checked_with_one_user() -> None:
    names = ("HELLO.counts-users-who-join", "LOOK.does-not-mutate", "DIG-4.floods")
    outcomes = [verdict.outcome for verdict in judged(f"{STUDENT} one-client", *names, patience_s=SHORT_S).values()]
    assert outcomes == [Outcome.FAIL, Outcome.SKIP, Outcome.PASS]


# --- servers that run already


NEEDS_NO_BOMBS = ("HELLO.is-sent-at-once", "BOARD.is-a-grid", "FLAG-2.keeps-a-flag", "HELP.answers-upper-case")
FIELD = field_of("00000100 00000000 00010000 00000000 01000000")


def judged_running(
    arguments: str, *names: str, field: FieldFile | None = None, debug: bool | None = None
) -> dict[str, Verdict]:
    """Start a student's server, and play the cases with these names as against a server that runs already."""

    async def play() -> list[Verdict]:
        port = free_port()
        async with (
            started(STUDENT.format(port=port, args=arguments).split(), port),
            MineBench(
                command=None, address=("localhost", port), field=field, debug=debug, seed=1, patience_s=PATIENCE_S
            ) as bench,
        ):
            return await run_cases(bench, CASES.select(rules=names), PATIENCE_S, lambda verdict: None)

    return {verdict.name: verdict for verdict in trio.run(play)}


def test_a_field_that_is_not_known_is_enough_for_flags_but_not_for_digs() -> None:
    verdicts = judged_running("", *NEEDS_NO_BOMBS, "DIG-2.digs-one-square", "BOOM.ends-the-connection", "size")
    skipped = {name for name, verdict in verdicts.items() if verdict.outcome is Outcome.SKIP}
    assert skipped == set(verdicts) - set(NEEDS_NO_BOMBS)
    assert "--board FILE" in verdicts["DIG-2.digs-one-square"].reason
    assert "--debug or --no-debug" in verdicts["BOOM.ends-the-connection"].reason


def test_a_running_server_is_checked_on_its_own_field(tmp_path: Path) -> None:
    path = tmp_path / "field.txt"
    path.write_text(FIELD.text("\r\n"), newline="")
    names = ("DIG-2.digs-one-square", "DIG-3.digs-the-square", "DIG-4.floods", "FLAG-1.flags-a-bomb")
    for chosen in (names, ("concurrent.digs",)):
        verdicts = judged_running(f"--file {path}", *chosen, field=read_field_file(str(path)), debug=False)
        assert others(verdicts, Outcome.PASS) == []
    verdicts = judged_running(f"--file {path} flood-from-numbers", names[0], field=FIELD)
    assert verdicts[names[0]].outcome is Outcome.FAIL


def test_a_running_server_with_a_field_of_another_size_cannot_be_checked() -> None:
    with pytest.raises(ExceptionGroup) as raised:
        judged_running("--size 3,4", "DIG-4.floods", field=FIELD)
    (error,) = leaves(raised.value)
    assert isinstance(error, CannotRun)
    assert "3 columns by 4 rows, but --board has 8 columns by 5 rows" in str(error)


def test_a_server_of_another_protocol_breaks_the_first_rule() -> None:
    async def play() -> list[Verdict]:
        async def answer(stream: trio.SocketStream) -> None:
            await stream.send_all(b"220 mail.example.org\r\n")

        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        address = "127.0.0.1", int(listener.socket.getsockname()[1])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.serve_listeners, answer, [listener])
            bench = MineBench(command=None, address=address, field=None, debug=None, seed=1, patience_s=SHORT_S)
            async with bench:
                verdicts = await run_cases(bench, CASES.select(), SHORT_S, lambda verdict: None)
            nursery.cancel_scope.cancel()
        return verdicts

    first, *rest = trio.run(play)
    assert first.outcome is Outcome.FAIL
    assert "the first line is not HELLO. Came: '220 mail.example.org'" in first.reason
    assert {verdict.outcome for verdict in rest} == {Outcome.SKIP}


# --- the command


def command(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ("conform", "minesweeper", *arguments))
    return result.exit_code, result.output


def test_the_exit_code_tells_passes_from_failures_and_from_a_server_that_does_not_start() -> None:
    code, output = command("--start", STUDENT, "--rule", "DIG-1.ignores-dug-squares")
    assert (code, output) == (0, "PASS DIG-1.ignores-dug-squares\n1 passed, 0 failed, 0 loose, 0 skipped\n")
    code, output = command("--start", f"{STUDENT} flag-dug", "--rule", "FLAG-2.ignores-dug-squares")
    assert code == 1
    assert output.startswith("FAIL FLAG-2.ignores-dug-squares: in the answer to alice's flag ")
    code, output = command("--start", f"{STUDENT} no-such-variant", "--rule", "FLAG-2")
    assert code == 2
    assert "The server ended with exit code 1" in output
    code, output = command(f"telnet://localhost:{free_port()}")
    assert code == 2
    assert "the server accepts no connection" in output


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "name either a URL or --start COMMAND"),
        (("localhost:4444", "--start", "x {port}"), "name either a URL or --start COMMAND"),
        (("--start", "x {port} {args}", "--debug"), "--board and --debug are for a server without {args}"),
        (("localhost:4444", "--rule", "1-D"), "no case has the rule 1-D: the rules are HELLO,"),
    ],
)
def test_wrong_usage_gets_a_reason(arguments: tuple[str, ...], reason: str) -> None:
    code, output = command(*arguments)
    assert code == 2
    assert reason in " ".join(output.split())


# --- the judge of concurrent clients

TWO = Rules(2, 1, frozenset({(1, 0)}))


def test_the_judge_accepts_a_board_that_is_read_after_another_users_move() -> None:
    both = ("1F",)
    decide(TWO, [Call("alice", "dig 0 0", 0, 3, both), Call("bob", "flag 1 0", 1, 2, both)])


@pytest.mark.parametrize(
    "calls",
    [
        [Call("alice", "dig 1 0", 0, 2, None), Call("bob", "dig 1 0", 1, 3, None)],  # two booms
        [Call("alice", "dig 0 0", 0, 1, ("1-",)), Call("bob", "look", 2, 3, ("--",))],  # an old board
        [Call("alice", "flag 1 0", 0, 3, ("-F",)), Call("bob", "look", 1, 2, ("F-",))],  # another square
        [Call("alice", "dig 0 0", 0, 1, ("--",))],  # a dig without effect
    ],
)
def test_the_judge_refuses_answers_that_no_order_explains(calls: list[Call]) -> None:
    with pytest.raises(NotExplained):
        decide(TWO, calls)
