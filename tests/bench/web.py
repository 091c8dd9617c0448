"""The cost of GET /look beyond that of a QuartTrio route that returns constant bytes under the same hypercorn.

The server is a process of its own, with both applications in it; this process is the client, on raw sockets that it
keeps alive. The unit is the server's CPU time, so that the client and the rest of the machine matter little.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import trio
from quart import Response
from quart_trio import QuartTrio

from scramble.cli.process import tune_process
from scramble.front.memory.http import make_app
from scramble.memory import Board, open_game
from scramble.server.http.server import serve_app
from tests.bench.figure import Figure, alternate

CONNECTIONS = 8  # enough to keep the server busy
ROUNDS = 9
REQUESTS = 60  # on each connection in a round
WATCHES = 500
IDLE_S = 3.0

BOARD = "10x10\n" + "".join(f"card{n // 2}\n" for n in range(100))


# --- the server -------------------------------------------------------------------------------------


def constant_app(body: bytes) -> QuartTrio:
    """The bare limit; and the server's CPU seconds so far."""
    app = QuartTrio("constant", static_folder=None)

    @app.get("/look/<player>")
    async def look(player: str) -> Response:
        return Response(body)

    @app.get("/cpu")
    async def cpu() -> Response:
        return Response(f"{time.process_time():20.6f}")

    return app


async def serve() -> None:
    """Print the ports of both applications and serve them until standard input ends."""
    async with open_game(Board.parse(BOARD)) as game, trio.open_nursery() as nursery:
        body = (await game.look("alice")).encode()
        for app in (make_app(game), constant_app(body)):
            address = await nursery.start(partial(serve_app, app, host="127.0.0.1", port=0))
            print(address.port, flush=True)
        tune_process()
        await trio.to_thread.run_sync(sys.stdin.read, abandon_on_cancel=True)
        nursery.cancel_scope.cancel()


# --- the client -------------------------------------------------------------------------------------


class Connection:
    """A keep-alive connection on which every answer to the same request has the same length."""

    def __init__(self, port: int, path: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        self._length = 0

    def ask(self) -> None:
        self._socket.sendall(self._request)

    def answer(self) -> bytes:
        """The body of the answer."""
        data = b""
        while not self._length or len(data) < self._length:
            data += self._socket.recv(1 << 20)
            head, end, _ = data.partition(b"\r\n\r\n")
            if not self._length and end:
                fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
                self._length = len(head) + len(end) + int(fields[b"content-length"])
        assert data.startswith(b"HTTP/1.1 200"), data
        return data.partition(b"\r\n\r\n")[2]

    def close(self) -> None:
        self._socket.close()


class Server:
    """The other process. `ports` are of the game and of the constant application."""

    def __init__(self, ports: tuple[int, int]) -> None:
        self.game, self.constant = ports
        self._cpu = Connection(self.constant, "/cpu")

    def cpu(self) -> float:
        """The server's CPU seconds so far."""
        self._cpu.ask()
        return float(self._cpu.answer())

    def seconds_per(self, connections: list[Connection]) -> float:
        """CPU seconds of the server for a request, with all connections at once."""
        before = self.cpu()
        for _ in range(REQUESTS):
            for connection in connections:
                connection.ask()
            for connection in connections:
                connection.answer()
        return (self.cpu() - before) / REQUESTS / len(connections)

    def close(self) -> None:
        self._cpu.close()


@contextmanager
def server() -> Iterator[Server]:
    """A running server, gone at the end."""
    command = [sys.executable, "-m", "tests.bench.web"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            running = Server((int(process.stdout.readline()), int(process.stdout.readline())))
            yield running
            running.close()
        finally:
            process.stdin.close()
            process.kill()


def web() -> Iterator[Figure]:
    """GET /look against the bare limit, and what parked watches cost while nothing happens."""
    with server() as running, ExitStack() as stack:

        def connect(port: int, path: str) -> Connection:
            connection = Connection(port, path)
            stack.callback(connection.close)
            return connection

        looks = [connect(running.game, f"/look/player{n}") for n in range(CONNECTIONS)]
        constants = [connect(running.constant, f"/look/player{n}") for n in range(CONNECTIONS)]
        measure: Callable[[list[Connection]], float] = running.seconds_per
        measure(looks)
        measure(constants)
        constant, look, ratio = alternate(ROUNDS, partial(measure, constants), partial(measure, looks))
        yield Figure(
            "GET /look, 10x10, to a route that returns constant bytes",
            f"{1 / look:,.0f}/s",
            f"{1 / constant:,.0f}/s",
            ratio,
            at_least=0.85,
        )
        for number in range(WATCHES):
            connect(running.game, f"/watch/player{number}").ask()
        time.sleep(1)  # until all are parked
        before = running.cpu()
        time.sleep(IDLE_S)
        idle = running.cpu() - before
        yield Figure(
            f"{WATCHES} parked GET /watch for {IDLE_S:g} s, idle",
            f"{1000 * idle:.1f} ms CPU",
            f"{1000 * IDLE_S:,.0f} ms",
            idle / IDLE_S,
            at_most=0.01,
        )


if __name__ == "__main__":
    trio.run(serve)
