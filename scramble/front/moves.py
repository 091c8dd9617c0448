"""Every move of a game in the log, for whoever debugs: what everybody sees anyway, and so no secret.

A follower like any other: a game that nobody debugs pays nothing for it.
"""

from __future__ import annotations

import logging

import msgspec

from scramble.core import Event
from scramble.errors import GameStopped
from scramble.history import Changes
from scramble.logs import Entry, Value

logger = logging.getLogger(__name__)


async def log_moves(changes: Changes) -> None:
    """Log all `changes` until the game ends; nothing if nobody would see it."""
    if not logger.isEnabledFor(logging.DEBUG):
        return
    try:
        async for change in changes:
            for event in change.events:
                logger.debug(move(event, change.version))
    except GameStopped:
        pass  # whoever opened the game hears of it


def move(event: Event, version: int) -> Entry:
    """An event of a game as one of the log."""
    fields: dict[str, Value] = {}
    for name, value in msgspec.structs.asdict(event).items():
        simple = value is None or isinstance(value, str | int | float)
        fields[name] = value if simple else msgspec.json.encode(value).decode()
    return Entry("move", **{**fields, "kind": type(event).__name__, "version": version})
