"""A real Redis server, in a folder of its own, that tests may pause, kill and start again.

with RedisServer(tmp_path) as redis:
    async with open_link(parse_address(redis.url)) as link:
        ...
        redis.kill()
        redis.start()

Tests that need a server are marked `needs_redis`, and are skipped if no redis-server is installed.
"""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

import pytest

from tests.support import HANG_S
from tests.support.process import Output

PROGRAM: Final = shutil.which("redis-server") or shutil.which("valkey-server")
READY: Final = "Ready to accept connections"
LOADING: Final = "Server initialized"  # it accepts connections before it has read its files
TRIES: Final = 5  # the number of tries: another program may take the port before the server listens on it

needs_redis: Final = pytest.mark.skipif(PROGRAM is None, reason="no redis-server is installed")


class RedisServer:
    """A server that runs during its `with` block. It saves nothing to disk unless `config` says so."""

    def __init__(self, folder: Path, config: Mapping[str, str] | None = None, *, user: str = "") -> None:
        """Prepare a server with its files in that folder; `config` has options of redis-server by name.

        `user` is the part of the URL before the host, such as ":secret@".
        """
        self.folder: Final = folder
        self.port = 0
        self.config: Final = {"save": "", "appendonly": "no", **(config or {})}  # used at the next start
        self._user: Final = user
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """The URL of the server's database 0."""
        return f"redis://{self._user}127.0.0.1:{self.port}/0"

    def ask(self, command: str) -> str:
        """Return the answer to one command as Redis writes it; works while Redis refuses the commands of a link."""
        with socket.create_connection(("127.0.0.1", self.port), HANG_S) as connection:
            connection.sendall(f"{command}\r\nQUIT\r\n".encode())
            with connection.makefile() as answer:
                return answer.read().removesuffix("+OK\n")

    def start(self, sign: str = READY) -> None:
        """Start the server, on the same port as before, and wait until it prints `sign`."""
        assert self._process is None
        assert PROGRAM is not None
        self.folder.mkdir(exist_ok=True)
        for _ in range(1 if self.port else TRIES):
            port = self.port or free_port()
            options = {"port": str(port), "bind": "127.0.0.1", "dir": str(self.folder), **self.config}
            words = [word for name, value in options.items() for word in (f"--{name}", value)]
            process = subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, text=True)
            assert process.stdout is not None
            output = Output(process.stdout)
            if output.until(lambda text: sign in text or None):
                self.port, self._process = port, process
                return
            process.wait(HANG_S)
        raise AssertionError(f"redis-server does not start: {output.text}")

    def kill(self) -> None:
        """Kill the server: connections are reset, and unwritten data is lost."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End the server in good order."""
        self._end(signal.SIGTERM)

    def pause(self) -> None:
        """Pause the server; its connections stay open without answers."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let the server continue after `pause`."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def _end(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(HANG_S)
        self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._process is not None:
            self.kill()


def free_port() -> int:
    """Return a port without a listener."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
