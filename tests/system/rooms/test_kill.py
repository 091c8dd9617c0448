"""Dozens of rooms on one server that dies by kill -9 under load: no room loses an acknowledged move.

In each room one player turns cards, one after another, so the moves alone determine the room's board. A board with the
same cards in this process makes the same moves. Meanwhile more rooms are opened, and removed by their hosts. After
enough answers the server is killed, between any two instructions. The next server must have every room with an
answered opening, and no room with an answered removal. Each board must show all answered moves, and the unanswered
move completely or not at all.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Final

import httpx
import pytest
import trio

from scramble.kernel.protocol import Answered, Ticket
from scramble.memory import Board
from scramble.memory.messages import Flip, Look, View
from tests.support.process import ServerProcess

ROOMS: Final = 40
ANSWERS: Final = 200  # answers before the kill to moves, openings and removals, at least one in each room
CONNECTIONS: Final = 24
CARDS: Final = "ABCDEFGH"
BOARD: Final = "4x4\n" + "".join(f"{card}\n" for card in CARDS * 2)


def moves(room: int) -> list[Flip]:
    """Return the moves of the player in that room. Each room has different moves; some find a pair."""
    places = [(5 * step + room + step // 3) % 16 for step in range(200)]
    return [Flip("ann", *divmod(place, 4)) for place in places]


def shown(made: list[Flip]) -> str:
    """Return the board after these moves, including refused moves."""
    board = Board.parse(BOARD)
    for number, move in enumerate(made):
        board.apply(Ticket(number), move)
    (answer,) = board.apply(Ticket(len(made)), Look("ann"))
    assert isinstance(answer, Answered)
    assert isinstance(answer.value, View)
    return answer.value.text


class Load:
    """The requests of the first server's clients, and their answers."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.answers = 0
        self.enough = trio.Event()
        self.rooms: list[str] = []
        self.moved: dict[str, int] = {}  # the number of answered moves
        self.ending: set[str] = set()
        self.ended: set[str] = set()

    def answered(self) -> None:
        self.answers += 1
        if self.answers >= ANSWERS and len(self.moved) == ROOMS and all(self.moved.values()):
            self.enough.set()

    def expected(self, name: str) -> tuple[int, ...]:
        """Return the possible statuses of a room: 410 after an answered removal, 200 or 410 after an unanswered one."""
        return (410,) if name in self.ended else (200, 410) if name in self.ending else (200,)

    async def open(self, client: httpx.AsyncClient) -> str:
        body = {"game": "memory", "names": "open", "settings": {"board": BOARD}}
        response = await client.post(f"{self.url}rooms", json=body)
        assert response.status_code == 201, response.text
        name = str(response.json()["room"])
        self.rooms.append(name)
        self.answered()
        return name

    async def play(self, client: httpx.AsyncClient, number: int, name: str) -> None:
        for move in moves(number):
            response = await client.get(f"{self.url}g/{name}/flip/ann/{move.row},{move.column}")
            assert response.status_code in (200, 409), response.text
            self.moved[name] = self.moved.get(name, 0) + 1
            self.answered()

    async def open_and_remove(self, client: httpx.AsyncClient) -> None:
        while True:
            name = await self.open(client)
            self.ending.add(name)
            response = await client.delete(f"{self.url}rooms/{name}")
            assert response.status_code == 204, response.text
            self.ended.add(name)
            self.answered()
            await self.open(client)


async def until_dead(killed: Callable[[], bool], work: Callable[[], Awaitable[None]]) -> None:
    """Work until the server is killed. An error before that is a failure."""
    try:
        await work()
    except httpx.HTTPError:
        if not killed():
            raise


# The kill interrupts requests while httpx sends their bodies, and httpx leaves its generators to the garbage collector.
@pytest.mark.filterwarnings("ignore:Async generator 'httpx:ResourceWarning")
async def test_nothing_acknowledged_is_lost_in_any_of_many_rooms(tmp_path: Path) -> None:
    arguments = ("serve", "--port", "0", "--data", tmp_path / "rooms")
    limits = httpx.Limits(max_connections=CONNECTIONS)
    headers = {"Authorization": "Bearer the-host-of-all-these-rooms-0123456789"}
    with ServerProcess(*arguments, lines=1) as server:
        load = Load(server.url)
        dead = False
        async with httpx.AsyncClient(limits=limits, headers=headers, timeout=60) as client:
            for _ in range(ROOMS):
                await load.open(client)
            playing = list(load.rooms)
            async with trio.open_nursery() as nursery:
                for number, name in enumerate(playing):
                    work = partial(load.play, client, number, name)
                    nursery.start_soon(until_dead, lambda: dead, work)
                nursery.start_soon(until_dead, lambda: dead, partial(load.open_and_remove, client))
                await load.enough.wait()
                dead = True
                server.kill()
    with ServerProcess(*arguments, lines=1) as server:
        async with httpx.AsyncClient(limits=limits, headers=headers, timeout=60) as client:
            for name in load.rooms:
                response = await client.get(f"{server.url}rooms/{name}")
                assert response.status_code in load.expected(name), response.text
            for number, name in enumerate(playing):
                looked = await client.get(f"{server.url}g/{name}/look/ann")
                made = moves(number)[: load.moved[name] + 1]
                assert looked.text in (shown(made[:-1]), shown(made)), f"{name} after {len(made) - 1} answers"
