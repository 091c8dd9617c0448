"""The kernel's promises on a toy game (tests/unit/kernel/toy.py). The number in a test's name is the promise's number.

test_actor_following has the tests of followers.

Partitions:
- a request is: answered at once; parked and answered; parked and refused; never answered (close, death)
- its cancellation: before the mailbox has room; in the mailbox; while parked; at the moment of its answer
- `tell` by a leaving caller: while others are queued; before others ask; refused; after the end
- the mailbox is: empty; full
- the game ends: by leaving the block; by aclose; by an exception in the block; by a cancelled block; by a bug. At a bug
  callers are being served, queued, waiting for the mailbox, parked, following, or come later
- a caller that waits for the notification "parked": is answered at once; is parked; never gets to the owner
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.errors import GameClosed, GameStopped
from scramble.kernel.actor import BATCH_SIZE, Actor, open_actor
from scramble.kernel.protocol import Command, Outcome, Ticket
from tests.unit.kernel.toy import Crash, Echo, LetOut, SendAway, SentAway, Wait, WaitingRoom


class Caller:
    """One request in its own task. The request can be cancelled, and has its answer or error."""

    def __init__(self, nursery: trio.Nursery, actor: Actor, command: Command[object]) -> None:
        self.scope = trio.CancelScope()
        self.answer: object = None
        self.error: Exception | None = None
        self.done = False
        nursery.start_soon(self._run, actor, command)

    async def _run(self, actor: Actor, command: Command[object]) -> None:
        with self.scope:
            try:
                self.answer = await actor.ask(command)
            except Exception as error:
                self.error = error
        self.done = True


async def start(nursery: trio.Nursery, actor: Actor, *commands: Command[object]) -> list[Caller]:
    """Start callers that ask in this order; return them when all tasks are blocked."""
    callers = []
    for command in commands:
        callers.append(Caller(nursery, actor, command))
        await wait_all_tasks_blocked()
    return callers


async def cancel_all(callers: list[Caller]) -> None:
    for caller in callers:
        caller.scope.cancel()


# 1, 2: one command after another, in order


async def test_1_a_command_gets_the_answer_of_the_rules() -> None:
    async with open_actor(WaitingRoom()) as actor:
        assert await actor.ask(Echo("hello")) == "hello"


class Guarded(WaitingRoom):
    """A waiting room that notes the tasks that call it."""

    def __init__(self) -> None:
        super().__init__()
        self.tasks: set[trio.lowlevel.Task] = set()

    def apply(self, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        self.tasks.add(trio.lowlevel.current_task())
        return super().apply(ticket, command)


async def test_1_one_task_only_calls_the_rules_and_it_is_no_callers_task() -> None:
    room = Guarded()
    callers = {trio.lowlevel.current_task()}
    async with open_actor(room, mailbox_size=1) as actor, trio.open_nursery() as nursery:

        async def come_and_go(word: str) -> None:
            callers.add(trio.lowlevel.current_task())
            await actor.ask(Echo(word))
            with trio.CancelScope() as scope:
                nursery.start_soon(actor.ask, SendAway())
                scope.cancel()
                await actor.ask(Wait(word))
            actor.tell(Echo("bye"))

        for i in range(BATCH_SIZE):
            nursery.start_soon(come_and_go, str(i))
    assert len(room.tasks) == 1
    assert room.tasks.isdisjoint(callers)


@pytest.mark.parametrize("size", [0, 4, 10 * BATCH_SIZE])
async def test_2_commands_are_applied_in_the_order_of_the_mailbox(size: int) -> None:
    room = WaitingRoom()
    asked: list[str] = []
    async with open_actor(room, mailbox_size=size) as actor, trio.open_nursery() as nursery:

        async def ask(word: str) -> None:
            for round_number in range(3):
                asked.append(f"{word}.{round_number}")  # no await between this line and the mailbox
                await actor.ask(Echo(asked[-1]))

        for i in range(3 * BATCH_SIZE):
            nursery.start_soon(ask, str(i))
    assert room.log == asked


async def test_2_a_thousand_parked_requests_are_answered_in_the_order_in_which_they_came() -> None:
    async with open_actor(WaitingRoom()) as actor:
        answers: list[str] = []

        async def wait(i: int) -> None:
            answers.append(await actor.ask(Wait(f"{i}")))

        async with trio.open_nursery() as nursery:
            for i in range(1000):
                nursery.start_soon(wait, i)
                if i % 100 == 99:
                    await wait_all_tasks_blocked()
            order = []
            for _ in range(1000):
                assert await actor.ask(LetOut("x")) == 1
                await wait_all_tasks_blocked()
                order.append(answers[-1])
        assert order == answers
        assert len(set(answers)) == 1000


async def test_2_one_command_answers_all_requests_that_it_lets_out() -> None:
    async with open_actor(WaitingRoom()) as actor, trio.open_nursery() as nursery:
        callers = await start(nursery, actor, Wait("a"), Wait("b"), Wait("c"))
        assert await actor.ask(LetOut("bob", 2)) == 2
        await wait_all_tasks_blocked()
        assert [c.answer for c in callers] == ["a let out by bob", "b let out by bob", None]
        await actor.ask(LetOut("bob"))


# 3: every caller is answered exactly once


async def test_3_a_refusal_is_raised_in_the_task_of_the_caller_concerned_and_nowhere_else() -> None:
    async with open_actor(WaitingRoom()) as actor, trio.open_nursery() as nursery:
        callers = await start(nursery, actor, Wait("a"), Wait("b"))
        assert await actor.ask(SendAway()) == 2
        await wait_all_tasks_blocked()
        assert [type(c.error) for c in callers] == [SentAway, SentAway]
        assert callers[0].error is not callers[1].error


async def test_3_closing_executes_queued_commands_and_tells_parked_callers_that_the_game_is_closed() -> None:
    room = WaitingRoom()
    async with open_actor(room) as actor, trio.open_nursery() as nursery:
        let_out, parked = await start(nursery, actor, Wait("a"), Wait("b"))
        queued = Caller(nursery, actor, LetOut("last"))
        for _ in range(2):
            await trio.lowlevel.checkpoint()  # each caller has asked; the owner may or may not have taken the request
        await actor.aclose()
        await wait_all_tasks_blocked()
        assert queued.answer == 1
        assert let_out.answer == "a let out by last"
        assert isinstance(parked.error, GameClosed)


async def test_3_leaving_the_block_closes_the_game_for_parked_callers_elsewhere() -> None:
    async with trio.open_nursery() as nursery, open_actor(WaitingRoom()) as actor:
        (parked,) = await start(nursery, actor, Wait("a"))
    assert isinstance(parked.error, GameClosed)


async def test_3_asking_a_closed_game_fails_at_once_and_closing_it_again_is_fine() -> None:
    async with open_actor(WaitingRoom()) as actor:
        await actor.aclose()
        await actor.aclose()
        with pytest.raises(GameClosed):
            await actor.ask(Echo("late"))


async def test_3_if_the_owner_dies_of_a_bug_all_callers_hear_of_it() -> None:
    async with trio.open_nursery() as nursery:
        with pytest.raises(ExceptionGroup) as info:
            async with open_actor(WaitingRoom(), mailbox_size=2) as actor:
                callers = await start(nursery, actor, Wait("parked"), Wait("parked too"))
                callers += [Caller(nursery, actor, Crash()) for _ in range(6)]
                await trio.sleep_forever()
    assert info.group_contains(ZeroDivisionError, match="a bug", depth=1)
    assert len(callers) == 8
    for caller in callers:
        assert isinstance(caller.error, GameStopped)
        assert not isinstance(caller.error, GameClosed)
        assert "a bug" in str(caller.error)
    with pytest.raises(GameStopped, match="a bug"):
        await actor.ask(Echo("late"))


async def test_3_the_bug_is_the_cause_of_the_callers_exception() -> None:
    async with trio.open_nursery() as nursery:
        with pytest.raises(ExceptionGroup):
            async with open_actor(WaitingRoom()) as actor:
                caller = Caller(nursery, actor, Crash())
                await trio.sleep_forever()
    assert isinstance(caller.error, GameStopped)
    assert isinstance(caller.error.__cause__, ZeroDivisionError)


async def test_3_an_exception_in_the_block_leaves_it_as_it_is_and_closes_the_game() -> None:
    async with trio.open_nursery() as nursery:
        with pytest.raises(KeyError):
            async with open_actor(WaitingRoom()) as actor:
                (parked,) = await start(nursery, actor, Wait("a"))
                raise KeyError("mine")
    assert isinstance(parked.error, GameClosed)


async def test_3_cancelling_the_block_closes_the_game_for_callers_elsewhere() -> None:
    async with trio.open_nursery() as nursery:
        with trio.CancelScope() as scope:
            async with open_actor(WaitingRoom()) as actor:
                (parked,) = await start(nursery, actor, Wait("a"))
                scope.cancel()
                await trio.sleep_forever()
    assert isinstance(parked.error, GameClosed)


async def test_3_each_caller_gets_its_own_error_so_that_tracebacks_do_not_pile_up() -> None:
    async with open_actor(WaitingRoom()) as actor:
        await actor.aclose()
        errors = []
        for _ in range(2):
            with pytest.raises(GameClosed) as info:
                await actor.ask(Echo("late"))
            errors.append(info.value)
    assert errors[0] is not errors[1]


# 4: back-pressure


@pytest.mark.parametrize("size", [0, 1, 3])
async def test_4_a_full_mailbox_makes_callers_wait_and_drops_nothing(size: int) -> None:
    room = WaitingRoom()
    async with open_actor(room, mailbox_size=size) as actor, trio.open_nursery() as nursery:
        for i in range(50):
            nursery.start_soon(actor.ask, Echo(str(i)))
    assert sorted(room.log, key=int) == [str(i) for i in range(50)]


# 5: cancellation, at each stage of a request


@pytest.mark.parametrize("size", [0, 1, 4, 100])
async def test_5_a_command_cancelled_before_the_owner_takes_it_is_never_executed(size: int) -> None:
    room = WaitingRoom()
    async with open_actor(room, mailbox_size=size) as actor, trio.open_nursery() as nursery:
        await wait_all_tasks_blocked()
        callers = [Caller(nursery, actor, Wait(str(i))) for i in range(20)]
        # Requests and cancellations come in the same tick of the scheduler, so the owner cannot have run yet. The owner
        # has one request, some requests are in the mailbox, the others wait until the mailbox has room.
        nursery.start_soon(cancel_all, callers)
        await wait_all_tasks_blocked()
        assert all(c.scope.cancelled_caught for c in callers)
        assert await actor.ask(LetOut("after")) == 0
    assert room.log == ["after"]


async def test_5_a_caller_cancelled_before_it_asks_leaves_no_trace() -> None:
    room = WaitingRoom()
    async with open_actor(room) as actor:
        with trio.CancelScope() as scope:
            scope.cancel()
            await actor.ask(Echo("never"))
        assert scope.cancelled_caught
        await wait_all_tasks_blocked()
    assert room.log == []


async def test_5_a_caller_cancelled_while_parked_is_withdrawn_and_the_next_one_gets_its_turn() -> None:
    room = WaitingRoom()
    async with open_actor(room) as actor, trio.open_nursery() as nursery:
        first, second = await start(nursery, actor, Wait("first"), Wait("second"))
        first.scope.cancel()
        await wait_all_tasks_blocked()
        assert first.scope.cancelled_caught
        assert await actor.ask(LetOut("bob")) == 1
        await wait_all_tasks_blocked()
        assert second.answer == "second let out by bob"
    assert room.log == ["first", "second", "withdraw first", "bob"]


@pytest.mark.parametrize("size", [0, 1, 100])
async def test_5_a_withdrawal_overtakes_all_queued_commands_so_a_gone_caller_wins_nothing(size: int) -> None:
    room = WaitingRoom()
    async with open_actor(room, mailbox_size=size) as actor, trio.open_nursery() as nursery:
        departed, staying = await start(nursery, actor, Wait("departed"), Wait("staying"))
        # In one tick, five commands are queued and `departed` is cancelled. The first command would answer `departed`.
        openers = [Caller(nursery, actor, LetOut("bob")) for _ in range(5)]
        nursery.start_soon(cancel_all, [departed])
        await wait_all_tasks_blocked()
        assert departed.scope.cancelled_caught
        assert staying.answer == "staying let out by bob"
        assert sorted(answer for c in openers if isinstance(answer := c.answer, int)) == [0, 0, 0, 0, 1]
    assert room.log == ["departed", "staying", "withdraw departed", *["bob"] * 5]


async def test_5_an_answer_that_crosses_a_cancellation_stands() -> None:
    room = WaitingRoom()
    async with open_actor(room) as actor, trio.open_nursery() as nursery:
        (caller,) = await start(nursery, actor, Wait("a"))
        assert await actor.ask(LetOut("bob")) == 1  # a's request is answered, but a's task may not have run yet
        caller.scope.cancel()
        await wait_all_tasks_blocked()
        assert caller.answer == "a let out by bob"
    assert room.log == ["a", "bob"]


async def test_5_a_thousand_callers_cancelled_at_once_are_all_withdrawn() -> None:
    room = WaitingRoom()
    async with open_actor(room, mailbox_size=8) as actor:
        async with trio.open_nursery() as nursery:
            for i in range(1000):
                nursery.start_soon(actor.ask, Wait(str(i)))
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        assert await actor.ask(LetOut("bob", 1000)) == 0
    assert len(room.log) == 2001


@pytest.mark.parametrize("size", [0, 1, 100])
async def test_5_a_cancelled_callers_tell_overtakes_all_queued_commands(size: int) -> None:
    async def leave() -> None:
        with trio.CancelScope() as scope:
            scope.cancel()
            actor.tell(Echo("goodbye"))
            await trio.lowlevel.checkpoint()
        assert scope.cancelled_caught

    room = WaitingRoom()
    async with open_actor(room, mailbox_size=size) as actor, trio.open_nursery() as nursery:
        await wait_all_tasks_blocked()
        # All in one tick, so that the owner cannot have run yet.
        for _ in range(5):
            nursery.start_soon(actor.ask, Echo("queued"))
        nursery.start_soon(leave)
        await wait_all_tasks_blocked()
    assert room.log == ["goodbye", *["queued"] * 5]


async def test_5_a_tell_comes_before_later_requests_and_its_refusal_is_raised_nowhere() -> None:
    room = WaitingRoom()
    async with open_actor(room) as actor, trio.open_nursery() as nursery:
        await wait_all_tasks_blocked()
        (parked,) = await start(nursery, actor, Wait("parked"))
        actor.tell(Wait("told"))
        actor.tell(SendAway())
        assert await actor.ask(LetOut("after")) == 0
        await wait_all_tasks_blocked()
        assert isinstance(parked.error, SentAway)
    assert room.log == ["parked", "told", "after"]


async def test_5_a_tell_does_not_answer_a_caller_that_is_cancelled_in_the_same_moment() -> None:
    room = WaitingRoom()
    async with open_actor(room) as actor, trio.open_nursery() as nursery:
        (stays,) = await start(nursery, actor, Wait("stays"))
        with trio.CancelScope() as scope:

            async def leave() -> None:
                actor.tell(SendAway())  # before the owner knows that the request `goes` is cancelled
                scope.cancel()

            nursery.start_soon(leave)
            await actor.ask(Wait("goes"))
        assert scope.cancelled_caught
        await wait_all_tasks_blocked()
        assert isinstance(stays.error, SentAway)
        assert await actor.ask(LetOut("after")) == 0


async def test_5_a_tell_to_a_closed_game_is_ignored() -> None:
    room = WaitingRoom()
    async with open_actor(room) as actor:
        await actor.aclose()
        actor.tell(Echo("too late"))
        await wait_all_tasks_blocked()
    assert room.log == []


# 6: every task gets its turn


async def test_6_an_owner_with_endless_work_still_lets_other_tasks_run() -> None:
    async with open_actor(WaitingRoom()) as actor:
        with trio.CancelScope() as scope:
            async with trio.open_nursery() as nursery:

                async def hammer() -> None:
                    while True:
                        await actor.ask(Echo("x"))

                for _ in range(2 * BATCH_SIZE):
                    nursery.start_soon(hammer)
                for _ in range(10):
                    await trio.lowlevel.checkpoint()
                scope.cancel()
        assert await actor.ask(Echo("still here")) == "still here"


# 7: the kernel adds nothing to the rules


async def test_7_without_events_followers_get_no_change_and_the_version_stays() -> None:
    room = WaitingRoom()
    async with open_actor(room) as actor, trio.open_nursery() as nursery:
        await actor.ask(Echo("before"))
        changes = actor.subscribe()
        (caller,) = await start(nursery, actor, Wait("a"))
        assert await actor.ask(SendAway()) == 1
        await wait_all_tasks_blocked()
        assert isinstance(caller.error, SentAway)
        assert changes.pending() == []
        await actor.ask(Echo("after"))
        assert [change.version for change in changes.pending()] == [2]


# the notification that a request is parked


async def test_a_caller_can_learn_that_it_is_parked_while_it_is() -> None:
    async with open_actor(WaitingRoom()) as actor, trio.open_nursery() as nursery:
        parked = trio.Event()
        nursery.start_soon(partial(actor.ask, Wait("a"), parked=parked))
        await parked.wait()
        assert await actor.ask(LetOut("bob")) == 1


async def test_a_caller_that_is_answered_at_once_or_refused_is_not_parked() -> None:
    async with open_actor(WaitingRoom()) as actor:
        parked = trio.Event()
        await actor.ask(Echo("a"), parked=parked)
        assert not parked.is_set()


async def test_a_caller_whose_command_was_never_taken_is_not_parked() -> None:
    async with open_actor(WaitingRoom()) as actor:
        parked = trio.Event()
        with trio.CancelScope() as scope:
            scope.cancel()
            await actor.ask(Wait("a"), parked=parked)
        await wait_all_tasks_blocked()
        assert not parked.is_set()
