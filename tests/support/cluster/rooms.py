"""A room that one simulated process owns and another process has joined."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final, NamedTuple

import trio

from scramble.cluster.calling import JoinedRoom, joining
from scramble.cluster.codec import Vocabulary
from scramble.cluster.protocol import Token
from scramble.cluster.serving import Part, serving
from scramble.kernel.actor import Actor, open_actor
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.owner import Owner
from scramble.kernel.protocol import Command, Rules
from tests.support.cluster.simulated import Network, SimulatedLink

ROOM: Final = "room"


class Table(NamedTuple):
    """The process `there`, which owns the room, and the process `here`, which has joined it."""

    network: Network
    here: SimulatedLink
    there: SimulatedLink
    actor: Actor
    stays: list[None]  # one for each joined process
    joined: JoinedRoom
    token: Token
    vocabulary: Vocabulary
    nursery: trio.Nursery

    @property
    def owner(self) -> Owner:
        """The owner, as seen by the process `here`."""
        return self.joined.owners["game"]


@asynccontextmanager
async def open_table(rules: Rules, vocabulary: Vocabulary, epoch: int = 5) -> AsyncIterator[Table]:
    """Open a room with the game of these rules."""
    async with open_side_nursery(cancel) as nursery:
        network = Network(nursery)
        here, there = network.link("here"), network.link("there")
        token, stays = Token(epoch, there.process), list[None]()

        @contextmanager
        def stay() -> Iterator[None]:
            stays.append(None)
            yield
            stays.pop()

        async with (
            open_actor(rules) as actor,
            serving(there, ROOM, token, {"game": Part(actor, vocabulary)}, joined=stay),
            joining(here, ROOM, token, {"game": vocabulary}) as joined,
            open_side_nursery(cancel) as callers,
        ):
            yield Table(network, here, there, actor, stays, joined, token, vocabulary, callers)


class Asker:
    """One request in its own task. The request can be cancelled, and has its answer or error."""

    def __init__(self, nursery: trio.Nursery, owner: Owner, command: Command[object]) -> None:
        self.scope: Final = trio.CancelScope()
        self.parked: Final = trio.Event()
        self.done: Final = trio.Event()
        self.answer: object = None
        self.error: Exception | None = None
        nursery.start_soon(self._run, owner, command)

    async def _run(self, owner: Owner, command: Command[object]) -> None:
        with self.scope:
            try:
                self.answer = await owner.ask(command, parked=self.parked)
            except Exception as error:
                self.error = error
        self.done.set()

    @property
    def withdrawn(self) -> bool:
        """True if the request was withdrawn, and has no answer."""
        return self.done.is_set() and self.scope.cancelled_caught
