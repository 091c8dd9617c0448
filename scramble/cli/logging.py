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
"""Characters that JSON allows in a string, but terminals interpret as controls (C1), or editors as line ends."""

MAX_LINES_PER_S: Final = 20
"""The limit for each event: more lines than a person can read, but few enough to store for years."""

logger = logging.getLogger(__name__)


class TextFormatter(logging.Formatter):
    """Formatter of lines for people: local time, level, event, fields. An indented traceback follows its line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line, and the traceback of an exception."""
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
    """Return the entry of the record. The message of another library becomes a `message` event."""
    if isinstance(record.msg, LogEntry):
        return record.msg
    return LogEntry("message", source=record.name, message=record.getMessage())


def _level(record: logging.LogRecord) -> str:
    return record.levelname.lower()


def _traceback(record: logging.LogRecord) -> str | None:
    return logging.Formatter().formatException(record.exc_info) if record.exc_info else None


class RateLimitFilter(logging.Filter):
    """A filter that passes `MAX_LINES_PER_S` lines of each event, and later logs the number of omitted lines.

    Lines of level debug always pass. The reason for the filter: a client can cause an event thousands of times a
    second, and a full disk stops a game.
    """

    # AF: for each event, _seen has the second of the latest line, the number of lines in this second, and the number of
    #     lines omitted since the last line that passed.

    def __init__(self) -> None:
        super().__init__()
        self._seen: Final[dict[str, tuple[int, int, int]]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if the record passes. The first record that passes again gets the number of omitted records."""
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
    """A handler that writes to the current `sys.stderr`. Raises nothing if the stream is closed or has no reader."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line in one call."""
        with suppress(OSError, ValueError):  # ValueError: it is closed
            sys.stderr.write(self.format(record) + "\n")
            sys.stderr.flush()


@contextmanager
def logging_to_standard_error(line_format: Format, level: LogLevel | None, worker: int | None = None) -> Iterator[None]:
    """During the block, log to standard error: this package's entries from `level` up, other libraries' warnings.

    The default of `level` is `info` at a terminal, where a person reads, and for JSON, which is stored. Otherwise it is
    `warning`, so that a parent process gets output only about problems. With several processes on one port, each line
    has the number of its `worker`. Use it only in the process of a server, because it configures the logging of the
    whole process. It logs an unhandled exception, even after the block.
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
