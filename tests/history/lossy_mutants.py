"""Journals with a bug, and kernels that use them wrongly. What each of them loses shows when the server is killed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import trio

from scramble import journal
from scramble.actor import Actor
from scramble.core import Answered, Durable, Log, Outcome, Refused, Ticket
from scramble.journal import Recording
from scramble.seats import Seated
from tests.history.mutation import harmless, lossy, put

D = TypeVar("D", bound=Durable)

SLOW_DISK_S = 0.02  # a mutant's commit: it makes the moment longer in which a kill does harm


def forgive() -> None:
    """Have the kernel overlook answers to those who are not there, as a kernel with such rules would."""
    conclude = Actor._conclude

    def forgiving(self: Actor, outcomes: Sequence[Outcome]) -> None:
        conclude(self, [o for o in outcomes if not isinstance(o, Answered | Refused) or o.ticket in self._parked])

    put(Actor, "_conclude", forgiving)


@lossy
def answers_before_the_commit() -> None:
    """Replies are released, and then the batch is written."""
    commit = Actor._commit

    async def hasty(self: Actor, log: Log) -> None:
        self._release()
        await trio.sleep(SLOW_DISK_S)
        await commit(self, log)

    put(Actor, "_commit", hasty)


@lossy
def replacements_are_not_written() -> None:
    """A replacement is taken for a question, and not written down."""
    add = journal._WriteAhead.add

    def selective(self: journal._WriteAhead, ticket: Ticket, prepared: bytes) -> None:
        if b"Replace" not in prepared:
            add(self, ticket, prepared)

    put(journal._WriteAhead, "add", selective)


@lossy
def a_batch_is_written_out_of_order() -> None:
    """The first command of each batch is written as its last."""
    add, commit = journal._WriteAhead.add, journal._WriteAhead.commit
    held: list[tuple[Ticket, bytes]] = []

    def holding(self: journal._WriteAhead, ticket: Ticket, prepared: bytes) -> None:
        if held:
            add(self, ticket, prepared)
        else:
            held.append((ticket, prepared))

    async def late(self: journal._WriteAhead) -> None:
        for ticket, prepared in held:
            add(self, ticket, prepared)
        held.clear()
        await trio.sleep(SLOW_DISK_S)  # so that batches are long
        await commit(self)

    put(journal._WriteAhead, "add", holding)
    put(journal._WriteAhead, "commit", late)


@lossy
def those_who_waited_go_on_waiting() -> None:
    """After a crash the requests that were parked are not withdrawn."""
    replay = journal._replay

    def lenient(found: Recording, rules: Seated[D], path: Path) -> journal._State[D]:
        state = replay(found, rules, path)
        state.parked.clear()
        return state

    put(journal, "_replay", lenient)
    forgive()


@lossy
def recovery_stops_short() -> None:
    """After a crash the last two commands are not applied again."""
    replay = journal._replay

    def short(found: Recording, rules: Seated[D], path: Path) -> journal._State[D]:
        return replay(msgspec.structs.replace(found, records=found.records[:-2]), rules, path)

    put(journal, "_replay", short)


@harmless
def slow_disk() -> None:
    """Commits take long, so that much happens meanwhile: no bug."""
    commit = journal._WriteAhead.commit

    async def slow(self: journal._WriteAhead) -> None:
        await trio.sleep(2 * SLOW_DISK_S * random.random())
        await commit(self)

    put(journal._WriteAhead, "commit", slow)
