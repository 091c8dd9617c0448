"""Logging of the commands that serve: formatters, a rate limit, and a handler for standard error."""

from __future__ import annotations

import logging
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import Final, Literal, TypeAlias

import msgspec

from scramble.logs import LastLogEntry, LogEntry, LogValue

Format: TypeAlias = Literal["text", "json"]
LogLevel: TypeAlias = Literal["debug", "info", "warning", "error"]

UNSAFE: Final = re.compile("[\\x7f-\\x9f\\u2028\\u2029]")
"""Characters that JSON allows in a string, but a terminal reads as controls (C1), or an editor as the end of a line."""

MAX_LINES_PER_S: Final = 20
"""Of one event: more than a person can read, and few enough to be kept for years."""

logger = logging.getLogger(__name__)


class TextFormatter(logging.Formatter):
    """Formatter of lines for people: local time, level, event, fields. An indented traceback follows its line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line, and its traceback if it has one."""
        clock = time.strftime("%H:%M:%S", time.localtime(record.created))
        entry = _entry(record)
        line = f"{clock} {_level(record)} {entry}"
        trace = _traceback(record)
        return line if trace is None else line + "\n" + "\n".join(f"  {part}" for part in trace.splitlines())


class JsonFormatter(logging.Formatter):
    """Formatter of lines for programs: one JSON object each, even with a traceback; the time is in UTC."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        entry = _entry(record)
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line: dict[str, LogValue] = {"time": when, "level": _level(record), "event": entry.event, **entry.fields}
        trace = _traceback(record)
        if trace is not None:
            line["traceback"] = trace
        return UNSAFE.sub(_escaped, msgspec.json.encode(line).decode())


def _escaped(character: re.Match[str]) -> str:
    return f"\\u{ord(character[0]):04x}"


def _entry(record: logging.LogRecord) -> LogEntry:
    """Return the entry of the record; the message of another library becomes a `message` event."""
    if isinstance(record.msg, LogEntry):
        return record.msg
    return LogEntry("message", source=record.name, message=record.getMessage())


def _level(record: logging.LogRecord) -> str:
    return record.levelname.lower()


def _traceback(record: logging.LogRecord) -> str | None:
    return logging.Formatter().formatException(record.exc_info) if record.exc_info else None


class RateLimitFilter(logging.Filter):
    """A filter that passes `MAX_LINES_PER_S` lines of each event, and later logs how many it left out.

    Lines of level debug always pass. The reason: a client can cause an event thousands of times a second, and a disk
    that is full stops a game.
    """

    # AF: _seen has, by event, the second of its latest line, the number of lines in that second, and the number of
    #     lines left out since the last line that passed.

    def __init__(self) -> None:
        super().__init__()
        self._seen: Final[dict[str, tuple[int, int, int]]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record passes. The first record that passes again gets the number of those left out."""
        if record.levelno <= logging.DEBUG:
            return True
        entry = _entry(record)
        now = int(record.created)
        second, lines, left_out = self._seen.get(entry.event, (now, 0, 0))
        lines = lines + 1 if second == now else 1
        if lines > MAX_LINES_PER_S:
            self._seen[entry.event] = now, lines, left_out + 1
            return False
        self._seen[entry.event] = now, lines, 0
        if left_out:
            record.msg, record.args = LogEntry(entry.event, **{**entry.fields, "left_out": left_out}), None
        return True


class StandardErrorHandler(logging.Handler):
    """A handler that writes to the current `sys.stderr`. Raises nothing if that is closed or nobody reads it."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line in one call."""
        with suppress(OSError, ValueError):  # ValueError: it is closed
            sys.stderr.write(self.format(record) + "\n")
            sys.stderr.flush()


@contextmanager
def logging_to_standard_error(line_format: Format, level: LogLevel | None, worker: int | None = None) -> Iterator[None]:
    """During the block log to standard error: entries of this package from `level` up, of other libraries warnings.

    If `level` is None it is `info` at a terminal, where a person reads, and for JSON, which is kept; otherwise it is
    `warning`, so that a program that started this one gets no output unless there is a problem. One of
    several processes that serve one port says in each line which `worker` it is. For a process that only serves: this
    configures the logging of the whole process. An unhandled exception is logged, even after the block.
    """
    handler = StandardErrorHandler()
    handler.setFormatter(JsonFormatter() if line_format == "json" else TextFormatter())
    handler.addFilter(RateLimitFilter())
    if worker is not None:
        handler.addFilter(partial(_name_worker, worker))
    if line_format == "text":
        handler.addFilter(lambda record: not isinstance(record.msg, LastLogEntry))
    root, package = logging.getLogger(), logging.getLogger("scramble")
    before = package.level
    package.setLevel((level or ("info" if line_format == "json" or sys.stderr.isatty() else "warning")).upper())
    root.addHandler(handler)
    sys.excepthook = partial(_log_crash, handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        package.setLevel(before)


def _name_worker(worker: int, record: logging.LogRecord) -> bool:
    entry = _entry(record)
    record.msg, record.args = type(entry)(entry.event, **{**entry.fields, "worker": worker}), None
    return True


def _log_crash(
    handler: logging.Handler, kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    record = logger.makeRecord(
        logger.name, logging.CRITICAL, __file__, 0, LogEntry("crashed", error=repr(error)), (), (kind, error, trace)
    )
    handler.handle(record)
