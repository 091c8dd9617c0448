"""Backup and restoration of a cluster by its operator: docs/how-to/back-up-a-cluster.md, followed exactly.

Redis, the processes and the commands are real. The test starts and stops the services like systemd.

Partitions:
- loss: the disk of Redis; no loss, but Redis restarts from its own dump
- the backup is made: while people play at two processes
- restored: moves, seats, titles, long settings, a field; the next moves
- a process is paused from before the loss until after the restoration
- a mistake: rooms exist; the file exists, is not a backup, is cut off; source or destination is missing
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

import httpx

from scramble.journal import Record
from tests.support import HANG_S, PROGRAM_S
from tests.support.cluster.console import Console
from tests.support.cluster.fleet import Fleet
from tests.support.cluster.redis import RedisServer, free_port, needs_redis
from tests.support.process import ROOT, ServerProcess

pytestmark = needs_redis

PAGE: Final = ROOT / "docs" / "how-to" / "back-up-a-cluster.md"
ANN = {"Authorization": "Bearer 0123456789abcdef"}
BOB = {"Authorization": "Bearer fedcba9876543210"}
LONG_BOARD = "20x20\n" + "".join(f"card-{number // 2}-{'x' * 20}\n" for number in range(400))


class Machines:
    """A Redis, two processes of scramble, and a shell. Both services run at first."""

    def __init__(self, folder: Path, redis: RedisServer, fleet: Fleet) -> None:
        self.folder: Final = folder
        self.redis: Final = redis
        self.fleet: Final = fleet
        self.other_port: Final = free_port()
        self._runs: Final = {"redis-server": True, "scramble": True}

    def lose_redis(self) -> None:
        """Let the machine of Redis lose all data."""
        self.redis.kill()
        shutil.rmtree(self.redis.folder)
        self._runs["redis-server"] = False

    def follow(self, title: str) -> str:
        """Run all commands of one section of the page; return their output."""
        section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL)
        assert section is not None
        commands = re.findall(r"^ *\$ (.*)$", section[1], re.MULTILINE)
        assert commands
        return "".join(map(self.run, commands))

    def run(self, command: str) -> str:
        """Run one command as it is on the page; return its output."""
        service = re.fullmatch(r"systemctl (start|stop) (scramble|redis-server)", command)
        if service is not None:
            self._serve(service[2], service[1] == "start")
            return ""
        for documented, real in (
            ("redis://redis.internal", self.redis.url),
            ("redis-cli -h redis.internal", f"redis-cli -p {self.redis.port}"),
            ("/var/lib/redis", str(self.redis.folder)),
            ("6398", str(self.other_port)),
        ):
            command = command.replace(documented, real)
        if command.startswith("scramble "):
            with ServerProcess(*shlex.split(command)[1:], folder=self.folder) as process:
                assert process.wait() == 0, (command, process.output.text, process.complaints)
                return process.output.text
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, capture_output=True, text=True, timeout=PROGRAM_S
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    def _serve(self, service: str, wanted: bool) -> None:
        if self._runs[service] == wanted:
            return
        self._runs[service] = wanted
        if service == "redis-server":
            (self.redis.start if wanted else self.redis.stop)()
            return
        for member in self.fleet.members:
            if wanted:
                member.launch()
            elif member.runs:
                member.process.send_signal(signal.SIGTERM)
        for member in self.fleet.members:
            if wanted:
                member.wait_until_ready()
            elif member.runs:
                member.terminate()


class Room:
    """A room of a cluster, and a client that may play at each process."""

    def __init__(self, fleet: Fleet, **settings: object) -> None:
        self._fleet: Final = fleet
        answer = httpx.post(self._url(0, "rooms"), json=settings, headers=ANN, timeout=HANG_S)
        assert answer.status_code == 201, answer.text
        self.name: Final[str] = answer.json()["room"]

    def _url(self, member: int, path: str) -> str:
        return f"http://127.0.0.1:{self._fleet.ports[member]}/{path}"

    def ask(self, path: str, who: dict[str, str] = ANN, member: int = 0) -> httpx.Response:
        """Return the answer to a request. Repeat the request while the game moves to another process."""
        while True:
            answer = httpx.get(self._url(member, f"g/{self.name}/{path}"), headers=who, timeout=HANG_S)
            if answer.status_code != 503:
                return answer


class Moves:
    """Moves at one process, one after another, in a thread, until the end of the block."""

    def __init__(self, room: Room, member: int) -> None:
        self.acknowledged = 0
        self._ended: Final = threading.Event()
        self._some: Final = threading.Semaphore(0)
        self._thread: Final = threading.Thread(target=self._play, args=(room, member))

    def _play(self, room: Room, member: int) -> None:
        number = 0
        while not self._ended.is_set():
            room.ask(f"flip/carl/{number % 20},{number // 20 % 20}", BOB, member)
            number += 1
            self.acknowledged = number
            self._some.release()

    def wait_for(self, more: int) -> int:
        """Block until `more` further moves are acknowledged; return the number of all acknowledged moves."""
        for _ in range(more):
            assert self._some.acquire(timeout=HANG_S)
        return self.acknowledged

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()


def faces(room: Room, member: int = 0) -> str:
    """The board without its holders: a player who is away for 20 s gives the cards up."""
    return room.ask("look/ann", member=member).text.replace("my ", "up ")


def log_of(redis: RedisServer, room: Room) -> Sequence[Record]:
    with Console(redis.port) as console:
        return console.log(room.name)


@contextmanager
def machines(folder: Path) -> Iterator[tuple[Machines, Room, Room, Room]]:
    """Machines with players in three rooms: a small board, a long board, and a field."""
    with (
        RedisServer(folder / "redis", {"appendonly": "yes", "repl-diskless-sync-delay": "0"}) as redis,
        Fleet(2, lambda _: ("serve", "--cluster", redis.url)) as fleet,
    ):
        site = Machines(folder, redis, fleet)
        small = Room(site.fleet, game="memory", title="Friday", public=True, settings={"board": "2x2\nA\nA\nB\nB\n"})
        long = Room(site.fleet, game="memory", names="open", settings={"board": LONG_BOARD})
        field = Room(site.fleet, game="minesweeper", title="Mines", settings={"size": "9x9", "bombs": 10, "seed": 3})
        assert small.ask("flip/ann/0,0").status_code == 200
        assert small.ask("flip/ann/0,1", member=1).status_code == 200
        assert field.ask("").status_code == 200
        yield site, small, long, field


def test_the_page_brings_back_all_moves_from_before_a_backup_that_was_made_while_people_played(tmp_path: Path) -> None:
    with machines(tmp_path) as (site, small, long, _):
        shown = faces(small)
        with Moves(long, 1) as moves:
            before = moves.wait_for(50)
            assert "are copied to rooms.backup" in site.follow("Make a backup")
            moves.wait_for(10)
        played = log_of(site.redis, long)
        site.lose_redis()
        listed = site.follow("Restore a backup")
        assert "restored to" in listed
        assert {"Friday", "Mines"} <= set(listed.split())
        restored = log_of(site.redis, long)
        assert before <= len(restored) <= len(played)
        assert restored == played[: len(restored)]
        assert faces(small, member=1) == shown
        assert small.ask("flip/ann/1,0", BOB).status_code == 403  # the seat is Ann's
        assert small.ask("flip/ann/1,0").status_code == 200
        for member in (0, 1):
            assert long.ask(f"flip/dora/19,{member}", BOB, member).status_code == 200
        assert log_of(site.redis, long)[: len(restored)] == restored
        assert not [line for member in site.fleet.members for line in member.log if "stuck" in line or "broken" in line]
    assert stat.S_IMODE((tmp_path / "rooms.backup").stat().st_mode) == 0o600


def test_the_page_brings_back_a_dump_of_redis_and_has_it_append_again(tmp_path: Path) -> None:
    with machines(tmp_path) as (site, small, _, __):
        shown = faces(small)
        try:
            keys = site.follow("A dump by Redis")
        finally:
            subprocess.run(["redis-cli", "-p", str(site.other_port), "SHUTDOWN", "NOSAVE"], capture_output=True)
        assert re.search(r"^[1-9]\d*$", keys, re.MULTILINE)
        assert faces(small) == shown
        assert small.ask("flip/ann/1,0").status_code == 200
        played = log_of(site.redis, small)
        site.run("systemctl stop scramble")
        site.redis.kill()
        site.redis.start()
        assert log_of(site.redis, small) == played


def test_a_process_that_survived_the_loss_cannot_write_to_the_restored_rooms(tmp_path: Path) -> None:
    with machines(tmp_path) as (site, small, _, __):
        site.run("scramble backup --cluster redis://redis.internal rooms.backup")
        assert small.ask("flip/ann/1,0").status_code == 200  # after the backup
        survivor, other = site.fleet.members
        survivor.pause()
        other.terminate()
        with Console(site.redis.port) as console:
            epoch, _ = console.owner(small.name)
            console.call("FLUSHALL")
        site.run("scramble restore rooms.backup --cluster redis://redis.internal")
        other.start()
        restored = small.ask("look/ann", member=1).text
        assert small.ask("flip/ann/1,1", member=1).status_code == 200
        played = log_of(site.redis, small)
        survivor.resume()
        assert small.ask("look/ann", member=0).text == small.ask("look/ann", member=1).text != restored
        with Console(site.redis.port) as console:
            assert console.log(small.name)[: len(played)] == played
            assert console.owner(small.name)[0] > epoch + 1_000_000


def dump(console: Console) -> dict[object, object]:
    """Return all data in Redis, except heartbeats."""
    keys = console.call("KEYS", "*")
    assert isinstance(keys, list)
    names = [key.decode() for key in keys if isinstance(key, bytes) and not key.startswith(b"scr:alive:")]
    return {name: console.call("DUMP", name) for name in names}


def run(*arguments: object, cluster: str = "") -> tuple[int, str, str]:
    environment = {name: value for name, value in os.environ.items() if name != "SCRAMBLE_CLUSTER"}
    if cluster:
        environment["SCRAMBLE_CLUSTER"] = cluster
    with ServerProcess(*map(str, arguments), environment=environment) as command:
        return command.wait(), command.output.text, command.complaints


def test_a_mistake_is_said_in_one_line_and_changes_nothing(tmp_path: Path) -> None:
    file, short, other = tmp_path / "rooms.backup", tmp_path / "short", tmp_path / "other"
    with machines(tmp_path) as (site, _, __, ___), Console(site.redis.port) as console:
        url = site.redis.url
        assert run("backup", file, cluster=url)[0] == 0
        site.run("systemctl stop scramble")
        content, found = file.read_bytes(), dump(console)
        short.write_bytes(content[:-1])
        other.write_bytes(b"no backup\n")
        (tmp_path / "folder").mkdir()
        empty = url.removesuffix("/0") + "/1"
        for arguments, words in (
            (("backup", file, "--cluster", url), "exists"),
            (("backup", tmp_path / "none" / "file", "--cluster", url), "cannot be written"),
            (("backup", tmp_path / "b", "--cluster", empty), "no rooms"),
            (("backup", tmp_path / "b"), "--cluster"),
            (("backup", tmp_path / "folder", tmp_path / "b", "--cluster", url), "--cluster"),
            (("restore", file, "--cluster", url), "has rooms"),
            (("restore", short, "--cluster", empty), "not whole"),
            (("restore", other, "--cluster", empty), "no backup"),
            (("restore", tmp_path / "none", "--cluster", empty), "cannot be read"),
            (("restore", tmp_path / "folder", "--cluster", empty), "DIR"),
            (("restore", file), "--cluster"),
            (("restore", tmp_path / "folder", tmp_path / "b", "--cluster", empty), "--cluster"),
            (("restore", file, tmp_path / "b"), "no rooms"),
        ):
            code, said, why = run(*arguments)
            assert (code in (1, 2), said, why.count("\n")) == (True, "", 1), (arguments, code, said, why)
            assert words in why
        assert dump(console) == found
        assert file.read_bytes() == content
        assert not (tmp_path / "b").exists()
        console.call("SELECT", 1)
        assert dump(console) == {}


def test_a_redis_that_is_too_small_has_nothing_of_a_backup(tmp_path: Path) -> None:
    with machines(tmp_path) as (site, _, long, __), Console(site.redis.port) as console:
        for number in range(40):
            long.ask(f"flip/bob/{number % 20},{number // 20}", BOB)
        site.run("scramble backup --cluster redis://redis.internal rooms.backup")
        site.run("systemctl stop scramble")
        console.call("FLUSHALL")
        used = console.call("INFO", "memory")
        assert isinstance(used, bytes)
        found = re.search(rb"used_memory:(\d+)", used)
        assert found is not None
        console.call("CONFIG", "SET", "maxmemory", int(found[1]) + 4_000)
        code, said, why = run("restore", tmp_path / "rooms.backup", "--cluster", site.redis.url)
        assert (code, said, why.count("\n")) == (1, "", 1)
        assert "maxmemory" in why
        assert dump(console) == {}
