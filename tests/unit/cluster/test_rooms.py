"""The rooms of a cluster: one test program runs the rooms of two processes, on one real Redis.

Partitions:
- a room is entered by: the process that created it; another process; both; the second while the first plays
- its owner: no owner; this process; another process that is alive, that dies, that releases the room in good order
- the register: here; elsewhere; its owner dies during a request; the answer to a request is lost
- data of rooms in all processes: titles, results, removals, people; a person in two processes counts once
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, suppress

import pytest
import trio

from scramble.cluster.address import parse_address
from scramble.cluster.link import open_link
from scramble.cluster.ownership import Ownership
from scramble.cluster.protocol import RedisLink, Token
from scramble.cluster.rooms import ClusterRooms, open_cluster_rooms, secret_of_bots
from scramble.cluster.scripts import claim, owner_of, release
from scramble.cluster.serving import Part, serving
from scramble.errors import GameStopped
from scramble.games.kind import GameKind
from scramble.games.table import game_kinds
from scramble.memory import Game
from scramble.memory.messages import Took
from scramble.minesweeper.messages import Dig
from scramble.players.seats import ListNames
from scramble.rooms.bothosts import hosted_bots
from scramble.rooms.protocol import (
    BotSetting,
    Headcount,
    Room,
    RoomBroken,
    RoomClosed,
    RoomOrder,
    RoomRecord,
    RoomRemoved,
)
from tests.support.cluster.proxy import open_proxy
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.process import ROOT
from tests.support.rooms.kinds import DIGGING

pytestmark = needs_redis


@asynccontextmanager
async def process(
    redis: RedisServer, sleep_after: float = 60.0, kinds: Mapping[str, GameKind] = game_kinds()
) -> AsyncIterator[ClusterRooms]:
    async with (
        open_link(parse_address(redis.url)) as link,
        open_cluster_rooms(link, kinds=kinds, sleep_after=sleep_after) as rooms,
    ):
        yield rooms


class Staying:
    """A visit of a room until `leave`."""

    def __init__(self, room: Room, visit: AsyncExitStack) -> None:
        self.room = room
        self._visit = visit

    async def leave(self) -> None:
        await self._visit.aclose()


async def stay(rooms: ClusterRooms, name: str) -> Staying:
    visit = AsyncExitStack()
    return Staying(await visit.enter_async_context(rooms.enter(name)), visit)


async def run_process(url: str, *, task_status: trio.TaskStatus[ClusterRooms]) -> None:
    async with open_link(parse_address(url)) as link, open_cluster_rooms(link) as rooms:
        task_status.started(rooms)
        await trio.sleep_forever()


async def until(rooms: ClusterRooms, holds: Callable[[ClusterRooms], bool]) -> None:
    moves = rooms.movements()
    while not holds(rooms):
        await anext(moves)


def game_of(room: Room) -> Game:
    assert isinstance(room.game, Game)
    return room.game


async def test_two_processes_play_in_one_room(redis: RedisServer) -> None:
    async with process(redis) as one, process(redis) as two:
        name = (await one.create("memory", {"size": "4x4"}, RoomOrder(title="Ours"))).name
        assert (await two.find(name)).title == "Ours"
        async with one.enter(name) as here, two.enter(name) as there:
            assert here.runs_here
            assert not there.runs_here
            changes = game_of(there).changes()
            await game_of(here).flip("ann", 0, 0)
            assert (await anext(changes)).events
            await game_of(there).flip("bob", 1, 1)
            assert await game_of(here).look("carl") == await game_of(there).look("carl")
            assert (await game_of(here).look("carl")).count("up") == 2


async def test_a_game_goes_on_elsewhere_when_its_process_ends_in_good_order(redis: RedisServer) -> None:
    async with process(redis) as two:
        async with process(redis) as one:
            name = (await one.create("memory", {"size": "4x4"})).name
            async with one.enter(name) as here:
                await game_of(here).flip("ann", 0, 0)
                before = await game_of(here).look("ann")
            assert await two.find(name)
            staying = await stay(two, name)
            assert not staying.room.runs_here
        with pytest.raises(GameStopped):
            await game_of(staying.room).look("ann")
        await staying.leave()
        async with two.enter(name) as there:
            assert there.runs_here
            assert await game_of(there).look("ann") == before


@pytest.mark.usefixtures("quick_heartbeats")
async def test_a_game_goes_on_elsewhere_when_its_process_is_cut_off(redis: RedisServer) -> None:
    async with open_proxy(redis.port) as proxy, process(redis) as two, trio.open_nursery() as nursery:
        one = await nursery.start(run_process, proxy.url)
        name = (await two.create("memory", {"size": "4x4"})).name
        staying = await stay(one, name)
        here = staying.room
        assert here.runs_here
        await game_of(here).flip("ann", 0, 0)
        before = await game_of(here).look("ann")
        proxy.stall()
        async with two.enter(name) as there:
            assert there.runs_here
            assert await game_of(there).look("ann") == before
            await game_of(there).flip("bob", 1, 1)
            proxy.resume()
            with pytest.raises(GameStopped):
                await game_of(here).look("ann")
            await staying.leave()
            async with one.enter(name) as again:
                assert not again.runs_here
                assert await game_of(again).look("ann") == await game_of(there).look("ann") != before
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("fault", ["stalled", "cut"])
@pytest.mark.usefixtures("quick_heartbeats")
async def test_an_owner_that_was_cut_off_finds_out_though_nobody_moves(redis: RedisServer, fault: str) -> None:
    async with open_proxy(redis.port) as proxy, process(redis) as two, trio.open_nursery() as nursery:
        one = await nursery.start(run_process, proxy.url)
        name = (await two.create("memory", {"size": "4x4"})).name
        staying = await stay(one, name)
        changes = game_of(staying.room).changes()
        proxy.stall() if fault == "stalled" else proxy.cut(refuse=True)
        async with two.enter(name):
            proxy.resume()
            with suppress(GameStopped):
                async for _ in changes:
                    raise AssertionError("nobody has moved")
        await staying.leave()
        nursery.cancel_scope.cancel()


async def test_an_owner_hears_of_a_claim_though_it_was_never_cut_off(redis: RedisServer) -> None:
    """A claim may come late: after the owner has connected again and has checked its ownership."""
    async with process(redis) as one, process(redis) as two:
        name = (await one.create("memory", {"size": "4x4"})).name
        staying = await stay(one, name)
        changes = game_of(staying.room).changes()
        assert (await claim(two.link, name, await owner_of(two.link, name))).won
        with suppress(GameStopped):
            async for _ in changes:
                raise AssertionError("nobody has moved")
        await staying.leave()


async def test_an_owner_that_lost_its_room_before_it_listened_finds_out(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_proxy(redis.port) as proxy, process(redis) as two, trio.open_nursery() as nursery:
        one = await nursery.start(run_process, proxy.url)
        name = (await two.create("memory", {"size": "4x4"})).name
        claims: Ownership = one.store._claims

        @asynccontextmanager
        async def serving_late(
            link: RedisLink,
            room: str,
            token: Token,
            parts: Mapping[str, Part],
            *,
            joined: Callable[[], AbstractContextManager[None]],
        ) -> AsyncIterator[None]:
            """Let another process claim the room after the owner's check, and before the owner listens."""
            monkeypatch.undo()
            checks = claims._checks
            proxy.cut()
            while claims._checks == checks:
                await trio.lowlevel.checkpoint()
            await link.call("PING")  # answered after the check of the room
            other, won = await claim(two.link, room, token)
            assert won
            assert other is not None
            await release(two.link, room, other)
            async with serving(link, room, token, parts, joined=joined):
                yield

        monkeypatch.setattr("scramble.cluster.ownership.serving", serving_late)
        async with one.enter(name):
            assert await owner_of(two.link, name) == claims._owned[name].token
        nursery.cancel_scope.cancel()


async def test_a_room_that_is_closed_or_removed_in_one_process_is_so_in_all(redis: RedisServer) -> None:
    async with process(redis) as one, process(redis) as two, process(redis) as three:
        closed = (await one.create("memory", {"size": "4x4"})).name
        removed = (await one.create("memory", {"size": "4x4"})).name
        for name in (closed, removed):
            async with one.enter(name) as here, two.enter(name) as there:
                await game_of(there).flip("ann", 0, 0)
                await (three.close if name == closed else three.remove)(name)
                for room in (here, there):
                    with pytest.raises(GameStopped):
                        while True:
                            await game_of(room).watch("ann")
        for rooms in (one, two, three):
            with pytest.raises(RoomClosed):
                async with rooms.enter(closed):
                    pass
            with pytest.raises(RoomRemoved):
                async with rooms.enter(removed):
                    pass
        assert await one.link.call("EXISTS", one.link.names.room(removed), one.link.names.log(removed)) == 0
        assert await one.link.call("EXISTS", one.link.names.room(closed)) == 1


async def test_titles_and_people_are_known_everywhere(redis: RedisServer) -> None:
    async with process(redis) as one, process(redis) as two:
        name = (await one.create("memory", {"size": "4x4"})).name
        async with one.enter(name) as here, two.enter(name) as there:
            before = here.record
            await two.rename(name, "Another")
            assert (await here.next_record(before)).title == "Another"
            with here.attend("ann"), there.attend(None):
                for rooms in (one, two):
                    await until(rooms, lambda rooms: rooms.headcount(name) == Headcount(1, 1))
                with here.attend("bob"), there.attend("bob"), there.attend("ann"), there.attend("carl"):
                    for rooms in (one, two):
                        await until(rooms, lambda rooms: rooms.headcount(name) == Headcount(3, 1))
                for rooms in (one, two):
                    await until(rooms, lambda rooms: rooms.headcount(name) == Headcount(1, 1))
            for rooms in (one, two):
                await until(rooms, lambda rooms: rooms.headcount(name) == Headcount())


async def test_a_room_that_sleeps_belongs_to_nobody_and_wakes_anywhere(redis: RedisServer) -> None:
    async with process(redis, 0) as one, process(redis, 0) as two:
        name = (await one.create("memory", {"size": "4x4"})).name
        for column, rooms in enumerate((one, two, one)):
            async with rooms.enter(name) as room:
                assert room.runs_here
                await game_of(room).flip(f"ann{column}", 0, column)
            await until(rooms, lambda rooms: not rooms.awake())
            while await one.link.call("HGET", one.link.names.room(name), "owner") is not None:
                await trio.lowlevel.checkpoint()


async def test_long_settings_reach_every_process(redis: RedisServer) -> None:
    board = "40x40\n" + "".join(f"card{number // 2}\n" for number in range(1600))
    async with process(redis) as one, process(redis) as two:
        record = await one.create("memory", {"board": board})
        assert await two.settings(record) == {"board": board}
        await two.remove(record.name)
        assert await one.link.call("EXISTS", one.link.names.settings(record.name)) == 0


@pytest.mark.usefixtures("quick_heartbeats")
async def test_the_register_goes_on_when_its_process_is_cut_off(redis: RedisServer) -> None:
    async with open_proxy(redis.port) as proxy, trio.open_nursery() as nursery:
        one = await nursery.start(run_process, proxy.url)
        async with process(redis) as two:
            name = (await one.create("memory", {"size": "4x4"})).name
            changes = two.changes()
            proxy.stall()
            nursery.start_soon(one.rename, name, "Late")  # the next owner gets the request again
            await two.rename(name, "Early")
            proxy.resume()
            while (await two.find(name)).title != "Late":
                await anext(changes)
        nursery.cancel_scope.cancel()


async def test_the_figures_of_a_process_are_those_of_the_reference(redis: RedisServer) -> None:
    page = (ROOT / "docs" / "reference" / "metrics-and-logs.md").read_text()
    written = set(re.findall(r"^\| `scramble_(cluster_\w+)` \|", page, re.MULTILINE))
    async with process(redis) as one, process(redis) as two:
        name = (await one.create("memory", {"size": "4x4"})).name
        async with one.enter(name), two.enter(name) as there:
            await game_of(there).look("ann")
            figures, owners = ({figure.name: figure.value for figure in own.figures()} for own in (two, one))
    found = {f"{figure.name}_total" if figure.counter else figure.name for figure in two.figures()}
    assert found - written == {"rooms_died_total"}  # a metric of all rooms, also without a cluster
    assert written <= found
    rooms = (
        "cluster_owners",
        "cluster_claims",
        "cluster_joined",
        "cluster_joins",
    )  # the register does not count as a room
    assert [figures[figure] for figure in rooms] == [0, 0, 1, 1]
    assert [owners[figure] for figure in rooms] == [1, 1, 0, 0]
    assert figures["cluster_remote_requests"] > 0
    assert figures["cluster_linked"] == 1


async def test_a_game_that_dies_of_a_bug_is_broken_everywhere_after_a_while(redis: RedisServer) -> None:
    async with process(redis, kinds=DIGGING) as one, process(redis, kinds=DIGGING) as two:
        name = (await one.create("faulty", {})).name
        for rooms in (one, two, one):
            async with rooms.enter(name) as room:
                with pytest.raises(GameStopped):
                    await room.game.ask(Dig(0, 0))
                with pytest.raises(GameStopped):
                    await room.next_record(room.record)
        for rooms in (one, two):
            with pytest.raises(RoomBroken):
                async with rooms.enter(name):
                    pass


async def test_a_request_that_is_sent_again_after_a_lost_answer_is_executed_once(redis: RedisServer) -> None:
    async with open_proxy(redis.port) as proxy, process(redis) as two, trio.open_nursery() as nursery:
        one = await nursery.start(run_process, proxy.url)
        done: list[RoomRecord] = []

        async def create() -> None:
            done.append(await one.create("memory", {"size": "4x4"}))

        async def remove() -> None:
            await one.remove(done[0].name)
            done.clear()

        for work, count in ((create, 1), (remove, 0)):
            changes = two.changes()
            proxy.answers.stall()  # the request arrives at the register, and its answer does not return
            async with trio.open_nursery() as working:
                working.start_soon(work)
                while len(await two.list(hidden=True)) != count:
                    await anext(changes)
                proxy.cut()
                proxy.resume()
            assert [record.name for record in await two.list(hidden=True)] == [record.name for record in done]
        nursery.cancel_scope.cancel()


async def removed_room(rooms: ClusterRooms) -> str:
    name = (await rooms.create("memory", {"size": "4x4"})).name
    await rooms.remove(name)
    return name


async def test_nothing_is_left_of_unknown_rooms(redis: RedisServer) -> None:
    async with process(redis) as rooms:
        link = rooms.link
        known = (await rooms.create("memory", {"size": "4x4"})).name
        async with rooms.enter(known):
            pass
        lost, strange, late = "acorn-violet-piano-otter", "acorn-violet-piano-acorn", await removed_room(rooms)
        await link.call("SET", link.names.settings(lost), b"{}")
        for name in (strange, late):
            await link.call("HSET", link.names.room(name), "format", 1, "kind", "memory")
        await rooms.forget(1e6)
        assert await link.call("EXISTS", link.names.settings(lost)) == 1  # a process may open this room soon
        await rooms.forget(1e6)
        assert await link.call("EXISTS", link.names.settings(lost)) == 0
        assert await link.call("EXISTS", link.names.room(late)) == 0  # the room was removed
        assert await link.call("EXISTS", link.names.room(strange)) == 1  # a game is left alone
        assert await link.call("EXISTS", link.names.room(known)) == 1


async def test_bots_play_where_the_game_runs_and_keep_their_seats_when_it_moves(redis: RedisServer) -> None:
    async def played(room: Room, by: str | None = None) -> str:
        """Wait until a bot has taken a card; return its name. If `by` is given, wait for that bot."""
        changes = game_of(room).changes()
        async for change in changes:
            for event in change.events:
                if isinstance(event, Took) and event.player != "ann" and by in (None, event.player):
                    return event.player
        raise AssertionError("the game has ended")

    async with process(redis) as two, hosted_bots(two, secret=await secret_of_bots(two.link), pace=0):
        async with process(redis) as one, hosted_bots(one, secret=await secret_of_bots(one.link), pace=0):
            name = (
                await one.create("memory", {"size": "60x60"}, RoomOrder(names="open", bots=(BotSetting("easy"),)))
            ).name
            async with one.enter(name) as here, two.enter(name) as there:
                assert not there.runs_here
                await game_of(there).flip("ann", 0, 0)  # the bot waits for the first move
                bot = await played(there)
                assert list(await here.game.ask(ListNames())) == [bot]
        async with two.enter(name) as there:
            assert there.runs_here
            await played(there, bot)
            assert list(await there.game.ask(ListNames())) == [bot]
