"""Requests without an answer, and the effects of commands: replies and changes.

With a log, the effects stay invisible until the log has the commands.

If the log is full, the batch waits, and later commands are refused: the commands of the batch are already applied, so
they can no longer be refused. Their effects stay invisible, and their callers wait, until the log has stored the batch.
No later command may be applied before that. So all later commands and queries are refused with `DiskFull`, and the
commit is retried every `FULL_DISK_RETRY_S`. Callers that leave get an error: their commands may be recorded later. If
the game is closed meanwhile, it ends in the same way as after a failure of the log.

Safe under concurrency: only the owner task uses an outbox. A caller changes only its reply (see
`scramble.kernel.reply`).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final, TypeAlias

import outcome
import trio

from scramble.errors import DiskFull, GameStopped, InvalidCommand, LogFull
from scramble.kernel.changes import History
from scramble.kernel.protocol import Answered, Change, CommandLog, Event, Outcome, Refused, Ticket
from scramble.kernel.reply import DECIDED, QUEUED, TAKEN, Given, Reply
from scramble.kernel.stats import CommandCounts
from scramble.logs import LogEntry

FULL_DISK_RETRY_S: Final = 0.25
"""Seconds between two commit attempts. Players hardly notice the delay, and retries put little load on a full disk."""

Effect: TypeAlias = Change | tuple[Reply[object], Given | None]
"""A change to publish, or a reply with its answer. Answer None: notify the caller that its request is parked."""

HELD_BACK: Final = "the disk is full: earlier moves wait until they can be recorded, and this one was not made"
"""The error text for all requests that arrive while a batch waits for room."""

logger = logging.getLogger(__name__)


class Outbox:
    """The requests without an answer, and the effects that are not visible yet. Mutable; one owner task uses it."""

    # AF: `parked` has the replies without an answer, by their tickets. With a log (_holds), `effects` has the effects
    #     of the commands since the last `release`, in order. Without a log, effects are visible at once, and `effects`
    #     has only the notifications of parked callers.
    # RI: every reply in `parked` is TAKEN and stored under its ticket. A reply in `effects` with an answer is DECIDED.

    def __init__(self, history: History, counts: CommandCounts, *, holds: bool) -> None:
        """Make an empty outbox for changes in `history`. It counts answers in `counts`. `holds`: there is a log."""
        self.parked: Final[dict[Ticket, Reply[object]]] = {}
        self._history: Final = history
        self._counts: Final = counts
        self._holds: Final = holds
        self.effects: Final[list[Effect]] = []

    def put(self, outcomes: Sequence[Outcome], version: int) -> None:
        """Add the outcomes of one command; `version` is the version of the rules after it."""
        events: list[Event] = []
        answers: list[tuple[Reply[object], Given]] = []
        for item in outcomes:
            if type(item) is Answered or type(item) is Refused:
                answers.append((self.parked.pop(item.ticket), Given(item)))
            else:
                events.append(item)
        change = Change(version, tuple(events)) if events else None
        if not self._holds:
            if change is not None:
                self._history.publish(change)
            for reply, answer in answers:
                self._send(reply, answer)
            return
        if change is not None:
            self.effects.append(change)
        for reply, _ in answers:
            reply.state = DECIDED
        self.effects.extend(answers)

    def put_parked(self, reply: Reply[object]) -> None:
        """Add the notification that a request is parked."""
        self.effects.append((reply, None))

    async def commit(self, log: CommandLog, inbox: trio.MemoryReceiveChannel[Reply[object] | None]) -> None:
        """Commit the commands of the effects. Waits until the log has room.

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
                self._release_who_leaves(full)
                with trio.move_on_after(FULL_DISK_RETRY_S):
                    async for reply in inbox:
                        if reply is not None and reply.state is QUEUED:
                            self._send(reply, Given(Refused(reply.ticket, DiskFull(HELD_BACK))))
                    raise

    def _release_who_leaves(self, full: LogFull) -> None:
        """Answer the callers that have left: they cannot wait until the disk has room."""
        for effect in tuple(self.effects):
            if not isinstance(effect, Change) and effect[0].leaves and effect[1] is not None:
                self.effects.remove(effect)
                effect[0].send(outcome.Error(GameStopped(f"{full}; this may be recorded later")))

    def release(self) -> None:
        """Make all effects visible: publish the changes, send the replies, notify parked callers and followers."""
        for item in self.effects:
            if type(item) is Change:
                self._history.publish(item)
                continue
            reply, answer = item
            if answer is not None:
                self._send(reply, answer)
            elif reply.parked is not None and reply.state is TAKEN:
                reply.parked.set()
        self.effects.clear()
        self._history.announce()

    def drop(self) -> list[Reply[object]]:
        """Forget all effects and parked requests; return their replies."""
        decided = [item[0] for item in self.effects if not isinstance(item, Change)]
        replies = [*self.parked.values(), *decided]
        self.parked.clear()
        self.effects.clear()
        return replies

    def _send(self, reply: Reply[object], answer: Given) -> None:
        counts = self._counts
        if type(answer.item) is Answered:
            counts.answered[reply.command.__class__] += 1
        elif isinstance(answer.item.error, InvalidCommand):
            counts.invalid[reply.command.__class__] += 1
        else:
            counts.refused[reply.command.__class__] += 1
        if reply.changes is not None:
            reply.changes.catch_up()
        reply.send(answer)

    def __str__(self) -> str:
        return f"{len(self.parked)} parked requests, {len(self.effects)} effects"
