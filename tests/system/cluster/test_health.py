"""A cluster behind real load balancers, with the configurations in deploy/: processes stay ready, and games continue.

Partitions:
- a process: is paused while it owns the register; gets SIGTERM; is killed
- Redis: pauses; is full
- the balancer: HAProxy, which checks the health; nginx, which notices failed requests
- clients meanwhile: a WebSocket, a flip that waits for another player, looks, moves by GET and by POST
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import httpx
import pytest
import trio

from tests.support import HANG_S
from tests.support.cluster.fleet import Member
from tests.support.cluster.frontends import Frontend, HaProxy, Nginx, needs_haproxy, needs_nginx
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.process import SCRAMBLE
from tests.support.rooms.served import ANN, BOARD, BOB, bearer
from tests.support.websocket import Tab, WebSocket

pytestmark = needs_redis

LOOK_S = 0.05  # between two looks at another process or a balancer: they do not notify a test


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path / "redis") as server:
        yield server


@pytest.fixture
def members(redis: RedisServer) -> Iterator[list[Member]]:
    """Three processes; the first owns the register."""
    with ExitStack() as stack:
        members = [Member(number, ("serve", "--cluster", redis.url, "--behind-proxy"), SCRAMBLE) for number in range(3)]
        for member in members:
            stack.callback(member.close)
        members[0].start()
        for member in members[1:]:
            member.launch()
        for member in members[1:]:
            member.wait_until_ready()
        yield members


@pytest.fixture
def haproxy(tmp_path: Path, members: list[Member]) -> Iterator[HaProxy]:
    with HaProxy(tmp_path / "haproxy", [member.port for member in members]) as balancer:
        yield balancer


@pytest.fixture
def nginx(tmp_path: Path, members: list[Member]) -> Iterator[Nginx]:
    with Nginx(tmp_path / "nginx", [member.port for member in members]) as balancer:
        yield balancer


class Players:
    """Clients of one room, behind a balancer."""

    def __init__(self, client: httpx.AsyncClient, port: int, room: str, nursery: trio.Nursery) -> None:
        self.room = room
        self._client = client
        self._port = port
        self._nursery = nursery
        self.sockets: Final[list[WebSocket]] = []

    async def look(self) -> httpx.Response:
        return await self._client.get(f"/g/{self.room}/look/ann", headers=bearer(ANN))

    async def flip(self, spot: str, secret: str = ANN, *, method: str = "POST") -> httpx.Response:
        name = "ann" if secret == ANN else "bob"
        return await self._client.request(method, f"/g/{self.room}/flip/{name}/{spot}", headers=bearer(secret))

    async def tab(self) -> Tab:
        """Return the tab of a spectator."""
        self.sockets.append(
            await WebSocket.connect("127.0.0.1", self._port, f"/g/{self.room}/view", headers=bearer(BOB))
        )
        tab = Tab(self.sockets[-1])
        self._nursery.start_soon(tab.read_all)
        await tab.until(lambda: tab.count("company") > 0)
        return tab


async def opened(client: httpx.AsyncClient) -> str:
    """Open a room, and return its name. Repeat the request while the register moves to another process."""
    settings = {"game": "memory", "settings": {"board": BOARD}}
    while (answer := await client.post("/rooms", json=settings)).status_code == 503:
        assert answer.headers["Retry-After"] == "1"
    assert answer.status_code == 201, answer.text
    return str(answer.headers["Location"].rpartition("/")[2])


@asynccontextmanager
async def playing(balancer: Frontend, owner: Member) -> AsyncIterator[Players]:
    """Players in a room of this process."""
    async with (
        httpx.AsyncClient(base_url=balancer.url, timeout=HANG_S) as client,
        trio.open_nursery() as nursery,
    ):
        room = await opened(client)
        looked = f"http://127.0.0.1:{owner.port}/g/{room}/look/ann"
        assert (await client.get(looked, headers=bearer(ANN))).status_code == 200
        players = Players(client, balancer.port, room, nursery)
        try:
            yield players
        finally:
            nursery.cancel_scope.cancel()
            for opened_socket in players.sockets:
                await trio.aclose_forcefully(opened_socket)


async def until_each_says(members: list[Member], code: str) -> None:
    """Wait until each process has that problem. Check that it is still ready."""
    async with httpx.AsyncClient(timeout=HANG_S) as client:
        for member in members:
            codes: list[str] = []
            while codes != [code]:
                health = await client.get(f"http://127.0.0.1:{member.port}/health")
                assert health.status_code == 200
                codes = [problem["code"] for problem in health.json().get("problems", [])]
                await trio.sleep(LOOK_S)
            ready = await client.get(f"http://127.0.0.1:{member.port}/health/ready")
            assert (ready.status_code, ready.json()) == (200, {"ready": True})


async def until_down(haproxy: HaProxy, name: str, others: list[Member]) -> None:
    """Wait until HAProxy has marked a server as down. Check that all others are ready."""
    async with httpx.AsyncClient(timeout=HANG_S) as client:
        while not haproxy.servers()[name]["status"].startswith("DOWN"):
            for member in others:
                ready = await client.get(f"http://127.0.0.1:{member.port}/health/ready")
                assert (ready.status_code, ready.json()) == (200, {"ready": True})
            await trio.sleep(LOOK_S)


def went_down(haproxy: HaProxy) -> dict[str, int]:
    """Return the number of times that HAProxy has marked each server as down."""
    return {name: int(server["chkdown"]) for name, server in haproxy.servers().items()}


@needs_haproxy
async def test_a_register_that_stands_still_takes_no_healthy_server_out(
    haproxy: HaProxy, members: list[Member]
) -> None:
    async with playing(haproxy, members[1]) as players, trio.open_nursery() as nursery:
        haproxy.send_nothing_to("a")
        watching = await players.tab()
        assert (await players.flip("0,0")).status_code == 200
        taken = trio.Event()

        async def wait_for_the_card() -> None:
            assert (await players.flip("0,0", BOB)).status_code == 200
            taken.set()

        nursery.start_soon(wait_for_the_card)
        haproxy.send_to("a")
        members[0].pause()
        await until_down(haproxy, "a", members[1:])
        async with httpx.AsyncClient(base_url=haproxy.url, timeout=HANG_S) as client:
            await opened(client)  # another process owns the register now
        assert (await players.flip("1,0")).status_code == 200  # no pair: ann relinquishes her first card to bob
        await taken.wait()
        await watching.until(lambda: watching.count("change") >= 3)
        assert went_down(haproxy) == {"a": 1, "b": 0, "c": 0}
        members[0].resume()
        nursery.cancel_scope.cancel()


@needs_haproxy
async def test_a_redis_that_pauses_takes_no_server_out_and_is_waited_for(
    haproxy: HaProxy, members: list[Member], redis: RedisServer
) -> None:
    async with playing(haproxy, members[1]) as players, trio.open_nursery() as nursery:
        haproxy.send_nothing_to("a")
        haproxy.send_nothing_to("c")
        watching = await players.tab()  # at the room's owner: connections at other processes are closed and must return
        answered = trio.Event()

        async def move() -> None:
            assert (await players.flip("0,0")).status_code == 200
            answered.set()

        redis.pause()
        try:
            nursery.start_soon(move)
            await until_each_says(members, "redis-away")
            await watching.until(lambda: watching.count("held") == 1)
        finally:
            redis.resume()
        await watching.until(lambda: watching.count("held") == 2 and watching.count("change") > 0)
        await answered.wait()
        assert went_down(haproxy) == {"a": 0, "b": 0, "c": 0}
        nursery.cancel_scope.cancel()


@needs_haproxy
async def test_a_full_redis_takes_no_server_out_and_moves_are_refused_in_words(
    haproxy: HaProxy, members: list[Member], redis: RedisServer
) -> None:
    async with playing(haproxy, members[1]) as players:
        watching = await players.tab()
        assert (await players.flip("0,0")).status_code == 200
        redis.ask("CONFIG SET maxmemory 1mb")
        await until_each_says(members, "redis-full")
        refused = await players.flip("1,0")
        assert (refused.status_code, refused.text.count("\n")) == (507, 1)
        assert (await players.look()).status_code == 200
        redis.ask("CONFIG SET maxmemory 0")
        while (answer := await players.flip("1,0")).status_code == 507:  # noqa: ASYNC110
            await trio.sleep(LOOK_S)
        assert answer.status_code == 200
        await watching.until(lambda: watching.count("change") >= 2)
        assert went_down(haproxy) == {"a": 0, "b": 0, "c": 0}


async def moves_go_on(players: Players, members: list[Member], method: str) -> None:
    """End the owner of a room, then crash its next owner. All moves are answered, some at the second try."""
    assert members[1].terminate() == 0
    await moved(players, "0,0", method)
    members[0].kill()
    await moved(players, "1,0", method)


async def moved(players: Players, spot: str, method: str) -> None:
    while (answer := await players.flip(spot, method=method)).status_code == 503:
        # the game moves to another process; an error of the balancer has no such header
        assert answer.headers["Retry-After"] == "1"
    assert answer.status_code == 200, answer.text


@needs_haproxy
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_haproxy_has_moves_answered_by_another_process_when_one_ends(
    haproxy: HaProxy, members: list[Member], method: str
) -> None:
    async with playing(haproxy, members[1]) as players:
        await moves_go_on(players, members, method)


@needs_nginx
async def test_nginx_has_moves_by_post_answered_by_another_process_when_one_ends(
    nginx: Nginx, members: list[Member]
) -> None:
    async with playing(nginx, members[1]) as players:
        await moves_go_on(players, members, "POST")
        assert (await players.look()).status_code == 200


@needs_nginx
async def test_nginx_sends_no_move_by_get_to_two_processes(nginx: Nginx, members: list[Member]) -> None:
    async with playing(nginx, members[1]) as players:
        tab = await players.tab()
        for member in members[:2]:
            member.kill()
        statuses = []
        while (answer := await players.flip("0,0", method="GET")).status_code in (502, 503):
            statuses.append(answer.status_code)
        assert answer.status_code == 200
        assert tab.count("board") > 0
