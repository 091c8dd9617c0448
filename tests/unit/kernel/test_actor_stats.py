"""Monitoring an owner task: `Actor.stats` and `Actor.ping`.

Partitions:
- a command is: answered at once; parked and answered; refused; invalid; withdrawn while parked, while queued; parked or
  queued at the end
- batches: one command; several
- followers: no follower; a waiting follower; a follower that is too slow once, twice
- a log: no log; a log with commits; a batch of queries only
- the game: runs; hangs in a commit; is closed; has died of a bug, which is logged
"""

from __future__ import annotations

import logging
from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.errors import GameClosed, GameStopped, InvalidCommand
from scramble.kernel.actor import BATCH_SIZE, open_actor
from scramble.kernel.changes import HISTORY_SIZE
from scramble.kernel.protocol import Answered, Command, Outcome, Query, Refused, Ticket
from tests.support.paper import Paper
from tests.unit.kernel.toy import Crash, Echo, LetOut, SendAway, SentAway, Wait, WaitingRoom


class Nothing(Command[None], frozen=True):
    """A command that is always invalid."""


class Peek(Query[str], frozen=True):
    """A query that is answered at once and changes nothing."""


class Room(WaitingRoom):
    """A waiting room that also executes these commands."""

    def apply(self, ticket: Ticket, command: Command[object]) -> list[Outcome]:
        if isinstance(command, Nothing):
            return [Refused(ticket, InvalidCommand("nothing"))]
        if isinstance(command, Peek):
            return [Answered(ticket, "peeked")]
        return list(super().apply(ticket, command))


# --- commands ---------------------------------------------------------------------------------------


async def test_commands_are_counted_by_kind_and_outcome() -> None:
    async with open_actor(Room()) as actor:
        for word in ("one", "two"):
            await actor.ask(Echo(word))
        with pytest.raises(InvalidCommand):
            await actor.ask(Nothing())
        assert actor.stats().commands == {("Echo", "answered"): 2, ("Nothing", "invalid"): 1}


async def test_a_parked_request_counts_as_parked_and_then_as_answered() -> None:
    async with open_actor(Room()) as actor, trio.open_nursery() as nursery:
        nursery.start_soon(actor.ask, Wait("w"))
        await wait_all_tasks_blocked()
        assert actor.stats().parked == {"Wait": 1}
        assert actor.stats().commands == {}
        await actor.ask(LetOut("l"))
        assert actor.stats().parked == {}
        assert actor.stats().commands == {("Wait", "answered"): 1, ("LetOut", "answered"): 1}


async def test_a_parked_request_may_count_as_refused() -> None:
    async with open_actor(Room()) as actor, trio.open_nursery() as nursery:

        async def wait() -> None:
            with pytest.raises(SentAway):
                await actor.ask(Wait("w"))

        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        await actor.ask(SendAway())
        assert actor.stats().commands[("Wait", "refused")] == 1


async def test_cancelled_requests_count_as_withdrawn_whether_parked_or_queued() -> None:
    async with open_actor(Room()) as actor, trio.open_nursery() as nursery:
        nursery.start_soon(actor.ask, Wait("parked"))
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
        with trio.CancelScope() as gone:
            gone.cancel()
            await actor.ask(Echo("queued"))
    assert actor.stats().parked == {}
    assert actor.stats().commands == {("Wait", "withdrawn"): 1, ("Echo", "withdrawn"): 1}


async def test_a_command_that_waits_in_the_mailbox_is_counted_there() -> None:
    paper = Paper(held=True)
    async with open_actor(Room(), log=paper) as actor, trio.open_nursery() as nursery:
        nursery.start_soon(actor.ask, Echo("in hand"))
        await wait_all_tasks_blocked()
        assert actor.stats().queued == 0
        nursery.start_soon(actor.ask, Echo("queued"))
        await wait_all_tasks_blocked()
        assert actor.stats().queued == 1
        paper.open_gate()


async def test_requests_that_a_bug_leaves_unanswered_count_as_stopped_and_the_reason_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def ask(command: Command[object]) -> None:
        with pytest.raises(GameStopped):
            await actor.ask(command)

    with pytest.raises(ExceptionGroup):
        async with open_actor(Room()) as actor, trio.open_nursery() as nursery:
            nursery.start_soon(ask, Wait("w"))
            await wait_all_tasks_blocked()
            nursery.start_soon(ask, Crash())
    stats = actor.stats()
    assert stats.commands == {("Wait", "stopped"): 1, ("Crash", "stopped"): 1}
    assert stats.stopped == "the game stopped because of a bug: ZeroDivisionError('a bug')"
    (record,) = caplog.records
    assert (record.levelno, record.name) == (logging.ERROR, "scramble.kernel.actor")
    assert record.getMessage().startswith("game-stopped game=Room reason=")


async def test_the_stats_of_a_closed_game_say_so_and_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async with open_actor(Room()) as actor:
        assert actor.stats().stopped is None
    assert actor.stats().stopped == "the game was closed"
    assert caplog.records == []


# --- batches, commits, versions -----------------------------------------------------------------------


async def test_batches_are_counted_with_their_sizes() -> None:
    async with open_actor(Room()) as actor:
        await actor.ask(Echo("alone"))
        async with trio.open_nursery() as nursery:
            for number in range(2 * BATCH_SIZE):
                nursery.start_soon(actor.ask, Echo(str(number)))
        stats = actor.stats()
    assert stats.batches.total == 1 + 2 * BATCH_SIZE == stats.version
    assert stats.batches.counts[0] == 1
    assert stats.batches.count <= 1 + 2 * BATCH_SIZE
    assert stats.commits.count == stats.journalled == 0


async def test_a_commit_is_counted_with_its_commands_once_it_is_over(autojump_clock: trio.testing.MockClock) -> None:
    paper = Paper(held=True)
    async with open_actor(Room(), log=paper) as actor, trio.open_nursery() as nursery:
        nursery.start_soon(actor.ask, Echo("one"))
        nursery.start_soon(actor.ask, Echo("two"))
        await trio.sleep(0.25)
        assert actor.stats().journalled == 0
        paper.open_gate()
        await wait_all_tasks_blocked()
        stats = actor.stats()
        assert (stats.journalled, stats.commits.count, stats.commits.total) == (2, 1, 0.25)


async def test_a_batch_of_queries_takes_no_commit() -> None:
    async with open_actor(Room(), log=Paper()) as actor:
        await actor.ask(Peek())
        assert actor.stats().commits.count == actor.stats().journalled == 0


# --- followers --------------------------------------------------------------------------------------


async def test_followers_are_counted_while_they_wait() -> None:
    async with open_actor(Room()) as actor, trio.open_nursery() as nursery:
        assert actor.stats().followers == 0
        for _ in range(3):
            nursery.start_soon(partial(anext, actor.subscribe()))
        await wait_all_tasks_blocked()
        assert actor.stats().followers == 3
        await actor.ask(Echo("news"))
        await wait_all_tasks_blocked()
        assert actor.stats().followers == 0


async def test_changes_that_followers_miss_are_counted_for_each_of_them() -> None:
    async with open_actor(Room()) as actor:
        followers = [actor.subscribe(), actor.subscribe()]
        for number in range(HISTORY_SIZE + 5):
            await actor.ask(Echo(str(number)))
        assert actor.stats().missed == 0
        for follower in followers:
            await anext(follower)
        assert actor.stats().missed == 10


# --- ping -------------------------------------------------------------------------------------------


async def test_a_ping_is_answered_by_the_owner_and_not_by_the_rules() -> None:
    room = Room()
    async with open_actor(room) as actor:
        await actor.ping()
        assert actor.stats().commands == {("Ping", "answered"): 1}
    assert room.log == []


async def test_a_ping_is_not_answered_while_the_disk_hangs(autojump_clock: trio.testing.MockClock) -> None:
    paper = Paper(held=True)
    async with open_actor(Room(), log=paper) as actor, trio.open_nursery() as nursery:
        nursery.start_soon(actor.ask, Echo("one"))
        await wait_all_tasks_blocked()
        with trio.move_on_after(60) as patience:
            await actor.ping()
        assert patience.cancelled_caught
        paper.open_gate()
        await actor.ping()
    assert actor.stats().commands == {("Echo", "answered"): 1, ("Ping", "withdrawn"): 1, ("Ping", "answered"): 1}


async def test_a_ping_fails_if_the_game_is_gone() -> None:
    async with open_actor(Room()) as actor:
        await actor.aclose()
        with pytest.raises(GameClosed):
            await actor.ping()
