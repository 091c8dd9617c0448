"""A process whose room another one owns by now answers nobody, as soon as Redis says so; and mutants that do.

The other owner is the test's own: it writes itself down as the owner, as a take-over does. The process cannot know
before it asks Redis; so there is no luck in what it answers then.

Partitions:
- what it is asked for: a look, which is a query only; a flip
- the shipped server; one that does not ask Redis about batches of queries; one whose Redis does not ask for the owner
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.search.cluster.mutants import MUTANT
from tests.support.cluster.console import Console
from tests.support.cluster.fleet import Fleet
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.process import SCRAMBLE

pytestmark = needs_redis

BOARD = "2x2\nA\nA\nB\nB\n"


@contextmanager
def deposed(folder: Path, program: Sequence[str]) -> Iterator[tuple[str, RedisServer]]:
    """The address of a room of Memory Scramble, in a process that does not know that it does not own it any more."""
    with RedisServer(folder) as redis, Fleet(1, lambda _: ("serve", "--cluster", redis.url), program=program) as fleet:
        lobby = f"http://127.0.0.1:{fleet.ports[0]}"
        settings = {"game": "memory", "names": "open", "settings": {"board": BOARD}}
        room = httpx.post(f"{lobby}/rooms", json=settings, timeout=None).json()["room"]
        assert httpx.post(f"{lobby}/g/{room}/flip/ann/0,0", timeout=None).status_code == 200
        with Console(redis.port) as console:
            epoch, _ = console.owner(room)
            console.call("SET", "scr:alive:another", "1")
            console.call("HSET", f"scr:{{{room}}}:room", "owner", f"{epoch + 1}:another", "epoch", epoch + 1)
        yield f"{lobby}/g/{room}", redis


def answer(method: str, url: str) -> int:
    """The status of the answer; 503 if the server hangs up or says nothing for long, as it may with no owner there."""
    try:
        return httpx.request(method, url, timeout=5).status_code
    except httpx.TransportError:
        return 503


@pytest.mark.parametrize(("method", "path"), [("GET", "look/bob"), ("POST", "flip/bob/1,0")])
def test_a_deposed_owner_answers_nobody(tmp_path: Path, method: str, path: str) -> None:
    with deposed(tmp_path, SCRAMBLE) as (url, redis):
        assert answer(method, f"{url}/{path}") == 503
        with Console(redis.port) as console:
            assert len(console.log(url.rpartition("/")[2])) == 1


@pytest.mark.parametrize(
    ("mutant", "method", "path"),
    [("queries-are-not-fenced", "GET", "look/bob"), ("owner-is-not-checked", "POST", "flip/bob/1,0")],
)
def test_a_deposed_owner_answers_where(tmp_path: Path, mutant: str, method: str, path: str) -> None:
    with deposed(tmp_path, (*MUTANT, mutant)) as (url, _):
        assert answer(method, f"{url}/{path}") == 200
