"""The cost of a cluster: moves through a local and a remote owner, fan-out, workers, and take-overs.

The group starts a Redis on this machine, and processes of `scramble serve --cluster`. `python -m tests.bench.cluster
owner URL` is a process that owns a field of Minesweeper. Other processes can join the field.
"""

from __future__ import annotations

import re
import selectors
import signal
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from statistics import median
from typing import Final

import httpx
import trio

from scramble.cluster.address import parse_address
from scramble.cluster.calling import joining
from scramble.cluster.codec import Vocabulary
from scramble.cluster.link import RedisLink, open_link
from scramble.cluster.log import ClusterRecorder
from scramble.cluster.protocol import Token
from scramble.cluster.scripts import Beginning, claim
from scramble.cluster.serving import Part, serving
from scramble.journal import Journal, recorded
from scramble.kernel.actor import open_actor
from scramble.kernel.owner import Owner
from scramble.minesweeper import Field
from scramble.minesweeper.messages import Deflag, Deflagged, Flag, Flagged
from tests.bench.figure import Figure
from tests.support.cluster.fleet import Fleet
from tests.support.cluster.redis import PROGRAM, RedisServer
from tests.support.cutting import handshake
from tests.support.process import ServerProcess

SIDE: Final = 20  # rows and columns of a field
CALLERS: Final = (1, 16, 128)
MOVES: Final = 2048  # in a round
ROUNDS: Final = 3
SOCKETS: Final = 200
CHANGES: Final = 50
LOOKS: Final = 3000
CONNECTIONS: Final = 16
WORKERS: Final = (1, 2, 4)
SETTLE_S: Final = 3.0  # after this time a process is idle
TAKE_OVERS: Final = 5
VOCABULARY: Final = Vocabulary(Flag | Deflag, Flagged | Deflagged)
OWNER: Final = (sys.executable, "-m", "tests.bench.cluster", "owner")


def cluster() -> Iterator[Figure]:
    """Measure all figures of a cluster. Without a redis-server there are no figures."""
    if PROGRAM is None:
        return
    with tempfile.TemporaryDirectory() as folder, RedisServer(Path(folder)) as redis:
        yield from moves(redis.url, Path(folder))
        yield from fan_out(redis.url)
        yield from workers(redis.url)
        yield from take_overs(redis.url)


# --- moves ------------------------------------------------------------------------------------------


async def make_moves(owner: Owner, callers: int) -> None:
    """Flag and deflag squares. Each caller makes one move after another."""

    async def call(number: int) -> None:
        y, x = divmod(number, SIDE)
        for turn in range(MOVES // callers):
            await owner.ask((Flag if turn % 2 == 0 else Deflag)(x, y))

    async with trio.open_nursery() as nursery:
        for number in range(callers):
            nursery.start_soon(call, number)


@asynccontextmanager
async def owned(link: RedisLink, room: str) -> AsyncIterator[tuple[Token, Owner]]:
    """Own a field in this process, with its log in Redis."""
    rules = Field(SIDE, SIDE)
    token = (await claim(link, room, None, Beginning(rules.kind, rules.state(), time.time()))).owner
    assert token is not None
    async with (
        ClusterRecorder(link, room, token).recorded(rules) as kept,
        open_actor(kept.rules, log=kept.log) as actor,
    ):
        yield token, actor


async def own(url: str) -> None:
    """Own a field until this process is killed. Other processes can join the field."""
    async with (
        open_link(parse_address(url)) as link,
        owned(link, "bench") as (token, actor),
        serving(link, "bench", token, {"game": Part(actor, VOCABULARY)}),
    ):
        print(token, flush=True)
        await trio.sleep_forever()


async def measured(owner: Owner, callers: int, elsewhere: Callable[[], float]) -> tuple[float, float]:
    """Return the wall-clock seconds and the CPU seconds of a move.

    The CPU seconds are those of this process plus those of the other process, which `elsewhere` returns.
    """
    began, cpu = time.perf_counter(), time.process_time() + elsewhere()
    await make_moves(owner, callers)
    done = MOVES // callers * callers
    return (time.perf_counter() - began) / done, (time.process_time() + elsewhere() - cpu) / done


async def compare(url: str, folder: Path, other: ServerProcess) -> Sequence[Sequence[tuple[float, float]]]:
    """Return three results of `measured` for each number of callers.

    The owners are: a local owner with SQLite, a local owner with Redis, and a remote owner with Redis.
    """
    token = Token.parse(other.line().strip())
    async with (
        recorded(Field(SIDE, SIDE), Journal(folder / "moves.db")) as kept,
        open_actor(kept.rules, log=kept.log) as sqlite,
        open_link(parse_address(url)) as link,
        owned(link, "local") as (_, local),
        joining(link, "bench", token, {"game": VOCABULARY}) as joined,
    ):
        found: list[Sequence[tuple[float, float]]] = []
        for callers in CALLERS:
            rounds = [
                (
                    await measured(sqlite, callers, lambda: 0.0),
                    await measured(local, callers, lambda: 0.0),
                    await measured(joined.owners["game"], callers, other.cpu_s),
                )
                for _ in range(ROUNDS)
            ]
            found.append(
                [(median(s for s, _ in ways), median(c for _, c in ways)) for ways in zip(*rounds, strict=True)]
            )
        return found


def moves(url: str, folder: Path) -> Iterator[Figure]:
    """Measure the CPU time and the rate of moves through three kinds of owners."""
    with ServerProcess(url, program=OWNER) as other:
        for callers, (sqlite, local, remote) in zip(CALLERS, trio.run(compare, url, folder, other), strict=True):
            yield Figure(
                f"CPU of a move through an owner in another process, {callers} callers at once",
                f"{remote[1] * 1e6:.0f} µs, {1 / remote[0]:,.0f} moves/s",
                f"local owner: Redis {local[1] * 1e6:.0f} µs, {1 / local[0]:,.0f}/s; "
                f"SQLite {sqlite[1] * 1e6:.0f} µs, {1 / sqlite[0]:,.0f}/s",
                remote[1] / local[1],
                at_most=3,
            )
        other.send_signal(signal.SIGKILL)


# --- whole processes --------------------------------------------------------------------------------


@contextmanager
def processes(count: int, url: str) -> Iterator[Fleet]:
    with Fleet(count, lambda _: ("serve", "--cluster", url)) as fleet:
        yield fleet


def opened(port: int) -> str:
    """Open a room of Memory Scramble; return its name. The flips of `fan_out` never turn up a pair in it."""
    cards = "".join(f"card{number // 2}\n" for number in range(100))
    room = {"game": "memory", "names": "open", "turn_clock": "off", "settings": {"board": f"10x10\n{cards}"}}
    return str(httpx.post(f"http://127.0.0.1:{port}/rooms", json=room, timeout=None).json()["room"])


def heard_s(sockets: Sequence[socket.socket], flip: Callable[[int], int]) -> list[float]:
    """Return the seconds from each flip until all sockets have received its version."""
    seconds: list[float] = []
    with selectors.DefaultSelector() as selector:
        for one in sockets:
            selector.register(one, selectors.EVENT_READ)
        for number in range(CHANGES):
            began = time.perf_counter()
            wanted = b'"version":%d' % flip(number)
            missing = {one.fileno(): b"" for one in sockets}
            while missing:
                for key, _ in selector.select():
                    assert isinstance(key.fileobj, socket.socket)
                    data = missing.get(key.fd, b"") + key.fileobj.recv(65536)
                    if wanted in data:
                        missing.pop(key.fd, None)
                    elif key.fd in missing:
                        missing[key.fd] = data
            seconds.append(time.perf_counter() - began)
    return seconds


def fan_out(url: str) -> Iterator[Figure]:
    """Measure a change for many WebSockets, in the owner's process and in another process."""
    with processes(2, url) as fleet:
        medians: list[float] = []
        for port in (fleet.ports[0], fleet.ports[1]):
            room = opened(fleet.ports[0])
            with (
                ExitStack() as stack,
                httpx.Client(base_url=f"http://127.0.0.1:{fleet.ports[0]}", timeout=None) as client,
            ):
                client.get(f"/g/{room}/look/first")  # the first process owns the room after this
                sockets = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(SOCKETS)]
                for number, one in enumerate(sockets):
                    one.sendall(handshake(f"/g/{room}/play/p{number}", "localhost"))
                time.sleep(SETTLE_S)  # presence frames are sent first

                def flip(number: int, client: httpx.Client = client, room: str = room) -> int:
                    row, column = divmod(number * 2 % 100, 10)
                    return int(client.post(f"/g/{room}/flip/one{number}/{row},{column}").headers["etag"].strip('"'))

                medians.append(median(heard_s(sockets, flip)))
    here, there = medians
    yield Figure(
        f"From a flip over HTTP until {SOCKETS} WebSockets in another process have the change",
        f"{there * 1e3:.1f} ms",
        f"in the owner's process {here * 1e3:.1f} ms",
        there / here,
    )


def looks_per_s(port: int, room: str) -> float:
    """Return the rate of GET /look over several connections. Each connection sends its next request after an answer."""
    request = f"GET /g/{room}/look/ann HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with ExitStack() as stack, selectors.DefaultSelector() as selector:
        for _ in range(CONNECTIONS):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(one, selectors.EVENT_READ, bytearray())
            one.sendall(request)
        done, began = 0, time.perf_counter()
        while done < LOOKS:
            for key, _ in selector.select():
                assert isinstance(key.fileobj, socket.socket)
                key.data.extend(key.fileobj.recv(65536))
                head, end, body = bytes(key.data).partition(b"\r\n\r\n")
                length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
                if end and length is not None and len(body) >= int(length[1]):
                    assert head.startswith(b"HTTP/1.1 200"), head
                    key.data.clear()
                    done += 1
                    key.fileobj.sendall(request)
        return done / (time.perf_counter() - began)


def workers(url: str) -> Iterator[Figure]:
    """Compare the rate of GET /look with several workers on one port, and with one process without a cluster."""

    def rate(*arguments: str) -> float:
        with ServerProcess("serve", *arguments, "--port", "0") as server:
            return median(looks_per_s(server.port, opened(server.port)) for _ in range(3))

    alone = rate("--in-memory")
    for count in WORKERS:
        many = rate("--cluster", url, "--workers", str(count))
        yield Figure(
            f"GET /look with {count} worker{'s' * (count > 1)}, {CONNECTIONS} clients",
            f"{many:,.0f}/s",
            f"one process without a cluster {alone:,.0f}/s",
            many / alone,
        )


def take_overs(url: str) -> Iterator[Figure]:
    """Measure the seconds from a fault of the owner until another process answers repeated requests."""
    for fault in ("kill -9", "SIGSTOP", "SIGTERM"):
        seconds: list[float] = []
        for _ in range(TAKE_OVERS):
            with processes(2, url) as fleet:
                first, second = fleet.members
                room = opened(first.port)
                for port in fleet.ports:
                    assert httpx.get(f"http://127.0.0.1:{port}/g/{room}/look/ann", timeout=None).status_code == 200
                began = time.perf_counter()
                first.process.send_signal(getattr(signal, {"kill -9": "SIGKILL"}.get(fault, fault)))
                seconds.append(until_answered(second.port, room) - began)
        yield Figure(
            f"Silence after {fault} of the owner",
            f"median {median(seconds):.2f} s, at most {max(seconds):.2f} s",
            "the aim, 3 s",
            max(seconds) / 3,
            at_most=1,
        )


def until_answered(port: int, room: str) -> float:
    """Repeat a flip until it is answered; return the time of the answer."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=None) as client:
        while client.post(f"/g/{room}/flip/bob/0,0").status_code == 503:
            time.sleep(0.02)
        return time.perf_counter()


if __name__ == "__main__":
    assert sys.argv[1] == "owner"
    trio.run(own, sys.argv[2])
