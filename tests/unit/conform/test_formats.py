"""What `scramble conform` reads and writes: boards, board files, routes, start commands, reports.

Partitions: right texts with each newline; each deviation from a grammar; reports with each outcome, with characters
that HTML and XML must escape; files that cannot be read
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scramble.conform.cases import Broken, CannotRun, Outcome, Verdict
from scramble.conform.memory.boardtext import parse_board, read_board_file
from scramble.conform.memory.routes import HANDOUT, read_routes
from scramble.conform.page import as_page
from scramble.conform.process import filled
from scramble.conform.reference import page as page_of_cases
from scramble.conform.reports import Checked, as_json, as_junit
from scramble.conform.transcript import Exchange
from tests.support.process import ROOT


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r", "\n\r"])
def test_a_board_has_any_newline_of_the_handouts(newline: str) -> None:
    board = parse_board(newline.join(["2x2", "up 🦄", "down", "none", "my B", ""]))
    assert (board.rows, board.columns) == (2, 2)
    assert [str(spot) for spot in board.spots] == ["up 🦄", "down", "none", "my B"]
    assert str(board[1, 1]) == "my B"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be ROWxCOLUMN"),
        ("1x1\ndown", "'down', does not end with a newline"),
        ("1x1 \ndown\n", "must be ROWxCOLUMN, such as 3x3, but is '1x1 '"),
        ("\n", "must be ROWxCOLUMN"),
        ("1x2\ndown\n", "must have 2 spots, but has 1"),
        ("1x1\ndown\n\n", "must have 1 spots, but has 2"),
        ("1x1\nup\n", "line 2 of the board must be none, down, up CARD or my CARD, but is 'up'"),
        ("1x1\nup A B\n", "line 2"),
        ("1x1\nDown\n", "line 2"),
        ("1x1\n down\n", "line 2"),
    ],
)
def test_a_deviation_from_the_grammar_of_boards_is_named(text: str, message: str) -> None:
    with pytest.raises(Broken, match=re.escape(message)):
        parse_board(text)


def test_a_board_file_is_read_or_named(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_bytes("1x2\r\n🦄\r\nA\r\n".encode())
    assert read_board_file(str(path)).places == {(0, 0): "🦄", (0, 1): "A"}
    for wrong in (b"", b"2x2\nA\nB\n", b"1x1\nA B\n", b"\xff\xfe", b"axb\nA\n"):
        path.write_bytes(wrong)
        with pytest.raises(CannotRun, match=r"board\.txt"):
            read_board_file(str(path))
    with pytest.raises(CannotRun, match="cannot be read"):
        read_board_file(str(tmp_path))


def test_a_file_of_routes_maps_requests_to_targets_and_bodies() -> None:
    routes = read_routes(
        "# the routes of 2026\n\n"
        "look GET /api/look?player={player}\n"
        'flip  POST /api/flip  {"player": "{player}", "row": {row}, "column": {column}}\n'
    )
    assert routes["look"].fill({"player": "a&b"}) == ("/api/look?player=a%26b", b"")
    target, body = routes["flip"].fill({"player": 'a"b', "row": "1", "column": "2"})
    assert target == "/api/flip"
    assert json.loads(body) == {"player": 'a"b', "row": 1, "column": 2}
    assert routes["watch"] is HANDOUT["watch"]
    assert HANDOUT["replace"].fill({"player": "a", "old": "🦄", "new": "a/b"})[0] == "/replace/a/%F0%9F%A6%84/a%2Fb"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("turn GET /turn/{player}", "not NAME METHOD /TARGET"),
        ("look get /look/{player}", "not NAME METHOD /TARGET"),
        ("look GET look/{player}", "not NAME METHOD /TARGET"),
        ("flip GET /flip/{player}/{row}", "needs {column}, {player}, {row}"),
        ("look GET /look/{player}/{room}", "needs {player}, and no other names"),
    ],
)
def test_a_wrong_line_of_routes_is_named(line: str, message: str) -> None:
    with pytest.raises(CannotRun, match=f"line 2 .*{message}"):
        read_routes(f"# routes\n{line}\n")


def test_a_start_command_is_split_like_in_a_shell_and_filled() -> None:
    values = {"port": "8080", "board": "/tmp/my board.txt", "args": "--size 3,4 --debug"}
    words = filled("npm start '{port}' x={board} {args}", values, frozenset({"port"}))
    assert words == ["npm", "start", "8080", "x=/tmp/my board.txt", "--size", "3,4", "--debug"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("npm start", "has no {board}"),
        ("npm {port} {board} {file}", "has {file}: this check replaces {port}, {board}"),
        ("npm 'start {port} {board}", "No closing quotation"),
        ("npm {port} {board} {", "--start"),
    ],
)
def test_a_wrong_start_command_is_named(command: str, message: str) -> None:
    values = {"port": "1", "board": "b"}
    with pytest.raises(CannotRun, match=message):
        filled(command, values, frozenset(values))


EXCHANGE = Exchange("<ann>", "GET /look/ann", "curl 'http://h/look/ann'", 0.0, "200 1x1\nup \x01<b>\n", 0.25)
CHECKED = Checked(
    "memory",
    "2025",
    "npm start {port}",
    7,
    [
        Verdict("1-A.fails", "1-A", "the operation fails", "alpha", Outcome.PASS, took_s=0.5),
        Verdict("1-D.waits", "1-D", "it <waits>", "alpha", Outcome.FAIL, "did & not", (EXCHANGE,), 1.0, "oops\x00"),
        Verdict("1-D.leaves", "1-D", "left open", "alpha", Outcome.LOOSE, "differs", (EXCHANGE,), 1.0),
        Verdict("x.y", "x", "…", "beta", Outcome.SKIP, "no route"),
    ],
)


def test_the_summary_counts_each_outcome() -> None:
    assert CHECKED.summary() == "1 passed, 1 failed, 1 loose, 1 skipped"
    lines = [verdict.line() for verdict in CHECKED.verdicts]
    assert lines == [
        "PASS 1-A.fails",
        "FAIL 1-D.waits: did & not. 1-D: it <waits>",
        "LOOSE 1-D.leaves: differs",
        "SKIP x.y: no route",
    ]


def test_a_line_has_no_control_characters_of_a_server() -> None:
    verdict = Verdict("a.b", "a", "c", "alpha", Outcome.FAIL, "came \x1b[2J\nand\u202e more")
    assert verdict.line() == "FAIL a.b: came \\x1b[2J and\\u202e more. a: c"


def test_the_reference_of_the_cases_is_made_from_the_code() -> None:
    assert (ROOT / "docs" / "reference" / "conform-cases.md").read_text() == page_of_cases()


def test_json_has_the_counts_and_each_case_with_its_exchanges() -> None:
    report = json.loads(as_json(CHECKED))
    assert {key: report[key] for key in ("game", "edition", "seed", "passed", "failed", "loose", "skipped")} == {
        "game": "memory",
        "edition": "2025",
        "seed": 7,
        "passed": 1,
        "failed": 1,
        "loose": 1,
        "skipped": 1,
    }
    assert [case["outcome"] for case in report["cases"]] == ["pass", "fail", "loose", "skip"]
    assert report["cases"][1]["exchanges"][0]["again"] == "curl 'http://h/look/ann'"


def test_junit_is_xml_with_failures_and_skipped_cases() -> None:
    suites = ElementTree.fromstring(as_junit(CHECKED))
    assert (suites.get("tests"), suites.get("failures"), suites.get("skipped")) == ("4", "1", "1")
    (failure,) = suites.iter("failure")
    assert failure.get("message") == "did & not"
    assert "curl 'http://h/look/ann'" in (failure.text or "")
    assert [case.get("name") for case in suites.iter("testcase")] == ["1-A.fails", "1-D.waits", "1-D.leaves", "x.y"]
    assert len(list(suites.iter("skipped"))) == 1


def test_the_page_shows_failures_first_and_escapes_what_servers_send() -> None:
    page = as_page(CHECKED)
    assert page.index("1-D.waits") < page.index("1-D.leaves") < page.index("x.y") < page.index("1-A.fails")
    assert "<b>" not in page.replace("<b>&lt;ann&gt;</b>", "")
    assert "&lt;waits&gt;" in page
    assert "curl &#x27;http://h/look/ann&#x27;" in page
    assert "<script" not in page
