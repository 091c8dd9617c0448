"""Demo games, which bots play alone, on several processes that share them.

Partitions:
- processes: begin at once; one process begins later
- games: continue; end one after another
- the process that runs a game: ends in good order; is cut off; started without the demo option
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import pairwise

import pytest
import trio

from scramble.cluster.address import parse_address
from scramble.cluster.link import open_link
from scramble.cluster.rooms import ClusterRooms, open_cluster_rooms, secret_of_bots
from scramble.errors import GameMoved
from scramble.games.table import game_kinds
from scramble.memory import Game
from scramble.players.seats import ListNames
from scramble.rooms.bothosts import hosted_bots
from scramble.rooms.demo import DemoGame, demo_games, games_of
from scramble.rooms.protocol import BotSetting, Room
from tests.support.cluster.proxy import open_proxy
from tests.support.cluster.redis import RedisServer, needs_redis

pytestmark = needs_redis


PACE = 0.01  # without pauses, moves on the large board would take most of the processor's time
LONG = DemoGame("memory", {"size": "60x60"}, (BotSetting("easy"), BotSetting("hard")))
SHORT = DemoGame("memory", {"size": "2x2"}, (BotSetting("hard"), BotSetting("hard")))


@asynccontextmanager
async def process(url: str, *games: DemoGame) -> AsyncIterator[ClusterRooms]:
    """Run a process with bots and with these demo games."""
    async with open_link(parse_address(url)) as link, open_cluster_rooms(link) as rooms, AsyncExitStack() as stack:
        bots = await stack.enter_async_context(hosted_bots(rooms, secret=await secret_of_bots(link), pace=PACE))
        if games:
            await stack.enter_async_context(demo_games(rooms, bots, games, end_s=0.0, again_s=0.0))
        yield rooms


async def run_process(url: str, *games: DemoGame, task_status: trio.TaskStatus[ClusterRooms]) -> None:
    async with process(url, *games) as rooms:
        task_status.started(rooms)
        await trio.sleep_forever()


async def moves(room: Room, most: int = 3) -> None:
    """Wait until the game has changed this many times."""
    assert isinstance(room.game, Game)
    changes = room.game.changes()
    for _ in range(most):
        await anext(changes)


async def seats(room: Room) -> set[str]:
    return set(await room.game.ask(ListNames()))


async def runs(rooms: ClusterRooms, name: str) -> bool:
    """True once the game runs in that process."""
    with suppress(GameMoved):
        async with rooms.enter(name) as room:
            return room.runs_here
    return False


async def test_processes_that_begin_at_once_have_one_room_of_each_game(redis: RedisServer) -> None:
    games = games_of(game_kinds())  # installed examples may add games
    kinds = sorted(game.kind for game in games)
    assert {"crossword", "memory", "minesweeper"} <= set(kinds)
    async with trio.open_nursery() as nursery:
        begun = list[ClusterRooms]()

        async def begin() -> None:
            begun.append(await nursery.start(run_process, redis.url, *games))

        async with trio.open_nursery() as beginning:
            for _ in range(3):
                beginning.start_soon(begin)
        for rooms in begun:
            assert sorted(record.kind for record in await rooms.list()) == kinds
        nursery.cancel_scope.cancel()


async def test_one_game_follows_another_in_one_series(redis: RedisServer) -> None:
    async with process(redis.url, SHORT) as one, process(redis.url, SHORT) as two:
        changes = one.changes()
        while len([record for record in await one.list() if record.state == "ended"]) < 5:
            await anext(changes)
        records = await two.list()
    for later, earlier in pairwise(records):  # newest first
        assert (later.after, earlier.successor) == (earlier.name, later.name)


async def test_the_bots_go_on_elsewhere_when_their_process_ends(redis: RedisServer) -> None:
    async with process(redis.url, LONG) as two:
        (record,) = await two.list()
        async with process(redis.url, LONG), two.enter(record.name) as room:
            before = await bots_of(room)
        async with two.enter(record.name) as room:
            await moves(room)
            assert await seats(room) == before
        assert len(await two.list()) == 1


async def bots_of(room: Room) -> set[str]:
    """Return the players of a room as soon as it has as many as the game."""
    while len(found := await seats(room)) < len(LONG.bots):
        await moves(room)
    return found


@pytest.mark.usefixtures("quick_heartbeats")
async def test_the_bots_go_on_elsewhere_when_their_process_is_cut_off(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_proxy(redis.port) as proxy, trio.open_nursery() as nursery:
        one = await nursery.start(run_process, proxy.url, LONG)
        (record,) = await one.list()
        async with one.enter(record.name) as room:
            assert room.runs_here
            before = await bots_of(room)
        two = await nursery.start(run_process, redis.url, LONG)
        async with two.enter(record.name) as room:
            assert not room.runs_here
        movements = two.movements()
        proxy.stall()
        while not await runs(two, record.name):
            await anext(movements)
        async with two.enter(record.name) as room:
            await moves(room)
            assert await seats(room) == before
        assert "demo-stopped" not in caplog.text  # a long pause would follow
        nursery.cancel_scope.cancel()


async def test_the_bots_play_at_a_process_that_has_not_asked_for_them(redis: RedisServer) -> None:
    async with process(redis.url) as without:
        async with process(redis.url, LONG):
            (record,) = await without.list()
        async with without.enter(record.name) as room:
            assert room.runs_here
            async with process(redis.url, LONG) as late, late.enter(record.name) as there:
                assert not there.runs_here
                await moves(there)
