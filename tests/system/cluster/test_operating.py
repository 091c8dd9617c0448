"""A cluster for its operator: `scramble serve --cluster --workers`, `scramble rooms`, `scramble replay`.

Partitions:
- Redis: without a password; with TLS, and a user with only the permissions in docs/how-to/run-on-several-machines.md
- a worker: is killed, and started again; its parent process dies; cannot start
- shared by all workers: the rooms of bots' games
- the end: the parent process is killed (test_starting.py: SIGTERM)
- commands: list, close, remove; a replay in the terminal and on a page; an unknown room, no Redis
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.support import HANG_S
from tests.support.certificates import make_certificate
from tests.support.cluster.console import Console
from tests.support.cluster.redis import RedisServer, free_port, needs_redis
from tests.support.process import ROOT, ServerProcess, state

pytestmark = needs_redis

HOW_TO = ROOT / "docs" / "how-to" / "run-on-several-machines.md"
MEMORY = {"game": "memory", "public": True, "title": "Friday", "settings": {"size": "2x2", "seed": 7}}
ANN = {"Authorization": "Bearer 0123456789abcdef"}


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


def served(*arguments: str, cluster: str, lines: int = 1) -> ServerProcess:
    environment = os.environ | {"SCRAMBLE_CLUSTER": cluster}
    return ServerProcess(
        "serve", "--port", "0", "--log-format", "json", *arguments, lines=lines, environment=environment
    )


def opened(url: str) -> str:
    """Open a room, and return its name. Repeat the request while the register moves to another process."""
    while (answer := httpx.post(f"{url}rooms", json=MEMORY, timeout=HANG_S)).status_code == 503:
        assert answer.headers["Retry-After"] == "1"
    assert answer.status_code == 201, answer.text
    return answer.headers["Location"].rpartition("/")[2]


def asked(address: str) -> str:
    """Return the answer to a request. Repeat it while the game or the register moves to another process."""
    while (answer := httpx.get(address, headers=ANN, timeout=HANG_S)).status_code == 503:
        assert answer.headers["Retry-After"] == "1"
    assert answer.status_code == 200, answer.text
    return answer.text


def workers(server: ServerProcess) -> dict[int, int]:
    """Return the latest process of each worker, by its number."""
    entries = [json.loads(line) for line in server.complaints.splitlines() if '"worker-started"' in line]
    return {entry["worker"]: entry["pid"] for entry in entries}


def kill(server: ServerProcess, worker: int) -> None:
    """Kill a worker, and wait until it is gone, so that it gets no later connection."""
    gone = server.complaints.count('"worker-ended"') + 1
    os.kill(workers(server)[worker], signal.SIGKILL)
    assert server.errors.until(lambda text: True if text.count('"worker-ended"') == gone else None)


def has_ended(process: int) -> bool:
    """True if a process has ended, even if its exit code was not read yet. Only on Linux."""
    try:
        return state(process) == "Z"
    except FileNotFoundError:
        return True


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    with ServerProcess(*arguments) as command:
        return subprocess.CompletedProcess(arguments, command.wait(), command.output.text, command.complaints)


def documented_user() -> str:
    """Return the user that the how-to configures for scramble."""
    found = re.search(r"^user scramble on .*$", HOW_TO.read_text(), re.MULTILINE)
    assert found is not None
    return found[0]


class Service(NamedTuple):
    """Two workers with bots' games, and a Redis with TLS and the documented user."""

    server: ServerProcess
    cluster: str  # the address of Redis for the documented user
    console: Console  # of another user, who may do everything


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Yield the service. The tests share it in any order, and none of them ends it. At its end, check its log."""
    folder = tmp_path_factory.mktemp("service")
    certificate = make_certificate(folder)
    acl, tls_port = folder / "users.acl", free_port()
    acl.write_text(f"user default off\nuser admin on >admin ~* &* +@all\n{documented_user()}\n")
    config = {
        "aclfile": str(acl),
        "tls-port": str(tls_port),
        "tls-cert-file": str(certificate.certfile),
        "tls-key-file": str(certificate.keyfile),
        "tls-ca-cert-file": str(certificate.authority),
        "tls-auth-clients": "no",
        "appendonly": "yes",
    }
    url = f"rediss://scramble:SECRET@localhost:{tls_port}/0?cafile={certificate.authority}"
    with RedisServer(folder / "redis", config) as redis, Console(redis.port) as console:
        console.call("AUTH", "admin", "admin")
        with served("--workers", "2", "--demo", cluster=url) as server:
            yield Service(server, url, console)
            assert server.output.text.count("http") == 1  # a worker that starts again does not print the address again
            assert {entry["worker"] for entry in map(json.loads, server.complaints.splitlines())} == {1, 2}
            assert '"crashed"' not in server.complaints


def test_workers_share_the_rooms_in_which_bots_play(service: Service) -> None:
    rooms = [room for room in json.loads(asked(f"{service.server.url}rooms"))["rooms"] if room["bots"]]
    assert {room["game"] for room in rooms} == {"crossword", "memory", "minesweeper"}
    still_open = [room["game"] for room in rooms if room["state"] == "open"]  # a game ends after a minute
    assert len(still_open) == len(set(still_open))


def test_a_worker_that_is_killed_leaves_its_games_to_the_others(service: Service) -> None:
    server = service.server
    room = opened(server.url)
    flipped = asked(f"{server.url}g/{room}/flip/ann/0,0")
    before, starts = workers(server), server.complaints.count('"worker-started"')
    assert len(before) == 2
    kill(server, 1)
    assert asked(f"{server.url}g/{room}/look/ann") == flipped
    server.errors.until(lambda text: True if text.count('"worker-started"') > starts else None)
    assert workers(server)[2] == before[2]
    kill(server, 2)
    assert asked(f"{server.url}g/{room}/look/ann") == flipped


def test_the_documented_user_of_a_redis_with_tls_is_enough_and_may_do_nothing_else(
    service: Service, tmp_path: Path
) -> None:
    server, url, console = service
    room = opened(server.url)
    asked(f"{server.url}g/{room}/flip/ann/0,0")
    assert room in run("rooms", "list", "--cluster", url).stdout
    assert "row 1, column 1" in run("replay", url, "--name", room).stdout
    copied = run("backup", str(tmp_path / "file"), "--cluster", url)
    assert (copied.returncode, copied.stderr) == (0, "")
    other = url.replace("/0?", "/1?")
    done = run("restore", str(tmp_path / "file"), "--cluster", other)
    assert (done.returncode, done.stderr) == (0, "")
    assert room in run("rooms", "list", "--cluster", other).stdout
    assert run("rooms", "remove", room, "--cluster", url).returncode == 0
    assert httpx.get(f"{server.url}g/{room}/look/ann", timeout=HANG_S).status_code == 410
    assert console.call("ACL", "LOG") == []
    forbidden = (
        ("GET", "elsewhere"),
        ("SET", "elsewhere", "x"),
        ("FLUSHALL",),
        ("KEYS", "*"),
        ("CONFIG", "SET", "save", ""),
    )
    for words in forbidden:
        said = console.call("ACL", "DRYRUN", "scramble", *words)
        assert isinstance(said, bytes)
        assert b"no permissions" in said, words


def test_the_workers_of_a_service_that_was_killed_end_too(redis: RedisServer) -> None:
    with served("--workers", "2", cluster=redis.url) as server:
        room = opened(server.url)
        left = workers(server)
        assert len(left) == 2
        server.send_signal(signal.SIGKILL)
        server.errors.join()  # all processes that could write to it have ended
        assert all(map(has_ended, left.values()))
    with served(cluster=redis.url) as server:
        asked(f"{server.url}g/{room}/look/ann")


def test_workers_who_may_not_log_in_end_the_service_with_one_line(tmp_path: Path) -> None:
    with (
        RedisServer(tmp_path / "redis", {"requirepass": "secret"}) as redis,
        served("--workers", "2", cluster=redis.url.replace("//", "//:wrong@"), lines=0) as server,
    ):
        assert server.wait() == 1
        assert server.output.text == ""
        entries = [json.loads(line) for line in server.complaints.splitlines()]
        (failed,) = (entry for entry in entries if entry["event"] == "failed")
        assert (failed["level"], failed["code"], failed["exit"]) == ("error", "cannot-link", 1)
        assert failed["worker"] in (1, 2)
        assert "wrong" not in server.complaints.replace("wrong user", "").replace("WRONGPASS", "")


def test_operators_list_close_remove_and_replay_rooms_of_a_cluster(redis: RedisServer) -> None:
    with served(cluster=redis.url) as server:
        room, other = opened(server.url), opened(server.url)
        asked(f"{server.url}g/{room}/flip/ann/0,0")
        asked(f"{server.url}g/{room}/flip/ann/0,1")
        listed = run("rooms", "list", "--cluster", redis.url)
        assert listed.returncode == 0, listed.stderr
        assert [line.split()[0] for line in listed.stdout.splitlines()][:2] == [other, room]
        replayed = run("replay", redis.url, "--name", room, "--summary")
        assert (replayed.returncode, replayed.stderr) == (0, "")
        assert "ann" in replayed.stdout
        assert run("rooms", "close", other, "--cluster", redis.url).returncode == 0
        assert httpx.get(f"{server.url}g/{other}/look/ann", timeout=HANG_S).status_code == 410
        assert server.stop(signal.SIGTERM)[0] == 0
    assert other in run("rooms", "list", "--cluster", redis.url).stdout
    with ServerProcess("replay", redis.url, "--name", room, "--http-port", "0", lines=1) as page:
        overview = httpx.get(f"{page.url}replay/data", timeout=HANG_S).json()
        assert overview["kind"] == "memory"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("replay", "{url}", "--name", "no-such-room-here"), "no-such-room-here"),
        (("replay", "{url}"), "--name"),
        (("replay", "redis://:secret@127.0.0.1:{port}", "--name", "no-such-room-here"), "127.0.0.1"),
        (("rooms", "list", "--cluster", "redis://:secret@127.0.0.1:{port}"), "127.0.0.1"),
        (("rooms", "close", "no-such-room-here", "--cluster", "{url}"), "no room"),
        (("rooms", "list", "--cluster", "{url}", "--data", "games"), "--data"),
        (("serve", "--workers", "2"), "--cluster"),
        (("serve", "--cluster", "{url}", "--open-rooms", "token"), "SCRAMBLE_TOKEN"),
    ],
)
def test_a_mistake_is_said_in_one_line_without_a_password(
    redis: RedisServer, arguments: tuple[str, ...], words: str
) -> None:
    done = run(*(argument.format(url=redis.url, port=free_port()) for argument in arguments))
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert words in done.stderr
    assert "secret" not in done.stderr


def test_without_a_command_the_address_in_the_environment_counts_too() -> None:
    with ServerProcess(environment=os.environ | {"SCRAMBLE_CLUSTER": "http://127.0.0.1"}) as server:
        assert server.wait() == 1
        assert (server.output.text, server.complaints.count("\n")) == ("", 1)
        assert "redis://" in server.complaints
