"""The cost of a broadcast to WebSockets: Memory Scramble compared with Node's `ws` and a loop of `os.write`.

    python -m tests.bench broadcast

The servers send the same frames, one change at a time, to 200 and to 1,000 connections, in turns in one run. The cost
is the processor time of the server's process for a delivered frame. The clients have their own processes, as in
`fanout`. The time until the last connection has a change is wall time, so other load on the machine prolongs it.

Other figures: 60 changes a second to 1,000 connections; 1,000 players who connect at once to a server in another
process, with their presence frames and their memory in the server; the memory of 500 players in a room.
"""

from __future__ import annotations

import gc
import resource
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from functools import partial
from itertools import cycle

import httpx
import msgspec
import trio

from scramble.front.memory.front import MemoryFront
from scramble.front.memory.websocket import add_play
from scramble.front.web.door import Door
from scramble.memory import Board, open_game
from scramble.server.asgi import quart_app, router_of
from scramble.server.http.server import serve_app
from scramble.server.listening import Address
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.middleware import Protection
from tests.bench.fanout import BOARD, SPOTS, Cost, Crowd, Step, open_crowd, play, record, serving_collector
from tests.bench.figure import Figure
from tests.bench.sockets import OsWrite, install_ws, open_ws
from tests.support.process import ServerProcess

SIZES = (200, 1000)
CHANGES = 60
ROUNDS = 5
TIMEOUT_S = 240
RATE = 60  # changes a second
CHANGES_PACED = 300
ROOM = {"game": "memory", "settings": {"board": BOARD}}
UNLIMITED = Protection(limits=ServerLimits(connections=2000, connections_by_address=2000, requests=4000))

CpuTime = Callable[[], Awaitable[float]]


async def own_cpu_s() -> float:
    """Return the processor time of this process, in seconds."""
    return time.process_time()


async def cost(steps: Sequence[Step], crowd: Crowd, cpu_s: CpuTime) -> Cost:
    """Return the cost of a step. Each step begins when all connections have the frame of the last step."""
    waits = []
    before = await cpu_s()
    for step in steps:
        start = time.perf_counter()
        await step()
        await crowd.hear()
        waits.append(time.perf_counter() - start)
    return Cost((await cpu_s() - before) / len(steps), statistics.median(waits))


async def costs(connections: int) -> dict[str, Cost]:
    """Return the median cost of a change for each server, without `ws` if it cannot be installed."""
    frames = await record(CHANGES * ROUNDS)
    rows: dict[str, list[Cost]] = {}
    with trio.fail_after(TIMEOUT_S):
        async with open_game(Board.parse(BOARD)) as game, trio.open_nursery() as nursery, AsyncExitStack() as stack:
            app = quart_app()
            front = MemoryFront(game)
            add_play(router_of(app), Door(lambda: front))
            serve = partial(serve_app, app, host="127.0.0.1", port=0, protection=UNLIMITED)
            address = await nursery.start(serve)
            game_crowd = await stack.enter_async_context(open_crowd(nursery, address, connections, 1))
            bare = OsWrite()
            stack.callback(bare.close)
            nursery.start_soon(bare.accept, connections)
            bare_address = Address("127.0.0.1", bare.port)
            bare_crowd = await stack.enter_async_context(open_crowd(nursery, bare_address, connections, 0))
            spots = cycle(SPOTS)
            servers: dict[str, tuple[Callable[[str], Awaitable[None]], Crowd, CpuTime]] = {
                "game": (lambda _: play(game, spots), game_crowd, own_cpu_s),
                "os.write": (bare.send, bare_crowd, own_cpu_s),
            }
            if install_ws():
                ws, port = await stack.enter_async_context(open_ws(nursery))
                ws_crowd = await stack.enter_async_context(
                    open_crowd(nursery, Address("127.0.0.1", port), connections, 0)
                )
                servers["ws"] = ws.send, ws_crowd, ws.cpu_s
            with serving_collector():
                await trio.sleep(2)  # presence frames are sent first
                for r in range(ROUNDS + 1):  # the first round warms up just-in-time compilers
                    part = frames[(r - 1) * CHANGES : r * CHANGES] if r else frames[:CHANGES]
                    for name, (send, crowd, cpu_s) in servers.items():
                        found = await cost([partial(send, frame) for frame in part], crowd, cpu_s)
                        if r:
                            rows.setdefault(name, []).append(found)
            nursery.cancel_scope.cancel()
    gc.collect()
    median = statistics.median
    return {name: Cost(median(c.cpu for c in row), median(c.wait for c in row)) for name, row in rows.items()}


async def paced() -> tuple[float, list[float]]:
    """Return the processor time for one second of changes at `RATE`, and the time to the last connection by change.

    Each change must have its own frame, because the clients count frames and would wait for a missing frame.
    """
    waits: list[float] = []
    begun: list[float] = []
    with trio.fail_after(TIMEOUT_S):
        async with open_game(Board.parse(BOARD)) as game, trio.open_nursery() as nursery:
            front = MemoryFront(game)
            app = quart_app()
            add_play(router_of(app), Door(lambda: front))
            serve = partial(serve_app, app, host="127.0.0.1", port=0, protection=UNLIMITED)
            address = await nursery.start(serve)
            async with open_crowd(nursery, address, SIZES[-1], 1) as crowd:
                with serving_collector():
                    await trio.sleep(3)  # presence frames are sent first
                    cpu, start, spots = time.process_time(), trio.current_time(), cycle(SPOTS)

                    async def hear_all() -> None:
                        for _ in range(CHANGES_PACED):
                            await crowd.hear()
                            waits.append(time.perf_counter() - begun[len(waits)])

                    async with trio.open_nursery() as hearing:
                        hearing.start_soon(hear_all)
                        for number in range(CHANGES_PACED):
                            await trio.sleep_until(start + number / RATE)
                            begun.append(time.perf_counter())
                            await play(game, spots)
                    cpu = time.process_time() - cpu
            nursery.cancel_scope.cancel()
    return cpu * RATE / CHANGES_PACED, waits


KB_EACH = 32  # half of a WebSocket's memory in the version with six tasks for each WebSocket
IN_ROOM = 500
KB_IN_ROOM = 45  # 10 less than in the version with tasks for the company and the clock of each WebSocket


class Joined(msgspec.Struct):
    """The cost of simultaneous connections: the time until all are open, and the server's processor time and memory."""

    wait: float
    cpu: float
    kb_each: float


async def joining(process: ServerProcess, connections: int, below: str = "") -> Joined:
    """Connect this many players at once to the game at the path `below`."""
    memory, cpu, start = process.memory_kb(), process.cpu_s(), time.perf_counter()
    async with trio.open_nursery() as nursery, open_crowd(nursery, process.address, connections, 1, below):
        wait = time.perf_counter() - start
        await trio.sleep(3)  # presence frames are sent first
        found = Joined(wait, process.cpu_s() - cpu, (process.memory_kb() - memory) / connections)
        nursery.cancel_scope.cancel()
    return found


def broadcast() -> Iterator[Figure]:
    """Measure changes to 200 and to 1,000 WebSockets."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    for connections in SIZES:
        found = trio.run(costs, connections)
        game = found.pop("game")
        for name, limit in found.items():
            yield Figure(
                f"a frame to one of {connections:,} WebSockets; limit: {name}",
                f"{game.cpu / connections * 1e6:.1f} µs CPU, the last frame after {game.wait * 1e3:.1f} ms",
                f"{limit.cpu / connections * 1e6:.1f} µs CPU, the last frame after {limit.wait * 1e3:.1f} ms",
                game.cpu / limit.cpu,
                at_most=1.0 if name == "ws" else None,
            )
        if "ws" not in found:
            print("Skipped: a broadcast by ws. It needs Node and npm.")
    cpu, waits = trio.run(paced)
    yield Figure(
        f"{RATE} changes a second, one by one, to {SIZES[-1]:,} WebSockets",
        f"{cpu:.0%} of a core, last frame {statistics.median(waits) * 1e3:.0f} ms, p99 {_p99(waits) * 1e3:.0f} ms",
        "a core",
        cpu,
        at_most=1.0,
    )
    with ServerProcess("memory", "--port", "0", lines=1) as process:
        joined = trio.run(joining, process, SIZES[-1])
    yield Figure(
        f"{SIZES[-1]:,} players connect at once, wall time",
        f"{joined.wait:.1f} s, with {joined.cpu:.1f} s CPU of the server",
        "5 s",
        joined.wait / 5,
        at_most=1.0,
    )
    yield Figure(
        f"memory of a WebSocket, one of {SIZES[-1]:,}",
        f"{joined.kb_each:.1f} kB",
        f"{KB_EACH} kB",
        joined.kb_each / KB_EACH,
        at_most=1.0,
    )
    with ServerProcess("serve", "--in-memory", "--port", "0", lines=1) as process:
        room = httpx.post(f"{process.url}/rooms", json=ROOM, headers={"Authorization": f"Bearer {'x' * 24}"}).json()
        joined = trio.run(joining, process, IN_ROOM, f"/g/{room['room']}")
    yield Figure(
        f"memory of a WebSocket in a room, one of {IN_ROOM}",
        f"{joined.kb_each:.1f} kB",
        f"{KB_IN_ROOM} kB",
        joined.kb_each / KB_IN_ROOM,
        at_most=1.0,
    )


def _p99(times: Sequence[float]) -> float:
    return sorted(times)[len(times) * 99 // 100]
