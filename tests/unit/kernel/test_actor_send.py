"""Commands without an answer (`Actor.send`), and looks at the rules (`Actor.inspect`).

Partitions:
- a sent command is: answered; refused; parked and answered later; parked until the end
- the mailbox: has room; is full, and gets room; is full, and the sender is cancelled
- the game has ended: by aclose; by a bug
- an inspection: returns; raises; comes after queued commands; waits for the commit of the commands before it
"""

from __future__ import annotations

from functools import partial

import pytest
import trio
from trio.testing import assert_checkpoints, wait_all_tasks_blocked

from scramble.errors import GameClosed, GameStopped
from scramble.kernel.actor import open_actor
from tests.support.paper import Paper
from tests.unit.kernel.toy import Crash, Echo, LetOut, SendAway, Wait, WaitingRoom


def log_of(room: WaitingRoom) -> list[str]:
    return list(room.log)


async def test_sent_commands_are_executed_in_the_order_of_all_requests() -> None:
    async with open_actor(WaitingRoom()) as actor:
        await actor.send(Echo("a"))
        await actor.send(Wait("b"))
        assert await actor.ask(LetOut("c")) == 1
        with assert_checkpoints():
            await actor.send(Echo("d"))
        assert await actor.inspect(log_of) == ["a", "b", "c", "d"]
        assert actor.stats().commands[("Echo", "answered")] == 2


async def test_a_sent_command_that_is_refused_or_never_answered_disturbs_nobody() -> None:
    async with open_actor(WaitingRoom()) as actor:
        await actor.send(Wait("a"))
        await actor.ask(SendAway())
        await actor.send(Wait("b"))
        await actor.ping()
        assert actor.stats().parked == {"Wait": 1}


async def test_a_sender_waits_for_room_and_has_no_effect_if_it_is_cancelled_meanwhile() -> None:
    paper = Paper(held=True)
    async with open_actor(WaitingRoom(), log=paper, mailbox_size=1) as actor, trio.open_nursery() as nursery:
        await actor.send(Echo("a"))
        await wait_all_tasks_blocked()  # the owner commits
        await actor.send(Echo("b"))
        with trio.move_on_after(0) as scope:
            await actor.send(Echo("c"))
        assert scope.cancelled_caught
        nursery.start_soon(actor.send, Echo("d"))
        await wait_all_tasks_blocked()
        assert actor.stats().queued == 1
        paper.open_gate()
        assert await actor.inspect(log_of) == ["a", "b", "d"]


async def test_a_cancelled_sender_queues_nothing() -> None:
    async with open_actor(WaitingRoom()) as actor:
        with trio.CancelScope() as scope:
            scope.cancel()
            await actor.send(Echo("a"))
        assert await actor.inspect(log_of) == []


async def test_a_game_that_has_ended_takes_no_more_commands() -> None:
    async with open_actor(WaitingRoom()) as actor:
        await actor.aclose()
        for request in (partial(actor.send, Echo("a")), partial(actor.inspect, log_of)):
            with pytest.raises(GameClosed):
                await request()
    with pytest.RaisesGroup(ZeroDivisionError):
        async with open_actor(WaitingRoom()) as actor:
            await actor.send(Crash())
            with pytest.raises(GameStopped):
                await actor.inspect(log_of)
            await trio.sleep_forever()


async def test_an_inspection_raises_what_its_function_raises_and_the_game_goes_on() -> None:
    async with open_actor(WaitingRoom()) as actor:
        with pytest.raises(ZeroDivisionError, match="division"):
            await actor.inspect(lambda room: 1 // room.version)
        assert await actor.ask(Echo("a")) == "a"
        assert await actor.inspect(lambda room: 1 // room.version) == 1


async def test_an_inspection_shows_only_what_is_logged() -> None:
    paper = Paper(held=True)
    async with open_actor(WaitingRoom(), log=paper) as actor, trio.open_nursery() as nursery:
        shown = []

        async def inspect() -> None:
            shown.append(await actor.inspect(log_of))

        await actor.send(Echo("a"))
        nursery.start_soon(inspect)
        await wait_all_tasks_blocked()
        assert not shown
        paper.open_gate()
        await actor.ping()
        await wait_all_tasks_blocked()
        assert shown == [["a"]]
