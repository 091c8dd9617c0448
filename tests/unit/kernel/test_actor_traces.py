"""The function `on_command` of an owner: it gets each command with its outcomes, and the time in the queue.

Partitions:
- a command is: answered; parked, and answered by a later command; refused; withdrawn; told; sent; refused by the log
- the time in the queue: none; while the owner commits; of a withdrawal: from the cancellation
- the function raises: with and without a log
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.errors import DiskFull, GameStopped
from scramble.kernel.actor import open_actor
from scramble.kernel.protocol import Answered, Command, Outcome, Ping, Refused, Ticket, Withdraw
from tests.support.paper import Paper
from tests.unit.kernel.toy import Echo, Left, LetOut, Said, SendAway, Wait, WaitingRoom


class Traced(NamedTuple):
    ticket: Ticket
    command: Command[object]
    outcomes: Sequence[Outcome]
    queued_s: float


class Trace:
    def __init__(self) -> None:
        self.steps: list[Traced] = []

    def add(self, ticket: Ticket, command: Command[object], outcomes: Sequence[Outcome], queued_s: float) -> None:
        self.steps.append(Traced(ticket, command, outcomes, queued_s))

    @property
    def commands(self) -> list[Command[object]]:
        return [step.command for step in self.steps]


async def test_each_command_is_traced_with_its_outcomes_which_may_answer_an_earlier_ticket() -> None:
    trace = Trace()
    async with open_actor(WaitingRoom(), on_command=trace.add) as actor, trio.open_nursery() as nursery:
        await actor.ask(Echo("a"))
        nursery.start_soon(actor.ask, Wait("b"))
        await wait_all_tasks_blocked()
        await actor.ask(LetOut("c"))
        await actor.ping()
    echo, wait, out, ping = trace.steps
    assert echo.outcomes == [Said("a"), Answered(echo.ticket, "a")]
    assert wait.outcomes == []
    assert out.outcomes == [Answered(wait.ticket, "b let out by c"), Answered(out.ticket, 1)]
    assert ping.command == Ping()
    assert ping.outcomes == (Answered(ping.ticket, None),)


async def test_withdrawals_and_told_and_sent_commands_are_traced_in_the_order_of_their_execution() -> None:
    trace = Trace()
    async with open_actor(WaitingRoom(), on_command=trace.add) as actor:
        with trio.CancelScope() as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(actor.ask, Wait("a"))
                await wait_all_tasks_blocked()
                scope.cancel()
        actor.tell(Echo("b"))
        await actor.send(SendAway())
        await actor.ping()
    assert trace.commands == [Wait("a"), Withdraw(), Echo("b"), SendAway(), Ping()]
    assert trace.steps[1].ticket == trace.steps[0].ticket
    assert trace.steps[1].outcomes == [Left("a")]


async def test_the_time_in_the_queue_is_from_the_request_to_its_execution(mock_clock: MockClock) -> None:
    trace, paper = Trace(), Paper(held=True)
    async with (
        open_actor(WaitingRoom(), log=paper, on_command=trace.add) as actor,
        trio.open_nursery() as nursery,
    ):
        scope = trio.CancelScope()

        async def wait() -> None:
            with scope:
                await actor.ask(Wait("a"))

        nursery.start_soon(wait)
        await wait_all_tasks_blocked()  # the owner has applied the command, and commits
        nursery.start_soon(actor.ask, Echo("b"))
        await wait_all_tasks_blocked()
        mock_clock.jump(2)
        scope.cancel()
        await wait_all_tasks_blocked()
        mock_clock.jump(3)
        paper.open_gate()
    assert [(step.command, step.queued_s) for step in trace.steps] == [(Wait("a"), 0), (Withdraw(), 3), (Echo("b"), 5)]


async def test_a_command_that_the_log_refuses_is_traced_with_its_refusal() -> None:
    trace, paper = Trace(), Paper()
    paper.full = True
    async with open_actor(WaitingRoom(), log=paper, on_command=trace.add) as actor:
        with pytest.raises(DiskFull):
            await actor.ask(Echo("a"))
    (step,) = trace.steps
    (refused,) = step.outcomes
    assert isinstance(refused, Refused)
    assert isinstance(refused.error, DiskFull)


@pytest.mark.parametrize("logged", [True, False])
async def test_a_function_that_raises_ends_the_game_like_a_bug_and_nobody_waits(logged: bool) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("a bug of the trace")

    with pytest.RaisesGroup(ZeroDivisionError):
        async with open_actor(WaitingRoom(), log=Paper() if logged else None, on_command=fail) as actor:
            with pytest.raises(GameStopped):
                await actor.ask(Wait("a"))
            await trio.sleep_forever()
