"""Three processes and a Redis, each process linked to Redis through its own proxy, and all faults.

The faults wait for answers in all rooms, not for times: a fault is over when every player plays again. Only the pause
of Redis lasts a fixed time, since players cannot play before it ends.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import trio

from scramble.journal import Record
from tests.search.cluster.campaign import Fault, Findings, World, run
from tests.search.cluster.table import Room
from tests.support.cluster.console import Console
from tests.support.cluster.fleet import Fleet, Member
from tests.support.cluster.proxy import Proxy, open_proxy
from tests.support.cluster.redis import RedisServer
from tests.support.process import SCRAMBLE

PROCESSES: Final = 3
DURABLE: Final = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction"}
"""Options of Redis for durability: acknowledged data survives a crash of Redis."""

MANY: Final = 60  # answers in each room, while a process does not read
BUFFER_BYTES: Final = 16 * 1024  # between Redis and a process that does not read
PUBSUB_LIMIT: Final = "pubsub 32kb 32kb 0"  # Redis's output buffer for a client that does not read
STILL_S: Final = (0.2, 2.5)  # the length of Redis's pause: shorter and longer than the time limit of its clients
CLIENT: Final = re.compile(r"addr=127\.0\.0\.1:(\d+) .*name=scramble-(\S+)")


class Cluster(World):
    """The processes, their proxies and their Redis. The faults use them."""

    def __init__(
        self, fleet: Fleet, rooms: Sequence[Room], seed: str, redis: RedisServer, proxies: Sequence[Proxy]
    ) -> None:
        super().__init__(fleet, rooms, seed)
        self.redis: Final = redis
        self.proxies: Final = proxies

    def owner(self, room: Room) -> Member:
        """The member that owns a room. If no linked member owns it, any running member. Blocks."""
        with Console(self.redis.port) as console:
            _, process = console.owner(room.room)
            clients = console.call("CLIENT", "LIST")
        assert isinstance(clients, bytes)
        for port, name in CLIENT.findall(clients.decode()):
            if name == process:
                for member, proxy in zip(self.fleet.members, self.proxies, strict=True):
                    if int(port) in proxy.ports and member.runs:
                        return member
        return self.dice.choice([member for member in self.fleet.members if member.runs])

    async def some_owner(self) -> Member:
        """The member that owns one of the rooms."""
        return await trio.to_thread.run_sync(self.owner, self.dice.choice(self.tables))

    def proxy(self, member: Member) -> Proxy:
        """The proxy of a member."""
        return self.proxies[member.number]


async def kill(world: Cluster) -> None:
    """Kill the owner of a room. When every player plays again, start it again."""
    owner = await world.some_owner()
    await world.in_thread(owner.kill)
    await world.more()
    await world.in_thread(owner.start)


async def stop_and_go_on(world: Cluster) -> None:
    """Stop the owner of a room. When other processes own its rooms, let it continue."""
    owner = await world.some_owner()
    owner.pause()
    await world.more()
    owner.resume()


async def partition(world: Cluster) -> None:
    """Stop all traffic between the owner of a room and Redis. When others own its rooms, deliver the held traffic."""
    proxy = world.proxy(await world.some_owner())
    proxy.stall()
    await world.more()
    proxy.resume()


async def half_partition(world: Cluster) -> None:
    """Deliver the requests of a room's owner to Redis, but not the responses."""
    proxy = world.proxy(await world.some_owner())
    proxy.answers.stall()
    await world.more()
    proxy.resume()


async def shut_out(world: Cluster) -> None:
    """Reset the connections of a room's owner to Redis, and let no new connection through."""
    proxy = world.proxy(await world.some_owner())
    proxy.cut(refuse=True)
    await world.more()
    proxy.resume()


async def cut_links(world: Cluster) -> None:
    """Reset all connections to Redis at once."""
    for proxy in world.proxies:
        proxy.cut()


async def kill_redis(world: Cluster) -> None:
    """Kill Redis, and start it again with its written data."""
    await world.in_thread(world.redis.kill)
    await world.in_thread(world.redis.start)


async def stop_redis(world: Cluster) -> None:
    """Pause Redis for some time."""
    world.redis.pause()
    await trio.sleep(world.dice.uniform(*STILL_S))
    world.redis.resume()


async def terminate(world: Cluster) -> None:
    """Terminate the owner of a room, as in a deploy. It hands over its rooms."""
    owner = await world.some_owner()
    code = await trio.to_thread.run_sync(owner.terminate)
    assert code == 0, owner.process.complaints
    await world.more()
    await world.in_thread(owner.start)


async def slow_subscriber(world: Cluster) -> None:
    """Let a process read nothing during play, until the process or Redis (for a full buffer) closes the connection."""
    owner = await world.some_owner()
    slow = world.dice.choice([member for member in world.fleet.members if member is not owner and member.runs])
    proxy = world.proxy(slow)
    before = proxy.connections
    proxy.answers.stall()
    await world.more(MANY)
    while proxy.connections == before:
        await world.more(1)
    proxy.resume()


FAULTS: Final = {
    "kill -9": kill,
    "SIGSTOP, SIGCONT": stop_and_go_on,
    "partition": partition,
    "deaf": half_partition,
    "shut out": shut_out,
    "cut links": cut_links,
    "kill -9 of Redis": kill_redis,
    "SIGSTOP of Redis": stop_redis,
    "SIGTERM": terminate,
    "slow subscriber": slow_subscriber,
}


@asynccontextmanager
async def clustered(
    folder: Path, *, processes: int = PROCESSES, program: Sequence[str] = SCRAMBLE
) -> AsyncIterator[tuple[Fleet, RedisServer, Sequence[Proxy]]]:
    """A durable Redis in that folder, and processes that are linked to it."""
    with RedisServer(folder / "redis", DURABLE) as redis:
        with Console(redis.port) as console:
            console.call("CONFIG", "SET", "client-output-buffer-limit", PUBSUB_LIMIT)
        async with AsyncExitStack() as stack:
            proxies = [
                await stack.enter_async_context(open_proxy(redis.port, buffer_bytes=BUFFER_BYTES))
                for _ in range(processes)
            ]
            fleet = Fleet(processes, lambda number: ("serve", "--cluster", proxies[number].url), program=program)
            try:
                await trio.to_thread.run_sync(fleet.__enter__)
                yield fleet, redis, proxies
            finally:
                for proxy in proxies:
                    proxy.resume()
                with trio.CancelScope(shield=True):
                    redis.resume()
                    await trio.to_thread.run_sync(fleet.close)


async def campaign(faults: Sequence[str], seed: str, there: tuple[Fleet, RedisServer, Sequence[Proxy]]) -> Findings:
    """Play through these faults on running processes, and judge the rooms. Raises the errors of `run`."""
    fleet, redis, proxies = there

    def read(room: str) -> Sequence[Record]:
        with Console(redis.port) as console:
            return console.log(room)

    def world(fleet: Fleet, rooms: Sequence[Room], seed: str) -> Cluster:
        return Cluster(fleet, rooms, seed, redis, proxies)

    chosen: Mapping[str, Fault[Cluster]] = {name: FAULTS[name] for name in faults}
    return await run(fleet, chosen, seed, read, world)
