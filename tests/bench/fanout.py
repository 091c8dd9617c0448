"""The fan-out of a change to 200 WebSockets, compared with a bare broadcast of the same frames under hypercorn.

    python -m tests.bench.fanout

Prints the server's CPU time for one change, and the time until the last connection has the change. Three servers run in
turns in this process:

- game: Memory Scramble's `/play`, with moves through the embedding API;
- bare: a Quart handler for each connection, which only waits for the next frame and sends it;
- loop: one task that sends to one connection after another. A single slow reader would block all connections.

The clients have their own process. It counts frames, and reports when all connections have one more frame. Takes about
20 seconds.
"""

from __future__ import annotations

import gc
import selectors
import socket
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from itertools import cycle
from subprocess import PIPE

import msgspec
import trio
from quart import websocket
from quart_trio import QuartTrio

from scramble.cli.process import tune_process
from scramble.front.memory.front import MemoryFront
from scramble.front.memory.websocket import add_play
from scramble.front.web.broadcast import Broadcast
from scramble.front.web.door import Door
from scramble.memory import Board, open_game
from scramble.memory import frames as wire
from scramble.memory.game import Game
from scramble.server.asgi import quart_app, router_of
from scramble.server.http.server import serve_app
from scramble.server.listening import Address
from tests.bench.figure import Figure
from tests.support.links import TestLink

CONNECTIONS = 200
CHANGES = 100
ROUNDS = 3
TIMEOUT_S = 120

BOARD = "10x10\n" + "".join(f"{chr(0x1F600 + i // 2 % 50)}\n" for i in range(100))

Step = Callable[[], Awaitable[None]]


class BareBroadcast:
    """The bare limit: each connection's task waits for the next frame and sends it."""

    def __init__(self) -> None:
        self.frame = ""
        self.number = 0
        self.lot = trio.lowlevel.ParkingLot()

    def app(self) -> QuartTrio:
        app = QuartTrio("bare", static_folder=None)

        @app.websocket("/play/<player>")
        async def play(player: str) -> None:
            await websocket.accept()
            send = websocket.send
            seen = self.number
            while True:
                while seen == self.number:
                    await self.lot.park()
                seen = self.number
                await send(self.frame)

        return app

    async def send(self, frame: str) -> None:
        self.frame = frame
        self.number += 1
        self.lot.unpark_all()


class Loop:
    """A second bare limit: one task sends to all connections."""

    def __init__(self) -> None:
        self.sends: list[Callable[[str], Awaitable[None]]] = []

    def app(self) -> QuartTrio:
        app = QuartTrio("loop", static_folder=None)

        @app.websocket("/play/<player>")
        async def play(player: str) -> None:
            await websocket.accept()
            self.sends.append(websocket.send)
            await websocket.receive()

        return app

    async def send(self, frame: str) -> None:
        for send in self.sends:
            await send(frame)


class Crowd:
    """The clients of all connections, in another process."""

    def __init__(self, process: trio.Process) -> None:
        assert process.stdout is not None
        self._stdout = process.stdout
        self._buffer = b""

    async def hear(self) -> None:
        """Wait until every connection has one more frame. The first call waits until all connections are open."""
        while b"\n" not in self._buffer:
            data = await self._stdout.receive_some()
            if not data:
                raise EOFError("the clients' process has ended")
            self._buffer += data
        self._buffer = self._buffer.partition(b"\n")[2]


def crowd(port: int, connections: int, skip: int, below: str = "") -> None:
    """Run the clients' process: open this many connections, ignore `skip` frames of each connection, then count frames.

    The game is at the path `below`.
    """
    selector = selectors.DefaultSelector()
    counts: dict[int, int] = {}
    sockets: list[socket.socket] = []
    for i in range(connections):
        sock = socket.create_connection(("127.0.0.1", port))
        sock.sendall(
            f"GET {below}/play/p{i} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        sockets.append(sock)
    for sock in sockets:
        data = b""
        while b"\r\n\r\n" not in data:
            data += sock.recv(65536)
        counts[sock.fileno()] = -skip
        selector.register(sock, selectors.EVENT_READ, bytearray(data.partition(b"\r\n\r\n")[2]))
    print(flush=True)
    have = 0
    while True:
        for key, _ in selector.select():
            assert isinstance(key.fileobj, socket.socket)
            received = key.fileobj.recv(65536)
            if not received:
                return
            buffer: bytearray = key.data
            buffer += received
            counts[key.fd] += _take_frames(buffer)
        while min(counts.values()) > have:
            have += 1
            print(flush=True)


def _take_frames(buffer: bytearray) -> int:
    """Remove complete unmasked frames from the front of the buffer. Return the number of their changes and boards."""
    count = 0
    while len(buffer) >= 2:
        length, start = buffer[1] & 127, 2
        if length == 126:
            length, start = int.from_bytes(buffer[2:4], "big"), 4
        elif length == 127:
            length, start = int.from_bytes(buffer[2:10], "big"), 10
        if len(buffer) < start + length:
            break
        count += buffer[start : start + 16].startswith((b'{"type":"change"', b'{"type":"board"'))
        del buffer[: start + length]
    return count


@asynccontextmanager
async def open_crowd(
    nursery: trio.Nursery, address: Address, connections: int, skip: int, below: str = ""
) -> AsyncIterator[Crowd]:
    command = [sys.executable, "-m", "tests.bench.fanout", "crowd", *map(str, (address.port, connections, skip)), below]
    process = await nursery.start(partial(trio.run_process, command, stdout=PIPE, check=False))
    try:
        meet = Crowd(process)
        await meet.hear()
        yield meet
    finally:
        process.terminate()


class Cost(msgspec.Struct):
    """The cost of one change: CPU seconds of the server, and seconds until the last connection has the change."""

    cpu: float
    wait: float


async def measure(steps: Sequence[Step], meet: Crowd) -> Cost:
    """Return the mean CPU time and median wait of a step. A step begins when all connections have the last frame."""
    waits = []
    cpu = time.process_time()
    for step in steps:
        start = time.perf_counter()
        await step()
        await meet.hear()
        waits.append(time.perf_counter() - start)
    return Cost((time.process_time() - cpu) / len(steps), statistics.median(waits))


SPOTS = [(i // 10, i % 10) for i in range(0, 100, 3)]


async def play(game: Game, spots: cycle[tuple[int, int]]) -> None:
    """Flip the next card. The cards of `SPOTS` never match."""
    await game.flip("mover", *next(spots))


async def record(changes: int) -> list[str]:
    """Return the frames of a game with this many flips."""
    frames: list[str] = []

    async def keep(frame: str) -> None:
        frames.append(frame)

    async with open_game(Board.parse(BOARD)) as game, trio.open_nursery() as nursery:
        broadcast = Broadcast(
            game,
            snapshot=lambda snapshot: wire.board_frame(snapshot).decode(),
            change=lambda change: (wire.change_frame(change) or b"").decode(),
        )
        viewer = broadcast.follower(TestLink(nursery, keep))
        await viewer.begin()
        spots = cycle(SPOTS)
        for number in range(changes):
            await play(game, spots)
            while len(frames) < number + 2:  # the first frame is the board
                await trio.lowlevel.checkpoint()
        viewer.leave()
    return frames[1:]


async def costs(connections: int, changes: int, rounds: int) -> dict[str, Cost]:
    """Return the median cost of a change over the rounds, for each server."""
    frames = await record(changes * rounds)
    bare, loop = BareBroadcast(), Loop()
    rows: dict[str, list[Cost]] = {"game": [], "bare": [], "loop": []}
    with trio.fail_after(TIMEOUT_S):
        async with open_game(Board.parse(BOARD)) as game, trio.open_nursery() as nursery:
            play_app = quart_app()
            front = MemoryFront(game)
            add_play(router_of(play_app), Door(lambda: front))
            serve = partial(serve_app, host="127.0.0.1", port=0)
            addresses = [await nursery.start(partial(serve, app)) for app in (play_app, bare.app(), loop.app())]
            async with (
                open_crowd(nursery, addresses[0], connections, 1) as play_crowd,
                open_crowd(nursery, addresses[1], connections, 0) as bare_crowd,
                open_crowd(nursery, addresses[2], connections, 0) as loop_crowd,
            ):
                with serving_collector():
                    await trio.sleep(1)  # presence frames are sent first
                    spots = cycle(SPOTS)
                    for r in range(rounds):
                        part = frames[r * changes : (r + 1) * changes]
                        rows["bare"].append(await measure([partial(bare.send, frame) for frame in part], bare_crowd))
                        rows["game"].append(await measure([partial(play, game, spots)] * changes, play_crowd))
                        rows["loop"].append(await measure([partial(loop.send, frame) for frame in part], loop_crowd))
            nursery.cancel_scope.cancel()
    median = statistics.median
    return {name: Cost(median(c.cpu for c in row), median(c.wait for c in row)) for name, row in rows.items()}


@contextmanager
def serving_collector() -> Iterator[None]:
    """Use the garbage collector settings of the serving commands during the block."""
    before = gc.get_threshold()
    tune_process()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def fan_out() -> Iterator[Figure]:
    """A change to 200 WebSockets."""
    cost = trio.run(costs, CONNECTIONS, CHANGES, ROUNDS)
    game = cost.pop("game")
    for name, bare in cost.items():
        yield Figure(
            f"fan-out of a change to {CONNECTIONS} WebSockets; limit: a bare broadcast ({name})",
            f"{game.cpu * 1e3:.1f} ms CPU, the last frame after {game.wait * 1e3:.1f} ms",
            f"{bare.cpu * 1e3:.1f} ms CPU, the last frame after {bare.wait * 1e3:.1f} ms",
            game.cpu / bare.cpu,
            at_most=1.3,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["crowd"]:
        number, connections, skip = map(int, sys.argv[2:5])
        crowd(number, connections, skip, sys.argv[5])
    else:
        for figure in fan_out():
            print(f"{figure.name}: {figure.measured}; {figure.limit}; ratio {figure.ratio:.2f}, aim {figure.aim}")
