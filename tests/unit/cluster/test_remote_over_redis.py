"""Requests to an owner through a real Redis: games of the project, and links that break.

tests/unit/cluster/test_remote_requests.py and test_join_ends.py have the partitions. This module tests what a simulated
network cannot show:

- a game with seats, played from another process: answers, refusals, watchers, changes
- requests: many at once; parked; withdrawn
- the broken link: the joined process's; the owner's, during a parked request; Redis itself dies
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio

from scramble.cluster.calling import JoinedRoom, joining
from scramble.cluster.codec import Vocabulary
from scramble.cluster.link import RedisLink
from scramble.cluster.protocol import LinkLost, Token
from scramble.cluster.serving import Part, serving
from scramble.errors import GameMoved, GameStopped
from scramble.kernel.actor import Actor, open_actor
from scramble.kernel.protocol import Rules
from scramble.memory import Board
from scramble.memory.messages import (
    CardsMissing,
    CommitMap,
    Flip,
    FlipFailed,
    Look,
    TakeSnapshot,
    TurnedUp,
    View,
    Watch,
)
from scramble.memory.relay import EVENTS, REQUESTS
from scramble.players.seats import ClaimSeat, FindSeat, Seat, Seated, SeatTaken, hash_of
from tests.support import HANG_S
from tests.support.cluster.proxy import Proxy
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.cluster.rooms import Asker
from tests.unit.kernel.toy import Crash, Echo, Left, LetOut, Said, SendAway, Wait, WaitingRoom

pytestmark = needs_redis

TOY = Vocabulary(Echo | Wait | LetOut | SendAway | Crash, Said | Left)
MEMORY = Vocabulary(REQUESTS, EVENTS)


@asynccontextmanager
async def owned(link: RedisLink, rules: Rules, vocabulary: Vocabulary) -> AsyncIterator[tuple[Actor, Token]]:
    token = Token(1, link.process)
    async with open_actor(rules) as actor, serving(link, "room", token, {"game": Part(actor, vocabulary)}):
        yield actor, token


async def let_out(actor: Actor, joined: JoinedRoom, nursery: trio.Nursery) -> Asker:
    """Park a request from elsewhere."""
    asker = Asker(nursery, joined.owners["game"], Wait("a"))
    await asker.parked.wait()
    return asker


async def test_a_game_with_seats_is_played_from_another_process(link: RedisLink, other: RedisLink) -> None:
    board = Seated(Board.parse("2x2\nA\nB\nA\nB\n"))
    async with (
        owned(other, board, MEMORY) as (_, token),
        joining(link, "room", token, {"game": MEMORY}) as joined,
        trio.open_nursery() as nursery,
    ):
        owner = joined.owners["game"]
        assert await owner.ask(ClaimSeat("alice", hash_of("secret")))
        with pytest.raises(SeatTaken) as taken:
            await owner.ask(ClaimSeat("alice", hash_of("another")))
        assert taken.value.params == {"player": "alice"}
        assert await owner.ask(FindSeat("alice")) == Seat(hash_of("secret"), False)
        snapshot, changes = await owner.follow(TakeSnapshot())
        watcher = Asker(nursery, owner, Watch("bob", snapshot.version))
        await watcher.parked.wait()
        assert (await owner.ask(Flip("alice", 0, 0))).rule == "1-B"
        await watcher.done.wait()
        assert isinstance(watcher.answer, View)
        change = await anext(changes)
        assert change.version == snapshot.version + 1
        assert TurnedUp(0, 0, "A") in change.events
        waiting = Asker(nursery, owner, Flip("bob", 0, 0))
        await waiting.parked.wait()
        with pytest.raises(FlipFailed) as failed:
            await owner.ask(Flip("alice", 0, 0))
        assert failed.value.rule == "2-B"
        assert failed.value.view.text == (await owner.ask(Look("alice"))).text
        await waiting.done.wait()
        assert await owner.ask(CommitMap("alice", {"A": "C"})) == CardsMissing(("B",))


async def test_many_requests_at_once_happen_once_and_are_answered_with_their_own(
    link: RedisLink, other: RedisLink
) -> None:
    room, answers = WaitingRoom(), dict[str, str]()
    async with (
        owned(other, room, TOY) as (_, token),
        joining(link, "room", token, {"game": TOY}) as joined,
    ):

        async def ask(word: str) -> None:
            for number in range(5):
                answers[f"{word}.{number}"] = await joined.owners["game"].ask(Echo(f"{word}.{number}"))

        async with trio.open_nursery() as nursery:
            for number in range(400):
                nursery.start_soon(ask, str(number))
    assert len(room.log) == len(answers) == 2000
    assert all(word == answer for word, answer in answers.items())


async def test_a_process_that_is_cut_off_has_left_as_soon_as_it_returns(
    link: RedisLink, proxy: Proxy, other: RedisLink
) -> None:
    room = WaitingRoom()
    async with owned(other, room, TOY) as (actor, token), trio.open_nursery() as nursery:
        async with joining(link, "room", token, {"game": TOY}) as joined:
            asker = await let_out(actor, joined, nursery)
            proxy.cut()
            assert isinstance(await joined.until_moved(), GameMoved)
            await asker.done.wait()
            assert isinstance(asker.error, GameMoved)
        await until_linked(link)
        async with joining(link, "room", token, {"game": TOY}) as joined:
            assert await joined.owners["game"].ask(LetOut("b")) == 0
    assert room.log == ["a", "withdraw a", "b"]


async def test_an_owner_that_is_cut_off_for_a_moment_keeps_its_callers(
    link: RedisLink, proxy: Proxy, other: RedisLink
) -> None:
    room = WaitingRoom()
    async with (
        owned(link, room, TOY) as (actor, token),
        joining(other, "room", token, {"game": TOY}) as joined,
        trio.open_nursery() as nursery,
    ):
        asker = await let_out(actor, joined, nursery)
        proxy.cut()
        assert await actor.ask(LetOut("b")) == 1  # the answer is sent after the reconnection
        await asker.done.wait()
        assert asker.answer == "a let out by b"
        assert await joined.owners["game"].ask(Echo("c")) == "c"
    assert room.log == ["a", "b", "c"]


async def test_if_redis_dies_the_join_ends_and_another_one_begins(
    link: RedisLink, other: RedisLink, redis: RedisServer
) -> None:
    room = WaitingRoom()
    async with owned(other, room, TOY) as (actor, token), trio.open_nursery() as nursery:
        async with joining(link, "room", token, {"game": TOY}) as joined:
            asker = await let_out(actor, joined, nursery)
            redis.kill()
            assert isinstance(await joined.until_moved(), GameMoved)
            await asker.done.wait()
            assert isinstance(asker.error, GameStopped)
        with pytest.raises(GameMoved):
            async with joining(link, "room", token, {"game": TOY}):
                raise AssertionError("there is no Redis")
        redis.start()
        await until_linked(link)
        await until_linked(other)
        async with joining(link, "room", token, {"game": TOY}) as joined:
            assert await joined.owners["game"].ask(LetOut("b")) == 0


async def until_linked(link: RedisLink) -> None:
    with trio.fail_after(HANG_S):
        while True:
            try:
                await link.call("PING")
                return
            except LinkLost:
                await trio.lowlevel.checkpoint()
