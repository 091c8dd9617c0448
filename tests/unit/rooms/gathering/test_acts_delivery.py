"""Messages that a running gathering delivers to all places, while connections leave.

Partitions:
- the last connection of a place leaves: before the waiting request; after it; in one step with it
- a removed client returns: as a player; as a watcher
- the removal was requested at the place whose last connection leaves
"""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.kernel.actor import Actor, open_actor
from scramble.kernel.protocol import Command, Event
from scramble.rooms.gathering.messages import Attend, NoteDelivery, Removed
from scramble.rooms.gathering.rules import Gathering
from scramble.rooms.gathering.stewardmessages import AwaitDelivery, RemovePlayer


async def ask(actor: Actor, command: Command[None], scope: trio.CancelScope) -> None:
    with scope:
        await actor.ask(command)


@pytest.mark.parametrize("stay_first", [False, True])
async def test_a_connection_and_the_request_that_waits_for_it_may_leave_in_one_step(stay_first: bool) -> None:
    async with open_actor(Gathering("ann", None, trio.current_time)) as actor, trio.open_nursery() as nursery:
        stay, waiting = trio.CancelScope(), trio.CancelScope()
        nursery.start_soon(ask, actor, Attend("place", "bob", "Bob"), stay)
        await wait_all_tasks_blocked()
        await actor.ask(RemovePlayer("bob", "ann", "Bob", None))
        nursery.start_soon(ask, actor, AwaitDelivery(), waiting)
        await wait_all_tasks_blocked()
        for scope in (stay, waiting) if stay_first else (waiting, stay):
            scope.cancel()
        await wait_all_tasks_blocked()
        await actor.ping()


@pytest.mark.parametrize("player", ["Rob", None])
async def test_a_removed_client_that_comes_again_leaves_unless_it_watches(player: str | None) -> None:
    async with open_actor(Gathering("ann", None, trio.current_time)) as actor, trio.open_nursery() as nursery:
        await actor.ask(RemovePlayer("bob", "ann", "Bob", None))
        changes = actor.subscribe()
        nursery.start_soon(ask, actor, Attend("late", "bob", player), trio.CancelScope())
        await wait_all_tasks_blocked()
        events: list[Event] = [event for change in changes.pending() for event in change.events]
        assert (Removed("bob", ()) in events) == (player is not None)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("asked_at", ["place", "elsewhere"])
async def test_a_removal_waits_for_its_requesting_place_after_the_last_connection_left(
    asked_at: str,
) -> None:
    async with open_actor(Gathering("ann", None, trio.current_time)) as actor, trio.open_nursery() as nursery:
        stay, delivered = trio.CancelScope(), trio.Event()
        nursery.start_soon(ask, actor, Attend("place", "bob", "Bob"), stay)
        await wait_all_tasks_blocked()
        await actor.ask(RemovePlayer("bob", "ann", "Bob", asked_at))

        async def wait() -> None:
            await actor.ask(AwaitDelivery())
            delivered.set()

        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        stay.cancel()
        await wait_all_tasks_blocked()
        assert not delivered.is_set()
        await actor.ask(NoteDelivery(asked_at, "bob"))
        await delivered.wait()
