"""Ownership of a room while the link to Redis is stalled or broken, on a real server.

Another process looks at the owner.

Partitions:
- a claim: cancelled after Redis has executed it
- a release: during an outage of Redis
"""

from __future__ import annotations

from typing import Final

import pytest
import trio

from scramble.cluster.link import RedisLink
from scramble.cluster.ownership import open_claims
from scramble.cluster.scripts import Beginning, owner_of
from scramble.memory import Board
from tests.support.cluster.proxy import Proxy
from tests.support.cluster.redis import needs_redis

pytestmark = needs_redis

ROOM: Final = "room"

ROUNDS: Final = 10
"""After this number of answers, a task that sends a few requests one after another has its answers, too."""


def beginning() -> Beginning:
    board = Board.parse("2x2\nA\nB\nA\nB\n")
    return Beginning(board.kind, board.state(), 1.5)


async def is_free(link: RedisLink, other: RedisLink) -> bool:
    """Return True if another process may claim the room, after the requests of the tasks of `link`."""
    for _ in range(ROUNDS):
        await link.call("PING")
    return await owner_of(other, ROOM) is None


async def test_a_room_is_free_for_other_processes_after_a_visitor_has_left_during_its_claim(
    link: RedisLink, other: RedisLink, proxy: Proxy
) -> None:
    async with open_claims(link) as claims:
        await claims.give_up(ROOM, await claims.claim(ROOM, None, beginning()))  # the next claim is one request
        async with trio.open_nursery() as visit:
            proxy.answers.stall()
            visit.start_soon(claims.claim, ROOM, None, beginning())
            while await owner_of(other, ROOM) is None:
                await trio.lowlevel.checkpoint()
            visit.cancel_scope.cancel()
        proxy.answers.resume()
        assert await is_free(link, other)


async def test_a_room_that_was_given_up_during_an_outage_is_free_for_other_processes_afterwards(
    link: RedisLink, other: RedisLink, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.cluster.ownership.RELEASE_S", 0.0)
    async with open_claims(link) as claims:
        token = await claims.claim(ROOM, None, beginning())
        proxy.cut(refuse=True)
        await link.until_lost()
        await claims.give_up(ROOM, token)
        proxy.resume()
        assert await is_free(link, other)
