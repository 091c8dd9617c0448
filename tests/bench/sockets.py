"""The two bare limits of a broadcast to WebSockets: a loop of `os.write`, and Node's `ws`.

`OsWrite` is in this process. After the handshakes it sends the same bytes to each socket, with one `os.write` each.
`NodeWs` has its own process. It reads a text from its input, and broadcasts the text as in the manual of `ws`. `ws` is
installed in a folder of the virtual environment. Without Node and npm, or without a network, this limit is missing.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from subprocess import PIPE
from typing import Final

import trio
from wsproto.utilities import generate_accept_token

from scramble.server.http.direct_write import text_frame

WS: Final = "8.18.3"
FOLDER: Final = Path(sys.prefix) / f"node-ws-{WS}"

SERVER_JS: Final = """
const { WebSocketServer, WebSocket } = require("ws");
const server = new WebSocketServer({ host: "127.0.0.1", port: 0, backlog: 1024 });
const say = (value) => process.stdout.write(`${value}\\n`);
server.on("listening", () => say(server.address().port));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    if (line === "cpu") {
        const { user, system } = process.cpuUsage();
        say((user + system) / 1e6);
    } else {
        server.clients.forEach((client) => {
            if (client.readyState === WebSocket.OPEN) client.send(line);
        });
    }
});
"""


class OsWrite:
    """Server connections in this process, and a loop that writes to all of them."""

    def __init__(self) -> None:
        self.listener: Final = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port: Final = int(self.listener.getsockname()[1])
        self._sockets: Final[list[socket.socket]] = []

    async def accept(self, connections: int) -> None:
        """Accept this many connections, and make their handshakes."""
        for _ in range(connections):
            connection, _ = await trio.to_thread.run_sync(self.listener.accept)
            head = await trio.to_thread.run_sync(connection.recv, 65536)
            key = head.lower().partition(b"sec-websocket-key: ")[2].partition(b"\r\n")[0]
            connection.sendall(
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Accept: " + generate_accept_token(key) + b"\r\n\r\n"
            )
            connection.setblocking(False)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._sockets.append(connection)

    async def send(self, text: str) -> None:
        """Write a frame to each connection."""
        data = text_frame(text)
        for each in self._sockets:
            os.write(each.fileno(), data)

    def close(self) -> None:
        for each in (self.listener, *self._sockets):
            each.close()


class NodeWs:
    """A server with `ws`, in its own process."""

    def __init__(self, process: trio.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin: Final = process.stdin
        self._stdout: Final = process.stdout
        self._buffer = b""

    async def line(self) -> str:
        """Return the next line of the server's output."""
        while b"\n" not in self._buffer:
            data = await self._stdout.receive_some()
            if not data:
                raise EOFError("Node is gone")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode()

    async def send(self, text: str) -> None:
        """Make the server broadcast a text."""
        await self._stdin.send_all(text.encode() + b"\n")

    async def cpu_s(self) -> float:
        """Return the processor time that the server has used, in seconds."""
        await self.send("cpu")
        return float(await self.line())


def install_ws() -> bool:
    """Install `ws` if it is missing. Return False if the installation fails."""
    return install(FOLDER, "ws", WS)


def install(folder: Path, package: str, version: str) -> bool:
    """Install an npm package in its own folder if it is missing. Return False if the installation fails."""
    if (folder / "node_modules" / package).is_dir():
        return True
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return False
    command = [npm, "install", "--loglevel=error", "--no-save", "--no-audit", "--no-fund"]
    command += ["--prefix", str(folder), f"{package}@{version}"]
    return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0


@asynccontextmanager
async def open_ws(nursery: trio.Nursery) -> AsyncIterator[tuple[NodeWs, int]]:
    """Run a server with `ws`, and yield it with its port. `install_ws` must have installed `ws`."""
    run = partial(trio.run_process, ["node", "-e", SERVER_JS], stdin=PIPE, stdout=PIPE, check=False, cwd=FOLDER)
    process = await nursery.start(run)
    try:
        server = NodeWs(process)
        yield server, int(await server.line())
    finally:
        process.terminate()
