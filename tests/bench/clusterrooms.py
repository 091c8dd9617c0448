"""Many rooms of a cluster: the cost of empty rooms, and the time to hand rooms over when a process ends.

The group starts a Redis on this machine, and processes of `scramble serve --cluster`.
"""

from __future__ import annotations

import json
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import httpx
import trio

from scramble.rooms.live_room import ALONE_S
from tests.bench.figure import Figure
from tests.support.cluster.redis import PROGRAM, RedisServer
from tests.support.process import ServerProcess

IDLE: Final = 10_000
IDLE_S: Final = 10.0
SETTLE_S: Final = 3.0  # after this time a process is idle
AIM_KB: Final = 57
AIM_SHARE: Final = 0.017
HANDED_OVER: Final = 200
HANDOVERS: Final = 5  # the fastest one counts: other load on the machine only makes a handover slower
HANDOVER_S: Final = 0.5
GIVE_UP_S: Final = 10.0
AT_ONCE: Final = 16
OPTIONS: Final = ("--max-rooms", "20000", "--max-awake", "20000", "--sleep-after", "36000")
CHANGED: Final = "__keyspace@0__:scr:{*}:room"
"""The channels on which Redis publishes each change of a room's hash."""


def cluster_rooms() -> Iterator[Figure]:
    """Measure all these figures. Without a redis-server there are no figures."""
    if PROGRAM is None:
        return
    with tempfile.TemporaryDirectory() as folder, RedisServer(Path(folder), {"notify-keyspace-events": "Kh"}) as redis:
        yield handover(redis)
    with tempfile.TemporaryDirectory() as folder, RedisServer(Path(folder)) as redis:
        yield from idle(redis.url)


def serving(url: str) -> ServerProcess:
    return ServerProcess("serve", "--cluster", url, "--port", "0", *OPTIONS)


def open_rooms(server: ServerProcess, count: int, *, entered: bool) -> list[str]:
    """Open `count` rooms of Memory Scramble. `entered`: enter each room, so that its game is awake."""
    begun, names = 0, list[str]()

    async def open_some(client: httpx.AsyncClient) -> None:
        nonlocal begun
        while begun < count:
            begun += 1
            room = json.dumps({"game": "memory", "settings": {"size": "4x4"}})
            answer = await client.post("/rooms", content=room, headers={"Content-Type": "application/json"})
            assert answer.status_code == 201, answer.text
            names.append(answer.json()["room"])
            if entered:
                assert (await client.get(f"/g/{names[-1]}/look/ann")).status_code == 200

    async def open_all() -> None:
        async with httpx.AsyncClient(base_url=server.url, timeout=None) as client, trio.open_nursery() as nursery:
            for _ in range(AT_ONCE):
                nursery.start_soon(open_some, client)

    trio.run(open_all)
    return names


# --- idle rooms -------------------------------------------------------------------------------------


def idle(url: str) -> Iterator[Figure]:
    """Measure the cost of idle rooms: awake rooms, some seconds after a look at each room, and sleeping rooms."""
    with serving(url) as server:
        assert server.port
        time.sleep(SETTLE_S)
        before, none = server.memory_kb(), share(server)
        open_rooms(server, IDLE, entered=True)
        time.sleep(ALONE_S + SETTLE_S)
        taken = (server.memory_kb() - before) / IDLE
        yield Figure(
            f"Memory of an awake, empty room in a cluster with {IDLE:,} of them",
            f"{taken:.1f} kB",
            f"the aim, {AIM_KB} kB",
            taken / AIM_KB,
            at_most=1,
        )
        busy = share(server)
        yield Figure(
            f"Processor time with {IDLE:,} awake, idle rooms of a cluster",
            f"{busy:.2%} of a core",
            f"the aim, {AIM_SHARE:.2%}; without rooms {none:.2%}",
            busy / AIM_SHARE,
            at_most=1,
        )
        server.kill()
    with serving(url) as server:
        assert server.port
        time.sleep(SETTLE_S)
        asleep = (server.memory_kb() - before) / IDLE
        yield Figure(
            f"Memory of a sleeping room in the register's process of a cluster with {IDLE:,} of them",
            f"{asleep:.1f} kB",
            f"awake {taken:.1f} kB",
            asleep / taken,
        )


def share(server: ServerProcess) -> float:
    """Return the share of a core that the server uses."""
    cpu = server.cpu_s()
    time.sleep(IDLE_S)
    return (server.cpu_s() - cpu) / IDLE_S


# --- handover ---------------------------------------------------------------------------------------


class HandedOver(NamedTuple):
    """The time from SIGTERM until the process has given up its last room: wall time and processor time, in seconds."""

    wall_s: float
    cpu_s: float


def handover(redis: RedisServer) -> Figure:
    """Measure the time in which a stopping process gives up its rooms."""
    fastest = min(hand_over(redis) for _ in range(HANDOVERS))
    return Figure(
        f"Handing over {HANDED_OVER} rooms after SIGTERM, the fastest of {HANDOVERS} tries",
        f"{fastest.wall_s:.2f} s, with {fastest.cpu_s:.2f} s of processor time",
        f"the aim, {HANDOVER_S:g} s",
        fastest.wall_s / HANDOVER_S,
        at_most=1,
    )


def hand_over(redis: RedisServer) -> HandedOver:
    with serving(redis.url) as server, socket.create_connection(("127.0.0.1", redis.port)) as events:
        rooms = {f"scr:{{{name}}}:room".encode() for name in open_rooms(server, HANDED_OVER, entered=True)}
        time.sleep(SETTLE_S)
        events.settimeout(GIVE_UP_S)
        events.sendall(f"PSUBSCRIBE {CHANGED}\r\n".encode())
        events.recv(65536)
        cpu, began = server.cpu_s(), time.perf_counter()
        server.send_signal(signal.SIGTERM)
        heard = b""
        while rooms:
            heard += events.recv(65536)
            *words, heard = heard.split(b"\r\n")
            rooms.difference_update(word.partition(b":")[2] for word in words)
        return HandedOver(time.perf_counter() - began, server.cpu_s() - cpu)
