"""`/metrics` of processes of a cluster, and the alerts based on them.

Partitions:
- a move: requested at the process that owns the game, at another process
- Redis: with a `maxmemory`; its memory approaches this limit
- names in the alerts: of a cluster, of one machine
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Final

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support import HANG_S
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.process import ROOT, ServerProcess
from tests.system.http.numbers import Numbers

pytestmark = needs_redis

ALERTS: Final = ROOT / "deploy" / "alerts.yaml"
MOST_BYTES: Final = 64 * 2**20
MEMORY: Final = {"game": "memory", "names": "open", "settings": {"size": "2x2", "seed": 7}}


@pytest.fixture(name="servers", scope="module")
def _servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[ServerProcess]]:
    config = {"maxmemory": str(MOST_BYTES), "maxmemory-policy": "noeviction"}
    with RedisServer(tmp_path_factory.mktemp("redis"), config) as redis, ExitStack() as stack:
        serve = ("serve", "--cluster", redis.url, "--port", "0")
        yield [stack.enter_context(ServerProcess(*serve, lines=1)) for _ in range(2)]


def scraped(server: ServerProcess) -> Numbers:
    return Numbers(text_string_to_metric_families(httpx.get(f"{server.url}metrics", timeout=HANG_S).text))


def opened(server: ServerProcess) -> str:
    """Open a room, and return its name."""
    room: str = httpx.post(f"{server.url}rooms", json=MEMORY, timeout=HANG_S).json()["room"]
    return room


def moved(server: ServerProcess, room: str, card: str) -> None:
    """Flip a card of a room. Repeat the request while the game moves."""
    url = f"{server.url}g/{room}/flip/ann/{card}"
    while httpx.get(url, timeout=HANG_S).status_code == 503:
        pass


def test_a_move_s_time_is_told_where_it_was_asked_whoever_owns_the_game(servers: list[ServerProcess]) -> None:
    before = [scraped(server)("scramble_move_seconds_count", game="memory") or 0 for server in servers]
    room = opened(servers[0])
    moved(servers[0], room, "0,0")
    moved(servers[1], room, "0,1")
    moved(servers[1], room, "1,0")
    here, there = (scraped(server) for server in servers)
    assert here("scramble_move_seconds_count", game="memory") == before[0] + 1
    assert there("scramble_move_seconds_count", game="memory") == before[1] + 2
    assert there("scramble_cluster_remote_requests_total") or here("scramble_cluster_remote_requests_total")


def test_the_memory_of_redis_is_told_with_its_limit(servers: list[ServerProcess]) -> None:
    numbers = scraped(servers[0])
    assert numbers("scramble_cluster_redis_limit_bytes") == MOST_BYTES
    assert 0 < (numbers("scramble_cluster_redis_used_bytes") or 0) < MOST_BYTES
    assert numbers("scramble_rooms_died_total") == 0


def test_the_alerts_are_about_metrics_that_there_are_and_are_explained(servers: list[ServerProcess]) -> None:
    rules = re.sub("#.*", "", ALERTS.read_text())
    asked = set(re.findall(r"\b(?:scramble|process)_\w+", rules))
    moved(servers[0], opened(servers[0]), "0,0")  # a game without a move has no samples
    with ServerProcess("serve", "--in-memory", "--port", "0", lines=1) as alone:
        scrapes = [scraped(server) for server in (*servers, alone)]
    told = {sample.name for scrape in scrapes for family in scrape.families.values() for sample in family.samples}
    assert asked <= told
    guide = (ROOT / "docs" / "how-to" / "monitor-with-prometheus.md").read_text()
    named = re.findall(r"- alert: (\w+)", rules)
    assert len(named) > 10
    assert [name for name in named if f"`{name}`" not in guide] == []
