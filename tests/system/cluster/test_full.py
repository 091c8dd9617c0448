"""A cluster with a full Redis, for players and the operator: Redis reaches `maxmemory` while players play.

Partitions: filled faster than the processes measure it, in the middle of moves; nearly full, full; a move, a look, the
opening of a room; `scramble rooms close` and `remove`, with a running server and without a server; free memory again.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support import HANG_S
from tests.support.cluster.console import Console
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.process import ServerProcess

pytestmark = needs_redis

ROOMS = 8
ANN = {"Authorization": "Bearer 0123456789abcdef"}


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path) as server:
        yield server


def served(redis: RedisServer) -> ServerProcess:
    environment = os.environ | {"SCRAMBLE_CLUSTER": redis.url}
    return ServerProcess("serve", "--port", "0", "--log-format", "json", environment=environment)


def opened(client: httpx.Client, url: str) -> str:
    settings = {"game": "memory", "settings": {"size": "20x20", "seed": 7}}
    answer = client.post(f"{url}rooms", json=settings)
    assert answer.status_code == 201, answer.text
    return answer.headers["Location"].rpartition("/")[2]


def fill(console: Console, part: float) -> None:
    """Set the limit so that Redis has used this part of its memory."""
    info = console.call("INFO", "memory")
    assert isinstance(info, bytes)
    used = dict(line.split(b":", 1) for line in info.split(b"\r\n") if b":" in line)[b"used_memory"]
    console.call("CONFIG", "SET", "maxmemory", int(int(used) / part))


def operate(*arguments: str) -> None:
    with ServerProcess(*arguments) as command:
        assert command.wait() == 0, command.complaints


def test_no_room_dies_while_redis_is_filled_faster_than_it_is_measured(redis: RedisServer) -> None:
    answers = Counter[int]()
    playing = threading.Barrier(ROOMS + 1)

    def play(address: str) -> None:
        for number in itertools.count():
            row, column = divmod(number % 400, 20)
            answers[client.get(f"{address}/flip/ann/{row},{column}").status_code] += 1
            if number == 0:
                playing.wait(HANG_S)
            if answers[507]:  # of anybody
                return

    with served(redis) as server, Console(redis.port) as console, httpx.Client(headers=ANN, timeout=HANG_S) as client:
        rooms = [f"{server.url}g/{opened(client, server.url)}" for _ in range(ROOMS)]
        players = [threading.Thread(target=play, args=(room,)) for room in rooms]
        for player in players:
            player.start()
        playing.wait(HANG_S)
        fill(console, 1.05)
        for player in players:
            player.join()
        assert answers.keys() <= {200, 409, 507}, answers
        for room in rooms:
            assert client.get(f"{room}/look/ann").status_code == 200
        assert "room-died" not in server.complaints
        assert "game-stopped" not in server.complaints


@pytest.mark.parametrize("part", [0.97, 1.5])
def test_the_operator_closes_and_removes_rooms_of_a_full_redis(redis: RedisServer, part: float) -> None:
    with Console(redis.port) as console, httpx.Client(headers=ANN, timeout=HANG_S) as client:
        with served(redis) as server:
            names = [opened(client, server.url) for _ in range(4)]
            for name in names:
                client.get(f"{server.url}g/{name}/flip/ann/0,0")
            fill(console, part)
            operate("rooms", "close", names[0], "--cluster", redis.url)
            operate("rooms", "remove", names[1], "--cluster", redis.url)
            for name in names[:2]:
                assert client.get(f"{server.url}g/{name}/look/ann").status_code == 410
        operate("rooms", "close", names[2], "--cluster", redis.url)
        operate("rooms", "remove", names[3], "--cluster", redis.url)
        for name in (names[1], names[3]):
            assert console.call("KEYS", f"*{name}*") == []
