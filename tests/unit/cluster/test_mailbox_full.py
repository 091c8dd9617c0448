"""Requests of other processes to an owner whose mailbox is full.

Partitions:
- waiting callers: of one process; of two processes
- during the wait: nothing happens; callers are cancelled; the game is closed; one of the processes leaves
- after the wait: the order of the requests; the number of batches
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.cluster.calling import joining
from scramble.cluster.codec import Vocabulary
from scramble.cluster.protocol import ProcessName, Token
from scramble.cluster.serving import Part, serving
from scramble.errors import GameMoved
from scramble.kernel.actor import open_actor
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.owner import Owner
from tests.support.cluster.elsewhere import open_elsewhere
from tests.support.cluster.rooms import Asker
from tests.support.cluster.simulated import Network
from tests.support.paper import Paper
from tests.unit.kernel.toy import Echo, Left, LetOut, Said, SendAway, Wait, WaitingRoom

VOCABULARY = Vocabulary(Echo | Wait | LetOut | SendAway, Said | Left)
TOKEN = Token(1, ProcessName("there"))


@asynccontextmanager
async def served(network: Network, room: WaitingRoom, paper: Paper) -> AsyncIterator[Owner]:
    """Serve a room whose mailbox holds one request; other processes may join it."""
    async with (
        open_actor(room, log=paper, mailbox_size=1) as actor,
        serving(network.link("there"), "room", TOKEN, {"game": Part(actor, VOCABULARY)}),
    ):
        yield actor


@asynccontextmanager
async def joined(network: Network, process: str) -> AsyncIterator[Owner]:
    """The owner, as seen by a process that has joined the room."""
    async with joining(network.link(process), "room", TOKEN, {"game": VOCABULARY}) as join:
        yield join.owners["game"]


@pytest.mark.parametrize("closes", [False, True])
async def test_requests_that_wait_for_room_in_the_mailbox_can_be_withdrawn(
    autojump_clock: MockClock, closes: bool
) -> None:
    room, paper = WaitingRoom(), Paper(held=True)
    async with open_side_nursery(cancel) as nursery:
        network = Network(nursery)
        here, there = network.link("here"), network.link("there")
        async with open_elsewhere(here, there, VOCABULARY, room, log=paper, mailbox_size=1) as owner:
            first = Asker(nursery, owner, Echo("first"))
            await wait_all_tasks_blocked()
            askers = [Asker(nursery, owner, Echo(f"{i}")) for i in range(10)]
            await wait_all_tasks_blocked()
            for asker in askers[1::2]:
                asker.scope.cancel()
            await wait_all_tasks_blocked()
            paper.open_gate()
            if closes:
                await owner.aclose()
            for asker in (first, *askers):
                await asker.done.wait()
            assert first.answer == "first"
            assert all(asker.answer is not None or asker.error is not None for asker in askers[::2])
            assert all(asker.withdrawn for asker in askers[1::2])
            assert len(set(room.log)) == len(room.log)


async def test_a_process_that_leaves_while_it_waits_for_room_in_the_mailbox_blocks_nobody(
    autojump_clock: MockClock,
) -> None:
    room, paper = WaitingRoom(), Paper(held=True)
    async with open_side_nursery(cancel) as nursery:
        network = Network(nursery)
        async with served(network, room, paper) as actor, joined(network, "stays") as stays:
            askers: list[Asker] = []

            async def ask(owner: Owner, *words: str) -> None:
                for word in words:
                    askers.append(Asker(nursery, owner, Echo(word)))
                    await wait_all_tasks_blocked()

            async with joined(network, "leaves") as leaves:
                await ask(actor, "taken", "fills the mailbox")
                await ask(leaves, "a", "b")
                await ask(stays, "c")
                await ask(leaves, "d")
                await ask(stays, "e", "f")
            await wait_all_tasks_blocked()
            paper.open_gate()
            for asker in askers:
                await asker.done.wait()
            moved = [isinstance(asker.error, GameMoved) for asker in askers]
            assert moved == [False, False, True, True, False, True, False, False]
    assert room.log == ["taken", "fills the mailbox", "c", "e", "f"]


async def test_requests_of_two_processes_that_wait_for_room_are_taken_as_they_came(autojump_clock: MockClock) -> None:
    room, paper = WaitingRoom(), Paper(held=True)
    async with open_side_nursery(cancel) as nursery:
        network = Network(nursery)
        async with served(network, room, paper), joined(network, "one") as one, joined(network, "two") as two:
            askers = []
            for owner, word in ((one, "a"), (one, "b"), (one, "c"), (one, "d"), (two, "e"), (one, "f"), (two, "g")):
                askers.append(Asker(nursery, owner, Echo(word)))
                await wait_all_tasks_blocked()
            paper.open_gate()
            for asker in askers:
                await asker.done.wait()
    assert room.log == list("abcdefg")


async def test_all_requests_that_the_mailbox_has_room_for_go_into_one_batch(autojump_clock: MockClock) -> None:
    room, paper = WaitingRoom(), Paper(held=True)
    async with open_side_nursery(cancel) as nursery:
        network = Network(nursery)
        here, there = network.link("here"), network.link("there")
        async with open_elsewhere(here, there, VOCABULARY, room, log=paper, mailbox_size=8) as owner:
            askers = [Asker(nursery, owner, Echo("first"))]
            await wait_all_tasks_blocked()
            askers += [Asker(nursery, owner, Echo(f"{number}")) for number in range(64)]
            await wait_all_tasks_blocked()
            paper.open_gate()
            for asker in askers:
                await asker.done.wait()
    assert len(room.log) == 65
    assert len(paper.committed) <= 1 + 64 // 8 + 1
