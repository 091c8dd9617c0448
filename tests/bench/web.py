"""The cost of GET /look, compared with three limits of the same run, and the cost of parked watches.

- a QuartTrio route that returns constant bytes, under the same server: the minimum cost of a handler of Quart
- an ASGI application that sends constant bytes, under hypercorn's own worker: the minimum cost of hypercorn and h11
- Express, with a route like the route of the course's server; it returns a constant text of the same size

Each server has its own process. This process is the client, on raw keep-alive sockets. The unit is the CPU time of the
server's process, so that the client and other load on the machine have little effect.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import hypercorn.trio
import trio
from hypercorn.config import Config
from hypercorn.typing import ASGIFramework, ASGIReceiveCallable, ASGISendCallable, Scope
from quart import Response
from quart_trio import QuartTrio

from scramble.cli.process import tune_process
from scramble.front.memory.http import make_app
from scramble.memory import Board, open_game
from scramble.server.http.server import serve_app
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.middleware import Protection
from tests.bench.figure import Figure, alternate
from tests.bench.sockets import install

CONNECTIONS = 8  # enough to keep the server busy
ROUNDS = 9
REQUESTS = 60  # on each connection in a round
WARM_UPS = 3  # Node compiles in these rounds
WATCHES = 500
IDLE_S = 3.0

BOARDS = ("3x4", "10x10", "30x30", "100x100")
USUAL = "10x10"
MIDDLE = "30x30"

EXPRESS = "4.21.2"
FOLDER = Path(sys.prefix) / f"node-express-{EXPRESS}"

EXPRESS_JS = """
const express = require("express");
const say = (value) => process.stdout.write(`${value}\\n`);
for (const size of process.argv.slice(1)) {
    const [rows, columns] = size.split("x").map(Number);
    const text = Buffer.from(`${size}\\n` + "down\\n".repeat(rows * columns)).toString();
    const app = express();
    app.use((request, response, next) => {
        response.set("Access-Control-Allow-Origin", "*");
        next();
    });
    app.get("/cpu", (request, response) => {
        const { user, system } = process.cpuUsage();
        response.type("text").send(((user + system) / 1e6).toFixed(6).padStart(20));
    });
    app.get("/look/:player", async (request, response) => {
        const { player } = request.params;
        response.status(200).type("text").send(text);
    });
    const server = app.listen(0, "127.0.0.1", () => say(server.address().port));
    server.keepAliveTimeout = 600_000;
}
"""


# --- the servers ------------------------------------------------------------------------------------


def constant_app(body: bytes) -> QuartTrio:
    """Return the application for Quart's bare limit, with a route for the server's CPU seconds so far."""
    app = QuartTrio("constant", static_folder=None)

    @app.get("/look/<player>")
    async def look(player: str) -> Response:
        return Response(body)

    @app.get("/cpu")
    async def cpu() -> Response:
        return Response(f"{time.process_time():20.6f}")

    return app


def bare_app(body: bytes) -> ASGIFramework:
    """Return the application for hypercorn's bare limit."""
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(body))]

    async def app(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        assert scope["type"] == "http"  # the error tells hypercorn that there is no lifespan
        await send({"type": "http.response.start", "status": 200, "headers": headers, "trailers": False})
        await send({"type": "http.response.body", "body": body, "more_body": False})

    return app


async def serve() -> None:
    """Serve the bare application, the games, and Quart's route until standard input ends. Print their ports."""
    lasting = Protection(ServerLimits(keep_alive_s=600))
    async with AsyncExitStack() as stack:
        games = []
        for size in BOARDS:
            rows, columns = map(int, size.split("x"))
            cards = "".join(f"card{n // 2}\n" for n in range(rows * columns))
            games.append(await stack.enter_async_context(open_game(Board.parse(f"{size}\n{cards}"))))
        middle, usual = [(await games[BOARDS.index(size)].look("alice")).encode() for size in (MIDDLE, USUAL)]
        config = Config()
        config.bind = ["127.0.0.1:0"]
        config.keep_alive_timeout = 600
        config.keep_alive_max_requests = 1_000_000
        config.errorlog = None
        async with trio.open_nursery() as nursery:
            (url,) = await nursery.start(partial(hypercorn.trio.serve, bare_app(middle), config, mode="asgi"))
            print(urlsplit(url).port, flush=True)
            for app in (*map(make_app, games), constant_app(usual)):
                address = await nursery.start(partial(serve_app, app, host="127.0.0.1", port=0, protection=lasting))
                print(address.port, flush=True)
            tune_process()
            await trio.to_thread.run_sync(sys.stdin.read, abandon_on_cancel=True)
            nursery.cancel_scope.cancel()


# --- the client -------------------------------------------------------------------------------------


class Connection:
    """A keep-alive connection that repeats one request. All answers must have the same length."""

    def __init__(self, port: int, path: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        self._length = 0

    def ask(self) -> None:
        self._socket.sendall(self._request)

    def answer(self) -> bytes:
        """Read the answer; return its body."""
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
    """A process with a server at each of its ports. The server at the last port reports the process's CPU time."""

    def __init__(self, process: subprocess.Popen[bytes], ports: int) -> None:
        assert process.stdout is not None
        self.ports = [int(process.stdout.readline()) for _ in range(ports)]
        self._cpu = Connection(self.ports[-1], "/cpu")

    def cpu(self) -> float:
        """Return the process's CPU seconds so far."""
        self._cpu.ask()
        return float(self._cpu.answer())

    def close(self) -> None:
        self._cpu.close()

    def seconds_per(self, connections: list[Connection]) -> float:
        """Return the server's CPU seconds for a request, if all connections send requests at once."""
        before = self.cpu()
        for _ in range(REQUESTS):
            for connection in connections:
                connection.ask()
            for connection in connections:
                connection.answer()
        return (self.cpu() - before) / REQUESTS / len(connections)


@contextmanager
def server(command: list[str], ports: int, folder: Path | None = None) -> Iterator[Server]:
    """Run a server until the end of the block."""
    environment = os.environ | {"NODE_ENV": "production"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env=environment
    ) as process:
        try:
            with closing(Server(process, ports)) as running:
                yield running
        finally:
            process.kill()


def web() -> Iterator[Figure]:
    """Compare GET /look with the limits, and measure the cost of parked watches in an idle game."""
    with ExitStack() as stack:

        def connect(port: int, path: str) -> Connection:
            connection = Connection(port, path)
            stack.callback(connection.close)
            return connection

        def measure(server: Server, number: int) -> Callable[[], float]:
            connections = [connect(server.ports[number], f"/look/player{n}") for n in range(CONNECTIONS)]
            once = partial(server.seconds_per, connections)
            for _ in range(WARM_UPS):
                once()
            return once

        def figure(name: str, limit: tuple[Server, int], own: tuple[Server, int], *, at_least: float | None) -> Figure:
            other, look, ratio = alternate(ROUNDS, measure(*limit), measure(*own))
            return Figure(f"GET /look, {name}", f"{1 / look:,.0f}/s", f"{1 / other:,.0f}/s", ratio, at_least=at_least)

        games = stack.enter_context(server([sys.executable, "-m", "tests.bench.web"], len(BOARDS) + 2))
        bare, constant = 0, len(BOARDS) + 1
        usual, middle = (games, BOARDS.index(USUAL) + 1), (games, BOARDS.index(MIDDLE) + 1)
        yield figure(
            f"{USUAL}; limit: a QuartTrio route that returns constant bytes", (games, constant), usual, at_least=1.6
        )
        yield figure(f"{MIDDLE}; limit: constant bytes under hypercorn's worker", (games, bare), middle, at_least=None)
        if install(FOLDER, "express", EXPRESS):
            express = stack.enter_context(server(["node", "-e", EXPRESS_JS, *BOARDS], len(BOARDS), FOLDER))
            for number, size in enumerate(BOARDS):
                yield figure(f"{size}; limit: Express", (express, number), (games, number + 1), at_least=1.0)
        else:
            print("Skipped: GET /look of Express. It needs Node and npm.")
        for number in range(WATCHES):
            connect(games.ports[usual[1]], f"/watch/player{number}").ask()
        time.sleep(1)  # the server parks all watches first
        before = games.cpu()
        time.sleep(IDLE_S)
        idle = games.cpu() - before
        yield Figure(
            f"{WATCHES} parked GET /watch for {IDLE_S:g} s without moves",
            f"{1000 * idle:.1f} ms CPU",
            f"{1000 * IDLE_S:,.0f} ms",
            idle / IDLE_S,
            at_most=0.01,
        )


if __name__ == "__main__":
    trio.run(serve)
