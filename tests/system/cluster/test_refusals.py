"""`scramble serve --cluster` with a Redis that it cannot use: one clear line, exit code 1, and nothing is written.

Partitions:
- the address: not a URL, another scheme; another program listens there, and sends data or closes the connection
  (test_starting.py tests an address without a listener, and a silent one)
- permission: a missing password, a wrong password, a user without permission
- data: another program's data under our name, data of another format, of a later version of this format
- server: the database number does not exist; full; a replica; a version below 6.2 (a stand-in pretends to be one)
No line contains the password.
"""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.cluster.console import Answer, Console
from tests.support.cluster.pretender import Pretender
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.process import ServerProcess

SECRET = "correct-horse-battery"


def refusal(url: str) -> str:
    """Start a server with a Redis that it cannot use; return the one line that it prints before its end."""
    with ServerProcess("serve", "--cluster", url, "--port", "0") as server:
        code = server.wait()
        assert (code, server.output.text) == (1, "")
    line = server.complaints
    assert line.count("\n") == 1, line
    assert not line.startswith("Traceback")
    assert SECRET not in line
    return line


def everything(console: Console) -> Sequence[tuple[Answer, Answer]]:
    """Return all keys with their contents, in a form that can be compared."""
    keys = console.call("KEYS", "*")
    assert isinstance(keys, list)
    named = sorted(key.decode() for key in keys if isinstance(key, bytes))
    return [(key.encode(), console.call("DUMP", key)) for key in named]


@pytest.mark.parametrize("greeting", [b"220 mail.example.org ESMTP\r\n", b""])
def test_a_port_on_which_another_program_listens(greeting: bytes) -> None:
    class Greets(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.sendall(greeting)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Greets) as other:
        threading.Thread(target=other.serve_forever, args=(0.01,)).start()
        try:
            port = other.server_address[1]
            assert f"127.0.0.1:{port}" in refusal(f"redis://127.0.0.1:{port}/0")
        finally:
            other.shutdown()


@pytest.mark.parametrize("version", ["6.0.16", "5.0.14"])
def test_a_version_that_is_too_old(version: str) -> None:
    with Pretender(version) as pretender:
        line = refusal(pretender.url)
        assert "6.2 or later" in line
        assert not pretender.writes


@needs_redis
def test_a_password_that_is_missing_or_wrong(tmp_path: Path) -> None:
    with RedisServer(tmp_path, {"requirepass": "another"}) as redis:
        for user, why in (("", "wants a password"), (f":{SECRET}@", "no such"), (f"somebody:{SECRET}@", "no such")):
            line = refusal(f"redis://{user}127.0.0.1:{redis.port}/0")
            assert f"redis://127.0.0.1:{redis.port}/0" in line
            assert why in line


@needs_redis
def test_a_database_that_there_is_not(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as redis:
        assert "has no database 99" in refusal(f"redis://127.0.0.1:{redis.port}/99")


@needs_redis
@pytest.mark.parametrize(
    ("key", "commands"),
    [
        ("another format", [("SET", "scr:format", "999")]),
        ("no format of ours", [("SET", "scr:format", "a page of somebody's cache")]),
        ("another type", [("RPUSH", "scr:format", "1")]),
        ("a foreign room", [("SET", "scr:{register}:room", "not a room")]),
    ],
)
def test_data_of_another_program_or_of_another_format(
    tmp_path: Path, key: str, commands: Sequence[Sequence[str]]
) -> None:
    with RedisServer(tmp_path) as redis, Console(redis.port) as console:
        for command in commands:
            console.call(*command)
        before = everything(console)
        line = refusal(redis.url)
        assert str(redis.port) in line, key
        assert everything(console) == before, key


@needs_redis
def test_a_redis_that_is_full(tmp_path: Path) -> None:
    full = {"maxmemory-policy": "noeviction"}
    with RedisServer(tmp_path, full) as redis, Console(redis.port) as console:
        console.call("CONFIG", "SET", "maxmemory", "1")
        assert "memory" in refusal(redis.url)
        assert everything(console) == []


@needs_redis
def test_a_replica_that_takes_no_writes(tmp_path: Path) -> None:
    with (
        RedisServer(tmp_path / "master") as master,
        RedisServer(tmp_path / "replica") as replica,
        Console(replica.port) as console,
    ):
        console.call("REPLICAOF", "127.0.0.1", master.port)
        assert "replica" in refusal(replica.url)
