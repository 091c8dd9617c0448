"""The cost of Minesweeper: moves through telnet, a million squares, and the search for fields without guessing.

The telnet server runs in this thread. Its clients run in another thread, on raw sockets. The unit is CPU time of this
thread, so that the clients and other load on the machine have little effect.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from statistics import median

import trio

from scramble.front.minesweeper.telnet import serve_telnet
from scramble.minesweeper import Field, open_game
from scramble.minesweeper.layout import PRESETS
from scramble.minesweeper.solvable import find_solvable, is_solvable
from scramble.minesweeper.text import reply
from scramble.server.listening import Address
from tests.bench.figure import Figure, alternate

CLIENTS = 8  # enough to keep the server busy
ROUNDS = 7
MOVES = 200  # of each client in a round
SIDE = 1000
SEEDS = range(0, 30_000, 1000)

# On the field below, each of these moves has an effect, except a repeated dig. Each answer has 210 bytes.
MESSAGES = [b"flag 1 1\r\n", b"deflag 1 1\r\n", b"dig 5 5\r\n"]
REPLY_BYTES = 10 * 21
HELLO = b"Welcome\r\n"


def field() -> Field:
    """Return a field of 10x10 squares, the default, with so many bombs that a dig opens only one square."""
    return Field(10, 10, [(x, y) for x in range(0, 10, 2) for y in range(0, 10, 2)])


Start = Callable[[trio.Nursery], Awaitable[Address]]


async def start_game(nursery: trio.Nursery) -> Address:
    """Start scramble's telnet server, with a game that ends with the nursery."""

    async def run(task_status: trio.TaskStatus[Address]) -> None:
        async with open_game(field()) as game:
            await serve_telnet(game, host="127.0.0.1", port=0, debug=True, task_status=task_status)

    address: Address = await nursery.start(run)
    return address


async def start_echo(nursery: trio.Nursery) -> Address:
    """Start the server of the bare limit: it answers each line with the same number of bytes."""
    answer = b"- " * (REPLY_BYTES // 2)

    async def handle(stream: trio.SocketStream) -> None:
        await stream.send_all(HELLO)
        async for data in stream:
            for _ in data.splitlines():
                await stream.send_all(answer)

    listeners = await nursery.start(partial(trio.serve_tcp, handle, 0, host="127.0.0.1"))
    return Address("127.0.0.1", listeners[0].socket.getsockname()[1])


def play(address: Address) -> None:
    """Run all clients of one round. In turns, each client sends a message and reads the answer."""
    connections = [socket.create_connection((address.host, address.port)) for _ in range(CLIENTS)]
    try:
        for connection in connections:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while not connection.recv(4096).endswith(b"\n"):
                pass
        for number in range(MOVES):
            for connection in connections:
                connection.sendall(MESSAGES[number % len(MESSAGES)])
            for connection in connections:
                missing = REPLY_BYTES
                while missing:
                    missing -= len(connection.recv(missing))
    finally:
        for connection in connections:
            connection.close()


def moves_per_second(start: Start) -> float:
    """Return the number of answered messages in a second of the server's CPU time."""

    async def main() -> float:
        async with trio.open_nursery() as nursery:
            address = await start(nursery)
            before = time.thread_time()
            await trio.to_thread.run_sync(play, address)
            taken = time.thread_time() - before
            nursery.cancel_scope.cancel()
        return CLIENTS * MOVES / taken

    return trio.run(main)


def telnet() -> Iterator[Figure]:
    """Compare the rate of moves through telnet with a server that answers lines with constant bytes."""
    rate, limit, ratio = alternate(ROUNDS, partial(moves_per_second, start_game), partial(moves_per_second, start_echo))
    yield Figure(
        f"moves through telnet, {CLIENTS} players, 10x10; limit: a server that answers lines with as many bytes",
        f"{rate:,.0f}/s",
        f"{limit:,.0f}/s",
        ratio,
    )


def seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def million() -> Iterator[Figure]:
    """Measure a dig that opens 10^6 squares, and a dig of one square with its board of 1000x1000 squares."""

    def text() -> bytes:
        row = b" ".join([b"-"] * SIDE)
        return b"\r\n".join([row] * SIDE)

    def opening() -> float:
        empty = Field(SIDE, SIDE)
        return seconds(lambda: empty.dig(0, 0))

    def column_opening() -> float:
        empty = Field(1, SIDE * SIDE)
        return seconds(lambda: empty.dig(0, 0))

    def joining() -> float:
        squares = [b" "] * (SIDE * SIDE)
        return seconds(lambda: b" ".join(squares))

    opened, joined, ratio = alternate(ROUNDS, opening, joining)
    yield Figure(
        "opening 10^6 squares by one dig; limit: joining 10^6 bytes",
        f"{1000 * opened:.1f} ms",
        f"{1000 * joined:.1f} ms",
        ratio,
    )

    opened, square, ratio = alternate(ROUNDS, column_opening, opening)
    name = "opening 10^6 squares of one column; limit: opening 1000x1000 squares"
    yield Figure(name, f"{1000 * opened:.0f} ms", f"{1000 * square:.0f} ms", ratio)

    dense = Field(SIDE, SIDE, [(x, y) for x in range(0, SIDE, 2) for y in range(0, SIDE, 2)])
    squares = iter([(x, y) for x in range(1, SIDE, 2) for y in range(1, SIDE, 2)])
    look = median(seconds(lambda: reply(dense.dig(*next(squares)))) for _ in range(50))
    join = median(seconds(text) for _ in range(50))
    yield Figure(
        "a dig on 1000x1000 squares and its BOARD answer; limit: joining as many bytes from rows",
        f"{1000 * look:.2f} ms",
        f"{1000 * join:.2f} ms",
        look / join,
    )


def searches() -> Iterator[Figure]:
    """For each preset, compare the search for a field without guessing with a bot's solution of the field."""
    for name, (rows, columns, bombs) in PRESETS.items():
        start = columns // 2, rows // 2
        searched: list[float] = []
        solved: list[float] = []
        for seed in SEEDS:
            began = time.process_time()
            found = find_solvable(columns, rows, bombs, start=start, seed=seed, give_up=lambda: False)
            searched.append(time.process_time() - began)
            field = Field.laid_out(columns, rows, bombs, found)
            field.begin_safely()
            solved.append(seconds(partial(is_solvable, field, start)))
        yield Figure(
            f"search for a field without guessing, {name}, longest {max(searched):.2f} s; limit: its solution by a bot",
            f"{1000 * median(searched):,.0f} ms",
            f"{1000 * median(solved):.1f} ms",
            median(searched) / median(solved),
        )


def minesweeper() -> Iterator[Figure]:
    """Measure all figures of Minesweeper."""
    yield from telnet()
    yield from million()
    yield from searches()
