"""An owner whose task starts with its first request.

Partitions:
- the first request: `ask`; `follow`; `tell`; a post, with and without waiting; never comes
- the game ends before a request: by leaving the block; by aclose; by a cancelled block
- the owner's task has the context of the block, not the context of the first caller
- an invalid size of the mailbox is an error of the opening, not of the first request
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, TypeAlias

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.errors import GameClosed
from scramble.kernel.actor import Actor, open_actor
from scramble.kernel.protocol import Command, Outcome, Ticket
from tests.unit.kernel.toy import Echo, WaitingRoom

visitor: Final[ContextVar[str]] = ContextVar("visitor")

Come: TypeAlias = Callable[[Actor], Awaitable[None]]


async def ask(actor: Actor) -> None:
    assert await actor.ask(Echo("first")) == "first"


async def follow(actor: Actor) -> None:
    answer, changes = await actor.follow(Echo("first"))
    assert (answer, changes.behind) == ("first", 0)


async def tell(actor: Actor) -> None:
    actor.tell(Echo("first"))
    await wait_all_tasks_blocked()


async def post(actor: Actor) -> None:
    answers: list[object] = []
    await actor.post(actor.request(Echo("first"), lambda answer, _: answers.append(answer.unwrap())))
    await wait_all_tasks_blocked()
    assert answers == ["first"]


async def post_nowait(actor: Actor) -> None:
    answers: list[object] = []
    actor.post_nowait(actor.request(Echo("first"), lambda answer, _: answers.append(answer.unwrap())))
    await wait_all_tasks_blocked()
    assert answers == ["first"]


@pytest.mark.parametrize("come", [ask, follow, tell, post, post_nowait])
async def test_the_first_request_of_every_kind_is_executed(come: Come) -> None:
    room = WaitingRoom()
    async with open_actor(room, at_once=False) as actor:
        changes = actor.subscribe()
        await come(actor)
        assert room.log == ["first"]
        assert changes.behind == 1
        assert await actor.ask(Echo("second")) == "second"


async def leave(_actor: Actor, _block: trio.CancelScope) -> None:
    await trio.lowlevel.checkpoint()


async def close(actor: Actor, _block: trio.CancelScope) -> None:
    await actor.aclose()


async def cancel(_actor: Actor, block: trio.CancelScope) -> None:
    block.cancel()
    await trio.sleep_forever()


@pytest.mark.parametrize("end", [leave, close, cancel])
async def test_a_game_that_ends_without_a_request_is_closed_for_followers_and_later_callers(
    end: Callable[[Actor, trio.CancelScope], Awaitable[None]],
) -> None:
    with trio.CancelScope() as block:
        async with open_actor(WaitingRoom(), at_once=False) as actor:
            changes = actor.subscribe()
            await end(actor, block)
    assert changes.ended
    assert [change async for change in changes] == []
    with pytest.raises(GameClosed):
        await actor.ask(Echo("late"))


class Listening(WaitingRoom):
    """A waiting room that notes the visitor in the context of its task."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def apply(self, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        self.seen.add(visitor.get("nobody"))
        return super().apply(ticket, command)


async def test_the_owner_does_not_inherit_the_context_of_the_first_caller() -> None:
    room = Listening()

    async def visit(actor: Actor) -> None:
        visitor.set("ann")
        await actor.ask(Echo("first"))

    async with open_actor(room, at_once=False) as actor, trio.open_nursery() as nursery:
        nursery.start_soon(partial(visit, actor))
    assert room.seen == {"nobody"}


@pytest.mark.parametrize("size", [-1, 1.5, "9", None])
async def test_an_invalid_size_of_the_mailbox_is_named_at_once(size: Any) -> None:
    with pytest.raises(ValueError, match=f"mailbox_size is a whole number from 0, not {size!r}"):
        open_actor(WaitingRoom(), mailbox_size=size)
