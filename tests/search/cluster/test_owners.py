"""Owners of one room depose each other over broken links: the log has every acknowledged move, and no move twice.

Three processes, each behind its own proxy, claim the room from each other, even from a living owner. A process makes
moves while it owns the room. Meanwhile links are cut or stalled in either direction, and Redis pauses and forgets its
scripts. The judge checks

- the moves: each acknowledged move is in the log, a player's moves are in their order, and no move is in the log twice;
- the looks: no answer is older than the moves acknowledged before the question.

The seed of a run is in its name. The environment variable CLUSTER_SEEDS is the number of seeds.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec
import pytest
import trio

from scramble.cluster.address import parse_address
from scramble.cluster.link import RedisLink, open_link
from scramble.cluster.log import ClusterRecorder, read_log
from scramble.cluster.protocol import Deposed
from scramble.cluster.scripts import Beginning, claim, owner_of
from scramble.errors import GameStopped
from scramble.kernel.actor import Actor, open_actor
from scramble.memory import Board
from scramble.memory.messages import NewGame, TakeSnapshot
from tests.support.cluster.proxy import Proxy, open_proxy
from tests.support.cluster.redis import RedisServer, needs_redis

pytestmark = needs_redis

ROOM: Final = "room"
SEEDS: Final = int(os.environ.get("CLUSTER_SEEDS", "2"))
FAULTS: Final = 25
PROCESSES: Final = 3
PLAYERS: Final = 2  # at each process
THINK_S: Final = 0.004  # a player's longest pause, so that some batches have only queries
PATIENCE_S: Final = 0.03  # the wait of a process that lost the room; it ends early after MOVES moves of the others
MOVES: Final = 10


def board() -> Board:
    return Board.parse("2x2\nA\nB\nA\nB\n")


class Run:
    """One run: the acknowledged moves of each player, and the faults of looks."""

    def __init__(self, seed: int) -> None:
        self.chance: Final = random.Random(seed)
        self.acknowledged: Final[dict[str, list[int]]] = {}
        self.version = 0  # the highest version in any answer
        self.stale: Final[list[str]] = []
        self.moves = 0
        self.over = False

    async def process(self, link: RedisLink, name: str) -> None:
        """Claim the room again and again, and play while this process owns it."""
        while not self.over:
            rules = board()
            seen = await owner_of(link, ROOM)
            token, won = await claim(link, ROOM, seen, Beginning(rules.kind, rules.state(), time.time()))
            if not won or token is None:
                continue
            try:
                async with (
                    ClusterRecorder(link, ROOM, token).recorded(rules) as kept,
                    open_actor(kept.rules, log=kept.log) as actor,
                    trio.open_nursery() as nursery,
                ):
                    for number in range(PLAYERS):
                        nursery.start_soon(self.play, actor, f"{name}{number}")
                    nursery.start_soon(self.look, actor)
            except Deposed:
                pass
            except ExceptionGroup as group:
                if group.split((Deposed, GameStopped))[1] is not None:
                    raise
            moves = self.moves
            with trio.move_on_after(PATIENCE_S * (1 + self.chance.random())):
                await self.until(lambda moves=moves: self.moves > moves + MOVES)  # type: ignore[misc]

    async def until(self, reached: Callable[[], bool]) -> None:
        while not reached():  # noqa: ASYNC110 - several tasks change what is looked at
            await trio.sleep(0.001)

    async def play(self, actor: Actor, player: str) -> None:
        mine = self.acknowledged.setdefault(player, [])
        while not self.over:
            self.moves += 1
            number = self.moves
            view = await actor.ask(NewGame(player, number))
            mine.append(number)
            self.version = max(self.version, view.version)
            await trio.sleep(self.chance.random() * THINK_S)

    async def look(self, actor: Actor) -> None:
        while not self.over:
            before = self.version
            snapshot = await actor.ask(TakeSnapshot())
            if snapshot.version < before:
                self.stale.append(f"version {snapshot.version} was shown after {before}")
            await trio.lowlevel.checkpoint()

    async def spoil(self, redis: RedisServer, proxies: Sequence[Proxy]) -> None:
        """Break something, and repair it."""
        chance, proxy = self.chance, self.chance.choice(proxies)
        fault = chance.choice(["cut", "cut", "answers", "requests", "both", "pause", "forget"])
        if fault == "cut":
            proxy.cut()
        elif fault == "answers":
            proxy.answers.stall()
        elif fault == "requests":
            proxy.requests.stall()
        elif fault == "both":
            proxy.stall()
        elif fault == "pause":
            redis.pause()
        else:
            async with open_link(parse_address(redis.url)) as link:
                await link.call("SCRIPT", "FLUSH")
        await trio.sleep(chance.random() * 0.05)
        if chance.random() < 0.5:
            proxy.cut()  # this loses the held data
        proxy.resume()
        redis.resume()


async def run(seed: int, folder: Path) -> Run:
    """Let the processes play through all faults."""
    play = Run(seed)
    with RedisServer(folder) as redis:
        async with trio.open_nursery() as nursery:
            proxies: list[Proxy] = []
            for number in range(PROCESSES):
                nursery.start_soon(_process, play, redis, f"p{number}", proxies)
            await play.until(lambda: len(proxies) == PROCESSES)
            for _ in range(FAULTS):
                await play.spoil(redis, proxies)
                moves = play.moves
                await play.until(lambda moves=moves: play.moves > moves + MOVES)  # type: ignore[misc]
            play.over = True
        async with open_link(parse_address(redis.url)) as link:
            judge(play, [msgspec.json.decode(r.command) for r in (await read_log(link, ROOM)).records])
    return play


async def _process(play: Run, redis: RedisServer, name: str, proxies: list[Proxy]) -> None:
    async with open_proxy(redis.port) as proxy, open_link(parse_address(proxy.url)) as link:
        proxies.append(proxy)
        await play.process(link, name)


def judge(play: Run, commands: Sequence[dict[str, object]]) -> None:
    """Compare the acknowledged moves with the log."""
    moves = [(command["player"], command["seed"]) for command in commands if command["type"] == "NewGame"]
    assert len(set(moves)) == len(moves), "a move is in the log twice"
    for player, acknowledged in play.acknowledged.items():
        logged = [number for name, number in moves if name == player]
        assert [number for number in logged if number in set(acknowledged)] == acknowledged, "a move was lost"
    assert not play.stale


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_nothing_acknowledged_is_lost_or_done_twice_and_no_look_is_stale(seed: int, tmp_path: Path) -> None:
    play = await run(seed, tmp_path)
    assert sum(map(len, play.acknowledged.values())) > FAULTS
