"""Commit of a batch to a log. If the log is full, the batch waits, and later commands are refused.

The commands of the batch are already applied, so they can no longer be refused. Their effects stay invisible, and
their callers wait, until the log has stored the batch. No later command may be applied before that. So all later
commands and queries are refused with `DiskFull`, and the commit is retried every `FULL_DISK_RETRY_S`. Callers that
leave get an error: their commands may be recorded later. If the game is closed meanwhile, it ends in the same way as
after a failure of the log.

Safe under concurrency: only the owner task runs this; `Reply` documents the callers' changes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, TypeAlias

import outcome
import trio

from scramble.errors import DiskFull, GameStopped, LogFull
from scramble.kernel.protocol import Change, CommandLog, Refused
from scramble.kernel.reply import QUEUED, Given, Reply
from scramble.logs import LogEntry

FULL_DISK_RETRY_S: Final = 0.25
"""Seconds between two commit attempts. Players hardly notice the delay, and retries put little load on a full disk."""

Effect: TypeAlias = Change | tuple[Reply[object], Given | None]
"""A change to publish, or a reply with its answer. Answer None: notify the caller that its request is parked."""

HELD_BACK: Final = "the disk is full: earlier moves wait until they can be recorded, and this one was not made"
"""The error text for all requests that arrive while a batch waits for room."""

logger = logging.getLogger(__name__)


async def commit(
    log: CommandLog,
    inbox: trio.MemoryReceiveChannel[Reply[object] | None],
    outbox: list[Effect],
    send: Callable[[Reply[object], Given], None],
) -> None:
    """Commit the added commands. Their effects are in the outbox. Waits until the log has room.

    Raises JournalFailed like `CommandLog.commit`, or LogFull if the inbox is closed while there is no room.
    """
    held = False
    while True:
        try:
            return await log.commit()
        except LogFull as full:
            if not held:
                held = True
                logger.error(LogEntry("moves-held", reason=full.for_operator()))
            _release_who_leaves(outbox, full)
            with trio.move_on_after(FULL_DISK_RETRY_S):
                async for reply in inbox:
                    if reply is not None and reply.state is QUEUED:
                        send(reply, Given(Refused(reply.ticket, DiskFull(HELD_BACK))))
                raise


def _release_who_leaves(outbox: list[Effect], full: LogFull) -> None:
    """Answer the callers that have left: they cannot wait until the disk has room."""
    for effect in tuple(outbox):
        if not isinstance(effect, Change) and effect[0].leaves and effect[1] is not None:
            outbox.remove(effect)
            effect[0].send(outcome.Error(GameStopped(f"{full}; this may be recorded later")))
