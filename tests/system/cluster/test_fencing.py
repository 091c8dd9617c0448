"""A deposed owner of a room answers no client after Redis has reported the new owner; mutants do answer.

The test is the new owner: it records itself as the owner, like a process that takes the room over. The deposed process
cannot know this before it asks Redis, so the result does not depend on timing.

Partitions:
- request: a look, which is only a query; a flip; the whole state over a WebSocket, after another client received it
- the server: as shipped; a mutant that does not ask Redis about batches of queries; with a Redis that does not check
  the owner
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import trio

from tests.search.cluster.mutants import MUTANT
from tests.support.cluster.console import Console
from tests.support.cluster.fleet import Fleet
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.process import SCRAMBLE
from tests.support.websocket import Cut, WebSocket

pytestmark = needs_redis

PATIENCE_S = 5.0  # for a process that does not answer
LONG_S = 3600  # the lifetime of the other process's heartbeat
BOARD = "2x2\nA\nA\nB\nB\n"


def frames(port: int, path: str, until: str | None) -> list[object]:
    """Return the types of the frames that a new WebSocket receives, up to one of that type, or to the end."""
    types: list[object] = []

    async def read() -> None:
        wire = await WebSocket.connect("127.0.0.1", port, path)
        try:
            with trio.move_on_after(PATIENCE_S):
                while until is None or until not in types:
                    types.append((await wire.receive())["type"])
        except Cut:
            pass
        finally:
            await wire.aclose()

    trio.run(read)
    return types


@contextmanager
def deposed(folder: Path, program: Sequence[str]) -> Iterator[tuple[str, RedisServer]]:
    """Yield the address of a room of Memory Scramble in a process that does not know that it has lost the room."""
    with RedisServer(folder) as redis, Fleet(1, lambda _: ("serve", "--cluster", redis.url), program=program) as fleet:
        lobby = f"http://127.0.0.1:{fleet.ports[0]}"
        settings = {"game": "memory", "names": "open", "settings": {"board": BOARD}}
        room = httpx.post(f"{lobby}/rooms", json=settings, timeout=None).json()["room"]
        assert httpx.post(f"{lobby}/g/{room}/flip/ann/0,0", timeout=None).status_code == 200
        assert "board" in frames(fleet.ports[0], f"/g/{room}/view", "board")
        with Console(redis.port) as another:
            another.call("SET", "scr:alive:another", "1", "EX", LONG_S)
            another.call("SUBSCRIBE", "scr:0:here:another")
            with Console(redis.port) as console:
                epoch, _ = console.owner(room)
                console.call("HSET", f"scr:{{{room}}}:room", "owner", f"{epoch + 1}:another", "epoch", epoch + 1)
            yield f"{lobby}/g/{room}", redis


def answer(method: str, url: str) -> int:
    """Return the status of the answer; 503 if the server disconnects or does not answer for `PATIENCE_S`."""
    try:
        return httpx.request(method, url, timeout=PATIENCE_S).status_code
    except httpx.TransportError:
        return 503


@pytest.mark.parametrize(("method", "path"), [("GET", "look/bob"), ("POST", "flip/bob/1,0")])
def test_a_deposed_owner_answers_nobody(tmp_path: Path, method: str, path: str) -> None:
    with deposed(tmp_path, SCRAMBLE) as (url, redis):
        assert answer(method, f"{url}/{path}") == 503
        with Console(redis.port) as console:
            assert len(console.log(url.rpartition("/")[2])) == 1


@pytest.mark.parametrize("path", ["view", "play/bob"])
def test_a_deposed_owner_shows_nobody_what_it_has_shown_before(tmp_path: Path, path: str) -> None:
    with deposed(tmp_path, SCRAMBLE) as (url, _):
        address = httpx.URL(url)
        assert address.port is not None
        assert "board" not in frames(address.port, f"{address.path}/{path}", None)


@pytest.mark.parametrize(
    ("mutant", "method", "path"),
    [("queries-are-not-fenced", "GET", "look/bob"), ("owner-is-not-checked", "POST", "flip/bob/1,0")],
)
def test_a_deposed_owner_answers_where(tmp_path: Path, mutant: str, method: str, path: str) -> None:
    with deposed(tmp_path, (*MUTANT, mutant)) as (url, _):
        assert answer(method, f"{url}/{path}") == 200
