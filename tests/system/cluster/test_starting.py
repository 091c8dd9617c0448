"""The start of `scramble serve --cluster`: before its Redis, as several workers, as a service.

Partitions:
- Redis: starts later; does not answer; loads its files
- while the server waits: SIGTERM, SIGINT; a service manager; workers
- an error: of one process, of all workers (test_operating.py: as JSON)
- a command for the operator: does not wait
test_refusals.py tests Redis servers that end the start at once.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cluster.redis import PROGRAM, RedisServer, free_port, needs_redis
from tests.support.manager import ServiceManager
from tests.support.process import ServerProcess


def logged(server: ServerProcess, event: str) -> list[dict[str, object]]:
    """Return the entries of an event in the server's log so far, without their times."""
    entries = map(json.loads, server.complaints.splitlines())
    return [{key: entry[key] for key in entry if key != "time"} for entry in entries if entry["event"] == event]


def until_logged(server: ServerProcess, event: str, times: int = 1) -> None:
    """Block until the log has that number of entries of an event."""
    assert server.errors.until(lambda text: text.count(f'"event":"{event}"') >= times or None)


@pytest.fixture(scope="module", autouse=PROGRAM is not None)
def still(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RedisServer, ServerProcess]]:
    """Yield a paused Redis and its server, which notices that after seconds: so both start before all tests."""
    with RedisServer(tmp_path_factory.mktemp("redis")) as redis:
        redis.pause()
        with ServerProcess("serve", "--cluster", redis.url, "--port", "0") as server:
            yield redis, server


@needs_redis
def test_a_server_waits_for_a_redis_that_is_away_with_one_line_and_serves_once_it_is_there(tmp_path: Path) -> None:
    redis = RedisServer(tmp_path)
    redis.port = free_port()
    with (
        ServiceManager(tmp_path) as manager,
        ServerProcess(
            *("serve", "--cluster", redis.url, "--port", "0", "--log-format", "json", "--log-level", "debug"),
            environment=manager.environment,
        ) as server,
    ):
        until_logged(server, "link-not-yet", 3)  # the server has tried several times
        assert manager.heard() == []
        (awaited,) = logged(server, "redis-awaited")
        address = f"redis://127.0.0.1:{redis.port}/0"
        assert awaited == {
            "level": "warning",
            "event": "redis-awaited",
            "redis": address,
            "reason": f"nothing answers at {address}: Connection refused",
        }
        with redis:
            assert server.url
            assert manager.hear() == "READY=1"
            assert logged(server, "linked") == [{"level": "info", "event": "linked", "redis": address}]
            assert len(logged(server, "redis-awaited")) == 1
            assert server.stop(signal.SIGTERM)[0] == 0
            assert manager.heard() == ["STOPPING=1"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_wait_for_redis(number: signal.Signals) -> None:
    url = f"redis://127.0.0.1:{free_port()}/0"
    with ServerProcess("serve", "--cluster", url, "--port", "0") as server:
        assert server.errors.until(lambda text: "redis-awaited" in text or None)
        code, output, errors = server.stop(number)
        assert (code, output) == (0, "")
        assert errors.count("\n") == 1


def test_a_command_for_the_operator_does_not_wait_for_redis() -> None:
    url = f"redis://127.0.0.1:{free_port()}/0"
    with ServerProcess("rooms", "list", "--cluster", url) as command:
        assert command.wait() == 1
        assert command.complaints == f"Error: nothing answers at {url}: Connection refused\n"


@needs_redis
def test_the_service_is_ready_once_all_workers_serve_and_only_its_own_process_notifies(tmp_path: Path) -> None:
    redis = RedisServer(tmp_path)
    redis.port = free_port()
    with (
        ServiceManager(tmp_path) as manager,
        ServerProcess(
            *("serve", "--cluster", redis.url, "--workers", "2", "--port", "0", "--log-format", "json"),
            environment=manager.environment,
        ) as server,
    ):
        until_logged(server, "redis-awaited", 2)
        assert {entry["worker"] for entry in logged(server, "redis-awaited")} == {1, 2}
        assert manager.heard() == []
        with redis:
            assert manager.hear() == "READY=1"
            assert server.url
            until_logged(server, "serving", 2)
            assert {entry["worker"] for entry in logged(server, "serving")} == {1, 2}
            assert server.stop(signal.SIGTERM)[0] == 0
            entries = map(json.loads, server.complaints.splitlines())
            assert {entry.get("worker") for entry in entries} == {None, 1, 2}
            assert manager.heard() == ["STOPPING=1"]


def test_workers_that_cannot_start_say_why_once() -> None:
    with ServerProcess("serve", "--cluster", "http://localhost", "--workers", "2", "--port", "0") as server:
        assert server.wait() == 1
        reason = "the URL of a Redis server begins with redis://, or with rediss:// for TLS"
        assert server.complaints == f"Error: {reason}\n"


@needs_redis
def test_a_redis_that_stands_still_is_waited_for(still: tuple[RedisServer, ServerProcess]) -> None:
    redis, server = still
    assert server.errors.until(lambda text: "redis-awaited" in text or None)
    assert "does not answer within" in server.complaints
    redis.resume()
    assert server.url
