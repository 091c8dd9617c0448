"""What a server tells whoever runs it: one line an event, for people or for programs.

    logger = logging.getLogger(__name__)
    logger.warning(Entry("client-dropped", client="192.0.2.7:50123", reason="does not read"))

    16:05:09 warning client-dropped client=192.0.2.7:50123 reason="does not read"                      as text
    {"time":"2026-11-21T16:05:09.123Z","level":"warning","event":"client-dropped","client":...}        as JSON

Everything in the package logs in this way and adds no handlers: a program that embeds a game hears of it through its
own `logging`, in which an entry reads like the text above. `logging_to_standard_error` is for the commands that serve.
The names of events and fields are stable, and docs/reference/metrics-and-logs.md has them all.

An entry never holds a secret: no token, cookie, `Authorization` header or hash of one, and nothing that players type
before it is understood (a crossword's line may be an ID with its token). Nor can it forge lines: whatever is not plain
text is escaped.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import Final, Literal, TypeAlias

import msgspec

Format: TypeAlias = Literal["text", "json"]
Level: TypeAlias = Literal["debug", "info", "warning", "error"]

Value: TypeAlias = str | int | float | bool | None
"""What a field may hold. A field that is None is left out."""

PLAIN: Final = re.compile(r"[!#-<>-~]+")
"""What needs no quotes in text: visible ASCII but for quotation marks and =."""

LINES_A_SECOND: Final = 20
"""Of one event: as many as anybody reads, and few enough to be kept for years."""

logger = logging.getLogger(__name__)


class Entry:
    """One event with its fields: what is given to a logger instead of a format string. Immutable."""

    # AF: the event of that name, about which `fields` are known.
    # RI: no value of `fields` is None; no key is one that every line has (time, level, event, logger, traceback).
    # Safety from exposure: `fields` is made here, its values are immutable, and nobody is meant to write to it.

    __slots__ = ("event", "fields")

    def __init__(self, event: str, /, **fields: Value) -> None:
        self.event: Final = event
        self.fields: Final[Mapping[str, Value]] = {name: value for name, value in fields.items() if value is not None}

    def __str__(self) -> str:
        return " ".join([self.event, *(f"{name}={_plain(value)}" for name, value in self.fields.items())])


def _plain(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if PLAIN.fullmatch(text) else json.dumps(text)  # which escapes everything but ASCII


class TextFormatter(logging.Formatter):
    """Lines for people: local time, level, event, fields. A traceback follows its line, indented."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and perhaps a traceback."""
        clock = time.strftime("%H:%M:%S", time.localtime(record.created))
        entry = _entry(record)
        line = f"{clock} {_level(record)} {entry}"
        trace = _traceback(record)
        return line if trace is None else line + "\n" + "\n".join(f"  {part}" for part in trace.splitlines())


class JsonFormatter(logging.Formatter):
    """Lines for programs: one JSON object each, whatever happens; the time is in UTC."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        entry = _entry(record)
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line: dict[str, Value] = {"time": when, "level": _level(record), "event": entry.event, **entry.fields}
        trace = _traceback(record)
        if trace is not None:
            line["traceback"] = trace
        return msgspec.json.encode(line).decode()


def _entry(record: logging.LogRecord) -> Entry:
    """What the record tells; the words of another library become an event of their own."""
    if isinstance(record.msg, Entry):
        return record.msg
    return Entry("message", source=record.name, message=record.getMessage())


def _level(record: logging.LogRecord) -> str:
    return record.levelname.lower()


def _traceback(record: logging.LogRecord) -> str | None:
    return logging.Formatter().formatException(record.exc_info) if record.exc_info else None


class Throttle(logging.Filter):
    """Lets `LINES_A_SECOND` lines of each event pass, and then tells how many did not. When debugging, all pass.

    What a client can bring about, it can bring about a thousand times a second, and a full disk stops a game.
    """

    # AF: for each event, the second that its latest line fell into, how many lines that second has had, and how many
    #     were left out since the last line that passed.

    def __init__(self) -> None:
        super().__init__()
        self._seen: Final[dict[str, tuple[int, int, int]]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record passes. If it is the first to do so after others did not, it tells how many."""
        if record.levelno <= logging.DEBUG:
            return True
        entry = _entry(record)
        now = int(record.created)
        second, lines, left_out = self._seen.get(entry.event, (now, 0, 0))
        lines = lines + 1 if second == now else 1
        if lines > LINES_A_SECOND:
            self._seen[entry.event] = now, lines, left_out + 1
            return False
        self._seen[entry.event] = now, lines, 0
        if left_out:
            record.msg, record.args = Entry(entry.event, **{**entry.fields, "left_out": left_out}), None
        return True


class StandardError(logging.Handler):
    """Writes each line to whatever standard error is at the moment. Raises nothing if nobody can read it."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line, in one piece."""
        with suppress(OSError, ValueError):  # ValueError: it is closed
            sys.stderr.write(self.format(record) + "\n")
            sys.stderr.flush()


@contextmanager
def logging_to_standard_error(form: Format, level: Level | None) -> Iterator[None]:
    """During the block write what the package has to say, from `level` up, to standard error; and warnings of others.

    If `level` is None it is `info` for somebody who watches, at a terminal, and for JSON, which is made to be kept; for
    whatever else has started the program it is `warning`, so that it hears nothing unless something is wrong.
    For a process that only serves: it settles the logging of the whole process. An error that nobody handles is logged
    as well, even when the block is over.
    """
    handler = StandardError()
    handler.setFormatter(JsonFormatter() if form == "json" else TextFormatter())
    handler.addFilter(Throttle())
    root, package = logging.getLogger(), logging.getLogger("scramble")
    before = package.level
    package.setLevel((level or ("info" if form == "json" or sys.stderr.isatty() else "warning")).upper())
    root.addHandler(handler)
    sys.excepthook = partial(_log_crash, handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        package.setLevel(before)


def _log_crash(
    handler: logging.Handler, kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    record = logger.makeRecord(
        logger.name, logging.CRITICAL, __file__, 0, Entry("crashed", error=repr(error)), (), (kind, error, trace)
    )
    handler.handle(record)
