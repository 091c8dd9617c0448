"""The log of a server for its operator: scramble/logs.py.

Partitions:
- a field is: text that needs no quotes; text with white space, quotation marks, control characters, other alphabets;
  empty; a whole number; a fraction; a boolean; None
- a record is: an entry; a message of another library, with arguments; an error with its traceback
- form: text; JSON
- level: below, at and above the chosen level, of the package's own loggers and of other loggers
- an event happens: rarely; above the rate limit; below the limit again; at level debug
- standard error is: open; closed
- an unhandled error: one line in JSON
"""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from typing import cast

import pytest

from scramble.cli.logging import (
    MAX_LINES_PER_S,
    Format,
    JsonFormatter,
    LogLevel,
    RateLimitFilter,
    TextFormatter,
    logging_to_standard_error,
)
from scramble.logs import LogEntry, LogValue


def record(message: object, *arguments: object, level: int = logging.INFO, created: float = 0.0) -> logging.LogRecord:
    made = logging.LogRecord("scramble.server.telnet.server", level, "tcp.py", 1, message, arguments, None)
    made.created = created
    return made


def as_json(entry: logging.LogRecord) -> dict[str, object]:
    line = JsonFormatter().format(entry)
    assert "\n" not in line
    return cast(dict[str, object], json.loads(line))


@pytest.fixture(name="hook")
def _hook() -> Iterator[None]:
    before = sys.excepthook
    yield
    sys.excepthook = before


# --- entries ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("192.0.2.7:50123", "192.0.2.7:50123"),
        ("does not read", '"does not read"'),
        ('a "b"', '"a \\"b\\""'),
        ("a=b", '"a=b"'),
        ("", '""'),
        ("two\nlines\x1b[2J", '"two\\nlines\\u001b[2J"'),
        ("\u202eevil", '"\\u202eevil"'),
        ("é", '"\\u00e9"'),
        (17, "17"),
        (0.25, "0.25"),
        (True, "yes"),
        (False, "no"),
    ],
)
def test_a_field_is_quoted_only_if_it_would_be_ambiguous(value: LogValue, text: str) -> None:
    assert str(LogEntry("seen", field=value)) == f"seen field={text}"


def test_a_field_of_none_is_left_out() -> None:
    assert str(LogEntry("seen", one=None, two=2)) == "seen two=2"
    assert as_json(record(LogEntry("seen", one=None))).keys() == {"time", "level", "event"}


def test_an_entry_reads_the_same_in_the_log_of_an_embedding_program() -> None:
    assert record(LogEntry("client-dropped", client="alice")).getMessage() == "client-dropped client=alice"


# --- formatters -------------------------------------------------------------------------------------


def test_a_line_of_text_has_the_time_the_level_the_event_and_its_fields() -> None:
    line = TextFormatter().format(record(LogEntry("client-dropped", client="alice"), level=logging.WARNING))
    clock, *rest = line.split()
    assert len(clock) == len("16:05:09")
    assert rest == ["warning", "client-dropped", "client=alice"]


def test_a_line_of_json_has_the_time_in_utc_the_level_the_event_and_its_fields() -> None:
    assert as_json(record(LogEntry("seen", name="né\n", number=2, all=True), created=1.5)) == {
        "time": "1970-01-01T00:00:01.500Z",
        "level": "info",
        "event": "seen",
        "name": "né\n",
        "number": 2,
        "all": True,
    }


def test_a_line_of_json_has_no_control_characters_nor_other_ends_of_lines() -> None:
    unsafe = "".join(map(chr, [*range(32), *range(0x7F, 0xA0), 0x2028, 0x2029]))
    said = record(LogEntry("seen", name=f"né🦊{unsafe}"))
    line = JsonFormatter().format(said)
    assert not set(line) & set(unsafe)
    assert "né🦊" in line
    assert as_json(said)["name"] == f"né🦊{unsafe}"


def test_a_message_of_another_library_is_an_event_too() -> None:
    said = record("lost %s of %d", "one", 3, level=logging.ERROR)
    assert (
        as_json(said).items()
        >= {"event": "message", "source": "scramble.server.telnet.server", "message": "lost one of 3"}.items()
    )
    assert (
        TextFormatter()
        .format(said)
        .endswith('error message source=scramble.server.telnet.server message="lost one of 3"')
    )


def test_a_traceback_follows_a_line_of_text_and_is_a_field_in_json() -> None:
    failed = record(LogEntry("failed"))
    try:
        raise ZeroDivisionError("a bug")
    except ZeroDivisionError:
        failed.exc_info = sys.exc_info()
    first, *rest = TextFormatter().format(failed).splitlines()
    assert first.endswith("info failed")
    assert all(line.startswith("  ") for line in rest)
    assert rest[-1] == "  ZeroDivisionError: a bug"
    assert "ZeroDivisionError: a bug" in str(as_json(failed)["traceback"])


# --- rate limit ---------------------------------------------------------------------------------------


def test_an_event_above_the_rate_limit_is_dropped_and_the_drops_are_counted() -> None:
    limit = RateLimitFilter()
    told = [bool(limit.filter(record(LogEntry("flood"), created=1.0))) for _ in range(MAX_LINES_PER_S + 5)]
    assert told == [True] * MAX_LINES_PER_S + [False] * 5
    later = record(LogEntry("flood", who="alice"), created=2.0)
    assert limit.filter(later)
    assert str(later.msg) == "flood who=alice left_out=5"
    once_more = record(LogEntry("flood"), created=2.1)
    assert limit.filter(once_more)
    assert str(once_more.msg) == "flood"


def test_one_event_does_not_silence_another() -> None:
    limit = RateLimitFilter()
    for _ in range(MAX_LINES_PER_S + 1):
        limit.filter(record(LogEntry("flood"), created=1.0))
    assert limit.filter(record(LogEntry("other"), created=1.0))


def test_every_line_of_level_debug_passes() -> None:
    limit = RateLimitFilter()
    moves = [record(LogEntry("move"), level=logging.DEBUG, created=1.0) for _ in range(MAX_LINES_PER_S + 1)]
    assert all(limit.filter(move) for move in moves)


# --- standard error ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("hook")
@pytest.mark.parametrize(
    ("level", "told"),
    [
        ("debug", ["move", "serving", "client-dropped", "message"]),
        ("info", ["serving", "client-dropped", "message"]),
        ("warning", ["client-dropped", "message"]),
        ("error", ["message"]),
    ],
)
def test_the_package_logs_from_its_level_up_and_other_libraries_from_warnings_up(
    level: LogLevel, told: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    own, other = logging.getLogger("scramble.cli.run"), logging.getLogger("hypercorn.error")
    with logging_to_standard_error("json", level):
        own.debug(LogEntry("move"))
        own.info(LogEntry("serving"))
        own.warning(LogEntry("client-dropped"))
        other.info("quiet")
        other.warning("loud")
    out, err = capsys.readouterr()
    assert out == ""
    assert [json.loads(line)["event"] for line in err.splitlines()] == told


@pytest.mark.usefixtures("hook")
@pytest.mark.parametrize(
    ("form", "terminal", "told"),
    [("text", True, True), ("text", False, False), ("json", True, True), ("json", False, True)],
)
def test_by_default_only_text_off_a_terminal_logs_no_info(
    form: Format, terminal: bool, told: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with logging_to_standard_error(form, None):
        logging.getLogger("scramble").info(LogEntry("serving"))
        logging.getLogger("scramble").warning(LogEntry("client-dropped"))
    events = capsys.readouterr().err
    assert ("serving" in events) == told
    assert "client-dropped" in events


@pytest.mark.usefixtures("hook")
def test_when_the_block_is_over_logging_is_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    root, package = logging.getLogger(), logging.getLogger("scramble")
    before = root.handlers.copy(), root.level, package.level
    with logging_to_standard_error("text", "debug"):
        pass
    assert (root.handlers, root.level, package.level) == before
    package.error(LogEntry("late"))
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("hook")
def test_a_closed_standard_error_raises_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = io.StringIO()
    gone.close()
    monkeypatch.setattr(sys, "stderr", gone)
    with logging_to_standard_error("text", "info"):
        logging.getLogger("scramble").error(LogEntry("serving"))


def test_an_unhandled_error_is_one_line_of_json() -> None:
    program = "import scramble.cli.logging as logs\nwith logs.logging_to_standard_error('json', 'error'):\n    1 / 0\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    crash = json.loads(line)
    assert (crash["level"], crash["event"]) == ("critical", "crashed")
    assert crash["error"] == "ZeroDivisionError('division by zero')"
    assert "line 3" in crash["traceback"]
