"""A server that pretends to be a Redis of some version, and records its writes.

with Pretender("6.0.16") as pretender:
    ...
    assert not pretender.writes
"""

from __future__ import annotations

import socketserver
import threading
from typing import Final, Self

import hiredis

READS: Final = frozenset(
    {"HELLO", "AUTH", "SELECT", "CLIENT", "INFO", "CONFIG", "PING", "EXISTS", "GET", "TYPE", "TIME", "SUBSCRIBE"}
)
"""Commands that are allowed before the checks of the server are done."""


class Pretender:
    """A server that runs until the end of the block. It has no keys, and refuses unknown commands."""

    def __init__(self, version: str) -> None:
        self.writes: Final[list[str]] = []
        asked = self._asked

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                reader = hiredis.Reader()
                while chunk := self.request.recv(65536):
                    reader.feed(chunk)
                    while (command := reader.gets()) is not False:
                        self.request.sendall(asked([word.decode() for word in command], version))

        self._server: Final = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread: Final = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """The URL of its database 0."""
        return f"redis://127.0.0.1:{self._server.server_address[1]}/0"

    def _asked(self, command: list[str], version: str) -> bytes:
        name = command[0].upper()
        if name in ("SET", "DEL") and command[1].startswith("scr:alive:"):
            return b"+OK\r\n" if name == "SET" else b":1\r\n"  # SET is a heartbeat, which expires by itself
        if name not in READS:
            self.writes.append(name)
        match name:
            case "HELLO" if int(version.split(".")[0]) < 6:
                return b"-ERR unknown command `HELLO`, with args beginning with: `3`, \r\n"
            case "HELLO":
                return _map(server="redis", version=version, proto="3", mode="standalone", role="master")
            case "INFO":
                return _text(f"# Server\r\nredis_version:{version}\r\nrole:master\r\nloading:0\r\n")
            case "CONFIG":
                return _map()
            case "EXISTS":
                return b":0\r\n"
            case "GET":
                return b"_\r\n"
            case "TYPE":
                return b"+none\r\n"
            case "AUTH" | "SELECT" | "CLIENT" | "PING":
                return b"+OK\r\n"
        return b"-ERR unknown command\r\n"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _text(text: str) -> bytes:
    return b"$%d\r\n%s\r\n" % (len(text), text.encode())


def _map(**values: str) -> bytes:
    return b"%%%d\r\n" % len(values) + b"".join(_text(name) + _text(value) for name, value in values.items())
