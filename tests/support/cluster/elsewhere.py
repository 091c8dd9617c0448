"""An actor that simulated callers in another process use, in one trio loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, TypeVar

import trio
from trio.testing import wait_all_tasks_blocked

from scramble.cluster.calling import JoinedRoom, joining
from scramble.cluster.codec import Vocabulary
from scramble.cluster.protocol import RedisLink, Token
from scramble.cluster.serving import Part, serving
from scramble.kernel.actor import MAILBOX_SIZE, Actor, open_actor
from scramble.kernel.changes import Changes
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.owner import Owner
from scramble.kernel.protocol import Command, CommandLog, Recordable, Settable
from scramble.kernel.stats import Stats

R = TypeVar("R")


class Elsewhere:
    """An owner in another process. `aclose` closes it there. Implements `Owner`."""

    def __init__(self, remote: Owner, actor: Actor) -> None:
        self._remote: Final = remote
        self._actor: Final = actor

    async def ask(self, command: Command[R], *, parked: Settable | None = None) -> R:
        return await self._remote.ask(command, parked=parked)

    async def follow(self, command: Command[R], *, parked: Settable | None = None) -> tuple[R, Changes]:
        return await self._remote.follow(command, parked=parked)

    def tell(self, command: Command[object]) -> None:
        self._remote.tell(command)

    def subscribe(self) -> Changes:
        return self._remote.subscribe()

    async def ping(self) -> None:
        await self._remote.ping()

    def stats(self) -> Stats:
        return self._remote.stats()

    async def aclose(self) -> None:
        await self._actor.aclose()
        await wait_all_tasks_blocked()  # the callers in the other process have their answers


@asynccontextmanager
async def open_elsewhere(
    here: RedisLink,
    there: RedisLink,
    vocabulary: Vocabulary,
    rules: Recordable,
    *,
    log: CommandLog | None = None,
    mailbox_size: int = MAILBOX_SIZE,
) -> AsyncIterator[Elsewhere]:
    """Open an actor at the link `there`; join it from `here`. As with `open_actor`, callers may outlive the actor."""
    token = Token(1, there.process)
    parts: Callable[[Actor], dict[str, Part]] = lambda actor: {"game": Part(actor, vocabulary)}  # noqa: E731

    async def join(*, task_status: trio.TaskStatus[JoinedRoom]) -> None:
        async with joining(here, "room", token, {"game": vocabulary}) as joined:
            task_status.started(joined)
            await joined.until_moved()

    async with open_side_nursery(cancel) as process:
        try:
            async with (
                open_actor(rules, log=log, mailbox_size=mailbox_size) as actor,
                serving(there, "room", token, parts(actor)),
            ):
                joined = await process.start(join)
                try:
                    yield Elsewhere(joined.owners["game"], actor)
                finally:
                    with trio.CancelScope(shield=True):
                        await actor.aclose()
                        await wait_all_tasks_blocked()
        finally:
            with trio.CancelScope(shield=True):
                await wait_all_tasks_blocked()
