"""Log entries: one line for each event, as text or JSON.

    logger = logging.getLogger(__name__)
    logger.warning(LogEntry("client-dropped", client="192.0.2.7:50123", reason="does not read"))

    16:05:09 warning client-dropped client=192.0.2.7:50123 reason="does not read"                      as text
    {"time":"2026-11-21T16:05:09.123Z","level":"warning","event":"client-dropped","client":...}        as JSON

The whole package logs in this way and adds no handlers: a program that embeds a game gets the entries through its own
`logging`, as text like above. `scramble.cli.logging` has the handler of the server commands.
The names of events and fields are stable; docs/reference/metrics-and-logs.md lists all of them.

An entry never contains a secret: no token, cookie or `Authorization` header, no hash of these, and no unparsed input of
players (a line of the crossword may be an ID with its token). Its values cannot forge log lines: characters other than
plain text are escaped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final, TypeAlias

LogValue: TypeAlias = str | int | float | bool | None
"""The value of a field. A field with the value None is omitted."""

PLAIN: Final = re.compile(r"[!#-<>-~]+")
"""Text without quotes: visible ASCII except quotation marks and =."""


class LogEntry:
    """One event with its fields, passed to a logger instead of a format string. Immutable."""

    # AF: the event named `event` with these `fields`.
    # RI: no value of `fields` is None; no key is a standard key of every line (time, level, event, logger, traceback).
    # Safety from exposure: `fields` is created here, its values are immutable, and its type allows no writes.

    __slots__ = ("event", "fields")

    def __init__(self, event: str, /, **fields: LogValue) -> None:
        self.event: Final = event
        self.fields: Final[Mapping[str, LogValue]] = {
            name: value for name, value in fields.items() if value is not None
        }

    def __str__(self) -> str:
        return " ".join([self.event, *(f"{name}={_plain(value)}" for name, value in self.fields.items())])


class LastLogEntry(LogEntry):
    """An event that ends the program with an error of the same text. The text log omits it: the error has the text."""


def _plain(value: LogValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if PLAIN.fullmatch(text) else json.dumps(text)  # escapes line ends, and characters outside ASCII
