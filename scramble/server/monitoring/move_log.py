"""The move log: every public event of a game as a log line at level debug, for debugging. It contains no secrets.

It follows the game's changes like a connection. At other levels it does nothing.
"""

from __future__ import annotations

import logging

import msgspec

from scramble.errors import GameStopped
from scramble.kernel.changes import Changes
from scramble.kernel.protocol import Event
from scramble.logs import LogEntry, LogValue

logger = logging.getLogger(__name__)


async def log_moves(changes: Changes) -> None:
    """Log all `changes` until the game ends. Returns at once unless the level is debug."""
    if not logger.isEnabledFor(logging.DEBUG):
        return
    try:
        async for change in changes:
            for event in change.events:
                logger.debug(move(event, change.version))
    except GameStopped:
        pass  # the task that opened the game gets this error, too


def move(event: Event, version: int) -> LogEntry:
    """Return an event of a game as a log entry."""
    fields: dict[str, LogValue] = {}
    for name, value in msgspec.structs.asdict(event).items():
        simple = value is None or isinstance(value, str | int | float)
        fields[name] = value if simple else msgspec.json.encode(value).decode()
    return LogEntry("move", **{**fields, "kind": type(event).__name__, "version": version})
