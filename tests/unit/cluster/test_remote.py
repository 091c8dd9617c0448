"""An owner in another process."""

from __future__ import annotations

import trio

from scramble.cluster.codec import Vocabulary
from scramble.cluster.host import Part, hosting
from scramble.cluster.joining import joining
from scramble.cluster.protocol import Token
from scramble.kernel.actor import open_actor
from tests.support.cluster.simulated import Network
from tests.unit.kernel.toy import Crash, Echo, Left, LetOut, Said, SendAway, Wait, WaitingRoom

VOCABULARY = Vocabulary(Echo | Wait | LetOut | SendAway | Crash, Said | Left)


async def test_it_answers() -> None:
    async with trio.open_nursery() as nursery:
        network = Network(nursery)
        here, there = network.link("here"), network.link("there")
        token = Token(1, there.process)
        async with (
            open_actor(WaitingRoom()) as actor,
            hosting(there, "room", token, {"game": Part(actor, VOCABULARY)}),
            joining(here, "room", token, {"game": VOCABULARY}) as joined,
        ):
            answer, changes = await joined.owners["game"].follow(Echo("hello"))
            assert answer == "hello"
            await joined.owners["game"].ask(Echo("again"))
            assert [change.events for change in changes.pending()] == [(Said("again"),)]
        nursery.cancel_scope.cancel()
