"""Journals with a bug, and kernels that use journals wrongly. A kill of the server shows the loss."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

import trio

from scramble.journal import Record, recovery
from scramble.journal.commandlog import JournalLog
from scramble.kernel.actor import Actor
from scramble.kernel.outbox import Outbox
from scramble.kernel.protocol import Answered, CommandLog, Durable, Outcome, Refused, Ticket
from tests.search.history.mutation import harmless, lossy, put

D = TypeVar("D", bound=Durable)

SLOW_DISK_S = 0.02  # the time of a mutant's commit: long, so that a kill often comes during a commit


def forgive() -> None:
    """Make the kernel ignore answers to requests that are not parked. A kernel for these broken rules would do so."""
    put_all = Outbox.put

    def forgiving(self: Outbox, outcomes: Sequence[Outcome], version: int) -> None:
        known = [o for o in outcomes if not isinstance(o, Answered | Refused) or o.ticket in self.parked]
        put_all(self, known, version)

    put(Outbox, "put", forgiving)


@lossy
def answers_before_the_commit() -> None:
    """Release the replies before the batch is written."""
    commit = Actor._commit

    async def hasty(self: Actor, log: CommandLog) -> None:
        self._release()
        await trio.sleep(SLOW_DISK_S)
        await commit(self, log)

    put(Actor, "_commit", hasty)


@lossy
def replacements_are_not_written() -> None:
    """Treat a replacement as a question, and do not write it."""
    add = JournalLog.add

    def selective(self: JournalLog, ticket: Ticket, prepared: bytes, outcomes: Sequence[Outcome]) -> None:
        if b"Replace" not in prepared:
            add(self, ticket, prepared, outcomes)

    put(JournalLog, "add", selective)


@lossy
def a_batch_is_written_out_of_order() -> None:
    """Write the first command of each batch as its last command."""
    add, commit = JournalLog.add, JournalLog.commit
    held: list[tuple[Ticket, bytes, Sequence[Outcome]]] = []

    def holding(self: JournalLog, ticket: Ticket, prepared: bytes, outcomes: Sequence[Outcome]) -> None:
        if held:
            add(self, ticket, prepared, outcomes)
        else:
            held.append((ticket, prepared, outcomes))

    async def late(self: JournalLog) -> None:
        for ticket, prepared, outcomes in held:
            add(self, ticket, prepared, outcomes)
        held.clear()
        await trio.sleep(SLOW_DISK_S)  # so batches are long
        await commit(self)

    put(JournalLog, "add", holding)
    put(JournalLog, "commit", late)


@lossy
def those_who_waited_go_on_waiting() -> None:
    """After a crash, do not withdraw the parked requests."""
    replay = recovery.replay

    def lenient(*arguments: object) -> object:
        state = replay(*arguments)  # type: ignore[arg-type, var-annotated]
        state.requests.parked.clear()
        return state

    put(recovery, "replay", lenient)
    forgive()


@lossy
def recovery_stops_short() -> None:
    """After a crash, do not apply the last two commands again."""
    replay = recovery.replay

    def short(records: Sequence[Record], *rest: object) -> object:
        state = replay(records[:-2], *rest)  # type: ignore[arg-type, var-annotated]
        state.last = records[-1] if records else state.last
        return state

    put(recovery, "replay", short)


@harmless
def slow_disk() -> None:
    """Commits take long, so many events happen during a commit. This is no bug."""
    commit = JournalLog.commit

    async def slow(self: JournalLog) -> None:
        await trio.sleep(2 * SLOW_DISK_S * random.random())
        await commit(self)

    put(JournalLog, "commit", slow)
