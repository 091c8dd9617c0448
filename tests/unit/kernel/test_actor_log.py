"""The kernel's promise 8, on a toy game (toy.py) with a log whose commits the test controls (support/paper.py).

Partitions:
- held back until the commit: an answer, a refusal, another request's answer, a change, a follower's position, the
  notification that a request is parked
- written: commands, withdrawals, `tell` commands, in the order of their execution. Not written: queries, withdrawals of
  queries, commands that changed nothing, invalid commands, commands that cannot be encoded
- commands that arrive during a commit: go into one batch together
- a caller is cancelled during a commit: when its answer is decided; parked; queued
- a commit fails, with callers decided, parked, queued, following, or coming later; because another process has the
  game; while the game closes because of an exception; or the commit is cancelled with its owner
- a bug in the rules, with answers of the same batch not yet written
- the log has room; or has no room: for callers' commands, `tell` commands, withdrawals, queries
- the log is notified of the end: after the game is closed with no work left; not after a bug or a failure
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.errors import DiskFull, GameClosed, GameMoved, GameStopped, InvalidCommand, JournalFailed
from scramble.kernel.actor import Actor, open_actor
from scramble.kernel.protocol import Answered, Command, Outcome, Ping, Query, Refused, Ticket
from tests.support.paper import Paper
from tests.unit.kernel.test_actor import Caller, cancel_all, start
from tests.unit.kernel.toy import Crash, Echo, LetOut, SendAway, SentAway, Wait, WaitingRoom


class HowMany(Query[int], frozen=True):
    """Return the number of commands."""


class WaitQuietly(Query[str], frozen=True):
    """A query that is parked forever."""

    word: str


class Nonsense(Command[None], frozen=True):
    """A command that is refused as invalid."""


class Room(WaitingRoom):
    def apply(self, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        match command:
            case HowMany():
                return [Answered(ticket, len(self.log))]
            case WaitQuietly():
                return []
            case Nonsense():
                return [Refused(ticket, InvalidCommand("nonsense"))]
        return super().apply(ticket, command)


async def test_8_nothing_is_answered_or_published_before_the_commit() -> None:
    paper = Paper()
    async with open_actor(Room(), log=paper) as actor, trio.open_nursery() as nursery:
        waiting, refused = await start(nursery, actor, Wait("a"), Wait("b"))
        changes = actor.subscribe()
        paper.close_gate()
        (first, *rest) = await start(nursery, actor, Echo("hello"), LetOut("x"), SendAway(), HowMany())
        parked = trio.Event()
        nursery.start_soon(actor_ask_parked, actor, Wait("c"), parked)
        await wait_all_tasks_blocked()
        assert not any(caller.done for caller in (waiting, refused, first, *rest))
        assert not changes.pending()
        assert not parked.is_set()
        paper.open_gate()
        await wait_all_tasks_blocked()
        assert first.answer == "hello"
        assert waiting.answer == "a let out by x"
        assert isinstance(refused.error, SentAway)
        assert [caller.done for caller in rest] == [True] * 3
        assert len(changes.pending()) == 1
        assert parked.is_set()
        nursery.cancel_scope.cancel()


async def actor_ask_parked(actor: Actor, command: Command[object], parked: trio.Event) -> None:
    await actor.ask(command, parked=parked)


async def test_8_commands_that_arrive_during_a_commit_are_committed_together() -> None:
    paper = Paper(held=True)
    async with open_actor(Room(), log=paper) as actor, trio.open_nursery() as nursery:
        await start(nursery, actor, Echo("1"), Echo("2"), Echo("3"), Echo("4"))
        paper.open_gate()
        await wait_all_tasks_blocked()
    assert [[word for _, word in batch] for batch in paper.committed] == [["Echo 1"], ["Echo 2", "Echo 3", "Echo 4"]]


async def test_8_a_query_waits_for_a_commit_only_if_earlier_changes_are_not_yet_written() -> None:
    paper = Paper(held=True)
    async with open_actor(Room(), log=paper) as actor:
        assert await actor.ask(HowMany()) == 0
        async with trio.open_nursery() as nursery:
            echo, how_many = await start(nursery, actor, Echo("1"), HowMany())
            assert not how_many.done
            paper.open_gate()
        assert (echo.answer, how_many.answer) == ("1", 1)
    assert paper.words == ["Echo 1"]


async def test_8_a_follower_begins_at_its_answer_though_both_were_held_back() -> None:
    paper = Paper(held=True)
    async with open_actor(Room(), log=paper) as actor, trio.open_nursery() as nursery:
        await start(nursery, actor, Echo("0"), Echo("1"))
        followed = []

        async def follow() -> None:
            followed.append(await actor.follow(Echo("2")))

        nursery.start_soon(follow)
        await wait_all_tasks_blocked()
        await start(nursery, actor, Echo("3"))
        paper.open_gate()
        await wait_all_tasks_blocked()
        ((answer, changes),) = followed
        assert answer == "2"
        assert [str(event) for change in changes.pending() for event in change.events] == ["Said(word='3')"]


async def test_8_withdrawals_and_urgent_commands_are_written_in_the_order_of_their_execution() -> None:
    paper, room = Paper(), Room()
    async with open_actor(room, log=paper) as actor, trio.open_nursery() as nursery:
        callers = await start(nursery, actor, Wait("a"), WaitQuietly("b"))
        nursery.start_soon(actor.ask, Echo("later"))
        actor.tell(Echo("farewell"))
        await cancel_all(callers)
        await wait_all_tasks_blocked()
    assert paper.words == ["Wait a", "Withdraw", "Echo farewell", "Echo later"]
    assert room.log == ["a", "withdraw a", "withdraw None", "farewell", "later"]


async def test_8_invalid_and_unwritable_commands_are_not_written_and_the_others_are() -> None:
    paper, room = Paper(), Room()
    async with open_actor(room, log=paper) as actor:
        with pytest.raises(InvalidCommand, match="nonsense"):
            await actor.ask(Nonsense())
        with pytest.raises(InvalidCommand, match="written down"):
            await actor.ask(Echo("\ud800"))
        await actor.ask(Echo("fine"))
    assert paper.words == room_words(room) == ["Echo fine"]


def room_words(room: Room) -> list[str]:
    return [f"Echo {word}" for word in room.log]


async def test_8_commands_without_a_change_are_not_written_and_need_no_commit() -> None:
    paper = Paper(held=True)
    async with open_actor(Room(), log=paper) as actor, trio.open_nursery() as nursery:
        assert await actor.ask(SendAway()) == 0
        (echo, send_away) = await start(nursery, actor, Echo("1"), SendAway())
        assert not send_away.done  # its answer may show a change that is not yet written
        actor.tell(SendAway())
        paper.open_gate()
        await wait_all_tasks_blocked()
        assert (echo.answer, send_away.answer) == ("1", 0)
        (waiting,) = await start(nursery, actor, Wait("a"))
        assert await actor.ask(SendAway()) == 1
        await wait_all_tasks_blocked()
        assert isinstance(waiting.error, SentAway)
        assert actor.stats().journalled == 3
    assert paper.words == ["Echo 1", "Wait a", "SendAway"]


async def test_8_without_room_commands_are_refused_before_any_change_and_leaving_still_works() -> None:
    paper, room = Paper(), Room()
    async with open_actor(room, log=paper) as actor, trio.open_nursery() as nursery:
        callers = await start(nursery, actor, Wait("a"))
        paper.full = True
        with pytest.raises(DiskFull, match="no room"):
            await actor.ask(Echo("1"))
        assert await actor.ask(HowMany()) == 1
        actor.tell(Echo("farewell"))
        await cancel_all(callers)
        await actor.ping()
        paper.full = False
        await actor.ask(Echo("2"))
        assert actor.stats().journalled == 4
    assert paper.words == ["Wait a", "Withdraw", "Echo farewell", "Echo 2"]
    assert room.log == ["a", "withdraw a", "farewell", "2"]


async def test_8_the_log_is_notified_when_the_owner_has_ended_in_good_order() -> None:
    good, buggy, failed = Paper(), Paper(), Paper()
    async with open_actor(Room(), log=good) as actor:
        await actor.ask(Echo("1"))
        assert not good.finished
    with pytest.raises(ExceptionGroup):
        async with open_actor(Room(), log=buggy) as actor:
            actor.tell(Crash())
            await trio.sleep_forever()
    failed.broken = True
    with pytest.raises(ExceptionGroup):
        async with open_actor(Room(), log=failed) as actor:
            actor.tell(Echo("1"))
            await trio.sleep_forever()
    assert (good.finished, buggy.finished, failed.finished) == (True, False, False)


async def test_8_tickets_continue_at_the_number_from_the_log() -> None:
    paper = Paper(first_ticket=70)
    async with open_actor(Room(), log=paper) as actor:
        await actor.ask(Echo("a"))
    assert paper.committed == [[(70, "Echo a")]]


async def test_8_and_5_a_decided_answer_to_a_cancelled_caller_comes_after_its_commit() -> None:
    paper = Paper(held=True)
    async with open_actor(Room(), log=paper) as actor, trio.open_nursery() as nursery:
        callers = await start(nursery, actor, Echo("a"), Echo("b"))
        await cancel_all(callers)
        await wait_all_tasks_blocked()
        assert [(caller.answer, caller.done) for caller in callers] == [(None, False), (None, True)]
        paper.open_gate()
        await wait_all_tasks_blocked()
        assert [(caller.answer, caller.done) for caller in callers] == [("a", True), (None, True)]
    assert paper.words == ["Echo a"]  # the other command was queued, so the owner never executed it


async def test_8_and_5_a_caller_cancelled_during_the_commit_that_parks_it_is_withdrawn_first() -> None:
    paper, room = Paper(held=True), Room()
    async with open_actor(room, log=paper) as actor, trio.open_nursery() as nursery:
        callers = await start(nursery, actor, Wait("a"), LetOut("x"))
        callers[0].scope.cancel()
        await wait_all_tasks_blocked()
        paper.open_gate()
        await wait_all_tasks_blocked()
        assert callers[1].answer == 0
    assert paper.words == ["Wait a", "Withdraw", "LetOut x"]


async def test_8_a_ping_is_answered_when_all_earlier_commands_are_written() -> None:
    paper = Paper(held=True)
    async with open_actor(Room(), log=paper) as actor, trio.open_nursery() as nursery:
        first, second, ping = await start(nursery, actor, Echo("1"), Echo("2"), Ping())
        paper.open_gate()
        paper.close_gate()  # for the next batch
        await wait_all_tasks_blocked()
        assert (first.done, second.done, ping.done) == (True, False, False)
        paper.open_gate()
        await wait_all_tasks_blocked()
        assert (second.done, ping.done) == (True, True)


async def test_8_a_caller_answered_later_in_its_batch_gets_no_news_of_being_parked() -> None:
    paper = Paper(held=True)
    async with open_actor(Room(), log=paper) as actor, trio.open_nursery() as nursery:
        await start(nursery, actor, Echo("1"))
        parked = trio.Event()
        nursery.start_soon(actor_ask_parked, actor, Wait("a"), parked)
        await wait_all_tasks_blocked()
        (let_out,) = await start(nursery, actor, LetOut("x"))
        paper.open_gate()
        await wait_all_tasks_blocked()
        assert let_out.answer == 1
        assert not parked.is_set()


async def test_8_and_5_a_caller_cancelled_during_the_commit_that_parks_it_gets_no_news_of_that() -> None:
    paper = Paper(held=True)
    async with open_actor(Room(), log=paper) as actor, trio.open_nursery() as nursery:
        parked = trio.Event()
        with trio.CancelScope() as scope:
            nursery.start_soon(cancel_when_blocked, scope)
            await actor.ask(Wait("a"), parked=parked)
        paper.open_gate()
        await wait_all_tasks_blocked()
        assert not parked.is_set()
    assert paper.words == ["Wait a", "Withdraw"]


async def cancel_when_blocked(scope: trio.CancelScope) -> None:
    await wait_all_tasks_blocked()
    scope.cancel()


async def test_5_and_8_a_parked_caller_may_leave_while_the_game_closes() -> None:
    paper, room = Paper(), Room()
    async with open_actor(room, log=paper) as actor, trio.open_nursery() as nursery:
        callers = await start(nursery, actor, Wait("goes"), Wait("stays"))
        paper.close_gate()
        callers += await start(nursery, actor, Echo("last"))
        nursery.start_soon(actor.aclose)
        await wait_all_tasks_blocked()
        actor.tell(Echo("unheard"))
        callers[0].scope.cancel()
        await wait_all_tasks_blocked()
        assert callers[0].done
        paper.open_gate()
    assert isinstance(callers[1].error, GameClosed)
    assert callers[2].answer == "last"
    assert paper.words == ["Wait goes", "Wait stays", "Echo last"]
    assert room.log == ["goes", "stays", "last"]


async def test_8_and_3_if_a_commit_fails_all_callers_get_game_stopped_and_the_failure_surfaces() -> None:
    paper = Paper()
    callers: list[Caller] = []
    followed: list[Exception] = []
    with pytest.raises(ExceptionGroup) as group:
        async with trio.open_nursery() as nursery, open_actor(Room(), log=paper) as actor:
            callers += await start(nursery, actor, Wait("parked"))

            async def follow() -> None:
                try:
                    await anext(actor.subscribe())
                except GameStopped as error:
                    followed.append(error)

            nursery.start_soon(follow)
            paper.close_gate()
            callers += await start(nursery, actor, Echo("decided"), Echo("queued"))
            paper.broken = True
            paper.open_gate()
            await trio.sleep_forever()
    assert group.group_contains(JournalFailed)
    assert [caller.answer for caller in callers] == [None] * 3
    assert all(type(caller.error) is GameStopped and "the disk is full" in str(caller.error) for caller in callers)
    assert len(followed) == 1
    assert paper.words == ["Wait parked"]
    with pytest.raises(GameStopped):
        await actor.ask(Echo("later"))


async def test_8_a_batch_without_room_is_held_and_new_commands_are_refused_until_it_is_written(
    autojump_clock: MockClock,
) -> None:
    paper = Paper()
    async with open_actor(Room(), log=paper) as actor, trio.open_nursery() as nursery:
        paper.no_space = True
        changes = actor.subscribe()
        (held,) = await start(nursery, actor, Echo("held"))
        for command in (Echo("refused"), HowMany(), Ping()):
            with pytest.raises(DiskFull, match="this one was not made"):
                await actor.ask(command)
        await trio.sleep(60)
        assert not held.done
        assert not changes.pending()
        paper.no_space = False
        assert (await anext(changes)).events
        await wait_all_tasks_blocked()
        assert held.answer == "held"
        assert await actor.ask(Echo("later")) == "later"
    assert paper.words == ["Echo held", "Echo later"]


async def test_8_a_caller_may_leave_while_its_batch_is_held_and_its_command_counts(
    autojump_clock: MockClock,
) -> None:
    paper = Paper()
    async with open_actor(Room(), log=paper) as actor:
        paper.no_space = True
        with trio.move_on_after(1), pytest.raises(GameStopped, match="recorded later"):
            await actor.ask(Echo("held"))
        paper.no_space = False
        await trio.sleep(60)
    assert paper.words == ["Echo held"]


async def test_8_closing_a_game_while_a_batch_is_held_ends_like_a_failed_log() -> None:
    paper = Paper()
    with pytest.raises(ExceptionGroup) as group:
        async with trio.open_nursery() as nursery, open_actor(Room(), log=paper) as actor:
            paper.no_space = True
            (held,) = await start(nursery, actor, Echo("held"))
            nursery.start_soon(actor.aclose)
    assert group.group_contains(JournalFailed)
    assert type(held.error) is GameStopped
    assert paper.words == []


class Elsewhere(JournalFailed):
    """Another process runs the game now."""

    stops = GameMoved


class Deed(Paper):
    """A log of a game that another process has taken over."""

    async def commit(self) -> None:
        await super().commit()
        raise Elsewhere("another process has the game")


async def test_8_and_3_if_the_game_moves_elsewhere_callers_learn_it_and_no_error_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    deed = Deed(held=True)
    callers: list[Caller] = []
    with pytest.raises(ExceptionGroup) as group:
        async with trio.open_nursery() as nursery, open_actor(Room(), log=deed) as actor:
            callers += await start(nursery, actor, Wait("parked"), Echo("decided"))
            deed.open_gate()
            await trio.sleep_forever()
    assert group.group_contains(Elsewhere)
    assert [type(caller.error) for caller in callers] == [GameMoved, GameMoved]
    assert caplog.records == []


async def test_8_and_3_if_a_commit_fails_while_closing_the_blocks_exception_is_not_lost() -> None:
    paper = Paper()
    paper.broken = True
    with pytest.raises(ExceptionGroup) as group:
        async with open_actor(Room(), log=paper) as actor:
            actor.tell(Echo("bye"))
            raise KeyError("a bug of the block's")
    assert group.group_contains(JournalFailed)
    assert isinstance(group.value.__context__, KeyError)


async def test_8_and_3_if_the_owner_is_cancelled_in_a_commit_no_caller_keeps_waiting() -> None:
    paper = Paper(held=True)
    async with trio.open_nursery() as nursery:
        with trio.CancelScope() as scope:
            async with open_actor(Room(), log=paper) as actor:
                callers = await start(nursery, actor, Echo("decided"), Echo("queued"), Wait("queued"))
                scope.cancel()
                await trio.sleep_forever()
    assert all(isinstance(caller.error, GameClosed) for caller in callers)
    assert paper.words == []


async def test_8_and_3_a_bug_takes_back_all_unwritten_answers() -> None:
    paper = Paper(held=True)
    callers: list[Caller] = []
    with pytest.raises(ExceptionGroup) as group:
        async with trio.open_nursery() as nursery, open_actor(Room(), log=paper) as actor:
            callers += await start(nursery, actor, Echo("first"), Echo("with the bug"), Crash())
            paper.open_gate()
            await trio.sleep_forever()
    assert group.group_contains(ZeroDivisionError)
    assert callers[0].answer == "first"
    assert type(callers[1].error) is type(callers[2].error) is GameStopped
    assert paper.words == ["Echo first"]


async def test_8_closing_waits_until_queued_commands_are_written() -> None:
    paper = Paper(held=True)
    async with open_actor(Room(), log=paper) as actor, trio.open_nursery() as nursery:
        callers = await start(nursery, actor, Echo("1"), Echo("2"))
        nursery.start_soon(actor.aclose)
        await wait_all_tasks_blocked()
        assert not any(caller.done for caller in callers)
        paper.open_gate()
    assert [caller.answer for caller in callers] == ["1", "2"]
    assert paper.words == ["Echo 1", "Echo 2"]
